"""Arithmetic of ranges that stand one after another in an array: the words of texts, the cells of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def starts(many: Integers) -> Integers:
    """Where each of some ranges begins that stand one after another."""
    return np.asarray(np.cumsum(many) - many)


def sums(numbers: Integers, many: Integers) -> Integers:
    """The sums of neighbouring numbers, of as ``many`` as are told at a time."""
    before = np.concatenate([[0], np.cumsum(numbers)])
    return np.asarray(np.diff(before[np.concatenate([[0], np.cumsum(many)])]))


def ranges(first: Integers, many: Integers) -> Integers:
    """The numbers from each ``first`` on, as ``many`` as it has, one range after another."""
    if many.max(initial=0) <= 1:
        return np.asarray(first[many > 0])
    return np.asarray(np.repeat(first - starts(many), many) + np.arange(int(many.sum())))


def numbers_within(many: Integers) -> Integers:
    """0, 1, … for each of some ranges, as ``many`` as it has."""
    return np.arange(int(many.sum())) - np.repeat(starts(many), many)


def changes(numbers: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Whether each number is another than the one before it; the first is."""
    found = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=found[1:])
    return found


def ordered(numbers: Integers, below: int) -> Integers:
    """Places of the numbers, all ``below`` one, in ascending order, those of equal ones as they stand.

    Small numbers are sorted by their digits; large ones by merging, which is fast where they ascend from part to part.
    """
    return np.argsort(numbers.astype(np.min_scalar_type(below)), kind="stable")
