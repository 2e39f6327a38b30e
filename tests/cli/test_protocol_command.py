"""A paper's results: declared whole, and listed by ``fairbrief protocol`` with commands, published and obtained numbers."""

from __future__ import annotations

import pytest
from tests.cli.command import printed

from fairbrief import registry
from fairbrief.errors import RequestError
from fairbrief.protocols.published_results import PublishedResult, published_results


def test_a_papers_results_are_listed() -> None:
    """Every number with its title, whether it has a command, and what the authors released."""
    said = printed("protocol", "li-coverage")
    assert "Table 8" in said
    assert "none" in next(line for line in said.splitlines() if line.startswith("Figure 1"))
    assert "The release has code" in said


def test_a_result_is_printed_with_its_numbers() -> None:
    """The command, the published figures, and obtained ones with the command and the input that gave them."""
    said = " ".join(printed("protocol", "zhang-perspectives", "table 2").split())
    assert "$ fairbrief audit examples/reviews.jsonl" in said
    assert "Obtained, gpt-4, N-gram, Yelp BUR: 20.27 (published: 20.27)." in said
    assert "from: Yelp with the released gpt-4 outputs" in said
    assert "$ fairbrief audit FILE --attribute ATTRIBUTE --protocol zhang-perspectives" in said
    assert "686 of 1,338" in said
    assert "Not available: An illustration" in printed("protocol", "zhang-perspectives", "Figure 1")


def test_an_unknown_number_is_refused() -> None:
    """The error lists those that there are."""
    with pytest.raises(RequestError, match=r"has no Table 99\. It has: Section 2, Figure 1"):
        printed("protocol", "chau-sentiment", "Table 99")


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
