"""Intervals: from bootstrap draws, and for a share."""

from __future__ import annotations

from statistics import NormalDist

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
    place = np.maximum(defined - 1, 0) * share
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0)).astype(np.intp)
    left = np.take_along_axis(ordered, below[None], axis=0)[0]
    right = np.take_along_axis(ordered, above[None], axis=0)[0]
    part = place - below
    # An infinite neighbour must give an infinite bound: ∞ − ∞ and 0 · ∞ would be nan.
    whole = (part == 0) | np.isinf(left)
    step = np.where(whole, 0.0, np.where(whole, 0.0, right) - np.where(whole, 0.0, left))
    return np.asarray(left + np.where(whole, 1.0, part) * step)


def wilson_interval(successes: Floats, trials: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson score interval of a share: (low, high), in [0, 1]; nan where there are no trials.

    (k + z²/2 ± z √(k(n − k)/n + z²/4)) / (n + z²), with the normal quantile z of ``level``.
    Source: Wilson, Journal of the American Statistical Association 22 (1927).
    """
    _check(level)
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    some = np.maximum(n, 1)
    half = np.sqrt(z2 * (k * (n - k) / some + z2 / 4))
    low = np.clip((k + z2 / 2 - half) / (n + z2), 0.0, 1.0)
    high = np.clip((k + z2 / 2 + half) / (n + z2), 0.0, 1.0)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def _check(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
