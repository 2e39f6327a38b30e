"""Sums of permuted rows of one system and subgroup (the permutation baseline), and the squares of contrasts that studentize it.

Statistics are on a grid (`fairbrief.statistics.arrays`), so their sums do not depend on order, parts or processes.
Squares are not on the grid: they only decide which label permutations are as extreme as the real one, with a tolerance for ties.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import grouped
from fairbrief.statistics.arrays import Sum, added, exact_parts, is_exact
from fairbrief.statistics.label_permutations import Choice
from fairbrief.types import Column, ContrastObservation, Floats, Integers, Ratio, Totals

SQUARE = "²"
"""How the columns of squares begin."""
SQUARES = ("top²", "top·bottom", "bottom²")


def square_columns(name: str) -> tuple[Column, ...]:
    """The columns that hold a contrast's sums of squares over clusters."""
    return tuple((SQUARE, name, what) for what in SQUARES)


def squares_of(contrasts: Mapping[str, Floats]) -> tuple[tuple[Column, ...], Floats]:
    """Squares and products of the tops and bottoms of contrasts, (…, 2) each; side by side, with their columns."""
    columns = tuple(c for name in contrasts for c in square_columns(name))
    blocks = [v for x in contrasts.values() for v in (x[..., 0] ** 2, x[..., 0] * x[..., 1], x[..., 1] ** 2)]
    return columns, np.stack(blocks, axis=-1) if blocks else np.zeros(0)


@lru_cache(maxsize=256)
def contrasts_of(observation: Any, columns: tuple[Column, ...]) -> Mapping[str, Ratio]:
    """The group differences that columns of an observation make, by name; none where it has none."""
    return observation.contrasts(columns) if isinstance(observation, ContrastObservation) else {}


def contrast_sums(observation: Any, columns: tuple[Column, ...], values: Floats) -> dict[str, Floats]:
    """The top and the bottom of each contrast, by name, in the last axis. Shape of ``values``: (…, columns)."""
    totals = Totals({column: i for i, column in enumerate(columns)}, values)
    return {
        name: np.stack([totals.weighted(ratio.top), totals.weighted(ratio.bottom)], axis=-1)
        for name, ratio in contrasts_of(observation, columns).items()
    }


FEW = 16
"""Up to this many rows are stored unsummed: for a small subgroup this takes less memory and time than sums."""

PAIRED = 256
"""Pairs of label permutations of two units up to which they are taken together."""


@dataclass(frozen=True, slots=True)
class RelabelledRows:
    """Statistics of units under their label permutations, and which of these each resample takes.

    Columns that no permutation changes are separate. Shapes: ``values`` (units, label permutations, columns), ``fixed`` (units,
    fixed columns), ``choices`` (units, n_resamples); empty if all columns are fixed. ``are_small``: the statistics of `FEW` such
    units can be summed without rounding.
    """

    columns: tuple[Column, ...]
    values: Floats
    fixed_columns: tuple[Column, ...]
    fixed: Floats
    choices: Choice
    are_small: bool

    @classmethod
    def of_all(cls, columns: Sequence[Column], values: Floats, choices: Choice) -> RelabelledRows:
        """Rows with all their columns. Shapes: ``values`` (units, label permutations, columns), ``choices`` (units, n_resamples)."""
        moves = (values[:, 1:] != values[:, :1]).any(axis=0).any(axis=0)
        return cls(
            tuple(itertools.compress(columns, moves)),
            values[:, :, moves],
            tuple(itertools.compress(columns, ~moves)),
            values[:, 0, ~moves],
            choices.astype(np.min_scalar_type(values.shape[1]), copy=False),
            _are_small(columns, values),
        )

    @classmethod
    def of_fixed(cls, columns: Sequence[Column], fixed: Floats) -> RelabelledRows:
        """Rows that no label permutation moves. Shape of ``fixed``: (units, columns)."""
        nothing, choices = np.zeros((len(fixed), 1, 0)), np.zeros((len(fixed), 0), dtype=np.uint8)
        return cls((), nothing, tuple(columns), fixed, choices, _are_small(columns, fixed))

    def __len__(self) -> int:
        return len(self.values)

    def of(self, chosen: Sequence[int] | Integers) -> RelabelledRows:
        """Some of the units."""
        if len(chosen) == len(self):
            return self
        values, fixed, choices = self.values[chosen], self.fixed[chosen], self.choices[chosen]
        return RelabelledRows(self.columns, values, self.fixed_columns, fixed, choices, self.are_small)

    @property
    def room(self) -> int:
        """How many numbers of a column are held."""
        return math.prod(self.values.shape[:2])

    def sums(self) -> Floats:
        """Each resample's sums over the units. Shape (n_resamples, columns)."""
        values, choices = self.values, self.choices
        # Two units of few label permutations are one of all pairs of these, from which half as many rows are taken.
        while len(values) > 1 and (n := values.shape[1]) ** 2 <= min(PAIRED, choices.shape[1]):
            if len(values) % 2:
                values = np.concatenate([values, np.zeros_like(values[:1])])
                choices = np.concatenate([choices, np.zeros_like(choices[:1])])
            values = values[::2, :, np.newaxis] + values[1::2, np.newaxis]
            values = values.reshape(len(values), n * n, -1)
            choices = choices[::2] * n + choices[1::2]
        sums: Floats = values[0].take(choices[0], axis=0)
        for own, choice in zip(values[1:], choices[1:], strict=True):
            sums += own.take(choice, axis=0)
        return sums


