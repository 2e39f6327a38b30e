"""Paraphrases by rules: which words are replaced, in which form, and when there is none."""

import re

import pytest

from fairbrief.text.paraphrase import paraphrase, why_not

pytestmark = pytest.mark.usefixtures("nltk_data")

TEXT = "The waiters bought large windows, and a big dog was running quickly past Helen's car in 1998."


def test_a_share_of_the_content_words_is_replaced() -> None:
    """No share changes nothing; a larger one replaces the same words and more; names, numbers and function words stay."""
    texts = [paraphrase(TEXT, share, "a") for share in (0, 0.3, 0.6, 1)]
    pairs = [zip(TEXT.split(), text.split(), strict=True) for text in texts]
    changed = [{i for i, (before, after) in enumerate(words) if before != after} for words in pairs]
    assert texts[0] == TEXT
    assert len(changed[1]) == 3  # of ten content words
    assert changed[1] < changed[2] <= changed[3]
    kept = "The and was past Helen's in 1998.".split()
    assert [word for word in texts[-1].split() if word in kept] == kept


def test_equal_arguments_give_equal_texts() -> None:
    """The text is a function of text, share and key alone; other keys choose other words."""
    made = {paraphrase(TEXT, 0.3, key) for key in "abcdefgh"}
    assert paraphrase(TEXT, 0.3, "a") == paraphrase(TEXT, 0.3, "a")
    assert len(made) > 3


@pytest.mark.parametrize(("text", "pattern"), [
    ("automobiles", r"(cars|autos|motorcars|machines)"),
    ("She purchased it", r"She bought it"),
    ("She is purchasing it", r"She is buying it"),
    ("He commences", r"He (begins|starts|gets|sets outs?)"),
    ("Automobile", r"(Car|Auto|Motorcar|Machine)"),
    ("AUTOMOBILE", r"(CAR|AUTO|MOTORCAR|MACHINE)"),
    ("an automobile", r"(a car|an auto|a motorcar|a machine)"),
])  # fmt: skip
def test_synonyms_have_the_form_of_the_word(text: str, pattern: str) -> None:
    """Plural, past, gerund and third person, capitals and the article follow, irregular forms included."""
    for key in "abcdef":
        assert re.fullmatch(pattern, paraphrase(text, 1, key))


def test_words_without_synonyms_stay() -> None:
    """Words that WordNet does not have, and comparatives, are left as they are."""
    assert paraphrase("The zorgle blick frimmed happier", 1, "a") == "The zorgle blick frimmed happier"


def test_other_languages_are_not_available() -> None:
    """WordNet is English: for other languages the reason is given."""
    assert not why_not()
    assert why_not("de").endswith("WordNet, which is English; these texts are German.")
