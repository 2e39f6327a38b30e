"""Words of any script: runs of letters and digits, or ICU's words for scripts without spaces or with combining signs.

ICU is not used for pieces of texts without such characters, so English text costs nothing extra, and keeps its words beside a
Chinese name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, compress, count, pairwise
from typing import Any, NamedTuple

import numpy as np

from fairbrief.ranges import Integers, ranges, starts, sums

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""Letters and digits; apostrophes join a word, all other characters separate words."""
LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
"""Words of letters only, with apostrophes and hyphens inside them."""
NEEDS_ICU = re.compile(
    "[\u0300-\u036f\u0590-\u05c7\u064b-\u065f\u0670\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0002ffff]"
)
"""Characters of scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese), and combining signs."""


def ascii_table(keeps: Callable[[str], bool]) -> bytes:
    """The table for `ascii_words`: kept characters unchanged, all others replaced by blanks."""
    return bytes(i if i < 128 and keeps(chr(i)) else ord(" ") for i in range(256))


def ascii_words(text: str, table: bytes) -> list[str]:
    """The runs of the characters that a table keeps, in an ASCII text; several times as fast as a pattern."""
    return text.encode().translate(table).decode().split()


def runs_of(characters: str) -> Callable[[str], list[str]]:
    r"""A function that finds the runs of a class of characters in a text.

    >>> runs_of(r"\w")("Was it_hot? Yes!")
    ['Was', 'it_hot', 'Yes']
    """
    pattern = re.compile(f"{characters}+")
    table = ascii_table(lambda c: pattern.match(c) is not None)

    def runs(text: str) -> list[str]:
        return ascii_words(text, table) if text.isascii() else pattern.findall(text)

    return runs


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
    return words_by(WORD.findall, text)


def words_by(rule: Callable[[str], list[str]], text: str) -> list[str]:
    """The words of a text by a rule; by ICU in those pieces between blanks that need it."""
    if text.isascii() or not NEEDS_ICU.search(text):
        return rule(text)
    return list(chain.from_iterable(_segmented(p) if NEEDS_ICU.search(p) else rule(p) for p in text.split()))


@lru_cache(maxsize=1 << 14)
def _segmented(text: str) -> tuple[str, ...]:
    from icu4py.breakers import WordBreaker

    # The dictionary is the same for Chinese and Japanese.
    return tuple(piece for piece in WordBreaker(text, "zh") if any(c.isalnum() for c in piece))


def word_count(text: str) -> int:
    """The number of words in a text: pieces between blanks, or segmented words in a script without blanks."""
    return len(words_by(str.split, text))


def replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The text with other characters in place of ``start`` to ``end``; changes are in order and do not overlap.

    >>> replaced("Ann met Ben.", [(0, 3, "She"), (8, 11, "")])
    'She met .'
    """
    pieces, at = [], 0
    for start, end, new in changes:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


plain_words = runs_of(r"\w")
"""The runs of letters, digits and underscores of a text."""


def words_held(text: str, statements: Collection[str]) -> tuple[int, int]:
    """The number of a text's words (tokens, lower case) that occur in any statement, and the number of its words."""
    known = {word for statement in statements for word in plain_words(statement.lower())}
    words = plain_words(text.lower())
    return sum(map(known.__contains__, words)), len(words)


# ---- Words as numbers, so that many texts are counted at once.


REMEMBERED = 1 << 16
"""Number of runs whose words by a rule are cached."""

