"""Batches by a budget of word pieces, longest first; a batch that does not fit in memory is halved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from fairbrief.errors import BackendError
from fairbrief.types import Integers

T = TypeVar("T")


def run(
    lengths: Sequence[int] | Integers, forward: Callable[[Integers], T], budget: int
) -> Iterator[tuple[Integers, T]]:
    """Call ``forward`` on batches of item numbers; yield each batch with its result.

    A batch holds n items with n · (its longest item) ≤ ``budget``, or a single item. Items go longest
    first, so that memory runs out at once or never, and padding is small. Out of memory: the batch
    is halved, the budget with it, and the run goes on; only a single item that does not fit is a
    BackendError.
    """
    sizes = np.maximum(np.asarray(lengths, dtype=np.int64), 1)
    order = np.argsort(-sizes, kind="stable")
    start = 0
    while start < len(order):
        count = max(1, min(budget // int(sizes[order[start]]), len(order) - start))
        batch = order[start : start + count]
        try:
            result = forward(batch)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if count == 1:
                raise BackendError(
                    f"Out of memory with a single text of {sizes[batch[0]]} word pieces. "
                    "Use a smaller model, dtype=bf16 or fp16, or another device."
                ) from error
            failed = True
        else:
            failed = False
        if failed:  # outside the handler: the traceback would keep the failed batch's tensors alive
            budget = int(sizes[batch[0]]) * (count // 2)
            _release()
            continue
        yield batch, result
        start += count


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that a device's, or the machine's, memory is used up."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


def _release() -> None:
    import gc
    import sys

    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
