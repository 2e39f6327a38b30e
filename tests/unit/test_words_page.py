"""The command about words of inputs: what counts as a word, and its page with pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairbrief.cli.words_command import app
from fairbrief.errors import RequestError
from fairbrief.types import Document, Record
from fairbrief.workbench.corpora.word_differences import distinctive_words

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Records without summaries, two desks, one topic each; a text that would run if it were not escaped."""
    rows = [
        {
            "id": str(i),
            "documents": [
                {"text": "The club won; he shot a goal! Zebra zebra.", "attributes": {"desk": "sport"}},
                {"text": f"Her husband said: tax, tax and vote {HOSTILE}.", "attributes": {"desk": HOSTILE}},
            ],
        }
        for i in range(6)
    ]
    path = tmp_path / "inputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_marks_are_words_only_if_asked_for() -> None:
    """Punctuation tells no groups apart, unless the paper's reading is asked for."""
    records = [Record("1", (Document("goal!", {"desk": "a"}), Document("vote.", {"desk": "b"})))]
    assert {w.word for w in distinctive_words(records, "desk")} == {"goal", "vote"}
    asked = {w.word for w in distinctive_words(records, "desk", punctuation=True)}
    assert asked == {"goal", "vote", "!", "."}


def test_the_page_holds_pictures_and_nothing_that_runs(inputs: Path, tmp_path: Path) -> None:
    """Both pictures are drawn in the page, with names of words in them; texts of the input are escaped; nothing is loaded."""
    out = tmp_path / "words.html"
    done = CliRunner().invoke(app, [str(inputs), "--by", "desk", "--out", str(out)])
    assert done.exit_code == 0, done.output
    page = out.read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert re.search(r"<text[^>]*>zebra</text>", page)
    assert "<script" not in page.lower()
    assert "&lt;script&gt;" in page
    assert not re.search(r"(src|href)=", page)
    assert "Content-Security-Policy" in page


def test_the_page_is_the_same_twice(inputs: Path, tmp_path: Path) -> None:
    """The same input gives the same page, to the byte."""
    pages = []
    for name in ("a.html", "b.html"):
        CliRunner().invoke(app, [str(inputs), "--by", "desk", "--out", str(tmp_path / name)])
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_a_page_of_another_kind_is_refused(inputs: Path, tmp_path: Path) -> None:
    """A name that does not end in .html is refused before anything is read."""
    done = CliRunner().invoke(app, [str(inputs), "--out", str(tmp_path / "words.png")])
    assert isinstance(done.exception, RequestError)
