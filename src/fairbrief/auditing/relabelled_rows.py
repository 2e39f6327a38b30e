"""Rows of units under their labellings, as they are added up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.statistics import Choice
from fairbrief.statistics.grid import is_exact
from fairbrief.types import Column, Floats

PAIRED = 256
"""Pairs of labellings of two units up to which they are taken together."""
COUNTED = 4
"""To count a row in all resamples and to multiply it takes so much less than to take a row for each and to add it."""
FEW = 24
"""Units among which alike ones are not looked for."""
MULTIPLIED = 1 << 18
"""Products that are summed at once: of counts that stay in a core's cache, and too few for several threads."""


@dataclass(frozen=True, slots=True)
class RelabelledRows:
    """Statistics of units under their labellings, and which of these each resample takes.

    What no labelling of any unit moves stands apart. Shapes: ``values`` (units, labellings, columns), ``fixed`` (units,
    fixed columns), ``choices`` (units, n_resamples); where all columns are fixed there are none.
    """

    columns: tuple[Column, ...]
    values: Floats
    fixed_columns: tuple[Column, ...]
    fixed: Floats
    choices: Choice

    @classmethod
    def of_all(cls, columns: Sequence[Column], values: Floats, choices: Choice) -> RelabelledRows:
        """Rows with all their columns. Shapes: ``values`` (units, labellings, columns), ``choices`` (units, n_resamples)."""
        moves = (values[:, 1:] != values[:, :1]).any(axis=0).any(axis=0)
        return cls(
            tuple(itertools.compress(columns, moves)),
            values[:, :, moves],
            tuple(itertools.compress(columns, ~moves)),
            values[:, 0, ~moves],
            choices.astype(np.min_scalar_type(values.shape[1]), copy=False),
        )

    @classmethod
    def of_fixed(cls, columns: Sequence[Column], fixed: Floats) -> RelabelledRows:
        """Rows that no labelling moves. Shape of ``fixed``: (units, columns)."""
        return cls(
            (), np.zeros((len(fixed), 1, 0)), tuple(columns), fixed, np.zeros((len(fixed), 0), dtype=np.uint8)
        )

    def __len__(self) -> int:
        return len(self.values)

    def of(self, chosen: Sequence[int]) -> RelabelledRows:
        """Some of the units."""
        if len(chosen) == len(self):
            return self
        if len(chosen) == 1:  # of a small slice: a copy of what lies in a row is made faster
            own = slice(chosen[0], chosen[0] + 1)
            values, fixed, choices = self.values[own].copy(), self.fixed[own].copy(), self.choices[own].copy()
        else:
            values, fixed, choices = self.values[chosen], self.fixed[chosen], self.choices[chosen]
        return RelabelledRows(self.columns, values, self.fixed_columns, fixed, choices)

    @property
    def room(self) -> int:
        """How many numbers of a column are held."""
        return math.prod(self.values.shape[:2])

    def is_exact(self, many: int) -> bool:
        """Whether ``many`` such rows can be summed without rounding."""
        return is_exact(self.values, many) and is_exact(self.fixed, many)

    def sums(self) -> Floats:
        """Each resample's sums over the units. Shape (n_resamples, columns)."""
        alike = _alike(self.values)
        if alike is None:
            return _sum_one_by_one(self.values, self.choices)
        return _sum_of_counted(self.values[[own[0] for own in alike]], self.choices, alike)


def _alike(values: Floats) -> list[list[int]] | None:
    """Which units have the same rows, those of most last, where these are few enough to be counted; else None.

    Shape: (units, labellings, columns).
    """
    units, labellings = values.shape[:2]
    if units <= FEW or labellings**2 > PAIRED:
        return None
    found: dict[bytes, list[int]] = {}
    rows, size = values.tobytes(), values[0].nbytes
    for i in range(units):
        found.setdefault(rows[i * size : (i + 1) * size], []).append(i)
    is_cheap = len(found) * (labellings - 1) <= COUNTED * _number_taken(units, labellings)
    return sorted(found.values(), key=len) if is_cheap else None


def _number_taken(units: int, labellings: int) -> int:
    """From how many tables `_sum_one_by_one` takes rows."""
    while units > 1 and labellings**2 <= PAIRED:
        units, labellings = -(-units // 2), labellings**2
    return units


def _sum_one_by_one(values: Floats, choices: Choice) -> Floats:
    """The rows that each resample takes, summed over units.

    Shapes: ``values`` (units, labellings, columns), ``choices`` (units, n_resamples) → (n_resamples, columns).
    """
    # Two units of few labellings are one of all pairs of these, from which half as many rows are taken.
    while len(values) > 1 and (n := values.shape[1]) ** 2 <= min(PAIRED, choices.shape[1]):
        if len(values) % 2:
            values, choices = (np.concatenate([part, np.zeros_like(part[:1])]) for part in (values, choices))
        values = values[::2, :, np.newaxis] + values[1::2, np.newaxis]
        values = values.reshape(len(values), n * n, -1)
        choices = choices[::2] * n + choices[1::2]
    sums: Floats = values[0].take(choices[0], axis=0)
    for own, choice in zip(values[1:], choices[1:], strict=True):
        sums += own.take(choice, axis=0)
    return sums


def _sum_of_counted(tables: Floats, choices: Choice, alike: Sequence[Sequence[int]]) -> Floats:
    """The same where many units are ``alike``: what all read under the first labelling, and how far from it each row is,
    times how many units take it. Shape of ``tables``: (alike, labellings, columns), what the units of each read.
    """
    many = np.array([len(units) for units in alike])
    taken = choices.take(list(itertools.chain.from_iterable(alike)), axis=0)
    counts = np.empty((tables.shape[1] - 1, len(alike), taken.shape[1]), np.min_scalar_type(many.max()))
    single = int(np.count_nonzero(many == 1))
    ends = np.cumsum(many).tolist()
    for labelling, of_labelling in enumerate(counts, 1):
        is_taken = (taken == labelling).view(np.uint8)
        of_labelling[:single] = is_taken[:single]
        for j in range(single, len(alike)):
            some = is_taken[ends[j - 1] if j else 0 : ends[j]]
            np.add.reduce(some, axis=0, dtype=counts.dtype, out=of_labelling[j])
    moved = (tables[:, 1:] - tables[:, :1]).transpose(1, 0, 2).reshape(-1, tables.shape[2])
    counts = counts.reshape(len(moved), -1)
    sums = np.empty((counts.shape[1], moved.shape[1]))
    step = max(1, MULTIPLIED // moved.size)
    for start in range(0, len(sums), step):
        here = slice(start, start + step)
        np.matmul(counts[:, here].T.astype(np.float64), moved, out=sums[here])
    sums += (many[:, np.newaxis] * tables[:, 0]).sum(axis=0)
    return sums
