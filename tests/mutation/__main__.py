"""Plant faults one by one and see whether the tests notice: ``python -m tests.mutation``.

Every mutant changes one operator, constant or condition of a module. It meets tests inside this repository, in a fork
of one session of pytest (`tests.mutation.trials`). ``--out FILE.json`` is written as the run goes and gone on from:
a module that was changed since is tried anew. Survivors that no test can tell from the code, or need, are argued
in ``survivors.toml``; a room with less than ``--least`` killed or argued ends the run with 1.
"""

from __future__ import annotations

import argparse
import collections
import functools
import hashlib
import json
import os
import re
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmarks.recording import show, write_down
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.trials import KILLED, SURVIVED, TIMED_OUT, Trials

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "fairbrief"
WHOLE = ("statistics", "saved/gate.py", "saved/gate_rules.py")
"""All mutants of these are tried."""
SAMPLED = ("measures", "auditing")
"""Of these together, a seeded sample."""
TESTS = ("unit", "properties", "contract", "golden")
ARGUED = Path(__file__).with_name("survivors.toml")
LETTERS = {KILLED: "k", TIMED_OUT: "t", SURVIVED: "s"}
UNTRIED = "."
MARKERS = ("<!-- mutation: begin -->", "<!-- mutation: end -->")


def main() -> int:
    """Try the mutants that are left; print what survived and the share that was killed, by room."""
    os.environ["CI"] = "1"  # the same examples of hypothesis for every mutant
    given = _arguments()
    chosen = list(_chosen(given))
    outcomes = _read(given.out, chosen)
    left = [
        mutant
        for mutant in chosen
        if (found := outcomes[mutant.path][_place(mutant)]) == UNTRIED
        or (given.again and found == LETTERS[SURVIVED] and _key(mutant) not in _argued())
    ]
    if left and given.seconds > 0:
        _try(left, outcomes, given)
    found = _found(chosen, outcomes)
    for survivor in found["survived"]:
        print(f"survived: {survivor}")
    show(table(found), given.page, MARKERS)
    unused = set(_argued()) - {_key(mutant) for mutant in chosen}
    for key in sorted(unused) if not given.paths else ():
        print(f"argued, and not among the mutants: {key}")
    return int(any(_share(room) < given.least for room in found["rooms"].values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("paths", nargs="*", help="modules or rooms under src/fairbrief; without them, all")
    parser.add_argument(
        "--sample", type=int, default=400, help="mutants of rooms that are sampled, or of PATHS"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.95, help="share that must be killed in each room")
    parser.add_argument("--again", action="store_true", help="try those that survived again")
    parser.add_argument(
        "--seconds", type=float, default=1e9, help="begin no mutant after so many; 0: the table alone"
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=20.0,
        help="seconds of tests that a mutant meets before it has survived",
    )
    parser.add_argument("--tests", default="", help="only test files whose name has this regular expression")
    parser.add_argument("--out", type=Path, help="write the outcomes there, and go on from it")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    return parser.parse_args()


def _chosen(given: argparse.Namespace) -> Iterator[Mutant]:
    if not given.paths:
        for name in WHOLE:
            yield from _mutants(name)
    pool = [mutant for name in given.paths or SAMPLED for mutant in _mutants(name)]

    def drawn(mutant: Mutant) -> bytes:
        """An order of chance, in which a mutant keeps its place when others come or go: as many as were tried are a sample."""
        return hashlib.sha256(f"{given.seed} {_key(mutant)}".encode()).digest()

    yield from sorted(pool, key=drawn)[: given.sample]


def _mutants(name: str) -> list[Mutant]:
    path = SOURCES / name
    return [
        m for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path]) for m in _mutants_of(file)
    ]


@functools.cache
def _mutants_of(path: Path) -> tuple[Mutant, ...]:
    return tuple(mutants_of(path))


def _place(mutant: Mutant) -> int:
    return _mutants_of(mutant.path).index(mutant)


def _key(mutant: Mutant) -> str:
    return f"{_name(mutant.path)}: {mutant.key}"


def _name(path: Path) -> str:
    return path.relative_to(SOURCES).as_posix()


@functools.cache
def _argued() -> dict[str, str]:
    arguments = tomllib.loads(ARGUED.read_text(encoding="utf-8")).get("survivors", ())
    return {mutant: one["why"] for one in arguments for mutant in one["mutants"]}


