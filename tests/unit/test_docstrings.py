"""Docstrings as the terminal shows them."""

from __future__ import annotations

import pytest

from fairbrief import registry
from fairbrief.cli.listing_commands import KINDS, explanation, filled
from fairbrief.errors import RequestError

WIDTH = 60


def test_paragraphs_and_entries_are_filled_to_the_width() -> None:
    """A paragraph's lines are joined and cut anew; an entry hangs under its text; indented lines stay."""
    text = (
        "The words of one\nparagraph, with ``code`` and `Rouge1` and *stress* in it, and more.\n\n"
        "Source:   one\n          two.\nErrors:   none.\n\n    a formula = 1\n    and = 2"
    )
    assert filled(text, 40, {"Rouge1": "rouge1"}).splitlines() == [
        "The words of one paragraph, with 'code'",
        "and 'rouge1' and stress in it, and more.",
        "",
        "Source:   one two.",
        "Errors:   none.",
        "",
        "    a formula = 1",
        "    and = 2",
    ]


@pytest.mark.parametrize("name", [name for kind in KINDS for name in registry.names(kind)])
def test_every_entry_is_told_without_marks(name: str) -> None:
    """No backquote is printed of any measure, scorer, summarizer or protocol, and no line is too long."""
    lines = explanation(name, WIDTH).partition("\nSettings:\n")[0].splitlines()
    assert not [line for line in lines if "`" in line]
    assert not [line for line in lines if len(line) > WIDTH and " " in line.strip()]


def test_a_measure_is_told_with_what_its_settings_mean() -> None:
    """Settings that several measures share are explained with each of them."""
    assert "'stem' compares Porter stems" in explanation("rougeL")


def test_a_name_that_is_misspelt_is_told_with_its_neighbour() -> None:
    """The refusal names what is near."""
    with pytest.raises(RequestError, match="Did you mean 'rouge1'"):
        explanation("roug1")
