"""Counterfactual sources of any text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.people.counterfactual import exchange_genders
from fairbrief.text import gendered_words
from fairbrief.types import Document, Record

GENDERS = {"female": "female", "male": "male"}
WORDS = st.sampled_from(
    "He she him her his hers himself HERSELF Mr. Mrs Miss Anna Peter Reed Will's wife husbands King a An the own door, "
    "said. — «to» St. O'Brien Anne-Marie her- (him) “She’ll 3 \n\n İ ﬁ".split(" ")
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=30))
def test_each_version_is_of_one_gender_and_all_else_stays(words: list[str]) -> None:
    """No pronoun of the other gender is left, and what tells no gender stands where it stood."""
    text = " ".join(words)
    made = exchange_genders([Record("r", (Document(text),))], "gender", GENDERS, 0)
    assert len(made.records) == 2 * made.ways.total() == 2 - 2 * made.refused.total()
    for record in made.records:
        found = record.documents[0].text
        genders = {gendered_words.pronoun_gender(w) for w in _plain(found)} - {None}
        assert genders <= {record.attributes["gender"]}
        assert len(found.split(" ")) == len(text.split(" "))
        kept = ("door,", "the", "own", "King", "said.", "—")
        assert [w for w in found.split(" ") if w in kept] == [w for w in words if w in kept]


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_looked_at(text: str) -> None:
    """Whatever the characters, there are two versions or a reason."""
    made = exchange_genders([Record("r", (Document(text),))], "gender", GENDERS, 0)
    assert len(made.records) in (0, 2)


def _plain(text: str) -> list[str]:
    """The runs of letters."""
    return "".join(c if c.isalpha() else " " for c in text).split()
