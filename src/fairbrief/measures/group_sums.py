"""Sums by group under label permutations of the groups' members, or of the groups' names; and the spread of groups' numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from fairbrief import types as t
from fairbrief.statistics import ratio


def group_names(groups: int) -> t.PermutationScheme | None:
    """Exchange the names of ``groups`` groups among each other, within one unit; None below two.

    Position g of a label permutation says under which name the counts of group g are entered. With two groups the
    unit is flipped or not; cases that belong together (a pair filled with exchanged groups) flip together.
    """
    return t.PermutationScheme(np.arange(groups)) if groups > 1 else None


def renamed(counts: t.Floats | t.Integers, labels: t.Integers) -> t.Floats:
    """The counts of each group, entered under the names of each label permutation.

    Shapes: ``counts`` (K,), ``labels`` (R, K) → (R, K). Labels of shape (R, 0) rename nothing.
    """
    entered = np.broadcast_to(counts, (len(labels), len(counts))).astype(float)
    if labels.shape[1] == 0:
        return entered
    moved = np.empty_like(entered)
    np.put_along_axis(moved, labels, entered, axis=1)
    return moved


def summed_by_group(
    codes: t.Integers, weights: Mapping[str, t.Floats], labels: t.Integers, groups: int
) -> dict[str, t.Floats]:
    """Weights of items, summed per group under label permutations of the single items.

    Shapes: ``codes`` (n,) the real groups, used where ``labels`` (…, R, n) has no columns; ``weights`` (…, n) each → (…, R, groups) each.
    """
    used, columns = labelled(codes, labels), np.stack(list(weights.values()), axis=-1)
    sums = np.stack([(used == g) @ columns for g in range(groups)], axis=-2)
    return {name: sums[..., k] for k, name in enumerate(weights)}


def columned(
    groups: Sequence[str], statistics: Mapping[str, t.Floats], alone: Mapping[t.Column, Any]
) -> tuple[tuple[t.Column, ...], t.Floats]:
    """The columns of statistics of groups, (…, R, groups) each, and of others of no group, (…, R) or one number each; and their
    values, (…, R, columns).
    """
    columns = (*((name, group) for name in statistics for group in groups), *alone)
    blocks = list(statistics.values())
    shape = blocks[0].shape[:-1]
    others = [np.broadcast_to(numbers, shape)[..., np.newaxis] for numbers in alone.values()]
    return columns, np.concatenate([*blocks, *others], axis=-1, dtype=np.float64)


def standard_deviation(totals: t.Totals, name: str) -> t.Value:
    """The standard deviation over records of a number whose squares are summed as ``NAME²``."""
    mean = totals.ratio(name, "one")
    variance = totals.ratio(f"{name}²", "one") - mean * mean
    return t.Value(np.sqrt(np.maximum(variance, 0.0)), limits=t.FROM_0)


def by_group(
    groups: Sequence[str], statistics: Mapping[str, t.Floats], alone: Mapping[t.Column, Any] | None = None
) -> t.Rows:
    """The rows of statistics of groups under each label permutation, (R, groups) each, and of others of no group."""
    return t.Rows(*columned(groups, statistics, alone or {}))


@lru_cache(maxsize=4096)
def coded(items: tuple[str, ...]) -> tuple[tuple[str, ...], t.Integers]:
    """The distinct values, sorted; and the index in them of each item's value. Shape (n,), read-only."""
    values = tuple(sorted(set(items)))
    numbers = {value: number for number, value in enumerate(values)}
    codes = np.array([numbers[value] for value in items], dtype=np.int64)
    codes.flags.writeable = False  # records of the same values share it
    return values, codes


def labelled(codes: t.Integers, labels: t.Integers) -> t.Integers:
    """The label permutations; if ``labels`` has no columns, the real ``codes`` (…, n) for each. Shape (…, R, n)."""
    return labels if labels.shape[-1] else np.broadcast_to(codes, (*labels.shape[:-1], codes.shape[-1]))


@lru_cache(maxsize=256)
def keys_of(names: tuple[str, ...]) -> t.Integers:
    """A 64-bit key per name. Units of one cluster give items with equal keys the same label. Shape (names,), read-only."""
    keys = np.array([_key(name) for name in names], dtype=np.int64)
    keys.flags.writeable = False  # several observations need those of one record
    return keys


@lru_cache(maxsize=4096)
def _key(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def share(counts: t.Floats) -> t.Floats:
    """Counts divided by their sum over the last axis; nan where the sum is zero."""
    return ratio(counts, counts.sum(axis=-1, keepdims=True))


def total_variation(shifts: t.Floats) -> t.Floats:
    """Half the sum of the absolute differences of shares. (…, groups) → (…)."""
    return np.asarray(np.abs(shifts).sum(axis=-1) / 2)


def stacked(arrays: Iterable[t.Floats], shape: tuple[int, ...]) -> t.Floats:
    """Arrays of this shape, of which there may be none, side by side after one of nan. Shape (…, 1 + arrays)."""
    return np.stack([np.full(shape, np.nan), *arrays], axis=-1)


def mean_defined(numbers: t.Floats, least: int = 1) -> t.Floats:
    """The mean of the numbers that are defined; nan if there are fewer than ``least``. (…, numbers) → (…)."""
    is_defined = np.isfinite(numbers)
    many = is_defined.sum(axis=-1).astype(np.float64)
    mean = ratio(np.where(is_defined, numbers, 0.0).sum(axis=-1), many)
    return np.where(many >= least, mean, np.nan)


def mean_size(differences: t.Floats) -> t.Floats:
    """The mean absolute difference, of those that are defined; nan below two. (…, differences) → (…)."""
    return mean_defined(np.abs(differences), least=2)


def deviation(numbers: Iterable[t.Floats], shape: tuple[int, ...]) -> t.Floats:
    """The mean absolute deviation of the numbers that are defined, of this shape; nan below two."""
    every = stacked(numbers, shape)
    return mean_size(every - mean_defined(every)[..., np.newaxis])


def spread(numbers: Iterable[t.Floats], shape: tuple[int, ...]) -> t.Floats:
    """Largest minus smallest of the numbers that are defined, of this shape; nan below two."""
    every = stacked(numbers, shape)
    difference = np.fmax.reduce(every, axis=-1) - np.fmin.reduce(every, axis=-1)
    return np.where(np.isfinite(every).sum(axis=-1) > 1, difference, np.nan)
