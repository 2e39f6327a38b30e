"""Which words occur in which texts, for many asks at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import ranges, starts
from fairbrief.score_tables import ScoreTable
from fairbrief.text.word_numbers import Words, compact
from fairbrief.types import Ask, Integers

TOGETHER = 120_000
"""Characters of asks that share one table: enough to read most texts once, few enough for the table to stay small."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of some asks: each ask's rows, then its columns.

    Shapes: ``every`` (texts,); ``sides`` (asks, 2), how many rows and columns each ask has.
    """

    every: Sequence[str]
    sides: Integers

    @classmethod
    def of(cls, asks: Iterable[Ask]) -> Texts:
        """The texts of these asks."""
        sides = [side for ask in asks for side in (ask.rows, ask.columns)]
        many = np.fromiter(map(len, sides), dtype=np.int64, count=len(sides))
        return cls(list(chain.from_iterable(sides)), many.reshape(-1, 2))

    def rows_and_columns(self) -> tuple[Integers, Integers]:
        """The places of the rows, and of the columns, of all asks."""
        is_column = np.repeat(np.tile([False, True], len(self.sides)), self.sides.reshape(-1))
        return np.flatnonzero(~is_column), np.flatnonzero(is_column)

    def batches(self) -> Iterator[Texts]:
        """The texts of so many asks at a time as have `TOGETHER` characters."""
        texts = [0, *np.cumsum(self.sides.sum(axis=1)).tolist()]
        characters = np.fromiter(map(len, self.every), dtype=np.int64, count=len(self.every))
        before = np.concatenate([[0], np.cumsum(characters)])[texts]
        start, asks = 0, len(self.sides)
        while start < asks:
            end = min(max(int(np.searchsorted(before, before[start] + TOGETHER)), start + 1), asks)
            yield Texts(self.every[texts[start] : texts[end]], self.sides[start:end])
            start = end


def in_batches(asks: Iterable[Ask], answered: Callable[[Texts], ScoreTable]) -> ScoreTable:
    """The answers to all asks, some of which are answered together."""
    return ScoreTable.joined([answered(some) for some in Texts.of(asks).batches()])


def occurrences(
    words: Words, texts: Integers, n_texts: Integers, wanted: Integers, n_wanted: Integers
) -> NDArray[np.bool_]:
    """Whether the texts of each ask hold the words that are wanted of them: one ask's (texts, wanted) after another.

    Shapes: ``texts`` (texts of all asks,), places in ``words``, of each ask as many as ``n_texts`` (asks,) says;
    ``wanted`` (words wanted of all asks,), numbers, of each ask ``n_wanted`` (asks,).
    """
    different, place = compact(wanted, len(words.names))
    width = len(different) + 1
    held = np.zeros(len(words.many) * width, dtype=bool)
    held[np.repeat(np.arange(len(words.many)) * width, words.many) + place.take(words.numbers)] = True
    n_cells = np.repeat(n_wanted, n_texts)
    cell = ranges(np.repeat(starts(n_wanted), n_texts), n_cells)
    return np.asarray(held.take(np.repeat(texts * width, n_cells) + place.take(wanted).take(cell)))
