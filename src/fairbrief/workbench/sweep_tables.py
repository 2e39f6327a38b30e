"""A sweep's numbers: one printed table of every headline, and one tidy table of everything."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairbrief.auditing.differences import UNSIGNED
from fairbrief.auditing.system_runs import RunSpread, run_spreads
from fairbrief.reports import exports, number_format, wording
from fairbrief.reports.audit_folder import place
from fairbrief.reports.result import Result
from fairbrief.saved.scorer_agreement import QUANTITY
from fairbrief.types import Estimate, Table
from fairbrief.workbench.grid import Cell, axes_of

NOT_TESTABLE = "not testable"
BY_OTHERS = (
    "Unsigned scores differ with the length of the summaries alone. A name beside p is that of the group difference with the "
    "smallest p, less its random-sentence baseline in both settings where it has one; – where the measure has none."
)
COLUMNS = ("setting", "n", "value", "difference", "n of both", "p", "relative change")


def sweep_table(result: Result, cells: Sequence[Cell], baseline: str) -> Table:
    """Value, paired difference from the baseline and relative change of each headline, each with its n."""
    whole = [e for e in result.differences if not e.slice]
    gaps = {(e.measure, e.system): e for e in whole if wording.is_headline(e)}
    leading: dict[tuple[str, str], list[Estimate]] = {}
    for e in map(wording.from_random, whole):
        if e.leads:
            leading.setdefault((e.measure, e.system), []).append(e)
    changes = {(e.measure, e.system): e for e in result.differences if e.quantity == QUANTITY}
    spreads = run_spreads(result.estimates) if any(cell.runs > 1 for cell in cells) else {}
    order = {cell.name: i for i, cell in enumerate(cells)}
    rows: list[tuple[str, ...]] = []
    by_others = any(e.notes == UNSIGNED for e in gaps.values())
    shown = [e for e in result.estimates if e.system in order and wording.is_headline(e) and not e.slice]
    for measure in dict.fromkeys(e.measure for e in shown):
        rows.append((measure, *[""] * (len(COLUMNS) - 1 + bool(spreads))))
        for e in sorted((e for e in shown if e.measure == measure), key=lambda e: order[e.system]):
            gap = gaps.get((measure, e.system)) if e.system != baseline else None
            spread = spreads.get((measure, e.quantity, e.system))
            between = number_format.number(spread.deviation if spread else None)
            rows.append(
                (
                    e.system, number_format.count(e.clusters), _cell(e),
                    *_difference(gap, leading.get((measure, e.system), ()), is_baseline=e.system == baseline),
                    _cell(changes.get((measure, e.system))), *((between,) if spreads else ()),
                )
            )  # fmt: skip
    header = (*COLUMNS, *(("SD of runs",) if spreads else ()))
    notes = _notes(list(changes.values()), baseline, has_runs=bool(spreads))
    return Table("The sweep", header, tuple(rows), (*notes, *((BY_OTHERS,) if by_others else ())))


def _difference(
    gap: Estimate | None, leading: Sequence[Estimate], *, is_baseline: bool
) -> tuple[str, str, str]:
    """Difference, n and p of a pair; what the baseline is, and what could not be compared, is said in words."""
    if is_baseline:
        return ("baseline", "", "")
    if gap is None:
        return ("fewer than two records in common", "", "")
    if gap.value is None:
        return number_format.UNDEFINED, number_format.count(gap.clusters), ""
    return _cell(gap), number_format.count(gap.clusters), _tested(gap, leading)


def _tested(gap: Estimate, leading: Sequence[Estimate]) -> str:
    """P of a difference; of an unsigned score that of the group difference by which it is compared, with its name."""
    tested = [e for e in leading if e.p is not None]
    if not tested:
        if any(e.testable is False for e in (gap, *leading)):
            return NOT_TESTABLE
        return number_format.probability(None if gap.p is None else _adjusted(gap))
    least = min(tested, key=lambda e: (_adjusted(e), e.quantity))
    if wording.is_headline(least):
        return number_format.probability(_adjusted(least))
    return f"{number_format.probability(_adjusted(least))} {least.quantity}"


def _adjusted(e: Estimate) -> float:
    return (e.p if e.p_adjusted is None else e.p_adjusted) or 0.0


def _notes(changes: Sequence[Estimate], baseline: str, *, has_runs: bool) -> tuple[str, ...]:
    against = sorted({e.baseline for e in changes})
    notes = [
        f"Difference: minus {baseline}, on the records that these two answered; p from exchanging the two, after Holm."
    ]
    if len(against) == 1:
        notes.append(
            f"Relative change: by which part the value falls from {against[0]}; undefined where that is 0."
        )
    elif against:
        notes.append(
            "Relative change: by which part the value falls from the same setting without an instruction; "
            "undefined where that is 0."
        )
    if has_runs:
        notes.append(
            "The runs of a setting are pooled: the interval is that of the records, SD of runs the standard deviation "
            "of the runs' own values."
        )
    return tuple(notes)


def _cell(e: Estimate | None) -> str:
    if e is None:
        return ""
    return (
        number_format.value(e) if e.low is None else f"{number_format.value(e)} {number_format.interval(e)}"
    )


# ---- An experiment's numbers as one tidy table: a row per number, a column per axis


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
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(rows[0] if rows else ("cell",))
    writer.writerows([exports.csv_cell(value) for value in row.values()] for row in rows)
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
