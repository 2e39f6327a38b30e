"""Ledgers as tables, which `Result.per_record` and the files of ``per_record/`` hold; and tables as ledgers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairbrief import registry
from fairbrief.auditing.ledger import SORTED, Chunk, Ledger, RowBlock, sort
from fairbrief.auditing.origins import Codes, Origin, Origins, first_met, narrowed, numbered, subgroups_of
from fairbrief.reports.frames import coded, numbers, plain_numbers, rows_where, texts
from fairbrief.reports.per_record import PerRecordRows, Renamed, Wanted, all_columns
from fairbrief.types import Column, Measure, Observation

COLUMN = b"fairbrief.column"
SUBGROUP, ATTRIBUTE = "subgroup.", "attribute."
"""Prefixes of the columns with the attributes of records: those that define subgroups, and all others."""
MOST_VALUES = 1_000
"""An attribute with more values is free text or a number, and is not stored."""


class LedgerPerRecord(PerRecordRows):
    """The rows of ledgers as `fairbrief.reports.per_record.PerRecordRows`; tables are created on request."""

    def __init__(
        self, ledgers: Sequence[Ledger], measures_of: Mapping[Observation, Sequence[Measure]]
    ) -> None:
        self._ledgers = [ledger for ledger in ledgers if len(ledger)]
        self._observations = [repr(ledger.observation) for ledger in self._ledgers]
        self._measures_of = measures_of
        # The name is for people; values may contain any character, so the exact column is stored as well.
        self._fields = {
            column: pa.field(column_name(column), pa.float64(), metadata={COLUMN: json.dumps(column)})
            for ledger in self._ledgers
            for column in ledger.columns
        }
        self._attributes = _kept_attributes(self._ledgers)

    def __len__(self) -> int:
        return sum(map(len, self._ledgers))

    def measures(self) -> dict[str, str]:
        """The measures by spec, and the observation of each."""
        return {
            repr(measure): observation
            for ledger, observation in zip(self._ledgers, self._observations, strict=True)
            for measure in self._measures_of[ledger.observation]
        }

    def column_names(self) -> list[str]:
        """The columns that some observation has."""
        whose = self._whose(0, range(0)) if self._ledgers else ()
        return [*whose, *(field.name for field in self._fields.values())]

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        """`of`, some rows at a time."""
        # A check of scorers may use the same observation.
        several = [i for i, name in enumerate(self._observations) if name == observation]
        there = {column for i in several for column in self._ledgers[i].columns}
        fields = {c: field for c, field in self._fields.items() if c in there and wanted(field.name)}
        for i in several:
            for rows, chunk in self._ledgers[i].chunks():
                yield self._rows(i, rows, chunk, fields, wanted)

    def _rows(
        self, i: int, rows: range, chunk: Chunk, fields: Mapping[Column, pa.Field], wanted: Wanted
    ) -> pa.Table:
        """A chunk of one ledger with these statistics; made at once, since appending copies the schema each time."""
        whose = {name: array for name, array in self._whose(i, rows).items() if wanted(name)}
        declared = [pa.field(name, array.type) for name, array in whose.items()]
        return pa.Table.from_arrays(
            [*whose.values(), *_statistics(self._ledgers[i], rows, chunk, fields)],
            schema=pa.schema([*declared, *fields.values()]),
        )

    def _whose(self, i: int, rows: range) -> dict[str, pa.Array]:
        """The columns that identify the rows, and the measures that use them."""
        ledger, every, chosen = (
            self._ledgers[i],
            np.zeros(len(rows), dtype=np.int32),
            slice(rows.start, rows.stop),
        )
        origins, reasons, ps = (
            ledger.origins.of(np.arange(rows.start, rows.stop)),
            ledger.reasons[chosen].astype(np.int32),
            ledger.ps[chosen],
        )
        kinds, known = origins.kind, origins.known_kinds
        record = origins.records().texts()
        columns = {
            "observation": _coded(every, [self._observations[i]]),
            "measures": _coded(every, ["\n".join(map(repr, self._measures_of[ledger.observation]))]),
            "system": _coded(kinds, [kind.system for kind in known]),
            "system_kind": _coded(kinds, [kind.system_kind for kind in known]),
            "record": record,
            "cluster": record if origins.are_clusters else origins.clusters().texts(),
            "block": _coded(origins.block, [name or None for name in origins.known_blocks]),
            "reason": pa.DictionaryArray.from_arrays(
                numbers(reasons, reasons == 0), texts(ledger.known_reasons)
            ),
            "p": numbers(ps, np.isnan(ps)) if len(ps) else pa.nulls(len(rows), pa.float64()),
        }
        by_subgroup = [dict(pair for part in kind.subgroups for pair in part) for kind in known]
        plain = [dict(kind.attributes) for kind in known]
        for prefix, names, pairs in zip(
            (SUBGROUP, ATTRIBUTE), self._attributes, (by_subgroup, plain), strict=True
        ):
            columns |= {f"{prefix}{name}": _coded(kinds, [own.get(name) for own in pairs]) for name in names}
        return columns


def column_name(column: Column) -> str:
    """``("deficit", "neg")`` as ``deficit[neg]``."""
    return f"{column[0]}[{', '.join(column[1:])}]" if len(column) > 1 else column[0]


def attributes_in(per_record: PerRecordRows) -> list[str]:
    """The attributes of records that per-record statistics keeps."""
    names = per_record.column_names()
    return sorted(n.removeprefix(kind) for kind in (SUBGROUP, ATTRIBUTE) for n in names if n.startswith(kind))


def with_subgroups_by(per_record: PerRecordRows, names: Iterable[str]) -> PerRecordRows:
    """The per-record statistics as of an audit with subgroups by these attributes as well."""
    return Renamed(per_record, {f"{ATTRIBUTE}{name}": f"{SUBGROUP}{name}" for name in names})


def _coded(codes: Codes, values: Sequence[str | None]) -> pa.Array:
    """Of each row the text with its number, each distinct one held once. Shape of ``codes``: (rows,)."""
    found = texts(values).dictionary_encode()
    places = found.indices.take(numbers(codes))
    return pa.DictionaryArray.from_arrays(places, found.dictionary)


def _statistics(ledger: Ledger, rows: range, chunk: Chunk, fields: Iterable[Column]) -> Iterator[pa.Array]:
    """The statistics of these rows; null without a row, and for columns that the ledger lacks."""
    missing = ledger.reasons[rows.start : rows.stop] != 0
    nothing = pa.nulls(len(rows), pa.float64())
    made: dict[bytes | None, pa.Array] = {}  # of equal columns one is held
    for column in fields:
        packed = chunk.columns.get(column)
        if column in ledger.columns and packed not in made:
            made[packed] = numbers(chunk.column(column), missing)
        yield made[packed] if column in ledger.columns else nothing


def _kept_attributes(ledgers: Iterable[Ledger]) -> tuple[list[str], list[str]]:
    """The names of the attributes that subgroups are by; and of the records' others, but for those of too many values."""
    distinct: dict[str, set[str]] = {}
    by_subgroup: set[str] = set()
    for ledger in ledgers:
        for kind in ledger.origins.known_kinds:
            for name, value in kind.attributes:
                distinct.setdefault(name, set()).add(value)
            by_subgroup |= {name for part in kind.subgroups for name, _ in part}
    plain = {name for name, held in distinct.items() if len(held) <= MOST_VALUES}
    return sorted(by_subgroup), sorted(plain - by_subgroup)


