"""How well a score separates two classes, and how probable it makes the first: ROC-AUC, cut-offs, isotonic regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairbrief.statistics.arrays import Floats, ratio

Counts = NDArray[np.integer[Any]]
"""How often each item was drawn."""


def roc_auc(scores: Floats, labels: ArrayLike, counts: Counts | None = None) -> Floats:
    """Area under the ROC curve: the share of pairs in which a true item scores above a false one, ties counted half. In [0, 1].

    ``counts`` is how often each resample drew each item: (n,), (n,), (draws, n) → (draws,); without, one number, shape ().
    nan where one of the classes is absent.
    """
    return _area(*_by_score(scores, labels, counts)[:2])


def balanced_accuracy(scores: Floats, labels: ArrayLike, cut: float, counts: Counts | None = None) -> Floats:
    """Mean share of true items that score at least ``cut`` and of false ones that score below. Shapes as in `roc_auc`."""
    return roc_auc((np.asarray(scores) >= cut).astype(np.float64), labels, counts)


def best_cut(scores: Floats, labels: ArrayLike, counts: Counts | None = None) -> Floats:
    """The cut-off of the largest balanced accuracy, between two scores; the lowest of several. Shapes as in `roc_auc`."""
    true, false, distinct = _by_score(scores, labels, counts)
    is_known = (true.sum(axis=-1) > 0) & (false.sum(axis=-1) > 0)
    gain = np.cumsum(false, axis=-1) * true.sum(axis=-1, keepdims=True)
    gain = gain - np.cumsum(true, axis=-1) * false.sum(axis=-1, keepdims=True)
    gain = np.concatenate([np.zeros_like(gain[..., :1]), gain[..., :-1]], axis=-1)
    middle = (distinct[1:] + distinct[:-1]) / 2
    cuts = np.append(distinct[:1], np.where(middle > distinct[:-1], middle, distinct[1:]))
    return np.asarray(np.where(is_known, cuts[gain.argmax(axis=-1)], np.nan))


def isotonic(scores: Floats, labels: ArrayLike, counts: Counts | None = None) -> tuple[Floats, Floats]:
    """The non-decreasing numbers closest to the labels, as knots of a piecewise linear map of the score.

    Labels are numbers in [0, 1]. Each knot is the lowest or highest score of a block with equal shares; `numpy.interp`
    interpolates between knots, and beyond the ends the nearest share holds. Shapes: (n,), (n,), (n,) → (knots,), (knots,). ValueError without an item.
    Source: pool adjacent violators: Ayer et al., Annals of Mathematical Statistics 26 (1955).
    """
    true, false, distinct = _by_score(scores, labels, counts)
    is_drawn = true + false > 0
    true, many, low = true[is_drawn], (true + false)[is_drawn], distinct[is_drawn]
    high = low
    while True:
        share = true / many
        starts = np.flatnonzero(np.append([True], share[1:] > share[:-1]))
        if len(starts) == len(share):
            break
        # A run of blocks that do not increase is one block of the answer.
        true, many = np.add.reduceat(true, starts), np.add.reduceat(many, starts)
        low, high = low[starts], high[np.append(starts[1:], len(share)) - 1]
    places, is_knot = np.column_stack([low, high]), np.column_stack([np.ones(len(low)), low < high]) > 0
    return places[is_knot], np.repeat(share, 2).reshape(-1, 2)[is_knot]


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


def _area(true: Floats, false: Floats) -> Floats:
    below = np.cumsum(false, axis=-1) - false / 2
    return ratio((true * below).sum(axis=-1), true.sum(axis=-1) * false.sum(axis=-1))
