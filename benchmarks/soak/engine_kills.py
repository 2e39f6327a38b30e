"""Thirty-six kills (SIGKILL) of workers, drivers and nodes in the middle of audits on several engines: the answer is the same.

Run from the repository's root: python -m benchmarks.soak.engine_kills [--kills N] [--seconds S] [--out FILE] [--page PAGE]

One small audit of every kind of measure, whose input is read in many parts, is run by several processes, on a Ray of one node
and on one of three simulated nodes. At a random moment a worker, a driver (the
process that the audit was started as) or a node is killed. A driver that lost a worker or a node must come to its
end by itself, and one that was killed when its command is given again; no process may stay, but for agents of Ray's own; and the identity of the results must be that of an audit that nobody disturbed. FILE is gone on from.
The table is written into PAGE.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec
from benchmarks.recording import markdown, options, show, write_down, written
from benchmarks.soak.processes import running
from tests.sample_cases import cases_of

from fairbrief.auditing import Plan, audit
from fairbrief.readers import json_lines, read
from fairbrief.reports.json_file import identity
from fairbrief.serialization import case_line, write_lines

MARKERS = ("<!-- engine kills: begin -->", "<!-- engine kills: end -->")
SETTINGS = {
    ("processes", "worker"): 10,
    ("processes", "driver"): 6,
    ("Ray", "worker"): 8,
    ("Ray", "driver"): 6,
    ("Ray, three nodes", "node"): 6,
}
"""How many kills by engine and victim."""
RECORDS, PART = 100, 6_000
"""Of the input; bytes of a part."""
MAY_STAY = 20.0
"""Seconds that what a killed driver started may take to end: Ray looks every few seconds."""
AT_MOST = 300
"""Seconds of one audit on a busy machine."""
TIMES = 5
"""A kill that comes too late, after the audit has ended, is tried so often, at another moment."""
PLAN = Plan(
    measures=[
        "bur@party", "equal_coverage@party", "rouge1", "position_bias", "word_list_inclusion",
        "entity_inclusion@gender", "entity_hallucination@gender", "distinguishability@side",
    ],
    n_resamples=200,
    n_extracts=5,
    by=[("size",)],
)  # fmt: skip


@dataclass
class Trial:
    """One kill and what came of it."""

    engine: str
    victim: str
    number: int
    after: float = 0.0
    """Seconds from the audit's beginning to the kill."""
    is_killed: bool = False
    """Whether it was still there to be killed."""
    stayed: int = 0
    """Processes that a killed driver left, some seconds later: Ray's own agents; others are a fault."""
    faults: list[str] = field(default_factory=list)


# ------------------------------------------------------------------------------------- the audit, in its own process


def work(engine: str, folder: Path) -> None:
    """The audit on an engine; marks its beginning, then writes the identity of its results."""
    json_lines.PART = PART
    reading = read(folder / "in.jsonl")
    plan = PLAN
    if engine == "processes":
        plan = replace(plan, workers=2)
    elif engine.startswith("Ray"):
        if engine == "Ray, three nodes":
            _simulate(folder)
        plan = replace(plan, engine="ray")
    (folder / "begun").write_text(str(os.getpid()))
    (folder / "identity").write_text(identity(audit(reading, plan)))


def _simulate(folder: Path) -> None:
    """A cluster of three nodes on this machine; the processes of those that can be taken away are written down."""
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    others = [nodes.add_node(num_cpus=1) for _ in range(2)]
    ray.init(nodes.address, log_to_driver=False, logging_level=logging.ERROR)
    pids = [node.all_processes["raylet"][0].process.pid for node in others]
    (folder / "nodes").write_text(json.dumps(pids))


# ------------------------------------------------------------------------------------- killing it


def start(engine: str, folder: Path) -> subprocess.Popen[bytes]:
    """The audit in a process of its own."""
    for name in ("begun", "identity", "nodes"):
        (folder / name).unlink(missing_ok=True)
    with (folder / "said").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.soak.engine_kills", "--audit", engine, str(folder)],
            stdout=said, stderr=said, start_new_session=True,
        )  # fmt: skip


def begun(process: subprocess.Popen[bytes], folder: Path) -> float:
    """The moment at which the audit began."""
    while process.poll() is None and not (folder / "begun").exists():
        time.sleep(0.01)
    return time.monotonic()


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    children_of: dict[int, list[int]] = {}
    for each in running():
        children_of.setdefault(each.parent, []).append(each.number)
    found, left = [], [pid]
    while left:
        left += (children := children_of.get(left.pop(), []))
        found += children
    return found


def victims(engine: str, victim: str, process: subprocess.Popen[bytes], folder: Path) -> list[int]:
    """The processes that may be killed."""
    if victim == "driver":
        return [process.pid]
    if victim == "node":
        nodes: list[int] = json.loads((folder / "nodes").read_text())
        return nodes
    # Ray's own agents are called ray:: too: who kills one of these takes the node away.
    wanted = ("ray::_answer",) if engine == "Ray" else ("spawn_main",)
    return [pid for pid in descendants(process.pid) if any(name in called(pid) for name in wanted)]


