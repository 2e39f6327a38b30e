"""Lexical scorers answer many asks in one table: each ask as if it stood alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.registry import make
from fairbrief.scorers import word_counts
from fairbrief.text.rouge import rouge_scores
from fairbrief.types import Ask, Scorer

ODD = st.sampled_from(["\n", "房间太小了", "_", "'", "3.50", "a_b"])
TEXT = st.one_of(
    st.lists(
        st.sampled_from(
            "the soup Soup was don't DON’T good. Bad! der und die das ist nicht war sehr gut é".split()
        )
        | ODD,
        max_size=14,
    ).map(" ".join),
    st.text(max_size=12),
)
TEXTS = st.lists(TEXT, max_size=4).map(tuple)
ASKS = st.lists(st.builds(Ask, st.just("s"), TEXTS, TEXTS), max_size=6)
SCORERS = (
    "ngram", "ngram(n=2)", "ngram(stem=true)", "containment", "tfidf", "tfidf(sentences=builtin)",
    "tfidf(fitted=pair,sentences=builtin)", "rouge1", "rouge2(sentences=builtin)", "counts",
)  # fmt: skip


@pytest.mark.parametrize("spec", SCORERS)
@settings(max_examples=25, deadline=None)
@given(asks=ASKS, together=st.sampled_from([1, 40, 100_000]))
def test_asks_are_answered_together_as_alone(spec: str, asks: list[Ask], together: int) -> None:
    """To the last bit, in whatever company, in whatever languages, and wherever batches end."""
    scorer: Scorer = make("scorer", spec)
    before = word_counts.TOGETHER
    word_counts.TOGETHER = together
    try:
        found = list(scorer.answer(asks))
    finally:
        word_counts.TOGETHER = before
    assert len(found) == len(asks)
    for ask, own in zip(asks, found, strict=True):
        (alone,) = scorer.answer([ask])
        assert own.matrix.tobytes() == alone.matrix.tobytes()
        assert own.matrix.shape == alone.matrix.shape
        assert np.array_equal(own.owner, alone.owner)
        assert np.array_equal(own.sizes, alone.sizes)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=8), st.booleans())
def test_pairs_are_compared_together_as_alone(pairs: list[tuple[str, str]], stem: bool) -> None:
    """ROUGE of many pairs is that of each, to the last bit."""
    found = rouge_scores(pairs, stem=stem)
    assert found.shape == (len(pairs), 4, 3)
    for pair, own in zip(pairs, found, strict=True):
        assert own.tobytes() == rouge_scores([pair], stem=stem)[0].tobytes()
