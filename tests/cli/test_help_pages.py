"""Help and `fairbrief protocol`: pages of 80 columns with each option once, examples that run, and docstrings as the terminal shows them."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.command import Command, printed
from tests.docs.snippets import check_line
from typer.testing import CliRunner

from fairbrief import registry
from fairbrief.cli import COMMANDS, GROUPS, app, loaded
from fairbrief.cli.lookup_commands import KINDS, explanation
from fairbrief.plan import Plan, crossed
from fairbrief.protocols.published_results import published_results

EXAMPLE_FILES = Path(__file__).parents[2] / "examples"
GROUPS_OF_COMMANDS = {name: getattr(loaded(name), "commands", {}) for name in COMMANDS}
EXAMPLES = {
    name: command.examples
    for outer, inner in GROUPS_OF_COMMANDS.items()
    for name, command in ({f"{outer} {n}": c for n, c in inner.items()} or {outer: loaded(outer)}).items()
}
PAGES = [*EXAMPLES, *(name for name, inner in GROUPS_OF_COMMANDS.items() if inner)]
LINES = [(name, line.removeprefix("fairbrief ")) for name, lines in EXAMPLES.items() for line in lines]
MADE = ("demo", "people.jsonl")
"""What examples write that later ones read."""
DECIDED = (0, 1, 3)
"""Exit codes of a gate that reached a decision."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_has_each_option_once(name: str) -> None:
    """Every page begins with a sentence that ends, fits 80 columns, and ends with its examples."""
    words = [*name.split(), "--help"]
    page = CliRunner().invoke(app, words, prog_name="fairbrief", env={"COLUMNS": "80"}).output
    assert not [line for line in page.splitlines() if len(line) > 80]
    assert page.splitlines()[2].strip()[0].isupper()
    assert "--seed" in page or "--sample-by" not in page
    described = re.findall(r"^  (--\S+)(?:  | [A-Z]|$)", page, re.MULTILINE)
    assert len(set(described)) == len(described)
    plain = re.sub(r" \\\n +", " ", page)
    for example in EXAMPLES.get(name, ()):
        assert f"  {example}\n" in plain


def test_every_command_has_examples() -> None:
    """All pages of commands end with examples of their command; groups list their subcommands."""
    assert all(EXAMPLES.values())
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


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fairbrief: Command) -> None:
    """Examples that need only files of the repository run, in the order of the list of commands."""
    (tmp_path / "examples").symlink_to(EXAMPLE_FILES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    for name, line in LINES:
        words = shlex.split(line)
        is_alone = {"examples", *MADE} & {word.partition("/")[0] for word in words}
        if name == "view" or not is_alone:
            continue
        run = fairbrief(*words)
        assert run.code in (DECIDED if name == "gate" else (0,)), (line, run.err)
        assert run.out, line


@pytest.mark.parametrize("name", [name for kind in KINDS for name in registry.names(kind)])
def test_every_entry_is_shown_without_marks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No mark is printed of any measure, scorer, summarizer or protocol, and no line is wider than the terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    lines = printed("measures", name).splitlines()
    assert lines[0].startswith(name)
    assert not [line for line in lines if "`" in line or "**" in line or len(line) > 60]


def test_a_measure_is_explained_with_its_labels_and_the_names_of_others() -> None:
    """Labelled entries are items; a class is called by the name that it has on the command line."""
    text = explanation("coverage_parity")
    assert "- `merge: float = 1.0`, in (0, 1]\n" in text
    assert "- `denominator: str = 'all'`, one of all, covered\n" in text
    assert "\n- **Undefined:** as `equal_coverage`." in text
    assert "\n- `over: str`\n" in text
    assert "`stem` compares Porter stems" in explanation("rougeL")  # several measures share the setting


def test_results_record_what_decides_a_number() -> None:
    """Settings that decide a number are recorded, those of the machine are not; subgroups are lists."""
    record = Plan(seed=3, by=crossed(["a, b"])).record()
    assert (record["seed"], record["by"]) == (3, [["a", "b"]])
    assert not {"workers", "engine", "models_in_workers", "progress", "wrap"} & set(record)


def test_a_papers_results_are_listed() -> None:
    """Every number with its title, whether it has a command, and what the authors released."""
    said = printed("protocol", "li-coverage")
    assert "Table 8" in said
    assert "none" in next(line for line in said.splitlines() if line.startswith("Figure 1"))
    assert "The release has code" in said


def test_a_result_is_printed_with_its_numbers() -> None:
    """The command, the published figures, and obtained ones with the command and the input that gave them."""
    said = " ".join(printed("protocol", "zhang-perspectives", "table 2").split())
    assert "$ fairbrief audit examples/reviews.jsonl" in said
    assert "Obtained, gpt-4, N-gram, Yelp BUR: 20.27 (published: 20.27)." in said
    assert "from: Yelp with the released gpt-4 outputs" in said
    assert "$ fairbrief audit FILE --attribute ATTRIBUTE --protocol zhang-perspectives" in said
    assert "686 of 1,338" in said
    assert "Not available: An illustration" in printed("protocol", "zhang-perspectives", "Figure 1")


@pytest.mark.parametrize("name", registry.names("protocol"))
def test_every_declaration_is_complete(name: str) -> None:
    """Rows are as long as headings; a result is there once, with commands and what they print, or a reason why there are none."""
    numbers = [result.number for result in published_results(name)]
    assert len(numbers) == len(set(numbers))
    for result in published_results(name):
        assert {len(row) for row in result.table.rows} <= {len(result.table.header)}, result.number
        assert bool(result.commands) != bool(result.absent) or result.commands, result.number
        assert bool(result.commands) == bool(result.prints), result.number
        assert not result.cells or len(result.cells) + 1 == len(result.columns), result.number
