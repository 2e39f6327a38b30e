"""Words as numbers, so that those of many texts are counted at once.

A `Rule` says what the words of a text are. Those of an ASCII text are, by most rules, the words of its *runs* of
letters, digits, underscores and apostrophes, one run after another, and what a run's words are is remembered. So
texts are parted into runs all together, and only a run not seen before goes through the rule. Texts of other
characters go through it as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress, pairwise
from operator import not_
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import ranges, starts, sums
from fairbrief.text.segmentation import ascii_table

Integers = NDArray[np.int64]

MOST = 1 << 16
"""Runs and words that are remembered; where there are more, all are forgotten."""

_RUN = ascii_table(lambda c: c.isalnum() or c in "_'")
_AS_ASCII = {"’": "'", "‘": '"', "“": '"', "”": '"', "–": "-", "—": "-", "…": ".", "\xa0": " "}
"""Characters that the rules of runs read like one of ASCII's."""


class Rule(NamedTuple):
    """What the words of a text are: ``cut(text, *settings)``.

    ``is_of_runs``: in an ASCII text they are the words of its runs, in lower case, and ``’`` counts as an apostrophe;
    a run of letters and digits alone is one word or none.
    """

    cut: Callable[..., Sequence[Any]]
    settings: tuple[Hashable, ...] = ()
    is_of_runs: bool = True


@dataclass(frozen=True, slots=True)
class Words:
    """The words of texts, one text after another; equal words have equal numbers.

    Shapes: ``numbers`` (words of all texts,); ``many`` (texts,), how many words each has. ``names`` has the word of
    each number; all numbers are below their count.
    """

    numbers: Integers
    many: Integers
    names: Sequence[Any]

    def of(self, texts: Integers) -> Integers:
        """The words of some of the texts, one text after another."""
        return np.asarray(self.numbers.take(ranges(starts(self.many)[texts], self.many[texts])))

    def apart(self) -> list[list[int]]:
        """The words of each text."""
        numbers, ends = self.numbers.tolist(), [0, *np.cumsum(self.many).tolist()]
        return [numbers[start:end] for start, end in pairwise(ends)]

    def grams(self, n: int) -> Words:
        """The runs of ``n`` neighbouring words of each text in place of its words. Their names are their numbers."""
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
    """The different ones of some numbers, sorted: what `numpy.unique` gives, faster where they are many."""
    ordered = np.sort(numbers)
    return ordered[np.diff(ordered, prepend=-1) > 0] if len(ordered) else ordered


def compact(numbers: Integers, size: int) -> tuple[Integers, Integers]:
    """The different ones of numbers below ``size``, in order; and the place there of every number, behind the last if it is none of them."""
    seen = np.zeros(size, dtype=bool)
    seen[numbers] = True
    different = np.flatnonzero(seen)
    place = np.full(size, len(different))
    place[different] = np.arange(len(different))
    return different, place


class Parted:
    """Texts, parted into runs where they are of ASCII's characters."""

    def __init__(self, texts: Sequence[str], beside: Parted | None = None) -> None:
        """``beside``: texts whose words have the same numbers as these' shall have, where both are used together."""
        simple, whole = texts, _as_ascii("".join(texts))
        self.texts = texts
        self.of_runs, self.others = list(range(len(texts))), list[int]()
        """The places of texts that are parted, and of those that are not."""
        if not whole.isascii():
            simple = list(map(_as_ascii, texts))
            is_simple = list(map(str.isascii, simple))
            self.of_runs, self.others = (
                list(compress(range(len(texts)), kind)) for kind in (is_simple, map(not_, is_simple))
            )
            simple = [simple[i] for i in self.of_runs]
            whole = "".join(simple)
        with _lock:
            self._memory: _Memory = _current() if beside is None else beside._memory
            self._runs = self._memory.runs_of(whole, simple)

    def words(self, rule: Rule) -> Words:
        """The words of the texts, by one rule."""
        with _lock:
            if not rule.is_of_runs:
                return self._memory.cut(self.texts, rule)
            simple = self._memory.words_of(self._runs, rule)
            if not self.others:
                return simple
            others = self._memory.cut([self.texts[i] for i in self.others], rule)
        return _merged([simple, others], [self.of_runs, self.others])


def numbered(texts: Sequence[str], rules: Sequence[Rule]) -> Words:
    """The words of texts, each by a rule of its own."""
    if rules and rules.count(rules[0]) == len(rules):
        return Parted(texts).words(rules[0])
    alike: dict[Rule, list[int]] = {}
    for i, rule in enumerate(rules):
        alike.setdefault(rule, []).append(i)
    none = Parted(())
    parts = [Parted([texts[i] for i in places], none).words(rule) for rule, places in alike.items()]
    return _merged(parts, list(alike.values()))


def _merged(parts: Sequence[Words], places: Sequence[Sequence[int]]) -> Words:
    """The words of texts that were read apart, each where its place is."""
    if not parts:
        return Words(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), ())
    apart = Words(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.many for part in parts]),
        parts[0].names,
    )
    order = np.argsort(np.concatenate(places), kind="stable")
    return Words(apart.of(order), apart.many[order], apart.names)


