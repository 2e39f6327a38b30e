"""Ledgers as tables, which `Result.per_record` and the files of ``per_record/`` hold; and tables as ledgers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairbrief import registry
from fairbrief.auditing.ledger import Chunk, Ledger
from fairbrief.auditing.origins import Names, Origin, Origins, first_met, narrowed, numbered, subgroups_of
from fairbrief.ranges import grouped
from fairbrief.reports.frames import coded, numbers, plain_numbers, rows_where, texts
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.types import Column, Floats, Measure, Observation

COLUMN = b"fairbrief.column"
SUBGROUP, ATTRIBUTE = "subgroup.", "attribute."
"""Prefixes of the columns with the attributes of records: those that define subgroups, and all others."""
MOST_VALUES = 1_000
"""An attribute with more values is free text or a number, and is not stored."""
TEXT, REPEATED = pa.string(), pa.dictionary(pa.int32(), pa.string())
IDENTITY = pa.schema({
    "observation": REPEATED, "measures": REPEATED, "system": REPEATED, "system_kind": REPEATED,
    "record": TEXT, "cluster": TEXT, "block": REPEATED, "reason": REPEATED, "p": pa.float64(),
})  # fmt: skip
"""The columns of every observation, before attributes and statistics."""


def rows_from(ledgers: Iterable[Ledger], measures_of: dict[Observation, list[Measure]]) -> PerRecordRows:
    """The rows of ledgers; tables are made on request."""
    filled = [ledger for ledger in ledgers if len(ledger)]
    identity = [*IDENTITY, *(pa.field(name, REPEATED) for name in _kept_attributes(filled))]
    # A check of scorers may use the observation of a measure.
    observed = grouped((repr(ledger.observation), ledger) for ledger in filled)
    schemas = {}
    for observation, several in observed.items():
        columns = dict.fromkeys(column for ledger in several for column in ledger.columns)
        schemas[observation] = pa.schema([*identity, *map(_field, columns)])

    def tables(observation: str, wanted: list[str]) -> Iterator[pa.Table]:
        schema = pa.schema([field for field in schemas[observation] if field.name in set(wanted)])
        columns = columns_of(schema)
        names = schema.names[: len(schema) - len(columns)]
        for ledger in observed[observation]:
            measures = measures_of[ledger.observation]
            for rows, chunk in ledger.chunks():
                whose = _identity(ledger, measures, rows, names) if names else []
                arrays = [*whose, *_statistics(ledger, rows, chunk, columns)]
                yield pa.Table.from_arrays(arrays, schema=schema)

    specs = {
        repr(measure): observation
        for observation, several in observed.items()
        for measure in measures_of[several[0].observation]
    }
    return PerRecordRows(specs, schemas, tables)


def attributes_in(per_record: PerRecordRows) -> list[str]:
    """The attributes of records that per-record statistics keeps."""
    names = per_record.column_names()
    return sorted(n.removeprefix(kind) for kind in (SUBGROUP, ATTRIBUTE) for n in names if n.startswith(kind))


def with_subgroups_by(per_record: PerRecordRows, names: Iterable[str]) -> PerRecordRows:
    """The per-record statistics as of an audit with subgroups by these attributes as well."""
    old = {f"{SUBGROUP}{name}": f"{ATTRIBUTE}{name}" for name in names}
    new = {name: renamed for renamed, name in old.items()}
    schemas = {
        observation: pa.schema([field.with_name(new.get(field.name, field.name)) for field in schema])
        for observation, schema in per_record.schemas.items()
    }

    def tables(observation: str, wanted: list[str]) -> Iterator[pa.Table]:
        there = per_record.schemas[observation].names
        for rows in per_record.tables(observation, [n if n in there else old[n] for n in wanted]):
            yield rows.rename_columns(wanted)

    return PerRecordRows(per_record.measures, schemas, tables)


def columns_of(fields: Iterable[pa.Field]) -> dict[Column, str]:
    """The statistics among the columns of an observation, such as its schema, and what their columns are called."""
    return {tuple(json.loads(f.metadata[COLUMN])): f.name for f in fields if COLUMN in (f.metadata or {})}


def _field(column: Column) -> pa.Field:
    """``deficit[neg]`` of ``("deficit", "neg")``, for people; values may contain any character, so the exact column is stored as well."""
    statistic, *values = column
    name = f"{statistic}[{', '.join(values)}]" if values else statistic
    return pa.field(name, pa.float64(), metadata={COLUMN: json.dumps(column)})


def _kept_attributes(ledgers: Iterable[Ledger]) -> list[str]:
    """The columns of the attributes that subgroups are by; then of the records' others, but for those of too many values."""
    distinct: dict[str, set[str]] = {}
    by_subgroup: set[str] = set()
    for ledger in ledgers:
        for kind in ledger.origins.known_kinds:
            for name, value in kind.attributes:
                distinct.setdefault(name, set()).add(value)
            by_subgroup |= {name for part in kind.subgroups for name, _ in part}
    plain = {name for name, held in distinct.items() if len(held) <= MOST_VALUES}
    return [
        *(f"{SUBGROUP}{name}" for name in sorted(by_subgroup)),
        *(f"{ATTRIBUTE}{name}" for name in sorted(plain - by_subgroup)),
    ]


