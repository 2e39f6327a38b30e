"""Values of a measure for single records, each row of per-record statistics as if it were the whole of it; and which way is better."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from fairbrief import registry
from fairbrief.auditing.observing import OF_EXTRACTS
from fairbrief.auditing.per_record import COLUMN, columns_of
from fairbrief.declarations import Direction
from fairbrief.errors import FairbriefError
from fairbrief.measures.representation import HIGHEST, LOWEST
from fairbrief.reports.frames import plain_numbers, rows_with, usable
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.types import Column, Floats, Measure, Totals, Value

BATCH = 1 << 14
"""Rows that are held as numbers at a time."""


@dataclass(frozen=True, slots=True)
class RecordValues:
    """The values of one measure, per row of its per-record statistics.

    Shapes: ``system`` and ``record`` (rows,) texts; ``p`` (rows,) numbers, null without a test of the single row;
    ``by_quantity``: per quantity (rows,), nan where undefined.
    """

    measure: Measure
    system: pa.ChunkedArray
    record: pa.ChunkedArray
    p: pa.ChunkedArray
    by_quantity: Mapping[str, Floats]


def is_signed(name: str, tail: str | None) -> bool:
    """Whether a quantity is a signed contrast of one group: ``difference[negative]``, not of a pair."""
    return tail == "both" and name.endswith("]") and not any(sign in name for sign in "−/")


@dataclass(frozen=True, slots=True)
class RowReader:
    """Computes a measure's values of single rows; ``fields`` are the statistics of its observation."""

    measure: Measure
    fields: tuple[pa.Field, ...]

    @property
    def columns(self) -> list[tuple[str, ...]]:
        """The fields' statistics."""
        return [tuple(json.loads(f.metadata[COLUMN])) for f in self.fields]

    def values(self, rows: pa.Table) -> dict[str, Floats]:
        """The main value and the groups' signed contrasts, row by row; nan where undefined."""
        return self.values_in(_matrices(rows, [f.name for f in self.fields]), len(rows))

    def values_in(self, matrices: Iterable[Floats], rows: int) -> dict[str, Floats]:
        """`values` of all rows, whose statistics come as consecutive matrices, (some rows, fields) each."""
        columns = self.columns
        main_value = self.measure.name
        shown = [n for n, v in self.of_nothing().items() if n == main_value or is_signed(n, v.tail)]
        found = {name: np.zeros(rows) for name in shown}
        start = 0
        for matrix in matrices:
            values = self.measure.value(_totals(columns, matrix))
            for name, held in found.items():
                held[start : start + len(matrix)] = values[name].array
            start += len(matrix)
        return found

    def of_nothing(self) -> Mapping[str, Value]:
        """The values of a record of which every statistic is 0: their names, tails and groups."""
        return self.measure.value(_totals(self.columns, np.zeros((1, len(self.columns)))))

    @property
    def has_bounds(self) -> bool:
        """Whether the measure bounds how much of a contrast unmatched claims could explain."""
        return any(name.startswith(LOWEST) for name in self.of_nothing())

    def surely(self, rows: pa.Table) -> dict[str, Floats]:
        """By group, row by row, how far its contrast surely is from even and from what random sentences of the record give.

        Positive of a group that is above, negative below; 0 where it may be neither, since what the scorer did not find can
        be a paraphrase. A measure that gives no bounds to its contrast is taken at its word.
        """
        columns = self.columns
        found: dict[str, list[Floats]] = {}
        for matrix in _matrices(rows, [f.name for f in self.fields]):
            totals = _totals(columns, matrix)
            values, of_extracts = self.measure.value(totals), totals.part(OF_EXTRACTS)
            random = self.measure.value(of_extracts) if of_extracts.columns else {}
            for group, name in contrasts_of(values, self.measure).items():
                value = values[name].array
                ends = (values.get(f"{bound}[{group}]") for bound in (LOWEST, HIGHEST))
                low, high = (value if end is None else end.array for end in ends)
                baseline = np.nan_to_num(random[name].array) if name in random else np.zeros(len(matrix))
                above = np.maximum(low - np.maximum(baseline, 0.0), 0.0)
                below = np.minimum(high - np.minimum(baseline, 0.0), 0.0)
                found.setdefault(group, []).append(np.nan_to_num(above + below))
        return {group: np.concatenate(parts) for group, parts in found.items()}