def _read(out: Path | None, chosen: Sequence[Mutant]) -> dict[Path, list[str]]:
    """A letter for each mutant of a module, as far as the module is the one that was tried."""
    outcomes = {path: [UNTRIED] * len(_mutants_of(path)) for path in {mutant.path for mutant in chosen}}
    if out is not None and out.exists():
        for name, tried in json.loads(out.read_text(encoding="utf-8"))["found"]["modules"].items():
            path = SOURCES / name
            if path.exists() and tried["code"] == _digest(path):
                outcomes[path] = list(tried["outcomes"])
    return outcomes


def _digest(path: Path) -> str:
    return hashlib.sha256("\n".join(m.key for m in _mutants_of(path)).encode()).hexdigest()[:16]


def _try(left: Sequence[Mutant], outcomes: dict[Path, list[str]], given: argparse.Namespace) -> None:
    tests = [file for folder in TESTS for file in sorted((ROOT / "tests" / folder).rglob("test_*.py"))]
    paths = {mutant.path for mutant in left}
    tests = [file for file in tests if any(_is_named(path, file) for path in paths)]
    tests = [file for file in tests if re.search(given.tests, file.name)]
    count = 0

    def done(mutant: Mutant, outcome: str) -> None:
        nonlocal count
        count += 1
        outcomes[mutant.path][_place(mutant)] = LETTERS[outcome]
        if outcome != KILLED:
            print(f"{count} of {len(left)}: {outcome}: {_key(mutant)}", flush=True)
        if given.out is not None and count % 20 == 0:
            _write(outcomes, given.out)

    with tempfile.TemporaryDirectory() as made:
        trials = Trials(left, done, Path(made), time.monotonic() + given.seconds, given.budget)
        pytest.main(
            ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain", f"--rootdir={ROOT}",
             f"--basetemp={made}/tests", *map(str, tests)],
            plugins=[trials],
        )  # fmt: skip
    if given.out is not None:
        _write(outcomes, given.out)


def _write(outcomes: Mapping[Path, Sequence[str]], out: Path) -> None:
    modules = json.loads(out.read_text(encoding="utf-8"))["found"]["modules"] if out.exists() else {}
    for path, letters in outcomes.items():
        modules[_name(path)] = {"code": _digest(path), "outcomes": "".join(letters)}
    write_down(__file__, {"letters": LETTERS, "modules": dict(sorted(modules.items()))}, out=out)


def _is_named(path: Path, test: Path) -> bool:
    """Whether a test file names the room of a module; measures and steps of the audit are met by whatever audits, too."""
    room = path.relative_to(SOURCES).parts[0]
    named = f"(?:{room}|auditing|audit)" if room in SAMPLED else room
    words = rf"fairbrief\.{named}\b|fairbrief import .*\b{named}\b"
    return re.search(words, test.read_text(encoding="utf-8")) is not None


def _found(chosen: Sequence[Mutant], outcomes: Mapping[Path, Sequence[str]]) -> dict[str, Any]:
    """Outcomes counted by room, and the survivors that are not argued."""
    words = {letter: outcome for outcome, letter in LETTERS.items()} | {UNTRIED: "not tried"}
    rooms: dict[str, collections.Counter[str]] = {}
    survived = []
    for mutant in chosen:
        name = _name(mutant.path)
        room = next((whole for whole in WHOLE[1:] if whole == name), name.partition("/")[0])
        outcome = words[outcomes[mutant.path][_place(mutant)]]
        if outcome == SURVIVED and _key(mutant) in _argued():
            outcome = "argued"
        rooms.setdefault(room, collections.Counter())[outcome] += 1
        if outcome == SURVIVED:
            survived.append(_key(mutant))
    return {"rooms": rooms, "survived": survived}


def _share(room: collections.Counter[str]) -> float:
    return (room[KILLED] + room[TIMED_OUT] + room["argued"]) / room.total()


def table(found: Mapping[str, Any]) -> str:
    """The outcomes by room, as Markdown."""
    columns = (KILLED, TIMED_OUT, "argued", SURVIVED, "not tried")
    lines = [
        f"| room | mutants | {' | '.join(columns)} | killed or argued |",
        f"|---|---:|{'---:|' * len(columns)}---:|",
    ]
    for name, room in found["rooms"].items():
        counts = " | ".join(f"{room[column]:,}" for column in columns)
        lines.append(f"| `{name}` | {room.total():,} | {counts} | {_share(room):.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
