"""Genders of people by the pronouns of their pages, worked by hand (Steen & Markert, Appendix F, Table 14)."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest
from tests.cli.command import printed

from fairbrief.classifiers.people import read_pages
from fairbrief.errors import DataError
from fairbrief.workbench.corpora.page_pronouns import page_genders

PEOPLE = "[[Category:1950 births]]"
PAGES = [
    ("Ann Lee", f"She lost her hat. He found it, himself. {PEOPLE}", ""),  # 2 : 2 is a tie
    ("Mary Poole", f"She, hers, herself; he. {PEOPLE}", ""),
    ("John Smith (actor)", f"He and his dog. {PEOPLE}", ""),
    ("John Smith (writer)", "Hers. [[category: Deaths from cold| ]]", ""),
    ("Bo Dahl", "He. [[Category:People from Lund]]", ""),
    ("Cher", f"She. {PEOPLE}", ""),  # one word
    ("Lake Vane", "He swam in it. [[Category:Lakes]]", ""),
    ("M. Poole", "#REDIRECT [[Mary Poole]]", "Mary Poole"),
    ("Talk:Bo Dahl", f"She. {PEOPLE}", ""),
]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """A compressed dump of these pages; the last is a talk page."""
    parts = []
    for title, text, target in PAGES:
        redirect = f'<redirect title="{target}" />' if target else ""
        namespace = 1 if title.startswith("Talk") else 0
        parts.append(
            f"<page><title>{title}</title><ns>{namespace}</ns>{redirect}<revision><text>{text}</text></revision></page>"
        )
    path = tmp_path / "pages.xml.bz2"
    wiki = f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{"".join(parts)}</mediawiki>'
    path.write_bytes(bz2.compress(wiki.encode()))
    return path


def test_people_have_the_gender_of_most_pronouns(dump: Path) -> None:
    """Ties and namesakes of two genders are unknown; single words, other pages and other namespaces are no people."""
    assert page_genders(dump) == {
        "ann lee": "unknown",
        "mary poole": "female",
        "john smith": "unknown",
        "bo dahl": "male",
        "m. poole": "female",
    }


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Ann Lee (actor)", "ann lee"),
        ("Ann Lee)", "ann lee)"),
        ("Ann Lee (an (old) actor)", "ann lee (an (old) actor)"),
    ],
)
def test_only_one_pair_of_brackets_at_the_end_of_a_title_is_ignored(
    title: str, name: str, tmp_path: Path
) -> None:
    """A title with other brackets is a name as it is."""
    path = tmp_path / "pages.xml"
    path.write_text(
        f"<mediawiki><page><title>{title}</title><revision><text>She. {PEOPLE}</text></revision></page></mediawiki>"
    )
    assert page_genders(path) == {name: "female"}


def test_the_table_can_be_given_to_names(dump: Path, tmp_path: Path) -> None:
    """``names(pages=FILE)`` reads what the command writes."""
    out = tmp_path / "pages.csv"
    said = printed("build", "pages", dump, "--out", out)
    assert "5 names" in said
    assert "female 2, male 1, unknown 2" in said
    assert read_pages(str(out))["mary poole"] == "female"
    (tmp_path / "no.xml").write_text("he said")
    with pytest.raises(DataError, match=r"no\.xml: found what is not XML"):
        printed("build", "pages", tmp_path / "no.xml", "--out", out)
