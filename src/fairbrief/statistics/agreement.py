"""Agreement of raters, correlation of two scores, and how well a score separates two classes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairbrief.statistics.arrays import Floats, Integers, ratio

Scale = Literal["nominal", "ordinal", "interval"]
Counts = NDArray[np.integer[Any]]
"""How often each item was drawn."""


def krippendorff_alpha(ratings: Floats, scale: Scale = "nominal") -> Floats:
    """Krippendorff's α = 1 − observed / expected disagreement; 1 is perfect, 0 is chance.

    With a sum of squares S around the mean of all n ratings, and S_u around that of the m_u ratings of item u, it is
    1 − (n − 1)/n · Σ m_u/(m_u − 1) S_u / S. Nominal ratings are indicators of each value, ordinal ones are ranks.
    Shapes: ``ratings`` (…, raters, items), nan where a rater did not rate → (…). Items with fewer than two
    ratings do not count. nan where all counted ratings are equal, since no disagreement was possible.
    Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
    """
    ratings = np.asarray(ratings, dtype=np.float64)
    many = (~np.isnan(ratings)).sum(axis=-2)
    is_counted = many >= 2
    counted = np.where(is_counted[..., np.newaxis, :], ratings, np.nan)
    flat = counted.reshape(*counted.shape[:-2], prod(counted.shape[-2:]))
    values = _coordinates(flat, scale)
    spread = _squares(values)
    # Equal ratings leave rounding errors in their spread.
    rounding = 1e-18 * np.maximum(np.nansum(values**2, axis=-1), 1)
    spread = np.where(spread > rounding, spread, 0.0).sum(axis=0)
    of_items = _squares(np.moveaxis(values.reshape(len(values), *ratings.shape), -2, -1)).sum(axis=0)
    observed = np.where(is_counted, many / np.maximum(many - 1, 1) * of_items, 0.0).sum(axis=-1)
    n = np.where(is_counted, many, 0).sum(axis=-1)
    return np.asarray(1 - (n - 1) / np.maximum(n, 1) * observed / np.where(spread > 0, spread, np.nan))


def _squares(x: Floats) -> Floats:
    """The squares around the mean, summed over the known numbers of the last axis."""
    return np.asarray(np.nansum((x - _mean(x)) ** 2, axis=-1))


def _coordinates(ratings: Floats, scale: Scale) -> Floats:
    """Numbers whose squared distances are the scale's disagreements. Shape (…, n) → (coordinates, …, n)."""
    if scale == "interval":
        return ratings[np.newaxis]
    if scale == "ordinal":
        from scipy.stats import rankdata

        return np.asarray(rankdata(ratings, axis=-1, nan_policy="omit"))[np.newaxis]
    values = np.unique(ratings[~np.isnan(ratings)])
    return np.where(np.isnan(ratings), np.nan, ratings == values.reshape(-1, *[1] * ratings.ndim))


def randolph_kappa(ratings: Floats, categories: int) -> Floats:
    """Randolph's free-marginal κ = (P − 1/q) / (1 − 1/q), P the share of agreeing pairs of raters.

    P is the mean over items with at least two ratings. ``categories`` is q, how many the raters
    could choose from. Shapes as in `krippendorff_alpha`. In [−1/(q − 1), 1]; nan where q < 2 or no item has two ratings.
    Source: Randolph, Free-Marginal Multirater Kappa (2005).
    """
    raters = np.moveaxis(np.asarray(ratings, dtype=np.float64), -2, 0)
    many = (~np.isnan(raters)).sum(axis=0)
    agreeing = np.sum([a == b for a, b in combinations(raters, 2)], axis=0)
    share = ratio(agreeing, many * (many - 1) / 2)
    by_chance = 1 / categories if categories > 1 else np.nan
    return np.asarray((_mean(share)[..., 0] - by_chance) / (1 - by_chance))


def pearson(x: Floats, y: Floats) -> Floats:
    """Correlation of two scores over the last axis, (..., n) → (...), in [−1, 1].

    Pairs with a nan are left out. nan where fewer than two pairs remain or one of the
    scores does not vary.
    """
    x, y = _pairs(x, y)
    products = np.nansum((x - _mean(x)) * (y - _mean(y)), axis=-1)
    return np.asarray(np.clip(ratio(products, np.sqrt(_squares(x) * _squares(y))), -1.0, 1.0))


def spearman(x: Floats, y: Floats) -> Floats:
    """Correlation of ranks, tied scores sharing their mean rank. Shapes and nan as in `pearson`."""
    from scipy.stats import rankdata

    return pearson(*(rankdata(scores, axis=-1, nan_policy="omit") for scores in _pairs(x, y)))


