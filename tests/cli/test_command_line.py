"""What holds for every command line: options that take one value, settings from a file, --quiet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import Command, rows, write


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """A small input."""
    return write(tmp_path / "reviews.jsonl", rows(4))


def test_an_option_of_one_value_is_named_once(fairbrief: Command, reviews: Path) -> None:
    """A second value does not silently replace the first."""
    for option in ("--resamples", "--id-field", "--out"):
        run = fairbrief("audit", reviews, option, "9", option, "8")
        assert (run.code, run.out) == (2, "")
        assert f"{option} is given 2 times" in run.err


@pytest.mark.parametrize(
    "option", ["--documents-field", "--summary-field", "--attribute", "--record-attribute"]
)
def test_the_same_field_is_named_once(fairbrief: Command, reviews: Path, option: str) -> None:
    """An option that takes several values takes each once."""
    run = fairbrief("audit", reviews, option, "mood", option, "mood")
    assert run.code == 2
    assert "twice" in run.err


def test_quiet_prints_errors_alone(fairbrief: Command, reviews: Path, tmp_path: Path) -> None:
    """Without an error nothing is printed, and the report is written as ever; an error is printed."""
    run = fairbrief("audit", reviews, "--quiet", "--resamples", "0", "--out", tmp_path / "out")
    assert (run.code, run.out, run.err) == (0, "", "")
    assert (tmp_path / "out" / "report.html").is_file()
    assert "no file" in fairbrief("audit", tmp_path / "none.jsonl", "--quiet").err


@pytest.mark.parametrize(
    ("argument", "code", "said"), [("--version", 0, "fairbrief"), ("nothing", 2, "nothing")]
)
def test_the_module_is_the_command(argument: str, code: int, said: str) -> None:
    """``python -m fairbrief`` does what ``fairbrief`` does, and ends with its code."""
    run = subprocess.run(
        [sys.executable, "-m", "fairbrief", argument], check=False, capture_output=True, text=True
    )
    assert run.returncode == code
    assert said in run.stdout + run.stderr


def test_notes_stand_beside_the_output(fairbrief: Command, tmp_path: Path) -> None:
    """How the input was understood is said on the second stream."""
    path = write(
        tmp_path / "a.jsonl", [{k: v for k, v in row.items() if k != "id"} | {"year": 1} for row in rows(4)]
    )
    run = fairbrief("audit", path, "--resamples", "0")
    assert "note: a.jsonl: it has no field 'id', so its records are numbered from 1." in run.err
    assert "note: a.jsonl: nothing used 'year'." in run.err
    assert "note:" not in run.out


# ------------------------------------------------------------------------------------- settings


def settings(folder: Path, text: str) -> Path:
    """A file of settings."""
    path = folder / "audit.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_settings_says_the_same_as_the_command_line(
    fairbrief: Command, reviews: Path, tmp_path: Path
) -> None:
    """Keys are options; files lie beside the settings; what the command line says goes before."""
    path = settings(
        tmp_path, 'files = ["reviews.jsonl"]\nmeasure = ["uer@mood"]\nresamples = 20\ndetails = true\n'
    )
    told = fairbrief("audit", path)
    assert told.code == 0
    assert (
        told.out == fairbrief("audit", reviews, "--measure", "uer@mood", "--resamples", "20", "--details").out
    )
    assert "resamples 30" in fairbrief("audit", path, "--resamples", "30").out
    assert fairbrief("explain", path, "--measure", "uer@mood").code == 0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('files = ["reviews.jsonl"]\nmesure = ["uer"]\n', "no option. Did you mean 'measure'"),
        ("measure = [", "is no TOML"),
        ('measure = ["uer"]\n', "names no input"),
        ('files = ["reviews.jsonl"]\nquiet = "yes"\n', "quiet is true or false"),
        ('files = ["reviews.jsonl"]\nresamples = [1]\n', "resamples takes one value"),
        ('files = ["none.jsonl"]\n', "There is no file"),
    ],
)
def test_wrong_settings(fairbrief: Command, reviews: Path, tmp_path: Path, text: str, wanted: str) -> None:
    """Settings that cannot be are one clear message."""
    assert reviews.is_file()
    run = fairbrief("audit", settings(tmp_path, text))
    assert (run.code, run.out) == (2, "")
    assert wanted in run.err


def test_settings_stand_alone(fairbrief: Command, reviews: Path, tmp_path: Path) -> None:
    """Beside another input a file of settings is refused; one that is not there is named."""
    path = settings(tmp_path, 'files = ["reviews.jsonl"]\n')
    assert "give it alone" in fairbrief("audit", path, reviews).err
    assert "no file" in fairbrief("audit", tmp_path / "none.toml").err
