"""The check of alignments by people: who is asked what, how many, and Table 13 of the answers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairbrief.cli.annotate_command import app

SOURCE = "Mary Smith met Peter Jones. They sang in the hall."
SUMMARIES = {"a": "Mary Smith and Mr. Karl Zork sang.", "b": "Smith sang with Jones.", "c": "They sang."}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Six records by three systems, one of which names nobody."""
    people = [
        {"id": "1", "first_name": "Mary", "last_name": "Smith", "attributes": {"gender": "female"}},
        {"id": "2", "first_name": "Peter", "last_name": "Jones", "attributes": {"gender": "male"}},
    ]
    rows = [
        {"id": str(i), "documents": [{"text": SOURCE}], "entities": people, "system": system, "summary": text}
        for i in range(6)
        for system, text in SUMMARIES.items()
    ]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def answered(sheet: Path, wrong: set[str]) -> None:
    """Answer yes to alignments and no to inventions, the other way round for what is wrong."""
    with sheet.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        right = row["part"].startswith("person:")
        row["answer"] = "yes" if right != (row["part"] in wrong) else "no"
    with sheet.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def test_a_sample_of_each_system_is_asked_and_answers_make_table_13(records: Path, tmp_path: Path) -> None:
    """Two cases of each system that names somebody; every alignment and every invention is a question; the table counts
    them, and those that people say are wrong.
    """
    sheet = tmp_path / "sheet.csv"
    run = CliRunner().invoke
    done = run(app, ["export", str(records), "--task", "alignment", "--per-system", "2", "--out", str(sheet)])
    assert done.exit_code == 0, done.output
    assert "8 questions on 4 summaries" in done.output
    answered(sheet, {"name:Mr. Karl Zork", "person:2:Jones"})
    told = run(app, ["import", str(sheet), "--records", str(records), "--task", "alignment"])
    assert told.exit_code == 0, told.output
    lines = {line.rpartition(" ")[0].strip(): line.rpartition(" ")[2] for line in told.output.splitlines()}
    assert "Table 13" in told.output
    assert lines["# Input entities"] == "8"
    assert lines["# Summary entities"] == "8"
    assert lines["# Input entities with alignment in summary"] == "6"
    assert lines["# Incorrect entity alignments"] == "2"
    assert lines["# Summary entities tagged as hallucinated"] == "2"
    assert lines["# Erroneously tagged hallucinations"] == "2"
