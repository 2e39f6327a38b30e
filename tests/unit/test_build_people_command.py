"""The command that builds inputs with people, from files to a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairbrief.cli.build_command import app
from fairbrief.errors import DataError

ROWS = """\
#begin document (d); part 000
d 0 0 Lena NNP - - - - - (PERSON* (3
d 0 1 Roth NNP - - - - - *) 3)
d 0 2 lost VBD - - - - - * -
d 0 3 her PRP$ - - - - - * (3)
d 0 4 case NN - - - - - * -
d 0 5 . . - - - - - * -

#end document
#begin document (e); part 000
e 0 0 Rain NN - - - - - * -
e 0 1 fell VBD - - - - - * -

#end document
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two documents, one of which speaks of nobody."""
    path = tmp_path / "a.conll"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_the_command_writes_rows_and_tells_what_was_left_out(source: Path, tmp_path: Path) -> None:
    """Rows of the original that has people are written, the other one is named with its reason."""
    pytest.importorskip("names")
    out = tmp_path / "out.jsonl"
    done = CliRunner().invoke(
        app, ["people", str(source), "--out", str(out), "--per-seed-document", "4", "--design", "mono"]
    )
    assert done.exit_code == 0, done.output
    assert "4 inputs of 1 seed document (of 2)" in done.output
    assert "excluded: e: no person to vary" in done.output
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [r["attributes"]["group"] for r in rows] == ["female", "male"] * 2
    for row in rows:
        word = {"female": "her", "male": "his"}[row["attributes"]["group"]]
        assert row["documents"][0]["text"] == f"{row['entities'][0]['first_name']} Roth lost {word} case."


def test_the_rows_are_read_back_by_the_general_reader(source: Path, tmp_path: Path) -> None:
    """The file is one that audits read: texts, groups of people and seed documents come back."""
    pytest.importorskip("names")
    from fairbrief.readers import read

    out = tmp_path / "out.jsonl"
    CliRunner().invoke(app, ["people", str(source), "--out", str(out), "--per-seed-document", "2"])
    records = list(read(out).records())
    assert [r.seed_document for r in records] == ["d", "d"]
    assert {r.entities[0].attributes["gender"] for r in records} == {"female", "male"}
    assert records[0].entities[0].mentions[-1].kind == "his"


def test_a_broken_source_leaves_no_file(source: Path, tmp_path: Path) -> None:
    """A fault in the middle of the source is told, and no half-written file stays."""
    source.write_text(ROWS.replace("e 0 1 fell VBD", "e 0 1 fell"), encoding="utf-8")
    done = CliRunner().invoke(app, ["people", str(source), "--out", str(tmp_path / "o.jsonl")])
    assert isinstance(done.exception, DataError)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.conll"]


def test_a_source_of_no_format_and_a_wrong_choice_are_refused(tmp_path: Path, source: Path) -> None:
    """Files that are no annotated documents, and a choice that does not exist, are told with what is wanted."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("x", encoding="utf-8")
    out = ["--out", str(tmp_path / "o")]
    assert isinstance(CliRunner().invoke(app, ["people", str(tmp_path / "notes"), *out]).exception, DataError)
    done = CliRunner().invoke(app, ["people", str(source), *out, "--content-words", "some"])
    assert done.exit_code == 2


def test_what_can_be_done_about_seed_documents_that_do_not_fill_is_said(source: Path, tmp_path: Path) -> None:
    """Too few names: which list is short and by how much, that it concerns the whole set, and that a larger table helps."""
    table = tmp_path / "names.csv"
    table.write_text(
        "name,part,gender,group\nAda,first,female,a\nAbe,first,male,a\nBea,first,female,b\n"
        "Ben,first,male,b\nNord,last,,a\nRoth,last,,b\n",
        encoding="utf-8",
    )
    command = [
        "people", str(source), "--out", str(tmp_path / "o.jsonl"), "--groups", "race", "--names", str(table),
    ]  # fmt: skip
    done = CliRunner().invoke(app, [*command, "--design", "mono"])
    assert isinstance(done.exception, DataError)
    told = str(done.exception)
    assert "1 × no person to vary, 1 × too few names" in told
    assert "Give a larger table: --names FILE" in told
    done = CliRunner().invoke(app, [*command, "--design", "mono", "--last-names", "keep"])
    assert done.exit_code == 0, done.output
    assert "excluded, with all of their inputs: 1 × no person to vary" in done.output


def test_a_name_that_is_left_comes_with_what_can_be_done(tmp_path: Path) -> None:
    """A last name that the annotation missed keeps the original out; keeping last names is offered, and helps."""
    path = tmp_path / "a.conll"
    path.write_text(ROWS.replace("d 0 4 case NN", "d 0 4 Roth NNP"), encoding="utf-8")
    command = ["people", str(path), "--out", str(tmp_path / "o.jsonl"), "--per-seed-document", "2"]
    done = CliRunner().invoke(app, [*command, "--last-names", "replace"])
    assert isinstance(done.exception, DataError)
    assert "an original name remains" in str(done.exception)
    assert "--last-names keep" in str(done.exception)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
