"""``fairbrief audit --workers`` leaves nothing behind when it is ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.command import rows, write
from tests.unit.engines.test_processes import is_running


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_no_worker_outlives_the_command(how: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C goes to all processes of a terminal, a kill to one; no worker stays, and none has a say."""
    file = write(tmp_path / "reviews.jsonl", rows(20_000))
    command = [sys.executable, "-c", "from fairbrief.cli import main; main()", "audit", str(file)]
    # What a shell starts in the background ignores Ctrl-C, and so would all that the tests start then.
    process = subprocess.Popen(
        [*command, "--attribute", "mood", "--workers", "2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    # Two workers, and what keeps count of their resources.
    started = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(children := started.read_text(encoding="ascii").split()) < 3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    _, said = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "worker" not in said.lower()
    while any(is_running(int(child)) for child in children):
        assert time.monotonic() < deadline, "a worker stayed"
        time.sleep(0.05)
