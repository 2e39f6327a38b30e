"""Themes: lists of words and phrases from the package or from a file, and how often a text uses each."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, reading_text
from fairbrief.text.group_words import WORD
from fairbrief.text.vocabulary import vocabulary

WANTED = (
    'Write one theme per line, such as: needs = "help, support, short of breath, depend*". A word with an '
    "asterisk covers all words that begin so."
)


@lru_cache(maxsize=16)
def themes_of(name: str) -> Mapping[str, frozenset[str]]:
    """Theme → its words and phrases in lower case: ``care``, the lists of the package, or a TOML file of such lists.

    Raises DataError with the file, the theme and what is wrong with it.
    """
    if name == "care":
        return _checked(vocabulary("care_themes"), "care_themes.toml")
    path = Path(name)
    if not path.is_file():
        raise DataError(f"{name}: there is no such file of themes. Give care, or a file. {WANTED}")
    try:
        with reading_text(path):
            return _checked(tomllib.loads(path.read_text(encoding="utf-8-sig")), name)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name}: found no lists of words ({error}). {WANTED}") from None


def _checked(lists: Mapping[str, Any], where: str) -> Mapping[str, frozenset[str]]:
    if not lists:
        raise DataError(f"{where}: found no theme. {WANTED}")
    themes = {}
    for theme, text in lists.items():
        if not isinstance(text, str):
            raise DataError(f"{where}: theme '{theme}' is {type(text).__name__}, not a text. {WANTED}")
        if not theme.strip() or "/" in theme or "[" in theme:
            raise DataError(
                f"{where}: the name of theme '{theme}' is empty or contains '/' or '['. Use words only."
            )
        entries = [" ".join(entry.lower().replace("’", "'").split()) for entry in text.split(",")]
        for entry in filter(None, entries):
            if " ".join(WORD.findall(entry)) != entry.removesuffix("*") or entry == "*":
                raise DataError(
                    f"{where}: theme '{theme}' has '{entry}', which is no word or phrase. {WANTED}"
                )
            if entry.endswith("*") and " " in entry:
                raise DataError(
                    f"{where}: theme '{theme}' has the phrase '{entry}'. Use * after single words only."
                )
        if not any(entries):
            raise DataError(f"{where}: theme '{theme}' has no words. {WANTED}")
        themes[theme] = frozenset(filter(None, entries))
    return themes


@lru_cache(maxsize=4096)
def count_entries(text: str, themes: str) -> Mapping[str, int]:
    """How often a text uses each word or phrase of all themes, by the longest list entry at each position.

    >>> count_entries("Short of breath; she needs help, and was helped.", "care")
    {'short of breath': 1, 'needs': 1, 'help': 1, 'helped': 1}
    """
    words = WORD.findall(text.lower().replace("’", "'"))
    entries, longest = _entries(themes)
    counts: Counter[str] = Counter()
    at = 0
    while at < len(words):
        for size in range(longest, 0, -1):
            entry = " ".join(words[at : at + size])
            found = entry if entry in entries else _stem(entry, themes) if size == 1 else None
            if found is not None:
                counts[found] += 1
                at += size - 1
                break
        at += 1
    return dict(counts)


@lru_cache(maxsize=16)
def _entries(themes: str) -> tuple[frozenset[str], int]:
    """The words and phrases of all themes, and the number of words of the longest."""
    entries = frozenset[str]().union(*themes_of(themes).values())
    return entries, max(entry.count(" ") + 1 for entry in entries)


@lru_cache(maxsize=4096)
def _stem(word: str, themes: str) -> str | None:
    """The longest beginning of a word that is listed with an asterisk; None if there is none."""
    entries, _ = _entries(themes)
    return next((s for n in range(len(word), 0, -1) if (s := f"{word[:n]}*") in entries), None)
