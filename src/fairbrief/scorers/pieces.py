"""Word pieces: each text tokenized once, framed by special pieces, cut into windows, and run through a model in batches."""

from __future__ import annotations

import gc
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import BackendError
from fairbrief.types import Integers

Ids = NDArray[np.int64]
OUT_OF_MEMORY = re.compile("out of memory|can't allocate memory")
"""What errors say where a device's, or the machine's, memory is used up."""


def pieces(tokenizer: Any, texts: Iterable[str]) -> dict[str, Ids]:
    """The word pieces of each text, without special ones, whatever their number."""
    distinct = list(dict.fromkeys(texts))
    made = tokenizer(distinct, add_special_tokens=False, return_attention_mask=False, verbose=False)
    ids = (np.asarray(own, dtype=np.int64) for own in made["input_ids"])
    return dict(zip(distinct, ids, strict=True))


class Frame(NamedTuple):
    """The special pieces before, between and after the texts of an input, and the type ids of the five parts."""

    before: Ids
    between: Ids
    after: Ids
    types: tuple[int, int, int, int, int] | None

    @property
    def size(self) -> int:
        """How many special pieces there are."""
        return len(self.before) + len(self.between) + len(self.after)

    def around(self, first: Ids, second: Ids | None = None) -> tuple[Ids, Ids | None]:
        """The whole input and its type ids."""
        parts = (self.before, first, self.between, second if second is not None else first[:0], self.after)
        ids = np.concatenate(parts)
        if self.types is None:
            return ids, None
        return ids, np.repeat(np.array(self.types, dtype=np.int64), [len(part) for part in parts])


def frame(tokenizer: Any, *, pair: bool) -> Frame:
    """How a tokenizer frames a text, or a pair of texts: read from what it makes of two short ones."""
    texts = ["a", "b"] if pair else ["a"]
    first, *second = pieces(tokenizer, texts).values()
    made = tokenizer(*texts, return_special_tokens_mask=True)
    ids = np.asarray(made["input_ids"], dtype=np.int64)
    own = np.flatnonzero(np.asarray(made["special_tokens_mask"]) == 0)
    before, after = int(own[0]), int(own[-1]) + 1
    middle = before + len(first), after - sum(map(len, second))
    types = made.get("token_type_ids")
    if types is not None:
        at = [max(before - 1, 0), before, middle[0] if pair else before, after - 1, len(ids) - 1]
        types = tuple(int(types[i]) for i in at)
    return Frame(ids[:before], ids[middle[0] : middle[1]], ids[after:], types)


def padded(rows: Sequence[Ids], pad: int) -> tuple[Ids, Ids]:
    """Inputs side by side, filled up on the right, and the mask of what is real. Shapes (n, longest)."""
    lengths = np.array([len(row) for row in rows])
    mask = np.arange(lengths.max()) < lengths[:, np.newaxis]
    ids = np.full(mask.shape, pad, dtype=np.int64)
    ids[mask] = np.concatenate(rows)
    return ids, mask.astype(np.int64)


def parts(length: int, size: int) -> list[slice]:
    """Disjoint parts of at most ``size`` pieces that make up 0 … length, as equally long as can be.

    >>> parts(20, 8)
    [slice(0, 7, None), slice(7, 13, None), slice(13, 20, None)]
    """
    count = max(1, -(-length // size))
    borders = [round(i * length / count) for i in range(count + 1)]
    return [slice(a, b) for a, b in itertools.pairwise(borders)]


def quarter_overlapping(length: int, size: int) -> list[slice]:
    """Windows of at most ``size`` pieces that cover 0 … length, as equally long as can be; neighbours share at least a quarter.

    A text that fits, even an empty one, is one window.

    >>> [(w.start, w.stop) for w in quarter_overlapping(20, 8)]
    [(0, 8), (6, 14), (12, 20)]
    """
    if length <= size:
        return [slice(0, length)]
    count = -(-(length - size // 4) // (size - size // 4))
    starts = [round(i * (length - size) / (count - 1)) for i in range(count)]
    return [slice(start, start + size) for start in starts]


def longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """How many pieces of a pair stay when the longer text is cut until both fit: what tokenizers do.

    >>> longest_first(900, 20, 508), longest_first(400, 300, 508), longest_first(100, 20, 508)
    ((488, 20), (254, 254), (100, 20))
    """
    if first + second <= room:
        return first, second
    short = min(first, second, room // 2)
    return (short, room - short) if first <= second else (room - short, short)


T = TypeVar("T")


def run_batches(
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
            if not (isinstance(error, MemoryError) or OUT_OF_MEMORY.search(str(error).lower())):
                raise
            if count == 1:
                single = f"a single text of {sizes[batch[0]]} word pieces"
                remedy = "Use a smaller model, dtype=bf16 or fp16, or another device."
                raise BackendError(f"Out of memory with {single}. {remedy}") from error
        else:
            yield batch, result
            start += count
            continue
        # Outside the handler: the traceback would keep the failed batch's tensors alive.
        budget = int(sizes[batch[0]]) * (count // 2)
        gc.collect()
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            torch.cuda.empty_cache()
