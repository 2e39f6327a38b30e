"""Pronouns and titles: where pronouns stand, of whom they speak, their case, and what titles become for the other gender."""

from __future__ import annotations

import pytest

from fairbrief.text import gendered_words


@pytest.mark.parametrize(
    ("word", "tag", "place"),
    [
        ("her", "PRP$", "his"), ("her", "PRP", "him"), ("His", "PRP$", "his"), ("his", "PRP", "his_own"),
        ("hers", "PRP", "his_own"), ("HIMSELF", "PRP", "himself"), ("she", "", "he"), ("her", "", None),
        ("they", "PRP", None), ("it", "PRP", None),
    ],
)  # fmt: skip
def test_the_tag_settles_where_a_pronoun_stands(word: str, tag: str, place: str | None) -> None:
    """A "her" before a noun is a man's "his", else his "him"; without a tag it is not guessed."""
    assert gendered_words.place(word, tag) == place


def test_every_form_reads_back_to_its_gender() -> None:
    """Each place has a form for either gender, and the form shows that gender."""
    for gender in ("male", "female"):
        for place in gendered_words.PLACES:
            assert gendered_words.pronoun_gender(gendered_words.form(place, gender)) == gender


@pytest.mark.parametrize(
    ("pattern", "word", "wanted"),
    [("HIS", "her", "HER"), ("He", "she", "She"), ("he", "she", "she"), ("I", "she", "She")],
)
def test_case_is_kept(pattern: str, word: str, wanted: str) -> None:
    """Capitals throughout, a capital first letter and small letters are carried over."""
    assert gendered_words.like(pattern, word) == wanted


@pytest.mark.parametrize(
    ("title", "to", "wanted"),
    [
        ("Mr.", "female", "Ms."), ("Mr", "female", "Ms"), ("MR.", "female", "MS."), ("Mrs.", "male", "Mr."),
        ("Miss", "male", "Mr."), ("Mrs.", "female", "Mrs."), ("Sir", "female", "Lady"), ("Dame", "male", "Sir"),
        ("Madame", "male", "Monsieur"),
    ],
)  # fmt: skip
def test_a_title_follows_the_gender(title: str, to: str, wanted: str) -> None:
    """A title of the other gender is exchanged in its case and with its full stop; one that fits stays."""
    assert gendered_words.exchange_title(title, to) == wanted


def test_the_published_choice_can_be_asked_for() -> None:
    """Mrs. for every woman, as in the published code, is a setting."""
    assert gendered_words.exchange_title("Mr.", "female", woman="Mrs.") == "Mrs."


def test_a_doctor_has_no_gender() -> None:
    """Titles that both genders bear tell none, and are titles all the same."""
    assert gendered_words.title_gender("Dr.") is None
    assert gendered_words.is_title("Dr.")
    assert not gendered_words.is_title("Smith")
