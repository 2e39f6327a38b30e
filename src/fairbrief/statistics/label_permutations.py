"""Every way, or a fair sample of the ways, to exchange labels inside blocks.

A *label permutation* is an arrangement of the real labels over the positions of a unit. Labels move only
among the positions of their block; two arrangements are the same if they read the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Integers

EXACT_LIMIT = 10_000
"""Up to this many distinct label permutations are enumerated; more are sampled."""

Counts = tuple[tuple[int, ...], ...]
"""Per block, how often each of its distinct labels occurs (labels ascending): the unit's pattern."""


@dataclass(frozen=True, eq=False)
class Shuffle:
    """A unit's labels, sorted by block.

    Shapes: ``order`` (n,) positions block by block; ``labels`` (n,) the labels at these positions;
    ``sizes`` the length of each block.
    """

    order: Integers | None
    labels: Integers
    sizes: tuple[int, ...]

    @cached_property
    def block(self) -> Integers:
        """The block of each sorted position. Shape (n,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def counts(self) -> Counts:
        """How often each label occurs in each block."""
        return tuple(tuple(_tally(part).values()) for part in self._parts)

    @cached_property
    def number(self) -> int:
        """How many distinct label permutations there are: the product over blocks of n! / Π nₖ!. Exact."""
        return prod(multinomial(counts) for counts in self.counts)

    @cached_property
    def stored_permutations(self) -> Integers:
        """`permutations`, computed once."""
        return self.permutations()

    def permutations(self) -> Integers:
        """All distinct label permutations, the real one first; read-only, since several may hold them. Shape (R, n)."""
        rows = self._spelled(arrangements(self.counts))
        real = int(np.flatnonzero((rows == self.labels).all(axis=1))[0])
        rows[real], rows[0] = rows[0].copy(), self.labels
        rows = self.scatter(rows)
        rows.flags.writeable = False
        return rows

    @cached_property
    def _parts(self) -> list[list[int]]:
        flat: list[int] = self.labels.tolist()
        starts = np.cumsum((0, *self.sizes)).tolist()
        return [flat[start:stop] for start, stop in pairwise(starts)]

    def _spelled(self, codes: NDArray[np.int8]) -> Integers:
        """Put labels in place of `arrangements`' codes. Shape (R, n) → (R, n), positions still sorted."""
        values = [label for part in self._parts for label in _tally(part)]
        kinds = np.cumsum([0, *(len(counts) for counts in self.counts)])[:-1]
        table = np.asarray(values, dtype=np.int64)
        if len(self.sizes) == 1:
            return np.asarray(table[codes])
        return np.asarray(table[codes + kinds[self.block]])

    def scatter(self, sorted_rows: Integers) -> Integers:
        """Return every column to its original position. Shape (R, n) → (R, n)."""
        if self.order is None:
            return sorted_rows
        rows = np.empty_like(sorted_rows)
        rows[:, self.order] = sorted_rows
        return rows


def sort_by_block(labels: Integers, blocks: Integers | None) -> Shuffle:
    """Gather the positions of each block; raises ValueError where the shapes do not agree."""
    labels = np.asarray(labels, dtype=np.int64)
    if labels.ndim != 1:
        raise ValueError(f"labels must have one axis, not shape {labels.shape}")
    if blocks is None:
        return Shuffle(None, labels, (labels.size,))
    blocks = np.asarray(blocks)
    if blocks.shape != labels.shape:
        raise ValueError(f"blocks have shape {blocks.shape}, labels {labels.shape}; they must be equal")
    order = np.argsort(blocks, kind="stable")
    sizes = tuple(np.unique(blocks, return_counts=True)[1].tolist())
    return Shuffle(order, labels[order], sizes or (0,))


def enumerate_permutations(labels: Integers, blocks: Integers | None = None) -> Integers:
    """All distinct label permutations, the real one first. Shape (R, n).

    Raises ValueError beyond `EXACT_LIMIT` label permutations.
    """
    return sort_by_block(labels, blocks).permutations()


def permutations(block: Integers, draws: int, rng: np.random.Generator) -> Integers:
    """Uniform permutations of 0..n-1 that keep every position in its block.

    ``block`` (n,) is non-decreasing. Shape (draws, n).
    """
    return np.argsort(block + rng.random((draws, block.size)), axis=1)


def multinomial(counts: tuple[int, ...]) -> int:
    """Number of distinct arrangements of labels that occur so often."""
    return prod(comb(sum(counts[: i + 1]), count) for i, count in enumerate(counts))


@lru_cache(maxsize=256)
def arrangements(counts: Counts) -> NDArray[np.int8]:
    """All arrangements of a pattern as codes into each block's own labels, ascending. Shape (R, n)."""
    number = prod(multinomial(block) for block in counts)
    if number > EXACT_LIMIT:
        raise ValueError(
            f"{number} distinct label permutations are more than the {EXACT_LIMIT} that are enumerated; sample them"
        )
    rows = np.empty((1, 0), dtype=np.int8)
    for block in counts:
        more = _arrange(block)
        rows = np.hstack([np.repeat(rows, len(more), axis=0), np.tile(more, (len(rows), 1))])
    rows.flags.writeable = False  # shared by all units of this pattern
    return rows


def _arrange(counts: tuple[int, ...]) -> NDArray[np.int8]:
    """Grow all prefixes by one position at a time; np.nonzero's order keeps them ascending."""
    rows = np.empty((1, 0), dtype=np.int8)
    left = np.asarray([counts], dtype=np.int64)
    for _ in range(sum(counts)):
        prefix, code = np.nonzero(left)
        rows = np.hstack([rows[prefix], code[:, None].astype(np.int8)])
        left = left[prefix]
        left[np.arange(len(code)), code] -= 1
    return rows


def _tally(part: list[int]) -> dict[int, int]:
    return {label: part.count(label) for label in sorted(set(part))}
