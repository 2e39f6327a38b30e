"""Which labellings one record has, or which sample of them; the same record's are kept for whoever asks again."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Floats, Integers
from fairbrief.statistics.keyed_random import keys_of, random_bits, random_fractions
from fairbrief.statistics.labellings import Shuffle, list_labellings, permutations, sort_by_block

Choice = NDArray[np.integer[Any]]
"""Which of its labellings each draw takes, in as few bytes as it needs. Shape (draws,) of one record, (records, draws) of several."""
LabelsAndChoice = tuple[Integers, Choice, bool]

POOL_STREAM, RECORD_STREAM = 1, 2
"""Keep the random numbers of different purposes apart under one seed."""

SHARED = 256
"""Labellings up to which records of the same labels share their list."""
COMPARED = 8
"""Numbers up to which each is compared with each, which is faster than to sort them."""


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


class Kind(NamedTuple):
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


def kind_of(one: Relabelled, most: int, draws: int) -> Kind:
    """Of which kind one is, of which at most so many labellings are listed."""
    labels = _bytes(one.labels)
    if one.cyclic:
        return Kind(labels, None, max(1, len(one.labels)), len(one.labels), is_listed=True, is_matched=False)
    shuffle = _shuffle(np.shape(one.labels), labels, None if one.blocks is None else _bytes(one.blocks))
    is_listed = shuffle.number <= most
    number = shuffle.number if is_listed else draws + 1
    return Kind(labels, shuffle, number, len(one.labels), is_listed, is_matched=one.items is not None)


class Room:
    """How many bytes more are kept."""

    def __init__(self, size: int) -> None:
        self._left = size

    def takes(self, size: int) -> bool:
        """Whether so many bytes more are kept."""
        self._left -= size
        return self._left > 0


class RecordLabellings:
    """The labellings of one record after another, and which of them its draws take."""

    def __init__(self, draws: int, seed: int, room: Room) -> None:
        self._draws, self._seed, self._room = draws, seed, room
        self._lists: dict[Shuffle, Integers] = {}
        self._samples: dict[tuple[str, Shuffle], LabelsAndChoice] = {}
        self._matches: dict[tuple[str, Shuffle, bytes, bool], LabelsAndChoice] = {}

    def all_of(self, kind: Kind) -> Integers:
        """All labellings of a kind."""
        return _rotations(kind.labels) if kind.shuffle is None else self._list(kind.shuffle)

    def drawn(self, one: Relabelled, kind: Kind, most: int) -> LabelsAndChoice:
        """The labellings of one to which its own draws are made."""
        assert kind.shuffle is not None
        return (
            self._matched(one, kind.shuffle, most)
            if kind.is_matched
            else self._sampled(one.key, kind.shuffle)
        )

    def _list(self, shuffle: Shuffle) -> Integers:
        """All labellings."""
        if shuffle.number <= SHARED:
            return shuffle.all_labellings
        found = self._lists.get(shuffle)
        if found is None:
            found = _read_only(list_labellings(shuffle))
            if self._room.takes(found.nbytes):
                self._lists[shuffle] = found
        return found

    def _matched(self, one: Relabelled, shuffle: Shuffle, most: int) -> LabelsAndChoice:
        """Labellings of items that move alike in several units; listed where there are at most so many."""
        assert one.items is not None
        key = one.key, shuffle, _bytes(one.items), shuffle.number > most
        found = self._matches.get(key)
        if found is None:
            found = self._match(one, shuffle, is_listed=shuffle.number <= most)
            if self._room.takes(found[1].nbytes + (0 if found[2] else found[0].nbytes)):
                self._matches[key] = found
        return found

    def _match(self, one: Relabelled, shuffle: Shuffle, *, is_listed: bool) -> LabelsAndChoice:
        assert one.items is not None
        labels = np.asarray(one.labels, dtype=np.int64)
        drawn = self._moved(one.key, labels, one.blocks, one.items)
        if not is_listed:
            return *_narrow(_read_only(np.vstack([labels, drawn])), np.arange(1, self._draws + 1)), False
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
        keys = keys_of((f"{key}\t{i}" for i in names), self._seed, "matched labels")
        places = _places(random_fractions(keys, self._draws) + block[:, np.newaxis])
        return np.asarray(labels[by_name][places.T])

    def _sampled(self, key: str, shuffle: Shuffle) -> LabelsAndChoice:
        """As many labellings as there are draws, of more than are listed."""
        found = self._samples.get((key, shuffle))
        if found is not None:
            return found
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        rng = np.random.default_rng([RECORD_STREAM, self._seed, int.from_bytes(digest, "little")])
        # The pool is finite, so it prefers some labels for some positions. Were records to share that
        # preference, their errors would add up over a corpus; an own shuffle of the labels before the
        # pool is applied makes records independent, and an own order does the same for their draws.
        own = shuffle.labels[permutations(shuffle.block, 1, rng)[0]]
        rows = np.empty((self._draws + 1, own.size), dtype=np.int64)
        rows[0] = shuffle.labels
        np.take(own, _pool(shuffle.sizes, self._draws, self._seed), out=rows[1:], mode="clip")
        found = *_narrow(_read_only(shuffle.scatter(rows)), rng.permutation(self._draws) + 1), False
        if self._room.takes(found[0].nbytes + found[1].nbytes):
            self._samples[key, shuffle] = found
        return found


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
