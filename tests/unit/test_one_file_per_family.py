"""A family of measures is known to its modules only: nothing else in the package names its measures or classes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "fairbrief"
POINTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
MEASURES: dict[str, str] = POINTS["fairbrief.measures"]
FAMILIES = (
    "attribute_mentions", "entity_sentiment", "framing", "labels", "speakers", "theme_words", "unsupported_claims",
)  # fmt: skip
"""Modules of the families that follow papers of 2025 and 2026."""
IMPORT = re.compile(r"^from fairbrief\.measures\.\w+ import (?:\([^)]*\)|.*)$", re.MULTILINE)
"""A family may build on another one."""


def places(names: tuple[str, ...], but: tuple[str, ...]) -> list[str]:
    """The files of the package with one of these words, except the family's."""
    others = {SOURCES / "measures" / f"{module}.py" for module in but}
    word = re.compile(rf"(?<![\w.])(?:{'|'.join(names)})(?!\w)")
    return [
        str(path.relative_to(SOURCES))
        for path in sorted(SOURCES.rglob("*"))
        if path.suffix in (".py", ".toml", ".html", ".js", ".css", ".json", ".csv")
        and path not in others
        and word.search(IMPORT.sub("", path.read_text("utf-8")))
    ]


@pytest.mark.parametrize("family", FAMILIES)
def test_only_the_family_names_its_measures(family: str) -> None:
    """Neither reports nor readers nor the audit know them: entry points and declarations are enough."""
    module = f"fairbrief.measures.{family}:"
    names = {
        name: target.removeprefix(module) for name, target in MEASURES.items() if target.startswith(module)
    }
    assert names, f"pyproject.toml declares no measure of {family}"
    assert places((*names, *names.values()), but=(family,)) == []


def test_a_name_elsewhere_is_noticed() -> None:
    """The protocol of a paper names its measures."""
    assert any(path.startswith("protocols/") for path in places(("coverage_parity",), but=("coverage",)))
