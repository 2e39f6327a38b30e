"""Content words that tell a gender: wife and husband, chairman and chairwoman, and a word for either."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from fairbrief.errors import DataError
from fairbrief.text.pronouns import like

Words = Mapping[str, Mapping[str, str]]
"""Word in lower case → ``male``, ``female`` and ``neutral`` → the word for such a person, and ``is`` → its own gender."""


@cache
def content_words() -> Words:
    """The table that comes with the package."""
    text = files("fairbrief.people").joinpath("words.csv").read_text(encoding="utf-8")
    return read_words(text.splitlines(), "words.csv")


def read_words(lines: Iterable[str], where: str) -> Words:
    """A table with the columns ``male,female,neutral``; each word may stand in one row for each column.

    Where a word stands in several rows (``lady``) the first one is taken.
    """
    reader = csv.DictReader(lines)
    found: dict[str, Mapping[str, str]] = {}
    for row in reader:
        forms = {kind: (row.get(kind) or "").strip() for kind in ("male", "female", "neutral")}
        if not all(forms.values()):
            raise DataError(
                f"{where}:{reader.line_num}: a word is missing. Wanted male,female,neutral in every row."
            )
        for kind, word in forms.items():
            if kind != "neutral":
                found.setdefault(word.lower(), {**forms, "is": kind})
    return found


def word_for(words: Words, surface: str, gender: str) -> str:
    """The word for a ``male``, ``female`` or ``neutral`` person in place of ``surface``, in its case."""
    entry = words[surface.lower()]
    return surface if entry["is"] == gender else like(surface, entry[gender])
