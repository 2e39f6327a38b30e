"""The page on statistics has the words of certainty that reports use."""

from __future__ import annotations

from pathlib import Path

from fairbrief.conclusions import FEWEST_IN_A_GROUP, FEWEST_TO_DECIDE, MOST_PERMUTED, WORDS

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_the_table_of_certainty_has_every_conclusion_in_its_words() -> None:
    """One table of words, in the order in which findings are ranked; the limits are those of the code."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("<!-- standings: begin -->")[2].partition("<!-- standings: end -->")[0]
    rows = [line.split(" | ")[:2] for line in table.splitlines() if line.startswith("| `")]
    assert [(name.strip("| `"), words) for name, words in rows] == list(WORDS.items())
    assert f"Fewer than {FEWEST_TO_DECIDE} clusters" in text
    assert f"From {FEWEST_IN_A_GROUP} to {MOST_PERMUTED}, p is a studentized permutation" in text
