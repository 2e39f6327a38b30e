"""The jackknife of one value alone."""

import numpy as np

from fairbrief.statistics.jackknife import Spreads, spreads


def spread(value: float, without: np.ndarray, alone: np.ndarray, strata: np.ndarray | None = None) -> Spreads:
    """`spreads` of one value. Shapes: (m,)."""
    own = None if strata is None else strata[np.newaxis]
    return spreads(np.array([float(value)]), without[np.newaxis], alone[np.newaxis], own)
