"""Words of many texts, counted at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fairbrief.text.segmentation import word_count, word_counts, word_totals, words_held

AWKWARD = [
    "",
    " ",
    "one",
    " two\nwords ",
    "a\tb\x0bc\x1cd\x85e",
    "it's all-in_one",
    "服务员很热情",
    "ÜBER İstanbul",
    "\n\n",
    "x",
]


def test_words_of_many_texts_are_those_of_each() -> None:
    """Whatever stands between blanks, in any script, beside any other text."""
    for texts in (AWKWARD, AWKWARD[:6], [], ["", ""]):
        assert word_counts(texts).tolist() == [word_count(text) for text in texts]
        assert word_totals(texts).tolist() == [words_held(text, ())[1] for text in texts]


@given(st.lists(st.text(alphabet="ab '._-\n\t\x1f\x85é房", max_size=12)))
def test_any_texts_have_as_many_words_together_as_alone(texts: list[str]) -> None:
    """Neither end of a text joins the next."""
    assert word_counts(texts).tolist() == [word_count(text) for text in texts]
    assert word_totals(texts).tolist() == [words_held(text, ())[1] for text in texts]
