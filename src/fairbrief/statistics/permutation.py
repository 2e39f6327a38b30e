"""Random labellings of each record, for a corpus-wide null."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.statistics.arrays import Integers
from fairbrief.statistics.keyed_random import choices_among, keys_of, random_halves
from fairbrief.statistics.labellings import EXACT_LIMIT
from fairbrief.statistics.record_labellings import (
    Choice,
    Kind,
    LabelsAndChoice,
    RecordLabellings,
    Relabelled,
    Room,
    kind_of,
)

KEPT = 32_000_000
"""Bytes of labellings, of the records that come first, that are kept for whoever asks for them again."""


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
        self._room = Room(KEPT)
        self._of_records = RecordLabellings(draws, seed, self._room)

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

    def _kinds(self, asked: Sequence[Relabelled], most: int) -> tuple[list[Kind], Integers]:
        """The kinds that there are, and which of them each is, (asked,). At most so many labellings are listed."""
        kinds: dict[Kind, int] = {}
        known: dict[tuple[int, int, bool, bool], int] = {}
        numbers = []
        for one in asked:
            same = id(one.labels), id(one.blocks), one.cyclic, one.items is None  # arrays that records share
            number = known.get(same)
            if number is None:
                number = known[same] = kinds.setdefault(kind_of(one, most, self.draws), len(kinds))
            numbers.append(number)
        return list(kinds), np.array(numbers, dtype=np.int64)

    def _together(
        self, asked: Sequence[Relabelled], kinds: Sequence[Kind], numbers: Integers, most: int
    ) -> Iterator[Labelled]:
        alike: dict[object, list[int]] = {}
        for number in np.unique(numbers).tolist():
            alike.setdefault(kinds[number].likeness, []).append(number)
        for several in alike.values():
            places = np.flatnonzero(np.isin(numbers, several)) if len(alike) > 1 else np.arange(len(asked))
            own, kind = [asked[i] for i in places.tolist()], kinds[several[0]]
            if kind.is_listed and not kind.is_matched:
                labellings = _stacked([self._of_records.all_of(kinds[number]) for number in several])
                if len(own) > 1:
                    labellings = labellings.take(np.searchsorted(several, numbers[places]), axis=0)
                choices = self._choices_among(kind.number, [one.key for one in own])
            else:
                each = [
                    self._of_records.drawn(one, kinds[number], most)
                    for one, number in zip(own, numbers[places].tolist(), strict=True)
                ]
                labellings = _stacked([rows for rows, _, _ in each])
                choices = np.stack([choice for _, choice, _ in each])
            yield Labelled(places.tolist(), labellings, choices, kind.is_listed)

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
            if not self._room.takes(rows.nbytes):
                return rows if len(missing) == len(keys) else make(keys)
            known.add(missing, rows)
            if len(missing) == len(keys):
                return rows
        return known.rows[[known.places[key] for key in keys]]


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
