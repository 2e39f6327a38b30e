"""Words that tell two groups of documents apart."""

from __future__ import annotations

import numpy as np

from fairbrief.statistics.arrays import Floats


def dirichlet_log_odds(
    a: Floats, b: Floats, prior: float = 0.01, total_a: Floats | None = None, total_b: Floats | None = None
) -> tuple[Floats, Floats]:
    """Log-odds ratio of every word between two groups, smoothed by a Dirichlet prior, and its z.

    δ = ln[(a + α)/(n_a + α₀ − a − α)] − ln[(b + α)/(n_b + α₀ − b − α)], α = ``prior`` per word,
    α₀ = α V; z = δ / √(1/(a + α) + 1/(b + α)). Positive: the word leans to ``a``. |z| > 1.96 is
    commonly read as different; with thousands of words some will be so by chance.

    Shapes: ``a``, ``b`` (..., V) counts of each word; two arrays (..., V). The totals n (...) are
    sums over the words unless given, for texts with tokens that are counted but not compared.
    Source: Monroe, Colaresi & Quinn, "Fightin' Words", Political Analysis 16 (2008), Eqs. 15–22.
    """
    if prior <= 0:
        raise ValueError(f"the prior must be positive, not {prior}")
    a, b = np.asarray(a, dtype=np.float64) + prior, np.asarray(b, dtype=np.float64) + prior
    delta = _log_odds(a, total_a, prior) - _log_odds(b, total_b, prior)
    return delta, delta / np.sqrt(1 / a + 1 / b)


def _log_odds(smoothed: Floats, total: Floats | None, prior: float) -> Floats:
    if total is None:
        whole = smoothed.sum(axis=-1, keepdims=True)
    else:
        whole = np.asarray(total, dtype=np.float64)[..., None] + prior * smoothed.shape[-1]
    rest = whole - smoothed
    return np.asarray(np.log(smoothed / np.where(rest > 0, rest, np.nan)))
