"""Odds ratios of two groups, with or without the half that keeps them finite."""

from __future__ import annotations

import numpy as np

from fairbrief.statistics.arrays import Floats

HALDANE_ANSCOMBE = 0.5
"""Added to all four cells (Haldane 1956; Anscombe 1956)."""


def odds_ratio(
    hits_a: Floats, misses_a: Floats, hits_b: Floats, misses_b: Floats, correction: float = HALDANE_ANSCOMBE
) -> Floats:
    """How much higher group a's odds are: (hits_a / misses_a) / (hits_b / misses_b), over any shape.

    ``correction`` is added to every cell; it keeps the ratio finite and shrinks it towards 1.
    With 0: inf where only misses_a or hits_b is empty, 0 where only hits_a or misses_b is, nan
    where both sides of the ratio are. nan, too, where a group has no trials at all.
    """
    up_a, down_a, up_b, down_b = _cells(hits_a, misses_a, hits_b, misses_b, correction)
    above, below = up_a * down_b, down_a * up_b
    finite = above / np.where(below > 0, below, 1.0)
    ratio = np.where(below > 0, finite, np.where(above > 0, np.inf, np.nan))
    return np.asarray(
        np.where((up_a + down_a > 2 * correction) & (up_b + down_b > 2 * correction), ratio, np.nan)
    )


def log_odds_ratio(
    hits_a: Floats, misses_a: Floats, hits_b: Floats, misses_b: Floats, correction: float = HALDANE_ANSCOMBE
) -> tuple[Floats, Floats]:
    """Natural logarithm of `odds_ratio`, and its standard error √(Σ 1/cell); signed, 0 for equal odds.

    Without correction ±inf where the ratio is infinite or 0, and the error inf.
    """
    ratio = odds_ratio(hits_a, misses_a, hits_b, misses_b, correction)
    cells = _cells(hits_a, misses_a, hits_b, misses_b, correction)
    variance = sum((np.where(c > 0, 1 / np.where(c > 0, c, 1.0), np.inf) for c in cells), start=np.zeros(()))
    log = np.where(
        ratio > 0, np.log(np.where(ratio > 0, ratio, 1.0)), np.where(np.isnan(ratio), np.nan, -np.inf)
    )
    return log, np.where(np.isnan(ratio), np.nan, np.sqrt(variance))


def _cells(*counts_and_correction: Floats | float) -> tuple[Floats, ...]:
    *counts, correction = counts_and_correction
    return tuple(np.broadcast_arrays(*(np.asarray(c, dtype=np.float64) + correction for c in counts)))
