"""Agreement of raters, and correlation of two scores."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats, Integers

Scale = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(ratings: Floats, scale: Scale = "nominal") -> float:
    """Krippendorff's α = 1 − observed / expected disagreement; 1 is perfect, 0 is chance.

    Shapes: ``ratings`` (raters, items), nan where a rater did not rate. Items with fewer than two
    ratings do not count. nan where all counted ratings are equal, since no disagreement was possible.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
    """
    values, counts = _count(ratings)
    per_item = counts.sum(axis=1, keepdims=True)
    weighted = counts / (per_item - 1)
    coincidence = weighted.T @ counts - np.diag(weighted.sum(axis=0))
    marginal = coincidence.sum(axis=1)
    total = marginal.sum()
    squared = _squared_differences(values, marginal, scale)
    expected = (np.outer(marginal, marginal) * squared).sum()
    if expected == 0:
        return float("nan")
    return float(1 - (total - 1) * (coincidence * squared).sum() / expected)


def _squared_differences(values: Floats, marginal: Floats, scale: Scale) -> Floats:
    """Squared distance of each pair of values. Shape (V, V)."""
    a, b = values[:, None], values[None, :]
    match scale:
        case "nominal":
            return np.asarray(a != b, dtype=np.float64)
        case "interval":
            return np.asarray((a - b) ** 2)
        case "ratio":
            whole = a + b
            return np.asarray((a - b) ** 2 / np.where(whole == 0, 1.0, whole) ** 2)
        case "ordinal":
            middle = np.cumsum(marginal) - marginal / 2
            return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    raise ValueError(f"no scale named '{scale}'; known: nominal, ordinal, interval, ratio")


def randolph_kappa(ratings: Floats, categories: int | None = None) -> float:
    """Randolph's free-marginal κ = (P − 1/q) / (1 − 1/q), P the share of agreeing pairs of raters.

    P is the mean over items with at least two ratings. ``categories`` is q, how many the raters
    could choose from; by default those that occur. Shapes as in `krippendorff_alpha`. In
    [−1/(q − 1), 1]; nan where q < 2 or no item has two ratings.
    Source: Randolph, Free-Marginal Multirater Kappa (2005).
    """
    values, counts = _count(ratings)
    q = len(values) if categories is None else categories
    if q < len(values):
        raise ValueError(
            f"the raters used {len(values)} categories, more than the {q} that they could choose from"
        )
    if q < 2 or not len(counts):
        return float("nan")
    n = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    return float((agreeing.mean() - 1 / q) / (1 - 1 / q))


def _count(ratings: Floats) -> tuple[Floats, Floats]:
    """The values that occur (V,) and how many raters gave them to each item rated twice (items, V)."""
    ratings = np.asarray(ratings, dtype=np.float64)
    if ratings.ndim != 2:
        raise ValueError(f"ratings must have shape (raters, items), not {ratings.shape}")
    rated = ratings[:, (~np.isnan(ratings)).sum(axis=0) >= 2]
    values = np.unique(rated[~np.isnan(rated)])
    return values, (rated.T[:, :, None] == values).sum(axis=1).astype(np.float64)


def pearson(x: Floats, y: Floats) -> Floats:
    """Correlation of two scores over the last axis, (..., n) → (...), in [−1, 1].

    Pairs with a nan are left out. nan where fewer than two pairs remain or one of the
    scores does not vary.
    """
    x, y = _pairs(x, y)
    x, y = x - _mean(x), y - _mean(y)
    scale = np.sqrt(np.nansum(x * x, axis=-1) * np.nansum(y * y, axis=-1))
    return np.asarray(np.clip(np.nansum(x * y, axis=-1) / np.where(scale > 0, scale, np.nan), -1.0, 1.0))


def spearman(x: Floats, y: Floats) -> Floats:
    """Correlation of ranks, tied scores sharing their mean rank. Shapes and nan as in `pearson`."""
    from scipy.stats import rankdata

    return pearson(*(rankdata(scores, axis=-1, nan_policy="omit") for scores in _pairs(x, y)))


class ResampledSpearman:
    """`spearman` of two scores under resamples that repeat each pair a given number of times; the scores are sorted once.

    Shapes of the scores: (n,). Equal pairs are counted together. A rank under a resample is the count of smaller
    items plus half the count of ties.
    """

    def __init__(self, x: Floats, y: Floats) -> None:
        known = np.flatnonzero(~(np.isnan(x) | np.isnan(y)))
        self._order = known[np.lexsort((y[known], x[known]))]
        x, y = x[self._order], y[self._order]
        self._starts = np.flatnonzero((x != np.roll(x, 1)) | (y != np.roll(y, 1)) | (np.arange(len(x)) == 0))
        self._tied = [np.unique(scores[self._starts], return_inverse=True)[1] for scores in (x, y)]

    def of(self, counts: NDArray[np.integer[Any]]) -> Floats:
        """The correlation of each draw; nan as in `pearson`. Shape of ``counts``: (draws, n) → (draws,)."""
        if not len(self._order):
            return np.full(len(counts), np.nan)
        many = np.add.reduceat(counts[:, self._order], self._starts, axis=1, dtype=np.float64)
        middle = (many.sum(axis=1, keepdims=True) + 1) / 2
        a, b = (_ranks(tied, many) - middle for tied in self._tied)
        weighted = many * a
        scale = np.sqrt(np.einsum("di,di->d", weighted, a) * np.einsum("di,di,di->d", many, b, b))
        products = np.einsum("di,di->d", weighted, b)
        return np.asarray(np.clip(products / np.where(scale > 0, scale, np.nan), -1.0, 1.0))


def _ranks(tied: Integers, counts: Floats) -> Floats:
    """The mean rank of each score, by its place among the distinct ones. Shapes: (n,), (draws, n) → (draws, n)."""
    of_ties = np.stack([np.bincount(tied, weights=drawn) for drawn in counts])
    return np.asarray((np.cumsum(of_ties, axis=1) - (of_ties - 1) / 2)[:, tied])


def _pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    missing = np.isnan(x) | np.isnan(y)
    return np.where(missing, np.nan, x), np.where(missing, np.nan, y)


def _mean(x: Floats) -> Floats:
    return np.asarray(
        np.nansum(x, axis=-1, keepdims=True) / np.maximum((~np.isnan(x)).sum(axis=-1, keepdims=True), 1)
    )


def alpha_of_two(x: Floats, y: Floats) -> Floats:
    """Krippendorff's α of two raters on an interval scale, over the last axis. (..., n) → (...).

    α = 1 − (2m − 1) Σ (x − y)² / (2m Σ (v − v̄)²), v all 2m ratings of the m items that both rated. Equals
    `krippendorff_alpha`, for many resamples at once. For labels of 0 and 1 it is the nominal α as
    well. nan where all ratings are equal.
    """
    x, y = _pairs(x, y)
    m = (~np.isnan(x)).sum(axis=-1)
    both = np.concatenate([x, y], axis=-1)
    spread = np.nansum((both - _mean(both)) ** 2, axis=-1)
    # Equal ratings leave rounding errors in their spread.
    spread = np.where(spread > 1e-18 * np.maximum(np.nansum(both**2, axis=-1), 1), spread, np.nan)
    observed = np.nansum((x - y) ** 2, axis=-1)
    return np.asarray(1 - (2 * m - 1) * observed / (2 * m * spread))


def kappa_of_two(x: Floats, y: Floats, categories: int) -> Floats:
    """Randolph's κ of two raters over the last axis: `randolph_kappa` for many resamples. (..., n) → (...).

    Items that either did not rate (nan) do not count; nan where none counts or ``categories`` < 2.
    """
    x, y = _pairs(x, y)
    rated = (~np.isnan(x)).sum(axis=-1)
    if categories < 2:
        return np.full(rated.shape, np.nan)
    agreeing = (x == y).sum(axis=-1) / np.where(rated > 0, rated, np.nan)
    return np.asarray((agreeing - 1 / categories) / (1 - 1 / categories))
