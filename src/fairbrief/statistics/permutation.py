"""Random labellings of each record, for a corpus-wide null."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Integers
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
KEPT = 32_000_000
"""Bytes of labellings, of the records that come first, that are kept for whoever asks for them again."""


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
        self._kept: dict[tuple[str, bytes, bytes | None, bool], LabelsAndChoice] = {}
        self._halves: dict[str, NDArray[np.uint32]] = {}
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
        """A record's labellings (R, n), the real one first; which of them each draw takes (draws,);
        and whether all distinct labellings are listed, so that p-values of the record alone are exact.

        Where there are no more distinct labellings than draws (with ``all_labellings``: than
        `EXACT_LIMIT`) all are listed and a draw may be the real one. Else R = draws + 1, and a draw
        takes one of the sampled labellings 1..draws, each exactly once. The labellings are
        read-only: several may hold them.

        ``items`` (n,) tell what the positions are: in each draw an item moves alike in all units of one ``key``
        that hold the same items, whatever else they hold. ``cyclic`` labellings are the n rotations.
        """
        if cyclic:
            return _narrow(*self._cycled(key, np.asarray(labels, dtype=np.int64)))
        if items is not None:
            return _narrow(*self._matched(key, labels, blocks, items, all_labellings=all_labellings))
        labels = np.asarray(labels, dtype=np.int64)
        own = labels.tobytes(), None if blocks is None else np.asarray(blocks, dtype=np.int64).tobytes()
        found = self._kept.get((key, *own, all_labellings))
        if found is not None:
            return found
        shuffle = _shuffle(labels.shape, *own)
        few = min(self.draws, EXACT_LIMIT)
        exact = shuffle.number <= (EXACT_LIMIT if all_labellings else few)
        found = _narrow(*self._drawn(key, shuffle, exact=exact))
        found[0].flags.writeable = False
        self._room -= found[0].nbytes + found[1].nbytes
        if self._room > 0:
            for asked in (False, True) if shuffle.number <= few else (all_labellings,):
                self._kept[key, *own, asked] = found
        return found

    def _cycled(self, key: str, labels: Integers) -> tuple[Integers, Integers, bool]:
        # Units of one cluster turn together: as far around their circles, not by as many steps.
        return _rotations(labels.tobytes()), self._choice(key, max(1, len(labels))), True

    def _choice(self, key: str, among: int) -> Integers:
        """Which of so many listed labellings each draw takes. Shape (draws,)."""
        halves = self._halves.get(key)
        if halves is None:
            (halves,) = random_halves(keys_of([key], self.seed, "labellings"), self.draws)
            self._room -= halves.nbytes
            if self._room > 0:
                self._halves[key] = halves
        return choices_among(halves, among)

    def _matched(
        self, key: str, labels: Integers, blocks: Integers | None, items: Integers, *, all_labellings: bool
    ) -> tuple[Integers, Integers, bool]:
        shuffle = sort_by_block(labels, blocks)
        drawn = self._moved(key, np.asarray(labels, dtype=np.int64), blocks, items)
        if shuffle.number > (EXACT_LIMIT if all_labellings else min(self.draws, EXACT_LIMIT)):
            return np.vstack([labels, drawn]), np.arange(1, self.draws + 1), False
        rows = list_labellings(shuffle)
        weights = random_bits(keys_of(["weights"], 0, "labelling codes"), len(labels))[0].view(np.int64)
        codes, wanted = (
            rows @ weights,
            drawn @ weights,
        )  # wrapping products: equal rows alone have equal codes
        order = np.argsort(codes)
        return rows, order[np.searchsorted(codes[order], wanted)], True

    def _moved(self, key: str, labels: Integers, blocks: Integers | None, items: Integers) -> Integers:
        """Each draw puts the items in an order of its own; who comes r-th gets the label of the r-th by name."""
        block = np.zeros(len(labels)) if blocks is None else np.unique(blocks, return_inverse=True)[1]
        names = _distinct(items)
        by_name = np.lexsort((names, block))
        keys = keys_of((f"{key}\t{i}" for i in names), self.seed, "matched labels")
        order = np.argsort(random_fractions(keys, self.draws).T + block, axis=1, kind="stable")
        moved = np.empty((self.draws, len(labels)), dtype=np.int64)
        np.put_along_axis(moved, order, np.broadcast_to(labels[by_name], order.shape), axis=1)
        return moved

    def _drawn(self, key: str, shuffle: Shuffle, *, exact: bool) -> tuple[Integers, Integers, bool]:
        if exact:
            rows = shuffle.all_labellings if shuffle.number <= SHARED else list_labellings(shuffle)
            return rows, self._choice(key, len(rows)), True
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        rng = np.random.default_rng([RECORD_STREAM, self.seed, int.from_bytes(digest, "little")])
        # The pool is finite, so it prefers some labels for some positions. Were records to share that
        # preference, their errors would add up over a corpus; an own shuffle of the labels before the
        # pool is applied makes records independent, and an own order does the same for their draws.
        own = shuffle.labels[permutations(shuffle.block, 1, rng)[0]]
        rows = np.empty((self.draws + 1, own.size), dtype=np.int64)
        rows[0] = shuffle.labels
        np.take(own, _pool(shuffle.sizes, self.draws, self.seed), out=rows[1:], mode="clip")
        return shuffle.scatter(rows), rng.permutation(self.draws) + 1, False


def _narrow(rows: Integers, choice: Integers, is_listed: bool) -> LabelsAndChoice:
    """With the choice in as few bytes as it needs: whoever keeps it of a record keeps this very array."""
    return rows, choice.astype(np.min_scalar_type(len(rows))), is_listed


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
