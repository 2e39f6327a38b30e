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
    (name, result) for name, _, _, results in reproduction.declared() for result in results if result.figures
]


def text_of(shared: Path, name: str) -> str:
    """A paper's text, with one minus and single blanks."""
    (path,) = (shared / "papers").glob(f"{PAPERS[name]}-*.txt")
    return re.sub(r"[ \t]+", " ", path.read_text(encoding="utf-8").replace("−", "-"))


@pytest.mark.parametrize(("name", "result"), RESULTS, ids=lambda x: x if isinstance(x, str) else x.number)
def test_every_published_figure_stands_in_the_paper(shared: Path, name: str, result: PublishedResult) -> None:
    """Each number of a declared table occurs in the text as it is declared, and three or more of a row stand close together, in this
    order: no row is mixed up.
    """
    text = text_of(shared, name)
    rows = [[c.replace("−", "-") for c in row if FIGURE.fullmatch(c)] for row in result.table.rows]
    assert any(rows)
    assert [figure for row in rows for figure in row if figure not in text] == []
    for row in rows:
        if len(row) >= 3 and not result.section.startswith("Appendix F"):  # facts out of sentences
            between = r"(?![\d])[\s\S]{0,160}?(?<![\d.])"
            assert re.search(r"(?<![\d.])" + between.join(map(re.escape, row)), text), row
