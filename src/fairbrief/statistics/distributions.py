"""Distributions over K bins and counts of words: distances between them, and the words by which two differ.

Vectorised over leading axes, (..., K) → (...). Histograms may be counts or shares: each is divided by its sum first. A
histogram without mass has no distribution, so every distance from it is nan.
"""

from __future__ import annotations

import numpy as np

from fairbrief.statistics.arrays import Floats


def wasserstein_positions(p: Floats, q: Floats) -> Floats:
    """How far mass must move between ordered positions, in steps from one to the next.

    Σₖ |Pₖ − Qₖ| over the cumulative shares; from 0 to K − 1. A distribution and its mirror image
    differ, as they must.
    """
    gap = np.cumsum(_shares(p) - _shares(q), axis=-1)
    return np.asarray(np.abs(gap[..., :-1]).sum(axis=-1))


def wasserstein_heights(p: Floats, q: Floats) -> Floats:
    """The distance that results when bar *heights* are taken for the samples: mean |sort p − sort q|.

    It ignores position: the distance of a distribution to its mirror image is 0. It exists because Chhabra
    et al., "Revisiting Zero-Shot Abstractive Summarization" released numbers computed this way; for anything
    else use `wasserstein_positions`. Units: share of mass per bin.
    """
    return np.asarray(np.abs(np.sort(_shares(p), axis=-1) - np.sort(_shares(q), axis=-1)).mean(axis=-1))


def kl_divergence(p: Floats, q: Floats) -> Floats:
    """Kullback–Leibler divergence Σ p ln(p/q) of p from q, in nats, with 0 ln 0 = 0.

    At least 0; inf where p has mass and q has none.
    """
    from scipy.special import rel_entr

    return np.asarray(rel_entr(_shares(p), _shares(q)).sum(axis=-1))


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """Jensen–Shannon divergence: the mean Kullback–Leibler divergence of p and of q from their mean, in bits; in [0, 1]."""
    p, q = _shares(p), _shares(q)
    middle = (p + q) / 2
    return np.asarray((kl_divergence(p, middle) + kl_divergence(q, middle)) / (2 * np.log(2)))


def _shares(histogram: Floats) -> Floats:
    counts = np.asarray(histogram, dtype=np.float64)
    mass = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(mass > 0, mass, np.nan)


def dirichlet_log_odds(a: Floats, b: Floats, prior: float = 0.01) -> tuple[Floats, Floats]:
    """Log-odds ratio of every word between two groups, smoothed by a Dirichlet prior, and its z.

    δ = ln[(a + α)/(n_a + α₀ − a − α)] − ln[(b + α)/(n_b + α₀ − b − α)], α = ``prior`` per word,
    α₀ = α V, n the sum of the counts; z = δ / √(1/(a + α) + 1/(b + α)). Positive: the word leans to ``a``. |z| > 1.96 is
    commonly read as different; with thousands of words some will be so by chance.

    Shapes: ``a``, ``b`` (..., V) counts of each word; two arrays (..., V).
    Source: Monroe, Colaresi & Quinn, "Fightin' Words", Political Analysis 16 (2008), Eqs. 15–22.
    """
    a, b = np.asarray(a, dtype=np.float64) + prior, np.asarray(b, dtype=np.float64) + prior
    delta = _log_odds(a) - _log_odds(b)
    return delta, delta / np.sqrt(1 / a + 1 / b)


def _log_odds(smoothed: Floats) -> Floats:
    rest = smoothed.sum(axis=-1, keepdims=True) - smoothed
    return np.asarray(np.log(smoothed / np.where(rest > 0, rest, np.nan)))
