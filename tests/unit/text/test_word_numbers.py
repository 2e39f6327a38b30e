"""Words as numbers: the same words as the rules find, whatever the texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.scorers import shared_words, word_counts
from fairbrief.text import rouge
from fairbrief.text.segmentation import Parted, Rule, Words

RULES = {
    "words": Rule(rouge.words),
    "German": Rule(rouge.words, ("de",)),
    "containment": shared_words.Containment.rule,
    "tfidf": word_counts._TOKENS,
    "rouge": Rule(rouge.tokens),
    "rouge, stemmed": Rule(rouge.tokens, ("en", True)),
}
TEXTS = st.lists(
    st.one_of(
        st.text("aB9 _'’‘“–…\xa0é.\n\x00\x1f", max_size=30),
        st.text(max_size=20),
        st.text(st.characters(max_codepoint=127), max_size=40),
    ),
    max_size=6,
)


def read(words: Words) -> list[list[str]]:
    """The words of each text."""
    return [[words.names[i] for i in own] for own in words.apart()]


@pytest.mark.parametrize("name", RULES)
@given(TEXTS)
def test_words_are_those_of_the_rule(name: str, texts: list[str]) -> None:
    """Split into runs with others or cut alone, a text has the words that its rule finds in it; a repeated one, too."""
    rule, texts = RULES[name], texts * 2
    assert read(Parted(texts).words(rule)) == [list(rule.words(text)) for text in texts]


@given(TEXTS, st.integers(1, 4))
def test_runs_of_words_are_equal_where_their_words_are(texts: list[str], n: int) -> None:
    """Runs of n words have one number exactly where they are the same, and lie in one text."""
    words = Parted(texts).words(RULES["tfidf"])
    grams = words.grams(n)
    expected = [list(zip(*(own[i:] for i in range(n)), strict=False)) for own in read(words)]
    assert grams.many.tolist() == list(map(len, expected))
    number: dict[tuple[str, ...], int] = {}
    for own, run in zip(grams.numbers.tolist(), [run for runs in expected for run in runs], strict=True):
        assert number.setdefault(run, own) == own
    assert len(set(number.values())) == len(number)
