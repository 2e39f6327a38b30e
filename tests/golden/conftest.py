"""What several golden tests read."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def edge(golden: Path) -> dict[str, Any]:
    """The edge cases of the authors' code for people, by function."""
    found: dict[str, Any] = json.loads((golden / "people" / "golden_units.json").read_text("utf-8"))
    return found
