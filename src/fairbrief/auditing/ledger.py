"""The table of an observation: its rows with their origins, and their sums under label permutations.

The same class serves a running audit, transfer between processes, and a saved audit, whose statistics stay in its files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairbrief.auditing.null_sums import NullSums, RelabelledRows, contrast_sums, squares_of
from fairbrief.auditing.origins import WHOLE, Codes, Key, Origins, narrowed
from fairbrief.reports.frames import coded
from fairbrief.statistics.arrays import on_grid
from fairbrief.statistics.label_permutations import Choice
from fairbrief.types import Column, Floats, Integers, Observation, Totals

CHUNK = 1 << 12
"""Units that are packed together as they come, or a few more."""
SORTED = 1 << 15
"""Units that are packed together after sorting, column by column."""
CODEC = pa.Codec("zstd")


Written = tuple[Integers, tuple[Column, ...], Floats]
"""Real rows of some units: which units (N,), their columns (C,), and the numbers (N, C)."""


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Units with the same columns and the same number of label permutations.

    Shapes: ``units`` (N,), indices among the units of one write; ``values`` (N, R, columns), the real label permutation first;
    ``choices`` (N, n_resamples), the label permutation that each resample takes, or None where nothing can be permuted; ``ps`` (N,), of the tests of single units. ``beside`` are statistics of the real rows that no
    permutation changes: permutation means, random extracts.
    """

    units: Integers
    columns: tuple[Column, ...]
    values: Floats
    choices: Choice | None
    ps: Floats | None = None
    beside: Sequence[Written] = ()

    def real(self) -> list[Written]:
        """The real rows, and what is beside them."""
        return [(self.units, self.columns, self.values[:, 0].copy()), *self.beside]


@dataclass(frozen=True)
class Chunk:
    """Rows whose columns are read one at a time: those of a running audit are packed, equal ones once.

    ``columns`` hold the numbers of each column, equal ones the same.
    """

    units: int
    columns: Mapping[Column, Any]

    def column(self, column: Column) -> Floats:
        """A column's numbers, 0 where a unit has no row. Shape: (units,)."""
        held = self.columns.get(column)
        return np.zeros(self.units) if held is None else self.unpacked(held)

    def unpacked(self, held: Any) -> Floats:
        """What a column holds."""
        return np.frombuffer(CODEC.decompress(held, self.units * 8), dtype=np.float64)


def _packed(column: Floats) -> bytes:
    return bytes(CODEC.compress(np.ascontiguousarray(column), asbytes=True))


