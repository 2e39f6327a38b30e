"""Answers of scorers in one table, units with their answers, and observations of many units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fairbrief import types as t
from fairbrief.ranges import ranges, starts, sums


class ScoreTable:
    """The answers to many asks, in shared arrays. Item i is the answer to ask i.

    Shapes: ``shapes`` (asks, 2), rows and units of each answer; ``cells``, all matrices, concatenated row by
    row; ``owner`` (units of all asks,) and ``sizes`` (rows of all asks,), as in `Scores`.
    """

    def __init__(self, shapes: t.Integers, cells: t.Floats, owner: t.Integers, sizes: t.Floats) -> None:
        self.shapes, self.cells, self.owner, self.sizes = shapes, cells, owner, sizes
        areas = shapes.prod(axis=1)
        self._first = np.column_stack([np.cumsum(shapes, axis=0) - shapes, np.cumsum(areas) - areas])
        """The first row, unit and cell of each answer."""

    @classmethod
    def of(cls, answers: Iterable[t.Scores]) -> ScoreTable:
        """A table of separate answers."""
        if isinstance(answers, ScoreTable):
            return answers
        answers = list(answers)
        shapes = np.array([answer.matrix.shape for answer in answers], dtype=np.int64).reshape(-1, 2)
        cells = [answer.matrix.reshape(-1) for answer in answers]
        none = np.zeros(0)
        owner = np.concatenate([none, *(answer.owner for answer in answers)]).astype(np.int64)
        sizes = np.concatenate([none, *(answer.sizes for answer in answers)])
        return cls(shapes, np.concatenate([none, *cells]), owner, sizes)

    @classmethod
    def joined(cls, tables: Sequence[ScoreTable]) -> ScoreTable:
        """The concatenated answers of several tables."""
        if len(tables) == 1:
            return tables[0]
        if not tables:
            return cls.of([])
        parts = [(table.shapes, table.cells, table.owner, table.sizes) for table in tables]
        result = cls(*map(np.concatenate, zip(*parts, strict=True)))
        ends = np.cumsum([(len(one.sizes), len(one.owner), len(one.cells)) for one in tables], axis=0)
        before = np.concatenate([np.zeros((1, 3), dtype=np.int64), ends[:-1]])
        places = [one._first + start for one, start in zip(tables, before, strict=True)]
        result._first = np.concatenate(places)
        return result

    def ordered(self, places: t.Integers) -> ScoreTable:
        """The answers at these places, in this order; the arrays are shared."""
        result = copy(self)
        result.shapes, result._first = self.shapes[places], self._first[places]
        return result

    def best_of(self, passages: t.Integers, rows: t.Integers) -> ScoreTable:
        """The answers with neighbouring rows merged: the best of their scores, the sum of their sizes.

        Shapes: ``passages`` (merged rows of all asks,), the number of rows merged into each; ``rows`` (asks,), the number of
        merged rows of each ask.
        """
        n_units = self.shapes[:, 1]
        units = np.repeat(n_units, rows)
        first, into = starts(passages * units), starts(units)
        cells = self.cells.take(ranges(first, units))
        for k in range(1, int(passages.max(initial=1))):
            longer = np.flatnonzero(passages > k)
            place = ranges(into[longer], units[longer])
            others = self.cells.take(ranges(first[longer] + k * units[longer], units[longer]))
            cells[place] = np.maximum(cells[place], others)
        sizes = sums(self.sizes.astype(np.int64), passages).astype(np.float64)
        return ScoreTable(np.column_stack([rows, n_units]), cells, self.owner, sizes)

    def __len__(self) -> int:
        return len(self.shapes)

    def __iter__(self) -> Iterator[t.Scores]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> t.Scores:
        rows, units = self.shapes[i].tolist()
        row, unit, cell = self._first[i].tolist()
        matrix = self.cells[cell : cell + rows * units].reshape(rows, units)
        return t.Scores(matrix, self.owner[unit : unit + units], self.sizes[row : row + rows])

    def matrices(self, chosen: t.Integers) -> t.Floats:
        """The matrices of answers of one shape. Shape (chosen, rows, units)."""
        rows, units = self.shapes[chosen[0]].tolist()
        places = self._first[chosen, 2, np.newaxis] + np.arange(rows * units)
        return np.asarray(self.cells.take(places).reshape(len(chosen), rows, units))

    def beside(self, chosen: t.Integers) -> t.Floats:
        """The concatenated matrices of answers with equally many rows. Shape (rows, units of all chosen)."""
        rows, units = int(self.shapes[chosen[0], 0]), self.shapes[chosen, 1]
        start = ranges(self._first[chosen, 2], units)
        places = start + np.arange(rows)[:, np.newaxis] * np.repeat(units, units)
        return np.asarray(self.cells.take(places))

    def owner_beside(self, chosen: t.Integers) -> t.Integers:
        """The concatenated columns of the units of answers. Shape (units of all chosen,)."""
        return np.asarray(self.owner.take(ranges(self._first[chosen, 1], self.shapes[chosen, 1])))

    def sizes_of(self, chosen: t.Integers) -> t.Floats:
        """The sizes of the rows of answers with equally many rows. Shape (chosen, rows)."""
        places = self._first[chosen, 0, np.newaxis] + np.arange(self.shapes[chosen[0], 0])
        return np.asarray(self.sizes.take(places))


@dataclass(eq=False)
class ScoredUnits:
    """Units that are observed together. Item i is the cases of unit i with the answers to their asks.

    ``table`` has the answers of all units; unit i has ``asked[i]`` answers from place ``first[i]``. Shapes: (units,) each.
    ``extracts`` is empty for summaries, or has each unit's random extracts, which are observed instead.
    """

    cases: Sequence[t.Cases]
    table: ScoreTable
    first: t.Integers
    asked: t.Integers
    extracts: Sequence[Sequence[t.Extracts]] = ()

    @classmethod
    def of(
        cls, units: Sequence[tuple[t.Cases, t.Answers]], extracts: Sequence[Sequence[t.Extracts]] = ()
    ) -> ScoredUnits:
        """Units with separate answers."""
        asked = np.array([len(scores) for _, scores in units], dtype=np.int64)
        table = ScoreTable.of([answer for _, scores in units for answer in scores])
        return cls([cases for cases, _ in units], table, np.cumsum(asked) - asked, asked, extracts)

    @cached_property
    def first_shapes(self) -> t.Integers:
        """Rows and units of each unit's first answer; -1 without asks. Shape (units, 2)."""
        shapes = np.full((len(self), 2), -1)
        has_asked = self.asked > 0
        shapes[has_asked] = self.table.shapes[self.first[has_asked]]
        return shapes

    @cached_property
    def first_owners(self) -> list[bytes]:
        """The columns (64-bit) of each unit's first answer, as bytes for comparison; empty without asks."""
        first = self.first[self.asked > 0]
        owner = self.table.owner_beside(first).astype(np.int64, copy=False)
        sizes = np.zeros(len(self), dtype=np.int64)
        sizes[self.asked > 0] = self.table.shapes[first, 1] * owner.itemsize
        data = owner.tobytes()
        return [data[start:end] for start, end in pairwise([0, *np.cumsum(sizes).tolist()])]

    @cached_property
    def sizes(self) -> t.Integers:
        """How many numbers it takes to compare the first answer of each unit, or to take its extracts of it. Shape (units,)."""
        kept = np.array([own[0].kept.shape for own in self.extracts] or [(0, 0)])
        rows, columns = np.maximum(self.first_shapes, 0).T
        return np.asarray(rows * columns + kept[:, 0] * (kept[:, 1] + rows) + 1)

    def some(self, chosen: Sequence[int]) -> ScoredUnits:
        """Some of the units, in this order."""
        places, cases = np.array(chosen, dtype=np.int64), [self.cases[i] for i in chosen]
        extracts = [self.extracts[i] for i in chosen] if self.extracts else ()
        return ScoredUnits(cases, self.table, self.first[places], self.asked[places], extracts)

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[tuple[t.Cases, t.Answers]]:
        for cases, first, asked in zip(self.cases, self.first.tolist(), self.asked.tolist(), strict=True):
            yield cases, [self.table[i] for i in range(first, first + asked)]


