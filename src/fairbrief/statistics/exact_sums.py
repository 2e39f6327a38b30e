"""Sums that are the same to the last bit in any order and any parting of what is added.

Floating-point addition rounds, and so is not associative. Here each number is cut into a part on a coarse grid and a
rest on a fine one; sums of either part need no rounding, and what is above both grids is carried before it could.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairbrief.statistics.arrays import Floats

COARSE, FINE, LARGE = 2.0**-24, 2.0**-66, 2.0**20
"""Steps of the grids. A number is read to half of the fine one, 7e-21."""
MOST_COARSE = 2.0**28
"""Sums of coarse parts stay below it: 2⁵³ steps are 2²⁹."""
MOST_ADDED = 2**11
"""So many fine parts, each below 2⁻²⁵, are added before they are carried: 2⁵³ steps are 2⁻¹³."""
TOO_LARGE = 2.0**60
"""Numbers from here on are refused: some thousands of them would no longer be summed exactly."""
_TO_COARSE, _TO_FINE = 1.5 * 2.0**52 * COARSE, 1.5 * 2.0**52 * FINE


def size_of(values: Floats) -> float:
    """The largest size; OverflowError where sums of such numbers would not be exact."""
    size = max(-float(values.min(initial=0.0)), float(values.max(initial=0.0)))
    if size >= TOO_LARGE:
        raise OverflowError(
            f"a statistic is {size:g}, and sums are exact for numbers below 1e18 alone. "
            "Look at the measure that observes it: rows hold counts and sums of scores."
        )
    return size


def halves(values: Floats) -> tuple[Floats, Floats, float]:
    """The parts on the coarse and on the fine grid, and a bound of the sizes. Shapes of ``values``."""
    size = size_of(values)
    if size < MOST_COARSE / 2:
        coarse = values + _TO_COARSE  # adding so much rounds to the grid
        coarse -= _TO_COARSE
    else:
        coarse = np.rint(values / COARSE) * COARSE
    fine = values - coarse
    fine += _TO_FINE
    fine -= _TO_FINE
    return coarse, fine, size


def most_together(size: float) -> int:
    """How many numbers of this size may be added up, half by half, before their sum is added to others."""
    return max(1, min(MOST_ADDED // 2, int(MOST_COARSE / 4 / max(size, 1.0))))


@dataclass(slots=True)
class ExactSums:
    """Running sums of arrays of one shape.

    The exact sum is large + coarse + fine, all of one shape; ``large``, multiples of 2²⁰, is there once it is needed.
    """

    coarse: Floats
    fine: Floats
    large: Floats | None = None
    _bound: float = 0.0
    _added: int = 0

    @classmethod
    def zeros(cls, shape: int | tuple[int, ...]) -> ExactSums:
        """Sums of nothing."""
        return cls(np.zeros(shape), np.zeros(shape))

    @classmethod
    def of_parts(cls, coarse: Floats, fine: Floats, size: float, added: int) -> ExactSums:
        """Sums of nothing, and what `add_parts` takes. They may go on in these very arrays."""
        if size < MOST_COARSE / 2:
            return cls(coarse, fine, None, size, added)
        sums = cls.zeros(coarse.shape)
        sums.add_parts(coarse, fine, size, added)
        return sums

    def add(self, values: Floats) -> None:
        """Add numbers that broadcast to the shape of the sums."""
        self.add_parts(*halves(values))

    def add_parts(self, coarse: Floats, fine: Floats, size: float, added: int = 1, place: Any = ...) -> None:
        """Add, at a place, what `halves` found; or sums of it, of so many as `most_together` allows, with the bound of their sizes."""
        self._make_room(size, added)
        if size >= MOST_COARSE / 2:
            wide = np.zeros(self.coarse.shape)
            wide[place] = coarse
            self.coarse += self._less_large(wide)
        else:
            self.coarse[place] += coarse
        self.fine[place] += fine

    def add_rows(self, rows: Floats, place: Any = ...) -> None:
        """Add rows of numbers, each of which broadcasts to this place of the sums."""
        coarse, fine, size = halves(rows)
        step = most_together(size)
        for start in range(0, len(rows), step):
            some = slice(start, start + step)
            above, below = coarse[some].sum(axis=0), fine[some].sum(axis=0)
            self.add_parts(above, below, size * len(coarse[some]), len(coarse[some]), place)

    def merge(self, other: ExactSums, place: Any = ...) -> None:
        """Add other sums, which broadcast to a place of these."""
        if other._bound >= MOST_COARSE / 2 or other._added > MOST_ADDED // 2:
            other.carry()
        self._make_room(other._bound, other._added)
        self.coarse[place] += other.coarse
        self.fine[place] += other.fine
        if other.large is not None:
            if self.large is None:
                self.large = np.zeros(self.coarse.shape)
            self.large[place] += other.large

    def value(self) -> Floats:
        """The sums as floating-point numbers."""
        self.carry()
        coarse = self.coarse if self.large is None else self.large + self.coarse
        return np.asarray(coarse + self.fine)

    def carry(self) -> None:
        """Bring the sums into the one form that their value has."""
        above = np.floor(self.fine / COARSE) * COARSE
        # Made anew: what came from another process may be read-only.
        self.fine = self.fine - above
        self.coarse = self._less_large(self.coarse + above)
        self._bound, self._added = LARGE, 2

    def widened(self, width: int) -> ExactSums:
        """The same with zeros added along the last axis, up to this width."""
        wide = ExactSums.zeros((*self.coarse.shape[:-1], width))
        wide.merge(self, np.s_[..., : self.coarse.shape[-1]])
        return wide

    def at(self, place: Any) -> ExactSums:
        """A part of the sums by itself."""
        self.carry()
        large = None if self.large is None else self.large[place].copy()
        return ExactSums(self.coarse[place].copy(), self.fine[place].copy(), large, self._bound, self._added)

    def _make_room(self, size: float, added: int = 1) -> None:
        """Carry, where numbers of this size might be rounded when they are added."""
        size = size if size < MOST_COARSE / 2 else LARGE  # of larger ones only what is below 2²⁰ is added
        if self._bound + size >= MOST_COARSE or self._added + added > MOST_ADDED:
            self.carry()
        self._bound += size
        self._added += added

    def _less_large(self, coarse: Floats) -> Floats:
        """The numbers without their multiples of 2²⁰, which are put aside. Shape: that of the sums, or what broadcasts to it."""
        large = np.floor(coarse / LARGE) * LARGE
        if not large.any():
            return coarse
        if self.large is None:
            self.large = np.zeros(self.coarse.shape)
        self.large = self.large + large
        return np.asarray(coarse - large)
