"""Prompts as data: named templates of our own wording for the papers' designs, or a file of the user's."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError

LAYOUTS = ("numbered", "labelled", "joined", "lines")
CLAUSES = "clauses.toml"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with fields in braces, in one wording or several.

    ``layout`` says how documents stand in ``{documents}``: ``numbered`` (``1. …`` a line), ``labelled``
    (``1. (value) …``), ``joined`` by `` || ``, or as ``lines``. ``mark`` stands before every document.
    ``answer=list`` says that the answer is a list, whose marks are taken off. ``words``, ``sentences`` and
    ``focus`` are what those settings are unless they are given.
    """

    name: str
    wordings: tuple[str, ...]
    layout: str = "numbered"
    mark: str = ""
    system: str = ""
    separators: tuple[str, ...] = ("",)
    answer: str = "text"
    words: int | None = None
    sentences: int | None = None
    focus: str = ""
    about: str = ""
    source: str = ""

    @property
    def sha(self) -> str:
        """Twelve hex digits of a hash of all that decides what is asked."""
        parts = (self.wordings, self.layout, self.mark, self.system, self.separators, self.answer)
        told = json.dumps([*parts, self.words, self.sentences, self.focus], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@cache
def shipped() -> Mapping[str, Prompt]:
    """All named prompts."""
    folder = resources.files("fairbrief.workbench.summarizers") / "prompt_library"
    found: dict[str, Prompt] = {}
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml") and file.name != CLAUSES:
            found |= _prompts(tomllib.loads(file.read_text(encoding="utf-8")), file.name)
    return found


@cache
def clauses() -> Mapping[str, Mapping[str, str]]:
    """The clauses that settings put into prompts: ``instructions``, ``roles``, ``length``."""
    file = resources.files("fairbrief.workbench.summarizers") / "prompt_library" / CLAUSES
    return tomllib.loads(file.read_text(encoding="utf-8"))


def find(name: str) -> Prompt:
    """A named prompt, or that of a file: a text with fields in braces, or TOML like the shipped ones."""
    if name in shipped():
        return shipped()[name]
    path = Path(name).expanduser()
    if not path.is_file():
        raise RequestError(
            f"There is no prompt '{name}', and no file of that name. Prompts: {', '.join(shipped())}."
        )
    return _from_file(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _from_file(path: Path, written: int) -> Prompt:  # noqa: ARG001 - a file that was changed is read again
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix != ".toml":
            return _checked(Prompt(path.stem, (text,)), path.name)
        found = _prompts(tomllib.loads(text), path.name)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(
            f"{path}: found what is no {'TOML' if path.suffix == '.toml' else 'UTF-8 text'} ({error})."
        ) from None
    if len(found) != 1:
        raise DataError(f"{path}: found {len(found)} prompts, wanted one table [name] with wordings.")
    return next(iter(found.values()))


def _prompts(tables: Mapping[str, Any], where: str) -> dict[str, Prompt]:
    found = {}
    for name, table in tables.items():
        if not isinstance(table, dict) or not isinstance(table.get("wordings"), list):
            raise DataError(f"{where}: [{name}] has no list of wordings.")
        known = {"wordings", *Prompt.__dataclass_fields__} - {"name"}
        if unknown := sorted(set(table) - known):
            raise DataError(
                f"{where}: [{name}] has the key '{unknown[0]}'; known: {', '.join(sorted(known))}."
            )
        lists = {key: tuple(table[key]) for key in ("wordings", "separators") if key in table}
        found[name] = _checked(Prompt(name=name, **{**table, **lists}), where)
    return found


def _checked(prompt: Prompt, where: str) -> Prompt:
    if prompt.layout not in LAYOUTS:
        raise DataError(f"{where}: the layout '{prompt.layout}' is none of {', '.join(LAYOUTS)}.")
    if not prompt.wordings or not prompt.separators:
        raise DataError(f"{where}: the prompt '{prompt.name}' has no wording, or no separator.")
    for wording in prompt.wordings:
        if "{documents}" not in wording:
            raise DataError(
                f"{where}: a wording of '{prompt.name}' has no {{documents}}: nothing would be asked."
            )
    return prompt
