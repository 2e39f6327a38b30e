"""The self-contained HTML page of an audit.

It uses no network and no script but its own, escapes every text, and works on light and dark screens and on paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fairbrief.conclusions import SIGNIFICANT, conclusion
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
from fairbrief.reports.arrangement import Arranged, Section
from fairbrief.reports.estimate_figures import spread_of
from fairbrief.reports.pages import page
from fairbrief.reports.plain import named
from fairbrief.reports.plot import BARE, FAINT, GRID, Axis, Line, Spread
from fairbrief.reports.result import Result
from fairbrief.reports.tables import Column, columns, made_lines
from fairbrief.reports.wording import OF_THE_SCORER, worded
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

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


def write(result: Result, path: Path | str, arranged: Arranged | None = None) -> None:
    """Write the page."""
    Path(path).write_text(render(result, arranged), encoding="utf-8", newline="\n")


def render(result: Result, arranged: Arranged | None = None) -> str:
    """The page as text."""
    made, arranged = result.made, arranged or Arranged.of(result)
    sections, contrasts = arranged.sections, arranged.contrasts
    room = _room([*sections, *contrasts])
    first = first_screen.make(result)
    examples = json_file.embedded(
        result.examples, result.estimates, first.measures if first else (), first_screen.lead(result)
    )
    context = {
        "facts": _facts(result),
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


def _facts(result: Result) -> tuple[tuple[str, str], ...]:
    """What was audited, as names with values."""
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
            Spread("", e.value, e.low, e.high)
            if is_difference
            else spread_of(e, "", plot.colour_of(systems, e.system))
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

FEW = 4
"""Up to so many systems get a sentence each; more are easier to compare in a table."""
MOST_NAMED = 12
"""Systems shown here; the tables of estimates have all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A measure in sentences, one per system, or as a small table."""

    measure: str
    asks: str
    lines: tuple[tuple[str, str], ...]
    table: Table | None
    notes: tuple[str, ...] = ()
    """What is known about the scorer of the measure."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Label-independent measures in one table; ``absent`` are sentences on those without a value."""

    asks: tuple[tuple[str, str], ...]
    table: Table | None
    absent: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one family by one attribute, and the harm that a gap would mean."""

    title: str
    findings: tuple[Finding, ...]
    levels: Levels | None
    harms: tuple[str, ...]


def find_findings(sections: Sequence[Section], made: Mapping[str, Any]) -> tuple[Findings, ...]:
    """The main values on all records, by family."""
    found = []
    for section in sections:
        main_values = section.main_values
        if section.by or not main_values:
            continue
        harms = (wording.declared(e.measure, made).harm for e in main_values)
        by_measure = {
            m: [e for e in main_values if e.measure == m]
            for m in dict.fromkeys(e.measure for e in main_values)
        }
        levels = {m: members for m, members in by_measure.items() if not _is_tested(members)}
        tested = tuple(_finding(m, members, made) for m, members in by_measure.items() if m not in levels)
        found.append(
            Findings(
                section.title,
                tested,
                _levels(levels, made) if levels else None,
                tuple(dict.fromkeys(filter(None, harms))),
            )
        )
    return tuple(found)


def _is_tested(members: Iterable[Estimate]) -> bool:
    """Whether any system is tested against label permutations, or has too few labels for that test."""
    return any(e.permutation_mean is not None or e.p is not None or e.testable is False for e in members)


def _finding(measure: str, members: Sequence[Estimate], made: Mapping[str, Any]) -> Finding:
    alpha, asks = wording.alpha_of(made), wording.declared(measure, made).question
    notes = tuple(dict.fromkeys(worded(n) for e in members for n in e.notes if n.code in OF_THE_SCORER))
    if len(members) <= FEW:
        lines = tuple((named(e.system), wording.finding(e, alpha)) for e in members)
        return Finding(measure, asks, lines, None, notes)
    numbers = columns(members, made, is_difference=False)
    shown = [c for c in numbers if c.name in ("value", "interval", "mean", "p", "holm")]
    header = ("system", "against label permutations", *(c.heading for c in shown))
    rows = tuple(
        (named(e.system), _conclusion(e, alpha), *(c.cell(e) for c in shown)) for e in members[:MOST_NAMED]
    )
    return Finding(measure, asks, (), Table(measure, header, rows, _hidden(len(members))), notes)


def _conclusion(e: Estimate, alpha: float) -> str:
    """How an unsigned score compares with label permutations, in the words of `conclusions`."""
    kind = conclusion(e, alpha)
    return "significant" if kind in SIGNIFICANT else kind


def _hidden(systems: int) -> tuple[str, ...]:
    more = systems - MOST_NAMED
    return (f"{counted(more, 'further system')} in the tables of estimates.",) if more > 0 else ()


def _levels(measures: Mapping[str, Sequence[Estimate]], made: Mapping[str, Any]) -> Levels:
    absent = tuple(
        (m, wording.finding(members[0]))
        for m, members in measures.items()
        if all(e.value is None for e in members)
    )
    known = [m for m, members in measures.items() if any(e.value is not None for e in members)]
    by_question: dict[str, list[str]] = {}
    for m in known:
        by_question.setdefault(wording.declared(m, made).question, []).append(m)
    asks = tuple((", ".join(members), text) for text, members in by_question.items() if text)
    systems = list(dict.fromkeys(e.system for m in known for e in measures[m]))
    cells = {(m, e.system): _level(e) for m in known for e in measures[m]}
    table = Table(
        "",
        ("system", *(wording.without_over(measures[m][0]) for m in known)),
        tuple(
            (named(s), *(cells.get((m, s), number_format.ABSENT) for m in known))
            for s in systems[:MOST_NAMED]
        ),
        _hidden(len(systems)),
    )
    return Levels(asks, table if known else None, absent)


def _level(e: Estimate) -> str:
    return (
        number_format.value(e) if e.low is None else f"{number_format.value(e)} {number_format.interval(e)}"
    )
