"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from tests.docs import snippets

from docs import generate

SOURCES = generate.ROOT / "src"


def modules_with_examples() -> list[str]:
    """Names of the modules whose source holds a prompt; the others are not imported for nothing."""
    found = (path for path in sorted(SOURCES.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8"))
    return [name_of(path) for path in found]


def name_of(path: Path) -> str:
    """The dotted name of a module's file."""
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_of_a_module_print_what_they_show(name: str) -> None:
    """Every example in the module's docstrings gives the output below it."""
    with snippets.fresh_folder():
        failed, tried = doctest.testmod(import_module(name))
    assert tried
    assert not failed