def _identity(ledger: Ledger, measures: Sequence[Measure], rows: range, names: list[str]) -> list[pa.Array]:
    """The columns other than statistics, of some rows of a ledger."""
    origins, own = ledger.origins.of(np.arange(rows.start, rows.stop)), slice(rows.start, rows.stop)
    reasons, ps = ledger.reasons[own], ledger.ps[own]
    by_record: dict[str, Callable[[], pa.Array]] = {
        "record": lambda: origins.records.texts(),
        "cluster": lambda: origins.clusters.texts(),
        "block": lambda: _coded(origins.block, [block or None for block in origins.known_blocks]),
        "reason": lambda: _coded(reasons, [reason or None for reason in ledger.known_reasons]),
        "p": lambda: numbers(ps, np.isnan(ps)) if len(ps) else pa.nulls(len(rows), pa.float64()),
    }
    shared = {"observation": repr(ledger.observation), "measures": "\n".join(map(repr, measures))}
    by_kind = [{**shared, **_texts_of(kind)} for kind in origins.known_kinds]
    return [
        by_record[name]() if name in by_record else _coded(origins.kind, [told.get(name) for told in by_kind])
        for name in names
    ]


def _statistics(ledger: Ledger, rows: range, chunk: Chunk, columns: Iterable[Column]) -> Iterator[pa.Array]:
    """These statistics of a chunk; null without a row, and for columns that the ledger lacks."""
    missing = ledger.reasons[rows.start : rows.stop] != 0
    nothing = pa.nulls(len(rows), pa.float64())
    made: dict[Any, pa.Array] = {}  # of equal columns one is held
    for column in columns:
        held = chunk.columns.get(column)
        if column in ledger.columns and held not in made:
            made[held] = numbers(chunk.column(column), missing)
        yield made[held] if column in ledger.columns else nothing


def _texts_of(kind: Origin) -> dict[str, str]:
    """What the rows of a kind have in common, by column."""
    return {
        "system": kind.system,
        "system_kind": kind.system_kind,
        **{f"{SUBGROUP}{name}": value for part in kind.subgroups for name, value in part},
        **{f"{ATTRIBUTE}{name}": value for name, value in kind.attributes},
    }


def _coded(codes: NDArray[np.integer[Any]], values: Sequence[str | None]) -> pa.Array:
    """Of each row the text with its number, each distinct one held once. Shape of ``codes``: (rows,)."""
    found = texts(values).dictionary_encode()
    places = found.indices.take(numbers(codes))
    return pa.DictionaryArray.from_arrays(places, found.dictionary)


# ------------------------------------------------------------------------------------ tables as ledgers