def called(pid: int) -> str:
    """How a process was called; empty where it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


class Ground:
    """A folder with the input, and what the audit says when nobody disturbs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write_lines(map(case_line, cases_of(RECORDS)), folder / "in.jsonl")
        self.whole, _ = self._undisturbed("here")
        self.seconds: dict[str, float] = {}

    def try_once(self, trial: Trial, rng: random.Random) -> None:
        """Kill once, let the audit come to its end, and fill in what became of it."""
        if trial.engine not in self.seconds:
            found, self.seconds[trial.engine] = self._undisturbed(trial.engine)
            if found != self.whole:
                raise SystemExit(f"{trial.engine}: undisturbed, it says {found}, and here {self.whole}")
        process = start(trial.engine, self.folder)
        began = begun(process, self.folder)
        time.sleep(rng.uniform(0, 0.7 * self.seconds[trial.engine]))
        chosen: list[int] = []
        while (
            process.poll() is None and not chosen
        ):  # Ray starts its workers late, and waits long for one that is killed before it is ready
            chosen = victims(trial.engine, trial.victim, process, self.folder)
            time.sleep(0 if chosen else 0.01)
        trial.after = round(time.monotonic() - began, 2)
        started = descendants(process.pid)
        if chosen:
            with suppress(ProcessLookupError):
                os.kill(rng.choice(chosen), signal.SIGKILL)
                trial.is_killed = True
        if trial.victim == "driver":
            process.wait(AT_MOST)
            stayed = _still_there(started)
            trial.stayed = len(stayed)
            if any("/ray/" not in name and not name.startswith("ray::") for name in stayed):
                trial.faults.append(f"processes stayed: {stayed}")
            process = start(trial.engine, self.folder)
        self._judge(trial, process)

    def _judge(self, trial: Trial, process: subprocess.Popen[bytes]) -> None:
        try:
            code = process.wait(AT_MOST)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        if code != 0:
            trial.faults.append(f"ended with {code}: {self._said()}")
        elif (self.folder / "identity").read_text() != self.whole:
            trial.faults.append("another answer")

    def _undisturbed(self, engine: str) -> tuple[str, float]:
        process = start(engine, self.folder)
        began = begun(process, self.folder)
        if process.wait(AT_MOST) != 0:
            raise SystemExit(
                f"{engine}: an undisturbed audit ended with {process.returncode}: {self._said()}"
            )
        return (self.folder / "identity").read_text(), time.monotonic() - began

    def _said(self) -> str:
        return (self.folder / "said").read_text(errors="replace")[-300:]


def _still_there(pids: Sequence[int]) -> list[str]:
    """The processes that have not ended after a while, as they were called; they are then ended."""
    ends = time.monotonic() + MAY_STAY
    while (
        left := [process.number for process in running() if process.number in pids]
    ) and time.monotonic() < ends:
        time.sleep(0.1)
    names = [called(pid) for pid in left]
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return names


# ------------------------------------------------------------------------------------- telling


def planned(kills: int) -> Iterator[Trial]:
    """The trials, of all settings by turns."""
    left = {setting: max(1, round(kills * n / sum(SETTINGS.values()))) for setting, n in SETTINGS.items()}
    for number in range(max(left.values())):
        yield from (Trial(*setting, number) for setting, n in left.items() if number < n)


def _counts(trial: Trial) -> bool:
    """Whether something was killed, or went wrong without."""
    return trial.is_killed or bool(trial.faults)


def table(trials: Sequence[Trial]) -> str:
    """The trials by engine and victim, as Markdown; those of engines that are no more are passed over."""
    trials = [t for t in trials if (t.engine, t.victim) in SETTINGS]
    head = ("engine", "killed", "kills", "ended before", "same answer", "agents of Ray that stayed", "faults")
    rows: list[Sequence[object]] = []
    for engine, victim in SETTINGS:
        of = [t for t in trials if (t.engine, t.victim) == (engine, victim)]
        if not of:
            continue
        same = sum(not any(f.startswith(("another", "ended")) for f in t.faults) for t in of)
        early, stayed = sum(not t.is_killed for t in of), sum(t.stayed for t in of)
        rows.append((engine, victim, len(of), early, same, stayed, sum(bool(t.faults) for t in of)))
    faults = sum(bool(t.faults) for t in trials)
    hit = sum(t.is_killed for t in trials)
    total = f"{len(trials)} kills, {hit} of them before the audit had ended; {faults} with a fault."
    return f"{total}\n\n{markdown(head, rows, range(2, 7))}"


def main() -> None:
    """Kill, write down and print; exit 1 if anything was found that must not be."""
    parser = options(__doc__, "--out", "--page", kills=36, seconds=1e9, seed=0)
    parser.add_argument("--audit", nargs=2, metavar=("ENGINE", "FOLDER"), help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.audit is not None:
        work(told.audit[0], Path(told.audit[1]))
        return
    done = [
        trial
        for kept in written(told.out).get("trials", ())
        if _counts(trial := msgspec.convert(kept, Trial))
    ]
    have = {(trial.engine, trial.victim, trial.number) for trial in done}
    ends = time.monotonic() + told.seconds
    with tempfile.TemporaryDirectory() as made:
        ground: Ground | None = None
        for trial in planned(told.kills):
            if (trial.engine, trial.victim, trial.number) in have or time.monotonic() > ends:
                continue
            ground = ground or Ground(Path(made))
            rng = random.Random(f"{told.seed} {trial.engine} {trial.victim} {trial.number}")
            for _ in range(TIMES):
                tried = replace(trial, faults=[])
                ground.try_once(tried, rng)
                print(tried, file=sys.stderr, flush=True)
                if _counts(tried):
                    break
            done.append(tried)
            if told.out is not None:
                found = {"kills": len(done), "trials": [asdict(t) for t in done]}
                write_down(__file__, found, seed=told.seed, out=told.out)
    show(table(done), told.page, MARKERS)
    raise SystemExit(any(trial.faults for trial in done))


if __name__ == "__main__":
    main()
