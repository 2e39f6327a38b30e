"""Runs the command in this process, as `main` does, and gives what a person would have seen."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fairbrief import cli
from fairbrief.cli.command_line import UNEXPECTED

QUICK = ("--resamples", "20")
DOCUMENTS = (
    ("The soup was cold and the waiter was rude.", "negative"),
    ("A warm welcome and a lovely garden.", "positive"),
    ("The garden is quiet, the soup is good.", "positive"),
    ("We waited an hour for cold soup.", "negative"),
)
SUMMARIES = (
    "Guests praise the garden and dislike the cold soup.",
    "The soup was cold. The waiter was rude. The garden is lovely.",
    "A quiet garden with a warm welcome.",
)


@dataclass(frozen=True)
class Run:
    """What a command left: its exit code, and both streams."""

    code: int
    out: str
    err: str


class Command:
    """``fairbrief`` with arguments; an error that nobody expected fails the test."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("COLUMNS", "200")

    def __call__(self, *arguments: str | Path) -> Run:
        self._monkeypatch.setattr("sys.argv", ["fairbrief", *map(str, arguments)])
        code: Any = 0
        try:
            cli.main()
        except SystemExit as stopped:
            code = stopped.code
        seen = self._capsys.readouterr()
        assert code != UNEXPECTED, seen.err
        return Run(code if isinstance(code, int) else int(code is not None), seen.out, seen.err)

    def audited(self, out: Path, *arguments: str | Path) -> dict[str, Any]:
        """The results of an audit into this folder, which must end well."""
        run = self("audit", *arguments, "--out", out)
        assert run.code == 0, run.err
        return results(out)


def refused(run: Run, *words: str) -> None:
    """One line on standard error that has these words, exit code 2, and nothing on standard output."""
    assert (run.code, run.out) == (2, ""), run
    assert run.err.startswith("fairbrief: ")
    assert run.err.count("\n") == 1, run.err
    for word in words:
        assert word in run.err


def results(folder: Path) -> dict[str, Any]:
    """What a saved audit's results.json holds."""
    found: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return found


def ended(*words: object) -> tuple[int, str]:
    """Exit code and output of the command, without a terminal; its error, if it has one that is no exit."""
    done = CliRunner().invoke(cli.app, [str(word) for word in words], terminal_width=200)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def printed(*words: object) -> str:
    """What the command prints, without a terminal; its error, if it has one."""
    code, output = ended(*words)
    if code:
        raise SystemExit(code)
    return output


def row(i: int = 0, **changes: Any) -> dict[str, Any]:
    """A small record with four documents, a summary and a reference."""
    documents = [{"text": text, "attributes": {"mood": mood}} for text, mood in DOCUMENTS]
    turned = documents[i % 4 :] + documents[: i % 4]
    references = ["The garden is lovely, the soup is not."]
    one = {"id": f"r{i}", "documents": turned, "summary": SUMMARIES[i % 3], "references": references}
    return {**one, **changes}


def rows(n: int, **changes: Any) -> list[dict[str, Any]]:
    """So many small records."""
    return [row(i, **changes) for i in range(n)]


def write(path: Path, records: Sequence[Any]) -> Path:
    """JSON Lines; bytes and text stand as they are."""
    with path.open("wb") as file:
        for r in records:
            line = r if isinstance(r, bytes | str) else json.dumps(r)
            file.write((line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")) + b"\n")
    return path


def put(path: Path, content: str | bytes) -> Path:
    """A file of just this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
