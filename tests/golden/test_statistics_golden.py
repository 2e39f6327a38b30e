"""Distances and log-odds against numbers of the papers and of independent references."""

import json
from pathlib import Path

import numpy as np
import pytest

from fairbrief.statistics.distributions import (
    dirichlet_log_odds,
    kl_divergence,
    wasserstein_heights,
    wasserstein_positions,
)


def test_thirty_published_histograms(golden: Path) -> None:
    """KL and both Wasserstein readings of all 30 published histograms agree to 1e-12."""
    results = json.loads((golden / "position" / "histograms.json").read_text())["results"]
    assert len(results) == 30
    gen, gold = (np.array([r[side] for r in results]) for side in ("gen", "gold"))
    for ours, key in (
        (kl_divergence, "kl_recomputed"),
        (wasserstein_heights, "wasserstein_released_reading"),
        (wasserstein_positions, "wasserstein_positional_segments"),
    ):
        np.testing.assert_allclose(ours(gen, gold), [r[key] for r in results], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        kl_divergence(gen, gold), [r["kl_published"] for r in results], rtol=0, atol=1e-12
    )


def test_fightin_words_reference(golden: Path) -> None:
    """Z of 72 words of six small documents equals two independent references, to 1e-12."""
    reference = json.loads((golden / "people" / "reference_paper_only.json").read_text())
    z = reference["z"]
    words = sorted(z)
    assert len(words) == reference["vocab"]
    paired = {part: word for word in words if "/" in word for part in word.split("/")}
    counts = {"male": dict.fromkeys(words, 0), "female": dict.fromkeys(words, 0)}
    for name, text in reference["mini_docs"].items():
        for token in text.lower().split():
            word = paired.get(token, token)
            if word in z:
                counts[reference["majority"][name]][word] += 1
    male, female = (np.array(list(counts[group].values())) for group in ("male", "female"))
    assert (male.sum(), female.sum()) == (reference["n_tokens"]["male"], reference["n_tokens"]["female"])
    assert dirichlet_log_odds(male, female)[1] == pytest.approx([z[word] for word in words], abs=1e-12)
