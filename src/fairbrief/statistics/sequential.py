"""Changes in a series of nights: tests that may be repeated every night and keep their rate of false alarms over a year.

The evidence for a change that begins at a given night is a Bayes factor for two means with one unknown variance, where the
change has a normal prior (Gönen, Johnson, Lu and Westfall 2005). Without a change, it ever exceeds 1/α with probability α at
most (Ville's inequality; Hendriksen, de Heide and Grünwald 2021). α is divided among the nights of a year at which a change may
begin, and among the series.
"""

from __future__ import annotations

from math import log
from typing import Any, NamedTuple

import numpy as np

from fairbrief.statistics.arrays import Floats, Integers

YEAR = 365
"""Monitored nights among which α is divided."""
LAGS = 7
"""Nights over which the dependence between nights is measured."""
ROUNDING = 1e-9
"""Differences between nights that are smaller, relative to the largest value, are rounding errors."""


def log_evidence(t: Any, freedom: Any, ratio: Any) -> Any:
    """The logarithm of the Bayes factor of a change against none.

    ½ ln r + ½ (ν + 1) ln((1 + t²/ν) / (1 + r t²/ν)), with r = v / (v + g) from the variance v of the estimated change and the
    variance g of its prior. As ν grows, it becomes Robbins' normal mixture: ½ ln r + ½ (1 − r) t².
    """
    u = t**2 / freedom
    return 0.5 * np.log(ratio) + 0.5 * (freedom + 1) * (np.log1p(u) - np.log1p(ratio * u))


