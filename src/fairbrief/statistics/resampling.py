"""Resamples of whole clusters: bootstrap totals, and tests by random signs or exchanged groups; and several tests at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import TIE, Floats, Integers, tolerance
from fairbrief.statistics.keyed_random import keys_of, random_bits, random_flips
from fairbrief.statistics.label_permutations import EXACT_LIMIT

BOOTSTRAP_STREAM, BLOCK_STREAM = 4, 5
"""Purposes: under one seed, the two bootstraps have different random numbers."""

CHUNK = 1_000_000
"""Weights made at once; bounds the memory at some 30 MB."""

KEPT = 20_000_000
"""Bytes of one bootstrap's weights that are stored for the next rows; weights beyond that are recomputed each time."""


class Bootstrap:
    """Cluster bootstrap: clusters are drawn with replacement, each with all its rows.

    Draws depend only on (clusters, draws, seed, within), so systems share them and their differences
    are paired. Memory is bounded at any size: weights beyond the store are recomputed chunk by
    chunk from their seeds.

    With ``within`` (clusters,), only clusters of the same number are drawn for one another. The "s" interval of Steen & Markert
    draws the blocks inside each seed document: how much the assignment of people to it matters, where their "d" interval
    measures the choice of seed documents.
    """

    def __init__(
        self, clusters: int, draws: int = 2000, seed: int = 0, within: Integers | None = None
    ) -> None:
        number = np.zeros(clusters) if within is None else np.asarray(within)
        _, place, sizes = np.unique(number, return_inverse=True, return_counts=True)
        self._order = np.argsort(place, kind="stable")
        place = place[self._order]
        self._start, self._size = (np.cumsum(sizes) - sizes)[place].astype(float), sizes[place].astype(float)
        """Slot i draws a row uniformly from start[i] to start[i] + size[i]."""
        self._draws, self._seed = draws, [BOOTSTRAP_STREAM if within is None else BLOCK_STREAM, seed]
        self._kept: list[NDArray[np.unsignedinteger]] | None = None

    def totals(self, rows: Floats) -> Floats:
        """Sums of resampled rows: Σ over clusters of weight × row. Shape (clusters, k) → (draws, k)."""
        rows = np.asarray(rows)[self._order]
        sums = [weights.astype(np.float64) @ rows for weights in self.weights()]
        return np.concatenate(sums) if sums else np.zeros((0, rows.shape[1]))

    def weights(self) -> Iterator[NDArray[np.unsignedinteger]]:
        """How often each cluster is drawn, some draws at a time. Shape of each: (draws, clusters)."""
        fits = self._draws * self._start.size <= KEPT  # a byte each: nothing is drawn more than 255 times
        if fits and self._kept is None:
            self._kept = list(self._make())
        return self._make() if self._kept is None else iter(self._kept)

    def _make(self) -> Iterator[NDArray[np.unsignedinteger]]:
        rows = self._start.size
        step = max(1, CHUNK // max(1, rows))
        for number, first in enumerate(range(0, self._draws, step)):
            count = min(step, self._draws - first)
            rng = np.random.default_rng([*self._seed, number])
            picks = rng.random((count, rows))
            picks *= self._size
            np.floor(picks, out=picks)
            picks += self._start
            picks += (np.arange(count) * rows)[:, None]
            weights = np.bincount(picks.astype(np.intp).ravel(), minlength=count * rows)
            yield weights.reshape(count, rows).astype(np.min_scalar_type(int(weights.max())))


shared_bootstrap = lru_cache(maxsize=16)(Bootstrap)
"""The bootstrap of this number of clusters, cached: systems and measures share the weights, which cost more than the sums."""


def percentile_interval(draws: Floats, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """Percentile interval of bootstrap draws: (low, high, share of draws that were undefined).

    Quantiles (1 ± level)/2 of the defined draws, interpolated linearly. Shapes: (draws, …) → (…). Bounds are nan where no draw is defined, and infinite, never nan, where infinite
    draws reach them.
    """
    ordered = np.sort(np.asarray(draws, dtype=np.float64), axis=0)
    defined = len(ordered) - np.isnan(ordered).sum(axis=0)
    low = _quantile(ordered, defined, (1 - level) / 2)
    high = _quantile(ordered, defined, (1 + level) / 2)
    return low, high, 1.0 - defined / len(ordered)


def _quantile(ordered: Floats, defined: Floats, share: float) -> Floats:
    """Sorted along axis 0, nan last; only the first ``defined`` of each column are read."""
    place = np.maximum(defined - 1, 0) * share
    ends = np.floor(place), np.ceil(place)
    left, right = (np.take_along_axis(ordered, end.astype(np.intp)[None], axis=0)[0] for end in ends)
    with np.errstate(invalid="ignore"):  # infinite draws are bounds as they are
        return np.asarray(np.where(np.isinf(left), left, left + (place - ends[0]) * (right - left)))


# ------------------------------------------------------------------------------------- tests


def flipped(
    contributions: Floats, clusters: Sequence[str], n_resamples: int, seed: int
) -> tuple[Floats, bool]:
    """Sums of the clusters' contributions with random signs, and whether all sign patterns are listed.

    Up to 10,000, all 2^(c−1) patterns that differ by more than a common sign are listed; else ``n_resamples`` are drawn, each sign
    by seed, cluster and resample. Shapes: ``contributions`` (c, K), ``clusters`` (c,) → (ways, K). A cluster's
    contributions to several contrasts change sign together. The sum of squares is constant, so a test of these sums is
    studentized.
    Source: Fisher, The Design of Experiments (1935), §21; for unequal spread Janssen, JSPI 81 (1999).
    """
    is_listed = 2 ** min(len(contributions) - 1, 60) <= EXACT_LIMIT
    signs = _all_signs(len(contributions)) if is_listed else _signs(tuple(clusters), n_resamples, seed)
    return np.asarray(signs @ contributions), is_listed


@lru_cache(maxsize=16)
def _all_signs(c: int) -> Floats:
    """All distinct ways up to a common sign. Shape (2^(c−1), c)."""
    return np.asarray(1.0 - 2.0 * (np.arange(2 ** max(0, c - 1))[:, np.newaxis] >> np.arange(c) & 1))


@lru_cache(maxsize=4)
def _signs(clusters: tuple[str, ...], n_resamples: int, seed: int) -> Floats:
    """Random signs. Shape (n_resamples, clusters)."""
    return np.asarray(1.0 - 2.0 * random_flips(keys_of(clusters, seed, "sign flips"), n_resamples).T)


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A test by exchanged labels, groups or signs: ``p``, and the ``mean`` of the value under the null hypothesis.

    ``reachable`` is the smallest p that unlimited resamples would allow; ``sampled`` the smallest that this number of them allows.
    """

    p: float | None
    reachable: float
    sampled: float
    mean: float | None = None


def group_permutation(
    tops: Floats,
    bottoms: Floats,
    is_first: NDArray[np.bool_],
    names: Sequence[str],
    n_resamples: int,
    seed: int,
) -> PermutationTest:
    """Test that the ratios Σ top / Σ bottom of two groups of clusters are equal. Shapes: (c,) each.

    The result is the same if a multiple of the bottoms is added to the tops. The statistic is |t| of Welch, so that the test is
    valid asymptotically where variances differ, and exact where clusters are exchangeable. Up to 10,000, all ways to choose the
    smaller group are listed; else ``n_resamples`` are drawn, each a function of seed, cluster name and draw.
    p is 1 unless each group has two clusters.
    Source: Janssen, Statistics & Probability Letters 36 (1997); Chung & Romano, Annals of Statistics 41 (2013).
    """
    c, first = len(tops), int(is_first.sum())
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
    observed = float(_welch(tops, bottoms, np.flatnonzero(in_small)[np.newaxis])[0])
    p, sampled = share_reached(observed, _welch(tops, bottoms, members), is_listed=ways <= EXACT_LIMIT)
    return PermutationTest(p, 1 / ways, sampled)


def share_reached(observed: float, null: Floats, *, is_listed: bool) -> tuple[float, float]:
    """P of a size among those of all ways, or of random ones, ties counted; and the smallest p that these ways allow."""
    bar = observed - float(tolerance(np.asarray(observed)))
    reached, many = int((null >= bar).sum()), len(null)
    return (reached / many, 1 / many) if is_listed else ((1 + reached) / (many + 1), 1 / (many + 1))


def _welch(tops: Floats, bottoms: Floats, members: Integers) -> Floats:
    """|Welch's t| of the ratio of the members against that of the others; ∞ where neither group varies and the ratios differ.

    Shapes: (c,), (c,), (B, m) → (B,).
    """
    m, rest = members.shape[1], len(tops) - members.shape[1]
    tops, bottoms = tops / bottoms.mean(), bottoms / bottoms.mean()
    tops = tops - bottoms * tops.mean()
    each = np.stack([tops, bottoms, tops**2, tops * bottoms, bottoms**2])
    own = each[:, members].sum(axis=2)
    sums = np.stack([own, each.sum(axis=1)[:, np.newaxis] - own])  # (2, 5, B)
    top, bottom, *squares = np.moveaxis(sums, 1, 0)
    ratios = top / bottom
    spread = squares[0] - 2 * ratios * squares[1] + ratios**2 * squares[2]
    sizes = np.array([[m], [rest]])
    variance = (np.maximum(spread, 0.0) * sizes / (sizes - 1) / bottom**2).sum(axis=0)
    is_flat = variance <= TIE * max(float((tops**2).sum()), 1e-300)
    gap = np.abs(ratios[0] - ratios[1])
    flat = np.where(gap > TIE * max(1.0, float(np.abs(tops).max())), np.inf, 0.0)
    return np.asarray(np.where(is_flat, flat, gap / np.sqrt(np.where(is_flat, 1.0, variance))))


def studentize(top: Floats, bottom: Floats, squares: Floats, center: Floats | float = 0.0) -> Floats:
    """|θ − center| / se of the ratio θ = Σ top / Σ bottom, se² = Σ (top_c − θ·bottom_c)² / (Σ bottom)² over clusters c.

    ``squares`` (..., 3) holds Σ top_c², Σ top_c·bottom_c and Σ bottom_c². Shape of the others and of the
    answer: (...). A standard error of 0 gives ∞ (as extreme as can be), except where nothing can be
    divided: nan.
    Source: the linearised variance of a ratio; studentized permutations: Janssen (1997), Chung & Romano (2013).
    """
    some = np.abs(bottom) > 0
    theta = np.where(some, top / np.where(some, bottom, 1.0), np.nan)
    rest = squares[..., 0] - 2 * theta * squares[..., 1] + theta**2 * squares[..., 2]
    scale = np.maximum(squares[..., 0], tolerance(squares[..., 0]))
    error = np.sqrt(np.where(rest > TIE * scale, rest, 0.0))
    t = np.abs((theta - center) * bottom) / np.where(error > 0, error, 1.0)
    return np.asarray(np.where(np.isnan(theta), np.nan, np.where(error > 0, t, np.inf)))


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that the chance of *any* false alarm stays at α.

    The i-th smallest of m is multiplied by m − i + 1; adjusted values do not decrease, and are at
    most 1. None (not tested) stays None and does not count among the m.
    Source: Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    tested = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    floor = 0.0
    for rank, (p, place) in enumerate(tested):
        floor = max(floor, min(1.0, p * (len(tested) - rank)))
        adjusted[place] = floor
    return adjusted
