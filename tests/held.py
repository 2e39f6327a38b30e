"""Per-record statistics of results that tests make up."""

from collections.abc import Iterator

import pyarrow as pa

from fairbrief.reports.frames import rows_with
from fairbrief.reports.per_record import PerRecordRows


def held(whole: pa.Table, at_once: int | None = None) -> PerRecordRows:
    """Per-record statistics in memory, of which so many rows are read at a time: by default all."""
    specs: dict[str, str] = {}
    if {"observation", "measures"} <= set(whole.column_names):
        kinds = zip(*(whole[name].to_pylist() for name in ("observation", "measures")), strict=True)
        specs = {spec: observation for observation, of in dict.fromkeys(kinds) for spec in of.split("\n")}
    by_observation = {name: _of(whole, name) for name in dict.fromkeys(specs.values())}

    def tables(observation: str, names: list[str]) -> Iterator[pa.Table]:
        rows = by_observation[observation].select(names)
        step = at_once or max(1, len(rows))
        yield from (rows.slice(start, step) for start in range(0, len(rows), step))

    return PerRecordRows(specs, {name: rows.schema for name, rows in by_observation.items()}, tables)


def _of(whole: pa.Table, observation: str) -> pa.Table:
    """The rows of an observation, without the numbers that it does not have."""
    rows = rows_with(whole, "observation", observation)
    numbers = [f.name for f in rows.schema if f.name != "p" and f.type == pa.float64()]
    return rows.drop_columns([name for name in numbers if rows[name].null_count == len(rows)])
