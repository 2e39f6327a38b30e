"""The published numbers as a person gets them: from the released files, through the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import Command

QUICK = ("--resamples", "0")


def published(golden: Path, file: str) -> dict[str, Any]:
    """The paper's cell of a file."""
    cells = json.loads((golden / "representation" / "published.json").read_text(encoding="utf-8"))["cells"]
    return next(cell for cell in cells if cell["file"] == file)


@pytest.mark.usefixtures("nltk_data")
def test_reviews_print_the_published_cell(shared: Path, golden: Path, fairbrief: Command) -> None:
    """The N-gram row of the paper's table: BUR, UER and the number of unfair samples, exactly."""
    cell = published(golden, "data/reviews/yelp__gpt-4.jsonl")
    ran = fairbrief(
        "audit", shared / cell["file"], "--attribute", "sentiment", "--protocol", "zhang-perspectives", *QUICK
    )
    assert ran.code == 0, ran.err
    line = next(text for text in ran.out.splitlines() if text.split()[1:2] == ["N-gram"])
    assert line.split()[2:4] == ["20.27", "2.50"]
    assert f"{cell['unfair']} of {cell['n']}" in line


def test_the_usual_reading_needs_no_data_of_nltk(shared: Path, tmp_path: Path) -> None:
    """Without any NLTK data the same file is audited, and NLTK is not even imported."""
    file = tmp_path / "part.jsonl"
    with (shared / "data/reviews/yelp__gpt-4.jsonl").open(encoding="utf-8") as whole:
        file.write_text("".join(line for _, line in zip(range(120), whole, strict=False)), encoding="utf-8")
    program = (
        "import sys\n"
        f"sys.argv = ['fairbrief', 'audit', {str(file)!r}, '--attribute', 'sentiment', '--resamples', '20']\n"
        "from fairbrief.cli import main\n"
        "try: main()\n"
        "finally: print('nltk' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"NLTK_DATA": str(tmp_path), "HOME": str(tmp_path), "PATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "note: part.jsonl: unused fields: 'dataset'.\n")
    assert ran.stdout.splitlines()[-1] == "False"
    assert "SHARE of the summary" in ran.stdout
