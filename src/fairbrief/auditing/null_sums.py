"""Sums of relabelled rows of one system and slice: the permutation baseline, and what studentizes it.

All sums are exact, so that they are the same in whichever order, parts and processes rows are added up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.contrast_sums import squares_of
from fairbrief.auditing.relabelled_rows import RelabelledRows
from fairbrief.statistics.exact_sums import ExactSums, halves
from fairbrief.types import Column, Floats, Integers, Totals

APART = 8
"""Sets of columns whose sums are kept side by side, which is faster; those of others are kept column by column."""
COMMON = 4
"""A set of columns that came so often is summed apart."""
MOST_MET = 64
"""So many sets of columns are counted at a time."""
FEW = 16
"""So many rows are kept as they are before they are summed: of a small slice they take less room and time than sums."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Sums under random labellings by column, (draws, columns); resamples that label all units alike are one draw.

    ``draws`` (n_resamples,) says which draw each resample is, ``log_labellings`` is the logarithm of how many there are.
    """

    totals: Totals
    draws: NDArray[np.integer[Any]]
    log_labellings: float


@dataclass(slots=True)
class _FixedSums:
    """Exact sums of single rows by column."""

    columns: dict[Column, int] = field(default_factory=dict)
    sums: ExactSums = field(default_factory=lambda: ExactSums.zeros(0))

    def add(self, columns: Sequence[Column], rows: Floats) -> None:
        """Add rows. Shape: (units, columns)."""
        place = np.array([self.columns.setdefault(c, len(self.columns)) for c in columns], dtype=np.int64)
        if len(self.columns) > len(self.sums.coarse):
            self.sums = self.sums.widened(max(len(self.columns), 2 * len(self.sums.coarse)))
        self.sums.add_rows(rows, place)

    def merge(self, other: _FixedSums) -> None:
        for column in other.columns:
            self.columns.setdefault(column, len(self.columns))
        if len(self.columns) > len(self.sums.coarse):
            self.sums = self.sums.widened(len(self.columns))
        place = np.array([self.columns[c] for c in other.columns], dtype=np.int64)
        self.sums.merge(other.sums.at(slice(len(other.columns))), place)


@dataclass(slots=True)
class NullSums:
    """Sums of randomly relabelled rows.

    ``labellings`` counts units, or clusters that are labelled together, by their number of labellings. Units of a cluster
    that others share come one after another: the squares are those of whole clusters.
    """

    n_resamples: int
    is_relabelled: bool = False
    labellings: dict[int, int] = field(default_factory=dict)
    _fixed: _FixedSums = field(default_factory=_FixedSums)
    _rows: list[RelabelledRows] = field(default_factory=list)
    _is_summed: bool = False
    _by_column: dict[Column, ExactSums] = field(default_factory=dict)
    _apart: dict[tuple[Column, ...], ExactSums] = field(default_factory=dict)
    _met: dict[tuple[Column, ...], int] = field(default_factory=dict)
    _open: dict[str, Floats] = field(default_factory=dict)
    _open_cluster: str = ""
    _open_labellings: int = 0
    _ended: dict[str, list[Floats]] = field(default_factory=dict)

    def add(self, rows: RelabelledRows, *, are_clusters: bool = True) -> None:
        """Add units. Where each is a cluster by itself, ``rows`` have the squares; else `hold` is told of their clusters."""
        if are_clusters:
            self._count(rows.values.shape[1], len(rows))
        self.is_relabelled = True
        self._add_rows(rows)

    def add_fixed(self, columns: Sequence[Column], rows: Floats) -> None:
        """Add units that cannot be relabelled, by their columns and their squares. Shape: (units, columns)."""
        self._add_rows(RelabelledRows.of_fixed(columns, rows))

    def hold(self, cluster: str, contrasts: Mapping[str, Floats], labellings: int) -> None:
        """Note the contrasts of a unit of a cluster that others share, and how many labellings it has; 0 where it has one.

        Shapes, by name: (n_resamples, 2), or (2,) where it cannot be relabelled.
        """
        if cluster != self._open_cluster:
            self._end_cluster()
            self._open_cluster = cluster
        for name, x in contrasts.items():
            self._open[name] = self._open[name] + x if name in self._open else x
        self._open_labellings = max(self._open_labellings, labellings)

    def square(self) -> None:
        """Square the sums of all clusters that have ended."""
        for name, several in self._ended.items():
            fixed = [x for x in several if x.ndim == 1]
            moving = [x for x in several if x.ndim > 1]
            if fixed:
                columns, squares = squares_of({name: np.stack(fixed)})
                self._fixed.add(columns, squares)
            if moving:
                columns, squares = squares_of({name: np.stack(moving)})
                for i, column in enumerate(columns):
                    self._column(column).add_rows(squares[..., i])
        self._ended = {}

    def close(self) -> None:
        """Square the sums of the cluster whose units came last, too."""
        self._end_cluster()
        self.square()

    def _end_cluster(self) -> None:
        if self._open_labellings:
            self._count(self._open_labellings, 1)
        for name, x in self._open.items():
            self._ended.setdefault(name, []).append(x)
        self._open, self._open_cluster, self._open_labellings = {}, "", 0

    def merge(self, other: NullSums) -> None:
        """Add the sums of other units; no cluster is parted between the two."""
        self.close()
        other.close()
        for rows in other._rows:
            self._add_rows(rows)
        for columns, sums in other._apart.items():
            if columns not in self._apart and len(self._apart) < APART:
                self._apart[columns] = ExactSums.zeros((self.n_resamples, len(columns)))
            if columns in self._apart:
                self._apart[columns].merge(sums)
            else:
                for i, column in enumerate(columns):
                    self._column(column).merge(sums.at(np.s_[:, i]))
        for column, sums in other._by_column.items():
            self._column(column).merge(sums)
        if other._is_summed:
            self._sum_rows()
        if other._fixed.columns:
            self._fixed.merge(other._fixed)
        self.is_relabelled |= other.is_relabelled
        for labellings, many in other.labellings.items():
            self._count(labellings, many)

    def drawn(self) -> Drawn | None:
        """All sums; None where no unit could be relabelled."""
        return next(drawn_of([self]), None) if self.is_relabelled else None

    @property
    def numbers(self) -> int:
        """How many numbers `drawn` holds, at most."""
        columns = len(self._fixed.columns) + len(self._by_column) + sum(map(len, self._apart))
        columns += sum(len(rows.columns) + len(rows.fixed_columns) for rows in self._rows)
        return self.n_resamples + columns * int(min(self._joint_labellings(), self.n_resamples))

    def _joint_labellings(self) -> float:
        """In how many ways rows can be labelled together that labellings move; infinite where some were summed."""
        if self._apart or self._by_column:
            return math.inf
        numbers: Iterator[int] = (rows.values.shape[1] ** len(rows) for rows in self._rows if rows.columns)
        return math.prod(numbers)

    def _draws(self) -> tuple[Integers, NDArray[np.integer[Any]]]:
        """The first resample of each draw, and which draw each resample is."""
        if self._joint_labellings() > self.n_resamples:
            each = np.arange(self.n_resamples)
            return each, each
        moving = [
            (rows.values.shape[1], choice) for rows in self._rows if rows.columns for choice in rows.choices
        ]
        numbers, choices = tuple(n for n, _ in moving), tuple(choice.tobytes() for _, choice in moving)
        return _joint_draws(self.n_resamples, numbers, choices)

    @property
    def holds_rows_alone(self) -> bool:
        """Whether nothing was summed."""
        return not (self._fixed.columns or self._apart or self._by_column)

    def _likeness(self) -> object:
        """Equal for those that hold rows alone, of the same columns and shapes; else of its own."""
        if not self.holds_rows_alone:
            return id(self)
        return tuple((rows.columns, rows.fixed_columns, rows.values.shape) for rows in self._rows)

    def _columns(self) -> dict[Column, int]:
        """All columns in order, and their places."""
        of_rows = (columns for rows in self._rows for columns in (rows.columns, rows.fixed_columns))
        columns = sorted({*itertools.chain(self._fixed.columns, self._by_column, *self._apart, *of_rows)})
        return {column: i for i, column in enumerate(columns)}

    def _add_to(self, sums: ExactSums, place: Mapping[Column, int]) -> None:
        """Add what was summed, by resample. Shape of ``sums``: (n_resamples, columns)."""
        if self._fixed.columns:
            fixed = np.array([place[c] for c in self._fixed.columns], dtype=np.int64)
            sums.merge(self._fixed.sums.at(slice(len(fixed))), np.s_[:, fixed])
        for columns, apart in self._apart.items():
            sums.merge(apart, np.s_[:, [place[c] for c in columns]])
        for column, of_column in self._by_column.items():
            sums.merge(of_column, np.s_[:, place[column]])

    @property
    def log_labellings(self) -> float:
        """The logarithm of the number of distinct joint labellings."""
        self.close()
        return math.fsum(count * math.log(number) for number, count in self.labellings.items())

    def _count(self, labellings: int, many: int) -> None:
        self.labellings[labellings] = self.labellings.get(labellings, 0) + many

    def _add_rows(self, rows: RelabelledRows) -> None:
        if not self._is_summed:
            kept = [*self._rows, rows]
            room = sum(held.room for held in kept)  # of sums it is twice n_resamples
            if sum(map(len, kept)) <= FEW and room <= self.n_resamples + 1:
                self._rows = kept
                return
        self._sum_rows()
        self._sum(rows)

    def _sum_rows(self) -> None:
        kept, self._rows, self._is_summed = self._rows, [], True
        for rows in kept:
            self._sum(rows)

    def _sum(self, rows: RelabelledRows) -> None:
        if rows.fixed_columns:
            self._fixed.add(rows.fixed_columns, rows.fixed)
        if not rows.columns:
            return
        is_apart = self._is_apart(rows)
        for parts in rows.taken():
            if not is_apart:
                self._add_by_column(rows.columns, *parts)
            elif rows.columns in self._apart:
                self._apart[rows.columns].add_parts(*parts)
            else:
                self._apart[rows.columns] = ExactSums.of_parts(*parts)

    def _is_apart(self, rows: RelabelledRows) -> bool:
        """Whether the sums of these columns are kept side by side."""
        if rows.columns in self._apart:
            return True
        if len(self._apart) >= APART:
            return False
        if len(self._met) > MOST_MET:
            self._met.clear()
        self._met[rows.columns] = self._met.get(rows.columns, 0) + len(rows)
        return self._met[rows.columns] >= COMMON

    def _add_by_column(
        self, columns: Sequence[Column], coarse: Floats, fine: Floats, size: float, units: int = 1
    ) -> None:
        for i, column in enumerate(columns):
            self._column(column).add_parts(coarse[:, i], fine[:, i], size, units)

    def _column(self, column: Column) -> ExactSums:
        if column not in self._by_column:
            self._by_column[column] = ExactSums.zeros(self.n_resamples)
        return self._by_column[column]


@lru_cache(maxsize=2048)
def _joint_draws(
    n_resamples: int, numbers: tuple[int, ...], choices: tuple[bytes, ...]
) -> tuple[Integers, NDArray[np.integer[Any]]]:
    """Which resamples label units alike: the first of each kind, and of which kind each is.

    Systems that summarize the same records, and observations of these, share the answer. ``numbers`` and ``choices`` are of
    each unit: how many labellings it has, and as narrow numbers which of them each resample takes.
    """
    labelling = np.zeros(n_resamples, dtype=np.int64)
    for choice, number in zip(choices, numbers, strict=True):
        labelling = labelling * number + np.frombuffer(choice, dtype=np.min_scalar_type(number))
    first = np.full(math.prod(numbers), -1)
    # Of those that are alike the first comes last.
    first[labelling[::-1]] = np.arange(n_resamples)[::-1]
    met = first >= 0
    return first[met], (np.cumsum(met) - 1)[labelling].astype(np.min_scalar_type(n_resamples))


def drawn_of(several: Sequence[NullSums]) -> Iterator[Drawn]:
    """`NullSums.drawn` of each, all of which hold some relabelled unit; those that keep rows of one shape at once."""
    found: dict[int, Drawn] = {}
    alike: dict[object, list[int]] = {}
    for i, null in enumerate(several):
        null.close()
        alike.setdefault(null._likeness(), []).append(i)
    for places in alike.values():
        found |= zip(places, _drawn_alike([several[i] for i in places]), strict=True)
    return map(found.__getitem__, range(len(several)))


def _drawn_alike(several: Sequence[NullSums]) -> Iterator[Drawn]:
    """The same of one, or of several that keep rows of one shape."""
    place = several[0]._columns()
    first, draws = zip(*(null._draws() for null in several), strict=True)
    ends = np.cumsum([len(own) for own in first])
    resample, whose = np.concatenate(first), np.repeat(np.arange(len(several)), [len(own) for own in first])
    sums = ExactSums.zeros((len(resample), len(place)))
    several[0]._add_to(sums, place)  # of several nothing is summed
    fixed = ExactSums.zeros((len(several), len(place)))
    for alike in zip(*(null._rows for null in several), strict=True):
        columns, fixed_columns = ([place[c] for c in of] for of in (alike[0].columns, alike[0].fixed_columns))
        fixed.add_rows(np.stack([rows.fixed for rows in alike], axis=1), np.s_[:, fixed_columns])
        if not columns:
            continue
        coarse, fine, size = halves(np.stack([rows.values for rows in alike]))
        for u in range(len(alike[0])):
            chosen = whose, u, np.stack([rows.choices[u] for rows in alike])[whose, resample]
            sums.add_parts(coarse[chosen], fine[chosen], size, 1, np.s_[:, columns])
    sums.merge(fixed.at(whose))
    totals = np.split(sums.value(), ends[:-1])
    for null, array, draw in zip(several, totals, draws, strict=True):
        yield Drawn(Totals(place, array), draw, null.log_labellings)
