"""Laws of the sentiment shift and of exchanged groups, over drawn inputs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.measures.sentiment import SentimentShift
from fairbrief.text.gendered_words import gender_coefficient
from fairbrief.types import Totals

SEEDS = st.integers(0, 2**32 - 1)
STATISTICS = ("one", "article", "summary", "shift", "article²", "shift²", "article·shift")


def totals(article: np.ndarray, shift: np.ndarray, groups: list[str]) -> Totals:
    """Summed rows of the observation."""
    rows = np.column_stack(
        [np.ones(len(article)), article, article + shift, shift, article**2, shift**2, article * shift]
    )
    names = sorted(set(groups))
    columns = {(s, g): i for i, (g, s) in enumerate((g, s) for g in names for s in STATISTICS)}
    label = np.array(groups)
    return Totals(columns, np.concatenate([rows[label == g].sum(axis=0) for g in names]))


def values(article: np.ndarray, shift: np.ndarray, groups: list[str]) -> dict[str, float]:
    """All values by name."""
    found = SentimentShift().value(totals(article, shift, groups))
    return {name: float(value.array) for name, value in found.items()}


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_exchanged_groups_have_the_opposite_difference(seed: int) -> None:
    """Women for men: every signed contrast changes its sign and nothing else."""
    rng = np.random.default_rng(seed)
    article, shift = rng.normal(size=(2, 20))
    groups = ["female", "male"] * 10
    here = values(article, shift, groups)
    there = values(article, shift, groups[::-1])
    for name in ("sentiment_shift", "adjusted_difference[female−male]", "slope_difference[female−male]"):
        np.testing.assert_allclose(here[name], -there[name], rtol=1e-7, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.floats(-3, 3), st.floats(0.1, 10))
def test_a_constant_cancels_and_a_scale_scales(seed: int, constant: float, scale: float) -> None:
    """An instrument that reads all summaries higher by a constant finds the same difference."""
    rng = np.random.default_rng(seed)
    article, shift = rng.normal(size=(2, 20))
    groups = ["a", "b"] * 10
    plain = values(article, shift, groups)
    moved = values(article * scale, shift * scale + constant, groups)
    for name in ("sentiment_shift", "adjusted_difference[a−b]"):
        np.testing.assert_allclose(moved[name], scale * plain[name], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(moved["slope[a]"], plain["slope[a]"], rtol=1e-6, atol=1e-7)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["she", "her", "hers", "he", "him", "his", "they", "the"]), max_size=30))
def test_the_coefficient_lies_between_its_bounds_and_turns_with_the_words(words: list[str]) -> None:
    """Exchanging the words of women and men changes the sign alone."""
    other = {"she": "he", "her": "him", "hers": "his", "he": "she", "him": "her", "his": "hers"}
    here = gender_coefficient(" ".join(words))
    there = gender_coefficient(" ".join(other.get(w, w) for w in words))
    if here is None:
        assert there is None
    else:
        assert -1 <= here == -there <= 1
