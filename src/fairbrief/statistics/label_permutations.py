"""Label permutations of single units: all of them, or a random sample; and which of them each draw of a corpus-wide null takes.

A *label permutation* is an arrangement of the real labels over the positions of a unit; two arrangements are the same if they
read the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from math import comb, inf, prod
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import batches, grouped
from fairbrief.statistics.arrays import Floats, Integers, weight_before
from fairbrief.statistics.keyed_random import (
    choices_among,
    keys_of,
    random_bits,
    random_fractions,
    random_halves,
)

EXACT_LIMIT = 10_000
"""Up to this many distinct label permutations are enumerated; more are sampled."""


def distinct_permutations(labels: Integers) -> Integers:
    """All distinct label permutations, the real one first. Shape (R, n)."""
    distinct, counts = np.unique(labels, return_counts=True)
    rows = distinct[arrangements(tuple(counts.tolist()))]
    real = int(np.flatnonzero((rows == labels).all(axis=1))[0])
    rows[real], rows[0] = rows[0].copy(), labels
    return rows


@lru_cache(maxsize=256)
def arrangements(counts: tuple[int, ...]) -> NDArray[np.int8]:
    """All arrangements of the numbers 0, 1 …, each as often as ``counts`` has it, ascending. Shape (R, n).

    All prefixes grow by one position at a time; the order of `numpy.nonzero` keeps them ascending.
    """
    rows, left = np.empty((1, 0), dtype=np.int8), np.array([counts], dtype=np.int64)
    for _ in range(sum(counts)):
        prefix, code = np.nonzero(left)
        rows, left = np.column_stack([rows[prefix], code.astype(np.int8)]), left[prefix]
        left[np.arange(len(code)), code] -= 1
    rows.flags.writeable = False  # shared by all units with these counts
    return rows


def permutations(n: int, draws: int, rng: np.random.Generator) -> Integers:
    """Uniform permutations of 0..n-1. Shape (draws, n)."""
    return np.argsort(rng.random((draws, n)), axis=1)


# ------------------------------------------------------------------------------------- draws


Arrays = TypeVar("Arrays", bound=tuple[NDArray[Any], ...])
Choice = NDArray[np.integer[Any]]
"""Which of its label permutations each draw takes, in as few bytes as it needs. Shape (draws,) of one record, (records, draws) of several."""

POOL_STREAM, RECORD_STREAM = 1, 2
"""Purposes: under one seed, each has its own random numbers."""

KEPT = 32_000_000
"""Bytes of label permutations that are stored for the next request; the first records have priority."""
COMPARED = 8
"""Numbers up to which each is compared with each, which is faster than to sort them."""


class Relabelled(msgspec.Struct, frozen=True, gc=False):
    """A unit whose labels are permuted under one key: a record, or one of several with the same permutations.

    Shapes: ``labels`` (n,). ``items`` (n,) identify the positions: in each draw an item moves in the same way in all units of one
    ``key`` that have the same items, whatever else they have. ``cyclic`` label permutations are the n rotations.
    """

    key: str
    labels: Integers
    items: Integers | None
    cyclic: bool


class Labelled(NamedTuple):
    """Units with equal numbers of label permutations and labels, and their positions among all requested units.

    Shapes: ``permutations`` (places, R, n), the real one first; ``choices`` (places, draws), which of them each draw
    takes, or None without draws. ``is_exact``: all distinct label permutations are listed, so that the p-value of a single
    record is exact.
    """

    places: Sequence[int]
    permutations: Integers
    choices: Choice | None
    is_exact: bool

    def alone(self, k: int) -> Labelled:
        """The k-th of them by itself."""
        choices = None if self.choices is None else self.choices[[k]]
        return Labelled([0], self.permutations[k : k + 1], choices, self.is_exact)


def with_real_labels(asked: Sequence[Relabelled]) -> list[Labelled]:
    """Each unit with its real labels, and no draws."""
    alike = grouped((len(one.labels), place) for place, one in enumerate(asked)).values()
    return [
        Labelled(places, np.stack([asked[i].labels for i in places])[:, np.newaxis], None, is_exact=False)
        for places in alike
    ]


class _Kind(NamedTuple):
    """What units with the same labels have in common.

    ``number`` label permutations of ``length`` labels are all that there are, or a sample; where they are matched, items move.
    """

    labels: bytes
    is_cyclic: bool
    number: int
    length: int
    is_listed: bool
    is_matched: bool


class LabelDraws:
    """Random label permutations of each record for a corpus-wide null; cheap per record.

    Draw b of the corpus null takes label permutation ``choice[b]`` of every record. A record's answer is a
    function of (seed, draws, key, labels) alone: not of order, batch or other records.
    Draws of different records are independent, those of one record uniform over its label permutations.
    Where label permutations are listed, equal keys take those at the same relative position of their lists.
    """

    def __init__(self, draws: int, seed: int) -> None:
        self.draws = draws
        self.seed = seed
        # Several observations ask for the same labels of a record.
        self._room = KEPT
        self._stored: dict[Any, Any] = {}

    def of_many(
        self, asked: Sequence[Relabelled], *, all_permutations: bool = False, at_once: float = inf
    ) -> Iterator[list[Labelled]]:
        """The label permutations of each unit, and which of them each draw takes, in groups of equal size.

        Where there are no more distinct label permutations than draws (with ``all_permutations``: than
        `EXACT_LIMIT`) all are listed and a draw may be the real one. Else R = draws + 1, and a draw
        takes one of the sampled label permutations 1..draws, each exactly once. The arrays may be
        shared and are then read-only. They are made in consecutive parts of less than ``at_once`` labels under
        all label permutations, or of one unit.
        """
        most = EXACT_LIMIT if all_permutations else min(self.draws, EXACT_LIMIT)
        known: dict[tuple[int, bool, bool], _Kind] = {}
        kinds: list[_Kind] = []
        for one in asked:
            same = id(one.labels), one.cyclic, one.items is None  # arrays that records share
            kind = known.get(same)
            if kind is None:
                kind = known[same] = self._kind(one, most)
            kinds.append(kind)
        for start, end in batches(np.array([kind.number * kind.length for kind in kinds]), at_once):
            yield list(self._together(asked[start:end], kinds[start:end]))

    def _kind(self, one: Relabelled, most: int) -> _Kind:
        """The kind of a unit, of which at most so many label permutations are listed."""
        labels, n = _bytes(one.labels), len(one.labels)
        if one.cyclic:
            return _Kind(labels, one.cyclic, max(1, n), n, is_listed=True, is_matched=False)
        number = _number(labels)
        is_listed, is_matched = number <= most, one.items is not None
        return _Kind(labels, one.cyclic, number if is_listed else self.draws + 1, n, is_listed, is_matched)

    def _together(self, asked: Sequence[Relabelled], kinds: Sequence[_Kind]) -> Iterator[Labelled]:
        for places in grouped((kind[2:], place) for place, kind in enumerate(kinds)).values():
            first = kinds[places[0]]
            if first.is_listed and not first.is_matched:
                numbers: dict[_Kind, int] = {}
                number = [numbers.setdefault(kinds[i], len(numbers)) for i in places]
                permutations = _stacked([self._listed(kind) for kind in numbers])
                if len(places) > 1:
                    permutations = permutations.take(number, axis=0)
                choices: Choice = np.zeros((len(places), self.draws), dtype=np.uint8)
                if first.number > 1:
                    choices = self._choices(tuple([asked[i].key for i in places]), first.number)
            else:
                each = [self._of_record(asked[i], kinds[i]) for i in places]
                permutations = _stacked([rows for rows, _ in each])
                choices = np.stack([choice for _, choice in each])
            yield Labelled(places, permutations, choices, first.is_listed)

    def _once(self, key: Any, make: Callable[[], Arrays]) -> Arrays:
        """The arrays that ``make`` returns, read-only: from the store, or computed and stored while there is room."""
        found: Arrays | None = self._stored.get(key)
        if found is None:
            found = make()
            for array in found:
                array.flags.writeable = False
                self._room -= array.nbytes
            if self._room > 0:
                self._stored[key] = found
        return found

    # ------------------------------------------------------- listed label permutations, and choices among them

    def _choices(self, keys: tuple[str, ...], number: int) -> Choice:
        """Which of so many listed label permutations each draw takes, for units with these keys."""

        def drawn() -> tuple[Choice]:
            halves = random_halves(keys_of(keys, self.seed, "labellings"), self.draws)
            return (choices_among(halves, number),)

        return self._once((keys, number), drawn)[0]

    def _listed(self, kind: _Kind) -> Integers:
        """All label permutations of a kind."""
        if kind.is_cyclic:
            return _rotations(kind.labels)
        return self._once(kind.labels, lambda: (distinct_permutations(_integers(kind.labels)),))[0]

    # ------------------------------------------------------------- a record's own label permutations and draws

    def _of_record(self, one: Relabelled, kind: _Kind) -> tuple[Integers, Choice]:
        """The label permutations that this record's own draws choose from, and which of them each draw takes."""

        def drawn() -> tuple[Integers, Choice]:
            labels = _integers(kind.labels)
            rows, choice = self._matched(one, kind) if kind.is_matched else self._sampled(one.key, labels)
            return rows, choice.astype(np.min_scalar_type(len(rows)))

        items = None if one.items is None else _bytes(one.items)
        return self._once((one.key, kind.labels, items, kind.is_listed), drawn)

    def _matched(self, one: Relabelled, kind: _Kind) -> tuple[Integers, Integers]:
        """Labellings of items that move in the same way in several units, as many as there are draws where they are not listed."""
        labels = np.asarray(one.labels, dtype=np.int64)
        drawn = self._moved(one, labels)
        if not kind.is_listed:
            return np.vstack([labels, drawn]), np.arange(1, self.draws + 1)
        rows = self._listed(kind)
        codes = rows @ _weights(len(labels))  # wrapping products: equal rows alone have equal codes
        order = np.argsort(codes)
        return rows, order[np.searchsorted(codes[order], drawn @ _weights(len(labels)))]

    def _moved(self, one: Relabelled, labels: Integers) -> Integers:
        """Each draw sorts the items in its own random order; the r-th item gets the label of the r-th item by name."""
        assert one.items is not None
        names = _distinct(one.items)
        by_name = np.argsort(names, kind="stable")
        keys = keys_of((f"{one.key}\t{i}" for i in names), self.seed, "matched labels")
        places = _places(random_fractions(keys, self.draws))
        return np.asarray(labels[by_name][places.T])

    def _sampled(self, key: str, labels: Integers) -> tuple[Integers, Integers]:
        """As many label permutations as there are draws, of more than are listed."""
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        rng = np.random.default_rng([RECORD_STREAM, self.seed, int.from_bytes(digest, "little")])
        # The pool is finite, so it prefers some labels for some positions. Were records to share that
        # preference, their errors would add up over a corpus; an own shuffle of the labels before the
        # pool is applied makes records independent, and an own order does the same for their draws.
        own = labels[permutations(len(labels), 1, rng)[0]]
        rows = np.empty((self.draws + 1, own.size), dtype=np.int64)
        rows[0] = labels
        np.take(own, _pool(own.size, self.draws, self.seed), out=rows[1:], mode="clip")
        return rows, rng.permutation(self.draws) + 1


