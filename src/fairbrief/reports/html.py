"""The self-contained HTML page of an audit.

It uses no network and no script but its own, escapes every text, and works on light and dark screens and on paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fairbrief.reports import (
    arrangement,
    figures,
    first_screen,
    json_file,
    number_format,
    plot,
    reach,
    wording,
)
from fairbrief.reports.arrangement import Section
from fairbrief.reports.pages import page
from fairbrief.reports.plain import named
from fairbrief.reports.plot import BARE, FAINT, GRID, Axis, Line, Spread
from fairbrief.reports.result import Result
from fairbrief.reports.tables import Column, columns, facts, made_lines
from fairbrief.reports.wording import OF_THE_SCORER, worded
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

MOST_ROWS = 400
"""Rows of one table; ``results.json`` and ``estimates.csv`` have all."""
MOST_ON_PAGE = 1_500
"""Rows of all tables together: about 1.5 MB; with examples, pictures and script less than 3 MB."""
SCRIPTS = ("elements.js", "record_view.js", "record_list.js", "report_page.js")
BAR = 128
"""Width of the picture of an interval in a table, in pixels."""


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate: its system, its subgroup, its picture, and a text per column."""

    who: str
    part: str
    picture: str
    cells: tuple[str, ...]


Rows = tuple[tuple[str, tuple[Row, ...]], ...]
"""The rows of each quantity, with its name."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A section's table: main values in view; secondary estimates folded per measure, with their number."""

    title: str
    by: str
    is_difference: bool
    columns: tuple[Column, ...]
    rows: Rows
    folds: tuple[tuple[str, int, Rows], ...]
    hidden: int
    notes: tuple[str, ...]


def write(result: Result, path: Path | str) -> None:
    """Write the page."""
    Path(path).write_text(render(result), encoding="utf-8", newline="\n")


def render(result: Result) -> str:
    """The page as text."""
    made = result.made
    sections, contrasts = arrangement.arrange(result.estimates, made), arrangement.of_differences(result)
    room = _room([*sections, *contrasts])
    first = first_screen.make(result)
    examples = json_file.embedded(
        result.examples, result.estimates, first.measures if first else (), first_screen.lead(result)
    )
    context = {
        "facts": facts(result),
        "first": first,
        "made": made_lines(made),
        "tables_title": "Published layout" if result.tables else "Scorers",
        "signature": next((e.signature for e in result.estimates if e.signature), ""),
        "interval_name": wording.interval_name(made),
        "tables": [*result.tables, *reach.tables(made)],
        "findings": find_findings(sections, made),
        "grids": [_grid(s, room[id(s)], result) for s in sections],
        "compared": wording.COMPARED,
        "contrasts": [_grid(s, room[id(s)], result, is_difference=True) for s in contrasts],
        "figures": figures.draw(result),
        "examples": Markup(examples),  # noqa: S704 - no < is left in it
        "has_examples": bool(result.examples.rows),
        "reasons": [
            (measures, system, n, sum(counts.values()), arrangement.reasons(counts))
            for measures, system, n, counts in arrangement.left_out(
                e for s in sections if not s.by for e in s.estimates
            )
        ],
        "not_measured": result.not_measured,
        "skipped": result.skipped,
        "skipped_total": result.n_skipped,
    }
    return page("report.html.j2", context, scripts=SCRIPTS if result.examples.rows else ())


def _room(sections: Sequence[Section]) -> dict[int, list[int]]:
    """How many rows each section may show (main values, secondary), by its identity.

    If there are too many, main values come before secondary estimates, and all records before subgroups.
    """
    order = sorted(sections, key=lambda s: bool(s.by))
    main_values = [len(s.main_values) for s in order]
    others = [len(s.estimates) - main for s, main in zip(order, main_values, strict=True)]
    left, room = MOST_ON_PAGE, {id(s): [0, 0] for s in sections}
    for place, sizes in enumerate((main_values, others)):
        for section, wanted in zip(order, sizes, strict=True):
            room[id(section)][place] = given = min(wanted, MOST_ROWS, left)
            left -= given
    return room


