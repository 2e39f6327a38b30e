"""Where the rows of one observation are written down, and summed under chance labellings."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.contrast_sums import contrast_sums, squares_of
from fairbrief.auditing.null_sums import NullSums
from fairbrief.auditing.number_columns import as_numbers, compact, extended
from fairbrief.auditing.origins import WHOLE, Origin, Origins, Slice
from fairbrief.auditing.packed_columns import Chunk, Packed, code_type, pack_codes
from fairbrief.auditing.relabelled_rows import RelabelledRows
from fairbrief.statistics import Choice
from fairbrief.statistics.grid import on_grid
from fairbrief.types import Column, Floats, Integers, Observation, Rows, Totals

CHUNK = 1 << 12
"""Units that are packed together as they come, or fewer."""
SETTLED = 1 << 15
"""Units that are packed together once they are in order, column by column: as many as `Packed` can tell apart."""


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Units that have the same columns and as many labellings.

    Shapes: ``units`` (N,), which of those that are written together; ``values`` (N, R, columns), the real labelling first;
    ``choices`` (N, n_resamples), the labelling that each resample takes, or None where nothing can be permuted; ``ps`` (N,), of the units' own tests. ``beside`` (N, ``beside_columns``) is what no permutation moves and only the real row
    has: chance means, random extracts.
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
        """With more beside the real rows. Shape of ``values``: (N, columns)."""
        if self.beside is not None:
            columns, values = (*self.beside_columns, *columns), np.concatenate([self.beside, values], axis=1)
        return replace(self, beside_columns=columns, beside=values)


Written = tuple[Integers, Integers, Floats]
"""Real rows of some units: which units (N,), the places of their columns (C,), and the numbers (N, C)."""


@dataclass
class Ledger:
    """All rows that one observation made, in the order of the input until they are `settled`.

    Entry i comes from ``origins[i]`` and has ``reasons[i]`` (0: it has a row; else an index into
    ``known_reasons``) and ``ps[i]`` (nan where the unit was not tested alone; ``ps`` is empty where
    the observation tests no unit alone).
    """

    observation: Observation
    n_resamples: int
    lacks_null: bool = False
    """Whether labels were permuted, and the sums under permuted labels are not here."""
    columns: dict[Column, int] = field(default_factory=dict)
    origins: Origins = field(default_factory=Origins)
    reasons: array[int] = field(default_factory=lambda: array("b"))
    ps: array[float] = field(default_factory=lambda: array("d"))
    known_reasons: dict[str, int] = field(default_factory=lambda: {"": 0})
    _chunks: list[tuple[int, Chunk]] = field(default_factory=list)
    """Each with its first entry."""
    _pending: list[Written] = field(default_factory=list)
    _positions: dict[tuple[Column, ...], Integers] = field(default_factory=dict)
    _nulls: dict[tuple[str, Slice], NullSums] = field(default_factory=dict)
    _left_out: dict[tuple[str, Slice], Counter[str]] = field(default_factory=dict)
    _was_relabelled: bool = False

    def leave_out(self, origin: Origin, reason: str) -> None:
        """Note a unit that has no row, and why."""
        self.write([origin], (), {0: reason})

    def add(self, origin: Origin, rows: Rows, choice: Choice | None) -> None:
        """Write one unit down: its real row, and where labels are exchanged its rows under all labellings.

        ``choice`` (n_resamples,) picks a labelling for each resample; None where nothing can be permuted.
        """
        choices = None if choice is None else choice[np.newaxis]
        block = RowBlock(np.zeros(1, dtype=np.int64), rows.columns, rows.values[np.newaxis], choices)
        self.write([origin], [block])

    def write(
        self,
        origins: Sequence[Origin],
        blocks: Sequence[RowBlock],
        left_out: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Write units down, in the order of ``origins``, and add their permuted rows to the sums of the permutation baseline.

        Each unit is in one block, or it is left out, with the reason.
        """
        first = len(self.reasons)
        self._keep(origins)
        self._note(origins, left_out)
        for block in blocks:
            positions, reals = self._place(block.columns), block.values[:, 0].copy()
            if block.beside is not None:
                positions = np.concatenate([positions, self._place(block.beside_columns)])
                reals = np.concatenate([reals, block.beside], axis=1)
            self._pending.append((first + block.units, positions, reals))
            if block.ps is not None and self.ps:
                np.frombuffer(self.ps)[first + block.units] = block.ps
        if self.n_resamples:
            self._sum(origins, blocks)
        self._pack_what_is_full()

    def _note(self, origins: Sequence[Origin], left_out: Mapping[int, str]) -> None:
        """Whose units come next, and which of them have no row."""
        reasons = np.zeros(len(origins), dtype=np.int64)
        alike: Counter[tuple[str, tuple[Slice, ...], str]] = Counter()
        for i, reason in left_out.items():
            reasons[i] = self.known_reasons.setdefault(reason, len(self.known_reasons))
            alike[origins[i].system, origins[i].slices, reason] += 1
        for (system, slices, reason), many in alike.items():
            for part in (WHOLE, *slices):
                self._left_out.setdefault((system, part), Counter())[reason] += many
        self.reasons = extended(self.reasons, reasons)
        if self.observation.declaration.tests_units is not None:
            self.ps.extend(itertools.repeat(np.nan, len(origins)))

    def _keep(self, origins: Sequence[Origin]) -> None:
        self.origins.extend(origins)

    def _sum(self, origins: Sequence[Origin], blocks: Sequence[RowBlock]) -> None:
        kinds = _Kinds(origins)
        shared: list[RowBlock] = []
        for block in blocks:
            is_shared = kinds.are_shared(block.units)
            if not is_shared.all():
                self._sum_rows(block.of(np.flatnonzero(~is_shared)), kinds, are_clusters=True)
            if is_shared.any():
                shared.append(block.of(np.flatnonzero(is_shared)))
                self._sum_rows(shared[-1], kinds, are_clusters=False)
        self._sum_squares(origins, shared)

    def _sum_rows(self, block: RowBlock, kinds: _Kinds, *, are_clusters: bool) -> None:
        """Add rows of units; where each is a cluster by itself its squares, too."""
        contrasts = self._contrasts(block) if are_clusters else {}
        names, squares = squares_of(contrasts)
        columns, values = (*block.columns, *names), on_grid(block.values)
        if names:
            values = np.concatenate([values, squares], axis=2)
        moving = None if block.choices is None else RelabelledRows.of_all(columns, values, block.choices)
        for key, chosen in kinds.by_slice(block.units).items():
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
            choices, labellings = blocks[b].choices, blocks[b].values.shape[1]
            moved = {
                name: x[j, 0] if choices is None else x[j].take(choices[j], axis=0)
                for name, x in contrasts[b].items()
            }
            for part in (WHOLE, *origins[i].slices):
                null = self._null((origins[i].system, part))
                null.hold(origins[i].cluster, moved, 0 if choices is None else labellings)

    def absorb(self, sheet: Sheet, origins: Sequence[Origin]) -> None:
        """Add what was written down apart, as if its units had come here next; the sheet is then used up.

        ``origins`` are those of the sheet's units.
        """
        if sheet._chunks:  # they come after all that is here
            self.pack()
        first, place = len(self.reasons), self._new_place(sheet.columns)
        self._chunks += [(first + start, chunk.placed(place)) for start, chunk in sheet._chunks]
        self.origins.extend(origins)
        known = [self.known_reasons.setdefault(r, len(self.known_reasons)) for r in sheet.known_reasons]
        self.reasons = extended(self.reasons, np.array(known)[as_numbers(sheet.reasons)])
        self.ps.extend(sheet.ps)
        for part, many in sheet._left_out.items():
            self._left_out.setdefault(part, Counter()).update(many)
        for units, positions, reals in sheet.blocks():
            self._pending.append((first + units, place[positions], reals))
        for key, null in sheet._nulls.items():
            null.close()
            if key not in self._nulls and null.holds_rows_alone:  # sums of other processes may be read-only
                self._nulls[key] = null
            else:
                self._null(key).merge(null)
        self._pack_what_is_full()

    def settle(self, order: Integers | None = None) -> None:
        """Put entries, columns and reasons into the one order that no order of the input changes: that of their names.

        ``order`` is that of the origins, where it is known. Columns are unpacked one at a time.
        """
        self.pack()
        order = self.origins.order() if order is None else order
        columns = sorted(self.columns)
        old = [self.columns[c] for c in columns]
        self.columns = {column: i for i, column in enumerate(columns)}
        self._positions.clear()
        if (order[1:] > order[:-1]).all():
            places = np.argsort(old)
            self._chunks = [(start, chunk.placed(places)) for start, chunk in self._chunks]
        else:
            self._chunks = self._reordered(old, order)
            self.origins = self.origins.of(order)
            self.reasons = compact(as_numbers(self.reasons)[order])
            if self.ps:
                self.ps = array("d", np.frombuffer(self.ps, dtype=np.float64)[order].tobytes())
        reasons = ["", *sorted(r for r in self.known_reasons if r)]
        number = np.array([reasons.index(r) for r in self.known_reasons], dtype=np.int32)
        self.reasons = compact(number[as_numbers(self.reasons)])
        self.known_reasons = {reason: i for i, reason in enumerate(reasons)}

    def pack(self) -> None:
        """Pack what is not packed yet."""
        if self._n_packed < len(self.reasons):
            self._chunks.append((self._n_packed, Chunk.of(self._open_rows())))
        self._pending.clear()

    @property
    def _n_packed(self) -> int:
        """How many entries are packed."""
        return _end(self._chunks[-1]) if self._chunks else 0

    def _reordered(self, columns: Sequence[int], order: Integers) -> list[tuple[int, Chunk]]:
        starts = range(0, len(order), SETTLED)
        known: list[dict[bytes, Packed]] = [{} for _ in starts]
        first, made = self.first_alike(), dict[int, list[Packed]]()
        for k in dict.fromkeys(first[k] for k in columns):
            numbers, codes = self._column(k)
            codes = codes[order]
            made[k] = [
                pack_codes(numbers, codes[start : start + SETTLED], packed)
                for start, packed in zip(starts, known, strict=True)
            ]
        return [
            (start, Chunk(min(SETTLED, len(order) - start), [made[first[k]][i] for k in columns]))
            for i, start in enumerate(starts)
        ]

    def _column(self, k: int) -> tuple[Floats, NDArray[np.int32]]:
        """The distinct numbers of one column of all entries, 0 where there is no row; and which of them each has."""
        held = {start: packed for start, chunk in self.packed() if (packed := chunk.held(k)) is not None}
        numbers = np.unique(np.concatenate([np.zeros(1), *(packed.numbers for packed in held.values())]))
        codes = np.full(len(self.reasons), np.searchsorted(numbers, 0), dtype=np.int32)
        for start, packed in held.items():
            place = np.searchsorted(numbers, packed.numbers)
            codes[start : start + packed.units] = place[packed.codes]
        return numbers, codes

    def first_alike(self) -> list[int]:
        """Of each column the first that holds the same in all packed entries, as it may itself. Their places."""
        chunks, met = [chunk for _, chunk in self.packed()], dict[tuple[int, ...], int]()
        # Of a chunk's equal columns one is held (`Chunk.of`).
        held = (tuple(id(chunk.held(k)) for chunk in chunks) for k in range(len(self.columns)))
        return [met.setdefault(of_column, k) for k, of_column in enumerate(held)]

    def matrix(self, columns: Sequence[int] | None = None) -> Floats:
        """The real rows, or these columns of them. Shape (units with a row, columns). Unpacked anew at each call."""
        columns = range(len(self.columns)) if columns is None else columns
        has_row = as_numbers(self.reasons) == 0
        matrix = np.zeros((int(np.count_nonzero(has_row)), len(columns)))
        stop = 0
        for entry, chunk in self.packed():
            own = has_row[entry : entry + chunk.units]
            start, stop = stop, stop + int(np.count_nonzero(own))
            for j, k in enumerate(columns):
                if (packed := chunk.held(k)) is not None:
                    matrix[start:stop, j] = packed.column[own]
        return matrix

    def packed(self, rows: range | None = None) -> Sequence[tuple[int, Chunk]]:
        """The chunks that hold some entries, or all, each with the first entry in it."""
        rows = range(len(self.reasons)) if rows is None else rows
        first = bisect_right(self._chunks, rows.start, key=_end)
        stop = bisect_left(self._chunks, rows.stop, key=itemgetter(0))
        found = self._chunks[first:stop]
        if rows.stop > self._n_packed:
            found.append((self._n_packed, Chunk.of(self._open_rows())))
        return found

    def code_types(self) -> dict[Column, np.dtype[np.signedinteger[Any]]]:
        """By column how many bytes the codes of its chunks take."""
        chunks = [chunk for _, chunk in self.packed()]
        held = {column: [chunk.held(k) for chunk in chunks] for column, k in self.columns.items()}
        return {
            column: max([code_type(1), *(packed.code_type for packed in several if packed is not None)])
            for column, several in held.items()
        }

    def reasons_of(self, rows: range) -> Integers:
        """The reasons of some entries. Shape: (entries,)."""
        return as_numbers(self.reasons)[rows.start : rows.stop]

    def kept(self) -> Origins:
        """The origins that have a row, in the order of `matrix`."""
        return self.origins.of(as_numbers(self.reasons) == 0)

    def excluded(self, system: str, part: Slice) -> Mapping[str, int]:
        """How many units of a system and slice have no row, by reason."""
        return dict(sorted(self._left_out.get((system, part), {}).items()))

    def null(self, system: str, part: Slice) -> NullSums | None:
        """The sums under permutations; None where there are none."""
        return self._nulls.get((system, part))

    @property
    def is_relabelled(self) -> bool:
        """Whether labels were exchanged in some unit."""
        return self._was_relabelled or any(null.is_relabelled for null in self._nulls.values())

    def drop_null(self, system: str, part: Slice) -> None:
        """Let sums go that nobody asks for again."""
        null = self._nulls.pop((system, part), None)
        self._was_relabelled |= null is not None and null.is_relabelled

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

    def _null(self, key: tuple[str, Slice]) -> NullSums:
        if key not in self._nulls:
            self._nulls[key] = NullSums(self.n_resamples)
        return self._nulls[key]

    def _contrasts(self, block: RowBlock) -> dict[str, Floats]:
        observation: Any = self.observation
        return contrast_sums(observation, block.columns).of(block.values)

    def _open_rows(self) -> Floats:
        """The entries that are not packed. Shape (entries, columns)."""
        rows = np.zeros((len(self.reasons) - self._n_packed, len(self.columns)))
        for units, positions, reals in self._pending:
            rows[(units - self._n_packed)[:, np.newaxis], positions] = reals
        return rows

    def _pack_what_is_full(self) -> None:
        if len(self.reasons) - self._n_packed < CHUNK:
            return
        rows, first = self._open_rows(), self._n_packed
        full = len(rows) // CHUNK * CHUNK
        self._chunks += [
            (first + start, Chunk.of(rows[start : start + CHUNK])) for start in range(0, full, CHUNK)
        ]
        rest = np.arange(self._n_packed, len(self.reasons))
        self._pending = [(rest, np.arange(len(self.columns)), rows[full:].copy())]


