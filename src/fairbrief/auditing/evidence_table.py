"""Ledgers as one table, what `Result.evidence` and ``evidence.parquet`` hold, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief import registry
from fairbrief.auditing.ledger import CHUNK, Ledger, Packed, RowBlock
from fairbrief.auditing.origins import Origin, Origins, slices_of
from fairbrief.errors import DataError
from fairbrief.reports.frames import numbers, texts, unpacked
from fairbrief.types import Column, Integers, Measure, Observation

COLUMN = b"fairbrief.column"
SLICE, ATTRIBUTE = "slice.", "attribute."
"""How the columns begin that hold the attributes of records: those that the audit was sliced by, and all others."""
MOST_VALUES = 1_000
"""An attribute of more values is a text or a number, that nobody slices by: it is not kept."""


def evidence_table(ledgers: Sequence[Ledger], readers: Mapping[Observation, Sequence[Measure]]) -> pa.Table:
    """One row per observation, system and unit. See `Result.evidence` for the columns."""
    parts = [(ledger, ledger.packed()) for ledger in ledgers if ledger.reasons]
    if not parts:
        return pa.table({})
    codes: dict[Column, np.dtype[Any]] = {}
    for ledger, chunks in parts:
        for i, column in enumerate(ledger.columns):
            own = [chunk[i].codes.dtype for chunk in chunks if i < len(chunk)]
            codes[column] = max(np.dtype(np.int8), codes.get(column, np.dtype(np.int8)), *own)
    places = _Places(_kept_attributes(ledgers))
    return pa.concat_tables(
        [
            _whole(
                _whose(ledger, readers[ledger.observation], places), _statistics(ledger, chunks, codes), codes
            )
            for ledger, chunks in parts
        ],
        promote_options="default",
    )


def _whole(
    whose: pa.Table, columns: Mapping[Column, pa.ChunkedArray], codes: Mapping[Column, np.dtype[Any]]
) -> pa.Table:
    """One observation's rows with the statistics of all; made at once, since appending copies the schema each time."""
    # The name is for people; values may hold any character, so the exact column stands beside it.
    kinds = {column: _packed_as(kind) for column, kind in codes.items()}
    fields = [pa.field(column_name(c), kind, metadata={COLUMN: json.dumps(c)}) for c, kind in kinds.items()]
    # One array of nulls of each kind stands for all that this observation does not have.
    nulls = {kind: pa.chunked_array([pa.nulls(len(whose), kind)]) for kind in kinds.values()}
    return pa.Table.from_arrays(
        [*whose.columns, *(columns.get(column, nulls[kind]) for column, kind in kinds.items())],
        schema=pa.schema([*whose.schema, *fields]),
    )


def _packed_as(codes: np.dtype[Any]) -> pa.DataType:
    return pa.dictionary(pa.from_numpy_dtype(codes), pa.float64())


def column_name(column: Column) -> str:
    """``("deficit", "neg")`` as ``deficit[neg]``."""
    return f"{column[0]}[{', '.join(column[1:])}]" if len(column) > 1 else column[0]


def attributes_in(evidence: pa.Table) -> list[str]:
    """The attributes of records that a table of evidence keeps."""
    names = evidence.column_names
    return sorted(n.removeprefix(kind) for kind in (SLICE, ATTRIBUTE) for n in names if n.startswith(kind))


def sliced_by(evidence: pa.Table, names: Iterable[str]) -> pa.Table:
    """The table as of an audit that was also sliced by these attributes."""
    renamed = {f"{ATTRIBUTE}{name}": f"{SLICE}{name}" for name in names}
    return evidence.rename_columns([renamed.get(name, name) for name in evidence.column_names])


