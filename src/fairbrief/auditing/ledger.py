"""The table of an observation: its rows with their origins, and their sums under label permutations.

The same class serves a running audit, transfer between processes, and a saved audit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairbrief.auditing.null_sums import NullSums, RelabelledRows, contrast_sums, squares_of
from fairbrief.auditing.origins import WHOLE, Codes, Origin, Origins, Subgroup, narrowed
from fairbrief.reports.frames import numbers
from fairbrief.statistics.arrays import on_grid
from fairbrief.statistics.label_permutations import Choice
from fairbrief.types import Column, Floats, Integers, Observation, Totals

CHUNK = 1 << 12
"""Units that are packed together as they come, or a few more."""
SORTED = 1 << 15
"""Units that are packed together after sorting, column by column: as many as 16 bits can index."""
SMALL = 128
"""Distinct numbers that one byte can index."""
CODEC = pa.Codec("zstd")


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Units with the same columns and the same number of label permutations.

    Shapes: ``units`` (N,), indices among the units of one write; ``values`` (N, R, columns), the real label permutation first;
    ``choices`` (N, n_resamples), the label permutation that each resample takes, or None where nothing can be permuted; ``ps`` (N,), of the tests of single units. ``beside`` (N, ``beside_columns``) holds statistics of the real row that no
    permutation changes: permutation means, random extracts.
    """

    units: Integers
    columns: tuple[Column, ...]
    values: Floats
    choices: Choice | None
    ps: Floats | None = None
    beside_columns: tuple[Column, ...] = ()
    beside: Floats | None = None

    def of(self, chosen: Sequence[int] | Integers) -> RowBlock:
        """Some of the units."""
        if len(chosen) == len(self.units):
            return self
        return RowBlock(
            self.units[chosen],
            self.columns,
            self.values[chosen],
            None if self.choices is None else self.choices[chosen],
            None if self.ps is None else self.ps[chosen],
            self.beside_columns,
            None if self.beside is None else self.beside[chosen],
        )

    def beside_too(self, columns: tuple[Column, ...], values: Floats) -> RowBlock:
        """With more columns in ``beside``. Shape of ``values``: (N, columns)."""
        if self.beside is not None:
            columns, values = (*self.beside_columns, *columns), np.concatenate([self.beside, values], axis=1)
        return replace(self, beside_columns=columns, beside=values)


@dataclass(frozen=True, slots=True)
class Packed:
    """One column of a chunk: its distinct numbers, and which of them each unit has.

    Most statistics are counts or shares of few; a few bits a unit instead of eight bytes, exactly.
    Shape of ``numbers``: (distinct,), ascending; ``compressed`` are the codes.
    """

    numbers: Floats
    units: int
    compressed: bytes

    @classmethod
    def of(cls, column: Floats) -> Packed:
        """A column. Shape: (units,)."""
        encoded = numbers(column).dictionary_encode()
        # Not to_numpy, for which Arrow imports pandas.
        met = np.frombuffer(encoded.dictionary.buffers()[1] or b"", dtype=np.float64)
        which = np.frombuffer(encoded.indices.buffers()[1] or b"", dtype=np.int32)
        # Only the distinct numbers, which are few, are sorted.
        distinct, place = np.unique(met[: len(encoded.dictionary)], return_inverse=True)
        codes = place.astype(np.int8 if len(distinct) <= SMALL else np.int16)[which[: len(column)]]
        return cls(distinct, len(column), CODEC.compress(codes, asbytes=True))

    @property
    def codes(self) -> NDArray[np.signedinteger[Any]]:
        """Which number each unit has. Shape: (units,)."""
        kind = np.dtype(np.int8 if len(self.numbers) <= SMALL else np.int16)
        return np.frombuffer(CODEC.decompress(self.compressed, self.units * kind.itemsize), dtype=kind)

    @property
    def column(self) -> Floats:
        """The numbers of all units. Shape: (units,)."""
        return np.asarray(self.numbers[self.codes])


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows that were packed together, column by column. Columns that no unit had are absent; 0 where a unit has no row."""

    units: int
    columns: Sequence[Packed | None]

    @classmethod
    def of(cls, rows: Floats) -> Chunk:
        """Rows. Shape: (units, columns)."""
        # Equal columns of a chunk are stored once.
        known: dict[bytes, Packed] = {}
        found = []
        for column in np.ascontiguousarray(rows.T):
            key = column.tobytes()
            found.append(known.get(key) or known.setdefault(key, Packed.of(column)))
        return cls(len(rows), found)

    def held(self, k: int) -> Packed | None:
        """A column; None where it is absent."""
        return self.columns[k] if k < len(self.columns) else None

    def column(self, k: int) -> Floats:
        """A column's numbers, zeros where it is absent. Shape: (units,)."""
        packed = self.held(k)
        return np.zeros(self.units) if packed is None else packed.column

    def placed(self, places: Integers) -> Chunk:
        """The same among other columns: the first at the first of these places, and so on. Shape: (columns,) or more."""
        found: list[Packed | None] = [None] * (int(places.max(initial=-1)) + 1)
        for place, column in zip(places.tolist(), self.columns, strict=False):
            found[place] = column
        return Chunk(self.units, found)


