"""Ledgers as one table, what `Result.evidence` and ``evidence.parquet`` hold, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief import registry
from fairbrief.auditing.ledger import CHUNK, Ledger, Origin, Packed, slices_of
from fairbrief.errors import DataError
from fairbrief.reports.frames import PACKED, numbers, texts, unpacked
from fairbrief.types import Column, Measure, Observation, Rows

COLUMN = b"fairbrief.column"
SLICE, ATTRIBUTE = "slice.", "attribute."
"""How the columns begin that hold the attributes of records: those that the audit was sliced by, and all others."""
MOST_VALUES = 1_000
"""An attribute of more values is a text or a number, that nobody slices by: it is not kept."""


def evidence_table(ledgers: Sequence[Ledger], readers: Mapping[Observation, Sequence[Measure]]) -> pa.Table:
    """One row per observation, system and unit. See `Result.evidence` for the columns."""
    statistics: dict[str, pa.Field] = {}
    parts: list[tuple[pa.Table, dict[str, pa.ChunkedArray]]] = []
    places = _Places(_kept_attributes(ledgers))
    for ledger in ledgers:
        if ledger.origins:
            for column in ledger.columns:
                # The name is for people; values may hold any character, so the exact column stands beside it.
                name = column_name(column)
                statistics[name] = pa.field(name, PACKED, metadata={COLUMN: json.dumps(column)})
            parts.append((_whose(ledger, readers[ledger.observation], places), _statistics(ledger)))
    if not parts:
        return pa.table({})
    return pa.concat_tables([_whole(*part, statistics) for part in parts], promote_options="default")


def _whole(
    whose: pa.Table, columns: Mapping[str, pa.ChunkedArray], statistics: Mapping[str, pa.Field]
) -> pa.Table:
    """One observation's rows with the statistics of all; made at once, since appending copies the schema each time."""
    # One array of nulls stands for all that this observation does not have.
    nulls = pa.chunked_array([pa.nulls(len(whose), PACKED)])
    return pa.Table.from_arrays(
        [*whose.columns, *(columns.get(name, nulls) for name in statistics)],
        schema=pa.schema([*whose.schema, *statistics.values()]),
    )


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
    blocks = [np.nan_to_num(rows[f.name].to_numpy(zero_copy_only=False)) for f in statistics]
    matrix = np.column_stack(blocks) if blocks else np.zeros((len(rows), 0))
    slicing = [n.removeprefix(SLICE) for n in rows.column_names if n.startswith(SLICE)]
    by = [(name,) for name in slicing] if by is None else by
    plain = rows.select(
        ["system", "system_kind", "record", "cluster", "block", "reason", *(f"{SLICE}{n}" for n in slicing)]
    ).to_pylist()
    for row, values in zip(plain, matrix, strict=True):
        attributes = {n: row[f"{SLICE}{n}"] for n in slicing if row[f"{SLICE}{n}"] is not None}
        slices = slices_of(attributes, by)
        origin = Origin(
            row["system"], row["record"], row["cluster"], slices, row["block"] or "",
            system_kind=row["system_kind"],
        )  # fmt: skip
        if row["reason"]:
            ledger.leave_out(origin, row["reason"])
        else:
            ledger.add(origin, Rows(columns, values[np.newaxis, :]), None)
    return ledger


@dataclass
class _Places:
    """The columns that say whose a row is; ledgers that observed the same units share them."""

    attributes: Sequence[str] = ()
    origins: list[Origin] = field(default_factory=list)
    columns: dict[str, pa.Array] = field(default_factory=dict)

    def of(self, origins: list[Origin]) -> dict[str, pa.Array]:
        if origins == self.origins:
            return self.columns
        columns: dict[str, pa.Array] = {
            "system": texts(o.system for o in origins).dictionary_encode(),
            "system_kind": texts(o.system_kind for o in origins).dictionary_encode(),
            "record": texts(o.record for o in origins),
        }
        same = all(o.cluster == o.record for o in origins)
        columns["cluster"] = columns["record"] if same else texts(o.cluster for o in origins)
        columns["block"] = texts(o.block or None for o in origins).dictionary_encode()
        for name in sorted({name for o in {o.slices for o in origins} for part in o for name, _ in part}):
            values = (dict(pair for part in o.slices for pair in part).get(name) for o in origins)
            columns[f"{SLICE}{name}"] = texts(values).dictionary_encode()
        plain = {pairs: dict(pairs) for pairs in {o.attributes for o in origins}}
        for name in self.attributes:
            values = (plain[o.attributes].get(name) for o in origins)
            columns[f"{ATTRIBUTE}{name}"] = texts(values).dictionary_encode()
        self.origins, self.columns = origins, columns
        return columns


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


def _statistics(ledger: Ledger) -> dict[str, pa.ChunkedArray]:
    """Every statistic, as packed as the ledger has it; null where there is no row."""
    reasons = np.frombuffer(ledger.reasons, dtype=np.int32)
    chunks: dict[str, list[pa.Array]] = {column_name(column): [] for column in ledger.columns}
    for i, packed in enumerate(ledger.packed()):
        missing = reasons[i * CHUNK : (i + 1) * CHUNK] != 0
        zero = Packed(np.zeros(len(missing), dtype=np.int16), np.zeros(1))
        for j, name in enumerate(chunks):
            column = packed[j] if j < len(packed) else zero
            codes = numbers(column.codes, missing)
            chunks[name].append(pa.DictionaryArray.from_arrays(codes, numbers(column.numbers)))
    return {name: pa.chunked_array(arrays, PACKED) for name, arrays in chunks.items()}


def _kept_attributes(ledgers: Iterable[Ledger]) -> list[str]:
    """The names of the records' attributes, but for those of too many values and those that slices are by."""
    distinct: dict[str, set[str]] = {}
    sliced: set[str] = set()
    seen: list[Origin] = []
    for ledger in ledgers:
        if ledger.origins == seen:
            continue
        seen = ledger.origins
        for name, value in (pair for pairs in {o.attributes for o in seen} for pair in pairs):
            distinct.setdefault(name, set()).add(value)
        sliced |= {name for parts in {o.slices for o in seen} for part in parts for name, _ in part}
    return sorted(name for name, held in distinct.items() if len(held) <= MOST_VALUES and name not in sliced)


def _repeated(dictionary: pa.Array, n: int, *, is_null: bool = False) -> pa.ChunkedArray:
    """The first text of a dictionary for all rows, or none."""
    codes = numbers(np.zeros(CHUNK, dtype=np.int32), np.full(CHUNK, is_null))
    return _in_chunks(pa.DictionaryArray.from_arrays(codes, dictionary), n)


def _in_chunks(chunk: pa.Array, n: int) -> pa.ChunkedArray:
    """So many rows, all as in one chunk, which is held once."""
    chunks = [chunk] * (n // CHUNK)
    return pa.chunked_array([*chunks, chunk.slice(0, n % CHUNK)])
