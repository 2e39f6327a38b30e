"""Declarations of what papers printed: complete, and as tables."""

from __future__ import annotations

import pytest

from fairbrief import registry
from fairbrief.protocols.published_results import PublishedResult, published_results


def test_figures_are_a_text_table() -> None:
    """The first line holds the headings, each other line a row; cells lose their blanks."""
    result = PublishedResult("Table 2", "Scores", "5 Results", figures="\nModel | BUR\na | 1.5\nb | 2.0\n")
    assert (result.header, result.rows) == (("Model", "BUR"), (("a", "1.5"), ("b", "2.0")))
    assert result.table.title == "Table 2: Scores (as published)"


@pytest.mark.parametrize("name", registry.names("protocol"))
def test_every_declaration_is_complete(name: str) -> None:
    """Rows are as long as headings; a result has commands and what they print, or a reason why there are none."""
    for result in published_results(name):
        assert {len(row) for row in result.rows} <= {len(result.header)}, result.number
        assert bool(result.commands) != bool(result.absent) or result.commands, result.number
        assert bool(result.commands) == bool(result.prints), result.number
        assert not result.cells or len(result.cells) + 1 == len(result.columns), result.number
