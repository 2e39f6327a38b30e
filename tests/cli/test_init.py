"""From the files that people have to an audit: one ``init`` and one ``audit``."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import openpyxl
import pytest
from tests.cli.command import Command, rows, write
from tests.files.shapes import SHAPES, hotels, summary


@pytest.mark.parametrize("name", SHAPES)
def test_one_init_and_one_audit(name: str, tmp_path: Path, fairbrief: Command) -> None:
    """What init writes is audited as it stands, and finds the records, systems and groups that are there."""
    shape = SHAPES[name]
    shape.write(tmp_path)
    files = [tmp_path / file for file in shape.files]
    settings = tmp_path / "fairbrief.toml"
    looked = fairbrief("init", *files, "--out", settings)
    assert looked.code == 0, looked.err
    told = tomllib.loads(settings.read_text(encoding="utf-8"))
    audited = fairbrief("audit", settings, "--resamples", "0", "--out", tmp_path / "out")
    assert audited.code == 0, f"{audited.err}{told}"
    made = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["made"]
    assert (made["records"], tuple(sorted(made["systems"]))) == (shape.records, shape.systems), told
    assert f"{shape.documents} documents" in looked.out, looked.out
    groups = {attribute: len(found) for attribute, found in made["attributes"].get("document", {}).items()}
    assert shape.groups.items() <= groups.items(), told


def test_init_says_what_it_understood(tmp_path: Path, fairbrief: Command) -> None:
    """Each field with what it was taken for, the counts, and the command line that says the same."""
    shape = SHAPES["long table, summaries in a second file"]
    shape.write(tmp_path)
    run = fairbrief(
        "init", tmp_path / "summaries.csv", tmp_path / "reviews.csv", "--out", tmp_path / "a.toml"
    )
    assert run.code == 0, run.err
    for said in (
        "product_id: the record of a row, which is one document",
        "review_text: its text",
        "rating: an attribute of documents",
        "city: an attribute of the record",
        "12 records, 72 documents, 2 systems: even, rosy",
        "rating: 1 (24), 2 (12), 4 (12), 5 (24)",
        "--group-by product_id",
        "--summaries-id-field asin",
    ):
        assert said in run.out, run.out
    told = tomllib.loads((tmp_path / "a.toml").read_text(encoding="utf-8"))
    assert told["files"] == ["reviews.csv"]
    assert told["summaries"] == ["summaries.csv"]


def test_init_overwrites_nothing(tmp_path: Path, fairbrief: Command) -> None:
    """A file of settings that is there stays; another kind of file is refused; so are files without documents."""
    source = write(tmp_path / "in.jsonl", rows(3))
    out = tmp_path / "a.toml"
    assert fairbrief("init", source, "--out", out).code == 0
    assert "there already" in fairbrief("init", source, "--out", out).err
    assert "ends in .toml" in fairbrief("init", source, "--out", tmp_path / "a.json").err
    numbers = write(tmp_path / "numbers.jsonl", [{"a": 1, "b": 2}])
    assert "--documents-field" in fairbrief("init", numbers, "--out", tmp_path / "b.toml").err


def test_sheets_of_one_spreadsheet(tmp_path: Path, fairbrief: Command) -> None:
    """Reviews on one sheet and summaries on another are told apart, and named FILE#SHEET."""
    book = openpyxl.Workbook()
    reviews, summaries = book.active, book.create_sheet("Summaries")
    reviews.title = "Reviews"
    reviews.append(["Product ID", "Review Text", "Stars"])
    summaries.append(["Product ID", "Model", "Summary"])
    for key, of in hotels(6).items():
        for review in of:
            reviews.append([key, review.text, review.stars])
        for system in ("even", "rosy"):
            summaries.append([key, system, summary(of, system)])
    book.save(tmp_path / "two.xlsx")
    run = fairbrief("init", tmp_path / "two.xlsx", "--out", tmp_path / "a.toml")
    assert "6 records, 36 documents, 2 systems: even, rosy" in run.out, run.err
    assert fairbrief("audit", tmp_path / "a.toml", "--resamples", "0").code == 0


def test_requests_beside_their_batch(tmp_path: Path, fairbrief: Command) -> None:
    """The last message of a request is its source; the batch says the system."""
    texts = {key: " ".join(review.text for review in of) for key, of in hotels(6).items()}
    requests = [
        {"custom_id": key, "body": {"model": "asked", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]}}
        for key, text in texts.items()
    ]  # fmt: skip
    answers = [
        {"custom_id": key, "response": {"status_code": 200, "body": {"model": "gpt-x", "choices": [{"message": {"content": text[:40]}}]}}}
        for key, text in texts.items()
    ]  # fmt: skip
    files = [write(tmp_path / "requests.jsonl", requests), write(tmp_path / "output.jsonl", answers)]
    run = fairbrief("init", *files, "--out", tmp_path / "a.toml")
    assert "6 records, 6 documents, 1 system: gpt-x" in run.out, run.err


def test_the_longest_separator_is_taken(tmp_path: Path, fairbrief: Command) -> None:
    """Bars that stand in a longer mark are no separator of their own."""
    articles = [
        {"document": " ||||| ".join(review.text for review in of[:3]), "summary": of[0].text}
        for of in hotels(6).values()
    ]
    run = fairbrief("init", write(tmp_path / "in.jsonl", articles), "--out", tmp_path / "a.toml")
    assert "6 records, 18 documents, 1 system" in run.out, run.err
