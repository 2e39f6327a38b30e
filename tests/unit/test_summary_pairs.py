"""Choices between two summaries: who is asked what, blind; what comes back; and how measures agree."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.command import printed

from fairbrief.errors import RequestError
from fairbrief.readers import read
from fairbrief.workbench.judgements import preferences, preferred
from fairbrief.workbench.sheets import Answer, code_of, items_of, pairs_of, sheet

TEXTS = {"both": "The tea was good. The mug was broken.", "rosy": "The tea was good. It was hot.", "none": ""}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Eight records by three systems: one speaks of both groups, one of one alone, one says nothing."""
    documents = [
        {"text": "The tea was good and hot.", "attributes": {"mood": "good"}},
        {"text": "The mug was broken.", "attributes": {"mood": "bad"}},
    ]
    path = tmp_path / "records.jsonl"
    rows = [{"id": f"r{i}", "documents": documents, "summary": TEXTS} for i in range(8)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def answer(path: Path, ahead: str) -> None:
    """Prefer everywhere the summary with this text."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        first = row["summary"].partition("Second summary:")[0]
        row["answer"] = "first" if ahead in first else "second"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_two_summaries_of_a_record_are_one_question(records: Path) -> None:
    """Empty summaries make no pair; systems stand first in turn, and no sheet names one."""
    asked = list(items_of(read(records), "pairs", "mood"))
    assert len(asked) == 8
    assert {items[0].choices for _, items in asked} == {("first", "second", "alike")}
    first = [case.summary.text.startswith(f"First summary:\n{TEXTS['both']}") for case, _ in asked]
    assert 0 < sum(first) < 8
    text = sheet(asked, "ann", "mood")
    assert "rosy" not in text
    assert "Second summary:" in text


def test_choices_become_preferences_and_hold_against_measures(records: Path, tmp_path: Path) -> None:
    """Sheets that prefer the balanced text: its system always preferred, and a measure of fairness agrees always."""
    said = printed(
        "annotate", "export", records, "--task", "pairs", "--attribute", "mood",
        "--annotators", "ann,bea", "--out", tmp_path / "p.csv",
    )  # fmt: skip
    assert said.count("8 questions on 8 pairs") == 2
    sheets = [tmp_path / "p.ann.csv", tmp_path / "p.bea.csv"]
    for one in sheets:
        answer(one, "mug")
    words = [*sheets, "--records", records, "--task", "pairs", "--attribute", "mood"]
    said = printed("annotate", "import", *words)
    assert "pairs: Krippendorff's α (nominal)   1.000" in said
    assert "both preferred to rosy  1.000  [1.000, 1.000]  chance 0.5  n=8" in said
    said = printed("annotate", "agree", *words, "--measure", "uer@mood", "--measure", "bur@mood")
    assert said.count("orders two summaries as people do  1.000") == 2
    for one in sheets:
        answer(one, "hot")
    said = printed("annotate", "agree", *words, "--measure", "uer@mood")
    assert "orders two summaries as people do  0.000" in said
    with pytest.raises(RequestError, match="the task 'pairs' gives a table, not records"):
        printed("annotate", "import", *words, "--out", tmp_path / "x.jsonl")


def test_annotators_who_differ_find_two_summaries_alike(records: Path) -> None:
    """More than half decide; a tie is alike and counts half for either system."""
    pairs = list(pairs_of(read(records)))[:2]
    keys = [("pairs", pair.first.record.id, code_of(pair.shown), "") for pair in pairs]
    said = [("a", 0, "first"), ("b", 0, "second"), ("a", 1, "first"), ("b", 1, "first"), ("c", 1, "alike")]
    judged = preferred(pairs, [Answer(who, keys[i], (choice,)) for who, i, choice in said])
    assert [share for _, share in judged] == [0.5, 1.0]
    (found,) = preferences(judged)
    ahead = pairs[1].first.summary.system
    assert found.name == "both preferred to rosy"
    assert found.value == (0.75 if ahead == "both" else 0.25)


def test_pairs_need_two_systems(tmp_path: Path) -> None:
    """A file with one system gives rise to no question, and the error says what is needed."""
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"id": "1", "documents": [{"text": "Tea."}], "summary": "Tea."}))
    with pytest.raises(RequestError, match="Give summaries of the same record by two systems"):
        printed("annotate", "export", path, "--task", "pairs", "--out", tmp_path / "p.csv")
