"""Least squares, from additive sums and from rows with errors that trust less; and logistic regression."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairbrief.statistics.arrays import TIE, Floats, Integers, ratio


class Fit(NamedTuple):
    """A regression with its errors. nan where undefined (dependent columns, too few rows).

    Shapes, after the leading axes of what was fitted: ``coefficients``, ``errors`` (standard
    errors), ``t``, ``p`` (two-sided), ``low``, ``high`` (of the 95% interval) (k,); ``r2`` (share of the variance around
    the mean that is explained), ``freedom`` (degrees of freedom of t) ().
    """

    coefficients: Floats
    errors: Floats
    t: Floats
    p: Floats
    low: Floats
    high: Floats
    r2: Floats
    freedom: Floats


def fit_sums(xx: Floats, xy: Floats, yy: Floats, n: Floats) -> Fit:
    """Ordinary least squares with classical errors, from sums that add over rows, shards and resamples.

    Shapes: ``xx`` = X'X (..., k, k); ``xy`` = X'y (..., k); ``yy`` = y'y and ``n`` (...). The first
    column of X is the constant 1, so that xy[..., 0] = Σy. Errors: s² (X'X)⁻¹, s² = RSS/(n − k).
    """
    xx, xy, yy, n = (np.asarray(a, dtype=np.float64) for a in (xx, xy, yy, n))
    inverse = _invert(xx)
    b = np.asarray((inverse @ xy[..., None])[..., 0])
    residual, freedom = np.maximum(yy - (b * xy).sum(axis=-1), 0.0), n - xy.shape[-1]
    variance = ratio(residual, freedom)[..., None] * np.diagonal(inverse, axis1=-2, axis2=-1)
    spread = yy - xy[..., 0] ** 2 / np.maximum(n, 1)
    r2 = np.asarray(1.0 - residual / np.where(spread > TIE * np.abs(yy), spread, np.nan))
    return _fit(b, np.sqrt(variance), r2, freedom)


def fit_robust(x: Floats, y: Floats, clusters: Integers | None = None) -> Fit:
    """Ordinary least squares with standard errors robust to unequal variances, or to clusters of rows.

    Without ``clusters``: HC3, (X'X)⁻¹ X' diag(eᵢ²/(1 − hᵢ)²) X (X'X)⁻¹ with leverages h; freedom
    n − k; errors are nan where a single row determines a coefficient (h = 1).
    With ``clusters`` (n,): the sum of squared cluster scores in the middle, times
    G/(G − 1) · (n − 1)/(n − k); freedom G − 1.

    Shapes: ``x`` (n, k), the constant first; ``y`` (n,).
    Source: MacKinnon & White, Journal of Econometrics 29 (1985); Liang & Zeger, Biometrika 73 (1986).
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n, k = x.shape
    classical, inverse = fit_sums(x.T @ x, x.T @ y, y @ y, np.asarray(float(n))), _invert(x.T @ x)
    e = y - x @ classical.coefficients
    if clusters is None:
        leverage = np.einsum("ij,jk,ik->i", x, inverse, x)
        scores = x * (e / np.where(leverage < 1 - 1e-10, 1 - leverage, np.nan))[:, None]
        scale, freedom = 1.0, n - k
    else:
        _, place = np.unique(clusters, return_inverse=True)
        groups = int(place.max()) + 1
        scores = np.zeros((groups, k))
        np.add.at(scores, place, x * e[:, None])
        freedom = groups - 1
        scale = groups / freedom * (n - 1) / (n - k) if freedom > 0 and n > k else np.nan
    covariance = scale * inverse @ (scores.T @ scores) @ inverse
    errors = np.sqrt(np.diagonal(covariance))
    return _fit(classical.coefficients, errors, classical.r2, np.asarray(float(freedom)))


STEPS, CONVERGED = 100, 1e-10


def fit_logistic(x: Floats, y: Floats) -> tuple[float, Floats]:
    """Intercept and coefficients of a logistic regression, by Newton's method.

    The columns of ``x`` are penalised on the scale of their standard deviations, by ½ · Σ coefficient², so that
    there is always one solution; a column that does not vary has the coefficient 0. Shapes: (n, k), (n,) → (k,).
    Source: le Cessie & van Houwelingen, Applied Statistics 41 (1992).
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    mean, spread = x.mean(axis=0), x.std(axis=0)
    varies = spread > TIE * np.maximum(1.0, np.abs(mean))
    scale = np.where(varies, spread, 1.0)
    design = np.column_stack([np.ones(len(x)), np.where(varies, (x - mean) / scale, 0.0)])
    penalty = np.append([TIE], np.ones(x.shape[1]))
    b = np.zeros(len(penalty))

    def loss(b: Floats) -> float:
        z = design @ b
        return float(np.logaddexp(0, z).sum() - y @ z + penalty @ (b * b) / 2)

    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(design @ b, -500, 500)))
        slope = design.T @ (p - y) + penalty * b
        step = np.linalg.solve((design * (p * (1 - p))[:, None]).T @ design + np.diag(penalty), slope)
        now, size = loss(b), 1.0
        while loss(b - size * step) > now and size > CONVERGED:
            size /= 2
        b = b - size * step
        if np.abs(step).max() < CONVERGED:
            break
    coefficients = b[1:] / scale
    return float(b[0] - coefficients @ mean), np.asarray(coefficients)


def _invert(xx: Floats) -> Floats:
    """Inverse of each X'X; nan where its columns depend on each other."""
    scale = np.sqrt(np.diagonal(xx, axis1=-2, axis2=-1))
    outer = scale[..., :, None] * scale[..., None, :]
    outer = np.where(outer > 0, outer, 1.0)
    unit = np.nan_to_num(xx / outer, posinf=0.0, neginf=0.0)
    is_usable = np.isfinite(xx).all(axis=(-2, -1)) & (np.linalg.eigvalsh(unit)[..., 0] > TIE)
    is_usable = np.asarray(is_usable)[..., None, None]
    inverse = np.linalg.inv(np.where(is_usable, unit, np.eye(xx.shape[-1])))
    return np.asarray(np.where(is_usable, inverse / outer, np.nan))


def _fit(b: Floats, errors: Floats, r2: Floats, freedom: Floats) -> Fit:
    from scipy.special import stdtr, stdtrit

    freedom = np.where(freedom > 0, freedom, np.nan)
    shared = freedom[..., None]
    t = b / np.where(errors > 0, errors, np.nan)
    half = stdtrit(shared, 0.975) * errors
    return Fit(b, errors, t, 2 * stdtr(shared, -np.abs(t)), b - half, b + half, r2, freedom)
