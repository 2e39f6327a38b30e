"""What several golden tests read."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.golden.people_instances import PAGES, GoldenSet, Released


def _read(golden: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((golden / "people" / name).read_text("utf-8"))
    return found


@pytest.fixture(scope="session")
def edge(golden: Path) -> dict[str, Any]:
    """The edge cases of the authors' code for people, by function."""
    return _read(golden, "golden_units.json")


@pytest.fixture(scope="session")
def expected(golden: Path) -> dict[str, Any]:
    """The release's scores of controlled inputs."""
    return _read(golden, "golden_measures.json")


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One page, which settles a name whose last name is a male first name."""
    table = tmp_path_factory.mktemp("pages") / "pages.csv"
    table.write_text(PAGES, encoding="utf-8")
    return str(table)


@pytest.fixture
def released(request: pytest.FixtureRequest, golden: Path, expected: dict[str, Any], pages: str) -> Released:
    """A golden set of this file, scores' name and attribute."""
    file, key, over = request.param
    return Released(GoldenSet(golden, file, over, pages), expected[key], over)
