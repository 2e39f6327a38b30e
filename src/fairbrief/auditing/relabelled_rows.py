"""Rows of units under their labellings, as they are added up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.statistics import Choice
from fairbrief.statistics.exact_sums import halves, most_together, size_of
from fairbrief.types import Column, Floats

PAIRED = 256
"""Pairs of labellings of two units up to which they are taken together."""


@dataclass(frozen=True, slots=True)
class RelabelledRows:
    """Statistics of units under their labellings, and which of these each resample takes.

    What no labelling of any unit moves stands apart. Shapes: ``values`` (units, labellings, columns), ``fixed`` (units,
    fixed columns), ``choices`` (units,) of (n_resamples,).
    """

    columns: tuple[Column, ...]
    values: Floats
    fixed_columns: tuple[Column, ...]
    fixed: Floats
    choices: Sequence[Choice]

    @classmethod
    def of_all(cls, columns: Sequence[Column], values: Floats, choices: Sequence[Choice]) -> RelabelledRows:
        """Rows with all their columns. Shape of ``values``: (units, labellings, columns). OverflowError: see `size_of`."""
        size_of(values)
        moves = (values != values[:, :1]).any(axis=(0, 1))
        number = np.min_scalar_type(values.shape[1])
        return cls(
            tuple(itertools.compress(columns, moves)),
            values[:, :, moves],
            tuple(itertools.compress(columns, ~moves)),
            values[:, 0, ~moves],
            [choice.astype(number, copy=False) for choice in choices],
        )

    @classmethod
    def of_fixed(cls, columns: Sequence[Column], fixed: Floats) -> RelabelledRows:
        """Rows that no labelling moves. Shape of ``fixed``: (units, columns). OverflowError: see `size_of`."""
        size_of(fixed)
        return cls((), np.zeros((len(fixed), 1, 0)), tuple(columns), fixed, ())

    def __len__(self) -> int:
        return len(self.values)

    def of(self, chosen: Sequence[int]) -> RelabelledRows:
        """Some of the units."""
        if len(chosen) == len(self):
            return self
        choices = [self.choices[i] for i in chosen] if self.choices else ()
        if len(chosen) == 1:  # of a small slice: a copy of what lies in a row is made faster
            (i,) = chosen
            values, fixed = self.values[i : i + 1].copy(), self.fixed[i : i + 1].copy()
        else:
            values, fixed = self.values[chosen], self.fixed[chosen]
        return RelabelledRows(self.columns, values, self.fixed_columns, fixed, choices)

    @property
    def room(self) -> int:
        """How many numbers of a column are held."""
        return math.prod(self.values.shape[:2])

    def taken(self) -> Iterator[tuple[Floats, Floats, float, int]]:
        """The halves of each resample's sums over some units, (n_resamples, columns) each; a bound of their sizes; of how many.

        So many at a time as can be added without rounding.
        """
        coarse, fine, size = halves(self.values)
        both = np.concatenate([coarse, fine], axis=2)
        step = most_together(size)
        for start in range(0, len(both), step):
            some, width = both[start : start + step], len(self.columns)
            sums = _sum_of_taken(some, np.stack(self.choices[start : start + step]))
            yield sums[:, :width], sums[:, width:], size * len(some), len(some)


def _sum_of_taken(values: Floats, choices: Choice) -> Floats:
    """The rows that each resample takes, summed over units; of numbers whose sums need no rounding.

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
