"""Words of any script: runs of letters and digits, or ICU's words for scripts without spaces or with combining signs.

ICU is not used for texts without such characters, so English text costs nothing extra and keeps its words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress, count, pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import Integers, changes, ranges, starts, sums

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


plain_words = runs_of(r"\w")
"""The runs of letters, digits and underscores of a text."""


def words_held(text: str, statements: Collection[str]) -> tuple[int, int]:
    """The number of a text's words (tokens, lower case) that occur in any statement, and the number of its words."""
    known = {word for statement in statements for word in plain_words(statement.lower())}
    words = plain_words(text.lower())
    return sum(map(known.__contains__, words)), len(words)


def recall(text: str, statements: Collection[str]) -> float | None:
    """The share of a text's words that occur in some statement; None for a text without words.

    In [0, 1]; 1 if the statements lose no word. Li et al. do not report it; it detects statements that drop a clause.
    """
    held, total = words_held(text, statements)
    return held / total if total else None


# ---- Words as numbers, so that many texts are counted at once.


MOST = 1 << 16
"""Maximum number of cached runs and words; beyond it the cache is emptied."""
KEPT = 1 << 20
"""Characters of texts with cached runs: those of a shard or two."""

_RUN = ascii_table(lambda c: c.isalnum() or c in "_'")
_AS_ASCII = {"’": "'", "‘": '"', "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "\xa0": " "}
"""Characters that the rules of runs treat like an ASCII character."""


class Rule(NamedTuple):
    """A rule for the words of a text: ``cut(text, *settings)``.

    ``is_of_runs``: in an ASCII text they are the words of its runs, in lower case, and ``’`` counts as an apostrophe.
    """

    cut: Callable[..., Sequence[Any]]
    settings: tuple[Hashable, ...] = ()
    is_of_runs: bool = True


@dataclass(frozen=True, slots=True)
class Words:
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
        words = np.unique(self.numbers, return_inverse=True)[1]
        grams, size = words, int(words.max(initial=0)) + 1
        for shift in range(1, n):
            grams = np.unique(grams[: len(words) - shift] * size + words[shift:], return_inverse=True)[1]
        many = np.maximum(self.many - (n - 1), 0)
        inside = grams.take(ranges(starts(self.many), many))
        return Words(inside.astype(np.int64), many, range(len(grams)))


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


class Parted:
    """Texts, split into runs if they are ASCII."""

    def __init__(self, texts: Sequence[str], beside: Parted | None = None) -> None:
        """``beside``: texts whose numbering of words is shared."""
        self.texts = texts
        with _lock:
            self._memory: _Memory = _current() if beside is None else beside._memory
            self._runs, self.others = self._memory.runs_of(texts)
        """The runs of all texts; and the indices of the non-ASCII ones. Shape (others,)."""

    def words(self, rule: Rule) -> Words:
        """The words of the texts, by one rule."""
        with _lock:
            if not rule.is_of_runs:
                return self._memory.cut(self.texts, rule)
            simple = self._memory.words_of(self._runs, rule)
            if not len(self.others):
                return simple
            others = self._memory.cut([self.texts[i] for i in self.others.tolist()], rule)
        places = np.arange(len(self.texts))
        places[self.others] = len(places) + np.arange(len(self.others))
        return _joined([simple, others]).at(places)


def numbered(texts: Sequence[str], rules: Sequence[Rule]) -> Words:
    """The words of texts, each by its rule."""
    if not rules:
        return Words(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), ())
    if len(set(rules)) == 1:
        return Parted(texts).words(rules[0])
    alike: dict[Rule, list[int]] = {}
    for i, rule in enumerate(rules):
        alike.setdefault(rule, []).append(i)
    none = Parted(())
    parts = [Parted([texts[i] for i in places], none).words(rule) for rule, places in alike.items()]
    return _joined(parts).at(np.argsort(list(chain.from_iterable(alike.values()))))


def _joined(parts: Sequence[Words]) -> Words:
    """The words of several groups of texts, concatenated."""
    return Words(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.many for part in parts]),
        parts[0].names,
    )


def forget() -> None:
    """Forget all runs and words."""
    _memories[:] = [_Memory()]


def _spaced(texts: Sequence[str]) -> str:
    """The texts joined, with a blank before, between and after them."""
    return " ".join(("", *texts, ""))


def _as_ascii(text: str) -> str:
    if not text.isascii():
        for character, like in _AS_ASCII.items():
            text = text.replace(character, like)
    return text