def spearman_of_draws(x: Floats, y: Floats, draws: Iterable[Counts]) -> Floats:
    """`spearman` of each resample, without sorting again; ``draws`` is how often it has each pair. Shapes: (n,), (n,), (n,) each → (draws,)."""
    known = ~(np.isnan(x) | np.isnan(y))
    places = [np.unique(scores[known], return_inverse=True)[1] for scores in (x, y)]
    found = []
    for counts in (of_all[known] for of_all in draws):
        a, b = (_centred_ranks(place, counts) for place in places)
        scale = ((counts * a) @ a * ((counts * b) @ b)) ** 0.5
        found.append(np.clip((counts * a) @ b / scale, -1.0, 1.0) if scale > 0 else np.nan)
    return np.array(found)


def _centred_ranks(places: Integers, counts: Counts) -> Floats:
    """The rank that tied scores share, minus the mean rank."""
    many = np.bincount(places, counts)
    ranks: Floats = np.cumsum(many) - many / 2 - many.sum() / 2
    return ranks[places]


def _pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    missing = np.isnan(x) | np.isnan(y)
    return np.where(missing, np.nan, x), np.where(missing, np.nan, y)


def _mean(x: Floats) -> Floats:
    """The mean of the known numbers of the last axis, which stays with length 1; nan where none is known."""
    return ratio(np.nansum(x, axis=-1, keepdims=True), (~np.isnan(x)).sum(axis=-1, keepdims=True))


# ------------------------------------------------------------------------------------- two classes


def roc_auc(scores: Floats, labels: ArrayLike, counts: Counts | None = None) -> Floats:
    """Area under the ROC curve: the share of pairs in which a true item scores above a false one, ties counted half. In [0, 1].

    ``counts`` is how often each resample drew each item: (n,), (n,), (draws, n) → (draws,); without, one number, shape ().
    nan where one of the classes is absent.
    """
    true, false, _ = _by_score(scores, labels, counts)
    below = np.cumsum(false, axis=-1) - false / 2
    return ratio((true * below).sum(axis=-1), true.sum(axis=-1) * false.sum(axis=-1))


def balanced_accuracy(scores: Floats, labels: ArrayLike, cut: float, counts: Counts | None = None) -> Floats:
    """Mean share of true items that score at least ``cut`` and of false ones that score below. Shapes as in `roc_auc`."""
    return roc_auc((np.asarray(scores) >= cut).astype(np.float64), labels, counts)


def best_cut(scores: Floats, labels: ArrayLike, counts: Counts | None = None) -> Floats:
    """The cut-off of the largest balanced accuracy, between two scores; the lowest of several. Shapes as in `roc_auc`."""
    true, false, distinct = _by_score(scores, labels, counts)
    is_known = (true.sum(axis=-1) > 0) & (false.sum(axis=-1) > 0)
    steps = false * true.sum(axis=-1, keepdims=True) - true * false.sum(axis=-1, keepdims=True)
    gain = np.cumsum(steps, axis=-1) - steps
    middle = (distinct[1:] + distinct[:-1]) / 2
    cuts = np.append(distinct[:1], np.where(middle > distinct[:-1], middle, distinct[1:]))
    return np.asarray(np.where(is_known, cuts[gain.argmax(axis=-1)], np.nan))


def isotonic(scores: Floats, labels: ArrayLike, counts: Counts | None = None) -> tuple[Floats, Floats]:
    """The non-decreasing numbers closest to the labels, as knots of a piecewise linear map of the score.

    Labels are numbers in [0, 1]. Each knot is the lowest or highest score of a block with equal shares; `numpy.interp`
    interpolates between knots, and beyond the ends the nearest share holds. Shapes: (n,), (n,), (n,) → (knots,), (knots,). ValueError without an item.
    Source: pool adjacent violators: Ayer et al., Annals of Mathematical Statistics 26 (1955).
    """
    from scipy.optimize import isotonic_regression

    true, false, distinct = _by_score(scores, labels, counts)
    many = true + false
    true, many, distinct = (numbers[many > 0] for numbers in (true, many, distinct))
    found = isotonic_regression(true / many, weights=many)
    low, high = distinct[found.blocks[:-1]], distinct[found.blocks[1:] - 1]
    places, is_knot = np.column_stack([low, high]), np.column_stack([np.ones(len(low)), low < high]) > 0
    return places[is_knot], np.repeat(found.x[found.blocks[:-1]], 2).reshape(-1, 2)[is_knot]


def _by_score(scores: Floats, labels: ArrayLike, counts: Counts | None) -> tuple[Floats, Floats, Floats]:
    """True and false items (draws, distinct) by score, in ascending order; and the distinct scores."""
    scores, labels = (np.asarray(of, dtype=np.float64) for of in (scores, labels))
    if not len(scores):
        raise ValueError("no item is scored")
    order = np.argsort(scores, kind="stable")
    ranked, is_true = scores[order], labels[order]
    starts = np.flatnonzero(np.append([True], ranked[1:] != ranked[:-1]))
    many = np.ones(len(scores)) if counts is None else np.asarray(counts)[..., order].astype(np.float64)
    true, false = (np.add.reduceat(many * own, starts, axis=-1) for own in (is_true, 1 - is_true))
    return true, false, ranked[starts]
