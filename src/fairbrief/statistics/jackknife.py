"""Cluster jackknife: standard errors and t intervals of any value of summed rows, without random draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.statistics.arrays import Floats, Integers, tolerance
from fairbrief.statistics.keyed_random import keys_of
from fairbrief.statistics.power import Precision

ONE_BY_ONE = 1_000
"""Up to so many clusters each is left out alone; beyond, `GROUPS` groups of clusters are."""
GROUPS = 200


@dataclass(frozen=True, slots=True)
class Spread:
    """How far a value varies from cluster to cluster.

    ``without`` (c,) holds the value without each unit that contributes to it, ``error`` is the jackknife
    standard error, and ``freedom`` the degrees of freedom of its t: c − 1, or
    fewer where units are of different kinds. ``error`` is nan where fewer than
    two units contribute or leaving one out leaves the value undefined; ``is_fragile`` tells the second.
    """

    value: float
    without: Floats
    error: float
    freedom: float
    is_fragile: bool = False
    units: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Which units contribute. Shape (c,)."""

    @property
    def contributions(self) -> Floats:
        """What each contributing unit says of the value by itself: pseudo-values c·θ − (c − 1)·θ₋ⱼ. Shape (c,)."""
        c = len(self.without)
        return np.asarray(c * self.value - (c - 1) * self.without)


def leave_one_out(units: Floats) -> Floats:
    """The totals without each unit. Shape (m, k) → (m, k).

    Prefix plus suffix sums, so that a statistic that only one unit has is exactly zero without it.
    """
    before = np.zeros_like(units)
    after = np.zeros_like(units)
    np.cumsum(units[:-1], axis=0, out=before[1:])
    np.cumsum(units[:0:-1], axis=0, out=after[-2::-1])
    return np.asarray(before + after)


def spread(value: Floats | float, without: Floats, alone: Floats, strata: Integers | None = None) -> Spread:
    """The jackknife of one value.

    ``without`` (m,) is the value without each unit, ``alone`` (m,) the value of each unit by itself. A unit
    contributes if it has a value by itself or changes the value of all. ``strata`` (m,) tell units of different kinds apart,
    whose spreads and numbers may differ (articles about women, about men): the degrees of freedom are then Satterthwaite's.
    Source: Efron & Stein, Annals of Statistics 9 (1981); Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    whole = float(value)
    with np.errstate(invalid="ignore"):  # published odds may be infinite without one unit
        near = np.abs(without - whole) <= tolerance(np.asarray(whole))
    part = np.isfinite(alone) | ~near
    if not part.any():
        part = near  # nothing changes anything: all units say the same
    left, units, c = np.asarray(without[part]), np.flatnonzero(part), int(part.sum())
    if c < 2:
        return Spread(whole, left, np.nan, c - 1, units=units)
    if not np.isfinite(left).all():
        return Spread(whole, left, np.nan, c - 1, is_fragile=True, units=units)
    error = np.sqrt((c - 1) / c * ((left - left.mean()) ** 2).sum())
    error = 0.0 if error <= float(tolerance(np.asarray(whole))) else float(error)
    freedom = float(c - 1) if strata is None else _freedom((left - left.mean()) ** 2, strata[part])
    return Spread(whole, left, error, freedom, units=units)


def _freedom(squares: Floats, strata: Integers) -> float:
    """(Σ V_s)² / Σ V_s² / (n_s − 1), with V_s the sum of squares of the n_s units of a stratum; at least 1."""
    _, place, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    sums = np.bincount(place, squares)
    below = float((sums**2 / np.maximum(sizes - 1, 0.5)).sum())
    return max(1.0, float(sums.sum() ** 2) / below) if below > 0 else float(len(squares) - 1)


def t_quantile(confidence: float, freedom: float) -> float:
    """The (1 + confidence)/2 quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def t_interval(found: Spread, confidence: float) -> tuple[float, float]:
    """Value ± t · error; nan where there is no error."""
    if np.isnan(found.error):
        return np.nan, np.nan
    half = t_quantile(confidence, found.freedom) * found.error
    return found.value - half, found.value + half


def t_test(found: Spread) -> float:
    """Two-sided p of value = 0 by the jackknife t; 1 for an exact zero, nan without an error."""
    from scipy.special import stdtr

    if np.isnan(found.error):
        return float("nan")
    if abs(found.value) <= float(tolerance(np.asarray(found.value))):
        return 1.0
    if found.error == 0:
        return 0.0
    return float(2 * stdtr(found.freedom, -abs(found.value) / found.error))


def share_interval(found: Spread, confidence: float) -> tuple[float, float]:
    """Interval of a mean of numbers in [0, 1]: Wilson's, with the effective number of clusters and Student's t.

    The effective number is v(1 − v)/error², and the number of clusters where they all say the same. Inside
    [0, 1]; close to `t_interval` far from the ends, and never empty at them.
    Source: Wilson (1927); design effect after Korn & Graubard, Survey Methodology 24 (1998).
    """
    if np.isnan(found.error):
        return np.nan, np.nan
    v, c = min(max(found.value, 0.0), 1.0), len(found.without)
    n = v * (1 - v) / found.error**2 if found.error > 0 else float(c)
    t2 = t_quantile(confidence, found.freedom) ** 2
    n = max(n, 1e-9)
    middle, half = (
        (v + t2 / (2 * n)) / (1 + t2 / n),
        np.sqrt(t2 * (v * (1 - v) / n + t2 / (4 * n * n))) / (1 + t2 / n),
    )
    return float(max(0.0, middle - half)), float(min(1.0, middle + half))


def detectable(found: Spread, confidence: float, power: float = 0.8) -> float:
    """The smallest difference from 0 that so many clusters would have shown with this power; nan without an error."""
    if np.isnan(found.error) or found.error == 0:
        return float("nan")
    c = len(found.without)
    return Precision(found.error, c, found.freedom).detectable(c, 1 - confidence, power)


def groups_of(clusters: Sequence[str], seed: int) -> Integers | None:
    """Which of `GROUPS` groups each cluster is in, by keyed hash; None where each is left out alone. Shape (n,)."""
    if len(clusters) <= ONE_BY_ONE:
        return None
    return (keys_of(clusters, seed, "jackknife group") % np.uint64(GROUPS)).astype(np.int64)
