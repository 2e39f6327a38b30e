"""What commands that write say and leave where their surroundings fail: message, exit code, state of the folder.

Run from the repository's root: python -m benchmarks.soak.environments [--out FILE] [--page PAGE]

A clock that is set back during the run; a folder that may not be written to by an ordinary user; a disk that is full,
at more and more bytes; a folder that is removed during the run. Disks of a few kilobytes are mounted, for which one
has to be root; what root may do beyond an ordinary user is taken from the commands. Every command runs over the
output of an older run, and without one. FILE is gone on from; the table is written into PAGE.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.recording import markdown, options, show, write_down, written
from benchmarks.soak.kills import TASKS, Ground, names, served, state

from fairbrief.cli.command_line import INCOMPLETE, REFUSED

MARKERS = ("<!-- surroundings: begin -->", "<!-- surroundings: end -->")
COMMANDS = ("audit", "audit --cache", "summarize", "sweep", "report")
PAGE_SIZE = 4096
STEPS = 10
"""Sizes of the disk between nothing and what the command needs."""
ORDINARY = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
"""Runs a command as one who is not root in anything but name."""
SET_BACK = """import time
now, calls = time.time, []
def set_back():
    calls.append(1)
    return now() - (3600.0 if len(calls) > 1 else 0.0)
time.time = set_back
time.time_ns = lambda: int(set_back() * 1e9)
"""
"""Sets the clock of a Python process back by an hour, after it was read once."""
ALLOWED = ("nothing", "the older output", "an audit, refused as unfinished", "the new output")


@dataclass
class Row:
    """What came of one command in one of the surroundings, over all its runs."""

    command: str
    surroundings: str
    runs: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def note(row: Row, ground: Ground, code: int, is_older: bool, *, is_removed: bool = False) -> None:
    """Add a run that ended to its row."""
    row.runs += 1
    said = ground.said().strip()
    last = said.rpartition("\n")[2].replace(str(ground.at), "DIR")
    last = re.sub(r"\d+ s\b", "N s", last)
    left = state(
        ground.task, ground.at / "out", ground.older if is_older else "", ground.whole[is_older].state
    )
    if is_removed and not (ground.at / "out").exists():
        left = "nothing"
    row.codes[str(code)] += 1
    row.left[left] += 1
    if code:
        row.said[last] += 1
    is_explained = not code or last.startswith("fairbrief: ")
    if code not in (0, REFUSED, INCOMPLETE) or "Traceback" in said or not is_explained:
        row.faults.append(f"ended with {code}: {said[-600:]}")
    if left not in ALLOWED or (code == 0 and left != "the new output"):
        row.faults.append(f"ended with {code} and left {left}")


def clock(ground: Ground, row: Row, is_older: bool) -> None:
    """The clock goes back by an hour while the command runs."""
    with tempfile.TemporaryDirectory() as made:
        Path(made, "sitecustomize.py").write_text(SET_BACK, encoding="utf-8")
        ground.prepare(is_older)
        path = os.pathsep.join(filter(None, (made, os.environ.get("PYTHONPATH", ""))))
        note(row, ground, ground.start(PYTHONPATH=path).wait(300), is_older)


def read_only(ground: Ground, row: Row, is_older: bool) -> None:
    """Neither the folder nor what is in it may be written to."""
    ground.prepare(is_older)
    paths = [ground.at, *ground.at.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in reversed(paths):
        path.chmod(modes[path] & ~0o222)
    try:
        note(row, ground, ground.start(ORDINARY if os.geteuid() == 0 else ()).wait(300), is_older)
    finally:
        for path in paths:
            path.chmod(modes[path])


def full(ground: Ground, row: Row, is_older: bool) -> None:
    """The disk holds more and more, until it holds all."""
    with disk(ground.at):
        ground.prepare(is_older)
        before = _used(ground.at)
        ground.start().wait(300)
        needed = max(_used(ground.at) - before, PAGE_SIZE) * 2  # the old and the new beside each other
        for i in range(STEPS):
            _remount(ground.at, 1 << 28)
            ground.prepare(is_older)
            _remount(ground.at, _used(ground.at) + max(1, needed * i // STEPS // PAGE_SIZE) * PAGE_SIZE)
            note(row, ground, ground.start().wait(300), is_older)
    ground.prepare(is_older)


def removed(ground: Ground, row: Row, is_older: bool) -> None:
    """The folder goes away, at different moments."""
    for i in range(8):
        ground.prepare(is_older)
        before = set(names(ground.at))
        process = ground.start()
        ends = time.monotonic() + ground.whole[is_older].seconds * i / 8
        while process.poll() is None and (
            time.monotonic() < ends or (i % 2 and set(names(ground.at)) == before)
        ):
            time.sleep(0.002)
        if process.poll() is not None or ground.digest() == ground.whole[is_older].state:
            process.wait(300)
            continue  # it had done its work
        for path in ground.at.iterdir():
            if path.name != "in.jsonl":
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        note(row, ground, process.wait(300), is_older, is_removed=True)


SURROUNDINGS = {
    "the clock is set back": clock,
    "the folder may only be read": read_only,
    "the disk is full": full,
    "the folder is removed": removed,
}


@contextmanager
def disk(at: Path) -> Iterator[None]:
    """A disk of its own at a folder."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(at)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=True)


