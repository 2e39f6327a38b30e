"""Random labellings of each record, for a corpus-wide null."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

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
    "Relabelled",
    "count_labellings",
    "enumerate_labellings",
    "sample_labellings",
]

Choice = NDArray[np.integer[Any]]
"""Which of a record's labellings each draw takes. Shape (draws,), in as few bytes as it needs."""
LabelsAndChoice = tuple[Integers, Choice, bool]

POOL_STREAM, RECORD_STREAM = 1, 2
"""Keep the random numbers of different purposes apart under one seed."""

SHARED = 256
"""Labellings up to which records of the same labels share their list."""
COMPARED = 8
"""Numbers up to which each is compared with each, which is faster than to sort them."""
KEPT = 32_000_000
"""Bytes of labellings, of the records that come first, that are kept for whoever asks for them again."""


class Relabelled(NamedTuple):
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
        self._halves: dict[str, NDArray[np.uint32]] = {}
        self._choices: dict[int, dict[str, Choice]] = {}
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
        """`of_each` of one."""
        one = Relabelled(key, labels, blocks, items, cyclic)
        return next(self.of_each([one], all_labellings=all_labellings))

    def of_each(
        self, asked: Sequence[Relabelled], *, all_labellings: bool = False
    ) -> Iterator[LabelsAndChoice]:
        """Each one's labellings (R, n), the real one first; which of them each draw takes (draws,);
        and whether all distinct labellings are listed, so that p-values of the record alone are exact.

        Where there are no more distinct labellings than draws (with ``all_labellings``: than
        `EXACT_LIMIT`) all are listed and a draw may be the real one. Else R = draws + 1, and a draw
        takes one of the sampled labellings 1..draws, each exactly once. The labellings are
        read-only: several may hold them. They are made one after another, the choices among listed ones all at once.
        """
        most = EXACT_LIMIT if all_labellings else min(self.draws, EXACT_LIMIT)
        known: dict[object, _Alike] = {}
        several = [_alike(one, most, known) for one in asked]
        keys: dict[int, list[str]] = {}
        for one, alike in zip(asked, several, strict=True):
            keys.setdefault(alike.listed, []).append(one.key)
        choices = {number: self._choices_among(number, of) for number, of in keys.items() if number}
        for one, alike in zip(asked, several, strict=True):
            if alike.shuffle is None:
                yield _rotations(alike.labels), choices[alike.listed][one.key], True
            elif one.items is not None:
                yield self._matched(one, alike.shuffle, most)
            elif alike.listed:
                yield self._list(alike.shuffle), choices[alike.listed][one.key], True
            else:
                yield self._sampled(one.key, alike.shuffle)

    def _choices_among(self, number: int, keys: Sequence[str]) -> Mapping[str, Choice]:
        """Which of so many listed labellings each draw takes, (draws,), by key."""
        known = self._choices.setdefault(number, {})
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if not missing:
            return known
        choices = choices_among(self._halves_of(missing), number)
        if not self._has_room(choices.nbytes):
            return {**known, **dict(zip(missing, choices, strict=True))}
        known |= zip(missing, choices, strict=True)
        return known

    def _halves_of(self, keys: Sequence[str]) -> NDArray[np.uint32]:
        """The random numbers that choices are made from. Shape (keys, draws)."""
        if all(key in self._halves for key in keys):
            return np.concatenate([self._halves[key] for key in keys]).reshape(len(keys), -1)
        halves = random_halves(keys_of(keys, self.seed, "labellings"), self.draws)
        if self._has_room(halves.nbytes):
            self._halves |= zip(keys, halves, strict=True)
        return halves

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


class _Alike(NamedTuple):
    """What those have in common that have the same labels and blocks; of cyclic ones no shuffle.

    ``listed`` is from how many listed labellings draws choose by themselves; 0 where they do not.
    """

    labels: bytes
    shuffle: Shuffle | None
    listed: int


def _alike(one: Relabelled, most: int, known: dict[object, _Alike]) -> _Alike:
    """What one has in common with others, of which it is ``known``; at most so many labellings are listed."""
    has_items = one.items is not None
    same = id(one.labels), id(one.blocks), one.cyclic, has_items  # arrays that records share
    found = known.get(same)
    if found is None:
        labels, blocks = _bytes(one.labels), None if one.blocks is None else _bytes(one.blocks)
        key = labels, blocks, one.cyclic, has_items
        found = known.get(key)
        if found is None:
            shuffle = None if one.cyclic else _shuffle(np.shape(one.labels), labels, blocks)
            found = known[key] = _Alike(labels, shuffle, _number_listed(one, shuffle, most))
        known[same] = found
    return found


def _bytes(numbers: Integers) -> bytes:
    return np.asarray(numbers, dtype=np.int64).tobytes()


def _number_listed(one: Relabelled, shuffle: Shuffle | None, most: int) -> int:
    """How many listed labellings draws choose from by themselves; 0 where they do not."""
    if shuffle is None:
        return max(1, len(one.labels))
    return shuffle.number if one.items is None and shuffle.number <= most else 0


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
