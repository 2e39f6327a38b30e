"""Every command that asks a chat model, against a server with every fault: none waits, asks or takes without end."""

import re
from pathlib import Path

import pytest
from tests.cli.command import Command, rows, write
from tests.stub_chat import StubChat, asking

FAULTS = [
    "429", "429-zero", "429-date", "429-nan", "503", "cut", "drop", "malformed", "shape", "trickle", "bomb", "flood",
]  # fmt: skip
NO_ANSWER = ["refuse", "filter", "empty"]
COMMANDS = ["summarize", "sweep", "claims", "judge"]


def met(faults: list[str]) -> list[tuple[str, str]]:
    """All commands ask through one client: each fault is met by one of them, and the first by all."""
    one_each = [(fault, COMMANDS[i % 4]) for i, fault in enumerate(faults)]
    return one_each + [(faults[0], command) for command in COMMANDS[1:]]


TRIED = met(["500", *FAULTS])
RECORDS = 4
SETTINGS = "pause=0.01, timeout=0.5, concurrency=4"


def arguments(command: str, folder: Path, server: StubChat, retries: int) -> list[str | Path]:
    """The command line, on a few records with summaries."""
    source = write(folder / "in.jsonl", rows(RECORDS))
    model = f"(model=stub-1, base_url={server.url}, retries={retries}, {SETTINGS})"
    return asking(command, source, model, folder / "out.jsonl")


@pytest.mark.parametrize(("fault", "command"), TRIED)
def test_passing_faults_leave_no_trace(fault: str, command: str, tmp_path: Path, fairbrief: Command) -> None:
    """After faults that pass, the command ends as it would have without them."""
    with StubChat(answer=lambda _: "- Score: 4", script=[fault] * 3, faults={fault: 0.1}) as server:
        done = fairbrief(*arguments(command, tmp_path, server, retries=20))
    assert done.code == 0, done
    assert server.kinds[fault] >= 3
    assert "1 unanswered" not in done.out


@pytest.mark.parametrize(("fault", "command"), TRIED)
def test_a_fault_that_stays_ends_the_command(
    fault: str, command: str, tmp_path: Path, fairbrief: Command
) -> None:
    """Where no request succeeds, each question is asked as often as was allowed, and the command says that it failed."""
    with StubChat(faults={fault: 1.0}) as server:
        done = fairbrief(*arguments(command, tmp_path, server, retries=1))
        assert 0 < server.requests <= 2 * RECORDS * 2
    assert done.code not in (0, 1), done
    assert "Traceback" not in done.err


@pytest.mark.parametrize(("fault", "command"), met(NO_ANSWER))
def test_what_has_no_answer_is_counted(fault: str, command: str, tmp_path: Path, fairbrief: Command) -> None:
    """A refusal, a filtered and an empty answer are answers without a text: asked once or twice, never without end."""
    with StubChat(answer=lambda _: "- Score: 4", faults={fault: 1.0}) as server:
        done = fairbrief(*arguments(command, tmp_path, server, retries=20))
        assert 0 < server.requests <= 2 * 2 * RECORDS
    assert done.code in (0, 2, 3), done
    assert "Traceback" not in done.err
    assert re.search("refused|empty|unparsed|judge|unanswered", done.err + done.out), done


@pytest.mark.parametrize("command", COMMANDS)
def test_a_redirect_ends_the_command(command: str, tmp_path: Path, fairbrief: Command) -> None:
    """No command sends a text to a host that the server names."""
    with StubChat() as other, StubChat(faults={"redirect": 1.0}, elsewhere=other.url) as server:
        done = fairbrief(*arguments(command, tmp_path, server, retries=1))
        assert other.requests == 0
    assert done.code == 2
    assert "redirects to" in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_kept_of_a_dirty_reply_can_be_read(command: str, tmp_path: Path, fairbrief: Command) -> None:
    """What a model sends with NULs and half characters in it is written so that an audit reads it."""
    with StubChat(answer=lambda _: "- Score: 4", faults={"dirty": 1.0}) as server:
        assert fairbrief(*arguments(command, tmp_path, server, retries=1)).code == 0
    if (out := tmp_path / "out.jsonl").is_file():
        assert fairbrief("audit", str(out), "--resamples", "20").code == 0
