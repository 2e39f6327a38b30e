"""Pages, help texts and messages use the vocabulary of the glossary; what is pinned by hash is what is tested."""

import re
import tomllib
from pathlib import Path

import pytest

from docs import language


def test_no_page_help_or_message_has_a_forbidden_word() -> None:
    """The list is in docs/language.py; `python -m docs.language` prints every place."""
    places = language.found()
    assert not places, "\n".join(f"{p.where}: …{p.words}… (write: {p.instead})" for p in places)


def test_pages_helps_and_messages_are_looked_at() -> None:
    """The README and a reference page, the help of a subcommand, and a message of a reader are among the texts."""
    assert {"README.md", "SECURITY.md", "docs/reference/glossary.md"} <= set(language.pages())
    assert "Usage: fairbrief build people" in dict(language.helps())["fairbrief build people --help"]
    assert any(where.startswith("src/fairbrief/readers/") for where, _ in language.messages())


@pytest.mark.parametrize(("text", "instead"), [
    ("An excess above zero.", "chance-adjusted score"),
    ("The signed\ncontrasts lead.", "group difference"),
    ("That is no rule.", "is not a"),
    ("It is told by name.", "is distinguished, is described"),
])  # fmt: skip
def test_a_forbidden_word_is_noticed(text: str, instead: str) -> None:
    """Also across lines; the place says what is written instead."""
    (place,) = language.forbidden(text, "page")
    assert place.instead == instead


@pytest.mark.parametrize("text", [
    "Set `slice=1`.", "```sh\nfairbrief slice DIR\n```", "There is no file.", "[a](excess.md)",
    "It is no longer used.",
])  # fmt: skip
def test_code_and_plain_words_are_allowed(text: str) -> None:
    """Names in backticks, blocks, targets of links, and ordinary negations."""
    assert not list(language.forbidden(text, "page"))


def test_words_and_long_sentences_are_counted() -> None:
    """Code counts as one word where it is in a sentence, and not at all in a block; a cell of a table is a sentence of its own."""
    assert language.words("# Title\n\nUse `a b c` now. <!-- not this -->\n\n```sh\nnor this\n```\n") == 4
    long = "word " * 26
    assert language.long_sentences(f"{long}. Short one.") == [f"{long.strip()} ."]
    half = "word " * 14
    assert not language.long_sentences(f"| {half} | {half} |\n|---|---|\n{half}.\n\n- {half}")


ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", re.MULTILINE)


def pins(file: str) -> dict[str, str]:
    """Package, as indexes spell it, and version."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in PIN.findall(text)}


def test_hashes_are_of_the_tested_versions() -> None:
    """Every requirement of the package is pinned by hash, in the version that the tests run with."""
    hashed, tested = pins("constraints-hashed.txt"), pins("constraints.txt")
    assert {name: tested.get(name) for name in hashed} == hashed
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.sub(r"[-_.]+", "-", re.split(r"[<>=;\s]", d)[0]).lower() for d in project["dependencies"]}
    assert required <= set(hashed)
    requirements = (ROOT / "constraints-hashed.txt").read_text(encoding="utf-8").split("\n")
    assert all("--hash=sha256:" in line for line in requirements if line.startswith("    "))
    assert sum("==" in line for line in requirements) == len(hashed)
    assert all(line.endswith("\\") for line in requirements if "==" in line and not line.startswith("#"))