Groupings = Sequence[tuple[str, ...]]
IsOut = Callable[[pa.Table], NDArray[np.bool_]]
"""Which rows are left out, by their columns ``system`` and ``record``. Shape: (rows,)."""


def ledgers_from(
    per_record: PerRecordRows,
    given: Mapping[str, Measure] = MappingProxyType({}),
    by: Groupings | None = None,
    wanted: Collection[str] | None = None,
    is_out: IsOut | None = None,
) -> list[tuple[Ledger, list[Measure]]]:
    """The sorted ledgers behind per-record statistics, with their measures, without permuted sums. Rows are read in batches.

    ``given`` are measures by spec that need not be registered; ``by`` are the groupings, by default each attribute of
    the audit's subgroups; ``wanted`` are the specs of the requested measures, by default all.
    Permuted sums are not stored, so estimates from such a ledger have intervals and paired
    differences, but no permutation mean.
    """
    if by is None:
        names = per_record.column_names()
        by = [(name.removeprefix(SUBGROUP),) for name in names if name.startswith(SUBGROUP)]
    specs: dict[str, list[str]] = {}
    for spec, observation in per_record.measures().items():
        if wanted is None or spec in wanted:
            specs.setdefault(observation, []).append(spec)
    found: list[tuple[Ledger, list[Measure]]] = []
    for observation, spelled in specs.items():
        measures = [given.get(name) or registry.make("measure", name) for name in spelled]
        ledger = Ledger(measures[0].observation, n_resamples=0)
        before = iter(found[-1][0].whose if found else ())
        for some in _pieces(per_record, observation, is_out):
            origins, others = _origins(some, by), next(before, None)
            # Nearly all observations are of the same units in the same order: these are held once.
            _write(ledger, some, others if others is not None and origins.is_same(others) else origins)
        found.append((ledger, measures))
    sort([ledger for ledger, _ in found])
    return found


