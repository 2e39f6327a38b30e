"""Help pages: 80 columns, each option once, and examples that run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.command import Command, printed
from tests.docs.snippets import check_line
from typer.testing import CliRunner

from fairbrief.cli import COMMANDS, GROUPS, app, loaded
from fairbrief.cli.help_pages import EXAMPLES

EXAMPLE_FILES = Path(__file__).parents[2] / "examples"
PAGES = [
    name
    for command in COMMANDS
    for name in (command, *(f"{command} {inner}" for inner in getattr(loaded(command), "commands", {})))
]
LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]
MADE = ("demo", "people.jsonl")
"""What examples write that later ones read."""
DECIDED = (0, 1, 3)
"""Exit codes of a gate that reached a decision."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_has_each_option_once(name: str) -> None:
    """Every page begins with a sentence that ends, fits 80 columns, and ends with its examples."""
    page = (
        CliRunner()
        .invoke(app, [*name.split(), "--help"], prog_name="fairbrief", env={"COLUMNS": "80"})
        .output
    )
    assert not [line for line in page.splitlines() if len(line) > 80]
    assert page.splitlines()[2].strip()[0].isupper()
    described = [
        found[1] for line in page.splitlines() if (found := re.match(r"  (--\S+)(?:  | [A-Z]|$)", line))
    ]
    assert len(set(described)) == len(described)
    plain = re.sub(r" \\\n +", " ", page)
    for example in EXAMPLES.get(name, ()):
        assert f"  fairbrief {example}\n" in plain


def test_every_command_has_examples() -> None:
    """All pages of commands end with examples; groups list their subcommands."""
    assert set(EXAMPLES) == set(PAGES) - {"build", "annotate"}
    assert all(f"{name} " in f"{line} " for name, line in LINES)


def test_the_list_of_commands_has_a_line_for_each() -> None:
    """One line per command, under its heading."""
    page = printed("--help")
    for heading, commands in GROUPS.items():
        section = page.split(f"\n{heading}:\n")[1].split("\n\n")[0]
        assert [line.split()[0] for line in section.splitlines()] == list(commands)


@pytest.mark.parametrize("line", [line for _, line in LINES])
def test_an_example_is_a_command_line(line: str) -> None:
    """The command, its options and the measures and summarizers that an example names exist."""
    check_line(f"fairbrief {line}", "help")


def test_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Examples that need only files of the repository run, in the order of the list of commands."""
    (tmp_path / "examples").symlink_to(EXAMPLE_FILES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    fairbrief = Command(capsys, monkeypatch)
    for name, line in LINES:
        words = shlex.split(line)
        is_alone = {"examples", *MADE} & {word.partition("/")[0] for word in words}
        if name == "view" or not is_alone:
            continue
        run = fairbrief(*words)
        assert run.code in (DECIDED if name == "gate" else (0,)), (line, run.err)
        assert run.out, line
