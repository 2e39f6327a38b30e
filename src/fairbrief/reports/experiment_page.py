"""An experiment on one page: what was done, the grid in small multiples, the tables, the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.reports import dots, row_pictures
from fairbrief.reports.figure_spec import Figure, Panel, describe, note_cut
from fairbrief.reports.junit import Check
from fairbrief.reports.number_format import number
from fairbrief.reports.pages import page
from fairbrief.reports.result import Result
from fairbrief.reports.tabular import left_out_table, made_lines

SHOWN_ELSEWHERE = ("sweep", "experiment", "systems", "attributes", "measures")
"""What of ``made`` the page shows in its own words, or the report of the audit behind it."""


def render(
    title: str,
    about: str,
    source: str,
    steps: Sequence[tuple[str, str, str]],
    rows: Sequence[Mapping[str, Any]],
    axes: Sequence[str],
    result: Result,
    checks: Sequence[Check],
) -> str:
    """The page as text: no network, no script, every text escaped.

    ``steps`` are name, place and what was done; ``rows`` are the tidy rows of the experiment along ``axes``.
    """
    told = {
        "title": title,
        "about": about,
        "source": source,
        "steps": steps,
        "axes": [
            (axis, list(dict.fromkeys(str(r[axis]) for r in rows if r[axis] is not None))) for axis in axes
        ],
        "figures": small_multiples(rows, axes),
        "tables": [*result.tables, *filter(None, [left_out_table(result)])],
        "checks": checks,
        "made": [line for line in made_lines(result.made) if line[0] not in SHOWN_ELSEWHERE],
    }
    return page("experiment.html.j2", told, {})


# ---------------------------------------------------------------------------------- small multiples


MOST_PANELS = 24
SUMMARIZER = "summarizer"
"""The axis whose values need no name before them."""
Row = Mapping[str, Any]
CAPTION = (
    "Dots are values, bars their intervals, ticks the chance level; all panels of a measure share one scale."
)


def small_multiples(rows: Sequence[Row], axes: Sequence[str]) -> tuple[Figure, ...]:
    """One figure per measure from the tidy rows of its headline: a panel per point of all axes but one.

    The axis with the most values of those that all cells have (the summarizers if there is no other) runs inside
    the panels. ``rows`` are as `workbench.sweep_tables.tidy_rows` makes them, rows of slices, of controls and without a value are left out.
    """
    shown = [r for r in rows if _is_headline(r)]
    swept = [axis for axis in axes if len({r[axis] for r in shown}) > 1]
    inner = _inner(shown, swept)
    return tuple(
        _figure(measure, [r for r in shown if r["measure"] == measure], swept, inner)
        for measure in dict.fromkeys(r["measure"] for r in shown)
    )


def _inner(rows: Sequence[Row], swept: Sequence[str]) -> str | None:
    everywhere = [axis for axis in swept if axis != SUMMARIZER and all(r[axis] is not None for r in rows)]
    return max(everywhere or swept, key=lambda axis: len({r[axis] for r in rows}), default=None)


def _is_headline(row: Row) -> bool:
    is_whole = not any(value for key, value in row.items() if key.startswith("slice."))
    is_value = row["kind"] == "estimate" and row["value"] is not None
    return is_whole and is_value and row["is_headline"] and row["system_kind"] == "system"


def _figure(measure: str, rows: Sequence[Row], swept: Sequence[str], inner: str | None) -> Figure:
    panels: dict[str, list[Row]] = {}
    for row in rows:
        outer = ", ".join(f"{axis} {row[axis]}" for axis in swept if axis != inner and row[axis] is not None)
        outer = outer.removeprefix(f"{SUMMARIZER} ")
        panels.setdefault(outer, []).append(row)
    drawn = list(panels.items())[:MOST_PANELS]
    lines = {title: [_line(row, inner) for row in of] for title, of in drawn}
    domain = dots.domain_of([line for of in lines.values() for line in of])
    pictures = tuple(
        Panel(
            title or (f"by {inner}" if inner else measure),
            row_pictures.forest(lines[title], _say(of, inner), domain),
        )
        for title, of in drawn
    )
    note = note_cut(len(drawn), len(panels), "panels")
    along = f" Lines: {inner}." if inner else ""
    return Figure(measure, f"{CAPTION}{along}{note}", pictures)


def _line(row: Row, inner: str | None) -> dict[str, Any]:
    name = row["cell"] if inner is None else str(row[inner] if row[inner] is not None else "–")
    return {
        "name": name,
        "value": row["value"],
        "low": row["low"],
        "high": row["high"],
        "chance": row["chance"],
    }


def _say(rows: Sequence[Row], inner: str | None) -> str:
    return describe(
        f"{row['cell'] if inner is None else row[inner]} {_number(row)}, n {row['clusters']}" for row in rows
    )


def _number(row: Row) -> str:
    if row["low"] is None:
        return number(row["value"])
    return f"{number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"
