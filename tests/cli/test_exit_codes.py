"""The command as a process: its exit codes (1 is a broken limit and nothing else), its streams, and what it loads."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import QUICK, row, rows, write

from fairbrief import cli
from fairbrief.cli import command_line
from fairbrief.errors import DataError

RUN = [sys.executable, "-c", "from fairbrief.cli import main; main()"]


Ended = Callable[[BaseException], tuple[int, str]]


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ended:
    """The exit code of a command that raises an error, and what it tells of it."""

    def run(error: BaseException) -> tuple[int, str]:
        def broken(**_: Any) -> None:
            raise error

        monkeypatch.setattr(cli, "app", broken)
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        return stopped.value.code, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("3/0"), OSError("odd"), RecursionError(), AssertionError()]
)
def test_an_error_that_nobody_expected_has_a_code_of_its_own(error: Exception, ended: Ended) -> None:
    """A bug ends with 70, the traceback and a request to report it."""
    code, said = ended(error)
    assert code == 70
    assert "Traceback" in said
    assert "Please report it" in said


@pytest.mark.parametrize(("error", "said"), [
    (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
    (OSError(errno.ENOSPC, "No space left on device", "/x/y"), "/x/y: the disk is full"),
    (OSError(errno.EROFS, "Read-only file system"), "read-only"),
    (PermissionError(errno.EACCES, "Permission denied", "/x"), "/x: Permission denied."),
    (MemoryError(), "the memory is full"),
    (DataError("file:3: odd"), "file:3: odd"),
    (DataError("a\nfairbrief: b.csv:3: odd"), "a fairbrief: b.csv:3: odd"),
])  # fmt: skip
def test_what_a_person_can_mend_is_one_line(error: Exception, said: str, ended: Ended) -> None:
    """A full disk, a full memory and our own errors are told in a line of ours and end with 2."""
    code, told = ended(error)
    assert said in told
    assert (code, told.count("\n")) == (2, 1)


def test_errors_drive_no_terminal(ended: Ended) -> None:
    """Control characters in a message, and in a traceback, are shown and not sent."""
    for kind in (ValueError, DataError):
        assert "\x1b" not in ended(kind("\x1b[2J"))[1]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_an_output_on_a_full_disk(tmp_path: Path) -> None:
    """Where standard output cannot be written the command says so; where the error cannot, the code does."""
    source = write(tmp_path / "in.jsonl", rows(4))
    with open("/dev/full", "w") as full:  # noqa: PTH123
        command = [*RUN, "audit", str(source), "--measure", "rouge1", *QUICK]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        advice = "fairbrief: the disk is full: free some space, then run the same command again.\n"
        assert (done.returncode, done.stderr) == (2, advice)
        both = subprocess.run([*RUN, "audit", "nowhere.jsonl"], stdout=full, stderr=full, check=False)
        assert both.returncode == command_line.REFUSED


def test_streams_that_the_caller_has_closed_change_no_exit_code(tmp_path: Path) -> None:
    """As where a daemon runs it: what nobody takes goes nowhere."""
    file, out = write(tmp_path / "in.jsonl", rows(4)), tmp_path / "out"
    audit = ["audit", str(file), "--measure", "rouge1", "--resamples", "0", "--out", str(out)]
    gate = ["gate", str(out), "--max", "rouge1<=2"]
    for words, closed, code in ((audit, ">&- 2>&-", 0), (gate, ">&-", 3), (gate, "2>&-", 3)):
        shell = f'exec "$0" -c "from fairbrief.cli import main; main()" "$@" {closed}'
        done = subprocess.run(["sh", "-c", shell, sys.executable, *words], capture_output=True, check=False)
        printed = done.stderr if closed == ">&-" else done.stdout if ">&- 2" in closed else b""
        assert (done.returncode, printed) == (code, b"")
    assert (out / "results.json").exists()


def test_what_a_terminal_cannot_show_is_no_fault(tmp_path: Path) -> None:
    """A stream of another encoding shows ? in place of a minus sign or a line, also where the installed command audits."""
    file = write(tmp_path / "in.jsonl", rows(4))
    command = [Path(sys.executable).with_name("fairbrief"), "audit", file, "--measure", "uer@mood", *QUICK]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=ascii_only, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"SHARE of the summary" in done.stdout


def test_an_interrupted_command_ends_as_shells_say() -> None:
    """Ctrl-C ends with 130."""
    code = "from fairbrief import registry, cli\ndef stop(*_): raise KeyboardInterrupt\n"
    code += "registry.names = registry.declared = registry.make = stop\ncli.main()"
    done = subprocess.run([sys.executable, "-c", code, "measures", "bur"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_who_stops_reading_the_print_loses_no_result(tmp_path: Path) -> None:
    """`audit … | head` leaves the whole folder, and ends as a shell says of a program that nobody reads."""
    many = [{**row(i, system=f"s{j}"), "attributes": {"k": str(i % 3)}} for i in range(6) for j in range(3)]
    source = write(tmp_path / "in.jsonl", many)
    options = ["--measure", "uer@mood", "--by", "k", "--resamples", "2", "--details"]
    command = [*RUN, "audit", str(source), *options, "--out", str(tmp_path / "a")]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.close()
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait() == 141
    assert (tmp_path / "a" / "results.json").is_file()
    assert (tmp_path / "a" / "report.html").is_file()


def printed_by(words: list[str], modules: tuple[str, ...]) -> str:
    """What a command prints; then which of some modules it has loaded, and its exit code."""
    program = (
        f"import sys; sys.argv = {words!r}\n"
        "from fairbrief.cli import main\n"
        "try: main()\n"
        "except SystemExit as stop: code = stop.code\n"
        f"print([m for m in {modules!r} if m in sys.modules], code)"
    )
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_an_audit_loads_nothing_that_others_need(tmp_path: Path) -> None:
    """A quiet one of lexical measures over groups that no text can be rewritten to: no client, NLTK, names or printing."""
    others = (
        "asyncio", "fairbrief.chat", "fairbrief.workbench", "nltk", "rich.console", "pandas", "fairbrief.reports.terminal",
    )  # fmt: skip
    lines = [json.loads(line) for line in Path("examples/reviews.jsonl").read_text("utf-8").splitlines()]
    repeated = [{**one, "id": f"again-{one['id']}"} for one in lines]  # the audit notes summaries that repeat
    file = write(tmp_path / "reviews.jsonl", [*lines, *repeated])
    words = ["fairbrief", "audit", str(file), "--quiet", "--out", str(tmp_path / "out")]
    assert printed_by(words, others).splitlines()[-1] == "[] 0"


def test_help_imports_nothing_heavy() -> None:
    """What `--help` does not import it need not wait for."""
    heavy = (
        "numpy",
        "scipy",
        "pyarrow",
        "jinja2",
        "rich.table",
        "rich.progress",
        "fairbrief.auditing",
        "fairbrief.readers",
    )
    printed = printed_by(["fairbrief", "--help"], heavy)
    assert printed.splitlines()[-1] == "[] 0"
    assert "audit" in printed
