"""The evidence under a result, in whatever form takes little room: tables of it are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from fairbrief.reports.frames import first_of_each, rows_with

Wanted = Callable[[str], bool]


def all_columns(_: str) -> bool:
    """Wants every column."""
    return True


class EvidenceRows(Protocol):
    """The rows of all observations, one observation after another. See `Result` for the columns."""

    def __len__(self) -> int:
        """How many rows there are."""

    def measures(self) -> Mapping[str, str]:
        """The measures by spec, and the observation that each reads."""

    def slice(self, start: int, length: int) -> pa.Table:
        """So many rows from one on, with all columns."""

    def of(self, observation: str, wanted: Wanted = all_columns) -> pa.Table:
        """The rows of one observation, with the columns that it has and whose names are wanted."""

    def table(self) -> pa.Table:
        """All rows."""


@dataclass(frozen=True, slots=True)
class Held:
    """Evidence that is held as a table."""

    held: pa.Table

    def __len__(self) -> int:
        return int(self.held.num_rows)

    def measures(self) -> dict[str, str]:
        """The measures by spec, and the observation that each reads."""
        if not {"observation", "measures"} <= set(self.held.column_names):
            return {}
        rows = first_of_each(self.held, ("observation", "measures"))
        kinds = [[self.held[name][int(i)].as_py() for name in ("observation", "measures")] for i in rows]
        return {spec: observation for observation, measures in kinds for spec in measures.split("\n")}

    def slice(self, start: int, length: int) -> pa.Table:
        """So many rows from one on."""
        return self.held.slice(start, length)

    def of(self, observation: str, wanted: Wanted = all_columns) -> pa.Table:
        """The rows of one observation, with the columns that are wanted."""
        names = [name for name in self.held.column_names if wanted(name)]
        # Before any row is copied: what is not wanted is left behind.
        kept = self.held.select(list(dict.fromkeys(["observation", *names])))
        return rows_with(kept, "observation", observation).select(names)

    def table(self) -> pa.Table:
        """The table."""
        return self.held