def _are_small(columns: Sequence[Column], values: Floats) -> bool:
    """Whether `FEW` such numbers can be summed without rounding; of squares some may be lost."""
    return is_exact(values[..., [column[0] != SQUARE for column in columns]], FEW)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Sums under random label permutations by column, (draws, columns); resamples that label all units alike are one draw.

    ``draws`` (n_resamples,) is the draw of each resample; ``log_permutations`` is the log of the number of permutations.
    """

    totals: Totals
    draws: NDArray[np.integer[Any]]
    log_permutations: float


@dataclass(slots=True)
class NullSums:
    """Sums of randomly relabelled rows.

    ``permutations`` counts units, or clusters that are labelled together, by their number of label permutations. Units of a cluster
    that others share come one after another: the squares are those of whole clusters.
    """

    n_resamples: int
    is_relabelled: bool = False
    permutations: Counter[int] = field(default_factory=Counter)
    _rows: list[RelabelledRows] = field(default_factory=list)
    """A few rows, until they are summed."""
    _sums: dict[Column, Sum] = field(default_factory=dict)
    """By column the sum of each resample, (n_resamples,), or of all if no label permutation moves it."""
    _open: dict[str, Floats] = field(default_factory=dict)
    """The contrasts of the most recent cluster."""
    _open_cluster: str = ""
    _open_permutations: int = 0

    def add(self, rows: RelabelledRows, *, are_clusters: bool = True) -> None:
        """Add units. If each unit is a cluster, ``rows`` have the squares; otherwise pass contrasts to `hold`."""
        if are_clusters:
            self.permutations[rows.values.shape[1]] += len(rows)
        self.is_relabelled = True
        self._add_rows(rows)

    def add_fixed(self, columns: Sequence[Column], rows: Floats) -> None:
        """Add units that cannot be relabelled, by their columns and their squares. Shape: (units, columns)."""
        self._add_rows(RelabelledRows.of_fixed(columns, rows))

    def hold(self, cluster: str, contrasts: Mapping[str, Floats], permutations: int) -> None:
        """Note the contrasts of a unit of a cluster that others share, and how many label permutations it has; 0 where it has one.

        Shapes, by name: (n_resamples, 2), or (2,) where it cannot be relabelled.
        """
        if cluster != self._open_cluster:
            self.close()
            self._open_cluster = cluster
        for name, x in contrasts.items():
            self._open[name] = self._open[name] + x if name in self._open else x
        self._open_permutations = max(self._open_permutations, permutations)

    def close(self) -> None:
        """Add the squares of the most recent cluster."""
        if self._open_permutations:
            self.permutations[self._open_permutations] += 1
        for name, x in self._open.items():
            self._add(*squares_of({name: x}))
        self._open, self._open_cluster, self._open_permutations = {}, "", 0

    def merge(self, other: NullSums) -> None:
        """Add the sums of other units; no cluster is parted between the two."""
        self.close()
        other.close()
        for rows in other._rows:
            self._add_rows(rows)
        if other._sums:
            self._sum_rows()
            for column, (whole, rest) in other._sums.items():
                # Added to nothing it is copied: what came from another process may be read-only.
                self._sums[column] = added(added(self._sums.get(column), rest), whole)
        self.is_relabelled |= other.is_relabelled
        self.permutations.update(other.permutations)

    def fixed_sums(self) -> dict[Column, float]:
        """The sums by column of units that cannot be relabelled."""
        self._sum_rows()
        return {column: float(whole + rest) for column, (whole, rest) in self._sums.items()}

    @property
    def numbers(self) -> int:
        """How many numbers `drawn_of` holds of it, at most."""
        columns = len(self._sums) + sum(len(rows.columns) + len(rows.fixed_columns) for rows in self._rows)
        return self.n_resamples + columns * int(min(self._joint_permutations(), self.n_resamples))

    @property
    def log_permutations(self) -> float:
        """The logarithm of the number of distinct joint label permutations."""
        self.close()
        return math.fsum(count * math.log(number) for number, count in self.permutations.items())

    def _joint_permutations(self) -> float:
        """In how many ways rows can be labelled together that label permutations move; infinite where some were summed."""
        if any(np.ndim(whole) for whole, _ in self._sums.values()):
            return math.inf
        numbers: Iterator[int] = (rows.values.shape[1] ** len(rows) for rows in self._rows if rows.columns)
        return math.prod(numbers)

    def _draws(self) -> tuple[Integers, NDArray[np.integer[Any]]]:
        """The first resample of each draw, and which draw each resample is."""
        if self._joint_permutations() > self.n_resamples:
            each = np.arange(self.n_resamples)
            return each, each
        moving = [rows for rows in self._rows if rows.columns]
        numbers = tuple(rows.values.shape[1] for rows in moving for _ in rows.choices)
        choices = tuple(choice.tobytes() for rows in moving for choice in rows.choices)
        return _joint_draws(self.n_resamples, numbers, choices)

    def _likeness(self) -> object:
        """A key that is equal for objects with unsummed rows of the same columns and shapes, else unique."""
        if self._sums:
            return id(self)
        return tuple((rows.columns, rows.fixed_columns, rows.values.shape) for rows in self._rows)

    def _columns(self) -> dict[Column, int]:
        """All columns in order, and their places."""
        of_rows = (column for rows in self._rows for column in (*rows.columns, *rows.fixed_columns))
        return {column: i for i, column in enumerate(sorted({*self._sums, *of_rows}))}

    def _add_rows(self, rows: RelabelledRows) -> None:
        kept = [*self._rows, rows]
        are_few = sum(map(len, kept)) <= FEW and sum(held.room for held in kept) <= self.n_resamples + 1
        self._rows = kept
        if self._sums or not are_few or not rows.are_small:
            self._sum_rows()

    def _sum_rows(self) -> None:
        kept, self._rows = self._rows, []
        for rows in kept:
            self._sum(rows)

    def _sum(self, rows: RelabelledRows) -> None:
        for part in exact_parts(rows.fixed, len(rows)):
            self._add(rows.fixed_columns, part.sum(axis=0))
        for part in exact_parts(rows.values, len(rows)) if rows.columns else ():
            self._add(rows.columns, replace(rows, values=part).sums())

    def _add(self, columns: Sequence[Column], sums: Floats) -> None:
        """Add sums by resample, or of all. Shape: (n_resamples, columns) or (columns,)."""
        for i, column in enumerate(columns):
            self._sums[column] = added(self._sums.get(column), sums[..., i])


@lru_cache(maxsize=2048)
def _joint_draws(
    n_resamples: int, numbers: tuple[int, ...], choices: tuple[bytes, ...]
) -> tuple[Integers, NDArray[np.integer[Any]]]:
    """Groups resamples with equal labels: the first of each group, and the group of each resample.

    Systems that summarize the same records, and observations of these, share the answer. ``numbers`` and ``choices`` are, per
    unit, its number of label permutations and, as narrow integers, the one that each resample takes.
    """
    permutation = np.zeros(n_resamples, dtype=np.int64)
    for choice, number in zip(choices, numbers, strict=True):
        permutation = permutation * number + np.frombuffer(choice, dtype=np.min_scalar_type(number))
    first = np.full(math.prod(numbers), -1)
    # Among equal ones the first is last.
    first[permutation[::-1]] = np.arange(n_resamples)[::-1]
    met = first >= 0
    return first[met], (np.cumsum(met) - 1)[permutation].astype(np.min_scalar_type(n_resamples))


def drawn_of(several: Sequence[NullSums]) -> Iterator[Drawn]:
    """All sums of each, batched by shape. Each must have a permuted unit."""
    found: dict[int, Drawn] = {}
    for null in several:
        null.close()
    for places in grouped((null._likeness(), i) for i, null in enumerate(several)).values():
        found |= zip(places, _drawn_alike([several[i] for i in places]), strict=True)
    return map(found.__getitem__, range(len(several)))


def _drawn_alike(several: Sequence[NullSums]) -> Iterator[Drawn]:
    """The same of one, or of several that keep rows of one shape."""
    place = several[0]._columns()
    first, draws = zip(*(null._draws() for null in several), strict=True)
    sizes = [len(own) for own in first]
    resample, whose = np.concatenate(first), np.repeat(np.arange(len(several)), sizes)
    sums = np.zeros((len(resample), len(place)))
    for column, (whole, rest) in several[0]._sums.items():  # of several nothing is summed
        sums[:, place[column]] += whole + rest
    for alike in zip(*(null._rows for null in several), strict=True):
        columns, fixed_columns = ([place[c] for c in of] for of in (alike[0].columns, alike[0].fixed_columns))
        sums[:, fixed_columns] += np.stack([rows.fixed.sum(axis=0) for rows in alike])[whose]
        values = np.stack([rows.values for rows in alike])
        for u in range(len(alike[0]) if columns else 0):
            choices = np.stack([rows.choices[u] for rows in alike])
            sums[:, columns] += values[whose, u, choices[whose, resample]]
    totals = np.split(sums, np.cumsum(sizes)[:-1])
    for null, array, draw in zip(several, totals, draws, strict=True):
        yield Drawn(Totals(place, array), draw, null.log_permutations)
