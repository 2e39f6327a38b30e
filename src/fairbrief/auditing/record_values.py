"""Values of a measure for single records, each row of per-record statistics as if it were the whole of it; and which way is better."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from fairbrief import registry
from fairbrief.auditing.observing import OF_EXTRACTS
from fairbrief.auditing.per_record import columns_of
from fairbrief.declarations import Direction
from fairbrief.errors import FairbriefError
from fairbrief.measures.representation import HIGHEST, LOWEST
from fairbrief.reports.frames import plain_numbers
from fairbrief.types import Column, Floats, Measure, Totals, Value

BATCH = 1 << 14
"""Rows that are held as numbers at a time."""


def is_signed(name: str, value: Value) -> bool:
    """Whether a quantity is a group difference of one group: ``difference[negative]``, not of a pair."""
    is_single = value.group or not any(sign in name for sign in "−/")
    return bool(value.tail == "both" and name.endswith(f"{value.group}]") and is_single)


@dataclass(frozen=True)
class RowReader:
    """Computes a measure's values of single rows; ``names`` are the statistics of its observation, with their columns in tables."""

    measure: Measure
    names: Mapping[Column, str]

    def _totals(self, array: Floats) -> Totals:
        return Totals({column: i for i, column in enumerate(self.names)}, array)

    def totals(self, rows: pa.Table) -> Iterator[Totals]:
        """The statistics of some rows after others. Shape: (rows, fields)."""
        for start in range(0, len(rows), BATCH):
            part = rows.slice(start, BATCH)
            blocks = [plain_numbers(part[name].cast(pa.float64())) for name in self.names.values()]
            # Transposed, so that each column is contiguous.
            yield self._totals(np.array(blocks).reshape(len(blocks), len(part)).T)

    def values(self, rows: pa.Table) -> dict[str, Floats]:
        """The main value and the group differences, row by row; nan where undefined."""
        found: dict[str, list[Floats]] = {
            name: [np.zeros(0)]
            for name, value in self.of_nothing.items()
            if name == self.measure.name or is_signed(name, value)
        }
        for totals in self.totals(rows):
            values = self.measure.value(totals)
            for name, parts in found.items():
                parts.append(np.broadcast_to(values[name].array, len(totals.array)))
        return {name: np.concatenate(parts) for name, parts in found.items()}

    def stories(self, rows: pa.Table) -> Iterator[str]:
        """What the measure explains of each row."""
        for totals in self.totals(rows):
            columns = list(totals.columns)
            for row in totals.array:
                # Of groups that others have a row holds zeros: it has no such columns.
                seen = {columns[i]: int(i) for i in np.flatnonzero(row)}
                yield self.measure.explain(Totals(seen, row))

    @cached_property
    def of_nothing(self) -> Mapping[str, Value]:
        """The values of a record of which every statistic is 0: their names, tails and groups."""
        return self.measure.value(self._totals(np.zeros((1, len(self.names)))))

    @cached_property
    def differences(self) -> dict[str, str]:
        """By group the name of its first group difference."""
        found: dict[str, str] = {}
        for name, value in self.of_nothing.items():
            if name != self.measure.name and is_signed(name, value) and value.group:
                found.setdefault(value.group, name)
        return found

    @property
    def has_bounds(self) -> bool:
        """Whether the measure bounds how much of a contrast unmatched claims could explain."""
        return any(name.startswith(LOWEST) for name in self.of_nothing)

    def surely(self, rows: pa.Table) -> dict[str, Floats]:
        """By group, row by row, how far its contrast surely is from even and from what random sentences of the record give.

        Positive of a group that is above, negative below; 0 where it may be neither, since what the scorer did not find can
        be a paraphrase. A measure that gives no bounds to its contrast is taken at its word.
        """
        found: dict[str, list[Floats]] = {group: [np.zeros(0)] for group in self.differences}
        for totals in self.totals(rows):
            values, of_extracts = self.measure.value(totals), totals.part(OF_EXTRACTS)
            random = self.measure.value(of_extracts) if of_extracts.columns else {}
            for group, name in self.differences.items():
                value = values[name].array
                ends = (values.get(f"{bound}[{group}]") for bound in (LOWEST, HIGHEST))
                low, high = (value if end is None else end.array for end in ends)
                baseline = np.nan_to_num(random[name].array) if name in random else np.zeros(len(value))
                above = np.maximum(low - np.maximum(baseline, 0.0), 0.0)
                below = np.minimum(high - np.minimum(baseline, 0.0), 0.0)
                found[group].append(np.nan_to_num(above + below))
        return {group: np.concatenate(parts) for group, parts in found.items()}


def reader_of(spec: str, fields: Iterable[pa.Field]) -> RowReader | None:
    """The `RowReader` of a measure for the statistics among these fields; None if the measure is not registered."""
    try:
        measure: Measure = registry.make("measure", spec)
    except FairbriefError:  # of a plug-in that is not installed here
        return None
    return RowReader(measure, columns_of(fields))


def better(measure: Measure, columns: Collection[Column] = ()) -> Direction:
    """``less`` of a disparity, ``more`` of a quality, and a group difference ``nearer zero``.

    A measure may declare it. By default: a disparity's main value is tested
    in its upper tail, a group difference in both; a main value without label permutations is
    label-independent, like ROUGE, and higher is better. ``columns`` are the observed columns, since
    a measure may have no value without rows.
    """
    if measure.declaration.better is not None:
        return measure.declaration.better
    nothing = Totals({c: i for i, c in enumerate(columns)}, np.zeros(len(columns)))
    tail = measure.value(nothing)[measure.name].tail
    return "more" if tail is None else "less" if tail == "upper" else "nearer zero"
