"""Every command that asks a chat model, against a server with every fault: none waits, asks or takes without end."""

from pathlib import Path

import pytest
from tests.cli.command import Command, rows, write
from tests.stub_chat import StubChat, asking

FAULTS = [
    "500", "429", "429-zero", "429-date", "429-nan", "503", "cut", "drop", "malformed", "shape", "trickle", "bomb", "flood",
]  # fmt: skip
COMMANDS = ["summarize", "sweep", "claims", "judge"]
TRIED = [(fault, COMMANDS[i % 4]) for i, fault in enumerate(FAULTS)]
TRIED += [(FAULTS[0], command) for command in COMMANDS[1:]]
"""All commands ask through one client: each fault is met by one of them, and the first by all."""
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


@pytest.mark.parametrize("command", COMMANDS)
def test_a_redirect_ends_the_command(command: str, tmp_path: Path, fairbrief: Command) -> None:
    """No command sends a text to a host that the server names."""
    with StubChat() as other, StubChat(faults={"redirect": 1.0}, elsewhere=other.url) as server:
        done = fairbrief(*arguments(command, tmp_path, server, retries=1))
        assert other.requests == 0
    assert done.code == 2
    assert "redirects to" in done.err
