"""Words as numbers: the same words as the rules find, whatever the texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.scorers import shared_words, word_counts
from fairbrief.text import languages, rouge
from fairbrief.text.segmentation import Cut, Words, numbered

CUTS: dict[str, Cut] = {
    "words": rouge.words,
    "German": partial(rouge.words, language="de"),
    "containment": shared_words._words,
    "tfidf": word_counts._tokens,
    "rouge, stemmed": partial(rouge.tokens, stem=True),
    "rouge of French": partial(rouge.tokens, language="fr"),
    "as written": str.split,
}
TEXTS = st.lists(
    st.one_of(st.text("aB9 _'’‘“–…\xa0é.\n\x00\x1f", max_size=30), st.text(max_size=20)), max_size=6
)


def read(words: Words) -> list[list[object]]:
    """The words of each text."""
    names = [words.names[i] for i in words.numbers.tolist()]
    ends = np.cumsum(words.many).tolist()
    return [names[end - many : end] for many, end in zip(words.many.tolist(), ends, strict=True)]


@given(TEXTS)
def test_words_are_those_of_the_rules(texts: list[str]) -> None:
    """By one rule, or each by its own, repeated or not, a text has the words that its rule finds."""
    for cut in CUTS.values():
        assert read(numbered(texts * 2, cut)) == [list(cut(text)) for text in texts * 2]
    cuts: Sequence[Cut] = [*CUTS.values()][: len(texts)]
    assert read(numbered(texts, cuts)) == [list(cut(text)) for cut, text in zip(cuts, texts, strict=True)]


@given(TEXTS, st.integers(1, 4))
def test_runs_of_words_are_equal_where_their_words_are(texts: list[str], n: int) -> None:
    """Runs of n words have one number exactly where they are the same, and lie in one text."""
    words = numbered(texts, CUTS["tfidf"])
    grams = words.grams(n)
    expected = [list(zip(*(own[i:] for i in range(n)), strict=False)) for own in read(words)]
    assert grams.many.tolist() == list(map(len, expected))
    number: dict[tuple[object, ...], int] = {}
    for own, run in zip(grams.numbers.tolist(), [run for runs in expected for run in runs], strict=True):
        assert number.setdefault(run, own) == own
    assert len(set(number.values())) == len(number)


@pytest.mark.parametrize("setting", [("", ""), ("", "de"), ("fr", "")])
def test_languages_of_groups_are_those_of_each(setting: tuple[str, str]) -> None:
    """Each group of neighbouring texts has its language; a group without texts has the usual one."""
    groups = [
        ["The soup was", "hot and the bread was cold."],
        [],
        ["Das Essen war gut und die Suppe war heiß."],
    ]
    many = np.array([len(group) for group in groups])
    with languages.using(languages.Setting(*setting)):
        found = languages.languages_of([text for group in groups for text in group], many)
        assert found == [languages.language_of(*group) for group in groups]