def forget() -> None:
    """Forget all runs and words."""
    _memories[:] = [_Memory()]


def _as_ascii(text: str) -> str:
    if not text.isascii():
        for character, like in _AS_ASCII.items():
            text = text.replace(character, like)
    return text


class _Numbers(dict[Any, int]):
    """Numbers of things in the order in which they were met."""

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
    """The words of runs by one rule.

    Shapes: ``words`` (words of all runs and more,); ``first`` and ``many`` (runs and more,), -1 for runs not read yet.
    """

    def __init__(self) -> None:
        self.words = np.empty(1024, dtype=np.int64)
        self.first = np.empty(1024, dtype=np.int64)
        self.many = np.full(1024, -1, dtype=np.int64)
        self.filled = 0

    def add(self, runs: Integers, words: Words) -> None:
        """Let the runs have these words, each those of one text."""
        end = self.filled + len(words.numbers)
        self.words = _grown(self.words, end)
        self.words[self.filled : end] = words.numbers
        self.first[runs], self.many[runs] = self.filled + starts(words.many), words.many
        self.filled = end

    def reserve(self, runs: int) -> None:
        self.first, self.many = _grown(self.first, runs), _grown(self.many, runs)


def _grown(array: Integers, size: int) -> Integers:
    """The array, with room for so many: at least twice as large where it has to grow, -1 in what is new."""
    if size <= len(array):
        return array
    return np.concatenate([array, np.full(max(size, 2 * len(array)) - len(array), -1)])


class _Runs(NamedTuple):
    """The runs of texts.

    Shapes: ``runs`` (runs of all texts,) and all ``different`` ones of them, as numbers; ``ends`` (texts + 1,), where
    each text's begin, at the end how many there are.
    """

    runs: Integers
    different: Integers
    ends: Integers


def _plain(array: Any, kind: type[np.signedinteger[Any]]) -> NDArray[np.signedinteger[Any]]:
    """Arrow's whole numbers, none of which is missing; its own ``to_numpy`` imports pandas."""
    held = array.buffers()[1] or b""
    size = np.dtype(kind).itemsize
    return np.frombuffer(held, dtype=kind, count=len(array), offset=size * array.offset)


class _Memory:
    """What is known of runs and words."""

    def __init__(self) -> None:
        self.runs, self.words = _Numbers(), _Numbers()
        self.tables: dict[Rule, _Table] = {}

    def runs_of(self, whole: str, texts: Sequence[str]) -> _Runs:
        """The runs of ASCII texts, which are also given as one."""
        import pyarrow as pa
        from pyarrow import compute

        ends = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=ends[1:])
        spaced = pa.py_buffer(whole.lower().encode().translate(_RUN))
        array = pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), spaced)
        parted = compute.ascii_split_whitespace(array)
        coded = parted.values.dictionary_encode()
        different = self.runs.of(coded.dictionary.to_pylist())
        indices, offsets = _plain(coded.indices, np.int32), _plain(parted.offsets, np.int32)
        return _Runs(different[indices], different, offsets)

    def words_of(self, runs: _Runs, rule: Rule) -> Words:
        """The words of texts that were parted into runs."""
        table = self.tables.setdefault(rule, _Table())
        table.reserve(len(self.runs))
        if len(new := runs.different[table.many[runs.different] < 0]):
            self._learn(table, rule, [self.runs.names[run] for run in new.tolist()], new)
        many = table.many[runs.runs]
        words = table.words.take(ranges(table.first[runs.runs], many))
        return Words(words, sums(many, np.diff(runs.ends)), self.words.names)

    def _learn(self, table: _Table, rule: Rule, names: Sequence[str], runs: Integers) -> None:
        """Let the table know the words of runs: a few together, and one by one where some of these have none."""
        is_plain = np.fromiter(map(str.isalnum, names), dtype=bool, count=len(names))
        plain = np.flatnonzero(is_plain)
        apart = [np.flatnonzero(~is_plain)]
        for start in range(0, len(plain), 32):
            some = plain[start : start + 32]
            words = rule.cut(" ".join([names[i] for i in some.tolist()]), *rule.settings)
            if len(words) == len(some):
                table.add(runs[some], Words(self.words.of(words), np.ones_like(some), self.words.names))
            else:
                apart.append(some)
        one_by_one = np.concatenate(apart)
        table.add(runs[one_by_one], self.cut([names[i] for i in one_by_one.tolist()], rule))

    def cut(self, texts: Iterable[str], rule: Rule) -> Words:
        """The words of texts that go through the rule as they stand."""
        found = [rule.cut(text, *rule.settings) for text in texts]
        many = np.array(list(map(len, found)), dtype=np.int64)
        return Words(self.words.of(list(chain.from_iterable(found))), many, self.words.names)


_lock = Lock()
_memories = [_Memory()]


def _current() -> _Memory:
    """What is known; nothing, where it had become too much."""
    (memory,) = _memories
    if max(len(memory.runs), len(memory.words)) > MOST:
        forget()
    return _memories[0]
