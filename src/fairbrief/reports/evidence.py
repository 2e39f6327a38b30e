"""The evidence under a result, in whatever form takes little room: tables of it are made when they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from fairbrief.reports.frames import first_of_each, rows_with

Wanted = Callable[[str], bool]


def all_columns(_: str) -> bool:
    """Wants every column."""
    return True


class EvidenceRows(ABC):
    """The rows of all observations, one observation after another. See `Result` for the columns."""

    @abstractmethod
    def __len__(self) -> int:
        """How many rows there are."""

    @abstractmethod
    def measures(self) -> Mapping[str, str]:
        """The measures by spec, and the observation that each reads."""

    @abstractmethod
    def column_names(self) -> Sequence[str]:
        """The columns that some observation has, each once."""

    @abstractmethod
    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        """`of`, some rows at a time, all with the same columns; at least one table."""

    def of(self, observation: str, wanted: Wanted = all_columns) -> pa.Table:
        """The rows of one observation, with the columns that it has and whose names are wanted."""
        return pa.concat_tables(self.each_of(observation, wanted))

    def table(self) -> pa.Table:
        """All rows, with the columns of all observations."""
        return of_all(self)


def of_all(evidence: EvidenceRows) -> pa.Table:
    """The rows of all observations below each other, null in the columns that an observation does not have."""
    observed = [evidence.of(observation) for observation in dict.fromkeys(evidence.measures().values())]
    schema = pa.unify_schemas([pa.schema([]), *(rows.schema for rows in observed)])
    # Arrow would fill each column by itself: one array stands for all of its kind.
    most = max(map(len, observed), default=0)
    nothing = {kind: pa.nulls(most, kind) for kind in {*schema.types}}
    whole = [schema.empty_table()]
    for rows in observed:
        there = set(rows.column_names)
        columns = [rows[f.name] if f.name in there else nothing[f.type].slice(0, len(rows)) for f in schema]
        whole.append(pa.Table.from_arrays(columns, schema=schema))
    return pa.concat_tables(whole)


@dataclass(frozen=True, slots=True)
class Held(EvidenceRows):
    """Evidence that is held as a table."""

    held: pa.Table

    def __len__(self) -> int:
        return int(self.held.num_rows)

    def measures(self) -> dict[str, str]:
        if not {"observation", "measures"} <= set(self.held.column_names):
            return {}
        rows = first_of_each(self.held, ("observation", "measures"))
        kinds = [[self.held[name][int(i)].as_py() for name in ("observation", "measures")] for i in rows]
        return {spec: observation for observation, measures in kinds for spec in measures.split("\n")}

    def column_names(self) -> list[str]:
        return list(self.held.column_names)

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        names = [name for name in self.held.column_names if wanted(name)]
        # Before any row is copied: what is not wanted is left behind.
        kept = self.held.select(list(dict.fromkeys(["observation", *names])))
        yield rows_with(kept, "observation", observation).select(names)

    def table(self) -> pa.Table:
        return self.held


@dataclass(frozen=True, slots=True)
class Renamed(EvidenceRows):
    """Evidence some of whose columns are called otherwise; ``names`` are the new ones by the old."""

    rows: EvidenceRows
    names: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.rows)

    def measures(self) -> Mapping[str, str]:
        return self.rows.measures()

    def column_names(self) -> list[str]:
        return [*map(self._name, self.rows.column_names())]

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        for rows in self.rows.each_of(observation, lambda name: wanted(self._name(name))):
            yield rows.rename_columns([self._name(name) for name in rows.column_names])

    def _name(self, name: str) -> str:
        return self.names.get(name, name)