def ledgers_from(
    evidence: pa.Table,
    given: Mapping[str, Measure] = MappingProxyType({}),
    by: Sequence[tuple[str, ...]] | None = None,
) -> list[tuple[Ledger, list[Measure]]]:
    """The ledgers behind a table of evidence, and the measures that read each; without nulls.

    ``given`` are measures by spec that need not be declared anywhere; ``by`` says what to slice by, each attribute that
    the audit was sliced by alone if not told.
    The relabelled sums are not in the table: what is made from such a ledger has intervals and paired
    differences, and no chance level.
    """
    for column in ("observation", "system_kind"):
        if column not in evidence.column_names:
            raise DataError(
                f"This table is no evidence of an audit of this version: it has no column '{column}'. Run the audit again."
            )
    found = []
    for observation in evidence["observation"].unique().to_pylist():
        rows = evidence.filter(pc.equal(evidence["observation"], observation))
        spelled = rows["measures"][0].as_py().split("\n")
        measures = [given.get(name) or registry.make("measure", name) for name in spelled]
        found.append((_ledger(rows, measures[0].observation, by), measures))
    return found


def _ledger(rows: pa.Table, observation: Observation, by: Sequence[tuple[str, ...]] | None) -> Ledger:
    ledger = Ledger(observation, n_resamples=0)
    statistics = [
        f for f in rows.schema if f.metadata and COLUMN in f.metadata and rows[f.name].null_count < len(rows)
    ]
    columns = tuple(tuple(json.loads(f.metadata[COLUMN])) for f in statistics)
    rows = unpacked(rows)
    numbers_ = [np.nan_to_num(rows[f.name].to_numpy(zero_copy_only=False)) for f in statistics]
    matrix = np.column_stack(numbers_) if numbers_ else np.zeros((len(rows), 0))
    slicing = [n.removeprefix(SLICE) for n in rows.column_names if n.startswith(SLICE)]
    by = [(name,) for name in slicing] if by is None else by
    names = ("system", "record", "cluster", "block", "system_kind", "reason")
    systems, records, clusters, blocks, kinds, reasons = (rows[name].to_pylist() for name in names)
    values = zip(*(rows[f"{SLICE}{name}"].to_pylist() for name in slicing), strict=True)
    slices = [
        slices_of({n: v for n, v in zip(slicing, own, strict=True) if v is not None}, by) for own in values
    ] or [()] * len(rows)
    origins = [
        Origin(system, record, cluster, own, block or "", system_kind=kind)
        for system, record, cluster, own, block, kind in zip(
            systems, records, clusters, slices, blocks, kinds, strict=True
        )
    ]
    left_out = {i: reason for i, reason in enumerate(reasons) if reason}
    there = np.array([i for i in range(len(rows)) if i not in left_out], dtype=np.int64)
    held = RowBlock(there, columns, matrix[there, np.newaxis], [None] * len(there))
    ledger.write(origins, [held], left_out)
    return ledger


@dataclass
class _Places:
    """The columns that say whose a row is; ledgers that observed the same units share them."""

    attributes: Sequence[str] = ()
    origins: Origins = field(default_factory=Origins)
    columns: dict[str, pa.Array] = field(default_factory=dict)

    def of(self, origins: Origins) -> dict[str, pa.Array]:
        if self.columns and origins == self.origins:
            return self.columns
        kinds, known = origins.kinds()
        blocks, names = origins.blocks()
        columns: dict[str, pa.Array] = {
            "system": _coded(kinds, [kind.system for kind in known]),
            "system_kind": _coded(kinds, [kind.system_kind for kind in known]),
            "record": origins.records().texts(),
        }
        columns["cluster"] = columns["record"] if origins.are_clusters else origins.clusters().texts()
        columns["block"] = _coded(blocks, [name or None for name in names])
        sliced = [dict(pair for part in kind.slices for pair in part) for kind in known]
        for name in sorted({name for pairs in sliced for name in pairs}):
            columns[f"{SLICE}{name}"] = _coded(kinds, [pairs.get(name) for pairs in sliced])
        plain = [dict(kind.attributes) for kind in known]
        for name in self.attributes:
            columns[f"{ATTRIBUTE}{name}"] = _coded(kinds, [pairs.get(name) for pairs in plain])
        self.origins, self.columns = origins, columns
        return columns