@dataclass
class Ledger:
    """All rows of one observation, in the order of writing until they are sorted.

    Entry i comes from ``origins[i]`` and has ``reasons[i]`` (0: it has a row; else an index into ``known_reasons``) and
    ``ps[i]`` (nan if the unit was not tested alone; ``ps`` is empty if the observation tests no single units).
    ``whose`` are the origins in batches.
    """

    observation: Observation
    n_resamples: int
    lacks_null: bool = False
    """Whether labels were permuted, and the sums under label permutations are not here."""
    whose: list[Origins] = field(default_factory=list)
    columns: dict[Column, int] = field(default_factory=dict)
    known_reasons: dict[str, int] = field(default_factory=lambda: {"": 0})
    _reasons: list[Codes] = field(default_factory=list)
    _ps: list[Floats] = field(default_factory=list)
    _entries: int = 0
    _chunks: list[Chunk] = field(default_factory=list)
    _packed: int = 0
    """How many entries are packed."""
    _unpacked: list[Written] = field(default_factory=list)
    """Real rows that are not packed."""
    nulls: dict[Key, NullSums] = field(default_factory=dict)
    """The sums under label permutations of each system and subgroup."""
    _of_maps: dict[Key, NullSums] = field(default_factory=dict)
    """Sums of the rows by each map of a calibrated scorer: columns begin with the map's number."""
    is_relabelled: bool = False
    """Whether labels were exchanged in some unit."""

    def __len__(self) -> int:
        return self._entries

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which knows the observation, and may only read the sums."""
        for null in self.nulls.values():
            null.close()
        return {**self.__dict__, "observation": None}

    # ---------------------------------------------------------------------------------- writing

    def write(self, origins: Origins, blocks: Iterable[Sequence[RowBlock]], left_out: dict[int, str]) -> None:
        """Write units down, in the order of ``origins``, and add their permuted rows to the sums of the permutation baseline.

        ``blocks`` are the rows of consecutive units. Each unit is in one block or, when all blocks have been taken, in
        ``left_out``, with the reason.
        """
        tests_units = self.observation.declaration.tests_units is not None
        ps = np.full(len(origins) if tests_units else 0, np.nan)
        for several in blocks:
            for block in several:
                for units, columns, reals in block.real():
                    self._know(columns)
                    self._unpacked.append((self._entries + units, columns, reals))
                if block.ps is not None:
                    ps[block.units] = block.ps
            if self.n_resamples:
                self._sum(origins, several)
        reasons = np.zeros(len(origins), dtype=np.int64)
        for i, reason in left_out.items():
            reasons[i] = self.known_reasons.setdefault(reason, len(self.known_reasons))
        self._append([origins], [narrowed(reasons)], [ps])

    def add_of_map(self, number: int, origins: Origins, blocks: Sequence[RowBlock]) -> None:
        """Add the rows of units by a map of a calibrated scorer to its sums. ``units`` of the blocks are places in ``origins``."""
        for units, columns, reals in chain.from_iterable(block.real() for block in blocks):
            named, reals = [(str(number), *column) for column in columns], on_grid(reals)
            for key, chosen in origins.by_subgroup(units).items():
                self._of_maps.setdefault(key, NullSums(0)).add_fixed(named, reals[chosen])

    def absorb(self, other: Ledger) -> None:
        """Append the rows of another ledger, which must not be used afterwards."""
        if other._chunks:  # they come after all that is here
            self.pack()
        self._know(other.columns)
        self._chunks += other._chunks
        self._packed += other._packed
        later = [(self._entries + units, columns, reals) for units, columns, reals in other._unpacked]
        self._unpacked += later
        self.is_relabelled |= other.is_relabelled
        for key, null in other.nulls.items():
            self._null(key).merge(null)
        for key, of_maps in other._of_maps.items():
            self._of_maps.setdefault(key, NullSums(0)).merge(of_maps)
        known = [self.known_reasons.setdefault(r, len(self.known_reasons)) for r in other.known_reasons]
        reasons = [narrowed(np.array(known)[own]) for own in other._reasons]
        self._append(other.whose, reasons, other._ps)

    def add_saved(self, origins: Origins, reasons: pa.ChunkedArray, chunk: Chunk) -> None:
        """Have the rows of a chunk, and no others, with the reasons of those that are missing."""
        codes, known = coded(reasons)
        self.known_reasons |= {reason: i for i, reason in enumerate(known.to_pylist(), 1)}
        self._know(sorted(chunk.columns))
        self._chunks, self._packed = [chunk], chunk.units
        self._append([origins], [narrowed(codes + 1)], [])

    def _append(self, whose: Sequence[Origins], reasons: Sequence[Codes], ps: Sequence[Floats]) -> None:
        self.whose += whose
        self._reasons += reasons
        self._ps += ps
        self._entries += sum(map(len, reasons))
        if self._entries - self._packed >= CHUNK:
            self.pack()

    def pack(self) -> None:
        """Pack the rows that are not packed yet."""
        place = {column: i for i, column in enumerate(self.columns)}
        rows, known = np.zeros((len(place), self._entries - self._packed)), dict[bytes, bytes]()
        for units, columns, reals in self._unpacked:
            own = np.array([place[column] for column in columns], dtype=np.int64)
            rows[own[:, np.newaxis], units - self._packed] = reals.T
        if rows.shape[1]:
            packed = {c: known.setdefault(b, b) for c, b in zip(place, map(_packed, rows), strict=True)}
            self._chunks.append(Chunk(rows.shape[1], packed))
        self._unpacked, self._packed = [], self._entries

    # ---------------------------------------------------------------------------------- reading

    @property
    def origins(self) -> Origins:
        """The origins of the entries."""
        self.whose = [Origins.joined(self.whose)]
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
        names, has_row = list(self.columns), self.reasons == 0
        columns = range(len(names)) if columns is None else columns
        matrix = np.empty((int(np.count_nonzero(has_row)), len(columns)))
        for j, k in enumerate(columns):
            matrix[:, j] = self._column(names[k])[has_row]
        return matrix

    def first_alike(self) -> list[int]:
        """Of each column the first that holds the same in all entries, as it may itself. Their places."""
        chunks, met = [chunk for _, chunk in self.chunks()], dict[object, int]()
        held = (tuple(chunk.columns.get(column) for chunk in chunks) for column in self.columns)
        return [met.setdefault(of_column, k) for k, of_column in enumerate(held)]

    def kept(self) -> Origins:
        """The origins that have a row, in the order of `matrix`."""
        return self.origins.of(np.flatnonzero(self.reasons == 0))

    @cached_property
    def excluded(self) -> dict[Key, dict[str, int]]:
        """By system and subgroup, when all rows are here, how many units have no row, by reason."""
        names, missing = list(self.known_reasons), np.flatnonzero(self.reasons)
        found: dict[Key, dict[str, int]] = {}
        for key, own in self.origins.by_subgroup(missing).items():
            counts = Counter(names[reason] for reason in self.reasons[missing[own]].tolist())
            found[key] = dict(sorted(counts.items()))
        return found

    def of_maps(self, key: Key) -> Totals:
        """The sums by each map of a calibrated scorer, with the leading axis (maps,); without columns where there are none."""
        sums = self._of_maps.get(key, NullSums(0)).fixed_sums()
        columns = {c: i for i, c in enumerate(sorted({column[1:] for column in sums}))}
        array = np.zeros((max((1 + int(column[0]) for column in sums), default=0), len(columns)))
        for (number, *column), total in sums.items():
            array[int(number), columns[tuple(column)]] = total
        return Totals(columns, array)

    def totals(self, array: Floats) -> Totals:
        """An array over this ledger's columns, by name."""
        return Totals(self.columns, array)

    # ---------------------------------------------------------------------------------- sorting

    def sort(self, order: Integers) -> None:
        """Put entries, columns and reasons into the one order that no order of the input changes: that of their names.

        ``order`` is that of the origins. Columns are unpacked one at a time.
        """
        columns = sorted(self.columns)
        names, alike = list(self.columns), self.first_alike()
        first = {column: names[alike[self.columns[column]]] for column in columns}
        starts = range(0, len(order), SORTED)
        made: dict[Column, list[bytes]] = {}
        for column in dict.fromkeys(first.values()):
            reals = self._column(column)[order]
            made[column] = [_packed(reals[start : start + SORTED]) for start in starts]
        self._chunks = [
            Chunk(min(SORTED, len(order) - start), {column: made[first[column]][i] for column in columns})
            for i, start in enumerate(starts)
        ]
        self.columns = {column: i for i, column in enumerate(columns)}
        if len(self.ps):
            self._ps = [self.ps[order]]
        reasons = sorted(self.known_reasons)  # 0 stays the number of none, which is empty
        number = np.array([reasons.index(r) for r in self.known_reasons])
        self._reasons = [narrowed(number[self.reasons[order]])]
        self.known_reasons = {reason: i for i, reason in enumerate(reasons)}

    def _column(self, column: Column) -> Floats:
        """One column of all entries, 0 where there is no row. Shape: (entries,)."""
        return np.concatenate([np.zeros(0), *(chunk.column(column) for _, chunk in self.chunks())])

    # ------------------------------------------------------------------------------ permutations

    def _sum(self, origins: Origins, blocks: Sequence[RowBlock]) -> None:
        """Add the rows of units, which are clusters by themselves, or may share theirs: then those of a cluster follow each other."""
        are_clusters = not any(kind.is_shared for kind in origins.known_kinds)
        for block in blocks:
            self._sum_rows(origins, block, are_clusters=are_clusters)
        if not are_clusters:
            self._sum_squares(origins, blocks)

    def _sum_rows(self, origins: Origins, block: RowBlock, *, are_clusters: bool) -> None:
        """Add rows of units; where each is a cluster by itself its squares, too."""
        contrasts = self._contrasts(block) if are_clusters else {}
        names, squares = squares_of(contrasts)
        columns, values = (*block.columns, *names), on_grid(block.values)
        if names:
            values = np.concatenate([values, squares], axis=2)
        moving = None if block.choices is None else RelabelledRows.of_all(columns, values, block.choices)
        self.is_relabelled |= moving is not None
        for key, chosen in origins.by_subgroup(block.units).items():
            if moving is None:
                self._null(key).add_fixed(columns, values[chosen, 0])
            else:
                self._null(key).add(moving.of(chosen), are_clusters=are_clusters)

    def _sum_squares(self, origins: Origins, blocks: Sequence[RowBlock]) -> None:
        """Add the squares of clusters of several units, which come one after another."""
        contrasts, clusters = [self._contrasts(block) for block in blocks], list(origins.clusters)
        units = sorted((i, b, j) for b, block in enumerate(blocks) for j, i in enumerate(block.units))
        for i, b, j in units:
            choices, permutations = blocks[b].choices, blocks[b].values.shape[1]
            taken = 0 if choices is None else choices[j]
            moved = {name: x[j].take(taken, axis=0) for name, x in contrasts[b].items()}
            kind = origins.known_kinds[origins.kind[i]]
            for part in (WHOLE, *kind.subgroups):
                null = self._null((kind.system, part))
                null.hold(clusters[i], moved, 0 if choices is None else permutations)

    def _contrasts(self, block: RowBlock) -> dict[str, Floats]:
        return contrast_sums(self.observation, block.columns, block.values)

    def _null(self, key: Key) -> NullSums:
        if key not in self.nulls:
            self.nulls[key] = NullSums(self.n_resamples)
        return self.nulls[key]

    def _know(self, columns: Iterable[Column]) -> None:
        for column in columns:
            self.columns.setdefault(column, len(self.columns))


def _together(several: Sequence[NDArray[Any]], kind: np.dtype[Any]) -> NDArray[Any]:
    return several[0] if len(several) == 1 else np.concatenate([np.zeros(0, dtype=kind), *several])


def sort(ledgers: Iterable[Ledger]) -> None:
    """Sort all ledgers; ledgers of the same units share their origins."""
    known: dict[tuple[int, ...], tuple[Sequence[Origins], Integers, Origins]] = {}
    for ledger in ledgers:
        batches = ledger.whose
        units = tuple(map(id, batches))  # the batches stay in `known`, so that no other object has their ids
        if units not in known:
            order = ledger.origins.order()
            known[units] = batches, order, ledger.origins.of(order)
        _, order, origins = known[units]
        ledger.sort(order)
        ledger.whose = [origins]
