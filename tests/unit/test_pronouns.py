"""Pronouns: where they stand, of whom they speak, and their case."""

from __future__ import annotations

import pytest

from fairbrief.text import pronouns


@pytest.mark.parametrize(
    ("word", "tag", "place"),
    [
        ("her", "PRP$", "his"),
        ("her", "PRP", "him"),
        ("His", "PRP$", "his"),
        ("his", "PRP", "his_own"),
        ("hers", "PRP", "his_own"),
        ("HIMSELF", "PRP", "himself"),
        ("she", "", "he"),
        ("her", "", None),
        ("they", "PRP", None),
        ("it", "PRP", None),
    ],
)
def test_the_tag_settles_where_a_pronoun_stands(word: str, tag: str, place: str | None) -> None:
    """A "her" before a noun is a man's "his", else his "him"; without a tag it is not guessed."""
    assert pronouns.place(word, tag) == place


def test_every_form_reads_back_to_its_gender() -> None:
    """Each place has a form for either gender, and the form shows that gender."""
    for gender in ("male", "female"):
        for place in pronouns.PLACES:
            assert pronouns.gender(pronouns.form(place, gender)) == gender


@pytest.mark.parametrize(
    ("pattern", "word", "wanted"),
    [("HIS", "her", "HER"), ("He", "she", "She"), ("he", "she", "she"), ("I", "she", "She")],
)
def test_case_is_kept(pattern: str, word: str, wanted: str) -> None:
    """Capitals throughout, a capital first letter and small letters are carried over."""
    assert pronouns.like(pattern, word) == wanted
