"""Themes: lists of words and phrases from the package or from a file, and how often a text uses each."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, text_of
from fairbrief.text.gendered_words import WORD
from fairbrief.text.segmentation import words_by
from fairbrief.text.vocabulary import vocabulary

WANTED = (
    'Write one theme or label per line, such as: needs = "help, support, short of breath, depend*". Only single words have an '
    "asterisk, which covers all words that begin so."
)
_ENTRY = re.compile(r"(?:[^\W_]+['-])*[^\W_]+(?:\*|(?: (?:[^\W_]+['-])*[^\W_]+)*)")


@lru_cache(maxsize=16)
def themes_of(name: str) -> Mapping[str, frozenset[str]]:
    """Theme → its words and phrases in lower case: ``care``, the lists of the package, or a TOML file of such lists.

    Raises DataError with the file, the theme and what is wrong with it.
    """
    if name == "care":
        return _checked(vocabulary("care_themes"), name)
    path = Path(name)
    if not path.is_file():
        raise DataError(f"{name}: there is no such file of themes. Give care, or a file. {WANTED}")
    try:
        return _checked(tomllib.loads(text_of(path)), name)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name}: found no lists of words ({error}). {WANTED}") from None


def _checked(lists: Mapping[str, Any], where: str) -> Mapping[str, frozenset[str]]:
    if not lists:
        raise DataError(f"{where}: found no theme or label. {WANTED}")
    themes = {}
    for theme, text in lists.items():
        entries = [" ".join(entry.replace("’", "'").split()) for entry in str(text).split(",")]
        entries = [entry for entry in entries if entry]
        wrong = next((entry for entry in entries if not _ENTRY.fullmatch(entry)), "")
        if wrong or not entries or not isinstance(text, str) or re.search(r"[/\[\]]|^\s*$", theme):
            found = f"the entry '{wrong}'" if wrong else f"'{text}'"
            raise DataError(
                f"{where}: theme '{theme}' with {found} is not a list of words with a plain name. {WANTED}"
            )
        themes[theme] = frozenset(" ".join(_words(entry)) + "*" * entry.endswith("*") for entry in entries)
    return themes


@lru_cache(maxsize=4096)
def count_entries(text: str, themes: str) -> Mapping[str, int]:
    """How often a text uses each word or phrase of all themes, by the longest list entry at each position. A genitive (*help's*)
    is its word.

    >>> dict(count_entries("Short of breath; she needs help's hand, and was helped.", "care"))
    {'short of breath': 1, 'needs': 1, 'help': 1, 'helped': 1}
    """
    entries, longest = _entries(themes)
    words = _words(text)
    counts = Counter[str]()
    at = 0
    while at < len(words):
        options = [" ".join(words[at : at + size]) for size in range(longest, 0, -1)]
        options.append(words[at].removesuffix("'s"))
        entry = next((option for option in options if option in entries), None) or _stem(words[at], themes)
        counts.update([entry] if entry else ())
        at += 1 + entry.count(" ")
    return counts


@lru_cache(maxsize=4096)
def count_words(text: str) -> Mapping[str, int]:
    """How often a text uses each word, in lower case.

    >>> dict(count_words("She needs help; help came."))
    {'she': 1, 'needs': 1, 'help': 2, 'came': 1}
    """
    return Counter(_words(text))


SPORT = frozenset("league season club game win team shot".split())
FAMILY = frozenset("family husband wife father mother children boys girls baby".split())


def topic_of(text: str) -> str:
    """``sport`` or ``family``, whichever has more of its words in a text; ``unknown`` on a tie.

    Source: Steen & Markert, Bias in News Summarization, Appendix B.

    >>> topic_of("The club won the league; his wife cheered.")
    'sport'
    """
    words = [word.lower() for word in WORD.findall(text)]
    sport, family = sum(word in SPORT for word in words), sum(word in FAMILY for word in words)
    if sport == family:
        return "unknown"
    return "sport" if sport > family else "family"


def _words(text: str) -> list[str]:
    return words_by(WORD.findall, text.lower().replace("’", "'"))


@lru_cache(maxsize=16)
def _entries(themes: str) -> tuple[frozenset[str], int]:
    """The words and phrases of all themes, and the number of words of the longest."""
    entries = frozenset[str]().union(*themes_of(themes).values())
    return entries, max(entry.count(" ") + 1 for entry in entries)


@lru_cache(maxsize=4096)
def _stem(word: str, themes: str) -> str:
    """The longest beginning of a word that is listed with an asterisk; empty if there is none."""
    entries, _ = _entries(themes)
    return next((stem for n in range(min(len(word), 40), 0, -1) if (stem := f"{word[:n]}*") in entries), "")
