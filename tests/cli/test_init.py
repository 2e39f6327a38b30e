"""From the files that people have to an audit: one ``init`` and one ``audit``."""

import json
import shlex
import tomllib
from pathlib import Path

import openpyxl
import pytest
from tests.cli.command import DOCUMENTS, SUMMARIES, Command, printed, refused, rows, write
from tests.files.shapes import SHAPES, hotels, summary, table

LONG = "The soup was cold and the waiter was rude but guests praise the quiet garden behind the house."


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
    # Of several documents without an attribute only their order can be measured.
    is_ordered = () if shape.groups or shape.documents == shape.records else ("--ordered",)
    made = fairbrief.audited(tmp_path / "out", settings, *is_ordered, "--resamples", "0")["made"]
    assert (made["records"], tuple(sorted(made["systems"]))) == (shape.records, shape.systems), told
    assert f"{shape.documents} documents" in looked.out, looked.out
    groups = {attribute: len(found) for attribute, found in made["attributes"].get("document", {}).items()}
    assert shape.groups.items() <= groups.items(), told


def test_init_says_what_it_understood(tmp_path: Path) -> None:
    """Each field with what it was taken for, the counts, and the settings."""
    SHAPES["long table, summaries in a second file"].write(tmp_path)
    files = (tmp_path / "summaries.csv", tmp_path / "reviews.csv")
    output = printed("init", *files, "--out", tmp_path / "a.toml")
    for said in (
        "product_id: the record's id; each row is one document",
        "review_text: its text",
        "rating: an attribute of documents",
        "city: an attribute of the record",
        "12 records, 72 documents, 2 systems: even, rosy",
        "rating: 1 (24), 2 (12), 4 (12), 5 (24)",
    ):
        assert said in output
    told = tomllib.loads((tmp_path / "a.toml").read_text(encoding="utf-8"))
    assert (told["files"], told["summaries"]) == (["reviews.csv"], ["summaries.csv"])
    assert (told["group-by"], told["summaries-id-field"]) == ("product_id", "asin")


def test_init_without_a_summary_gives_the_command_to_complete(tmp_path: Path, fairbrief: Command) -> None:
    """If no field is named like a summary, other texts may be: the command that names them audits the file."""
    given = [
        {"article": i, "texts": [{"text": text, "side": side} for text, side in DOCUMENTS], "lead": LONG}
        for i in range(4)
    ]
    path = write(tmp_path / "in.jsonl", given)
    run = fairbrief("init", path, "--out", tmp_path / "a.toml")
    assert run.code == 2
    assert f"fairbrief init {path} SUMMARIES" in run.err
    command = shlex.split(run.err.partition("name their fields: ")[2])
    assert command[-2:] == ["--summary-field", "lead"]
    assert fairbrief(*command[1:], "--resamples", "0").code == 0
    unmatched = write(tmp_path / "s.jsonl", [{"nr": i, "summary": LONG} for i in range(4)])
    run = fairbrief("init", path, unmatched, "--out", tmp_path / "b.toml")
    assert "'fairbrief init' has no --summaries-id-field: give it to 'fairbrief audit'." in run.err


def test_init_overwrites_nothing(tmp_path: Path, fairbrief: Command) -> None:
    """A file of settings that is there stays; another kind of file is refused; so are files without documents."""
    source = write(tmp_path / "in.jsonl", rows(3))
    out = tmp_path / "a.toml"
    assert fairbrief("init", source, "--out", out).code == 0
    assert f"{out} exists" in fairbrief("init", source, "--out", out).err
    assert "ends in .toml" in fairbrief("init", source, "--out", tmp_path / "a.json").err
    numbers = write(tmp_path / "numbers.jsonl", [{"a": 1, "b": 2}])
    refused = fairbrief("init", numbers, "--out", tmp_path / "b.toml").err
    assert "fairbrief audit FILE --documents-field FIELD" in refused


def test_sheets_of_one_spreadsheet(tmp_path: Path, fairbrief: Command) -> None:
    """Reviews on one sheet and summaries on another are two files, FILE#SHEET."""
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
    path = tmp_path / "two.xlsx"
    book.save(path)
    assert "two.xlsx#Reviews" in fairbrief("init", path, "--out", tmp_path / "a.toml").err
    run = fairbrief("init", f"{path}#Reviews", f"{path}#Summaries", "--out", tmp_path / "a.toml")
    assert "6 records, 36 documents, 2 systems: even, rosy" in run.out, run.err
    assert fairbrief("audit", tmp_path / "a.toml", "--resamples", "0").code == 0


