"""Where the rows of one observation are written down, and summed under chance labellings."""

from __future__ import annotations

import hashlib
import itertools
import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.nouns import Column, Floats, Integers, Observation, Rows, Totals

CHUNK = 4096
"""Units that are packed together."""
APART = 8
"""Sets of columns whose chance sums are kept apart before they are added up."""

Slice = tuple[tuple[str, str], ...]
"""A part of the data: pairs of record attribute and value; empty for the whole."""

WHOLE: Slice = ()

CONTROL = "control:"
"""How the name of a control's system begins."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a row comes from. Ledgers share it, so that a million records are named once."""

    system: str
    record: str
    cluster: str
    slices: tuple[Slice, ...] = ()
    block: str = ""
    """Which sampled variant of its original this is; rows of one block are resampled together."""


@dataclass(slots=True)
class Null:
    """Sums of randomly relabelled rows of one system and slice. Shape of ``sums``: (draws, columns).

    ``columns`` names them where relabelling made columns that no real row has. Rows that have the same
    columns are added up ``apart``, where they need not be spread over all.
    """

    sums: Floats
    log_labellings: float = 0.0
    columns: Mapping[Column, int] | None = None
    apart: dict[tuple[Column, ...], tuple[Integers, Floats]] = field(default_factory=dict)

    def gather(self, width: int) -> Floats:
        """All sums over ``width`` columns; nothing is apart any more."""
        self.sums = widened(self.sums, width)
        for positions, sums in self.apart.values():
            self.sums[:, positions] += sums
        self.apart.clear()
        return self.sums


@dataclass(frozen=True, slots=True)
class Packed:
    """One column of a chunk: its distinct numbers, and which of them each unit has.

    Most statistics are counts or shares of few; two bytes a unit instead of eight, exactly.
    Shapes: ``codes`` (units,), 0 where a unit has no row; ``numbers`` (distinct,).
    """

    codes: NDArray[np.int16]
    numbers: Floats


