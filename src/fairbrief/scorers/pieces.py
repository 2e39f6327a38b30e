"""Word pieces: each text tokenized once, then framed by the special pieces that its model wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


def pieces(tokenizer: Any, texts: Iterable[str]) -> dict[str, Ids]:
    """The word pieces of each text, without special ones, whatever their number."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    made = tokenizer(distinct, add_special_tokens=False, return_attention_mask=False, verbose=False)[
        "input_ids"
    ]
    return {text: np.asarray(ids, dtype=np.int64) for text, ids in zip(distinct, made, strict=True)}


@dataclass(frozen=True, slots=True)
class Frame:
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
    first = pieces(tokenizer, ["a"])["a"]
    second = pieces(tokenizer, ["b"])["b"] if pair else first[:0]
    made = (
        tokenizer("a", "b", return_special_tokens_mask=True)
        if pair
        else tokenizer("a", return_special_tokens_mask=True)
    )
    ids = np.asarray(made["input_ids"], dtype=np.int64)
    own = np.flatnonzero(np.asarray(made["special_tokens_mask"]) == 0)
    before, after = int(own[0]), int(own[-1]) + 1
    middle = before + len(first), after - len(second)
    types = made.get("token_type_ids")
    if types is not None:
        at = [max(before - 1, 0), before, middle[0] if pair else before, after - 1, len(ids) - 1]
        types = tuple(int(types[i]) for i in at)
    return Frame(ids[:before], ids[middle[0] : middle[1]], ids[after:], types)


def padded(rows: Sequence[Ids], pad: int) -> tuple[Ids, Ids]:
    """Inputs side by side, filled up on the right, and the mask of what is real. Shapes (n, longest)."""
    longest = max(len(row) for row in rows)
    ids = np.full((len(rows), longest), pad, dtype=np.int64)
    mask = np.zeros((len(rows), longest), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask
