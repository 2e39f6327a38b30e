"""An experiment on one page: what was done, the grid in small multiples, the tables, the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.reports import plot
from fairbrief.reports.estimate_figures import Figure, Panel, bounds_of, describe, first_of
from fairbrief.reports.number_format import number
from fairbrief.reports.pages import page
from fairbrief.reports.plot import Spread
from fairbrief.reports.result import Result
from fairbrief.reports.tables import left_out_table, made_lines
from fairbrief.saved.gate_rules import Check
from fairbrief.types import Table

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
    context = {
        "title": title,
        "about": about,
        "source": source,
        "steps": Table("What was done", ("step", "where", "what"), tuple(steps)),
        "axes": [
            (axis, ", ".join(dict.fromkeys(str(r[axis]) for r in rows if r[axis] is not None)))
            for axis in axes
        ],
        "figures": small_multiples(rows, axes),
        "tables": [*result.tables, *filter(None, [left_out_table(result)])],
        "checks": Table(
            "Gate", ("check", "outcome", "why"), tuple((c.name, c.outcome, c.message) for c in checks)
        ),
        "made": [line for line in made_lines(result.made) if line[0] not in SHOWN_ELSEWHERE],
    }
    return page("experiment.html.j2", context)


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
    drawn, note = first_of(list(panels.items()), MOST_PANELS, "panels")
    spreads = {title: [_spread(row, inner) for row in members] for title, members in drawn}
    bounds = bounds_of(spread for several in spreads.values() for spread in several)
    pictures = tuple(
        Panel(
            title or (f"by {inner}" if inner else measure),
            plot.forest(spreads[title], _say(members, inner), bounds),
        )
        for title, members in drawn
    )
    along = f" Lines: {inner}." if inner else ""
    return Figure(measure, f"{CAPTION}{along}{note}", pictures)


def _spread(row: Row, inner: str | None) -> Spread:
    name = row["cell"] if inner is None else str(row[inner] if row[inner] is not None else "–")
    return Spread(name, row["value"], row["low"], row["high"], row["chance"])


def _say(rows: Sequence[Row], inner: str | None) -> str:
    return describe(
        f"{row['cell'] if inner is None else row[inner]} {_number(row)}, n {row['clusters']}" for row in rows
    )


def _number(row: Row) -> str:
    if row["low"] is None:
        return number(row["value"])
    return f"{number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"