class _Numbers(dict[Any, int]):
    """Consecutive numbers of things, in the order of first use."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[Any] = []

    def __missing__(self, name: Any) -> int:
        number = self[name] = len(self.names)
        self.names.append(name)
        return number

    def of(self, names: Sequence[Any]) -> Integers:
        return np.fromiter(map(self.__getitem__, names), dtype=np.int64, count=len(names))


class _Table:
    """The words of runs by one rule; or the runs of texts.

    Shapes: ``words`` (words of all runs and more,); ``first`` and ``many`` (runs and more,), -1 for unknown runs.
    """

    def __init__(self) -> None:
        self.words = np.empty(1024, dtype=np.int64)
        self.first = np.empty(1024, dtype=np.int64)
        self.many = np.full(1024, -1, dtype=np.int64)
        self.filled = 0

    def add(self, runs: Integers, words: Words) -> None:
        """Store these words for the runs, one text per run."""
        end = self.filled + len(words.numbers)
        self.words = _grown(self.words, end)
        self.words[self.filled : end] = words.numbers
        self.first[runs], self.many[runs] = self.filled + starts(words.many), words.many
        self.filled = end

    def of(self, runs: Integers, many: Integers) -> Integers:
        """The words of runs with these numbers of words, concatenated."""
        return np.asarray(self.words.take(ranges(self.first[runs], many)))

    def clear(self) -> None:
        self.many[:], self.filled = -1, 0

    def reserve(self, runs: int) -> None:
        self.first, self.many = _grown(self.first, runs), _grown(self.many, runs)


def _grown(array: Integers, size: int) -> Integers:
    """The array with at least this size: at least doubled when it grows, with -1 in new places."""
    if size <= len(array):
        return array
    return np.concatenate([array, np.full(max(size, 2 * len(array)) - len(array), -1)])


def _plain(array: Any, kind: type[np.signedinteger[Any]]) -> NDArray[np.signedinteger[Any]]:
    """Arrow's integers without missing values; its ``to_numpy`` would import pandas."""
    held = array.buffers()[1] or b""
    size = np.dtype(kind).itemsize
    return np.frombuffer(held, dtype=kind, count=len(array), offset=size * array.offset)


class _Memory:
    """The cache of runs and words."""

    def __init__(self) -> None:
        self.runs, self.words = _Numbers(), _Numbers()
        self.tables: defaultdict[Rule, _Table] = defaultdict(_Table)
        self.of_texts = _Table()
        self._forget_texts()

    def _forget_texts(self) -> None:
        self.texts: defaultdict[str, int] = defaultdict(count().__next__)
        self.characters = 0
        self.of_texts.clear()

    def runs_of(self, texts: Sequence[str]) -> tuple[Words, Integers]:
        """The runs of texts; none for non-ASCII texts, and the indices of these."""
        if self.characters > KEPT:
            self._forget_texts()
        known = len(self.texts)
        numbers = np.fromiter(map(self.texts.__getitem__, texts), dtype=np.int64, count=len(texts))
        self.of_texts.reserve(len(self.texts))
        if len(self.texts) > known:
            is_new = np.flatnonzero(numbers >= known)
            place = np.empty(len(self.texts) - known, dtype=np.int64)
            place[numbers[is_new] - known] = is_new
            parted = self._part([texts[i] for i in place.tolist()], known)
            if len(parted.many) == len(texts):
                return parted, np.zeros(0, dtype=np.int64)
        many = self.of_texts.many[numbers]
        others = np.flatnonzero(many < 0)
        many[others] = 0
        return Words(self.of_texts.of(numbers, many), many, self.runs.names), others

    def _part(self, texts: Sequence[str], first: int) -> Words:
        """The runs of texts that are ASCII, which are cached from now on, numbered from ``first``."""
        whole, numbers = _as_ascii(_spaced(texts)), np.arange(first, first + len(texts))
        self.characters += len(whole)
        if not whole.isascii():
            texts = list(map(_as_ascii, texts))
            is_simple = list(map(str.isascii, texts))
            texts, numbers = list(compress(texts, is_simple)), numbers[is_simple]
            whole = _spaced(texts)
        parted = self._parted(whole, texts)
        self.of_texts.add(numbers, parted)
        return parted

    def _parted(self, whole: str, texts: Sequence[str]) -> Words:
        """The runs of ASCII texts, which are also given joined, with a blank before, between and after them."""
        import pyarrow as pa

        blanked = whole.lower().encode().translate(_RUN)
        is_inside = np.frombuffer(blanked, dtype=np.uint8) != ord(" ")
        edges = np.flatnonzero(is_inside[1:] != is_inside[:-1])
        begins, ends = edges[::2], np.zeros(len(edges) // 2 + 1, dtype=np.int64)
        np.cumsum(edges[1::2] - begins, out=ends[1:])
        runs = pa.LargeStringArray.from_buffers(
            len(begins), pa.py_buffer(ends), pa.py_buffer(blanked.translate(None, b" "))
        )
        coded = runs.dictionary_encode()
        numbers = self.runs.of(coded.dictionary.to_pylist())[_plain(coded.indices, np.int32)]
        borders = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1)
        return Words(numbers, np.diff(np.searchsorted(begins, borders), prepend=0), self.runs.names)

    def words_of(self, texts: Words, rule: Rule) -> Words:
        """The words of texts that were split into runs."""
        table, runs = self.tables[rule], texts.numbers
        table.reserve(len(self.runs))
        many = table.many[runs]
        if many.min(initial=0) < 0:
            new = different_of(runs[many < 0])
            table.add(new, self.cut([self.runs.names[run] for run in new.tolist()], rule))
            many = table.many[runs]
        return Words(table.of(runs, many), sums(many, texts.many), self.words.names)

    def cut(self, texts: Sequence[str], rule: Rule) -> Words:
        """The words of texts to which the rule is applied directly, equal texts once."""
        place: defaultdict[str, int] = defaultdict(count().__next__)
        places = np.fromiter(map(place.__getitem__, texts), dtype=np.int64, count=len(texts))
        found = [rule.cut(text, *rule.settings) for text in place]
        many = np.array(list(map(len, found)), dtype=np.int64)
        return Words(self.words.of(list(chain.from_iterable(found))), many, self.words.names).at(places)


_lock = Lock()
_memories = [_Memory()]


def _current() -> _Memory:
    """The current cache; emptied if it has become too large."""
    (memory,) = _memories
    if max(len(memory.runs), len(memory.words)) > MOST:
        forget()
    return _memories[0]
