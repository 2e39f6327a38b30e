"""Regressions of the sentiment shift from single rows: what sums alone cannot give, robust errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairbrief.statistics import Fit, fit_robust, fit_sums
from fairbrief.types import Floats, Integers


@dataclass(frozen=True, slots=True)
class Regression:
    """One regression of the shift: its terms (the constant first), and its errors twice.

    ``classical`` trusts equal scatter; ``robust`` is HC3, or where rows of one cluster hang together
    (``is_clustered``) cluster-robust.
    """

    title: str
    terms: tuple[str, ...]
    n: int
    classical: Fit
    robust: Fit
    is_clustered: bool


def regress_shift(
    article: Floats,
    shift: Floats,
    groups: Sequence[str],
    clusters: Sequence[str],
    confidence_level: float = 0.95,
    compared_with: Literal["first", "last"] = "last",
) -> list[Regression]:
    """Shift on article sentiment in each group; then on the groups' dummies, without and with article.

    The last group in the order of the alphabet (or the first) is what the dummies are ``compared_with``; *adjusted* holds the article's
    sentiment fixed. Shapes: all (rows,).
    Coefficients are nan where their columns depend on each other or there are too few rows.
    """
    article, shift = np.asarray(article, dtype=np.float64), np.asarray(shift, dtype=np.float64)
    names = sorted(set(groups))
    of_row = np.array(groups, dtype=object)
    cluster = np.unique(np.array(clusters, dtype=str), return_inverse=True)[1]
    ones = np.ones(len(article))
    found = []
    for name in names:
        rows = of_row == name
        design = np.column_stack([ones[rows], article[rows]])
        found.append(
            _regress(name, ("constant", "article"), design, shift[rows], cluster[rows], confidence_level)
        )
    if len(names) > 1:
        *others, base = names if compared_with == "last" else reversed(names)
        dummies = [(of_row == name).astype(np.float64) for name in others]
        told = tuple(f"{name} − {base}" for name in others)
        design = np.column_stack([ones, *dummies])
        found.append(_regress("all", ("constant", *told), design, shift, cluster, confidence_level))
        design = np.column_stack([ones, article, *dummies])
        terms = ("constant", "article", *told)
        found.append(_regress("all, adjusted", terms, design, shift, cluster, confidence_level))
    return found


def _regress(
    title: str, terms: tuple[str, ...], x: Floats, y: Floats, clusters: Integers, confidence_level: float
) -> Regression:
    is_clustered = len(np.unique(clusters)) < len(y)
    classical = fit_sums(x.T @ x, x.T @ y, np.asarray(y @ y), np.asarray(float(len(y))), confidence_level)
    robust = fit_robust(x, y, clusters if is_clustered else None, confidence_level)
    return Regression(title, terms, len(y), classical, robust, is_clustered)
