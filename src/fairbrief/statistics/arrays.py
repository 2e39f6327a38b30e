"""The two kinds of array that statistics speaks of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TIE = 1e-12
"""Numbers closer than this, relative to the larger of 1 and their size, are tied: rounding must not order them."""


def tolerance(reference: Floats) -> Floats:
    """How far from ``reference`` a number may lie and still be tied with it; 0 where it is not finite."""
    size = np.maximum(1.0, np.abs(reference))
    return np.asarray(np.where(np.isfinite(size), TIE * size, 0.0))
