"""Two-sample permutation test with Welch's t: which clusters belong to which group is permuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import TIE, Floats, Integers, tolerance
from fairbrief.statistics.keyed_random import keys_of, random_bits
from fairbrief.statistics.labellings import EXACT_LIMIT


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A two-sided p; the smallest p that the permutations allow, and the smallest that those drawn allow."""

    p: float
    reachable: float
    sampled: float


def group_permutation(
    values: Floats, is_first: NDArray[np.bool_], names: Sequence[str], n_resamples: int, seed: int
) -> PermutationTest:
    """Test that the values of two groups of clusters have the same mean. Shapes: (c,) each.

    The statistic is the size of Welch's t, so that the test holds asymptotically where the groups' variances differ, and exactly where
    clusters are exchangeable. All ways to choose the smaller group are listed up to 10,000; else ``n_resamples`` are drawn,
    each a function of seed, cluster name and draw.
    Each group needs two clusters; without, p is 1.
    Source: Janssen, Statistics & Probability Letters 36 (1997); Chung & Romano, Annals of Statistics 41 (2013).
    """
    c, first = len(values), int(is_first.sum())
    small = min(first, c - first)
    if small < 2:
        return PermutationTest(1.0, 1.0, 1.0)
    in_small = is_first if first == small else ~is_first
    ways = comb(c, small)
    if ways <= EXACT_LIMIT:
        members = np.array(list(combinations(range(c), small)))
    else:
        keys = random_bits(keys_of(names, seed, "group permutation"), n_resamples)
        members = np.argpartition(keys, small - 1, axis=0)[:small].T
    observed = float(_welch(values, np.flatnonzero(in_small)[np.newaxis])[0])
    null = _welch(values, members)
    bar = observed - float(tolerance(np.asarray(observed)))
    reached = int((null >= bar).sum())
    if ways <= EXACT_LIMIT:
        return PermutationTest(reached / ways, 1 / ways, 1 / ways)
    return PermutationTest((1 + reached) / (n_resamples + 1), 1 / ways, 1 / (n_resamples + 1))


def _welch(values: Floats, members: Integers) -> Floats:
    """|Welch's t| of the members against the others; ∞ where neither group varies and the means differ. Shapes: (c,), (B, m) → (B,)."""
    m, rest = members.shape[1], len(values) - members.shape[1]
    centered = values - values.mean()
    own = centered[members]
    top, squares = own.sum(axis=1), (own**2).sum(axis=1)
    total = float((centered**2).sum())
    mean, other = top / m, -top / rest  # the values sum to 0
    variance = np.maximum(squares - m * mean**2, 0.0) / (m - 1) / m
    variance += np.maximum(total - squares - rest * other**2, 0.0) / (rest - 1) / rest
    is_flat = variance <= TIE * max(total, 1e-300)
    gap = np.abs(mean - other)
    flat = np.where(gap > TIE * max(1.0, float(np.abs(values).max())), np.inf, 0.0)
    return np.asarray(np.where(is_flat, flat, gap / np.sqrt(np.where(is_flat, 1.0, variance))))
