"""Two hundred kills (SIGKILL and Ctrl-C) of commands that write: what each left behind, and what the rerun gave.

Run from the repository's root: python -m benchmarks.soak.kills [--kills N] [--seconds S] [--out FILE] [--page PAGE]

Every command runs once undisturbed; then again and again in a fresh folder, half of the times over the output of
an older run, and is killed: at a random moment, or when a file appears that was seen in the undisturbed run. What
stands then must be nothing, the older output (an audit: refused until it is made anew) or the new one, whole; no
process may stay; and the same command must end as if nothing had been. FILE is gone on from: a kill that stands in
it is not done again, so that a run can be cut into subgroups of S seconds. The table is written into PAGE.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.recording import markdown, options, show, write_down, written
from benchmarks.soak.processes import running
from tests.stub_chat import StubChat, echo

from fairbrief.atomic_files import TEMPORARY
from fairbrief.engines.score_cache import unpack
from fairbrief.errors import FairbriefError
from fairbrief.reports.audit_folder import DIGESTS, STAGE, UNFINISHED, load_unchanged
from fairbrief.serialization import write_lines

MARKERS = ("<!-- kills: begin -->", "<!-- kills: end -->")
FAIRBRIEF = [sys.executable, "-c", "from fairbrief.cli import main; main()"]
SIGNALS = {"SIGKILL": signal.SIGKILL, "Ctrl-C": signal.SIGINT}
TIMES = rb'(?<="ended":")[^"]+|(?<="seconds":)[\d.e-]+|(?<=seconds: )[\d.e-]+|(?<=seconds</bdi></dt><dd><bdi>)[\d.e-]+'
"""When an audit ended and how long it took, in its results and its reports."""
UNCOUNTED = (".journal", TEMPORARY, DIGESTS)
"""Endings of files whose bytes depend on which request ended first, on the seconds, or that the next run removes."""
PROCESSES_MAY_STAY = 1.0
"""Seconds."""
RECORDS = 40
CONCURRENCY = 4
QUICK = ["--resamples", "50", "--extracts", "0", "--no-check-scorers"]
MODEL = f"chat:stub-1(pause=0.01, concurrency={CONCURRENCY})"


@dataclass(frozen=True)
class Task:
    """A command that writes ``out`` in the trial's folder, and may ask a server."""

    words: Callable[[Path, str], list[str]]
    """The command line, for the trial's folder and the server's address."""
    share: int = 20
    """How many of 200 kills."""
    asks: bool = False
    makes_an_audit: bool = True
    needs_older: bool = False
    out: str = "out"


@dataclass
class Trial:
    """One kill and what came of it."""

    task: str
    number: int
    signal: str
    older: bool
    at: str
    code: int = 0
    left: str = ""
    beside: list[str] = field(default_factory=list)
    asked_again: int = 0
    faults: list[str] = field(default_factory=list)


def _audit(*more: str) -> Callable[[Path, str], list[str]]:
    return lambda at, _: [
        "audit", f"{at}/in.jsonl", "--measure", "bur@side", "--measure", "rouge1", "--attribute", "side",
        *QUICK, "--out", f"{at}/out", *more,
    ]  # fmt: skip


TASKS = {
    "audit": Task(_audit(), share=40),
    "audit --workers 2": Task(_audit("--workers", "2"), share=40),
    "audit --cache": Task(
        lambda at, url: [
            "audit", f"{at}/in.jsonl", "--measure",
            f"judged(scorer=judge(model=stub-1, base_url={url}, pause=0.01, concurrency={CONCURRENCY}))",
            *QUICK, "--cache", f"{at}/cache.sqlite", "--out", f"{at}/out",
        ],
        asks=True,
    ),
    "summarize": Task(
        lambda at, url: [
            "summarize", f"{at}/in.jsonl", "--with", MODEL, "--base-url", url, "--out", f"{at}/out.jsonl", "--quiet",
        ],
        share=30,
        asks=True,
        makes_an_audit=False,
        out="out.jsonl",
    ),
    "sweep": Task(
        lambda at, url: [
            "sweep", f"{at}/in.jsonl", "--with", MODEL, "--base-url", url, "--sentences", "1,2", "--measure",
            "bur@side", "--resamples", "50", "--out", f"{at}/out", "--quiet",
        ],
        share=30,
        asks=True,
    ),
    "build": Task(
        lambda at, _: [
            "build", "perspectives", f"{at}/in.jsonl", "--attribute", "side", "--counts", "5", "--mix", "a=.5,b=.5",
            "--samples", "4000", "--out", f"{at}/out.jsonl",
        ],
        makes_an_audit=False,
        out="out.jsonl",
    ),
    "report": Task(lambda at, _: ["report", f"{at}/out", "--format", "html"], makes_an_audit=False, needs_older=True),
}  # fmt: skip