class ScorerAround:
    """A scorer around another one, with its name, fingerprint and spec."""

    scorer: Any

    @property
    def name(self) -> str:
        """The scorer's."""
        return str(self.scorer.name)

    @property
    def fingerprint(self) -> str:
        """The scorer's."""
        return str(self.scorer.fingerprint)

    def __repr__(self) -> str:
        return repr(self.scorer)


Alike = tuple[tuple[t.Column, ...], t.Floats, NDArray[np.str_]]
"""The columns and rows (units, R, columns) of units of one kind, and why a unit has none (units,); empty if it has one."""
ObservedUnits = tuple[Sequence[t.AlikeRows], Mapping[int, t.Reason]]
"""The rows of units, and the reasons why others have none, by their index."""


@runtime_checkable
class BatchObservation(t.Observation, Protocol):
    """An observation of many units per call, since calls cost more than sums for small rows."""

    def observe_many(self, units: ScoredUnits, labels: t.Integers) -> ObservedUnits:
        """The rows of each unit, as returned by `observe`, or the reason of missing rows. ``labels`` (units, R, n): each unit's
        label permutations.

        If ``units.extracts`` is not empty, the extracts are observed instead of the summaries, as by
        `ExtractObservation.observe_extracts`, under the real labels (R = 1). A unit's rows do not depend on other units.
        """
