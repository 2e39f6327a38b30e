"""Arithmetic of ranges that stand one after another."""

from __future__ import annotations

import numpy as np

from fairbrief import ranges


def test_sums_and_ranges() -> None:
    """Neighbouring numbers are summed, and ranges told, as many at a time as are asked for."""
    many = np.array([2, 0, 3])
    assert ranges.sums(np.array([1, 2, 3, 4, 5]), many).tolist() == [3, 0, 12]
    assert ranges.ranges(np.array([7, 1, 4]), many).tolist() == [7, 8, 4, 5, 6]
    assert ranges.numbers_within(many).tolist() == [0, 1, 0, 1, 2]
    assert ranges.ranges(np.array([7, 1, 4]), np.array([1, 0, 1])).tolist() == [7, 4]


def test_changes_and_order() -> None:
    """The first number changes, equal neighbours do not, and equal numbers keep their order."""
    assert ranges.changes(np.array([3, 3, 1, 3])).tolist() == [True, False, True, True]
    assert ranges.changes(np.zeros(0, dtype=np.int64)).tolist() == []
    for large in (3, 1 << 40):
        assert ranges.ordered(np.array([large, 1, large, 1]), large + 1).tolist() == [1, 3, 0, 2]