def test_a_record_of_one_document_is_counted_once(tmp_path: Path, fairbrief: Command) -> None:
    """What is said of a record of one text is said of its text, and counts there."""
    records = [{"id": f"{i}", "article": DOCUMENTS[i % 4][0], "party": "LR"[i % 2]} for i in range(8)]
    lines = [{**record, "summary": SUMMARIES[i % 3]} for i, record in enumerate(records)]
    run = fairbrief("init", write(tmp_path / "in.jsonl", lines), "--out", tmp_path / "a.toml")
    assert "party: L (4), R (4)" in run.out, run.err
    run = fairbrief("init", write(tmp_path / "records.jsonl", records), "--out", tmp_path / "b.toml")
    assert "id: the record's id\n" in run.out, run.out


@pytest.mark.parametrize("systems", [["even"], ["even", "rosy"]])
def test_a_row_for_each_document_under_a_number(
    systems: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fairbrief: Command
) -> None:
    """What shares the summary is the record, whatever its name; what shares a part of the record's rows is not."""
    table(tmp_path / "in.csv", [
        {"n": i, "visitor": f"{i}-{j // 2}", "stars": review.stars, "comment": review.text, "model": system, "output": summary(of, system)}
        for i, of in enumerate(hotels().values()) for system in systems for j, review in enumerate(of)
    ])  # fmt: skip
    run = fairbrief("init", tmp_path / "in.csv", "--out", tmp_path / "a.toml")
    assert "n: the record's id; each row" in run.out, run.err
    assert f"12 records, 72 documents, {len(systems)} system" in run.out
    told = tomllib.loads((tmp_path / "a.toml").read_text(encoding="utf-8"))
    assert (told["group-by"], told["documents-field"], told["attribute"]) == ("n", ["comment"], ["stars"])
    monkeypatch.chdir(tmp_path)
    again = fairbrief(*shlex.split(run.out.rpartition(": fairbrief ")[2]), "--resamples", "0")
    assert "12 records" in again.out


def test_fields_of_people_are_no_attributes(tmp_path: Path, fairbrief: Command) -> None:
    """Entities, and what else is read under its own name, are left to be read so."""
    lines = [
        {
            "id": str(i), "documents": ["Ann Lee met Bob Ray. She was happy. He was not."], "summary": "Ann Lee was happy.",
            "seed_document": f"o{i // 2}", "attributes": {"gender": "fm"[i % 2]},
            "entities": [{"id": name, "first_name": name, "last_name": last, "attributes": {"gender": gender}} for name, last, gender in (("Ann", "Lee", "f"), ("Bob", "Ray", "m"))],
        }
        for i in range(4)
    ]  # fmt: skip
    run = fairbrief("init", write(tmp_path / "in.jsonl", lines), "--out", tmp_path / "a.toml")
    assert "4 records, 4 documents, 1 system: in" in run.out, run.err
    assert "attribute" not in tomllib.loads((tmp_path / "a.toml").read_text(encoding="utf-8"))
    assert fairbrief("audit", tmp_path / "a.toml", "--resamples", "0").code == 0


def test_documents_of_few_words_are_documents(tmp_path: Path, fairbrief: Command) -> None:
    """The usual field of documents is known by its name, however short its texts."""
    documents = [
        {"text": "Good.", "attributes": {"side": "L"}},
        {"text": "Bad soup.", "attributes": {"side": "R"}},
    ]
    source = write(tmp_path / "in.jsonl", [{"id": 1, "documents": documents, "summary": "Mixed."}])
    assert "1 record, 2 documents, 1 system" in fairbrief("init", source, "--out", tmp_path / "a.toml").out


def test_records_inside_one_object_need_a_format(tmp_path: Path, fairbrief: Command) -> None:
    """One object around a list is not taken for a record: the format that reads the list is named."""
    records = [{"id": i, "documents": ["She left the town."], "summary": "She left."} for i in range(3)]
    (tmp_path / "in.json").write_text(json.dumps({"records": records}))
    refused(fairbrief("init", tmp_path / "in.json", "--out", tmp_path / "a.toml"), "--format json-list")
    fairbrief.audited(tmp_path / "out", tmp_path / "in.json", "--format", "json-list", "--resamples", "0")


def test_a_batch_alone(tmp_path: Path, fairbrief: Command) -> None:
    """Answers without their records are told to be so; init does not point to itself."""
    body = {"model": "gpt-x", "choices": [{"message": {"content": SUMMARIES[0]}}]}
    answers = [{"custom_id": "a", "response": {"status_code": 200, "body": body}}]
    run = fairbrief("init", write(tmp_path / "out.jsonl", answers), "--out", tmp_path / "a.toml")
    refused(run, "out.jsonl is the output of an OpenAI batch, and has no documents")
