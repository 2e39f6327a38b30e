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
        values, choices = self.values, self.choices
        # Two units of few labellings are one of all pairs of these, from which half as many rows are taken.
        while len(values) > 1 and (n := values.shape[1]) ** 2 <= min(PAIRED, choices.shape[1]):
            if len(values) % 2:
                values, choices = (
                    np.concatenate([part, np.zeros_like(part[:1])]) for part in (values, choices)
                )
            values = values[::2, :, np.newaxis] + values[1::2, np.newaxis]
            values = values.reshape(len(values), n * n, -1)
            choices = choices[::2] * n + choices[1::2]
        sums: Floats = values[0].take(choices[0], axis=0)
        for own, choice in zip(values[1:], choices[1:], strict=True):
            sums += own.take(choice, axis=0)
        return sums
