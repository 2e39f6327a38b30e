"""Where the rows of one observation are written down, and summed under chance labellings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.nouns import Column, Floats, Integers, Observation, Rows, Totals

Slice = tuple[tuple[str, str], ...]
"""A part of the data: pairs of record attribute and value; empty for the whole."""

WHOLE: Slice = ()


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
    """Sums of randomly relabelled rows of one system and slice. Shape of ``sums``: (draws, columns)."""

    sums: Floats
    log_labellings: float = 0.0


@dataclass
class Ledger:
    """All rows that one observation made, in the order of the input.

    Entry i comes from ``origins[i]`` and has ``reasons[i]`` (0: it has a row; else an index into
    ``known_reasons``) and ``ps[i]`` (nan where the unit was not tested alone).
    """

    observation: Observation
    draws: int
    columns: dict[Column, int] = field(default_factory=dict)
    origins: list[Origin] = field(default_factory=list)
    reasons: array[int] = field(default_factory=lambda: array("i"))
    ps: array[float] = field(default_factory=lambda: array("d"))
    known_reasons: dict[str, int] = field(default_factory=lambda: {"": 0})
    _chunks: list[Floats] = field(default_factory=list)
    _pending: list[tuple[Integers, Floats]] = field(default_factory=list)
    _positions: dict[tuple[Column, ...], Integers] = field(default_factory=dict)
    _nulls: dict[tuple[str, Slice], Null] = field(default_factory=dict)
    _fixed: dict[tuple[str, Slice], Floats] = field(default_factory=dict)
    _exchanged: set[tuple[str, Slice, str]] = field(default_factory=set)

    @property
    def is_exchanged_by_cluster(self) -> bool:
        """Whether all units of one cluster take the same labelling in each draw."""
        return getattr(self.observation, "one_labelling_per_cluster", False)

    def leave_out(self, origin: Origin, reason: str) -> None:
        """Note a unit that has no row, and why."""
        self.origins.append(origin)
        self.reasons.append(self.known_reasons.setdefault(reason, len(self.known_reasons)))
        self.ps.append(np.nan)

    def add(self, origin: Origin, rows: Rows, choice: Integers | None, p: float = np.nan) -> None:
        """Write a unit's real row down, and add its chance labellings to the nulls.

        ``choice`` (draws,) picks a labelling for each draw; None where nothing can be exchanged.
        """
        positions = self._place(rows.columns)
        self.origins.append(origin)
        self.reasons.append(0)
        self.ps.append(p)
        row = rows.values[0].copy()
        self._pending.append((positions, row))
        if len(self._pending) >= 1024:
            self._settle()
        varies = choice is not None and len(rows.values) > 1
        chosen = rows.values[choice] if varies else None
        for part in (WHOLE, *origin.slices):
            if chosen is None:
                self._add_fixed((origin.system, part), positions, row)
            else:
                null = self._null((origin.system, part))
                null.sums[:, positions] += chosen
                # The first labelling is the real one; where they were sampled, they are many.
                if self._is_free(origin, part):
                    null.log_labellings += float(np.log(len(rows.values)))

    def matrix(self) -> Floats:
        """The real rows. Shape (units with a row, columns)."""
        self._settle()
        width = len(self.columns)
        if len(self._chunks) == 1 and self._chunks[0].shape[1] == width:
            return self._chunks[0]
        whole = np.zeros((sum(len(c) for c in self._chunks), width))
        start = 0
        for chunk in self._chunks:
            whole[start : start + len(chunk), : chunk.shape[1]] = chunk
            start += len(chunk)
        self._chunks = [whole]
        return whole

    def kept(self) -> list[Origin]:
        """The origins that have a row, in the order of `matrix`."""
        return [origin for origin, reason in zip(self.origins, self.reasons, strict=True) if not reason]

    def excluded(self, system: str, part: Slice) -> Mapping[str, int]:
        """How many units of a system and slice have no row, by reason."""
        names = list(self.known_reasons)
        found = Counter(
            names[reason]
            for origin, reason in zip(self.origins, self.reasons, strict=True)
            if reason and origin.system == system and (part == WHOLE or part in origin.slices)
        )
        return dict(sorted(found.items()))

    def null(self, system: str, part: Slice) -> Null | None:
        """The sums under chance labellings; None where no unit could be relabelled.

        Units that could not be relabelled are in the sums as they are: they do not vary by chance.
        """
        null = self._nulls.get((system, part))
        if null is None:
            return None
        sums = _widened(null.sums, len(self.columns))
        fixed = self._fixed.get((system, part))
        if fixed is not None:
            sums[:, : len(fixed)] += fixed[: sums.shape[1]]
        return Null(sums, null.log_labellings)

    def totals(self, array: Floats) -> Totals:
        """An array over this ledger's columns, by name."""
        return Totals(self.columns, array)

    def _place(self, columns: tuple[Column, ...]) -> Integers:
        positions = self._positions.get(columns)
        if positions is None:
            positions = np.array(
                [self.columns.setdefault(c, len(self.columns)) for c in columns], dtype=np.int64
            )
            self._positions[columns] = positions
        return positions

    def _is_free(self, origin: Origin, part: Slice) -> bool:
        """Whether a unit's labelling is a choice of its own, not one made already for its cluster."""
        if not self.is_exchanged_by_cluster:
            return True
        key = (origin.system, part, origin.cluster)
        is_first = key not in self._exchanged
        self._exchanged.add(key)
        return is_first

    def _null(self, key: tuple[str, Slice]) -> Null:
        null = self._nulls.setdefault(key, Null(np.zeros((self.draws, 0))))
        if null.sums.shape[1] < len(self.columns):
            null.sums = _widened(null.sums, len(self.columns))
        return null

    def _add_fixed(self, key: tuple[str, Slice], positions: Integers, row: Floats) -> None:
        fixed = self._fixed.get(key, np.zeros(0))
        if len(fixed) < len(self.columns):
            fixed = np.concatenate([fixed, np.zeros(len(self.columns) - len(fixed))])
            self._fixed[key] = fixed
        fixed[positions] += row

    def _settle(self) -> None:
        if not self._pending:
            return
        chunk = np.zeros((len(self._pending), len(self.columns)))
        for i, (positions, row) in enumerate(self._pending):
            chunk[i, positions] = row
        self._chunks.append(chunk)
        self._pending.clear()


def _widened(array: Floats, width: int) -> Floats:
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
    """All systems, in the order in which the input named them."""
    return list(dict.fromkeys(origin.system for ledger in ledgers for origin in ledger.origins))
