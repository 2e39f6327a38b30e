"""Words of any script: runs of letters and digits, or ICU's words for scripts without spaces or with combining signs.

ICU is not used for texts without such characters, so English text costs nothing extra and keeps its words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count, repeat

import numpy as np

from fairbrief.ranges import Integers, changes, ranges, starts

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""Letters and digits; apostrophes join a word, all other characters separate words."""
NEEDS_ICU = re.compile(
    "[\u0300-\u036f\u0590-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002ffff]"
)
"""Characters of scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese), and combining signs."""
_KANA = re.compile("[\u3040-\u30ff]")


def ascii_table(keeps: Callable[[str], bool]) -> bytes:
    """The table for `ascii_words`: kept characters unchanged, all others replaced by blanks."""
    return bytes(i if i < 128 and keeps(chr(i)) else ord(" ") for i in range(256))


def ascii_words(text: str, table: bytes) -> list[str]:
    """The runs of the characters that a table keeps, in an ASCII text; several times as fast as a pattern."""
    return text.encode().translate(table).decode().split()


_HELD = ascii_table(lambda c: c.isalnum() or c == "'")
_LOOSE_APOSTROPHE = re.compile(r"'(?:(?![a-zA-Z0-9])|(?<![a-zA-Z0-9]'))")
"""An apostrophe in an ASCII text that is not inside a word."""


def words_of(text: str) -> list[str]:
    """The words of a text, in order, in their case, without white space and punctuation.

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


def word_count(text: str) -> int:
    """The number of words in a text: pieces between blanks, or segmented words in a script without blanks."""
    if text.isascii() or not NEEDS_ICU.search(text):
        return len(text.split())
    return len(words_of(text))


_TOKEN = re.compile(r"\w+")
_PLAIN = ascii_table(lambda c: c.isalnum() or c == "_")


def words_held(text: str, statements: Collection[str]) -> tuple[int, int]:
    """The number of a text's words (tokens, lower case) that occur in any statement, and the number of its words."""
    known = {word for statement in statements for word in _words(statement)}
    words = _words(text)
    return sum(map(known.__contains__, words)), len(words)


def word_total(text: str) -> int:
    """The number of words in a text by the rule of `words_held`."""
    return len(_words(text))


def _words(text: str) -> list[str]:
    return ascii_words(text.lower(), _PLAIN) if text.isascii() else _TOKEN.findall(text.lower())


def recall(text: str, statements: Collection[str]) -> float | None:
    """The share of a text's words that occur in some statement; None for a text without words.

    In [0, 1]; 1 if the statements lose no word. Li et al. do not report it; it detects statements that drop a clause.
    """
    held, total = words_held(text, statements)
    return held / total if total else None


# ---- Words as numbers, so that many texts are counted at once.


Cut = Callable[[str], Sequence[Hashable]]
"""A rule for the words of a text."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of texts, concatenated; equal words have equal numbers.

    Shapes: ``numbers`` (words of all texts,); ``many`` (texts,), the number of words of each. ``names`` has the word
    of each number.
    """

    numbers: Integers
    many: Integers
    names: Sequence[Hashable]

    def of(self, texts: Integers) -> Integers:
        """The words of some of the texts, concatenated."""
        return np.asarray(self.numbers.take(ranges(starts(self.many)[texts], self.many[texts])))

    def grams(self, n: int) -> Words:
        """The n-grams of each text in place of its words. Their names are their numbers."""
        if n == 1:
            return self
        words = np.unique(self.numbers, return_inverse=True)[1]
        grams, size = words, int(words.max(initial=0)) + 1
        for shift in range(1, n):
            grams = np.unique(grams[: len(words) - shift] * size + words[shift:], return_inverse=True)[1]
        many = np.maximum(self.many - (n - 1), 0)
        inside = grams.take(ranges(starts(self.many), many))
        return Words(inside.astype(np.int64), many, range(len(grams)))


def numbered(texts: Sequence[str], cuts: Cut | Sequence[Cut]) -> Words:
    """The words of texts, by one rule or each by its own; equal texts are cut once."""
    rules = repeat(cuts, len(texts)) if callable(cuts) else cuts
    different: defaultdict[tuple[Cut, str], int] = defaultdict(count().__next__)
    places = np.fromiter(map(different.__getitem__, zip(rules, texts, strict=True)), np.int64, len(texts))
    found = [cut(text) for cut, text in different]
    many = np.fromiter(map(len, found), np.int64, len(found))
    number: defaultdict[Hashable, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(number.__getitem__, chain.from_iterable(found)), np.int64, int(many.sum()))
    words = Words(numbers, many, list(number))
    return words if len(found) == len(texts) else Words(words.of(places), many[places], words.names)


def different_of(numbers: Integers) -> Integers:
    """The distinct numbers, sorted, as by `numpy.unique`; faster for numbers in ascending parts."""
    ordered = np.sort(numbers, kind="stable")
    return np.asarray(ordered[changes(ordered)])


def compact(numbers: Integers, size: int) -> tuple[Integers, Integers]:
    """The distinct values of numbers below ``size``, in order; and the index of every number in them, or their count
    if absent.
    """
    seen = np.zeros(size, dtype=bool)
    seen[numbers] = True
    different = np.flatnonzero(seen)
    place = np.full(size, len(different))
    place[different] = np.arange(len(different))
    return different, place