def _coded(codes: Integers, values: Sequence[str | None]) -> pa.Array:
    """Of each row the text with its number, each distinct one held once. Shape of ``codes``: (rows,)."""
    found = texts(values).dictionary_encode()
    places = found.indices.take(numbers(codes))
    return pa.DictionaryArray.from_arrays(places, found.dictionary)


def _whose(ledger: Ledger, measures: Sequence[Measure], places: _Places) -> pa.Table:
    n = len(ledger.origins)
    own = places.of(ledger.origins)
    columns: dict[str, pa.Array | pa.ChunkedArray] = {
        "observation": _repeated(texts([repr(ledger.observation)]), n),
        "measures": _repeated(texts(["\n".join(repr(m) for m in measures)]), n),
        **{name: own[name] for name in ("system", "system_kind", "record", "cluster", "block")},
        "reason": _reasons(ledger),
        "p": _ps(ledger),
        **{name: column for name, column in own.items() if name.startswith((SLICE, ATTRIBUTE))},
    }
    return pa.table(columns)


def _reasons(ledger: Ledger) -> pa.Array | pa.ChunkedArray:
    reasons, known = np.frombuffer(ledger.reasons, dtype=np.int32), texts(ledger.known_reasons)
    if not reasons.any():
        return _repeated(known, len(reasons), is_null=True)
    return pa.DictionaryArray.from_arrays(numbers(reasons.copy(), reasons == 0), known)


def _ps(ledger: Ledger) -> pa.Array | pa.ChunkedArray:
    if not ledger.ps:
        return _in_chunks(pa.nulls(CHUNK, pa.float64()), len(ledger.origins))
    ps = np.frombuffer(ledger.ps, dtype=np.float64)
    return numbers(ps.copy(), np.isnan(ps))


def _statistics(
    ledger: Ledger, chunks: Sequence[Sequence[Packed]], codes: Mapping[Column, np.dtype[Any]]
) -> dict[Column, pa.ChunkedArray]:
    """Every statistic, as packed as the ledger has it; null where there is no row."""
    reasons = np.frombuffer(ledger.reasons, dtype=np.int32)
    found: dict[Column, list[pa.Array]] = {column: [] for column in ledger.columns}
    for i, packed in enumerate(chunks):
        missing = reasons[i * CHUNK : (i + 1) * CHUNK] != 0
        zero = Packed(np.zeros(len(missing), dtype=np.int8), np.zeros(1))
        for j, (column, arrays) in enumerate(found.items()):
            own = packed[j] if j < len(packed) else zero
            places = numbers(own.codes.astype(codes[column], copy=False), missing)
            arrays.append(pa.DictionaryArray.from_arrays(places, numbers(own.numbers)))
    return {column: pa.chunked_array(arrays, _packed_as(codes[column])) for column, arrays in found.items()}


def _kept_attributes(ledgers: Iterable[Ledger]) -> list[str]:
    """The names of the records' attributes, but for those of too many values and those that slices are by."""
    distinct: dict[str, set[str]] = {}
    sliced: set[str] = set()
    for ledger in ledgers:
        for kind in ledger.origins.kinds()[1]:
            for name, value in kind.attributes:
                distinct.setdefault(name, set()).add(value)
            sliced |= {name for part in kind.slices for name, _ in part}
    return sorted(name for name, held in distinct.items() if len(held) <= MOST_VALUES and name not in sliced)


def _repeated(dictionary: pa.Array, n: int, *, is_null: bool = False) -> pa.ChunkedArray:
    """The first text of a dictionary for all rows, or none."""
    codes = numbers(np.zeros(CHUNK, dtype=np.int32), np.full(CHUNK, is_null))
    return _in_chunks(pa.DictionaryArray.from_arrays(codes, dictionary), n)


def _in_chunks(chunk: pa.Array, n: int) -> pa.ChunkedArray:
    """So many rows, all as in one chunk, which is held once."""
    chunks = [chunk] * (n // CHUNK)
    return pa.chunked_array([*chunks, chunk.slice(0, n % CHUNK)])
