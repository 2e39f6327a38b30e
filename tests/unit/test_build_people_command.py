"""The command that builds inputs with people, from files to a file."""

from pathlib import Path

import pytest
from tests.cli.command import printed, put, write

from fairbrief.errors import DataError
from fairbrief.readers import read

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


def built(*words: object) -> str:
    """What ``fairbrief build people`` prints."""
    return printed("build", "people", *words)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two documents, one of which speaks of nobody."""
    return put(tmp_path / "a.conll", ROWS)


def test_the_command_writes_rows_and_tells_what_was_left_out(source: Path, tmp_path: Path) -> None:
    """Rows of the original that has people are written as the general reader reads them; the other one is named with its reason."""
    out = tmp_path / "out.jsonl"
    said = built(source, "--out", out, "--per-seed-document", 4, "--design", "mono")
    assert "4 inputs of 1 seed document (of 2)" in said
    assert "excluded: e: no person to vary" in said
    records = list(read(out).records())
    assert [r.attributes["group"] for r in records] == ["female", "male"] * 2
    for record in records:
        (person,), group = record.entities, record.attributes["group"]
        word = {"female": "her", "male": "his"}[group]
        assert record.documents[0].text == f"{person.first_name} Roth lost {word} case."
        assert (person.attributes["gender"], person.mentions[-1].kind) == (group, "his")
        assert record.seed_document == "d"


def test_a_broken_source_leaves_no_file(source: Path, tmp_path: Path) -> None:
    """A fault in the middle of the source is told, and no half-written file stays."""
    source.write_text(ROWS.replace("e 0 1 fell VBD", "e 0 1 fell"), encoding="utf-8")
    with pytest.raises(DataError):
        built(source, "--out", tmp_path / "o.jsonl")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.conll"]


def test_what_can_be_done_about_seed_documents_that_do_not_fill_is_said(source: Path, tmp_path: Path) -> None:
    """Too few names: which list is short and by how much, that it concerns the whole set, and that a larger table helps."""
    first = ("Ada,first,female,a", "Abe,first,male,a", "Bea,first,female,b", "Ben,first,male,b")
    table = write(tmp_path / "names.csv", ["name,part,gender,group", *first, "Nord,last,,a", "Roth,last,,b"])
    command = [
        source,
        "--out",
        tmp_path / "o.jsonl",
        "--groups",
        "race",
        "--names",
        table,
        "--design",
        "mono",
    ]
    said = r"(?s)1 × no person to vary, 1 × too few names.*: nobody named shows.*Give a larger table: --names FILE"
    with pytest.raises(DataError, match=said):
        built(*command)
    told = built(*command, "--last-names", "keep")
    assert "excluded, with all of their inputs: 1 × no person to vary" in told


def test_a_name_that_is_left_comes_with_what_can_be_done(tmp_path: Path) -> None:
    """A last name that the annotation missed keeps the original out; keeping last names is offered, and helps."""
    path = put(tmp_path / "a.conll", ROWS.replace("d 0 4 case NN", "d 0 4 Roth NNP"))
    command = [path, "--out", tmp_path / "o.jsonl", "--per-seed-document", 2]
    with pytest.raises(DataError, match=r"an original name remains.*--last-names keep"):
        built(*command, "--last-names", "replace")
    built(*command)
