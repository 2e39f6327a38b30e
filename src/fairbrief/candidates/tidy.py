"""An experiment's numbers as one tidy table: a row per number, a column per axis."""

from __future__ import annotations

import csv as stdlib_csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairbrief.auditing.system_runs import RunSpread, run_spreads
from fairbrief.candidates.grid import Cell, axes_of
from fairbrief.reports import csv, wording
from fairbrief.reports.audit_folder import place
from fairbrief.reports.result import Result
from fairbrief.saved.relative_changes import QUANTITY
from fairbrief.types import Estimate

NUMBERS = ("value", "low", "high", "n", "clusters", "chance", "p", "p_holm", "testable")
"""Columns of each number; n counts summaries, clusters the records (or originals) that they are of."""


def tidy_rows(result: Result, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Every estimate and paired difference of every cell and control, as rows of one set of columns.

    Columns: ``cell``, ``system_kind`` (`SystemKind`), one per axis (None for a control), ``kind`` (estimate, difference, relative change), ``minus`` (the
    cell that was subtracted), measure, quantity, ``is_headline``, over, one per slicing attribute (``slice.NAME``), `NUMBERS`, ``runs`` and
    ``sd_of_runs`` (None where a cell has one run).
    """
    axes = axes_of(cells)
    slices = list(dict.fromkeys(name for e in (*result.estimates, *result.differences) for name in e.slice))
    by_name = {cell.name: cell for cell in cells}
    spreads = run_spreads(result.estimates)
    return [
        _row(e, by_name.get(e.system), axes, slices, spreads)
        for e in (*result.estimates, *result.differences)
    ]


def write_tidy(result: Result, cells: Sequence[Cell], path: Path) -> None:
    """The rows as CSV, at full precision; no cell of it is a formula to a spreadsheet."""
    rows = tidy_rows(result, cells)
    out = io.StringIO()
    writer = stdlib_csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0] if rows else ("cell",))
    writer.writerows([csv.cell(value) for value in row.values()] for row in rows)
    place(path, lambda part: part.write_text(out.getvalue(), encoding="utf-8", newline="\n"))


def _row(
    e: Estimate,
    cell: Cell | None,
    axes: Sequence[str],
    slices: Sequence[str],
    spreads: Mapping[tuple[str, str, str], RunSpread],
) -> dict[str, Any]:
    spread = None if e.slice or e.baseline else spreads.get((e.measure, e.quantity, e.system))
    numbers = (e.value, e.low, e.high, e.n, e.clusters, e.null_mean, e.p, e.p_adjusted, e.testable)
    return {
        "cell": e.system,
        "system_kind": e.system_kind,
        **{axis: None if cell is None else cell.settings.get(axis) for axis in axes},
        "kind": _kind(e),
        "minus": e.baseline or None,
        "measure": e.measure,
        "quantity": e.quantity,
        "is_headline": wording.is_headline(e),
        "over": e.over or None,
        **{f"slice.{name}": e.slice.get(name) for name in slices},
        **dict(zip(NUMBERS, numbers, strict=True)),
        "runs": None if cell is None else cell.runs,
        "sd_of_runs": None if spread is None else spread.deviation,
    }


def _kind(e: Estimate) -> str:
    if e.quantity == QUANTITY:
        return "relative change"
    return "difference" if e.baseline else "estimate"
