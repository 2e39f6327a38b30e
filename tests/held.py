"""Per-record statistics of results that tests make up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from fairbrief.reports.frames import rows_with
from fairbrief.reports.per_record import PerRecordRows, Wanted, all_columns


@dataclass(frozen=True, slots=True)
class Held(PerRecordRows):
    """Per-record statistics in memory."""

    held: pa.Table

    def __len__(self) -> int:
        return int(self.held.num_rows)

    def measures(self) -> dict[str, str]:
        if not {"observation", "measures"} <= set(self.held.column_names):
            return {}
        kinds = zip(*(self.held[name].to_pylist() for name in ("observation", "measures")), strict=True)
        return {spec: observation for observation, of in dict.fromkeys(kinds) for spec in of.split("\n")}

    def column_names(self) -> list[str]:
        return list(self.held.column_names)

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        names = [name for name in self.held.column_names if wanted(name)]
        yield rows_with(self.held, "observation", observation).select(names)

    def table(self) -> pa.Table:
        return self.held
