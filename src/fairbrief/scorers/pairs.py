"""From asks to what must be computed, each once, and back, with a cache between the two or without; and how far a scorer is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.score_tables import ScoreTable
from fairbrief.specs import CheckedSettings
from fairbrief.text.sentences import By, passages_of
from fairbrief.types import Ask, ScoreArrays, ScoreKey, Scores

Key = ScoreKey
Arrays = ScoreArrays
Batch = TypeVar("Batch", bound=Sized)


class KeyedScorer(CheckedSettings, ABC):
    """A scorer whose answers are made of parts that can be kept, one of each pair of texts unless it says otherwise.

    A row's score is the best of its passages', cut as ``by`` says. What it computes, and what a cache keeps, is by passage:
    `keys_of`, `compute` and `scores` are given passages as rows.
    """

    name: ClassVar[str]

    @property
    def by(self) -> By:
        """How rows are cut; a scorer may have it as a setting."""
        return "document"

    @property
    @abstractmethod
    def computed_by(self) -> str:
        """What decides the arrays of `compute`."""

    @property
    def fingerprint(self) -> str:
        return f"{self.computed_by} by={self.by}"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """Compute all that the asks need, each part once, then answer them in order."""
        arrays: dict[Key, NDArray[Any]] = {}
        if keys := list(self.keys(asks)):
            for batch in self.compute(keys):
                arrays.update(batch)
        return self.assemble(asks, arrays)

    def keys(self, asks: Sequence[Ask]) -> Iterable[Key]:
        """What the asks need, each once."""
        return self.keys_of(cut(asks, self.by)[0])

    def keys_of(self, asks: Sequence[Ask]) -> Iterable[Key]:
        """What asks about passages need, each once."""
        return pairs(asks)

    @abstractmethod
    def compute(self, keys: Sequence[Key]) -> Iterator[Arrays]:
        """The array of each of these keys, of which there are some; batch by batch."""

    def assemble(self, asks: Sequence[Ask], arrays: Arrays) -> Iterable[Scores]:
        """The answers from their keys' arrays."""
        return best_passages(asks, self.by, lambda some: self.scores(some, arrays))

    def scores(self, asks: Sequence[Ask], arrays: Arrays) -> Iterable[Scores]:
        """The answers to asks about passages, from their keys' arrays: the number of each pair's."""
        for ask in asks:
            matrix = np.array([[self.number(arrays[r, c]) for c in ask.columns] for r in ask.rows])
            yield Scores.of_whole_texts(ask, matrix)

    def number(self, array: NDArray[Any]) -> float:
        """The score in a pair's array: its first number."""
        return float(array[0])


def cut(asks: Sequence[Ask], by: By) -> tuple[Sequence[Ask], list[int]]:
    """The asks with the passages of their rows as rows; and how many passages each row of all asks has."""
    parts: list[Ask] = []
    many: list[int] = []
    for ask in asks:
        found = [(row,) for row in ask.rows] if ask.whole else [passages_of(row, by) for row in ask.rows]
        many += map(len, found)
        parts.append(Ask(ask.scorer, tuple(chain.from_iterable(found)), ask.columns))
    return parts, many


def best_passages(
    asks: Sequence[Ask], by: By, answered: Callable[[Sequence[Ask]], Iterable[Scores]]
) -> ScoreTable:
    """The answers to asks whose rows are ``answered`` by passage: for each row the best score of its passages."""
    if by == "document":
        return ScoreTable.of(answered(asks))
    parts, many = cut(asks, by)
    table = ScoreTable.of(answered(parts))
    if max(many, default=1) == 1:
        return table
    rows = np.array([len(ask.rows) for ask in asks], dtype=np.int64)
    return table.best_of(np.array(many, dtype=np.int64), rows)


def pairs(asks: Sequence[Ask]) -> list[Key]:
    """Every (row, column) of the asks, each once, in order of appearance."""
    return list(dict.fromkeys((r, c) for ask in asks for r in ask.rows for c in ask.columns))


Watcher = Callable[[str, int, int, float], None]
"""Gets the progress of one call of a scorer: its name, how many pairs (or texts) are done, of how many, and how many per second."""
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Within this context every scorer with a model tells ``watcher`` after each batch how far it is."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def with_progress(scorer: str, total: int, batches: Iterable[Batch]) -> Iterator[Batch]:
    """The batches of one call of a scorer; whoever watches gets the progress after each."""
    began, done = time.perf_counter(), 0
    for batch in batches:
        done += len(batch)
        if (watcher := _watcher.get()) is not None:
            watcher(scorer, done, total, done / max(time.perf_counter() - began, 1e-9))
        yield batch
