"""Cluster jackknife: standard errors and t intervals of any value of summed rows, without random draws; and which differences a number of clusters detects."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats, Integers, tolerance
from fairbrief.statistics.keyed_random import keys_of

FEWEST = 6
"""With fewer clusters nothing can be significant: sign flips of six have 2⁵ = 32 distinct absolute values."""
MOST = 10**12


class Precision(NamedTuple):
    """A standard error, the number of clusters that it comes from, and its degrees of freedom; or arrays of these.

    With n such clusters the error is ``error`` · √(clusters / n), and freedom + 1 is proportional to n, as `spreads` counts c − 1.
    """

    error: Any
    clusters: Any
    freedom: Any

    def freedom_of(self, n: Any) -> Any:
        """The degrees of freedom with n clusters; at least 1."""
        return np.maximum(1.0, (self.freedom + 1) * n / self.clusters - 1)

    def detectable(self, n: Any, alpha: float = 0.05, power: float = 0.8) -> Any:
        """The smallest difference from 0 that n clusters detect with this power: (t₁₋α⁄₂ + t_power) · error; nan below `FEWEST`.

        The error is uncertain itself: more clusters have no more degrees of freedom than those from which it comes, so that the power
        holds on average (Julious and Owen, Pharmaceutical Statistics 5, 2006).
        """
        from scipy.special import stdtrit

        freedom = np.minimum(self.freedom, self.freedom_of(n))
        quantiles = stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power)
        return np.where(np.less(n, FEWEST), np.nan, quantiles * self.error * (self.clusters / n) ** 0.5)[()]

    def needed(self, size: float, alpha: float = 0.05, power: float = 0.8) -> int:
        """The fewest clusters that detect a difference of ``size`` with this power, up to `MOST`; by bisection. `FEWEST` contribute."""
        fewest = max(FEWEST, int(np.ceil(FEWEST * self.clusters / (self.freedom + 1))))
        sizes = range(fewest, MOST)  # in which detectable differences fall
        return fewest + bisect_left(sizes, -size, key=lambda n: -self.detectable(n, alpha, power))


ONE_BY_ONE = 1_000
"""Up to this many clusters, each is left out in turn; beyond it, each of `GROUPS` groups of clusters is."""
GROUPS = 200

GroupNumbers = NDArray[np.integer[Any]]
"""The group of each cluster, in the smallest sufficient integer type."""


@dataclass(frozen=True, slots=True)
class Spreads:
    """How far values of the same number of units vary from unit to unit.

    ``left`` are the values without each unit, ``contributes`` whether it contributes to the value, and ``count`` how many do.
    ``error`` is the jackknife standard error, and ``freedom`` the degrees of freedom of its t: c − 1, or fewer where units are of
    different kinds. ``error`` is nan where fewer than two units contribute or leaving one out leaves the value undefined.
    Shapes: (values,), ``left`` and ``contributes`` (values, units).
    """

    value: Floats
    left: Floats
    contributes: NDArray[np.bool_]
    count: Integers
    error: Floats
    freedom: Floats

    def contributions(self, i: int) -> tuple[Integers, Floats]:
        """The units that contribute to one value, and their jackknife pseudo-values c·θ − (c − 1)·θ₋ⱼ; 0 where only rounding is left.

        Shapes: (c,).
        """
        units = np.flatnonzero(self.contributes[i])
        c = len(units)
        found = c * self.value[i] - (c - 1) * self.left[i, units]
        return units, np.where(np.abs(found) <= c * tolerance(self.value[i]), 0.0, found)

    def p_by_t(self, i: int) -> float:
        """Two-sided p of the jackknife t test that this value is 0."""
        return float(t_p(self.value[i], self.error[i], self.freedom[i]))


def leave_one_out(units: Floats) -> Floats:
    """The totals without each unit. Shape (…, m, k) → (…, m, k).

    Prefix plus suffix sums, so that a statistic that only one unit has is exactly zero without it.
    """
    before = np.zeros_like(units)
    after = np.zeros_like(units)
    np.cumsum(units[..., :-1, :], axis=-2, out=before[..., 1:, :])
    np.cumsum(units[..., :0:-1, :], axis=-2, out=after[..., -2::-1, :])
    return np.asarray(before + after)


def spreads(values: Floats, without: Floats, alone: Floats, strata: Integers | None = None) -> Spreads:
    """The jackknife of several values of the same number of units. Each result depends only on its own value.

    Shapes: ``values`` (n,), the others (n, m). ``without`` is the value without each unit, ``alone`` the value of each unit
    alone. A unit contributes if it has a value by itself or changes the value of all. ``strata`` are the kinds
    of the units, whose spreads and numbers may differ (articles about women, about men): the degrees of freedom are then
    Satterthwaite's.
    Source: Efron & Stein, Annals of Statistics 9 (1981); Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    with np.errstate(invalid="ignore"):  # published odds may be infinite without one unit
        near = np.abs(without - values[:, np.newaxis]) <= tolerance(values)[:, np.newaxis]
    contributes = np.isfinite(alone) | ~near
    # Where nothing changes anything all units are equal.
    contributes |= near & ~contributes.any(axis=1, keepdims=True)
    count = contributes.sum(axis=1)
    error, freedom = np.full(len(values), np.nan), count - 1.0
    for c in np.unique(count[count > 1]).tolist():
        rows = np.flatnonzero(count == c)
        left = without[rows][contributes[rows]].reshape(-1, c)
        finite = np.isfinite(left).all(axis=1)
        rows, left = rows[finite], left[finite]
        squares = (left - left.mean(axis=1, keepdims=True)) ** 2
        found = np.sqrt((c - 1) / c * squares.sum(axis=1))
        error[rows] = np.where(found <= tolerance(values[rows]), 0.0, found)
        if strata is not None:
            for i, own in zip(rows.tolist(), squares, strict=True):
                freedom[i] = _freedom(own, strata[i, contributes[i]])
    return Spreads(values, without, contributes, count, error, freedom)