Written = tuple[Integers, Integers, Floats]
"""Real rows of some units: which units (N,), the places of their columns (C,), and the numbers (N, C)."""


@dataclass
class Ledger:
    """All rows of one observation, in the order of writing until they are sorted.

    Entry i comes from ``origins[i]`` and has ``reasons[i]`` (0: it has a row; else an index into ``known_reasons``) and
    ``ps[i]`` (nan if the unit was not tested alone; ``ps`` is empty if the observation tests no single units).
    ``whose`` are the origins in batches; None for a ledger that another one, which has them, will absorb.
    """

    observation: Observation
    n_resamples: int
    lacks_null: bool = False
    """Whether labels were permuted, and the sums under permuted labels are not here."""
    whose: list[Origins] | None = field(default_factory=list)
    columns: dict[Column, int] = field(default_factory=dict)
    known_reasons: dict[str, int] = field(default_factory=lambda: {"": 0})
    _reasons: list[Codes] = field(default_factory=list)
    _ps: list[Floats] = field(default_factory=list)
    _entries: int = 0
    _chunks: list[Chunk] = field(default_factory=list)
    _packed: int = 0
    """How many entries are packed."""
    pending: list[Written] = field(default_factory=list)
    """Real rows that are not packed."""
    _positions: dict[tuple[Column, ...], Integers] = field(default_factory=dict)
    _nulls: dict[tuple[str, Subgroup], NullSums] = field(default_factory=dict)
    _of_maps: dict[tuple[str, Subgroup], NullSums] = field(default_factory=dict)
    """Sums of the rows by each map of a calibrated scorer: columns begin with the map's number."""
    is_relabelled: bool = False
    """Whether labels were exchanged in some unit."""

    def __len__(self) -> int:
        return self._entries

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which knows the observation, and may only read the sums."""
        for null in self._nulls.values():
            null.close()
        return {**self.__dict__, "observation": None, "_positions": {}}

    # ---------------------------------------------------------------------------------- writing

    def write(
        self,
        origins: Sequence[Origin],
        blocks: Iterable[Sequence[RowBlock]],
        left_out: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Write units down, in the order of ``origins``, and add their permuted rows to the sums of the permutation baseline.

        ``blocks`` are the rows of consecutive units. Each unit is in one block or, when all blocks have been taken, in
        ``left_out``, with the reason.
        """
        tests_units = self.observation.declaration.tests_units is not None
        ps = np.full(len(origins) if tests_units else 0, np.nan)
        for several in blocks:
            for block in several:
                positions, reals = self._place(block.columns), block.values[:, 0].copy()
                if block.beside is not None:
                    positions = np.concatenate([positions, self._place(block.beside_columns)])
                    reals = np.concatenate([reals, block.beside], axis=1)
                self.pending.append((self._entries + block.units, positions, reals))
                if block.ps is not None and tests_units:
                    ps[block.units] = block.ps
            if self.n_resamples:
                self._sum(origins, several)
        reasons = np.zeros(len(origins), dtype=np.int64)
        for i, reason in left_out.items():
            reasons[i] = self.known_reasons.setdefault(reason, len(self.known_reasons))
        if self.whose is not None:
            self.whose.append(origins if isinstance(origins, Origins) else Origins.by_column(origins))
        self._reasons.append(narrowed(reasons))
        self._ps.append(ps)
        self._entries += len(origins)

    def add_of_map(self, number: int, origins: Sequence[Origin], blocks: Sequence[RowBlock]) -> None:
        """Add the rows of units by a map of a calibrated scorer to its sums. ``units`` of the blocks are places in ``origins``."""
        for block in blocks:
            columns, values = block.columns, block.values[:, 0]
            if block.beside is not None:
                columns, values = (
                    (*columns, *block.beside_columns),
                    np.concatenate([values, block.beside], axis=1),
                )
            named, values = [(str(number), *column) for column in columns], on_grid(values)
            by_subgroup: dict[tuple[str, Subgroup], list[int]] = {}
            for j, i in enumerate(block.units.tolist()):
                for part in (WHOLE, *origins[i].subgroups):
                    by_subgroup.setdefault((origins[i].system, part), []).append(j)
            for key, chosen in by_subgroup.items():
                self._of_maps.setdefault(key, NullSums(0)).add_fixed(named, values[chosen])

    def absorb(self, other: Ledger, whose: Sequence[Origins]) -> None:
        """Append the rows of another ledger, which must not be used afterwards.

        ``whose`` are the origins of its units.
        """
        if other._chunks:  # they come after all that is here
            self.pack()
        first, place = self._entries, self._new_place(other.columns)
        self._chunks += [chunk.placed(place) for chunk in other._chunks]
        self._packed += other._packed
        self.pending += [
            (first + units, place[positions], reals) for units, positions, reals in other.pending
        ]
        if self.whose is not None:
            self.whose += whose
        known = [self.known_reasons.setdefault(r, len(self.known_reasons)) for r in other.known_reasons]
        self._reasons += [narrowed(np.array(known)[reasons]) for reasons in other._reasons]
        self._ps += other._ps
        self._entries += len(other)
        self.is_relabelled |= other.is_relabelled
        for key, null in other._nulls.items():
            self._null(key).merge(null)
        for key, of_maps in other._of_maps.items():
            self._of_maps.setdefault(key, NullSums(0)).merge(of_maps)
        if self._entries - self._packed >= CHUNK:
            self.pack()

    def pack(self) -> None:
        """Pack the rows that are not packed yet."""
        rows = np.zeros((self._entries - self._packed, len(self.columns)))
        for units, positions, reals in self.pending:
            rows[(units - self._packed)[:, np.newaxis], positions] = reals
        self._chunks += [Chunk.of(rows[start : start + SORTED]) for start in range(0, len(rows), SORTED)]
        self.pending, self._packed = [], self._entries

    # ---------------------------------------------------------------------------------- reading

    @property
    def origins(self) -> Origins:
        """The origins of the entries."""
        self.whose = [Origins.joined(self.whose or [])]
        return self.whose[0]

    @property
    def reasons(self) -> Codes:
        """By entry 0, or why it has no row. Shape: (entries,)."""
        self._reasons = [_together(self._reasons, np.dtype(np.uint8))]
        return self._reasons[0]

    @property
    def ps(self) -> Floats:
        """The p-values of single units. Shape: (entries,), or (0,) without tests."""
        self._ps = [_together(self._ps, np.dtype(np.float64))]
        return self._ps[0]

    def chunks(self) -> Iterator[tuple[range, Chunk]]:
        """All rows: some entries after others, with their columns."""
        self.pack()
        start = 0
        for chunk in self._chunks:
            yield range(start, start + chunk.units), chunk
            start += chunk.units

    def matrix(self, columns: Sequence[int] | None = None) -> Floats:
        """The real rows, or these columns of them. Shape (units with a row, columns). Unpacked at each call."""
        columns, has_row = range(len(self.columns)) if columns is None else columns, self.reasons == 0
        matrix = np.empty((int(np.count_nonzero(has_row)), len(columns)))
        for j, k in enumerate(columns):
            matrix[:, j] = self._column(k)[has_row]
        return matrix

    def first_alike(self) -> list[int]:
        """Of each column the first that holds the same in all entries, as it may itself. Their places."""
        chunks, met = [chunk for _, chunk in self.chunks()], dict[tuple[int, ...], int]()
        # Of a chunk's equal columns one is held (`Chunk.of`).
        held = (tuple(id(chunk.held(k)) for chunk in chunks) for k in range(len(self.columns)))
        return [met.setdefault(of_column, k) for k, of_column in enumerate(held)]

    def kept(self) -> Origins:
        """The origins that have a row, in the order of `matrix`."""
        return self.origins.of(self.reasons == 0)

    def excluded(self, system: str, part: Subgroup) -> Mapping[str, int]:
        """How many units of a system and subgroup have no row, by reason."""
        return dict(sorted(self._excluded.get((system, part), {}).items()))

    @cached_property
    def _excluded(self) -> dict[tuple[str, Subgroup], Counter[str]]:
        """By system and subgroup, when all rows are here."""
        (kinds, known), reasons = self.origins.kinds(), list(self.known_reasons)
        missing = np.flatnonzero(self.reasons)
        alike = Counter(zip(kinds[missing].tolist(), self.reasons[missing].tolist(), strict=True))
        found: dict[tuple[str, Subgroup], Counter[str]] = {}
        for (kind, reason), many in alike.items():
            for part in (WHOLE, *known[kind].subgroups):
                found.setdefault((known[kind].system, part), Counter())[reasons[reason]] += many
        return found

    def null(self, system: str, part: Subgroup) -> NullSums | None:
        """The sums under permutations; None where there are none."""
        return self._nulls.get((system, part))

    def of_maps(self, system: str, part: Subgroup) -> Totals | None:
        """The sums by each map of a calibrated scorer, with the leading axis (maps,); None where there are none."""
        held = self._of_maps.get((system, part))
        if held is None:
            return None
        sums = held.fixed_sums()
        columns = {c: i for i, c in enumerate(sorted({column[1:] for column in sums}))}
        array = np.zeros((1 + max(int(column[0]) for column in sums), len(columns)))
        for (number, *column), total in sums.items():
            array[int(number), columns[tuple(column)]] = total
        return Totals(columns, array)

    def drop_null(self, system: str, part: Subgroup) -> None:
        """Let sums go that nobody asks for again."""
        self._nulls.pop((system, part), None)

    def totals(self, array: Floats) -> Totals:
        """An array over this ledger's columns, by name."""
        return Totals(self.columns, array)

    # ---------------------------------------------------------------------------------- sorting

    def sort(self, order: Integers) -> None:
        """Put entries, columns and reasons into the one order that no order of the input changes: that of their names.

        ``order`` is that of the origins. Columns are unpacked one at a time.
        """
        alike, made = self.first_alike(), dict[int, list[Packed]]()
        starts = range(0, len(order), SORTED)
        for k in dict.fromkeys(alike):
            column = self._column(k)[order]
            made[k] = [Packed.of(column[start : start + SORTED]) for start in starts]
        columns = sorted(self.columns)
        places = [alike[self.columns[column]] for column in columns]
        self._chunks = [
            Chunk(min(SORTED, len(order) - start), [made[k][i] for k in places])
            for i, start in enumerate(starts)
        ]
        self.columns = {column: i for i, column in enumerate(columns)}
        self._positions.clear()
        if len(self.ps):
            self._ps = [self.ps[order]]
        reasons = ["", *sorted(r for r in self.known_reasons if r)]
        number = np.array([reasons.index(r) for r in self.known_reasons])
        self._reasons = [narrowed(number[self.reasons[order]])]
        self.known_reasons = {reason: i for i, reason in enumerate(reasons)}

    def _column(self, k: int) -> Floats:
        """One column of all entries, 0 where there is no row. Shape: (entries,)."""
        return np.concatenate([np.zeros(0), *(chunk.column(k) for _, chunk in self.chunks())])

    # ------------------------------------------------------------------------------ permutations

    def _sum(self, origins: Sequence[Origin], blocks: Sequence[RowBlock]) -> None:
        shared: list[RowBlock] = []
        for block in blocks:
            is_shared = np.array([origins[i].is_shared for i in block.units.tolist()], dtype=np.bool_)
            if not is_shared.all():
                self._sum_rows(origins, block.of(np.flatnonzero(~is_shared)), are_clusters=True)
            if is_shared.any():
                shared.append(block.of(np.flatnonzero(is_shared)))
                self._sum_rows(origins, shared[-1], are_clusters=False)
        self._sum_squares(origins, shared)

    def _sum_rows(self, origins: Sequence[Origin], block: RowBlock, *, are_clusters: bool) -> None:
        """Add rows of units; where each is a cluster by itself its squares, too."""
        contrasts = self._contrasts(block) if are_clusters else {}
        names, squares = squares_of(contrasts)
        columns, values = (*block.columns, *names), on_grid(block.values)
        if names:
            values = np.concatenate([values, squares], axis=2)
        moving = None if block.choices is None else RelabelledRows.of_all(columns, values, block.choices)
        self.is_relabelled |= moving is not None
        by_subgroup: dict[tuple[str, Subgroup], list[int]] = {}
        for j, i in enumerate(block.units.tolist()):
            for part in (WHOLE, *origins[i].subgroups):
                by_subgroup.setdefault((origins[i].system, part), []).append(j)
        for key, chosen in by_subgroup.items():
            if moving is None:
                self._null(key).add_fixed(columns, values[chosen, 0])
            else:
                self._null(key).add(moving.of(chosen), are_clusters=are_clusters)

    def _sum_squares(self, origins: Sequence[Origin], blocks: Sequence[RowBlock]) -> None:
        """Add the squares of clusters of several units, which come one after another."""
        contrasts = [self._contrasts(block) for block in blocks]
        units = sorted(
            (i, b, j) for b, block in enumerate(blocks) for j, i in enumerate(block.units.tolist())
        )
        for i, b, j in units:
            choices, permutations = blocks[b].choices, blocks[b].values.shape[1]
            moved = {
                name: x[j, 0] if choices is None else x[j].take(choices[j], axis=0)
                for name, x in contrasts[b].items()
            }
            for part in (WHOLE, *origins[i].subgroups):
                null = self._null((origins[i].system, part))
                null.hold(origins[i].cluster, moved, 0 if choices is None else permutations)

    def _contrasts(self, block: RowBlock) -> dict[str, Floats]:
        return contrast_sums(self.observation, block.columns, block.values)

    def _null(self, key: tuple[str, Subgroup]) -> NullSums:
        if key not in self._nulls:
            self._nulls[key] = NullSums(self.n_resamples)
        return self._nulls[key]

    def _place(self, columns: tuple[Column, ...]) -> Integers:
        positions = self._positions.get(columns)
        if positions is None:
            positions = self._positions[columns] = self._new_place(columns)
        return positions

    def _new_place(self, columns: Iterable[Column]) -> Integers:
        return np.array([self.columns.setdefault(c, len(self.columns)) for c in columns], dtype=np.int64)


def _together(several: Sequence[NDArray[Any]], kind: np.dtype[Any]) -> NDArray[Any]:
    return several[0] if len(several) == 1 else np.concatenate([np.zeros(0, dtype=kind), *several])


def sort(ledgers: Iterable[Ledger]) -> None:
    """Sort all ledgers; ledgers of the same units share their origins."""
    known: dict[tuple[int, ...], tuple[Sequence[Origins], Integers, Origins]] = {}
    for ledger in ledgers:
        pieces = ledger.whose or []
        units = tuple(map(id, pieces))  # the pieces stay in `known`, so that no other object has their ids
        if units not in known:
            order = ledger.origins.order()
            known[units] = pieces, order, ledger.origins.of(order)
        _, order, origins = known[units]
        ledger.sort(order)
        ledger.whose = [origins]
