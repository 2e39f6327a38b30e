"""One self-contained HTML page: no network, no script but its own, every text escaped, light, dark and on paper."""

from __future__ import annotations

from collections.abc import Sequence
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
    record_data,
    tabular,
    wording,
)
from fairbrief.reports.arrangement import Arranged, Section
from fairbrief.reports.pages import page
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_ROWS = 400
"""Rows of one table on the page; all stand in ``results.json`` and ``estimates.csv``."""
MOST_ON_PAGE = 1_500
"""Rows of all tables on the page together: about one and a half megabytes; with examples, pictures and script less than three."""
SCRIPTS = ("elements.js", "record_view.js", "record_list.js", "report_page.js")
BAR = 140
"""Width of an interval's picture in a table, in pixels."""


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval as a picture: places in pixels; None where there is none."""

    alt: str
    dot: float
    low: float | None
    high: float | None
    chance: float | None
    zero: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One estimate as a row of text cells and a bar."""

    name: str
    who: str
    part: str
    value: str
    bar: Bar | None
    interval: str
    within: str
    random: str
    chance: str
    p: str
    holm: str
    n: str
    left_out: str


@dataclass(frozen=True, slots=True)
class Fold:
    """The quantities beside one measure's headline, folded away."""

    measure: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A section's table: headlines in view, the other quantities folded away, measure by measure.

    ``within``, ``random`` and ``holm`` say whether any row has an interval inside originals, a random baseline, and an adjusted p.
    """

    title: str
    by: str
    is_difference: bool
    holm: bool
    within: bool
    random: bool
    columns: int
    rows: tuple[Row, ...]
    folds: tuple[Fold, ...]
    hidden: int
    notes: tuple[str, ...]


def write(result: Result, path: Path | str, arranged: Arranged | None = None) -> None:
    """Write the page."""
    Path(path).write_text(render(result, arranged), encoding="utf-8", newline="\n")


def render(result: Result, arranged: Arranged | None = None) -> str:
    """The page as text."""
    context = _context(result, arranged or Arranged.of(result))
    told = {"bar_width": BAR, "counted": counted, "glossary": wording.GLOSSARY, **context}
    return page("report.html.j2", told, {"by_quantity": _blocks}, SCRIPTS if result.examples.rows else ())


def _blocks(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Neighbouring rows of one quantity."""
    return [(name, list(block)) for name, block in groupby(rows, key=lambda row: row.name)]


def _context(result: Result, arranged: Arranged) -> dict[str, Any]:
    made, sections, contrasts = result.made, arranged.sections, arranged.contrasts
    rooms = _rooms([*sections, *contrasts])
    whole = [e for s in sections if not s.by for e in s.estimates]
    first = first_screen.make(result)
    examples = record_data.embedded(result.examples, result.estimates, first.measures if first else ())
    return {
        "facts": _facts(result),
        "first": first,
        "made": tabular.made_lines(made),
        "tables_title": "In the published layout" if made.get("protocol") else "Tables",
        "signature": next((e.signature for e in result.estimates if e.signature), ""),
        "interval_name": wording.interval_name(made),
        "tables": result.tables,
        "is_numeric": _is_numeric,
        "findings": findings.find(sections, made),
        "grids": [_grid(s, rooms[id(s)]) for s in sections],
        "compared": wording.COMPARED,
        "contrasts": [_grid(s, rooms[id(s)], is_difference=True) for s in contrasts],
        "figures": figures.draw(result),
        "examples": Markup(examples),  # noqa: S704 - no < is left in it
        "has_examples": bool(result.examples.rows),
        "reasons": [
            (measures, system, n, sum(counts.values()), arrangement.reasons(counts))
            for measures, system, n, counts in arrangement.left_out(whole)
        ],
        "left_out": result.left_out,
        "skipped": result.skipped,
        "skipped_total": _total_skipped(result),
    }


def _facts(result: Result) -> tuple[tuple[str, str], ...]:
    """What was audited, in four or five figures."""
    made = result.made
    systems = made.get("systems") or list(dict.fromkeys(e.system for e in result.estimates))
    files = made.get("files") or ()
    found = [
        ("input", ", ".join(map(str, [files] if isinstance(files, str) else files))),
        ("records", number_format.count(made["records"]) if isinstance(made.get("records"), int) else ""),
        ("systems", ", ".join(map(str, systems)) if isinstance(systems, (list, tuple)) else str(systems)),
        ("protocol", str(made.get("protocol") or "")),
        ("seed", str(made.get("seed", ""))),
    ]
    return tuple((name, text) for name, text in found if text)


