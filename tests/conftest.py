"""What several tests stand on: where the shared inputs are, and small records of our own."""

import gc
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.cli.command import Command

# On a server a red run must come from the change at hand: the same examples each time. At a desk new ones are sought.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("desk", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real inputs and golden numbers beside the project; a test that needs it skips where it is not."""
    if not SHARED.is_dir():
        if os.environ.get("FAIRBRIEF_REQUIRE_SHARED"):
            pytest.fail(f"{SHARED} is absent, and this run may not skip")
        pytest.skip(f"needs the real inputs in {SHARED.name}/ beside the project, which are not part of it")
    return SHARED


@pytest.fixture
def fairbrief(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, in this process."""
    return Command(capsys, monkeypatch)


@pytest.fixture(scope="session")
def golden(shared: Path) -> Path:
    """Numbers from the papers and their authors' code."""
    return shared / "golden"


@pytest.fixture
def nltk_data(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """NLTK's data, for the readings that a protocol needs it for."""
    nltk = pytest.importorskip("nltk")
    folder = shared / "data" / "nltk_data"
    monkeypatch.setenv("NLTK_DATA", str(folder))
    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    return folder


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where nothing may be skipped, a run with a skip fails."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("FAIRBRIEF_REFUSE_SKIPS"):
        return
    if skipped := reporter.stats.get("skipped"):
        reporter.write_line(f"{len(skipped)} skipped, and this run may not skip")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


FIRST = ("neural", "docs", "golden", "calibration")
"""The folders of the longest tests. Of several workers the first begins with them, and loads models' libraries and
NLTK's data alone; the other takes over what is left of the short ones, so that both end together."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first."""

    def place(item: pytest.Item) -> int:
        folder = item.path.relative_to(TESTS).parts[0]
        return FIRST.index(folder) if folder in FIRST else len(FIRST)

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """What is imported by now lives to the end: the garbage collector need not look at it after every test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
