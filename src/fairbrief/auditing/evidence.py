"""Ledgers as one table, what `Result.evidence` and ``evidence.parquet`` hold, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief import registry
from fairbrief.auditing.ledger import Ledger, Origin
from fairbrief.errors import DataError
from fairbrief.nouns import Column, Measure, Observation, Rows

COLUMN = b"fairbrief.column"


def evidence_table(ledgers: Sequence[Ledger], readers: Mapping[Observation, Sequence[Measure]]) -> pa.Table:
    """One row per observation, system and unit. See `Result.evidence` for the columns."""
    tables = [_table(ledger, readers[ledger.observation]) for ledger in ledgers if ledger.origins]
    return pa.concat_tables(tables, promote_options="default") if tables else pa.table({})


def column_name(column: Column) -> str:
    """``("deficit", "neg")`` as ``deficit[neg]``."""
    return f"{column[0]}[{', '.join(column[1:])}]" if len(column) > 1 else column[0]


def ledgers_from(evidence: pa.Table) -> list[tuple[Ledger, list[Measure]]]:
    """The ledgers behind a table of evidence, and the measures that read each; without nulls.

    The relabelled sums are not in the table: what is made from such a ledger has intervals and paired
    differences, and no chance level.
    """
    if "observation" not in evidence.column_names:
        raise DataError("This table is no evidence of an audit: it has no column 'observation'.")
    found = []
    for observation in evidence["observation"].unique().to_pylist():
        rows = evidence.filter(pc.equal(evidence["observation"], observation))
        measures = [registry.make("measure", name) for name in rows["measures"][0].as_py().split("\n")]
        found.append((_ledger(rows, measures[0].observation), measures))
    return found


def _ledger(rows: pa.Table, observation: Observation) -> Ledger:
    ledger = Ledger(observation, draws=0)
    statistics = [
        f for f in rows.schema if f.metadata and COLUMN in f.metadata and rows[f.name].null_count < len(rows)
    ]
    columns = tuple(tuple(json.loads(f.metadata[COLUMN])) for f in statistics)
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


def _table(ledger: Ledger, measures: Sequence[Measure]) -> pa.Table:
    n = len(ledger.origins)
    reasons = np.frombuffer(ledger.reasons, dtype=np.int32)
    kept = reasons == 0
    known = list(ledger.known_reasons)
    ps = np.frombuffer(ledger.ps, dtype=np.float64)
    columns: dict[str, pa.Array] = {
        "observation": _repeated(repr(ledger.observation), n),
        "measures": _repeated("\n".join(repr(m) for m in measures), n),
        "system": pa.array([o.system for o in ledger.origins]).dictionary_encode(),
        "record": pa.array([o.record for o in ledger.origins]),
        "cluster": pa.array([o.cluster for o in ledger.origins]),
        "block": pa.array([o.block or None for o in ledger.origins], pa.string()).dictionary_encode(),
        "reason": pa.DictionaryArray.from_arrays(pa.array(reasons, mask=kept), pa.array(known)),
        "p": pa.array(ps, mask=np.isnan(ps)),
    }
    slicing = sorted({name for o in {o.slices for o in ledger.origins} for part in o for name, _ in part})
    for name in slicing:
        values = [dict(pair for part in o.slices for pair in part).get(name) for o in ledger.origins]
        columns[f"slice.{name}"] = pa.array(values, pa.string()).dictionary_encode()
    schema = [pa.field(name, column.type) for name, column in columns.items()]
    arrays = list(columns.values())
    matrix = ledger.matrix()
    for column, i in ledger.columns.items():
        spread = np.zeros(n)
        spread[kept] = matrix[:, i]
        # The name is for people; values may hold any character, so the exact column stands beside it.
        schema.append(pa.field(column_name(column), pa.float64(), metadata={COLUMN: json.dumps(column)}))
        arrays.append(pa.array(spread, mask=~kept))
    return pa.table(arrays, schema=pa.schema(schema))


def _repeated(text: str, n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([text]))
