"""Exchanging the names of groups: what "no disparity" allows where each unit was made with groups at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairbrief.nouns import Exchange, Floats, Integers
from fairbrief.statistics import ratio


def group_names(groups: int) -> Exchange | None:
    """Exchange the names of ``groups`` groups among each other, within one unit; None below two.

    Position g of a labelling says under which name the counts of group g are entered. With two groups the
    unit is flipped or not; cases that belong together (a pair filled with exchanged groups) flip together.
    """
    return Exchange(np.arange(groups)) if groups > 1 else None


def renamed(counts: Floats | Integers, labels: Integers) -> Floats:
    """The counts of each group, entered under the names of each labelling.

    Shapes: ``counts`` (K,), ``labels`` (R, K) → (R, K). Labels of shape (R, 0) rename nothing.
    """
    entered = np.broadcast_to(counts, (len(labels), len(counts))).astype(float)
    if labels.shape[1] == 0:
        return entered
    moved = np.empty_like(entered)
    np.put_along_axis(moved, labels, entered, axis=1)
    return moved


def counted(codes: Integers, weights: Floats, labels: Integers, groups: int) -> Floats:
    """Weights summed per group, under labellings of the single items.

    Shapes: ``codes`` (n,) the real groups, used where ``labels`` (R, n) has no columns; ``weights`` (n,) →
    (R, groups).
    """
    used = labelled(codes, labels)
    return np.stack([(used == g) @ weights for g in range(groups)], axis=1)


def coded(found: Sequence[str]) -> tuple[list[str], Integers]:
    """The distinct values, sorted, and which of them each item has. Shape (n,)."""
    values = sorted(set(found))
    numbers = {value: number for number, value in enumerate(values)}
    return values, np.array([numbers[value] for value in found], dtype=np.int64)


def labelled(codes: Integers, labels: Integers) -> Integers:
    """The labellings, or the real ``codes`` (n,) for each where ``labels`` has no columns. Shape (R, n)."""
    return labels if labels.shape[1] else np.broadcast_to(codes, (len(labels), len(codes)))


def total_variation(shares: Floats, wanted: Floats) -> Floats:
    """Half the sum of absolute differences over the last axis. In [0, 1]."""
    distance: Floats = np.abs(shares - wanted).sum(axis=-1) / 2
    return distance


def share(counts: Floats) -> Floats:
    """Counts divided by their sum over the last axis; nan where the sum is zero."""
    return ratio(counts, counts.sum(axis=-1, keepdims=True))
