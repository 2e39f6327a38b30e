"""Words as numbers: the same words as the rules find, whatever the texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.scorers import shared_words, word_counts
from fairbrief.text import languages, rouge, segmentation
from fairbrief.text.segmentation import Parted, Rule, Words, numbered

RULES = {
    "words": Rule(rouge.words),
    "German": Rule(rouge.words, ("de",)),
    "containment": shared_words._WORDS,
    "tfidf": word_counts._TOKENS,
    "rouge": rouge.rule(),
    "rouge, stemmed": rouge.rule(stem=True),
    "rouge of French": rouge.rule("fr"),
    "as it stands": Rule(str.split, is_of_runs=False),
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


def found(rule: Rule, text: str) -> list[str]:
    """What the rule itself finds."""
    return list(rule.cut(text, *rule.settings))


@pytest.mark.parametrize("name", RULES)
@given(TEXTS)
def test_words_are_those_of_the_rule(name: str, texts: list[str]) -> None:
    """Parted into runs with others or cut alone, a text has the words that its rule finds in it."""
    rule = RULES[name]
    assert read(Parted(texts).words(rule)) == [found(rule, text) for text in texts]


@given(TEXTS)
def test_texts_of_different_rules_stand_in_their_order(texts: list[str]) -> None:
    """Each text is read by its own rule, and texts without any are none."""
    names = ["words", "rouge", "as it stands"]
    rules = [RULES[names[i % 3]] for i in range(len(texts))]
    words = numbered(texts, rules)
    assert read(words) == [found(rule, text) for rule, text in zip(rules, texts, strict=True)]


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


def test_too_many_words_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory does not grow without bound, and texts parted before keep their words."""
    segmentation.forget()
    monkeypatch.setattr(segmentation, "MOST", 10)
    before = Parted(["one two three"])
    numbered([" ".join(f"w{i}" for i in range(20))], [RULES["tfidf"]])
    of_two_rules = numbered(["two five", "five"], [RULES["tfidf"], RULES["rouge"]])
    assert read(of_two_rules) == [["two", "five"], ["five"]]
    after = Parted(["two four"])
    assert len(segmentation._current().runs) < 10
    assert read(before.words(RULES["tfidf"])) == [["one", "two", "three"]]
    assert read(after.words(RULES["tfidf"])) == [["two", "four"]]


def test_no_more_texts_are_remembered_than_a_shard_or_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts whose characters exceed the bound are forgotten at the next call; their runs are not."""
    segmentation.forget()
    monkeypatch.setattr(segmentation, "KEPT", 100)
    for i in range(50):
        Parted([f"number {i} of many"])
    memory = segmentation._current()
    assert sum(map(len, memory.texts)) <= 100 + 20
    assert len(memory.runs) == 53


def test_texts_met_again_have_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts known or new, plain or not, repeated or not, whether what is known of others was forgotten or not."""
    segmentation.forget()
    texts = ["the soup was hot", "the été", "", "the soup was hot", "don’t"]
    for kept in (1 << 20, 10, 0):
        monkeypatch.setattr(segmentation, "KEPT", kept)
        for some in (texts[:1], texts, texts[1:3], texts[::-1], ["a cold room", *texts]):
            words = Parted(some).words(RULES["tfidf"])
            assert read(words) == [found(RULES["tfidf"], text) for text in some]


@given(st.lists(st.lists(st.text("the und is das ein not и в é.", max_size=60), max_size=3), max_size=5))
def test_languages_told_together_are_those_told_alone(groups: list[list[str]]) -> None:
    """Many groups of texts at once are in the languages that each is in by itself, whatever is usual."""
    texts = [text for group in groups for text in group]
    many = np.array([len(group) for group in groups], dtype=np.int64)
    for setting in (
        languages.Setting(),
        languages.Setting("", "en"),
        languages.Setting("", "de"),
        languages.Setting("fr"),
    ):
        with languages.using(setting):
            assert languages.languages_of(Parted(texts), many) == [
                languages.language_of(*group) for group in groups
            ]