def columns_of(rows: pa.Table) -> dict[Column, str]:
    """The statistics that have a value in some row, and what their columns are called."""
    fields = (f for f in rows.schema if COLUMN in (f.metadata or {}) and rows[f.name].null_count < len(rows))
    return {tuple(json.loads(f.metadata[COLUMN])): f.name for f in fields}


def _pieces(per_record: PerRecordRows, observation: str, is_out: IsOut | None) -> Iterator[pa.Table]:
    """The columns of an observation that a ledger needs, some rows at a time."""

    def is_read(name: str) -> bool:
        return name not in {"observation", "measures", "p"} and not name.startswith(ATTRIBUTE)

    for rows in per_record.each_of(observation, is_read):
        for start in range(0, len(rows), SORTED):
            some = rows.slice(start, SORTED)
            if is_out is not None and (out := is_out(some)).any():
                some = rows_where(some, ~out)
            if len(some):
                yield some


def _write(ledger: Ledger, rows: pa.Table, origins: Origins) -> None:
    """Write rows of per-record statistics into a ledger."""
    columns = columns_of(rows)
    reasons, known = coded(rows["reason"])
    texts, there = known.to_pylist(), np.flatnonzero(reasons < 0)
    values = np.zeros((len(there), 1, len(columns)))
    for i, name in enumerate(columns.values()):
        values[:, 0, i] = plain_numbers(rows[name])[there]
    left_out = {i: texts[reasons[i]] for i in np.flatnonzero(reasons >= 0).tolist()}
    ledger.write(origins, [[RowBlock(there, tuple(columns), values, None)]], left_out)
    ledger.pack()


def _origins(rows: pa.Table, by: Groupings) -> Origins:
    """Whose the rows are."""
    records, clusters = (
        pa.concat_arrays(rows[name].cast(pa.large_binary()).chunks) for name in ("record", "cluster")
    )
    of_clusters = records if records.equals(clusters) else clusters
    by_subgroup = [name for name in rows.column_names if name.startswith(SUBGROUP)]
    codes, columns = np.zeros(len(rows), dtype=np.int64), []
    for name in ("system", "system_kind", *by_subgroup):
        own, known = coded(rows[name])
        columns.append((own, [*known.to_pylist(), None]))  # -1, for none, is the place of the last
        codes = np.unique(codes * (len(known) + 1) + own + 1, return_inverse=True)[1]
    first, kind = first_met(codes)
    kinds = []
    for i in first.tolist():
        system, system_kind, *values = (known[own[i]] for own, known in columns)
        told = {
            n.removeprefix(SUBGROUP): v for n, v in zip(by_subgroup, values, strict=True) if v is not None
        }
        kinds.append(Origin(system, "", "", subgroups_of(told, by), system_kind=system_kind))
    block, blocks = coded(rows["block"])
    number, names = numbered(block, [*blocks.to_pylist(), ""])  # -1, for none, is the place of the last
    return Origins(records, of_clusters, narrowed(kind), number, kinds, names)
