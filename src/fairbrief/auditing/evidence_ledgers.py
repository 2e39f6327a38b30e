"""Ledgers as evidence holds them: what saved audits are compared, ranked and sliced by."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief import registry
from fairbrief.auditing.evidence_table import ATTRIBUTE, COLUMN, SLICE
from fairbrief.auditing.ledger import SORTED, Ledger, RowBlock, sort
from fairbrief.auditing.origins import Kind, Origins, slices_of
from fairbrief.errors import DataError
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.reports.frames import coded, plain_numbers, unpacked
from fairbrief.types import Column, Floats, Integers, Measure

Groupings = Sequence[tuple[str, ...]]


def ledgers_from(
    evidence: EvidenceRows,
    given: Mapping[str, Measure] = MappingProxyType({}),
    by: Groupings | None = None,
    wanted: Collection[str] | None = None,
) -> list[tuple[Ledger, list[Measure]]]:
    """The sorted ledgers behind evidence, and the measures that read each; without nulls. Rows are read some at a time.

    ``given`` are measures by spec that need not be declared anywhere; ``by`` says what to slice by, each attribute that
    the audit was sliced by alone if not told; ``wanted`` are the specs of the measures that are asked for, all if not told.
    The relabelled sums are not in the evidence: what is made from such a ledger has intervals and paired
    differences, and no chance level.
    """
    there = evidence.column_names()
    for column in ("observation", "system_kind"):
        if column not in there:
            raise DataError(
                f"This table is no evidence of an audit of this version: it has no column '{column}'. Run the audit again."
            )
    if by is None:
        by = [(name.removeprefix(SLICE),) for name in there if name.startswith(SLICE)]
    specs: dict[str, list[str]] = {}
    for spec, observation in evidence.measures().items():
        if wanted is None or spec in wanted:
            specs.setdefault(observation, []).append(spec)
    found: list[tuple[Ledger, list[Measure]]] = []
    for observation, spelled in specs.items():
        measures = [given.get(name) or registry.make("measure", name) for name in spelled]
        ledger = Ledger(measures[0].observation, n_resamples=0)
        before = iter(found[-1][0].whose or () if found else ())
        for rows in evidence.each_of(observation, _is_read):
            for start in range(0, len(rows), SORTED):
                some = rows.slice(start, SORTED)
                origins, others = _origins(some, by), next(before, None)
                # Nearly all observations are of the same units in the same order: these are held once.
                _write(ledger, some, others if origins == others and others is not None else origins)
        found.append((ledger, measures))
    sort([ledger for ledger, _ in found])
    return found


def columns_of(rows: pa.Table) -> dict[Column, str]:
    """The statistics that have a value in some row, and what their columns are called."""
    fields = (f for f in rows.schema if COLUMN in (f.metadata or {}) and rows[f.name].null_count < len(rows))
    return {tuple(json.loads(f.metadata[COLUMN])): f.name for f in fields}


def _is_read(name: str) -> bool:
    return name not in {"observation", "measures", "p"} and not name.startswith(ATTRIBUTE)


def _write(ledger: Ledger, rows: pa.Table, origins: Origins) -> None:
    """Write rows of evidence into a ledger."""
    columns = columns_of(rows)
    reasons, known = coded(rows["reason"])
    texts = known.to_pylist()
    there = np.flatnonzero(reasons < 0)
    values = _matrix(unpacked(rows.select(list(columns.values()))))[there, np.newaxis]
    left_out = {i: texts[reasons[i]] for i in np.flatnonzero(reasons >= 0).tolist()}
    ledger.write(origins, [RowBlock(there, tuple(columns), values, None)], left_out)
    ledger.pack()


def _matrix(statistics: pa.Table) -> Floats:
    """Columns side by side, 0 where there is nothing. Shape (rows, columns)."""
    columns = [plain_numbers(column) for column in statistics.columns]
    return np.column_stack(columns) if columns else np.zeros((len(statistics), 0))


def _origins(rows: pa.Table, by: Groupings) -> Origins:
    """Whose the rows are."""
    records, clusters = (
        pa.concat_arrays(rows[name].cast(pa.large_binary()).chunks) for name in ("record", "cluster")
    )
    nothing = pa.nulls(len(rows), pa.large_binary())
    shared = pc.if_else(pc.equal(records, clusters), nothing, clusters)
    block, blocks = coded(rows["block"])
    kind, kinds = _kinds(rows, by)
    return Origins(records, shared, kind, block, kinds, [*blocks.to_pylist(), ""])  # -1: none


def _kinds(rows: pa.Table, by: Groupings) -> tuple[Integers, list[Kind]]:
    """The number of each row's kind, shape (rows,); and the kinds."""
    sliced = [name for name in rows.column_names if name.startswith(SLICE)]
    codes = np.zeros(len(rows), dtype=np.int64)
    columns = []
    for name in ("system", "system_kind", *sliced):
        own, known = coded(rows[name])
        columns.append((own, [*known.to_pylist(), None]))  # -1, for none, is the place of the last
        codes = np.unique(codes * (len(known) + 1) + own + 1, return_inverse=True)[1]
    _, first, kind = np.unique(codes, return_index=True, return_inverse=True)
    kinds = []
    for i in first.tolist():
        system, system_kind, *values = (known[own[i]] for own, known in columns)
        told = {n.removeprefix(SLICE): v for n, v in zip(sliced, values, strict=True) if v is not None}
        slices = slices_of(told, by)
        kinds.append(Kind(system, slices, is_shared=False, system_kind=system_kind, attributes=()))
    return kind, kinds
