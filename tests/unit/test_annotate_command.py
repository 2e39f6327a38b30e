"""``fairbrief annotate``: from records to sheets, and from answers to agreement, measures and Table 13."""

import csv
from pathlib import Path

import pytest
from tests.cli.command import printed, write
from tests.files.shapes import table

from fairbrief.errors import RequestError
from fairbrief.readers import read


def run(*words: str | Path) -> str:
    """What ``fairbrief annotate`` prints."""
    return printed("annotate", *words)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Six records of two systems: ``both`` speaks of good and bad, ``rosy`` only of good."""
    path = tmp_path / "records.jsonl"
    documents = [
        {"text": "The tea was good and hot.", "attributes": {"mood": "good"}},
        {"text": "The mug was broken.", "attributes": {"mood": "bad"}},
    ]
    texts = {"both": "The tea was good. The mug was broken.", "rosy": "The tea was good. It was hot."}
    return write(path, [{"id": f"r{i}", "documents": documents, "summary": texts} for i in range(6)])


def rows_of(sheet: Path) -> list[dict[str, str]]:
    """The rows of a sheet."""
    with sheet.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def fill(sheet: Path, rows: list[dict[str, str]], answers: list[str]) -> None:
    """Write the answers into a sheet."""
    table(sheet, [{**row, "answer": said} for row, said in zip(rows, answers, strict=True)])


def answer(sheet: Path, says: dict[tuple[str, str], str]) -> None:
    """Fill in a sheet: what is said to (system, part); the summary in a case's first line tells which system it is."""
    rows = rows_of(sheet)
    systems = {row["system"]: "both" if "mug" in row["summary"] else "rosy" for row in rows if row["summary"]}
    fill(sheet, rows, [says[systems[row["system"]], row["part"]] for row in rows])


def test_claims_from_export_to_measures(records: Path, tmp_path: Path) -> None:
    """What people say of the claims becomes claims with values, agreement, and bur, uer, auc and sof of their shares."""
    asked = ("--task", "claims", "--attribute", "mood")
    said = run("export", records, *asked, "--annotators", "ann,bea", "--out", tmp_path / "s.csv")
    assert said.count("24 questions on 12 summaries") == 2
    sheets = [tmp_path / "s.ann.csv", tmp_path / "s.bea.csv"]
    says = {("both", "1"): "good", ("both", "2"): "bad", ("rosy", "1"): "good", ("rosy", "2"): "good"}
    for sheet in sheets:
        answer(sheet, says)
    out = tmp_path / "judged.jsonl"
    said = run("import", *sheets, "--records", records, *asked, "--out", out, "--resamples", "50")
    assert "48 answers of 2 annotators: ann, bea" in said
    assert "Krippendorff's α (nominal)   1.000" in said
    assert "SHARE of the summary minus share of the sources by" in said
    cases = list(read(out))
    assert len(cases) == 12
    rosy = next(c for c in cases if c.summary.system == "rosy")
    assert [u.values["mood"] for u in rosy.summary.claims or ()] == [("good",), ("good",)]
    said = run("agree", *sheets, "--records", records, *asked, "--measure", "uer@mood")
    assert "agrees with people (by chance 0.5)  1.000" in said


def test_ratings_against_measures(records: Path, tmp_path: Path) -> None:
    """Ratings order the systems; a measure that orders them alike agrees always, and its interval is printed. The attribute may
    come from another field.
    """
    run("export", records, "--task", "rating", "--attribute", "tone=mood", "--out", tmp_path / "r.csv")
    says = {("both", "good"): "5", ("both", "bad"): "5", ("rosy", "good"): "5", ("rosy", "bad"): "1"}
    answer(tmp_path / "r.csv", says)
    words = [tmp_path / "r.csv", "--records", records, "--task", "rating", "--attribute", "tone=mood"]
    said = run("agree", *words, "--measure", "bur@tone", "--measure", "uer@tone")
    assert said.count("agrees with people (by chance 0.5)  1.000") == 2
    with pytest.raises(RequestError, match="has the attribute 'nope'"):
        run("agree", *words, "--measure", "uer@nope")
    out = tmp_path / "rated.jsonl"
    assert "undefined: no two answers to compare" in run("import", *words, "--out", out)
    assert {c.record.attributes["rating bad"] for c in read(out)} == {"5", "1"}


def test_leanings_tell_two_measures_apart(records: Path, tmp_path: Path) -> None:
    """With leanings, two measures with group differences are compared by samples and by bootstrap groups."""
    sheet = tmp_path / "l.csv"
    words = ["--task", "leaning", "--attribute", "mood", "--choices", "bad,fair,good"]
    run("export", records, *words, "--out", sheet)
    answer(sheet, {("both", ""): "fair", ("rosy", ""): "good"})
    measures = "--measure coverage_parity@mood --measure uer@mood".split()
    said = run("agree", sheet, "--records", records, *words, *measures)
    assert "With which measure people agree" in said
    assert "of 5,000 bootstrap groups" in said
    # By coverage only the rosy summaries lean, all to good; n-grams also find a lean in some that people call fair.
    begins = ("coverage_parity@mood ", "uer@mood ")
    shares = [line.split()[-1] for line in said.splitlines() if line.startswith(begins)]
    assert shares == ["100%", "98%"]


SOURCE = "Mary Smith met Peter Jones. They sang in the hall."
SUMMARIES = {"a": "Mary Smith and Mr. Karl Zork sang.", "b": "Smith sang with Jones.", "c": "They sang."}


def answered(sheet: Path, wrong: set[str]) -> None:
    """Answer yes to alignments and no to inventions, the other way round for what is wrong."""
    rows = rows_of(sheet)
    right = [row["part"].startswith("person:") != (row["part"] in wrong) for row in rows]
    fill(sheet, rows, ["yes" if is_right else "no" for is_right in right])


def test_a_sample_of_each_system_is_asked_and_makes_table_13(tmp_path: Path) -> None:
    """Two cases of each system that names somebody; every alignment and every invention is a question; the table counts
    them, and those that people say are wrong.
    """
    people = [
        {"id": "1", "first_name": "Mary", "last_name": "Smith", "attributes": {"gender": "female"}},
        {"id": "2", "first_name": "Peter", "last_name": "Jones", "attributes": {"gender": "male"}},
    ]
    rows = [
        {"id": str(i), "documents": [{"text": SOURCE}], "entities": people, "system": system, "summary": text}
        for i in range(6)
        for system, text in SUMMARIES.items()
    ]
    source = write(tmp_path / "records.jsonl", rows)
    sheet, task = tmp_path / "sheet.csv", ("--task", "alignment")
    told = run("export", source, *task, "--per-system", "2", "--out", sheet)
    assert "8 questions on 4 summaries" in told
    answered(sheet, {"name:Mr. Karl Zork", "person:2:Jones"})
    told = run("import", sheet, "--records", source, *task)
    lines = {line.rpartition(" ")[0].strip(): line.rpartition(" ")[2] for line in told.splitlines()}
    assert "Table 13" in told
    assert lines["# Input entities"] == "8"
    assert lines["# Summary entities"] == "8"
    assert lines["# Input entities with alignment in summary"] == "6"
    assert lines["# Incorrect entity alignments"] == "2"
    assert lines["# Summary entities tagged as hallucinated"] == "2"
    assert lines["# Erroneously tagged hallucinations"] == "2"