def _remount(at: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(at)], check=True)


def _used(at: Path) -> int:
    found = os.statvfs(at)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def look(commands: Sequence[str], surroundings: Sequence[str]) -> list[Row]:
    """Every command in all surroundings."""
    rows = []
    with tempfile.TemporaryDirectory() as made, served() as server:
        for command in commands:
            ground = Ground(Path(made) / command.replace(" ", "-"), command, server)
            for name in surroundings:
                row = Row(command, name)
                for is_older in (False, True):
                    if is_older or not TASKS[command].needs_older:
                        SURROUNDINGS[name](ground, row, is_older)
                rows.append(row)
                print(json.dumps(vars(row), indent=1, ensure_ascii=False))
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows by what was disturbed, as Markdown."""
    shown = []
    for surroundings in SURROUNDINGS:
        some = [row for row in rows if row.surroundings == surroundings]
        codes, left = Counter[str](), Counter[str]()
        for row in some:
            codes.update(row.codes)
            left.update(row.left)
        shown.append((surroundings, sum(row.runs for row in some), _counts(codes), _counts(left)))
    commands = ", ".join(f"`{name}`" for name in dict.fromkeys(row.command for row in rows))
    faults = sum(bool(row.faults) for row in rows)
    total = f"{sum(row.runs for row in rows)} runs of {commands}; {faults} with a fault."
    return f"{total}\n\n{markdown(('surroundings', 'runs', 'exit codes', 'left in place'), shown, (1,))}"


def _counts(counts: Counter[str]) -> str:
    return "; ".join(f"{times} × {name}" for name, times in counts.most_common())


def main() -> None:
    """Try all, write down and print; exit 1 if anything was found that must not be."""
    told = options(
        __doc__, "--out", "--page", commands=",".join(COMMANDS), surroundings=",".join(SURROUNDINGS)
    ).parse_args()
    done = [Row(**row) for row in written(told.out).get("rows", ())]
    have = {(row.command, row.surroundings) for row in done}
    for command in told.commands.split(","):
        wanted = [name for name in told.surroundings.split(",") if (command, name) not in have]
        if wanted:
            done += look([command], wanted)
            write_down(__file__, {"rows": [vars(row) for row in done]}, out=told.out)
    order = [(command, name) for command in COMMANDS for name in SURROUNDINGS]
    rows = sorted(done, key=lambda row: order.index((row.command, row.surroundings)))
    show(table(rows), told.page, MARKERS)
    raise SystemExit(any(row.faults for row in rows))


if __name__ == "__main__":
    main()
