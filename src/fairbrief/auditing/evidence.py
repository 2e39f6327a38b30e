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
from fairbrief.auditing.ledger import CHUNK, Ledger, Origin, Packed
from fairbrief.errors import DataError
from fairbrief.nouns import Column, Measure, Observation, Rows
from fairbrief.reports.frames import PACKED, encodable, unpacked

COLUMN = b"fairbrief.column"


def evidence_table(ledgers: Sequence[Ledger], readers: Mapping[Observation, Sequence[Measure]]) -> pa.Table:
    """One row per observation, system and unit. See `Result.evidence` for the columns."""
    statistics: dict[str, pa.Field] = {}
    parts: list[tuple[pa.Table, dict[str, pa.ChunkedArray]]] = []
    places = _Places()
    for ledger in ledgers:
        if ledger.origins:
            for column in ledger.columns:
                # The name is for people; values may hold any character, so the exact column stands beside it.
                name = column_name(column)
                statistics[name] = pa.field(name, PACKED, metadata={COLUMN: json.dumps(column)})
            parts.append((_whose(ledger, readers[ledger.observation], places), _statistics(ledger)))
    if not parts:
        return pa.table({})
    whole = []
    for table, columns in parts:
        # One array of nulls stands for all that this observation does not have.
        nulls = pa.chunked_array([pa.nulls(len(table), PACKED)])
        for name, described in statistics.items():
            table = table.append_column(described, columns.get(name, nulls))
        whole.append(table)
    return pa.concat_tables(whole, promote_options="default")


def column_name(column: Column) -> str:
    """``("deficit", "neg")`` as ``deficit[neg]``."""
    return f"{column[0]}[{', '.join(column[1:])}]" if len(column) > 1 else column[0]


def ledgers_from(
    evidence: pa.Table, given: Mapping[str, Measure] = MappingProxyType({})
) -> list[tuple[Ledger, list[Measure]]]:
    """The ledgers behind a table of evidence, and the measures that read each; without nulls.

    ``given`` are measures by spelling that need not be declared anywhere.
    The relabelled sums are not in the table: what is made from such a ledger has intervals and paired
    differences, and no chance level.
    """
    if "observation" not in evidence.column_names:
        raise DataError("This table is no evidence of an audit: it has no column 'observation'.")
    found = []
    for observation in evidence["observation"].unique().to_pylist():
        rows = evidence.filter(pc.equal(evidence["observation"], observation))
        spelled = rows["measures"][0].as_py().split("\n")
        measures = [given.get(name) or registry.make("measure", name) for name in spelled]
        found.append((_ledger(rows, measures[0].observation), measures))
    return found


def _ledger(rows: pa.Table, observation: Observation) -> Ledger:
    ledger = Ledger(observation, draws=0)
    statistics = [
        f for f in rows.schema if f.metadata and COLUMN in f.metadata and rows[f.name].null_count < len(rows)
    ]
    columns = tuple(tuple(json.loads(f.metadata[COLUMN])) for f in statistics)
    rows = unpacked(rows)
    blocks = [np.nan_to_num(rows[f.name].to_numpy(zero_copy_only=False)) for f in statistics]
    matrix = np.column_stack(blocks) if blocks else np.zeros((len(rows), 0))
    slicing = [f.name for f in rows.schema if f.name.startswith("slice.")]
    plain = rows.select(["system", "record", "cluster", "block", "reason", *slicing]).to_pylist()
    for row, values in zip(plain, matrix, strict=True):
        slices = tuple(((n.removeprefix("slice."), row[n]),) for n in slicing if row[n] is not None)
        origin = Origin(row["system"], row["record"], row["cluster"], slices, row["block"] or "")
        if row["reason"]:
            ledger.leave_out(origin, row["reason"])
        else:
            ledger.add(origin, Rows(columns, values[np.newaxis, :]), None)
    return ledger


@dataclass
class _Places:
    """The columns that say whose a row is; ledgers that observed the same units share them."""

    origins: list[Origin] = field(default_factory=list)
    columns: dict[str, pa.Array] = field(default_factory=dict)

    def of(self, origins: list[Origin]) -> dict[str, pa.Array]:
        if origins == self.origins:
            return self.columns
        columns: dict[str, pa.Array] = {
            "system": _texts(o.system for o in origins).dictionary_encode(),
            "record": _texts(o.record for o in origins),
        }
        same = all(o.cluster == o.record for o in origins)
        columns["cluster"] = columns["record"] if same else _texts(o.cluster for o in origins)
        columns["block"] = _texts(o.block or None for o in origins).dictionary_encode()
        for name in sorted({name for o in {o.slices for o in origins} for part in o for name, _ in part}):
            values = (dict(pair for part in o.slices for pair in part).get(name) for o in origins)
            columns[f"slice.{name}"] = _texts(values).dictionary_encode()
        self.origins, self.columns = origins, columns
        return columns


def _whose(ledger: Ledger, measures: Sequence[Measure], places: _Places) -> pa.Table:
    n = len(ledger.origins)
    reasons = np.frombuffer(ledger.reasons, dtype=np.int32)
    ps = np.frombuffer(ledger.ps, dtype=np.float64) if ledger.ps else np.full(n, np.nan)
    own = places.of(ledger.origins)
    columns: dict[str, pa.Array] = {
        "observation": _repeated(repr(ledger.observation), n),
        "measures": _repeated("\n".join(repr(m) for m in measures), n),
        **{name: own[name] for name in ("system", "record", "cluster", "block")},
        "reason": pa.DictionaryArray.from_arrays(
            pa.array(reasons, mask=reasons == 0), _texts(ledger.known_reasons)
        ),
        "p": pa.array(ps, mask=np.isnan(ps)),
        **{name: column for name, column in own.items() if name.startswith("slice.")},
    }
    return pa.table(columns)


def _statistics(ledger: Ledger) -> dict[str, pa.ChunkedArray]:
    """Every statistic, as packed as the ledger has it; null where there is no row."""
    reasons = np.frombuffer(ledger.reasons, dtype=np.int32)
    chunks: dict[str, list[pa.Array]] = {column_name(column): [] for column in ledger.columns}
    for i, packed in enumerate(ledger.packed()):
        missing = reasons[i * CHUNK : (i + 1) * CHUNK] != 0
        zero = Packed(np.zeros(len(missing), dtype=np.int16), np.zeros(1))
        for j, name in enumerate(chunks):
            column = packed[j] if j < len(packed) else zero
            codes = pa.array(column.codes, mask=missing if missing.any() else None)
            chunks[name].append(pa.DictionaryArray.from_arrays(codes, pa.array(column.numbers)))
    return {name: pa.chunked_array(arrays, PACKED) for name, arrays in chunks.items()}


def _repeated(text: str, n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), _texts([text]))


def _texts(values: Iterable[str | None]) -> pa.Array:
    """Text for Arrow; lone surrogates, which UTF-8 cannot hold, become question marks."""
    held = list(values)
    try:
        return pa.array(held, pa.string())
    except UnicodeEncodeError:
        return pa.array([v if v is None else encodable(v) for v in held], pa.string())
