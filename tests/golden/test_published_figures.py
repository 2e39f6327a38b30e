"""No published figure is guessed: each stands in the paper's own text."""

import re
from pathlib import Path

import pytest

from docs import reproduction
from fairbrief.protocols.published_results import PublishedResult

PAPERS = {
    "steen-people": "000", "zhang-perspectives": "001", "li-coverage": "002", "chhabra-position": "003",
    "chau-sentiment": "004",
}  # fmt: skip
FIGURE = re.compile(r"[-−]?\.?\d[\d.,/%*\-–]*")
RESULTS = [
    (name, result) for name, _, _, results in reproduction.declared() for result in results if result.rows
]


def text_of(shared: Path, name: str) -> str:
    """A paper's text, with one minus and single blanks."""
    (path,) = (shared / "papers").glob(f"{PAPERS[name]}-*.txt")
    return re.sub(r"[ \t]+", " ", path.read_text(encoding="utf-8").replace("−", "-"))


@pytest.mark.parametrize(("name", "result"), RESULTS, ids=lambda x: x if isinstance(x, str) else x.number)
def test_every_published_figure_stands_in_the_paper(shared: Path, name: str, result: PublishedResult) -> None:
    """Each number of a declared table occurs in the text as it is declared."""
    text = text_of(shared, name)
    figures = [c.replace("−", "-") for row in result.rows for c in row if FIGURE.fullmatch(c)]
    assert figures
    assert [f for f in figures if f not in text] == []


@pytest.mark.parametrize(("name", "result"), RESULTS, ids=lambda x: x if isinstance(x, str) else x.number)
def test_the_figures_of_a_row_stand_together(shared: Path, name: str, result: PublishedResult) -> None:
    """Three numbers or more of a declared row stand close together in the paper, in this order: no row is mixed up."""
    text = text_of(shared, name)
    for row in result.rows:
        figures = [c.replace("−", "-") for c in row if FIGURE.fullmatch(c)]
        if len(figures) < 3 or result.section.startswith("Appendix F"):  # facts out of sentences
            continue
        between = r"(?![\d])[\s\S]{0,160}?(?<![\d.])"
        assert re.search(r"(?<![\d.])" + between.join(map(re.escape, figures)), text), row
