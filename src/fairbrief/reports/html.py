"""One self-contained HTML page: no network, no script but its own, every text escaped, light, dark and on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fairbrief.reports import (
    arrangement,
    figures,
    findings,
    first_screen,
    number_format,
    plot,
    reach,
    record_data,
    wording,
)
from fairbrief.reports.arrangement import Arranged, Section
from fairbrief.reports.pages import page
from fairbrief.reports.plain import named
from fairbrief.reports.plot import BARE, FAINT, GRID, Axis, Line, Spread
from fairbrief.reports.result import Result
from fairbrief.reports.tables import Column, columns, made_lines
from fairbrief.types import Estimate

MOST_ROWS = 400
"""Rows of one table on the page; all are in ``results.json`` and ``estimates.csv``."""
MOST_ON_PAGE = 1_500
"""Rows of all tables on the page together: about one and a half megabytes; with examples, pictures and script less than three."""
SCRIPTS = ("elements.js", "record_view.js", "record_list.js", "report_page.js")
BAR = 128
"""Width of an interval's picture in a table, in pixels."""


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate: whose it is, of which part of the data, its picture, and a text for each column."""

    who: str
    part: str
    picture: str
    cells: tuple[str, ...]


Rows = tuple[tuple[str, tuple[Row, ...]], ...]
"""The rows of each quantity under its name."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A section's table: headlines in view, the other quantities folded away under the measure and with their number."""

    title: str
    by: str
    is_difference: bool
    columns: tuple[Column, ...]
    rows: Rows
    folds: tuple[tuple[str, int, Rows], ...]
    hidden: int
    notes: tuple[str, ...]


def write(result: Result, path: Path | str, arranged: Arranged | None = None) -> None:
    """Write the page."""
    Path(path).write_text(render(result, arranged), encoding="utf-8", newline="\n")


def render(result: Result, arranged: Arranged | None = None) -> str:
    """The page as text."""
    made, arranged = result.made, arranged or Arranged.of(result)
    sections, contrasts = arranged.sections, arranged.contrasts
    room = _room([*sections, *contrasts])
    first = first_screen.make(result)
    examples = record_data.embedded(result.examples, result.estimates, first.measures if first else ())
    context = {
        "facts": _facts(result),
        "first": first,
        "made": made_lines(made),
        "tables_title": "In the published layout" if made.get("protocol") else "Tables",
        "signature": next((e.signature for e in result.estimates if e.signature), ""),
        "interval_name": wording.interval_name(made),
        "tables": [*result.tables, *reach.tables(made)],
        "findings": findings.find(sections, made),
        "grids": [_grid(s, room[id(s)], made) for s in sections],
        "compared": wording.COMPARED,
        "contrasts": [_grid(s, room[id(s)], made, is_difference=True) for s in contrasts],
        "figures": figures.draw(result),
        "examples": Markup(examples),  # noqa: S704 - no < is left in it
        "has_examples": bool(result.examples.rows),
        "reasons": [
            (measures, system, n, sum(counts.values()), arrangement.reasons(counts))
            for measures, system, n, counts in arrangement.left_out(
                e for s in sections if not s.by for e in s.estimates
            )
        ],
        "left_out": result.left_out,
        "skipped": result.skipped,
        "skipped_total": result.n_skipped,
    }
    return page("report.html.j2", context, scripts=SCRIPTS if result.examples.rows else ())


def _facts(result: Result) -> tuple[tuple[str, str], ...]:
    """What was audited, in four or five figures."""
    made = result.made
    files, systems = made.get("files") or (), result.systems
    facts = (
        ("input", ", ".join(map(str, [files] if isinstance(files, str) else files))),
        ("records", number_format.count(made["records"]) if isinstance(made.get("records"), int) else ""),
        ("systems", ", ".join(map(str, systems)) if isinstance(systems, (list, tuple)) else str(systems)),
        ("protocol", str(made.get("protocol") or "")),
        ("seed", str(made.get("seed", ""))),
    )
    return tuple((name, text) for name, text in facts if text)


def _room(sections: Sequence[Section]) -> dict[int, list[int]]:
    """How many rows each section may show (headlines, others), by its identity.

    Headlines come before other quantities, and whole data before slices, where the page has not room for all.
    """
    order = sorted(sections, key=lambda s: bool(s.by))
    headlines = [len(s.headlines) for s in order]
    others = [len(s.estimates) - main for s, main in zip(order, headlines, strict=True)]
    left, room = MOST_ON_PAGE, {id(s): [0, 0] for s in sections}
    for place, sizes in enumerate((headlines, others)):
        for section, wanted in zip(order, sizes, strict=True):
            room[id(section)][place] = given = min(wanted, MOST_ROWS, left)
            left -= given
    return room


def _grid(section: Section, room: Sequence[int], made: Any, *, is_difference: bool = False) -> Grid:
    numbers = columns(section.estimates, made, is_difference=is_difference)
    main, (most, left) = section.headlines, room
    hidden = len(main) - most
    folds = []
    for measure, blocks in groupby(section.blocks, key=lambda block: block[0].measure):
        others = [e for block in blocks if not wording.is_headline(block[0]) for e in block]
        shown = others[:left]
        if shown:
            name = named(wording.without_over(shown[0])) or measure
            folds.append((name, len(shown), tuple(_rows(shown, numbers, is_difference=is_difference))))
        hidden, left = hidden + len(others) - len(shown), left - len(shown)
    rows = tuple(_rows(main[:most], numbers, is_difference=is_difference))
    by = " × ".join(section.by)
    return Grid(section.title, by, is_difference, numbers, rows, tuple(folds), hidden, section.notes)


def _rows(
    estimates: Sequence[Estimate], numbers: Sequence[Column], *, is_difference: bool
) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """The rows of each quantity, whose pictures share one axis, which holds zero."""
    for name, block in arrangement.by_quantity(estimates):
        spreads = [Spread("", e.value, e.low, e.high, None if is_difference else e.null_mean) for e in block]
        places = [0.0, *(place for spread in spreads for place in spread.places)]
        axis = Axis(min(places), max(places), has_grid=False, has_line=False)
        yield (
            name,
            tuple(
                Row(
                    named(wording.pair(e) if is_difference else e.system),
                    named(", ".join(e.slice.values())),
                    _picture(e, spread, axis),
                    tuple(column.cell(e) for column in numbers),
                )
                for e, spread in zip(block, spreads, strict=True)
            ),
        )


def _picture(e: Estimate, spread: Spread, axis: Axis) -> str:
    """Interval, permutation mean and value on a level line, and a notch at zero; a dash where there is no value."""
    if spread.value is None or axis.high <= axis.low:
        return number_format.ABSENT
    alt = f"{number_format.value(e)}, interval {number_format.interval(e)}, permutation mean {number_format.chance(e)}"
    marks = [
        Line(((axis.low, 0.5), (axis.high, 0.5)), GRID, 1),
        Line(((0, 0.28), (0, 0.72)), FAINT, 1),
        *spread.marks(0.5, tick=0.42),
    ]
    svg = plot.drawn(alt, axis, BARE, marks, BAR, 18, left=6, right=6)
    return Markup(svg)  # noqa: S704 - drawn and escaped by this package