def _bytes(numbers: Integers) -> bytes:
    return np.asarray(numbers, dtype=np.int64).tobytes()


def _integers(numbers: bytes) -> Integers:
    return np.frombuffer(numbers, dtype=np.int64)


def _stacked(several: Sequence[Integers]) -> Integers:
    """Labellings of one shape in one array, (several, R, n); a single one is not copied: it may be a view of fewer numbers."""
    return several[0][np.newaxis] if len(several) == 1 else np.stack(several)


@lru_cache(maxsize=1024)
def _number(labels: bytes) -> int:
    """How many distinct label permutations there are: n! / Π nₖ!, with nₖ the occurrences of each label. Exact."""
    counts = np.unique(_integers(labels), return_counts=True)[1].tolist()
    return prod(comb(sum(counts[: i + 1]), count) for i, count in enumerate(counts))


@lru_cache(maxsize=256)
def _rotations(labels: bytes) -> Integers:
    """The rotations of labels, (n, n): a view of them twice over, since of a large record all would not fit."""
    once = _integers(labels)
    if not len(once):
        return once[np.newaxis]
    return np.lib.stride_tricks.sliding_window_view(np.concatenate([once, once[:-1]]), len(once))


def _places(numbers: Floats) -> Integers:
    """The rank of each number in its column, of equals the first one first. Shapes: (n, columns)."""
    n = len(numbers)
    if n > COMPARED:
        return np.asarray(np.argsort(np.argsort(numbers, axis=0, kind="stable"), axis=0))
    return weight_before(numbers, np.ones(n, dtype=np.int64))


@lru_cache(maxsize=64)
def _weights(n: int) -> Integers:
    """Random integers that identify rows of ``n`` numbers."""
    return np.asarray(random_bits(keys_of(["weights"], 0, "labelling codes"), n)[0].view(np.int64))


def _distinct(items: Integers) -> Integers:
    """The items, repeated ones renamed: the second copy of a text matches other second copies."""
    seen: dict[int, int] = {}
    found = []
    for item in np.asarray(items).tolist():
        seen[item] = seen.get(item, -1) + 1
        found.append((item + seen[item]) & (2**63 - 1))
    return np.array(found, dtype=np.int64)


@lru_cache(maxsize=64)
def _pool(n: int, draws: int, seed: int) -> Integers:
    """Permutations that all records with so many labels draw on. Shape (draws, n)."""
    return permutations(n, draws, np.random.default_rng([POOL_STREAM, seed, n]))