def with_uncertain_scores(found: Spreads, drawn: Floats | None) -> Spreads:
    """The spreads of values that also depend on scores which are uncertain themselves: ``drawn`` (values, draws) has the values by
    each draw of these; None if they are certain.

    error² = e² + b and freedom = error⁴ / (e⁴/f + b²/(draws − 1)), with e and f of the clusters and b = (1 + 1/draws) · variance of
    the draws. Draws that are undefined are left out; with fewer than two nothing is added.
    Source: Rubin, Multiple Imputation for Nonresponse in Surveys (1987), §3.1; Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    if drawn is None:
        return found
    known = np.isfinite(drawn)
    many = known.sum(axis=1)
    n = np.maximum(many, 1)
    mean = np.where(known, drawn, 0.0).sum(axis=1) / n
    squares = np.where(known, drawn - mean[:, np.newaxis], 0.0) ** 2
    between = np.where(many > 1, (1 + 1 / n) * squares.sum(axis=1) / np.maximum(many - 1, 1), 0.0)
    within = found.error**2
    total = within + between
    is_wider = between > tolerance(found.value) ** 2
    parts = within**2 / np.maximum(found.freedom, 1.0) + between**2 / np.maximum(many - 1, 1)
    freedom = np.where(is_wider, total**2 / np.where(parts > 0, parts, 1.0), found.freedom)
    return replace(found, error=np.where(is_wider, np.sqrt(total), found.error), freedom=freedom)


def _freedom(squares: Floats, strata: Integers) -> float:
    """(Σ V_s)² / Σ V_s² / (n_s − 1), with V_s the sum of squares of the n_s units of a stratum; at least 1."""
    _, place, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    sums = np.bincount(place, squares)
    below = float((sums**2 / np.maximum(sizes - 1, 0.5)).sum())
    return max(1.0, float(sums.sum() ** 2) / below) if below > 0 else float(len(squares) - 1)


def t_quantile(confidence: float, freedom: Any) -> Any:
    """The (1 + confidence)/2 quantile of Student's t."""
    from scipy.special import stdtrit

    return stdtrit(freedom, (1 + confidence) / 2)


def t_interval(spread: Spreads, confidence: float) -> tuple[Floats, Floats]:
    """Value ± t · error; nan without a standard error."""
    half = t_quantile(confidence, spread.freedom) * spread.error
    return spread.value - half, spread.value + half


def t_test(spread: Spreads) -> Floats:
    """Two-sided p of value = 0 by the jackknife t; 1 for an exact zero, nan without an error."""
    return np.asarray(t_p(spread.value, spread.error, spread.freedom))


def t_p(value: Any, error: Any, freedom: Any) -> Any:
    """Two-sided p of value = 0, given its standard error and degrees of freedom; 1 for an exact zero, nan without an error."""
    from scipy.special import stdtr

    size, error = np.abs(value), np.asarray(error)
    p = np.where(error == 0, 0.0, 2 * stdtr(freedom, -size / np.where(error > 0, error, 1.0)))
    p = np.where(size <= tolerance(np.asarray(value)), 1.0, p)
    return np.where(np.isnan(error), np.nan, p)[()]


def effective_clusters(share: Spreads) -> Floats:
    """v(1 − v)/error² of a mean v of numbers in [0, 1]: its number of clusters, less for those that are alike. Where all are equal,
    their number. Above 0.
    """
    v, error = np.clip(share.value, 0.0, 1.0), share.error
    squares = np.float_power(np.where(error > 0, error, 1.0), 2)
    return np.maximum(np.where(error > 0, v * (1 - v) / squares, share.count), 1e-9)


