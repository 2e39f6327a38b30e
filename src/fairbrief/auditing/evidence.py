"""Ledgers as one table: what `Result.evidence` and ``evidence.parquet`` hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from fairbrief.auditing.ledger import Ledger
from fairbrief.nouns import Column, Measure, Observation


def evidence_table(ledgers: Sequence[Ledger], readers: Mapping[Observation, Sequence[Measure]]) -> pa.Table:
    """One row per observation, system and unit. See `Result.evidence` for the columns."""
    tables = [_table(ledger, readers[ledger.observation]) for ledger in ledgers if ledger.origins]
    return pa.concat_tables(tables, promote_options="default") if tables else pa.table({})


def column_name(column: Column) -> str:
    """``("deficit", "neg")`` as ``deficit[neg]``."""
    return f"{column[0]}[{', '.join(column[1:])}]" if len(column) > 1 else column[0]


def _table(ledger: Ledger, measures: Sequence[Measure]) -> pa.Table:
    n = len(ledger.origins)
    reasons = np.frombuffer(ledger.reasons, dtype=np.int32)
    kept = reasons == 0
    known = list(ledger.known_reasons)
    ps = np.frombuffer(ledger.ps, dtype=np.float64)
    columns: dict[str, pa.Array] = {
        "observation": _repeated(repr(ledger.observation), n),
        "measures": _repeated(" ".join(repr(m) for m in measures), n),
        "system": pa.array([o.system for o in ledger.origins]).dictionary_encode(),
        "record": pa.array([o.record for o in ledger.origins]),
        "cluster": pa.array([o.cluster for o in ledger.origins]),
        "reason": pa.DictionaryArray.from_arrays(pa.array(reasons, mask=kept), pa.array(known)),
        "p": pa.array(ps, mask=np.isnan(ps)),
    }
    slicing = sorted({name for o in {o.slices for o in ledger.origins} for part in o for name, _ in part})
    for name in slicing:
        values = [dict(pair for part in o.slices for pair in part).get(name) for o in ledger.origins]
        columns[f"slice.{name}"] = pa.array(values, pa.string()).dictionary_encode()
    matrix = ledger.matrix()
    for column, i in ledger.columns.items():
        spread = np.zeros(n)
        spread[kept] = matrix[:, i]
        columns[column_name(column)] = pa.array(spread, mask=~kept)
    return pa.table(columns)


def _repeated(text: str, n: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([text]))