# ------------------------------------------------------------------------------------- what stands in a folder


def digest(path: Path, *but: str) -> str:
    """A hash of a file, or of a folder's files but for the seconds that an audit took; "" where nothing stands.

    ``but`` names what is passed over.
    """
    if not path.exists():
        return ""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    made = hashlib.blake2b(digest_size=8)
    for file in files:
        name = "" if file == path else str(file.relative_to(path))
        if name.startswith(but) or name.endswith(UNCOUNTED):
            continue
        content = re.sub(TIMES, b"", file.read_bytes()) if "/" not in name else file.read_bytes()
        made.update(f"{name}\0{len(content)}\0".encode() + content)
    return made.hexdigest()


def names(at: Path) -> list[str]:
    """Every name below a trial's folder; those of temporary files without what is drawn in them."""
    found = [os.path.relpath(os.path.join(folder, name), at)  # noqa: PTH118 - os.walk passes over what has just gone
             for folder, folders, files in os.walk(at) for name in (*folders, *files)]  # fmt: skip
    return sorted({re.sub(r"\.[^./]+\.unfinished$", ".*.unfinished", name) for name in found})


def state(task: Task, out: Path, older: str, whole: str) -> str:
    """What stands at a killed command's output, in a few words; one that begins with "FAULT" must not be."""
    if not task.makes_an_audit:
        found = digest(out)
        return {older: "the older output", whole: "the new output", "": "nothing"}.get(found, "FAULT: torn")
    if not (out / "results.json").exists():
        is_bare = not out.exists() or {p.name for p in out.iterdir()} <= {UNFINISHED, STAGE, "answers"}
        return "nothing" if is_bare else "FAULT: files of no audit"
    is_marked = (out / UNFINISHED).exists()
    try:
        load_unchanged(out)
    except FairbriefError as error:
        return "an audit, refused as unfinished" if is_marked else f"FAULT: {error}"
    found = digest(out, "answers")
    return {older: "the older output", whole: "the new output"}.get(found, "FAULT: a mixture")


