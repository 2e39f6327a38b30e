"""How much of a text the statements keep that it was split into."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from fairbrief.ranges import Integers
from fairbrief.text.segmentation import ascii_table, ascii_words, counts_of_runs

WORD = re.compile(r"\w+")
_PLAIN = ascii_table(lambda c: c.isalnum() or c == "_")


def words_held(text: str, statements: Collection[str]) -> tuple[int, int]:
    """How many of a text's words (tokens, lower case) occur in any statement, and how many words it has."""
    known = {word for statement in statements for word in _words(statement)}
    words = _words(text)
    return sum(map(known.__contains__, words)), len(words)


def word_totals(texts: Sequence[str]) -> Integers:
    """How many words `words_held` says that each text has. Shape (texts,)."""
    return counts_of_runs(texts, _PLAIN, lambda text: len(_words(text)))


def _words(text: str) -> list[str]:
    return ascii_words(text.lower(), _PLAIN) if text.isascii() else WORD.findall(text.lower())


def recall(text: str, statements: Collection[str]) -> float | None:
    """The share of a text's words that some statement holds; None for a text without words.

    In [0, 1]; 1 where the statements lose no word. Source: Li et al. do not report it; statements that
    drop a clause are why it is printed.
    """
    held, total = words_held(text, statements)
    return held / total if total else None
