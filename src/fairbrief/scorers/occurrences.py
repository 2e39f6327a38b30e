"""Which words occur in which texts, for many asks at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise

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

    Shapes: ``different``, of equal texts one; ``places`` there of all texts (texts,); ``sides`` (asks, 2), rows and
    columns of each ask; ``rows`` and ``columns`` (rows or columns of all asks,), their places.
    """

    different: Sequence[str]
    places: Integers
    sides: Integers
    rows: Integers
    columns: Integers

    @classmethod
    def of(cls, asks: Sequence[Ask]) -> Texts:
        """The texts of these asks."""
        place: defaultdict[str, int] = defaultdict(count().__next__)
        every = chain.from_iterable([side for ask in asks for side in (ask.rows, ask.columns)])
        places = np.array(list(map(place.__getitem__, every)), dtype=np.int64)
        sides = np.array([(len(ask.rows), len(ask.columns)) for ask in asks], dtype=np.int64).reshape(-1, 2)
        return cls._parted(list(place), places, sides)

    @classmethod
    def _parted(cls, different: Sequence[str], places: Integers, sides: Integers) -> Texts:
        is_column = np.repeat(np.tile([False, True], len(sides)), sides.reshape(-1))
        return cls(different, places, sides, places[~is_column], places[is_column])

    def apart(self) -> Texts:
        """The same, equal texts each by itself."""
        every = [self.different[i] for i in self.places.tolist()]
        return self._parted(every, np.arange(len(every)), self.sides)

    def by_ask(self) -> list[list[int]]:
        """The places of each ask's texts."""
        places, ends = self.places.tolist(), np.cumsum(self.sides.sum(axis=1)).tolist()
        return [places[start:end] for start, end in pairwise([0, *ends])]


def batches(asks: Iterable[Ask]) -> Iterator[list[Ask]]:
    """The asks, so many at a time as have `TOGETHER` characters."""
    some: list[Ask] = []
    characters = 0
    for ask in asks:
        some.append(ask)
        characters += sum(map(len, ask.rows)) + sum(map(len, ask.columns))
        if characters >= TOGETHER:
            yield some
            some, characters = [], 0
    if some:
        yield some


def in_batches(asks: Iterable[Ask], answered: Callable[[Sequence[Ask]], ScoreTable]) -> ScoreTable:
    """The answers to all asks, some of which are answered together."""
    return ScoreTable.joined([answered(some) for some in batches(asks)])


def occurrences(
    words: Words, texts: Integers, n_texts: Integers, wanted: Integers, n_wanted: Integers
) -> NDArray[np.bool_]:
    """Whether the texts of each ask hold the words that are wanted of them: one ask's (texts, wanted) after another.

    Shapes: ``texts`` (texts of all asks,), places in ``words``, of each ask as many as ``n_texts`` (asks,) says;
    ``wanted`` (words wanted of all asks,), numbers, of each ask ``n_wanted`` (asks,).
    """
    different, place = compact(wanted, len(words.names))
    held = np.zeros((len(words.many), len(different) + 1), dtype=bool)
    held[np.repeat(np.arange(len(words.many)), words.many), place.take(words.numbers)] = True
    n_cells = np.repeat(n_wanted, n_texts)
    cell = ranges(np.repeat(starts(n_wanted), n_texts), n_cells)
    return np.asarray(held[np.repeat(texts, n_cells), place.take(wanted).take(cell)])