_RUN = ascii_table(lambda c: c.isalnum() or c in "_'")
_AS_ASCII = {"’": "'", "‘": '"', "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "\xa0": " "}
"""Characters that the rules of runs treat like an ASCII character."""


class Rule(NamedTuple):
    """A rule for the words of a text: ``cut(text, *settings)``.

    In an ASCII text they are the words of its runs, in lower case, and ``’`` counts as an apostrophe.
    """

    cut: Callable[..., Sequence[Any]]
    settings: tuple[Hashable, ...] = ()

    def words(self, text: str) -> Sequence[Any]:
        """The words of a text."""
        return self.cut(text, *self.settings)


class Words(NamedTuple):
    """The words of texts, concatenated; equal words have equal numbers.

    Shapes: ``numbers`` (words of all texts,); ``many`` (texts,), the number of words of each. ``names`` has the word
    of each number; all numbers are below its length.
    """

    numbers: Integers
    many: Integers
    names: Sequence[Any]

    def of(self, texts: Integers) -> Integers:
        """The words of some of the texts, concatenated."""
        return np.asarray(self.numbers.take(ranges(starts(self.many)[texts], self.many[texts])))

    def at(self, texts: Integers) -> Words:
        """Some of the texts, in this order."""
        return Words(self.of(texts), self.many[texts], self.names)

    def apart(self) -> list[list[int]]:
        """The words of each text as a separate list."""
        numbers, ends = self.numbers.tolist(), [0, *np.cumsum(self.many).tolist()]
        return [numbers[start:end] for start, end in pairwise(ends)]

    def grams(self, n: int) -> Words:
        """The n-grams of each text in place of its words. Their names are their numbers."""
        if n == 1:
            return self
        grams, size = self.numbers, len(self.names)
        for shift in range(1, n):
            pairs = grams[: len(self.numbers) - shift] * size + self.numbers[shift:]
            grams = np.unique(pairs, return_inverse=True)[1]
        many = np.maximum(self.many - (n - 1), 0)
        inside = grams.take(ranges(starts(self.many), many))
        return Words(inside.astype(np.int64), many, range(len(grams)))


def numbered(texts: Collection[Sequence[Any]]) -> Words:
    """The words of texts that are given as sequences of words."""
    many = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    numbers, names = _numbers(list(chain.from_iterable(texts)))
    return Words(numbers, many, names)


def _numbers(things: Sequence[Any]) -> tuple[Integers, list[Any]]:
    """A number for each thing, equal for equal ones; and the different things, in the order of their numbers."""
    number: defaultdict[Any, int] = defaultdict(count().__next__)
    return np.fromiter(map(number.__getitem__, things), dtype=np.int64, count=len(things)), list(number)


class Parted:
    """Texts, split once for several rules: into runs if they are ASCII. Equal texts are read once."""

    def __init__(self, texts: Sequence[str]) -> None:
        place, different = _numbers(texts)
        plain = list(map(_as_ascii, different))
        is_other = np.array([not text.isascii() for text in plain], dtype=bool)
        runs = _runs([text if text.isascii() else "" for text in plain])
        self._runs, self._others = runs.names, list(compress(different, is_other))
        # Each of the others is one piece.
        pieces = len(self._runs) + np.arange(len(self._others))
        numbers = np.insert(runs.numbers, starts(runs.many)[is_other], pieces)
        self._pieces = Words(numbers, runs.many + is_other, ()).at(place)

    def words(self, rule: Rule) -> Words:
        """The words of the texts, by one rule."""
        pieces = self._pieces
        words = numbered([*map(_remembering(rule), self._runs), *map(rule.words, self._others)])
        many = sums(words.many.take(pieces.numbers), pieces.many)
        return Words(words.of(pieces.numbers), many, words.names)


parted = lru_cache(maxsize=32)(Parted)
"""`Parted` of a tuple of texts, which several scorers read one after the other."""


@cache
def _remembering(rule: Rule) -> Callable[[str], Sequence[Any]]:
    """The rule for runs, whose words are cached."""
    return lru_cache(REMEMBERED)(rule.words)


def _as_ascii(text: str) -> str:
    if not text.isascii():
        for character, like in _AS_ASCII.items():
            text = text.replace(character, like)
    return text


def _runs(texts: Sequence[str]) -> Words:
    """The runs of ASCII texts."""
    import pyarrow as pa

    blanked = " ".join(("", *texts, "")).lower().encode().translate(_RUN)
    is_inside = np.frombuffer(blanked, dtype=np.uint8) != ord(" ")
    edges = np.flatnonzero(is_inside[1:] != is_inside[:-1])
    begins, ends = edges[::2], np.zeros(len(edges) // 2 + 1, dtype=np.int64)
    np.cumsum(edges[1::2] - begins, out=ends[1:])
    runs = pa.LargeStringArray.from_buffers(
        len(begins), pa.py_buffer(ends), pa.py_buffer(blanked.translate(None, b" "))
    ).dictionary_encode()
    # Arrow's to_numpy would import pandas.
    numbers = np.frombuffer(runs.indices.buffers()[1] or b"", dtype=np.int32, count=len(runs))
    borders = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1)
    many = np.diff(np.searchsorted(begins, borders), prepend=0)
    return Words(numbers.astype(np.int64), many, runs.dictionary.to_pylist())
