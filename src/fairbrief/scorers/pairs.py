"""From asks to what must be computed, each once, and back: with a cache between the two or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairbrief.nouns import Ask, Floats, Scores

Key = tuple[str, ...]
"""What is computed at once: a pair (row, column), or a single text."""
Arrays = Mapping[Key, NDArray[Any]]


class Computing(Protocol):
    """A scorer whose answers are made of small parts, each of which can be kept.

    ``answer`` is `answer` here. A cache stands between ``keys`` and ``assemble`` in its stead.
    """

    def keys(self, asks: Sequence[Ask]) -> Iterable[Key]:
        """What the asks need, each once."""
        ...

    def compute(self, keys: Sequence[Key]) -> Iterator[Arrays]:
        """Each key's array, batch by batch, in any order."""
        ...

    def assemble(self, asks: Sequence[Ask], arrays: Arrays) -> Iterator[Scores]:
        """One answer per ask, in order, from the arrays of its keys."""
        ...


def answer(scorer: Computing, asks: Sequence[Ask]) -> Iterator[Scores]:
    """Compute all that the asks need, each pair or text once, then answer them in order."""
    arrays: dict[Key, NDArray[Any]] = {}
    for batch in scorer.compute(list(scorer.keys(asks))):
        arrays.update(batch)
    yield from scorer.assemble(asks, arrays)


def pairs(asks: Sequence[Ask]) -> list[Key]:
    """Every (row, column) of the asks, each once, in order of appearance."""
    return list(dict.fromkeys((r, c) for ask in asks for r in ask.rows for c in ask.columns))


def texts(asks: Sequence[Ask]) -> list[Key]:
    """Every row and column of the asks, each once, in order of appearance."""
    return list(dict.fromkeys((text,) for ask in asks for text in (*ask.rows, *ask.columns)))


def whole_texts(ask: Ask, matrix: Floats) -> Scores:
    """The scores of a scorer that does not cut its columns: one unit per column, no token counted."""
    shape = (len(ask.rows), len(ask.columns))
    return Scores(
        np.asarray(matrix, dtype=np.float64).reshape(shape),
        np.arange(shape[1], dtype=np.int64),
        np.zeros(shape[0]),
    )


def matrices(asks: Sequence[Ask], arrays: Arrays, read: Callable[[NDArray[Any]], float]) -> Iterator[Scores]:
    """Whole-text scores, each entry read from its pair's array."""
    for ask in asks:
        yield whole_texts(ask, np.array([[read(arrays[r, c]) for c in ask.columns] for r in ask.rows]))
