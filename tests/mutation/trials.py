"""Trials of mutants inside one session of pytest: tests are collected once, and every mutant is tried in a fork.

Each test is run once as the code is, to see how long it takes and which lines it runs. A mutant then meets only tests
that run its statement: those that have noticed most before, then of each file the most direct, which runs the fewest
lines, then the next of each.
"""

from __future__ import annotations

import collections
import gc
import importlib.machinery
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from tests.mutation.mutants import Mutant, mutated

KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "timed out"
SECONDS, TIMES = 5, 5
"""A mutant that has taken so many seconds of processor time, and so many times what its tests take, runs without end."""
CLOCK = 1200
"""Seconds on the clock after which a mutant that takes no processor time waits without end."""
SLOW = 6
"""Tests that take more seconds than this are left out: a machine with much to do has quicker ones."""
MEMORY = 6 << 30
EXAMPLES = 25
"""Inputs of hypothesis a test, where the test does not ask for another number."""


@dataclass
class Trials:
    """A plug-in of pytest that tries mutants in place of running the tests."""

    mutants: Sequence[Mutant]
    done: Callable[[Mutant, str], None]
    made: Path
    ends: float
    """No mutant is begun after this time of the monotonic clock."""
    budget: float
    """Seconds of tests that one mutant meets: what they do not notice has survived."""
    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, dict[str, set[int]]] = field(default_factory=dict)
    """For each test the lines that it runs, by file."""
    noticed: collections.Counter[tuple[str, str, str]] = field(default_factory=collections.Counter)
    """How many mutants of a function, or of all of a module, a test has noticed."""

    def pytest_sessionstart(self) -> None:
        """Few inputs a property: the conftest has chosen its profile by now."""
        from hypothesis import settings  # not before pytest has had its hands on it

        settings.register_profile("mutation", settings.get_profile("ci"), max_examples=EXAMPLES)
        settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try every mutant."""
        known = {item.nodeid: item for item in session.items}
        functions = _functions({str(mutant.path) for mutant in self.mutants})
        gc.collect()
        gc.freeze()  # what is there already need not be copied for each fork
        self._observe(session.items)
        for mutant in self.mutants:
            if time.monotonic() > self.ends:
                break
            chosen = [known[one] for one in self._tests_of(mutant)]
            self.done(mutant, self._tried(mutant, chosen, functions[str(mutant.path)]))
        return True

    def _observe(self, items: Sequence[pytest.Item]) -> None:
        """Run every test as the code is, in a fork of its own. One that does not pass, or not soon, is no use, and is said."""
        noted = self.made / "observed.json"
        files = {str(mutant.path) for mutant in self.mutants}
        for item in items:
            if "shared" in item.fixturenames:
                continue  # only tests inside the repository count
            child = os.fork()
            if child == 0:
                _silence()
                _limit(SLOW)
                ran = _traced(files)
                began = time.process_time()
                passed = _passes(item, None)
                took = time.process_time() - began
                sys.settrace(None)
                noted.write_text(
                    json.dumps([took, {path: sorted(lines) for path, lines in ran.items()}]), encoding="utf-8"
                )
                os._exit(int(not passed))
            outcome = _awaited(child)
            if outcome != SURVIVED:
                print(f"not used, {outcome} as the code is: {item.nodeid}", flush=True)
                continue
            self.seconds[item.nodeid], lines = json.loads(noted.read_text(encoding="utf-8"))
            self.runs[item.nodeid] = {path: set(there) for path, there in lines.items()}
        print(f"{len(self.seconds)} tests, {sum(self.seconds.values()):.0f} s", flush=True)

    def _tests_of(self, mutant: Mutant) -> list[str]:
        function = (str(mutant.path), mutant.function)
        ran = {one: lines.get(str(mutant.path), set()) for one, lines in self.runs.items()}
        if mutant.function:
            found = [one for one in ran if not ran[one].isdisjoint(mutant.lines)]
        else:
            found = [one for one in ran if ran[one]]
        found.sort(key=lambda one: sum(map(len, self.runs[one].values())))
        places: collections.Counter[str] = collections.Counter()
        turn = {}
        for one in found:
            file = one.partition("::")[0]
            turn[one] = places[file] = places[file] + 1
        found.sort(
            key=lambda one: (-self.noticed[*function, one], -self.noticed[function[0], "", one], turn[one])
        )
        spent, chosen = 0.0, []
        for one in found:
            spent += self.seconds[one]
            if chosen and spent > self.budget:
                break
            chosen.append(one)
        return chosen

    def _tried(
        self, mutant: Mutant, items: Sequence[pytest.Item], functions: Sequence[types.FunctionType]
    ) -> str:
        if not items:
            return SURVIVED
        if not mutant.function:
            return _tried_afresh(mutant, [item.nodeid for item in items])
        place = self.made / "noticed"
        place.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            _silence()
            _limit(SECONDS + int(TIMES * sum(self.seconds[item.nodeid] for item in items)))
            plant(mutant, functions)
            for item, following in _paired(items):
                if not _passes(item, following):
                    place.write_text(item.nodeid, encoding="utf-8")
                    os._exit(1)
            os._exit(0)
        outcome = _awaited(child)
        if place.exists():
            for function in {mutant.function, ""}:
                self.noticed[str(mutant.path), function, place.read_text(encoding="utf-8")] += 1
        for left in self.made.glob("tests/*"):
            shutil.rmtree(left, ignore_errors=True)
        return outcome


def _paired(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    reports = runtestprotocol(item, log=False, nextitem=following)
    return all(report.passed for report in reports)


def _traced(files: set[str]) -> dict[str, set[int]]:
    """The lines of files that are run from now on, by file."""
    ran: dict[str, set[int]] = {file: set() for file in files}
    left: dict[types.CodeType, set[int | None]] = {}

    def enter(frame: types.FrameType, _event: str, _arg: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code.co_filename not in files:
            return None
        ran[code.co_filename].add(frame.f_lineno)
        if code not in left:
            left[code] = {line for *_, line in code.co_lines()} - {None, code.co_firstlineno}
        return note if left[code] else None

    def note(frame: types.FrameType, event: str, _arg: object) -> Callable[..., Any]:
        if event == "line":
            ran[frame.f_code.co_filename].add(frame.f_lineno)
            left[frame.f_code].discard(frame.f_lineno)
        return note

    sys.settrace(enter)
    threading.settrace(enter)
    return ran


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _awaited(child: int) -> str:
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(CLOCK)
    _, status = os.waitpid(child, 0)
    signal.alarm(0)
    if os.WIFSIGNALED(status):
        return TIMED_OUT if os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXCPU) else KILLED
    return SURVIVED if os.WEXITSTATUS(status) == 0 else KILLED


def _silence() -> None:
    os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _tried_afresh(mutant: Mutant, tests: Sequence[str]) -> str:
    """A mutant of a module's own code, in a new process: whoever has imported the module holds what it declared."""
    told = [
        sys.executable,
        "-m",
        "tests.mutation.trials",
        str(mutant.path),
        str(mutant.node),
        str(mutant.choice),
    ]
    process = subprocess.Popen(
        [*told, *tests], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return SURVIVED if process.wait(CLOCK) == 0 else KILLED
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return TIMED_OUT


def plant(mutant: Mutant, functions: Sequence[types.FunctionType] = ()) -> None:
    """Give the mutated code to whoever imports the module from now on, and to its functions that are there already."""
    whole = compile(mutated(mutant), str(mutant.path), "exec")
    plain = importlib.machinery.SourceFileLoader.get_code

    def planted(self: importlib.machinery.SourceFileLoader, name: str) -> types.CodeType | None:
        return whole if Path(self.path).resolve() == mutant.path else plain(self, name)

    importlib.machinery.SourceFileLoader.get_code = planted  # type: ignore[method-assign, assignment]
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(whole)}
    for function in functions:
        function.__code__ = codes[function.__code__.co_qualname, function.__code__.co_firstlineno]


def _functions(files: set[str]) -> dict[str, list[types.FunctionType]]:
    """The functions of modules that are there, by file; those within functions come with what is around them."""
    found: dict[str, list[types.FunctionType]] = {file: [] for file in files}
    for thing in gc.get_objects():
        code = thing.__code__ if isinstance(thing, types.FunctionType) else None
        if code is not None and code.co_filename in files and "<" not in code.co_qualname:
            found[code.co_filename].append(thing)
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield one
            yield from _codes(one)


def main() -> int:
    """Run tests on one mutant: ``python -m tests.mutation.trials PATH NODE CHOICE TESTS...``."""
    path, node, choice, *tests = sys.argv[1:]
    plant(Mutant(Path(path), int(node), int(choice), "", ""))
    return int(
        pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain", *tests])
    )


if __name__ == "__main__":
    sys.exit(main())