@dataclass
class Sheet(Ledger):
    """What one observation wrote down of a few units, or absorbed of a part's, on its way into a `Ledger`.

    It may come from another process. It does not keep whose units were written: the receiver knows. What it absorbed is
    packed, what it wrote down is not: the receiver may look at it.
    """

    def blocks(self) -> Sequence[Written]:
        """What is not packed."""
        return self._pending

    def absorb(self, sheet: Sheet, origins: Sequence[Origin]) -> None:
        """As a ledger does."""
        super().absorb(sheet, origins)
        super()._pack_what_is_full()

    def __getstate__(self) -> dict[str, Any]:
        for null in self._nulls.values():
            null.close()
        return {
            **self.__dict__,
            "observation": None,
            "origins": Origins(),
            "_positions": {},
        }

    def _keep(self, origins: Sequence[Origin]) -> None:
        pass

    def _pack_what_is_full(self) -> None:
        pass


class _Kinds:
    """Which units are alike: of one system, in the same slices, of clusters that are shared or are not."""

    def __init__(self, origins: Sequence[Origin]) -> None:
        kinds: dict[tuple[str, tuple[Slice, ...], bool], int] = {}
        self._numbers = np.array(
            [kinds.setdefault((o.system, o.slices, o.is_shared), len(kinds)) for o in origins], dtype=np.int64
        )
        self._kinds = list(kinds)
        self._is_shared = np.array([is_shared for _, _, is_shared in kinds], dtype=np.bool_)

    def are_shared(self, units: Integers) -> NDArray[np.bool_]:
        """Whether other units may belong to the clusters of these. Shapes: (n,) each."""
        return self._is_shared[self._numbers[units]]

    def by_slice(self, units: Integers) -> Mapping[tuple[str, Slice], Sequence[int]]:
        """By system and slice which of these units belong to it: their places in ``units``."""
        alike: dict[int, Sequence[int]] = {0: range(len(units))}
        if len(self._kinds) > 1:
            several: dict[int, list[int]] = {}
            for i, number in enumerate(self._numbers[units].tolist()):
                several.setdefault(number, []).append(i)
            alike = {**several}
        found: dict[tuple[str, Slice], list[int]] = {}
        for number, chosen in alike.items():
            system, slices, _ = self._kinds[number]
            for part in (WHOLE, *slices):
                found.setdefault((system, part), []).extend(chosen)
        return found


def _end(placed: tuple[int, Chunk]) -> int:
    """The first entry after a chunk."""
    start, chunk = placed
    return start + chunk.units


def settle(ledgers: Iterable[Ledger]) -> None:
    """All ledgers into the one order; those of the same rows share what says whose they are."""
    before, after = Origins(), Origins()
    order = before.order()
    for ledger in ledgers:
        if ledger.origins != before:
            before, order = ledger.origins, ledger.origins.order()
            ledger.settle(order)
            after = ledger.origins
        else:
            ledger.settle(order)
            ledger.origins = after