Groupings = Sequence[tuple[str, ...]]
IsOut = Callable[[pa.Table], NDArray[np.bool_]]
"""Which rows are left out, by their columns ``system`` and ``record``. Shape: (rows,)."""
ORIGIN = ("system", "system_kind", "record", "cluster", "block", "reason")


@dataclass(frozen=True)
class SavedChunk(Chunk):
    """The rows of an observation that are not left out; ``columns`` are called so in its tables. Shape of ``is_kept``: (rows,)."""

    per_record: PerRecordRows
    observation: str
    is_kept: NDArray[np.bool_]

    def unpacked(self, held: str) -> Floats:
        """What a column of the tables holds."""
        values: Floats = plain_numbers(self.per_record.of(self.observation, lambda name: name == held)[held])
        return values[self.is_kept]


def ledgers_from(
    per_record: PerRecordRows,
    given: Mapping[str, Measure] = MappingProxyType({}),
    by: Groupings | None = None,
    wanted: Collection[str] | None = None,
    is_out: IsOut | None = None,
) -> list[tuple[Ledger, list[Measure]]]:
    """The ledgers behind per-record statistics, with their measures, without permuted sums.

    ``given`` are measures by spec that need not be registered; ``by`` are the groupings, by default each attribute of
    the audit's subgroups; ``wanted`` are the specs of the requested measures, by default all.
    Permuted sums are not stored, so estimates from such a ledger have intervals and paired
    differences, but no permutation mean.
    """
    if by is None:
        names = per_record.column_names()
        by = [(name.removeprefix(SUBGROUP),) for name in names if name.startswith(SUBGROUP)]
    chosen = (item for item in per_record.measures.items() if wanted is None or item[0] in wanted)
    specs = grouped((observation, spec) for spec, observation in chosen)
    asked = {f"{SUBGROUP}{name}" for names in by for name in names}
    found: list[tuple[Ledger, list[Measure]]] = []
    before: pa.Table | None = None
    for observation, spelled in specs.items():
        measures = [given.get(name) or registry.make("measure", name) for name in spelled]
        rows = per_record.of(observation, {*ORIGIN, *asked}.__contains__)
        whose = rows.drop_columns(["reason"])
        if before is None or not whose.equals(before):  # nearly all observations are of the same units
            before = whose
            is_kept = np.ones(len(whose), dtype=np.bool_) if is_out is None else ~is_out(whose)
            origins = _origins(rows_where(whose, is_kept), by)
        ledger, columns = Ledger(measures[0].observation, 0), columns_of(per_record.schemas[observation])
        chunk = SavedChunk(len(origins), columns, per_record, observation, is_kept)
        ledger.add_saved(origins, rows_where(rows.select(["reason"]), is_kept)["reason"], chunk)
        found.append((ledger, measures))
    return found


def _origins(rows: pa.Table, by: Groupings) -> Origins:
    """Whose the rows are."""
    texts_of = (rows[name].cast(pa.large_binary()).combine_chunks() for name in ("record", "cluster"))
    records, clusters = map(Names, texts_of)
    attributes = [name for name in rows.column_names if name.startswith(SUBGROUP)]
    codes, columns = np.zeros(len(rows), dtype=np.int64), []
    for name in ("system", "system_kind", *attributes):
        own, known = coded(rows[name])
        columns.append((own, [*known.to_pylist(), None]))  # -1, for none, is the place of the last
        codes = first_met(codes * (len(known) + 1) + own + 1)[1]
    first, kind = first_met(codes)
    kinds = []
    for i in first.tolist():
        system, system_kind, *values = (known[own[i]] for own, known in columns)
        told = {
            name.removeprefix(SUBGROUP): value
            for name, value in zip(attributes, values, strict=True)
            if value is not None
        }
        kinds.append(Origin(system, "", "", subgroups_of(told, by), system_kind=system_kind))
    block, blocks = coded(rows["block"])
    number, names = numbered(block, [*blocks.to_pylist(), ""])  # -1, for none, is the place of the last
    are_clusters = records.encoded.equals(clusters.encoded)
    return Origins(records, records if are_clusters else clusters, narrowed(kind), number, kinds, names)
