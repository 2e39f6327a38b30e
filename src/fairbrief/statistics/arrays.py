"""Types of arrays, their quotients, and when two numbers are tied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TIE = 1e-12
"""What rounding leaves: numbers closer than this, relative to the larger of 1 and their size, are tied."""


def tolerance(reference: Floats, tie: float = TIE) -> Floats:
    """How far from ``reference`` a number may lie and still be tied with it; 0 where it is not finite."""
    size = np.maximum(1.0, np.abs(reference))
    return np.asarray(np.where(np.isfinite(size), tie * size, 0.0))


def ratio(part: Floats | Integers, whole: Floats | Integers) -> Floats:
    """Elementwise part / whole, over any shapes that broadcast; nan where the whole is not above 0."""
    some = whole > 0
    return np.where(some, part / np.where(some, whole, 1.0), np.nan)
