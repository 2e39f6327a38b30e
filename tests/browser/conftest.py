"""What tests in a browser share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser.browsing import Served, serving


@pytest.fixture
def served(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An empty folder on its way to a browser."""
    with serving(tmp_path, tmp_path_factory.mktemp("profile")) as made:
        yield made
