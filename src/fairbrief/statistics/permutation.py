"""Random labellings of each record, for a corpus-wide null."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import count
from math import inf
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats, Integers
from fairbrief.statistics.keyed_random import (
    choices_among,
    keys_of,
    random_bits,
    random_fractions,
    random_halves,
)
from fairbrief.statistics.labellings import (
    EXACT_LIMIT,
    Shuffle,
    count_labellings,
    enumerate_labellings,
    list_labellings,
    permutations,
    sample_labellings,
    sort_by_block,
)

__all__ = [
    "EXACT_LIMIT",
    "Choice",
    "LabelDraws",
    "Labelled",
    "Relabelled",
    "count_labellings",
    "enumerate_labellings",
    "sample_labellings",
    "with_real_labels",
]

Choice = NDArray[np.integer[Any]]
"""Which of its labellings each draw takes, in as few bytes as it needs. Shape (draws,) of one record, (records, draws) of several."""
LabelsAndChoice = tuple[Integers, Choice, bool]

POOL_STREAM, RECORD_STREAM = 1, 2
"""Keep the random numbers of different purposes apart under one seed."""

SHARED = 256
"""Labellings up to which records of the same labels share their list."""
COMPARED = 8
"""Numbers up to which each is compared with each, which is faster than to sort them."""
KEPT = 32_000_000
"""Bytes of labellings, of the records that come first, that are kept for whoever asks for them again."""


class Relabelled(msgspec.Struct, frozen=True, gc=False):
    """What is labelled anew under one key: a record, or one of several that are labelled alike.

    ``labels`` (n,) move inside ``blocks`` (n,). ``items`` (n,) tell what the positions are: in each draw an item moves
    alike in all units of one ``key`` that hold the same items, whatever else they hold. ``cyclic`` labellings are the
    n rotations.
    """

    key: str
    labels: Integers
    blocks: Integers | None
    items: Integers | None
    cyclic: bool


class Labelled(NamedTuple):
    """Those that have as many labellings of as many labels, and where they stand among all that were asked for.

    Shapes: ``labellings`` (places, R, n), of each the real one first; ``choices`` (places, draws), which of them each draw
    takes, or None where there are no draws. ``is_exact``: these are all distinct labellings, so that p-values of one alone
    are exact.
    """

    places: Sequence[int]
    labellings: Integers
    choices: Choice | None
    is_exact: bool

    def alone(self, k: int) -> Labelled:
        """The k-th of them by itself."""
        choices = None if self.choices is None else self.choices[[k]]
        return Labelled([0], self.labellings[k : k + 1], choices, self.is_exact)


def with_real_labels(asked: Sequence[Relabelled]) -> list[Labelled]:
    """Each with its labels as they are, and no draws."""
    alike: dict[int, list[int]] = {}
    for place, one in enumerate(asked):
        alike.setdefault(len(one.labels), []).append(place)
    return [
        Labelled(places, np.stack([asked[i].labels for i in places])[:, np.newaxis], None, is_exact=False)
        for places in alike.values()
    ]


class LabelDraws:
    """Random labellings of each record for a corpus-wide null; cheap per record.

    Draw b of the corpus null takes labelling ``choice[b]`` of every record. A record's answer is a
    function of (seed, draws, key, labels, blocks) alone: not of order, batch or other records.
    Draws of different records are independent, those of one record uniform over its labellings.
    Where labellings are listed, equal keys take those that stand as far along their lists.
    """

    def __init__(self, draws: int, seed: int) -> None:
        if draws < 1 or seed < 0:
            raise ValueError(f"draws must be at least 1 and seed at least 0, not {draws} and {seed}")
        self.draws = draws
        self.seed = seed
        # Several observations ask for the same labels of a record.
        self._halves = _RowsByKey()
        self._choices: dict[int, _RowsByKey] = {}
        self._lists: dict[Shuffle, Integers] = {}
        self._samples: dict[tuple[str, Shuffle], LabelsAndChoice] = {}
        self._matches: dict[tuple[str, Shuffle, bytes, bool], LabelsAndChoice] = {}
        self._room = KEPT

    def observed_and_choice(
        self,
        key: str,
        labels: Integers,
        blocks: Integers | None = None,
        *,
        all_labellings: bool = False,
        items: Integers | None = None,
        cyclic: bool = False,
    ) -> LabelsAndChoice:
        """`of_many` of one: its labellings (R, n), which of them each draw takes (draws,), and whether they are all."""
        one = Relabelled(key, labels, blocks, items, cyclic)
        ((found,),) = self.of_many([one], all_labellings=all_labellings)
        assert found.choices is not None
        return found.labellings[0], found.choices[0], found.is_exact

    def of_many(
        self, asked: Sequence[Relabelled], *, all_labellings: bool = False, at_once: float = inf
    ) -> Iterator[list[Labelled]]:
        """The labellings of each, and which of them each draw takes; those of as many together.

        Where there are no more distinct labellings than draws (with ``all_labellings``: than
        `EXACT_LIMIT`) all are listed and a draw may be the real one. Else R = draws + 1, and a draw
        takes one of the sampled labellings 1..draws, each exactly once. Labellings may be
        read-only: several may hold them. They are made in parts of those that stand one after another: each part
        ends with the one by which its labels, under all labellings, are more than may be held ``at_once``.
        """
        most = EXACT_LIMIT if all_labellings else min(self.draws, EXACT_LIMIT)
        kinds, numbers = self._kinds(asked, most)
        sizes = np.array([kind.number * kind.length for kind in kinds], dtype=np.int64)
        for part in _parts(sizes[numbers], at_once):
            yield list(self._together(asked[part], kinds, numbers[part], most))

    def _kinds(self, asked: Sequence[Relabelled], most: int) -> tuple[list[_Kind], Integers]:
        """The kinds that there are, and which of them each is, (asked,). At most so many labellings are listed."""
        kinds: dict[_Kind, int] = {}
        known: dict[tuple[int, int, bool, bool], int] = {}
        numbers = []
        for one in asked:
            same = id(one.labels), id(one.blocks), one.cyclic, one.items is None  # arrays that records share
            number = known.get(same)
            if number is None:
                number = known[same] = kinds.setdefault(_kind(one, most, self.draws), len(kinds))
            numbers.append(number)
        return list(kinds), np.array(numbers, dtype=np.int64)

    def _together(
        self, asked: Sequence[Relabelled], kinds: Sequence[_Kind], numbers: Integers, most: int
    ) -> Iterator[Labelled]:
        alike: dict[object, list[int]] = {}
        for number in np.unique(numbers).tolist():
            alike.setdefault(kinds[number].likeness, []).append(number)
        for several in alike.values():
            places = np.flatnonzero(np.isin(numbers, several)) if len(alike) > 1 else np.arange(len(asked))
            own, kind = [asked[i] for i in places.tolist()], kinds[several[0]]
            if kind.is_listed and not kind.is_matched:
                labellings = _stacked([self._list_of(kinds[number]) for number in several])
                if len(own) > 1:
                    labellings = labellings.take(np.searchsorted(several, numbers[places]), axis=0)
                choices = self._choices_among(kind.number, [one.key for one in own])
            else:
                each = [
                    self._drawn(one, kinds[number], most)
                    for one, number in zip(own, numbers[places].tolist(), strict=True)
                ]
                labellings = _stacked([rows for rows, _, _ in each])
                choices = np.stack([choice for _, choice, _ in each])
            yield Labelled(places.tolist(), labellings, choices, kind.is_listed)

    def _list_of(self, kind: _Kind) -> Integers:
        """All labellings of a kind."""
        return _rotations(kind.labels) if kind.shuffle is None else self._list(kind.shuffle)

    def _drawn(self, one: Relabelled, kind: _Kind, most: int) -> LabelsAndChoice:
        """The labellings of one to which its own draws are made."""
        assert kind.shuffle is not None
        return (
            self._matched(one, kind.shuffle, most)
            if kind.is_matched
            else self._sampled(one.key, kind.shuffle)
        )

    def _choices_among(self, number: int, keys: Sequence[str]) -> Choice:
        """Which of so many listed labellings each draw takes. Shape (keys, draws)."""
        if number == 1:
            return np.zeros((len(keys), self.draws), dtype=np.uint8)
        known = self._choices.setdefault(number, _RowsByKey())
        return self._rows(known, keys, lambda some: choices_among(self._halves_of(some), number))

    def _halves_of(self, keys: Sequence[str]) -> NDArray[np.uint32]:
        """The random numbers that choices are made from. Shape (keys, draws)."""
        return self._rows(
            self._halves, keys, lambda some: random_halves(keys_of(some, self.seed, "labellings"), self.draws)
        )

    def _rows(
        self, known: _RowsByKey, keys: Sequence[str], make: Callable[[Sequence[str]], NDArray[Any]]
    ) -> NDArray[Any]:
        """Rows that are functions of keys, (keys, draws): those that are known, others made and kept while there is room."""
        if keys == known.keys:
            return known.rows
        missing = [key for key in dict.fromkeys(keys) if key not in known.places]
        if missing:
            rows = make(missing)
            if not self._has_room(rows.nbytes):
                return rows if len(missing) == len(keys) else make(keys)
            known.add(missing, rows)
            if len(missing) == len(keys):
                return rows
        return known.rows[[known.places[key] for key in keys]]

    def _list(self, shuffle: Shuffle) -> Integers:
        """All labellings."""
        if shuffle.number <= SHARED:
            return shuffle.all_labellings
        found = self._lists.get(shuffle)
        if found is None:
            found = _read_only(list_labellings(shuffle))
            if self._has_room(found.nbytes):
                self._lists[shuffle] = found
        return found

    def _has_room(self, size: int) -> bool:
        """Whether so many bytes more are kept."""
        self._room -= size
        return self._room > 0

    def _matched(self, one: Relabelled, shuffle: Shuffle, most: int) -> LabelsAndChoice:
        """Labellings of items that move alike in several units; listed where there are at most so many."""
        assert one.items is not None
        key = one.key, shuffle, _bytes(one.items), shuffle.number > most
        found = self._matches.get(key)
        if found is None:
            found = self._match(one, shuffle, is_listed=shuffle.number <= most)
            if self._has_room(found[1].nbytes + (0 if found[2] else found[0].nbytes)):
                self._matches[key] = found
        return found

    def _match(self, one: Relabelled, shuffle: Shuffle, *, is_listed: bool) -> LabelsAndChoice:
        assert one.items is not None
        labels = np.asarray(one.labels, dtype=np.int64)
        drawn = self._moved(one.key, labels, one.blocks, one.items)
        if not is_listed:
            return *_narrow(_read_only(np.vstack([labels, drawn])), np.arange(1, self.draws + 1)), False
        rows = self._list(shuffle)
        codes = rows @ _weights(len(labels))  # wrapping products: equal rows alone have equal codes
        order = np.argsort(codes)
        wanted = drawn @ _weights(len(labels))
        return *_narrow(rows, order[np.searchsorted(codes[order], wanted)]), True

    def _moved(self, key: str, labels: Integers, blocks: Integers | None, items: Integers) -> Integers:
        """Each draw puts the items in an order of its own; who comes r-th gets the label of the r-th by name."""
        block = np.zeros(len(labels)) if blocks is None else np.unique(blocks, return_inverse=True)[1]
        names = _distinct(items)
        by_name = np.lexsort((names, block))
        keys = keys_of((f"{key}\t{i}" for i in names), self.seed, "matched labels")
        places = _places(random_fractions(keys, self.draws) + block[:, np.newaxis])
        return np.asarray(labels[by_name][places.T])

    def _sampled(self, key: str, shuffle: Shuffle) -> LabelsAndChoice:
        """As many labellings as there are draws, of more than are listed."""
        found = self._samples.get((key, shuffle))
        if found is not None:
            return found
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        rng = np.random.default_rng([RECORD_STREAM, self.seed, int.from_bytes(digest, "little")])
        # The pool is finite, so it prefers some labels for some positions. Were records to share that
        # preference, their errors would add up over a corpus; an own shuffle of the labels before the
        # pool is applied makes records independent, and an own order does the same for their draws.
        own = shuffle.labels[permutations(shuffle.block, 1, rng)[0]]
        rows = np.empty((self.draws + 1, own.size), dtype=np.int64)
        rows[0] = shuffle.labels
        np.take(own, _pool(shuffle.sizes, self.draws, self.seed), out=rows[1:], mode="clip")
        found = *_narrow(_read_only(shuffle.scatter(rows)), rng.permutation(self.draws) + 1), False
        if self._has_room(found[0].nbytes + found[1].nbytes):
            self._samples[key, shuffle] = found
        return found


class _RowsByKey:
    """Rows of one width by key, in the order in which they were made."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.places: dict[str, int] = {}
        self._parts: list[NDArray[Any]] = []

    def add(self, keys: Sequence[str], rows: NDArray[Any]) -> None:
        """Rows of keys that had none."""
        self.places |= zip(keys, count(len(self.keys)))
        self.keys += keys
        self._parts.append(rows)

    @property
    def rows(self) -> NDArray[Any]:
        """All rows, (keys, width)."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]


class _Kind(NamedTuple):
    """What those have in common that have the same labels and blocks; of cyclic ones no shuffle.

    ``number`` labellings of ``length`` labels are all that there are, or a sample; where they are matched, items move.
    """

    labels: bytes
    shuffle: Shuffle | None
    number: int
    length: int
    is_listed: bool
    is_matched: bool

    @property
    def likeness(self) -> tuple[object, ...]:
        """Equal for those that are labelled together."""
        return self[2:]


def _kind(one: Relabelled, most: int, draws: int) -> _Kind:
    """Of which kind one is, of which at most so many labellings are listed."""
    labels = _bytes(one.labels)
    if one.cyclic:
        return _Kind(labels, None, max(1, len(one.labels)), len(one.labels), is_listed=True, is_matched=False)
    shuffle = _shuffle(np.shape(one.labels), labels, None if one.blocks is None else _bytes(one.blocks))
    is_listed = shuffle.number <= most
    number = shuffle.number if is_listed else draws + 1
    return _Kind(labels, shuffle, number, len(one.labels), is_listed, is_matched=one.items is not None)


def _parts(sizes: Integers, most: float) -> Iterator[slice]:
    """Those that stand one after another, each part up to the one by which its sizes are more than so many together."""
    start = 0
    while start < len(sizes):
        stop = start + int(np.searchsorted(np.cumsum(sizes[start:]), most, side="right")) + 1
        yield slice(start, stop)
        start = stop


def _stacked(several: Sequence[Integers]) -> Integers:
    """Labellings of one shape in one array, (several, R, n); a single one is not copied: it may be a view of fewer numbers."""
    return several[0][np.newaxis] if len(several) == 1 else np.stack(several)


def _bytes(numbers: Integers) -> bytes:
    return np.asarray(numbers, dtype=np.int64).tobytes()


def _read_only(rows: Integers) -> Integers:
    rows.flags.writeable = False
    return rows


def _narrow(rows: Integers, choice: Integers) -> tuple[Integers, Choice]:
    """With the choice in as few bytes as it needs: whoever keeps it of a record keeps this very array."""
    return rows, choice.astype(np.min_scalar_type(len(rows)))


@lru_cache(maxsize=1024)
def _shuffle(shape: tuple[int, ...], labels: bytes, blocks: bytes | None) -> Shuffle:
    """`sort_by_block` of these bytes: records of the same labels share it, and the list of all labellings."""
    return sort_by_block(
        np.frombuffer(labels, dtype=np.int64).reshape(shape),
        None if blocks is None else np.frombuffer(blocks, dtype=np.int64),
    )


@lru_cache(maxsize=256)
def _rotations(labels: bytes) -> Integers:
    """The rotations of labels, (n, n): a view of them twice over, since of a large record all would not fit."""
    once = np.frombuffer(labels, dtype=np.int64)
    if not len(once):
        return once[np.newaxis]
    return np.lib.stride_tricks.sliding_window_view(np.concatenate([once, once[:-1]]), len(once))


def _places(numbers: Floats) -> Integers:
    """At which place each number stands among those of its column, of equals the first one first. Shapes: (n, columns)."""
    n = len(numbers)
    if n > COMPARED:
        return np.asarray(np.argsort(np.argsort(numbers, axis=0, kind="stable"), axis=0))
    found = np.zeros(numbers.shape, dtype=np.int64)
    for i in range(n):
        for j in range(i + 1, n):
            is_before = numbers[i] <= numbers[j]
            found[j] += is_before
            found[i] += ~is_before
    return found


@lru_cache(maxsize=64)
def _weights(n: int) -> Integers:
    """Random whole numbers, by which rows of so many are told apart."""
    return np.asarray(random_bits(keys_of(["weights"], 0, "labelling codes"), n)[0].view(np.int64))


def _distinct(items: Integers) -> Integers:
    """The items, of several alike the later ones renamed: the second copy of a text matches other second copies."""
    seen: dict[int, int] = {}
    found = []
    for item in np.asarray(items).tolist():
        seen[item] = seen.get(item, -1) + 1
        found.append((item + seen[item]) & (2**63 - 1))
    return np.array(found, dtype=np.int64)


@lru_cache(maxsize=64)
def _pool(sizes: tuple[int, ...], draws: int, seed: int) -> Integers:
    """Permutations that all records with blocks of these sizes draw on. Shape (draws, n)."""
    block = np.repeat(np.arange(len(sizes)), sizes)
    return permutations(block, draws, np.random.default_rng([POOL_STREAM, seed, *sizes]))
