"""Permutation tests: p-values against exchanged labels, and the labels for a corpus-wide null."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Literal

import numpy as np

from fairbrief.statistics.arrays import Floats, Integers, ratio, tolerance
from fairbrief.statistics.labellings import (
    EXACT_LIMIT,
    Shuffle,
    count_labellings,
    enumerate_labellings,
    list_labellings,
    permutations,
    sample_labellings,
    sort_by_block,
)

__all__ = [
    "EXACT_LIMIT",
    "LabelDraws",
    "count_labellings",
    "enumerate_labellings",
    "sample_labellings",
    "smallest_p",
    "swapped_totals",
    "two_sided_p",
    "upper_p",
]

Tail = Literal["upper", "both"]

POOL_STREAM, RECORD_STREAM, SWAP_STREAM = 1, 2, 3
"""Keep the random numbers of different purposes apart under one seed."""

KEPT = 32_000_000
"""Bytes of labellings, of the records that come first, that are kept for whoever asks for them again."""

CHUNK = 4_000_000
"""Weights held at once while totals are made: 32 MB."""


class LabelDraws:
    """Random labellings of each record for a corpus-wide null; cheap per record.

    Draw b of the corpus null takes labelling ``choice[b]`` of every record. A record's answer is a
    function of (seed, draws, key, labels, blocks) alone: not of order, batch or other records.
    Draws of different records are independent, those of one record uniform over its labellings.
    """

    def __init__(self, draws: int, seed: int) -> None:
        if draws < 1 or seed < 0:
            raise ValueError(f"draws must be at least 1 and seed at least 0, not {draws} and {seed}")
        self.draws = draws
        self.seed = seed
        # Several observations ask for the same labels of a record.
        self._kept: dict[tuple[str, bytes, bytes | None, bool], tuple[Integers, Integers, bool]] = {}
        self._room = KEPT

    def observed_and_choice(
        self, key: str, labels: Integers, blocks: Integers | None = None, *, all_labellings: bool = False
    ) -> tuple[Integers, Integers, bool]:
        """A record's labellings (R, n), the real one first; which of them each draw takes (draws,);
        and whether all distinct labellings are listed, so that p-values of the record alone are exact.

        Where there are no more distinct labellings than draws (with ``all_labellings``: than
        `EXACT_LIMIT`) all are listed and a draw may be the real one. Else R = draws + 1, and a draw
        takes one of the sampled labellings 1..draws, each exactly once. The labellings are
        read-only: several may hold them.
        """
        own = (
            np.asarray(labels, dtype=np.int64).tobytes(),
            None if blocks is None else np.asarray(blocks).tobytes(),
        )
        found = self._kept.get((key, *own, all_labellings))
        if found is not None:
            return found
        shuffle = sort_by_block(labels, blocks)
        few = min(self.draws, EXACT_LIMIT)
        found = self._drawn(key, shuffle, exact=shuffle.number <= (EXACT_LIMIT if all_labellings else few))
        found[0].flags.writeable = False
        self._room -= found[0].nbytes + found[1].nbytes
        if self._room > 0:
            for asked in (False, True) if shuffle.number <= few else (all_labellings,):
                self._kept[key, *own, asked] = found
        return found

    def _drawn(self, key: str, shuffle: Shuffle, *, exact: bool) -> tuple[Integers, Integers, bool]:
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        rng = np.random.default_rng([RECORD_STREAM, self.seed, int.from_bytes(digest, "little")])
        if exact:
            rows = list_labellings(shuffle)
            return rows, rng.integers(0, len(rows), self.draws), True
        # The pool is finite, so it prefers some labels for some positions. Were records to share that
        # preference, their errors would add up over a corpus; an own shuffle of the labels before the
        # pool is applied makes records independent, and an own order does the same for their draws.
        own = shuffle.labels[permutations(shuffle.block, 1, rng)[0]]
        rows = np.empty((self.draws + 1, own.size), dtype=np.int64)
        rows[0] = shuffle.labels
        np.take(own, _pool(shuffle.sizes, self.draws, self.seed), out=rows[1:], mode="clip")
        return shuffle.scatter(rows), rng.permutation(self.draws) + 1, False


@lru_cache(maxsize=64)
def _pool(sizes: tuple[int, ...], draws: int, seed: int) -> Integers:
    """Permutations that all records with blocks of these sizes draw on. Shape (draws, n)."""
    block = np.repeat(np.arange(len(sizes)), sizes)
    return permutations(block, draws, np.random.default_rng([POOL_STREAM, seed, *sizes]))


def upper_p(observed: Floats | float, null: Floats, exact: bool, axis: int = 0) -> Floats:
    """P that "no disparity" reads at least as much as was observed; ties within 1e-12 count.

    Exact: #{null ≥ observed} / R over all R labellings, the real one among them. Sampled:
    (1 + #{null ≥ observed}) / (B + 1) over B draws, the real one not among them.

    Shapes: ``null`` has the shape of ``observed`` with ``axis`` added. An undefined (nan) null value
    counts nowhere. nan where ``observed`` is nan or no null value is defined.
    """
    return _tail_p(np.asarray(observed, dtype=np.float64), np.asarray(null, dtype=np.float64), exact, axis)


def two_sided_p(observed: Floats | float, null: Floats, exact: bool, axis: int = 0) -> Floats:
    """Twice the smaller tail, at most 1: for a contrast with a sign. Shapes and nan as in `upper_p`."""
    observed, null = np.asarray(observed, dtype=np.float64), np.asarray(null, dtype=np.float64)
    both = np.minimum(_tail_p(observed, null, exact, axis), _tail_p(-observed, -null, exact, axis))
    return np.asarray(np.minimum(1.0, 2.0 * both))


def smallest_p(null: Floats, exact: bool, tail: Tail = "upper", axis: int = 0) -> Floats:
    """The p of the most extreme labelling of a unit; above α the unit is not testable.

    ``null`` holds all labellings (exact), or a sample of them, whose most extreme member then
    stands for the observation. Without ``axis``; nan where no value is defined.
    """
    null = np.asarray(null, dtype=np.float64)
    extremes = (null,) if tail == "upper" else (null, -null)
    ps = [_extreme_p(values, exact, axis) for values in extremes]
    return ps[0] if tail == "upper" else np.asarray(np.minimum(1.0, 2.0 * np.minimum(*ps)))


def _extreme_p(null: Floats, exact: bool, axis: int) -> Floats:
    defined = (~np.isnan(null)).sum(axis=axis)
    highest = np.where(np.isnan(null), -np.inf, null).max(axis=axis)
    tied = (null >= np.expand_dims(highest - tolerance(highest), axis)).sum(axis=axis)
    return ratio(tied, defined if exact else defined + (defined > 0))


def _tail_p(observed: Floats, null: Floats, exact: bool, axis: int) -> Floats:
    bar = np.expand_dims(observed - tolerance(observed), axis)
    reached = (null >= bar).sum(axis=axis)
    defined = (~np.isnan(null)).sum(axis=axis)
    p = ratio(reached, defined) if exact else ratio(reached + 1, defined + (defined > 0))
    return np.asarray(np.where(np.isnan(observed), np.nan, p))


def swapped_totals(a: Floats, b: Floats, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Totals of two systems after each cluster's rows changed hands with probability ½.

    The null of "the systems are alike": under it, which of the two wrote what is exchangeable
    within every cluster. Shapes: ``a``, ``b`` (clusters, k) → two arrays (draws, k).
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 2:
        raise ValueError(f"both systems need rows of one shape (clusters, k), not {a.shape} and {b.shape}")
    rng = np.random.default_rng([SWAP_STREAM, seed])
    clusters = len(a)
    moved = np.empty((draws, a.shape[1]))
    step = max(1, CHUNK // max(1, clusters))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        bits = np.frombuffer(rng.bytes(count * ((clusters + 7) // 8)), dtype=np.uint8)
        swap = np.unpackbits(bits.reshape(count, -1), axis=1, count=clusters)
        moved[start : start + count] = swap.astype(np.float64) @ (b - a)
    return a.sum(axis=0) + moved, b.sum(axis=0) - moved