def of_group(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    return [process.number for process in running() if process.group == group]


# ------------------------------------------------------------------------------------- killing


class Whole(NamedTuple):
    """What a command gives when nobody disturbs it: the state and digest of its output, all names below, those seen on the way."""

    state: str
    output: str
    names: list[str]
    seen: list[str]
    seconds: float
    requests: int


class Ground:
    """The folder in which a task is tried, its inputs, and what the task gives when nobody disturbs it."""

    def __init__(self, folder: Path, name: str, server: StubChat) -> None:
        self.at, self.task, self.server = folder / "now", TASKS[name], server
        self.older_at = folder / "older"
        self._clean()
        if self.task.makes_an_audit or not self.task.needs_older:
            _inputs(self.at / "in.jsonl", "older")
            self._run(self.task.words(self.at, server.url))
        else:
            _inputs(self.at / "in.jsonl", "new")
            self._run(TASKS["audit"].words(self.at, server.url))
            (self.at / "out" / "report.html").write_text("<p>older</p>")
        shutil.rmtree(self.older_at, ignore_errors=True)
        shutil.copytree(self.at, self.older_at)
        self.older = self.digest()
        self.whole: dict[bool, Whole] = {}
        for is_older in (True,) if self.task.needs_older else (False, True):
            self.prepare(is_older)
            began, asked = time.monotonic(), server.requests
            process = self.start()
            seen, seconds = self._watch(process), time.monotonic() - began
            if process.wait() != 0:
                raise SystemExit(f"{name}: an undisturbed run ended with {process.returncode}: {self.said()}")
            found = (self.digest(), digest(self.at / self.task.out), names(self.at))
            self.whole[is_older] = Whole(*found, seen, seconds, server.requests - asked)

    def prepare(self, is_older: bool) -> None:
        """A folder as it stands before the command: with an older output, or without."""
        self._clean()
        if is_older:
            shutil.copytree(self.older_at, self.at, dirs_exist_ok=True)
        _inputs(self.at / "in.jsonl", "new")

    def start(self, through: Sequence[str] = (), **environment: str) -> subprocess.Popen[bytes]:
        """The command, in a group of its own, as a terminal has it; perhaps ``through`` another program."""
        with (self.at.parent / "said").open("wb") as said:
            return subprocess.Popen(
                [*through, *FAIRBRIEF, *self.task.words(self.at, self.server.url)],
                stdout=subprocess.DEVNULL, stderr=said, start_new_session=True, env={**os.environ, **environment},
            )  # fmt: skip

    def said(self) -> str:
        """What the last command said on standard error."""
        return (self.at.parent / "said").read_text(errors="replace")

    def try_once(self, trial: Trial, rng: random.Random) -> None:
        """Kill the command once, run it again, and fill in what came of it."""
        self.prepare(trial.older)
        asked = self.server.requests
        self._kill(trial, rng)
        self._look(trial)
        self._again(trial)
        trial.asked_again = self.server.requests - asked - self.whole[trial.older].requests
        if trial.code != 0 and trial.asked_again > CONCURRENCY:
            trial.faults.append(f"{trial.asked_again} requests were sent again")

    def _kill(self, trial: Trial, rng: random.Random) -> None:
        process = self.start()
        if trial.at == "a moment":
            ends = time.monotonic() + rng.uniform(0, self.whole[trial.older].seconds)
            while time.monotonic() < ends and process.poll() is None:
                time.sleep(0.002)
        else:
            wanted = rng.choice(self.whole[trial.older].seen)
            trial.at = f"{wanted} appears"
            while process.poll() is None and wanted not in names(self.at):
                time.sleep(0.001)
            time.sleep(rng.choice((0, 0.002, 0.01, 0.05)))
        with suppress(ProcessLookupError):
            (os.killpg if trial.signal == "Ctrl-C" else os.kill)(process.pid, SIGNALS[trial.signal])
        trial.code = process.wait(60)
        killed = time.monotonic()
        while of_group(process.pid) and time.monotonic() - killed < PROCESSES_MAY_STAY:
            time.sleep(0.01)
        if stayed := of_group(process.pid):
            trial.faults.append(f"{len(stayed)} processes stayed")
            os.killpg(process.pid, signal.SIGKILL)

    def _look(self, trial: Trial) -> None:
        known = {"SIGKILL": (0, -signal.SIGKILL), "Ctrl-C": (0, 130, -signal.SIGINT)}[trial.signal]
        said = self.said()
        # Python itself, before any line of ours:
        is_starting = "KeyboardInterrupt" in said and "fairbrief" not in said
        if (trial.code not in known or (trial.code == 130 and "Traceback" in said)) and not is_starting:
            trial.faults.append(f"ended with {trial.code}: {said[-300:]}")
        old_state = self.older if trial.older else ""
        trial.left = state(self.task, self.at / self.task.out, old_state, self.whole[trial.older].state)
        if trial.left.startswith("FAULT"):
            trial.faults.append(trial.left)
        trial.beside = sorted({*names(self.at)} - {*self.whole[trial.older].names})
        if (cache := self.at / "cache.sqlite").exists() and (problem := self._cache_problem(cache)):
            trial.faults.append(f"the cache: {problem}")

    def _again(self, trial: Trial) -> None:
        again = self.start()
        if again.wait(600) != 0:
            trial.faults.append(f"the rerun ended with {again.returncode}: {self.said()[-300:]}")
        elif digest(self.at / self.task.out) != self.whole[trial.older].output:
            trial.faults.append("the rerun gave something else")
        elif (left := names(self.at)) != (wanted := self.whole[trial.older].names):
            trial.faults.append(f"left behind: {sorted({*left} ^ {*wanted})}")

    def digest(self) -> str:
        """What stands at the output; of a sweep without the answers, which may be there before the audit."""
        out = self.at / self.task.out
        return digest(out, "answers") if self.task.makes_an_audit else digest(out)

    def _cache_problem(self, cache: Path) -> str | None:
        """The damage of the file, by reading all of it; None if it is intact."""
        with closing(sqlite3.connect(cache)) as database:
            try:
                check = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
                for (value,) in database.execute("SELECT value FROM arrays"):
                    unpack(value)
            except (sqlite3.DatabaseError, zlib.error) as error:
                return str(error)
        return None if check == "ok" else check

    def _run(self, words: Sequence[str]) -> None:
        subprocess.run([*FAIRBRIEF, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _watch(self, process: subprocess.Popen[bytes]) -> list[str]:
        """The names that come up while a process runs."""
        before, seen = {*names(self.at)}, set()
        while process.poll() is None:
            seen |= {*names(self.at)}
            time.sleep(0.001)
        return sorted(seen - before) or sorted(seen)

    def _clean(self) -> None:
        self.at.mkdir(parents=True, exist_ok=True)
        for path in self.at.iterdir():  # the folder itself may be a disk of its own
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def served() -> StubChat:
    """A server whose answers also have a score."""
    return StubChat(delay=0.02, keeps_bodies=False, answer=lambda prompt: f"{echo(prompt)}\nScore: 4")


def _inputs(path: Path, kind: str) -> None:
    rows = []
    for i in range(RECORDS if kind == "new" else RECORDS // 2):
        documents = [
            {"text": f"Review {i} by {w}: it {w} well.", "attributes": {"side": "ab"[j % 2]}}
            for j, w in enumerate(("rattles", "shines", "hums", "creaks"))
        ]
        told = {
            "summary": f"It {'rattles' if i % 3 else 'shines'} well.",
            "references": ["It rattles and shines."],
        }
        rows.append({"id": f"{kind}{i}", "documents": documents, **told})
    write_lines(rows, path)


def planned(kills: int) -> Iterator[Trial]:
    """The trials, of all tasks by turns, so that a run that is cut short has some of each."""
    left = {
        name: max(2, round(kills * task.share / sum(t.share for t in TASKS.values())))
        for name, task in TASKS.items()
    }
    number: Counter[str] = Counter()
    while any(left.values()):
        for name, task in TASKS.items():
            if left[name]:
                left[name] -= 1
                i = number[name]
                number[name] += 1
                is_older = task.needs_older or i // 2 % 2 == 1
                yield Trial(name, i, list(SIGNALS)[i % 2], is_older, ("a moment", "a name")[i // 4 % 2])


def kill_all(kills: int, seconds: float, seed: int, done: list[Trial]) -> None:
    """Do the trials that ``done`` lacks, and add them to it, until so much time has gone."""
    have = {(trial.task, trial.number) for trial in done}
    wanted = [trial for trial in planned(kills) if (trial.task, trial.number) not in have]
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as made, served() as server:
        grounds: dict[str, Ground] = {}
        for trial in wanted:
            if time.monotonic() > ends:
                return
            if trial.task not in grounds:
                folder = Path(made) / trial.task.replace(" ", "-")
                grounds[trial.task] = Ground(folder, trial.task, server)
            grounds[trial.task].try_once(trial, random.Random(f"{seed} {trial.task} {trial.number}"))
            done.append(trial)
            for fault in trial.faults:
                print(f"{trial.task} {trial.number} ({trial.signal}, {trial.at}): {fault}", file=sys.stderr)


# ------------------------------------------------------------------------------------- telling


OUTCOMES = ("nothing", "the older output", "the new output", "an audit, refused as unfinished")
"""What a killed command may leave behind."""


def table(trials: Sequence[Trial]) -> str:
    """The trials by command, as Markdown."""
    head = ("command", "kills", *OUTCOMES, "requests paid twice, at most", "faults")
    rows: list[Sequence[object]] = []
    for name, task in TASKS.items():
        tried = [t for t in trials if t.task == name]
        killed = [t for t in tried if t.code != 0]
        left = Counter(t.left for t in killed)
        paid = str(max((t.asked_again for t in killed), default=0)) if task.asks else "–"
        outcomes = (left[outcome] for outcome in OUTCOMES)
        rows.append((f"`{name}`", len(tried), *outcomes, paid, sum(bool(t.faults) for t in tried)))
    faults = sum(bool(t.faults) for t in trials)
    total = f"{len(trials)} kills, {sum(t.code != 0 for t in trials)} of them before the command had ended; {faults} with a fault."
    return f"{total}\n\n{markdown(head, rows, range(1, len(head)))}"


def main() -> None:
    """Kill, write down and print; exit 1 if anything was found that must not be."""
    told = options(__doc__, "--out", "--page", kills=200, seconds=1e9, seed=0).parse_args()
    # A shell's background ignores it, and so would children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    done = [Trial(**trial) for trial in written(told.out).get("trials", ())]
    before = len(done)
    kill_all(told.kills, told.seconds, told.seed, done)
    if len(done) > before:
        found = {"kills": len(done), "trials": [asdict(t) for t in done]}
        write_down(__file__, found, seed=told.seed, out=told.out)
    show(table(done), told.page, MARKERS)
    raise SystemExit(any(trial.faults for trial in done))


if __name__ == "__main__":
    main()
