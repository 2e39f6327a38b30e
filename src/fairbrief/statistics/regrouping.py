"""Sums by group after whole rows have changed groups at random: the null of "the groups are alike"."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats, Integers
from fairbrief.statistics.labellings import permutations

REGROUP_STREAM = 6
"""Keeps its random numbers apart from those of other purposes under one seed."""

CHUNK = 2_000_000
"""Labels held at once: 16 MB as weights."""


def regrouped_totals(
    rows: Floats, labels: Integers, groups: int, draws: int, seed: int, blocks: Integers | None = None
) -> Floats:
    """Sums of the rows of each group under random exchanges of the rows' labels.

    Every draw keeps how many rows each group has (in each block). Draws depend on the labels, the
    blocks, ``draws`` and ``seed`` alone, so that equal designs share them.

    Shapes: ``rows`` (n, k); ``labels`` (n,) codes 0 ≤ code < groups; ``blocks`` (n,) or None: labels are
    exchanged only between rows of one block. Returns (draws, groups, k). Raises ValueError where the
    shapes do not agree or a code is out of range.
    """
    rows, labels = np.asarray(rows, dtype=np.float64), np.asarray(labels, dtype=np.int64)
    if rows.ndim != 2 or labels.shape != (len(rows),):
        raise ValueError(f"rows (n, k) and labels (n,) do not agree: {rows.shape} and {labels.shape}")
    if len(labels) and not (labels.min() >= 0 and labels.max() < groups):
        raise ValueError(f"labels must lie in 0..{groups - 1}, not in {labels.min()}..{labels.max()}")
    totals = np.empty((draws, groups, rows.shape[1]))
    done = 0
    for arranged, ordered in _arranged(labels, rows, draws, seed, blocks):
        for group in range(groups):
            totals[done : done + len(arranged), group] = (arranged == group).astype(np.float64) @ ordered
        done += len(arranged)
    return totals


def _arranged(
    labels: Integers, rows: Floats, draws: int, seed: int, blocks: Integers | None
) -> Iterator[tuple[NDArray[np.integer], Floats]]:
    """Chunks of random labellings (count, n), and the rows in the order that they speak of."""
    rng = np.random.default_rng([REGROUP_STREAM, seed])
    n = max(1, len(labels))
    codes = labels.astype(np.min_scalar_type(int(labels.max(initial=0))))
    order = np.argsort(blocks, kind="stable") if blocks is not None else None
    if order is not None:
        _, place = np.unique(np.asarray(blocks)[order], return_inverse=True)
        codes, rows = codes[order], rows[order]
    step = max(1, CHUNK // n)
    for first in range(0, draws, step):
        count = min(step, draws - first)
        if order is None:
            yield rng.permuted(np.broadcast_to(codes, (count, len(codes))), axis=1), rows
        else:
            yield codes[permutations(place, count, rng)], rows
