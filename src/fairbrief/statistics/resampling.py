"""Bootstrap totals: every resample of additive rows is one row of a matrix product."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats, Integers

BOOTSTRAP_STREAM, BLOCK_STREAM = 4, 5
"""Purposes: under one seed, the two bootstraps have different random numbers."""

CHUNK = 1_000_000
"""Weights made at once; bounds the memory at some 30 MB."""

KEPT = 20_000_000
"""Bytes of one bootstrap's weights that are stored for the next rows; weights beyond that are recomputed each time."""


class Bootstrap:
    """Cluster bootstrap: clusters are drawn with replacement, each with all its rows.

    Draws depend only on (clusters, draws, seed), so systems share them and their differences
    are paired. Memory is bounded at any size: weights beyond the store are recomputed chunk by
    chunk from their seeds.
    """

    def __init__(self, clusters: int, draws: int = 2000, seed: int = 0) -> None:
        self._set(np.zeros(clusters), np.full(clusters, float(clusters)), draws, [BOOTSTRAP_STREAM, seed])

    def _set(self, start: Floats, size: Floats, draws: int, seed: list[int]) -> None:
        """Slot i draws a row uniformly from start[i] to start[i] + size[i]."""
        if start.size < 1 or draws < 1 or seed[-1] < 0:
            raise ValueError(
                f"a bootstrap needs a row, a draw and a seed of at least 0, not {start.size}, {draws} and {seed[-1]}"
            )
        self._start, self._size, self._draws, self._seed = start, size, draws, seed
        self._kept: list[NDArray[np.unsignedinteger]] = []

    def totals(self, rows: Floats) -> Floats:
        """Sums of resampled rows: Σ over clusters of weight × row. Shape (clusters, k) → (draws, k)."""
        rows = np.asarray(rows, dtype=np.float64)
        if rows.ndim != 2 or len(rows) != self._start.size:
            raise ValueError(f"rows must have shape ({self._start.size}, k), not {rows.shape}")
        return np.concatenate([weights.astype(np.float64) @ rows for weights in self.weights()])

    def weights(self) -> Iterator[NDArray[np.unsignedinteger]]:
        """How often each cluster is drawn, some draws at a time. Shape of each: (draws, clusters)."""
        if self._kept:
            yield from self._kept
            return
        made: list[NDArray[np.unsignedinteger]] = []
        fits = self._draws * self._start.size <= KEPT  # a byte each: nothing is drawn more than 255 times
        for weights in self._make():
            yield weights
            if fits:
                made.append(weights)
        self._kept = made

    def _make(self) -> Iterator[NDArray[np.unsignedinteger]]:
        rows = self._start.size
        step = max(1, CHUNK // rows)
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


@lru_cache(maxsize=16)
def shared_bootstrap(clusters: int, draws: int, seed: int) -> Bootstrap:
    """The bootstrap of this number of clusters, cached: systems and measures share the weights, which cost more than the sums."""
    return Bootstrap(clusters, draws, seed)


class BlockBootstrap(Bootstrap):
    """Resamples the blocks *inside* every cluster with replacement; the clusters stay as they are.

    The "s" interval of Steen & Markert: how much the assignment of people to one seed document matters,
    where `Bootstrap` (their "d") measures the choice of seed documents.
    ``cluster`` (blocks,) is the cluster of each block.
    """

    def __init__(self, cluster: Integers, draws: int = 2000, seed: int = 0) -> None:
        _, place, sizes = np.unique(np.asarray(cluster), return_inverse=True, return_counts=True)
        starts = np.cumsum(sizes) - sizes
        self._order = np.argsort(place, kind="stable")
        place = place[self._order]
        self._set(starts[place].astype(float), sizes[place].astype(float), draws, [BLOCK_STREAM, seed])

    def totals(self, rows: Floats) -> Floats:
        """Sums of resampled rows. Shape (blocks, k) → (draws, k)."""
        return super().totals(np.asarray(rows)[self._order])


def percentile_interval(draws: Floats, level: float = 0.95, axis: int = 0) -> tuple[Floats, Floats, Floats]:
    """Percentile interval of bootstrap draws: (low, high, share of draws that were undefined).

    Quantiles (1 ± level)/2 of the defined draws, interpolated linearly. Shapes: ``draws`` without
    ``axis``. Bounds are nan where no draw is defined, and infinite, never nan, where infinite
    draws reach them.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    ordered = np.moveaxis(np.sort(np.asarray(draws, dtype=np.float64), axis=axis), axis, 0)
    if not len(ordered):
        raise ValueError("an interval needs at least one draw")
    defined = len(ordered) - np.isnan(ordered).sum(axis=0)
    low = _quantile(ordered, defined, (1 - level) / 2)
    high = _quantile(ordered, defined, (1 + level) / 2)
    return low, high, 1.0 - defined / len(ordered)


def _quantile(ordered: Floats, defined: Floats, share: float) -> Floats:
    """Sorted along axis 0, nan last; only the first ``defined`` of each column are read."""
    last = np.maximum(defined - 1, 0)
    place = last * share
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, last).astype(np.intp)
    left = np.take_along_axis(ordered, below[None], axis=0)[0]
    right = np.take_along_axis(ordered, above[None], axis=0)[0]
    part = place - below
    # An infinite neighbour must give an infinite bound: ∞ − ∞ and 0 · ∞ would be nan.
    apart = (part != 0) & ~np.isinf(left)
    return np.asarray(left + part * np.subtract(right, left, out=np.zeros_like(left), where=apart))
