"""Declarations of what papers printed: read strictly, and never half."""

from __future__ import annotations

import pytest

from fairbrief.protocols.published_results import heading, parse_result

TABLE = {
    "number": "Table 2",
    "title": "Scores",
    "section": "5 Results",
    "commands": ["fairbrief measures bur"],
    "prints": "bur",
    "figures": """
Model | BUR
a | 1.5
b | 2.0
""",
}


def test_figures_are_a_text_table() -> None:
    """The first line holds the headings, each other line a row; cells lose their blanks."""
    result = parse_result(TABLE, "x.toml")
    assert (result.header, result.rows) == (("Model", "BUR"), (("a", "1.5"), ("b", "2.0")))
    assert heading([result], "Table 2") == "Table 2: Scores"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"figures": "Model | BUR\na | 1 | 2"}, "2 headings, but 3 cells"),
        ({"tilte": "x"}, "unknown tilte"),
        ({"prints": ""}, "'prints' is needed"),
        ({"commands": []}, "neither a command nor 'absent'"),
    ],
)
def test_a_malformed_declaration_is_refused(change: dict[str, object], message: str) -> None:
    """A row of another length, an unknown field, or a result without a command and without a reason is an error."""
    with pytest.raises(ValueError, match=message):
        parse_result(TABLE | change, "x.toml")
