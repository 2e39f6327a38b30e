"""Words of any script: runs of letters and digits, and where a script writes no spaces or hangs signs on letters, ICU's.

A text without such characters never meets ICU, so English and its like cost nothing and keep their words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

import numpy as np

from fairbrief.ranges import Integers

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""Letters and digits; an apostrophe holds a word together, all else parts it."""
NEEDS_ICU = re.compile(
    "[\u0300-\u036f\u0590-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002ffff]"
)
"""Characters of scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese), and signs that hang on letters."""
_KANA = re.compile("[\u3040-\u30ff]")


def ascii_table(keeps: Callable[[str], bool]) -> bytes:
    """The table for `ascii_words`: the characters that are kept, and blanks in place of all others."""
    return bytes(i if i < 128 and keeps(chr(i)) else ord(" ") for i in range(256))


def ascii_words(text: str, table: bytes) -> list[str]:
    """The runs of the characters that a table keeps, in an ASCII text: several times as fast as a pattern."""
    return text.encode().translate(table).decode().split()


def counts_of_runs(texts: Sequence[str], table: bytes, otherwise: Callable[[str], int]) -> Integers:
    """How many words `ascii_words` finds in each ASCII text; for others the result of ``otherwise``. Shape (texts,)."""
    others = [] if "".join(texts).isascii() else [i for i, t in enumerate(texts) if not t.isascii()]
    plain = list(texts)
    for i in others:
        plain[i] = ""
    joined = "\n".join(["", *plain])
    is_kept = np.frombuffer(joined.encode().translate(table), dtype=np.uint8) != ord(" ")
    ends = np.cumsum(list(map(len, plain)), dtype=np.int64) + np.arange(1, len(texts) + 1)
    counts = np.diff(np.searchsorted(np.flatnonzero(is_kept[1:] > is_kept[:-1]), ends), prepend=0)
    counts[others] = [otherwise(texts[i]) for i in others]
    return counts


_HELD = ascii_table(lambda c: c.isalnum() or c == "'")
_LOOSE_APOSTROPHE = re.compile(r"'(?:(?![a-zA-Z0-9])|(?<![a-zA-Z0-9]'))")
"""An apostrophe of an ASCII text that holds no word together."""


def words_of(text: str) -> list[str]:
    """The words of a text, in order, as they are written; white space and punctuation are none.

    >>> words_of("The soup wasn’t hot!"), words_of("房间太小了！")
    (['The', 'soup', 'wasn’t', 'hot'], ['房间', '太', '小', '了'])
    """
    if text.isascii():
        return ascii_words(_LOOSE_APOSTROPHE.sub(" ", text) if "'" in text else text, _HELD)
    if not NEEDS_ICU.search(text):
        return WORD.findall(text)
    return list(_segmented(text))


@lru_cache(maxsize=1 << 14)
def _segmented(text: str) -> tuple[str, ...]:
    from icu4py.breakers import WordBreaker

    locale = "ja" if _KANA.search(text) else "zh"
    return tuple(piece for piece in WordBreaker(text, locale) if any(c.isalnum() for c in piece))


_BETWEEN_BLANKS = ascii_table(lambda c: not c.isspace())


def word_counts(texts: Sequence[str]) -> Integers:
    """`word_count` of each text. Shape (texts,)."""
    return counts_of_runs(texts, _BETWEEN_BLANKS, word_count)


def word_count(text: str) -> int:
    """How many words a text has: pieces between blanks, or in a script without blanks its words."""
    if text.isascii() or not NEEDS_ICU.search(text):
        return len(text.split())
    return len(words_of(text))


_TOKEN = re.compile(r"\w+")
_PLAIN = ascii_table(lambda c: c.isalnum() or c == "_")


def words_held(text: str, statements: Collection[str]) -> tuple[int, int]:
    """How many of a text's words (tokens, lower case) occur in any statement, and how many words it has."""
    known = {word for statement in statements for word in _words(statement)}
    words = _words(text)
    return sum(map(known.__contains__, words)), len(words)


def word_totals(texts: Sequence[str]) -> Integers:
    """How many words each text has for `words_held`. Shape (texts,)."""
    return counts_of_runs(texts, _PLAIN, lambda text: len(_words(text)))


def _words(text: str) -> list[str]:
    return ascii_words(text.lower(), _PLAIN) if text.isascii() else _TOKEN.findall(text.lower())


def recall(text: str, statements: Collection[str]) -> float | None:
    """The share of a text's words that some statement holds; None for a text without words.

    In [0, 1]; 1 where the statements lose no word. Source: Li et al. do not report it; statements that
    drop a clause are why it is printed.
    """
    held, total = words_held(text, statements)
    return held / total if total else None
