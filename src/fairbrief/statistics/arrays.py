"""Types of arrays, their quotients, ties, and sums on a grid that are the same in any order.

Floating-point addition rounds, and so is not associative. Multiples of 2⁻⁴⁰ are added without rounding up to 2¹³, whole numbers
up to 2⁵³: where sums of both would be larger, whole numbers and the rest of each are summed separately.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TIE = 1e-12
"""What rounding leaves: numbers closer than this, relative to the larger of 1 and their size, are tied."""


def tolerance(reference: Floats, tie: float = TIE) -> Floats:
    """The largest distance from ``reference`` at which a number still counts as tied; 0 where it is not finite."""
    size = np.maximum(1.0, np.abs(reference))
    return np.asarray(np.where(np.isfinite(size), tie * size, 0.0))


def ratio(part: Floats | Integers, whole: Floats | Integers) -> Floats:
    """Elementwise part / whole, over any shapes that broadcast; nan where the whole is not above 0."""
    some = whole > 0
    return np.where(some, part / np.where(some, whole, 1.0), np.nan)


def weight_before(numbers: Floats, weights: Integers) -> Integers:
    """The summed weights of the numbers that come before each one, of equals the first one first. Shapes: (n, …) each.

    They are compared pair by pair, which is faster than sorting for few.
    """
    before = np.zeros(numbers.shape, dtype=np.int64)
    for i in range(len(numbers)):
        for j in range(i):
            is_later = numbers[j] <= numbers[i]
            before[i] += weights[j] * is_later
            before[j] += weights[i] * ~is_later
    return before


GRID = 2.0**-40
"""The step of the grid: numbers are rounded by 4.5e-13 at most."""
EXACT = 2.0**12
"""Sums of numbers on the grid are not rounded while their sizes add up to less."""
_SHIFT = 1.5 * 2.0**52 * GRID
"""Adding it rounds a smaller number to the grid."""

Sum = tuple[Floats, Floats]
"""A whole number, and the rest, half of one at most. Any shape."""


def on_grid(values: Floats) -> Floats:
    """The nearest multiples of `GRID`. Shape of ``values``."""
    if _size(values) < EXACT / 2:
        rounded = values + _SHIFT
        rounded -= _SHIFT
        return rounded
    rounded, is_small = values.copy(), np.abs(values) < EXACT
    rounded[is_small] = np.rint(values[is_small] / GRID) * GRID
    return rounded


def is_exact(values: Floats, many: int) -> bool:
    """Whether ``many`` numbers as large as these, which are on the grid, can be summed without rounding."""
    return _size(values) * many < EXACT or bool((values == np.rint(values)).all())


def exact_parts(values: Floats, many: int) -> Sequence[Floats]:
    """The numbers, or where sums of ``many`` would be rounded whole numbers and the rest. Shapes of ``values``."""
    if is_exact(values, many):
        return (values,)
    whole = np.rint(values)
    return whole, values - whole


def added(total: Sum | None, value: Floats) -> Sum:
    """The sum of nothing or of some numbers, which goes on in its arrays, with another: one that is below `EXACT`, or whole."""
    rounded = np.rint(value)
    if total is None:
        return rounded, value - rounded
    whole, rest = total
    rest += value - rounded
    carried = np.rint(rest)
    rest -= carried
    carried += rounded
    whole += carried
    return whole, rest


def _size(values: Floats) -> float:
    """The largest size."""
    return max(-float(values.min(initial=0.0)), float(values.max(initial=0.0)))
