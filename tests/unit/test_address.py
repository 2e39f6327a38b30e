"""Titles before names, and what they become for the other gender."""

from __future__ import annotations

import pytest

from fairbrief.text import address


@pytest.mark.parametrize(
    ("title", "to", "wanted"),
    [
        ("Mr.", "female", "Ms."),
        ("Mr", "female", "Ms"),
        ("MR.", "female", "MS."),
        ("Mrs.", "male", "Mr."),
        ("Miss", "male", "Mr."),
        ("Mrs.", "female", "Mrs."),
        ("Sir", "female", "Lady"),
        ("Dame", "male", "Sir"),
        ("Madame", "male", "Monsieur"),
    ],
)
def test_a_title_follows_the_gender(title: str, to: str, wanted: str) -> None:
    """A title of the other gender is exchanged in its case and with its full stop; one that fits stays."""
    assert address.exchange(title, to) == wanted


def test_the_published_choice_can_be_asked_for() -> None:
    """Mrs. for every woman, as in the published code, is a setting."""
    assert address.exchange("Mr.", "female", woman="Mrs.") == "Mrs."


def test_a_doctor_has_no_gender() -> None:
    """Titles that both genders bear tell none, and are titles all the same."""
    assert address.gender("Dr.") is None
    assert address.is_title("Dr.")
    assert not address.is_title("Smith")
