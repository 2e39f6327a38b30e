"""Docstrings as the terminal shows them."""

from __future__ import annotations

import pytest
from tests.cli.command import printed

from fairbrief import registry
from fairbrief.cli.lookup_commands import KINDS, explanation
from fairbrief.errors import RequestError


@pytest.mark.parametrize("name", [name for kind in KINDS for name in registry.names(kind)])
def test_every_entry_is_shown_without_marks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No mark is printed of any measure, scorer, summarizer or protocol, and no line is wider than the terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    lines = printed("measures", name).splitlines()
    assert lines[0].startswith(name)
    assert not [line for line in lines if "`" in line or "**" in line or len(line) > 60]


def test_a_measure_is_explained_with_its_labels_and_the_names_of_others() -> None:
    """Labelled entries are items; a class is called by the name that it has on the command line."""
    text = explanation("coverage_parity")
    assert "\n- **Undefined:** as `equal_coverage`." in text
    assert "\n- `over: str`\n" in text


def test_a_measure_is_explained_with_what_its_settings_mean() -> None:
    """Settings that several measures share are explained with each of them."""
    assert "`stem` compares Porter stems" in explanation("rougeL")


def test_a_name_that_is_misspelt_is_refused_with_its_neighbour() -> None:
    """The refusal names what is near."""
    with pytest.raises(RequestError, match="Did you mean 'rouge1'"):
        explanation("roug1")
