"""What a careless user does ends in one clear line and exit code 2, before any work and without harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import Command, Run, row, rows, write

QUICK = ("--draws", "20", "--quiet")


def refused(run: Run, *words: str) -> None:
    """One line that says these words, and nothing on standard output."""
    assert run.code == 2, run
    assert run.out == ""
    assert run.err.startswith("fairbrief: ")
    assert run.err.count("\n") == 1, run.err
    for word in words:
        assert word in run.err


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A file of four records with one summary each."""
    return write(tmp_path / "one.jsonl", rows(4))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file of four records with two summaries each."""
    both = [
        row(i, system=f"s{j}", summary=text)
        for i in range(4)
        for j, text in enumerate(("Cold soup.", "A garden."))
    ]
    return write(tmp_path / "two.jsonl", both)


@pytest.mark.parametrize("option", ["--out", "--pairs"])
def test_choose_does_not_write_over_what_it_reads(fairbrief: Command, two: Path, option: str) -> None:
    """`choose` refuses an output that is its input, which stays as it was."""
    before = two.read_bytes()
    refused(fairbrief("choose", two, "--by", "uer@mood", option, two), option, "also read from")
    assert two.read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        ("perspectives", "--attribute", "mood", "--counts", "2", "--mix", "positive=.5,negative=.5", "--samples", "1"),
        ("stratified", "--attribute", "mood", "--sets", "2", "--size", "1"),
        ("transcripts", "--tokens", "20"),
        ("reviews", "--size", "2", "--sentiment", "none"),
        ("people",),
    ],
    ids=lambda command: str(command[0]),
)  # fmt: skip
def test_build_does_not_write_over_its_source(
    fairbrief: Command, one: Path, command: tuple[str, ...]
) -> None:
    """Every builder refuses an output that is its source, which stays as it was."""
    before = one.read_bytes()
    refused(fairbrief("build", command[0], one, *command[1:], "--out", one), "--out", "also read from")
    assert one.read_bytes() == before


def test_the_folder_of_results_is_looked_at_before_the_audit(
    fairbrief: Command, one: Path, tmp_path: Path
) -> None:
    """An output folder that is a file, or lies below one, is told before anything is computed."""
    file = write(tmp_path / "file", [])
    refused(fairbrief("audit", one, "--out", file, *QUICK), "--out", "is a file")
    refused(fairbrief("audit", one, "--out", file / "below", *QUICK), "--out", "is a file")
    refused(fairbrief("sweep", one, "--with", "random", "--out", file, *QUICK), "--out", "is a file")


def test_a_report_of_the_gate_has_no_folder_for_a_file(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """A folder given for a file is named as it was given, before the checks."""
    fairbrief("audit", one, "--measure", "uer@mood", "--out", tmp_path / "a", *QUICK)
    run = fairbrief("gate", tmp_path / "a", "--max", "uer@mood<=0.5", "--junit", tmp_path)
    refused(run, f"--junit {tmp_path} is a folder")


@pytest.mark.parametrize("command", ["choose", "sweep"])
def test_a_negative_seed_is_refused(fairbrief: Command, two: Path, tmp_path: Path, command: str) -> None:
    """A seed below zero is an error of the option, wherever there is one."""
    others = {
        "choose": ("--by", "uer@mood"),
        "sweep": ("--with", "random", "--out", str(tmp_path / "swept")),
    }
    refused(fairbrief(command, two, *others[command], "--seed", "-1"), "--seed")


def test_a_table_of_names_that_is_no_text_is_refused(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """A binary file as the table of names is told in a line."""
    table = tmp_path / "names.csv"
    table.write_bytes(b"name,part\n\xff\xfe\n")
    refused(
        fairbrief("build", "people", one, "--names", table, "--out", tmp_path / "o"), "names.csv", "UTF-8"
    )


def test_a_title_that_is_none_is_refused(fairbrief: Command, one: Path, tmp_path: Path) -> None:
    """Only Ms. and Mrs. can stand for Mr."""
    refused(fairbrief("build", "people", one, "--woman", "Lady", "--out", tmp_path / "o"), "--woman", "Ms.")
