"""Log-odds against numbers of independent references."""

import json
from pathlib import Path

import numpy as np
import pytest

from fairbrief.statistics.distributions import dirichlet_log_odds


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