@dataclass
class Ledger:
    """All rows that one observation made, in the order of the input.

    Entry i comes from ``origins[i]`` and has ``reasons[i]`` (0: it has a row; else an index into
    ``known_reasons``) and ``ps[i]`` (nan where the unit was not tested alone; ``ps`` is empty where
    the observation tests no unit alone).
    """

    observation: Observation
    draws: int
    columns: dict[Column, int] = field(default_factory=dict)
    origins: list[Origin] = field(default_factory=list)
    reasons: array[int] = field(default_factory=lambda: array("i"))
    ps: array[float] = field(default_factory=lambda: array("d"))
    known_reasons: dict[str, int] = field(default_factory=lambda: {"": 0})
    _chunks: list[list[Packed]] = field(default_factory=list)
    _pending: list[tuple[Integers, Floats] | None] = field(default_factory=list)
    _positions: dict[tuple[Column, ...], Integers] = field(default_factory=dict)
    _nulls: dict[tuple[str, Slice], Null] = field(default_factory=dict)
    _fixed: dict[tuple[str, Slice], Floats] = field(default_factory=dict)
    _exchanged: dict[tuple[str, Slice], dict[str, float]] = field(default_factory=dict)
    _left_out: dict[tuple[str, Slice], Counter[str]] = field(default_factory=dict)

    @property
    def is_exchanged_by_cluster(self) -> bool:
        """Whether all units of one cluster take the same labelling in each draw."""
        return getattr(self.observation, "one_labelling_per_cluster", False)

    def leave_out(self, origin: Origin, reason: str) -> None:
        """Note a unit that has no row, and why."""
        self.origins.append(origin)
        self.reasons.append(self.known_reasons.setdefault(reason, len(self.known_reasons)))
        for part in (WHOLE, *origin.slices):
            self._left_out.setdefault((origin.system, part), Counter())[reason] += 1
        self._note_p(np.nan)
        self._write(None)

    def add(self, origin: Origin, rows: Rows, choice: Integers | None, p: float = np.nan) -> None:
        """Write a unit's real row down, and add its chance labellings to the nulls.

        ``choice`` (draws,) picks a labelling for each draw; None where nothing can be exchanged.
        """
        positions = self._place(rows.columns)
        row = rows.values[0].copy()
        self._write_row(origin, (positions, row), p)
        chosen = None if choice is None or len(rows.values) < 2 else rows.values.take(choice, axis=0)
        for part in (WHOLE, *origin.slices):
            if chosen is None:
                self._add_fixed((origin.system, part), positions, row)
            else:
                self._add_chosen((origin.system, part), rows.columns, chosen)
                # The first labelling is the real one; where they were sampled, they are many.
                self._add_freedom((origin.system, part), origin.cluster, math.log(len(rows.values)))

    def absorb(self, sheet: Sheet, origins: Sequence[Origin]) -> None:
        """Add what was written down apart, as if its units had come here next; the sheet is then used up.

        ``origins`` are those of the sheet's units. Sums are added up by sheet: the last digits of the chance
        level go by how units are parted into sheets, and by nothing else.
        """
        place = self._new_place(sheet.columns)
        texts = list(sheet.known_reasons)
        for origin, reason, (row, p) in zip(origins, sheet.reasons, sheet.rows(), strict=True):
            if row is None:
                self.leave_out(origin, texts[reason])
            else:
                self._write_row(origin, (place[row[0]], row[1]), p)
        for key, null in sheet._nulls.items():
            for columns, (_, sums) in null.apart.items():
                self._add_chosen(key, columns, sums)
            mine = self._null(key)
            mine.log_labellings += null.log_labellings
            if null.sums.size:
                mine.gather(len(self.columns))[:, place[: null.sums.shape[1]]] += null.sums
        for key, fixed in sheet._fixed.items():
            self._add_fixed(key, place[: len(fixed)], fixed)
        for key, clusters in sheet._exchanged.items():
            for cluster, log_labellings in clusters.items():
                self._add_freedom(key, cluster, log_labellings)

    def _write_row(self, origin: Origin, row: tuple[Integers, Floats], p: float) -> None:
        self.origins.append(origin)
        self.reasons.append(0)
        self._note_p(p)
        self._write(row)

    def _note_p(self, p: float) -> None:
        if self.observation.tests_units is not None:
            self.ps.append(p)

    def matrix(self) -> Floats:
        """The real rows. Shape (units with a row, columns). Unpacked anew at each call."""
        reasons = np.frombuffer(self.reasons, dtype=np.int32)
        matrix = np.zeros((int(np.count_nonzero(reasons == 0)), len(self.columns)))
        start = 0
        for i, chunk in enumerate(self.packed()):
            has_row = reasons[i * CHUNK : (i + 1) * CHUNK] == 0
            stop = start + int(np.count_nonzero(has_row))
            for j, packed in enumerate(chunk):
                matrix[start:stop, j] = packed.numbers[packed.codes[has_row]]
            start = stop
        return matrix

    def packed(self) -> Sequence[Sequence[Packed]]:
        """All entries, chunk by chunk, each with the columns that were known when it was packed."""
        return [*self._chunks, self._pack()] if self._pending else self._chunks

    def kept(self) -> list[Origin]:
        """The origins that have a row, in the order of `matrix`."""
        return [origin for origin, reason in zip(self.origins, self.reasons, strict=True) if not reason]

    def excluded(self, system: str, part: Slice) -> Mapping[str, int]:
        """How many units of a system and slice have no row, by reason."""
        return dict(sorted(self._left_out.get((system, part), {}).items()))

    def null(self, system: str, part: Slice) -> Null | None:
        """The sums under chance labellings; None where no unit could be relabelled.

        Units that could not be relabelled are in the sums as they are: they do not vary by chance.
        """
        null = self._nulls.get((system, part))
        if null is None:
            return None
        sums = null.gather(len(self.columns)).copy()
        fixed = self._fixed.get((system, part))
        if fixed is not None:
            sums[:, : len(fixed)] += fixed[: sums.shape[1]]
        by_cluster = math.fsum(self._exchanged.get((system, part), {}).values())
        return Null(sums, null.log_labellings + by_cluster)

    def totals(self, array: Floats) -> Totals:
        """An array over this ledger's columns, by name."""
        return Totals(self.columns, array)

    def _place(self, columns: tuple[Column, ...]) -> Integers:
        positions = self._positions.get(columns)
        if positions is None:
            positions = self._positions[columns] = self._new_place(columns)
        return positions

    def _new_place(self, columns: Iterable[Column]) -> Integers:
        return np.array([self.columns.setdefault(c, len(self.columns)) for c in columns], dtype=np.int64)

    def _add_chosen(self, key: tuple[str, Slice], columns: tuple[Column, ...], chosen: Floats) -> None:
        null = self._null(key)
        apart = null.apart.get(columns)
        if apart is not None:
            np.add(apart[1], chosen, out=apart[1])
            return
        if len(null.apart) >= APART:
            null.gather(len(self.columns))
        null.apart[columns] = self._place(columns), chosen.copy()

    def _null(self, key: tuple[str, Slice]) -> Null:
        null = self._nulls.get(key)
        if null is None:
            null = self._nulls[key] = Null(np.zeros((self.draws, 0)))
        return null

    def _add_freedom(self, key: tuple[str, Slice], cluster: str, log_labellings: float) -> None:
        """Count a unit's labellings, or once for all units of a cluster if these are labelled together."""
        if self.is_exchanged_by_cluster:
            self._exchanged.setdefault(key, {}).setdefault(cluster, log_labellings)
        else:
            self._null(key).log_labellings += log_labellings

    def _add_fixed(self, key: tuple[str, Slice], positions: Integers, row: Floats) -> None:
        fixed = self._fixed.get(key, np.zeros(0))
        if len(fixed) < len(self.columns):
            fixed = np.concatenate([fixed, np.zeros(len(self.columns) - len(fixed))])
            self._fixed[key] = fixed
        fixed[positions] += row

    def _write(self, row: tuple[Integers, Floats] | None) -> None:
        self._pending.append(row)
        if len(self._pending) == CHUNK:
            self._chunks.append(self._pack())
            self._pending.clear()

    def _pack(self) -> list[Packed]:
        chunk = np.zeros((len(self._pending), len(self.columns)))
        for i, row in enumerate(self._pending):
            if row is not None:
                chunk[i, row[0]] = row[1]
        # Many columns of a chunk are alike (of a value that nobody has, of counts that go together): one holds for all.
        known: dict[bytes, Packed] = {}
        found = []
        for column in np.ascontiguousarray(chunk.T):
            key = hashlib.blake2b(column, digest_size=16).digest()
            if key not in known:
                known[key] = _packed(column)
            found.append(known[key])
        return found


