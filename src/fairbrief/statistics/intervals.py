"""Intervals from bootstrap draws."""

from __future__ import annotations

import numpy as np

from fairbrief.statistics.arrays import Floats


def percentile_interval(draws: Floats, level: float = 0.95, axis: int = 0) -> tuple[Floats, Floats, Floats]:
    """Percentile interval of bootstrap draws: (low, high, share of draws that were undefined).

    Quantiles (1 ± level)/2 of the defined draws, interpolated linearly. Shapes: ``draws`` without
    ``axis``. Bounds are nan where no draw is defined, and infinite, never nan, where infinite
    draws reach them.
    """
    _check(level)
    ordered = np.moveaxis(np.sort(np.asarray(draws, dtype=np.float64), axis=axis), axis, 0)
    if not len(ordered):
        raise ValueError("an interval needs at least one draw")
    defined = len(ordered) - np.isnan(ordered).sum(axis=0)
    low = _quantile(ordered, defined, (1 - level) / 2)
    high = _quantile(ordered, defined, (1 + level) / 2)
    return low, high, 1.0 - defined / len(ordered)


def _quantile(ordered: Floats, defined: Floats, share: float) -> Floats:
    """Sorted along axis 0, nan last; only the first ``defined`` of each column are read."""
    last = np.maximum(defined - 1, 0)
    place = last * share
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, last).astype(np.intp)
    left = np.take_along_axis(ordered, below[None], axis=0)[0]
    right = np.take_along_axis(ordered, above[None], axis=0)[0]
    part = place - below
    # An infinite neighbour must give an infinite bound: ∞ − ∞ and 0 · ∞ would be nan.
    apart = (part != 0) & ~np.isinf(left)
    return np.asarray(left + part * np.subtract(right, left, out=np.zeros_like(left), where=apart))


def _check(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
