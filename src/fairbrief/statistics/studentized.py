"""Ratios of sums divided by their cluster-robust standard errors, under any number of labellings."""

from __future__ import annotations

import numpy as np

from fairbrief.statistics.arrays import TIE, Floats, tolerance


def studentize(top: Floats, bottom: Floats, squares: Floats, center: Floats | float = 0.0) -> Floats:
    """|θ − center| / se of the ratio θ = Σ top / Σ bottom, se² = Σ (top_c − θ·bottom_c)² / (Σ bottom)² over clusters c.

    ``squares`` (..., 3) holds Σ top_c², Σ top_c·bottom_c and Σ bottom_c². Shape of the others and of the
    answer: (...). A standard error of 0 gives ∞ (as extreme as can be), except where nothing can be
    divided: nan.
    Source: the linearised variance of a ratio; studentized permutations: Janssen (1997), Chung & Romano (2013).
    """
    some = np.abs(bottom) > 0
    theta = np.where(some, top / np.where(some, bottom, 1.0), np.nan)
    rest = squares[..., 0] - 2 * theta * squares[..., 1] + theta**2 * squares[..., 2]
    scale = np.maximum(squares[..., 0], tolerance(squares[..., 0]))
    error = np.sqrt(np.where(rest > TIE * scale, rest, 0.0))
    t = np.abs((theta - center) * bottom) / np.where(error > 0, error, 1.0)
    return np.asarray(np.where(np.isnan(theta), np.nan, np.where(error > 0, t, np.inf)))


def largest(sizes: Floats) -> Floats:
    """The largest size over the last axis, of those that are defined; nan where none is."""
    there = ~np.isnan(sizes)
    return np.asarray(np.where(there.any(axis=-1), np.where(there, sizes, -np.inf).max(axis=-1), np.nan))