@dataclass
class Sheet(Ledger):
    """What one observation wrote down of a few units, on its way into a `Ledger`: packed by none.

    It may come from another process; the units' origins, which the receiver has, are then left behind.
    """

    def rows(self) -> Iterator[tuple[tuple[Integers, Floats] | None, float]]:
        """Each unit's places and numbers, None where it has no row, and its p."""
        return zip(self._pending, self.ps or itertools.repeat(np.nan), strict=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "observation": None, "origins": [], "_left_out": {}, "_positions": {}}

    def _write(self, row: tuple[Integers, Floats] | None) -> None:
        self._pending.append(row)


def _packed(column: Floats) -> Packed:
    numbers, codes = np.unique(column, return_inverse=True)
    return Packed(codes.astype(np.int16), numbers)


def widened(array: Floats, width: int) -> Floats:
    """The array with columns of zeros added up to ``width``, which is at least its own. A copy."""
    wide = np.zeros((len(array), width))
    wide[:, : array.shape[1]] = array
    return wide


def slices_of(attributes: Mapping[str, str], by: Sequence[tuple[str, ...]]) -> tuple[Slice, ...]:
    """The slices that a record belongs to: one per grouping all of whose attributes it has."""
    return tuple(
        tuple((name, attributes[name]) for name in names)
        for names in by
        if all(n in attributes for n in names)
    )


def systems_of(ledgers: Iterable[Ledger]) -> list[str]:
    """All systems, in the order in which the input named them; controls, which it did not, come last."""
    named = dict.fromkeys(origin.system for ledger in ledgers for origin in ledger.origins)
    return sorted(named, key=lambda system: system.startswith(CONTROL))