def with_null_share(found: Spreads, share: Spreads, reference: Spreads) -> Spreads:
    """The spreads of a share less its reference, with an error that is at least that of a share equal to the reference.

    A share of few clusters hardly varies if it happens to be near 0 or 1. So its squared error is raised to r(1 − r)/n, with the
    reference r and the effective number n of clusters; except for the part of it that the reference explains (squared correlation).
    Source: the score test of a share, Wilson (1927).
    """
    r, own, other = np.clip(reference.value, 0.0, 1.0), share.error**2, reference.error**2
    missing = np.maximum(r * (1 - r) / effective_clusters(share) - own, 0.0)
    shared, product = (own + other - found.error**2) / 2, own * other
    explained = np.where(product > 0, shared**2 / np.where(product > 0, product, 1.0), 0.0)
    return replace(found, error=np.sqrt(found.error**2 + missing * (1 - np.minimum(explained, 1.0))))


def at_most_as_certain(found: Spreads, gap: Spreads) -> Spreads:
    """The spreads with an error so large that the t of the value is at most that of another value, ``gap``."""
    size = np.abs(gap.value)
    with np.errstate(invalid="ignore"):  # published odds may be infinite
        error = np.abs(found.value) * gap.error / np.where(size > 0, size, np.nan)
    return replace(found, error=np.where(np.isfinite(error) & (error > found.error), error, found.error))


def hidden_error(found: Spreads, shifts: Floats, items: Floats) -> Floats:
    """The squared error of a difference of two groups that does not show where all units of one are equal, perhaps by chance.

    The error is then at least that of two groups of equal distribution, in which a group of n has the other's error · √(m/n), plus
    the part of the spread of both that lies between them; n and m are units or items, whichever of this group are fewer. ``shifts``
    (2, parts, units) is the value of each group less that without each unit, ``items`` (parts, units, 2) what each unit has of the
    groups. Shape: (parts,).
    """
    is_there, near = items > 0, tolerance(found.value)[:, np.newaxis, np.newaxis]
    is_moved = is_there & ~(np.abs(np.moveaxis(shifts, 0, -1)) <= near)
    is_even = np.logical_not(is_moved.any(axis=1))
    counts = is_there.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # a group that is in no unit
        ratios = np.maximum.reduce([n[:, ::-1] / n for n in (counts, items.sum(axis=1))])
        between = found.value**2 / counts.sum(axis=1)
    alone = is_even & ~is_even[:, ::-1] & np.isfinite(ratios)
    ratio, own = np.where(alone, ratios, 0.0).sum(axis=1), found.error**2
    return np.where(ratio > 0, np.maximum(own * ratio + between - own, 0.0), 0.0)


def with_more_error(found: Spreads, squared: Floats | float) -> Spreads:
    """The spreads with a squared error that is larger by ``squared``."""
    is_more = np.asarray(squared) > 0
    return replace(found, error=np.where(is_more, np.sqrt(found.error**2 + squared), found.error))


def share_interval(spread: Spreads, confidence: float) -> tuple[Floats, Floats]:
    """Interval of a mean of numbers in [0, 1]: Wilson's, with the effective number of clusters and Student's t.

    Inside [0, 1], and contains v; close to `t_interval` far from the ends, and never empty at them; nan without an error.
    Source: Wilson (1927); design effect after Korn & Graubard, Survey Methodology 24 (1998).
    """
    v, n = np.clip(spread.value, 0.0, 1.0), effective_clusters(spread)
    t2 = np.float_power(t_quantile(confidence, spread.freedom), 2)
    middle = (v + t2 / (2 * n)) / (1 + t2 / n)
    half = np.sqrt(t2 * (v * (1 - v) / n + t2 / (4 * n * n))) / (1 + t2 / n)
    known = ~np.isnan(spread.error)
    # At the ends, rounding would move a bound beyond the value.
    low, high = np.clip(middle - half, 0.0, v), np.clip(middle + half, v, 1.0)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def correlation_interval(spread: Spreads, confidence: float) -> tuple[Floats, Floats]:
    """Interval of a correlation: Student's t on the scale of Fisher's z, the error brought there by its slope.

    Inside [-1, 1]; [v, v] where the correlation is -1 or 1 and all clusters agree; nan without an error.
    Source: Fisher, Metron 1 (1921).
    """
    v, error = np.clip(spread.value, -1.0, 1.0), spread.error
    inside = np.clip(v, -1 + 1e-12, 1 - 1e-12)
    half = t_quantile(confidence, spread.freedom) * error / (1 - inside**2)
    z, is_exact = np.arctanh(inside), error == 0
    low, high = np.where(is_exact, v, np.tanh(z - half)), np.where(is_exact, v, np.tanh(z + half))
    return low, high


def detectable(spread: Spreads, confidence: float) -> Any:
    """The smallest difference from 0 that this number of clusters detects with a power of 80 %; nan without a standard error, and below `FEWEST`."""
    precision = Precision(np.where(spread.error > 0, spread.error, np.nan), spread.count, spread.freedom)
    return precision.detectable(spread.count, 1 - confidence)


def group_numbers(clusters: Sequence[str], seed: int) -> GroupNumbers:
    """Which of `GROUPS` groups each cluster is in where they are many. Shape (n,)."""
    keys = keys_of(clusters, seed, "jackknife group")
    return (keys % np.uint64(GROUPS)).astype(np.min_scalar_type(GROUPS))
