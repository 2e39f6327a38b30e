"""Prompts as data: what the shipped ones say, and what happens to a user's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from fairbrief.errors import DataError
from fairbrief.types import Document, Record
from fairbrief.workbench.summarizers.prompts import Wish, clauses, fill, find, shipped

RECORD = Record(
    "r1",
    tuple(Document(f"text {i}", {"leaning": "left" if i < 1 else "right"}) for i in range(4)),
    attributes={"topic": "bus lanes", "claim": "Buses help."},
)
WISH = Wish(over="leaning")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_shipped_prompt_fills(name: str) -> None:
    """Each wording of each shipped prompt takes the documents, leaves no field open, and names its source."""
    prompt = shipped()[name]
    assert prompt.source
    assert prompt.about
    for wording in prompt.wordings:
        for instruction in clauses()["instructions"] if "{instruction}" in wording else ["none"]:
            single = structs.replace(prompt, wordings=(wording,))
            asked = fill(single, RECORD, replace(WISH, instruction=instruction))
            assert all(document.text in asked.user for document in RECORD.documents)
            assert "{" not in asked.user
            assert "\n\n\n" not in asked.user
            assert asked.user == asked.user.strip()


def test_layouts() -> None:
    """Documents stand numbered, with their labels, joined by two bars, or one a line."""
    numbered = fill(find("reviews"), RECORD, WISH).user
    assert "\n1. text 0\n2. text 1\n" in numbered
    assert "about 50 words" in numbered
    assert "1. (left) text 0\n2. (right) text 1" in fill(find("reviews-fair"), RECORD, WISH).user
    assert "review: text 0 || review: text 1" in fill(find("perspectives-reviews"), RECORD, WISH).user
    assert "text 0\ntext 1" in fill(find("perspectives-dialogue"), RECORD, WISH).user


def test_wishes_reach_the_prompt() -> None:
    """A fair instruction, with ratios or without, a role, a number of sentences or words are put in."""
    ratio = fill(find("reviews"), RECORD, replace(WISH, instruction="ratio", sentences=3, role="mediator"))
    assert "25% left and 75% right" in ratio.user
    assert "Use 3 sentences." in ratio.user
    assert "words" not in ratio.user
    assert ratio.system.startswith("You are a mediator")
    plain = fill(
        find("reviews"), RECORD, replace(WISH, instruction="definition", words=20, role="Be a bard.")
    )
    assert "left or right" in plain.user
    assert "%" not in plain.user
    assert "about 20 words" in plain.user
    assert plain.system == "Be a bard."


def test_one_wording_is_drawn_for_each_record() -> None:
    """Over many records every wording and separator occurs, always the same for one record and draw."""
    prompt = find("article")
    records = [replace(RECORD, id=f"r{i}") for i in range(200)]
    drawn = [fill(prompt, record, Wish()) for record in records]
    assert {asked.wording for asked in drawn} == set(range(10))
    assert len({asked.user for asked in drawn}) > 40
    assert drawn == [fill(prompt, record, Wish()) for record in records]
    assert drawn != [fill(prompt, record, Wish(draw=1)) for record in records]


def test_texts_with_braces_are_left_alone() -> None:
    """What looks like a field inside a document, or another brace in a template, is text."""
    record = replace(RECORD, documents=(Document("use {topic} and {nothing}   here"),))
    assert "use {topic} and {nothing}   here" in fill(find("tweets"), record, Wish()).user


def test_a_users_file(tmp_path: Path) -> None:
    """A text file is a prompt of one wording, a TOML file may say more; both have hashes of their own."""
    text = tmp_path / "mine.txt"
    text.write_text('On {topic}: {"json": 1}\n{documents}')
    assert fill(find(str(text)), RECORD, Wish()).user.startswith('On bus lanes: {"json": 1}\n1. text 0')
    table = tmp_path / "mine.toml"
    table.write_text(
        '[mine]\nlayout = "lines"\nsystem = "Be brief."\nwordings = ["A {documents}", "B {documents}"]'
    )
    asked = fill(find(str(table)), RECORD, Wish())
    assert asked.system == "Be brief."
    assert asked.user[:2] in {"A ", "B "}
    shas = {find(str(text)).sha, find(str(table)).sha, *(p.sha for p in shipped().values())}
    assert len(shas) == 2 + len(shipped())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[a]\nwordings = []", "no wording"),
        ("[a]\nwordings = ['x']", "no {documents}"),
        ("[a]\nwordings = ['{documents}']\nlayout = 'wild'", "'wild'"),
        ("[a]\nwordings = ['{documents}']\nwordz = 1", "unknown field `wordz`"),
        ("[a]\nx = 1", "unknown field `x`"),
        ("[a", "not valid TOML"),
        ("[a]\nwordings = ['{documents}']\n[b]\nwordings = ['{documents}']", "2 prompts"),
    ],
)
def test_a_file_that_is_no_prompt(content: str, said: str, tmp_path: Path) -> None:
    """The error names the file and what is wrong with it."""
    path = tmp_path / "p.toml"
    path.write_text(content)
    with pytest.raises(DataError, match=said):
        find(str(path))
