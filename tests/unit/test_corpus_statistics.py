"""What a file holds: records, lengths, groups, mixes; and references audited as systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import printed

from fairbrief import readers
from fairbrief.errors import DataError, RequestError
from fairbrief.readers import Reading
from fairbrief.types import Case, Document, Record, Summary
from fairbrief.workbench.corpora.corpus_statistics import CorpusStatistics


def record(i: str, *documents: tuple[str, str | None]) -> Record:
    """A record whose documents have a side, or none."""
    return Record(i, tuple(Document(t, {} if side is None else {"side": side}) for t, side in documents))


def test_groups_and_mixes_are_counted() -> None:
    """A record is dominated by the group with the most documents, by none on a tie; a document without group is counted apart."""
    found = CorpusStatistics(lambda text: len(text.split()))
    found.add_record(record("1", ("a b", "l"), ("c", "l"), ("d", "r")))
    found.add_record(record("2", ("e", "l"), ("f g h", "r"), ("i", None)))
    lengths, groups = found.tables()
    rows = {row[0]: row[1:] for row in lengths.rows}
    assert rows["words per document"] == ("6", "1.50", "1", "3")
    assert rows["words per record"] == ("2", "4.50", "4", "5")
    assert groups.rows == (
        ("l", "3", "60.0%", "2", "1", "1.3"),
        ("r", "2", "40.0%", "2", "0", "2.0"),
    )
    assert "1 documents have no side." in groups.notes


def test_a_file_without_summaries_is_counted(tmp_path: Path) -> None:
    """Records alone are enough; with summaries each system's are counted, and those that are missing said."""
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps({"id": "1", "documents": ["One. Two."]}) + "\n")
    assert "sentences per document" in printed("stats", path, "--sentences", "builtin")
    line = {"id": "1", "documents": ["One."], "summary": {"a": "x y", "b": ""}}
    path.write_text(json.dumps(line) + "\n")
    said = printed("stats", path)
    assert "words per summary by a" in said
    assert "b: 1 without a summary." in said


def test_lengths_are_compared_with_the_prompts() -> None:
    """Exact are answers with the sentences asked for that were not cut, among answers; no response counts among inputs."""
    found = CorpusStatistics(len)
    for text, made in (
        ("One. Two.", {"sentences": "2"}),
        ("One. Two.", {"sentences": "2", "cut": "3 sentences to 2"}),
        ("One.", {"sentences": "2"}),
        ("One and. on\nTwo and", {"sentences": "2"}),
        ("", {"sentences": "2"}),
    ):
        reason = "" if text else "refused"
        found.add_summary(Case(record("1", ("d", None)), Summary("1", "a", text, reason=reason, made=made)))
    asked = found.tables()[1]
    assert asked.title == "As the prompt asked"
    assert asked.rows == (("a", "5", "50.0%", "20.00%"),)


ROWS = [
    {"id": "1", "documents": ["d"], "references": ["x", "y"], "system": s, "summary": "z"} for s in ("a", "b")
]


def _with_references(rows: list[dict[str, Any]]) -> Reading:
    reading = readers.read(rows)
    reading.audits_references = True
    return reading


def test_references_are_systems() -> None:
    """Each reference is a system once per record, and is held against the record's other references."""
    cases = list(_with_references(ROWS))
    assert [c.summary.system for c in cases] == ["a", "reference 1", "reference 2", "b"]
    assert (cases[1].summary.text, cases[1].record.references) == ("x", ("y",))


def test_references_that_cannot_be_audited_are_refused() -> None:
    """Without any reference, or beside a system of that name, the error says what to do."""
    with pytest.raises(RequestError, match="--references-field"):
        list(_with_references([{"id": "1", "documents": ["d"], "summary": "z"}]))
    named = [{**ROWS[0], "system": "reference 1"}]
    with pytest.raises(DataError, match="Rename the system"):
        list(_with_references(named))