def _total_skipped(result: Result) -> int:
    told = result.made.get("skipped")
    return told if isinstance(told, int) else len(result.skipped)


def _rooms(sections: Sequence[Section]) -> dict[int, tuple[int, int]]:
    """How many rows each section may show (headlines, others), by its identity.

    Headlines come before other quantities, and whole data before slices, where the page has not room for all.
    """
    order = sorted(sections, key=lambda s: bool(s.by))
    headlines = [len(s.headlines) for s in order]
    others = [len(s.estimates) - main for s, main in zip(order, headlines, strict=True)]
    left, rooms = MOST_ON_PAGE, {id(s): [0, 0] for s in sections}
    for place, sizes in enumerate((headlines, others)):
        for section, wanted in zip(order, sizes, strict=True):
            rooms[id(section)][place] = given = min(wanted, MOST_ROWS, left)
            left -= given
    return {key: (main, rest) for key, (main, rest) in rooms.items()}


def _grid(section: Section, rooms: tuple[int, int], *, is_difference: bool = False) -> Grid:
    main = section.headlines
    most, room = rooms
    rows, folds = _rows(main[:most], is_difference=is_difference), []
    hidden = len(main) - most
    for measure, blocks in groupby(section.blocks, key=lambda block: block[0].measure):
        rest = [e for block in blocks if not wording.is_headline(block[0]) for e in block]
        found = _rows(rest[:room], is_difference=is_difference)
        if found:
            folds.append(Fold(named(wording.without_over(rest[0]) if rest else measure), found))
        hidden, room = hidden + len(rest) - len(found), room - len(found)
    holm = any(e.p_adjusted is not None for e in section.estimates)
    within = any(e.low_within is not None for e in section.estimates)
    random = not is_difference and any(e.blind is not None for e in section.estimates)
    return Grid(
        title=section.title,
        by=" × ".join(section.by),
        is_difference=is_difference,
        holm=holm,
        within=within,
        random=random,
        columns=6 + bool(section.by) + holm + within + random + 2 * (not is_difference),
        rows=rows,
        folds=tuple(folds),
        hidden=hidden,
        notes=section.notes,
    )


def _rows(estimates: Sequence[Estimate], *, is_difference: bool) -> tuple[Row, ...]:
    found: list[Row] = []
    for name, block in arrangement.by_quantity(estimates):
        low, high = _range(block)
        found += [_row(name, e, low, high, is_difference=is_difference) for e in block]
    return tuple(found)


def _row(name: str, e: Estimate, low: float, high: float, *, is_difference: bool) -> Row:
    return Row(
        name=name,
        who=named(wording.pair(e) if is_difference else e.system),
        part=named(", ".join(e.slice.values())),
        value=number_format.value(e),
        bar=_bar(e.replace(null_mean=None) if is_difference else e, low, high),
        interval=number_format.interval(e),
        within=number_format.inner_interval(e),
        random=number_format.random_sentences(e),
        chance=number_format.chance(e),
        p=wording.testing(e),
        holm=number_format.probability(e.p_adjusted),
        n=number_format.count(e.n),
        left_out=number_format.count(sum(e.excluded.values())),
    )


def _range(block: Sequence[Estimate]) -> tuple[float, float]:
    """The axis that the bars of one quantity share; it holds zero."""
    places = [x for e in block for x in (e.value, e.low, e.high, e.null_mean) if x is not None]
    return min(0.0, *places, 0.0), max(0.0, *places, 0.0)


def _bar(e: Estimate, low: float, high: float) -> Bar | None:
    if e.value is None or high <= low:
        return None

    def at(x: float) -> float:
        return round(6 + (BAR - 12) * (x - low) / (high - low), 1)

    alt = f"{number_format.value(e)}, interval {number_format.interval(e)}, permutation mean {number_format.chance(e)}"
    left, right, chance = (None if x is None else at(x) for x in (e.low, e.high, e.null_mean))
    return Bar(alt, at(e.value), left, right, chance, zero=at(0.0))


def _is_numeric(table: Table, column: int) -> bool:
    """Whether a printed table's column holds figures, which stand to the right."""
    cells = [row[column] for row in table.rows if column < len(row)]
    return bool(cells) and all(
        not c or c[0] in "0123456789−-–[<.+±" or c in ("undefined", "not testable") for c in cells
    )