def _grid(section: Section, room: Sequence[int], result: Result, *, is_difference: bool = False) -> Grid:
    made, systems = result.made, result.all_systems
    numbers = columns(section.estimates, made, is_difference=is_difference)
    main, (most, left) = section.main_values, room
    hidden = len(main) - most
    folds = []
    for measure, blocks in groupby(section.blocks, key=lambda block: block[0].measure):
        others = [e for block in blocks if not wording.is_main_value(block[0]) for e in block]
        shown = others[:left]
        if shown:
            name = named(wording.without_over(shown[0])) or measure
            folds.append(
                (name, len(shown), tuple(_rows(shown, numbers, systems, is_difference=is_difference)))
            )
        hidden, left = hidden + len(others) - len(shown), left - len(shown)
    rows = tuple(_rows(main[:most], numbers, systems, is_difference=is_difference))
    by = " × ".join(section.by)
    return Grid(section.title, by, is_difference, numbers, rows, tuple(folds), hidden, section.notes)


def _rows(
    estimates: Sequence[Estimate], numbers: Sequence[Column], systems: Sequence[str], *, is_difference: bool
) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """The rows of each quantity; their pictures share one axis, which contains zero."""
    for name, block in arrangement.by_quantity(estimates):
        spreads = [
            Spread(e.value, e.low, e.high)
            if is_difference
            else Spread(e.value, e.low, e.high, e.permutation_mean, plot.colour_of(systems, e.system))
            for e in block
        ]
        places = [0.0, *(place for spread in spreads for place in spread.places)]
        axis = Axis(min(places), max(places), has_grid=False, has_line=False)
        yield (
            name,
            tuple(
                Row(
                    named(wording.pair(e) if is_difference else e.system),
                    named(", ".join(e.subgroup.values())),
                    _picture(e, spread, axis),
                    tuple(column.cell(e) for column in numbers),
                )
                for e, spread in zip(block, spreads, strict=True)
            ),
        )


def _picture(e: Estimate, spread: Spread, axis: Axis) -> str:
    """Interval, permutation mean and value on a horizontal line with a notch at zero; a dash if there is no value."""
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


# -------------------------------------------------------------------------------- measures in sentences

MOST_NAMED = 6
"""Systems with a sentence per measure; the tables of estimates have all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A measure in sentences, one per system, with notes on its scorer and on further systems."""

    measure: str
    asks: str
    lines: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one family by one attribute, and the harm that a gap would mean."""

    title: str
    findings: tuple[Finding, ...]
    harms: tuple[str, ...]


def find_findings(sections: Sequence[Section], made: Mapping[str, Any]) -> tuple[Findings, ...]:
    """The main values on all records, by family."""
    found = []
    for section in sections:
        by_measure: dict[str, list[Estimate]] = {}
        for e in section.main_values if not section.by else ():
            by_measure.setdefault(e.measure, []).append(e)
        if by_measure:
            harms = dict.fromkeys(wording.declared(measure, made).harm for measure in by_measure)
            findings = tuple(_finding(measure, members, made) for measure, members in by_measure.items())
            found.append(Findings(section.title, findings, tuple(filter(None, harms))))
    return tuple(found)


def _finding(measure: str, members: Sequence[Estimate], made: Mapping[str, Any]) -> Finding:
    alpha = wording.alpha_of(made)
    lines = tuple((named(e.system), wording.finding(e, alpha)) for e in members[:MOST_NAMED])
    notes = list(dict.fromkeys(worded(n) for e in members for n in e.notes if n.code in OF_THE_SCORER))
    if more := len(members) - len(lines):
        notes.append(f"{counted(more, 'further system')} in the tables of estimates")
    return Finding(measure, wording.declared(measure, made).question, lines, tuple(notes))
