"""What tests in a browser share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser.browsing import Served, serving


@pytest.fixture(scope="session")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The browser's profile, which takes longer to make than a page to open."""
    return tmp_path_factory.mktemp("profile")


@pytest.fixture
def served(tmp_path: Path, profile: Path) -> Iterator[Served]:
    """An empty folder on its way to a browser."""
    with serving(tmp_path, profile) as made:
        yield made