def boundary(limit: float, freedom: Any, ratio: Any) -> Any:
    """The size of t at which the log evidence reaches the limit; infinite if it never does."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        c = np.exp(2 * (limit - 0.5 * np.log(ratio)) / (freedom + 1))
        return np.where(c * ratio < 1, np.sqrt(freedom * (c - 1) / (1 - c * ratio)), np.inf)


def log_limit(alpha: float, series: int) -> float:
    """The log evidence of an alarm: ln(series · `YEAR` / α)."""
    return log(series * YEAR / alpha)


class Scan(NamedTuple):
    """The evidence for every change: the night at which it begins, and the night at which it is tested.

    Shapes: (…, starts, nights) over the monitored nights, except ``before`` (…, starts, 1), the mean before the start.
    ``change`` is the mean from the start on, minus ``before``. Evidence is −∞ where no change is tested.
    """

    before: Floats
    change: Floats
    error: Floats
    freedom: Floats
    ratio: Floats
    evidence: Floats

    def alarm(self, limit: float) -> tuple[int, int] | None:
        """Of one series, the first monitored night with an alarm, and the most likely start at that night."""
        nights = np.flatnonzero((self.evidence >= limit).any(axis=-2))
        return (int(nights[0]), int(np.argmax(self.evidence[:, nights[0]]))) if len(nights) else None

    def interval(self, start: int, night: int, limit: float) -> tuple[float, float]:
        """The always-valid interval of the mean from the start to a night, of one series."""
        at = start, night
        half = self.error[at] * boundary(limit, self.freedom[at], self.ratio[at])
        middle = self.before[start, 0] + self.change[at]
        return float(middle - half), float(middle + half)


def scan(
    values: Floats,
    weights: Floats,
    errors: Floats,
    reference: int,
    known: float | None = None,
    common: Floats | None = None,
) -> Scan:
    """The evidence for every change in some series.

    Shapes: ``values``, ``weights`` and ``errors`` (…, nights); the first ``reference`` nights are not monitored. A night's
    variance is σ²/weight, and a night with weight 0 is missing. σ² is the larger of two estimates: from the nights' scatter around
    their means before and after the start, and from their standard ``errors``. It is multiplied by the dependence of the nights
    before the start, or more if nights have records in common: ``common`` (nights, nights) are the numbers of records of
    each night and of each two; 0 if unknown. ``known`` is a limit that replaces the mean before the start.
    """
    is_there = weights > 0
    values, errors = np.where(is_there, values, 0.0), np.where(is_there, errors, 0.0)
    starts = np.arange(reference, values.shape[-1])

    def parts(numbers: Floats) -> tuple[Floats, Floats]:
        """Sums before each start, and from it to each night."""
        sums = np.cumsum(numbers, axis=-1)
        before = np.concatenate([np.zeros_like(sums[..., :1]), sums], axis=-1)[..., starts, None]
        return before, sums[..., None, reference:] - before

    one = is_there.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        (n0, n1), (w0, w1), (s0, s1), (q0, q1), (e0, e1) = map(
            parts, (one, weights, weights * values, weights * values**2, (weights * errors) ** 2)
        )
        before = s0 / w0
        scatter = np.where(n0 > 0, q0 - s0 * before, 0.0) + q1 - s1**2 / w1
        freedom = np.maximum(n0 - 1, 0) + n1 - 1
        rounding = (ROUNDING * np.abs(values).max(axis=-1))[..., None, None] ** 2 * (w0 + w1)
        variance = np.maximum(np.maximum(scatter, rounding) / freedom, (e0 + e1) / (w0 + w1))
        night = (n0 + n1) / (w0 + w1)  # the variance of a usual night, in units of σ²
        if known is not None:
            before, w0 = np.full_like(before, known), np.full_like(w0, np.inf)
        v = (1 / w1 + 1 / w0) * dependence(values, weights, starts)[..., None]
        if common is not None:
            v = np.maximum(v, _with_common_records(weights, common, reference, w0, w1))
        ratio = v / (v + night)
        change, error = s1 / w1 - before, np.sqrt(variance * v)
        evidence = log_evidence(change / error, freedom, ratio)
    is_seen = (starts[:, None] <= starts) & (n1 > 0) & (freedom > 0) & (w0 > 0)
    evidence = np.where(is_seen & ~np.isnan(evidence), evidence, -np.inf)
    return Scan(before, change, error, freedom, ratio, evidence)


def _with_common_records(weights: Floats, common: Floats, reference: int, w0: Floats, w1: Floats) -> Floats:
    """The variance of each change, in units of σ², if nights are correlated by their common records. Shapes as in `scan`."""
    many = np.maximum(np.diagonal(common), 1)
    correlation = common / np.sqrt(np.multiply.outer(many, many))
    np.fill_diagonal(correlation, 1)
    roots, nights = np.sqrt(weights), np.arange(reference, weights.shape[-1])
    sums = (roots[..., :, np.newaxis] * correlation * roots[..., np.newaxis, :]).cumsum(-1).cumsum(-2)
    # Sums over pairs of nights: both before the start; one before it, the other from it on; both from it on.
    squares = np.diagonal(sums, axis1=-2, axis2=-1)
    before = squares[..., nights - 1, np.newaxis]
    mixed = sums[..., nights - 1, :][..., nights] - before
    after = squares[..., np.newaxis, nights] - 2 * mixed - before
    return np.asarray(before / w0**2 - 2 * mixed / (w0 * w1) + after / w1**2)


def dependence(values: Floats, weights: Floats, starts: Integers) -> Floats:
    """The factor by which dependence between nights widens the variance of their mean, from the nights before each start.

    1 + 2 Σ (1 − k/8) ρₖ over the lags k of a week, at least 1, and one standard error above it: times 1 + √(32/(3n)) for n
    nights (Bartlett 1950). ρₖ are autocorrelations of residuals. Shapes: ``values`` and ``weights`` (…, nights) → (…, starts).
    """
    roots = np.sqrt(weights)
    many, total, sums = (np.cumsum(x, axis=-1) for x in (weights > 0, weights, weights * values))
    means = sums / np.maximum(total, 1e-300)

    def products(lag: int) -> Floats:
        """Sums, up to each night, of products of residuals so many nights apart."""
        q, r = roots[..., lag:], roots[..., : weights.shape[-1] - lag]
        a, b = q * values[..., lag:], r * values[..., : weights.shape[-1] - lag]
        found: Floats = np.zeros_like(means)
        m = means[..., lag:]
        both, mixed, none = (np.cumsum(x, axis=-1) for x in (a * b, a * r + b * q, q * r))
        found[..., lag:] = both - m * mixed + m**2 * none
        return found

    lags = range(1, min(LAGS + 1, weights.shape[-1]))
    covariance = sum((1 - k / (LAGS + 1)) * products(k) for k in lags) + np.zeros_like(means)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.maximum(1, 1 + 2 * np.nan_to_num(covariance / products(0), posinf=0, neginf=0))
    factor *= 1 + np.sqrt(4 * (LAGS + 1) / (3 * np.maximum(many, 1)))
    return np.asarray(factor[..., np.maximum(starts - 1, 0)])


def detectable(values: Floats, weights: Floats, errors: Floats, nights: int, limit: float) -> float:
    """The size of a change that half of all runs of so many further nights show, after all nights of one series."""
    there = weights > 0
    x, w, many = values[there], weights[there], int(there.sum())
    mean, total = np.average(x, weights=w), w.sum()
    variance = max((w * (x - mean) ** 2).sum() / max(many - 1, 1), ((w * errors[there]) ** 2).sum() / total)
    if variance == 0:
        return 0.0
    factor = dependence(np.where(there, values, 0.0), weights, np.array([len(values)]))[0]
    v = factor * (many / (nights * total) + 1 / total)
    return float(np.sqrt(variance * v) * boundary(limit, many + nights - 2, v / (v + many / total)))