def contrasts_of(values: Mapping[str, Value], measure: Measure) -> dict[str, str]:
    """The first signed contrast of each group."""
    found: dict[str, str] = {}
    for name, value in values.items():
        if name != measure.name and is_signed(name, value.tail) and value.group:
            found.setdefault(value.group, name)
    return found


def reader_of(spec: str, fields: Sequence[pa.Field]) -> RowReader | None:
    """The `RowReader` of a measure for these fields; None if the measure is not registered."""
    try:
        measure: Measure = registry.make("measure", spec)
    except FairbriefError:  # of a plug-in that is not installed here
        return None
    return RowReader(measure, tuple(f for f in fields if f.metadata and COLUMN in f.metadata))


def stories_of(rows: pa.Table, spec: str, records: Collection[str]) -> dict[tuple[str, str], str]:
    """By system and record what the measure explains of it; nothing of what it could not read, or is not declared here.

    ``rows`` are those of the measure's observation.
    """
    rows = usable(rows_with(rows, "record", *records))
    reader = reader_of(spec, list(rows.schema))
    if reader is None:
        return {}
    columns = reader.columns
    told: list[str] = []
    for matrix in _matrices(rows, [f.name for f in reader.fields]):
        for row in matrix:
            # Of groups that others have a row holds zeros: it has no such columns.
            seen = {columns[i]: int(i) for i in np.flatnonzero(row)}
            told.append(reader.measure.explain(Totals(seen, row)))
    return dict(
        zip(zip(rows["system"].to_pylist(), rows["record"].to_pylist(), strict=True), told, strict=True)
    )


def values_of_records(rows: pa.Table, specs: Iterable[str]) -> dict[str, RecordValues]:
    """The values of each measure for every usable row; unregistered measures are skipped.

    ``rows`` are those of the measures' observation.
    """
    fields = [f for f in rows.schema if rows[f.name].null_count < len(rows)]
    readers = {spec: reader for spec in specs if (reader := reader_of(spec, fields)) is not None}
    if not readers:
        return {}
    rows = usable(rows.select(list(dict.fromkeys(("system", "record", "p", *(f.name for f in fields))))))
    matrices = list(_matrices(rows, [f.name for f in next(iter(readers.values())).fields]))
    return {
        spec: RecordValues(
            reader.measure, rows["system"], rows["record"], rows["p"], reader.values_in(matrices, len(rows))
        )
        for spec, reader in readers.items()
    }


def _matrices(rows: pa.Table, names: Sequence[str]) -> Iterator[Floats]:
    for start in range(0, len(rows), BATCH):
        part = rows.slice(start, BATCH)
        blocks = [plain_numbers(part[n].cast(pa.float64())) for n in names]
        yield np.array(blocks).reshape(len(names), len(part)).T  # so that each column is contiguous


def _totals(columns: Sequence[tuple[str, ...]], matrix: Floats) -> Totals:
    return Totals({column: i for i, column in enumerate(columns)}, matrix)


def better(measure: Measure, columns: Collection[Column] = ()) -> Direction:
    """``less`` of a disparity, ``more`` of a quality, and a signed contrast ``nearer zero``.

    A measure may declare it. By default: a disparity's main value is tested
    in its upper tail, a signed contrast's in both; a main value without label permutations is
    label-independent, like ROUGE, and higher is better. ``columns`` are the observed columns, since
    a measure may have no value without rows.
    """
    if measure.declaration.better is not None:
        return measure.declaration.better
    nothing = Totals({c: i for i, c in enumerate(columns)}, np.zeros(len(columns)))
    tail = measure.value(nothing)[measure.name].tail
    return "more" if tail is None else "less" if tail == "upper" else "nearer zero"


def directions(per_record: PerRecordRows) -> Mapping[str, Direction]:
    """The better direction of every measure of a saved audit, from the first rows that have it."""
    found: dict[str, Direction] = {}
    known: dict[str, Collection[Column]] = {}
    for spec, observation in per_record.measures().items():
        if observation not in known:
            pieces = map(columns_of, per_record.each_of(observation))
            known[observation] = next(filter(None, pieces), {})
        if known[observation]:
            found[spec] = better(registry.make("measure", spec), known[observation])
    return found
