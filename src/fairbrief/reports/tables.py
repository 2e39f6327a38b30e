"""Tables of estimates: their columns for every format, and the printed tables that Markdown, LaTeX, CSV and notebooks show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief.reports import arrangement, number_format, wording
from fairbrief.reports.arrangement import Arranged, Section
from fairbrief.reports.result import Result
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_ROWS = 2_000
"""Rows of one printed table: nobody reads more of them; all are in ``results.json`` and ``estimates.csv``."""
WORDS = ("words", "declared", "without", "opposite_gaps")
"""What a saved result holds for those who write reports."""
NUMBER = re.compile(r"[−+<±\[-]* ?\.?\d|undefined$|not testable$|too few$")


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers of a table of estimates: what heads them, also where there is little room, and the cell of an estimate."""

    name: str
    heading: str
    short: str
    cell: Callable[[Estimate], str]


def columns(
    estimates: Sequence[Estimate], made: Mapping[str, Any], *, is_difference: bool
) -> tuple[Column, ...]:
    """The columns that some estimate fills, in their order."""
    value, interval = "difference" if is_difference else "value", wording.interval_name(made)
    every = (
        (True, Column("value", value, value, number_format.value)),
        (True, Column("interval", interval, interval, number_format.interval)),
        (
            any(e.low_within is not None for e in estimates),
            Column("within", "within originals", "within\noriginals", number_format.inner_interval),
        ),
        (
            not is_difference and any(e.blind is not None for e in estimates),
            Column("random", "random sentences", "random", number_format.random_sentences),
        ),
        (not is_difference, Column("mean", "permutation mean", "perm.\nmean", number_format.chance)),
        (True, Column("p", "p", "p", wording.testing)),
        (
            any(e.p_adjusted is not None for e in estimates),
            Column("holm", "p (Holm)", "Holm", lambda e: number_format.probability(e.p_adjusted)),
        ),
        (True, Column("n", "n", "n", lambda e: number_format.count(e.n))),
        (
            not is_difference and any(e.excluded for e in estimates),
            Column("left", "left out", "left\nout", lambda e: number_format.count(sum(e.excluded.values()))),
        ),
    )
    return tuple(column for is_there, column in every if is_there)


def numeric_columns(table: Table) -> list[bool]:
    """Which columns of a printed table hold numbers, which are aligned to the right."""
    return [
        bool(cells) and all(cell == number_format.ABSENT or NUMBER.match(cell) for cell in cells)
        for cells in (
            [row[k] for row in table.rows if k < len(row) and row[k]] for k in range(len(table.header))
        )
    ]


def printed_tables(result: Result, arranged: Arranged | None = None) -> tuple[Table, ...]:
    """All of a result: a paper's layouts first, then each section, then differences."""
    arranged = arranged or Arranged.of(result)
    return (
        *result.tables,
        *(section_table(s, result.made) for s in arranged.sections),
        *(difference_table(s, result.made) for s in arranged.contrasts),
    )


def section_table(section: Section, made: Mapping[str, Any]) -> Table:
    """Value, interval, both baselines, p, n and what was left out, of one section."""
    shown = _shown(section)
    left = len(section.estimates) - len(shown)
    notes = [
        f"Left out, {system} ({measures}): {arrangement.reasons(counts)}."
        for measures, system, _, counts in arrangement.left_out(section.estimates)
    ]
    further = (f"{counted(left, 'further row')} {_where(left)}.",) if left else ()
    return _table(section.title, section, shown, made, (*notes, *section.notes, *further))


def difference_table(section: Section, made: Mapping[str, Any]) -> Table:
    """Differences of systems, of one section: headlines, or all quantities where there is none."""
    headlines = section.headlines or section.estimates
    shown = headlines[:MOST_ROWS]
    hidden = (
        (len(headlines) - len(shown), "further difference", ""),
        (len(section.estimates) - len(headlines), "difference", " of other quantities"),
    )
    further = (f"{counted(many, what)}{which} {_where(many)}." for many, what, which in hidden if many)
    title = f"Differences of systems: {section.title}"
    return _table(title, section, shown, made, (*arrangement.notes(headlines), *further), is_difference=True)


def _table(
    title: str,
    section: Section,
    shown: Sequence[Estimate],
    made: Mapping[str, Any],
    notes: tuple[str, ...],
    *,
    is_difference: bool = False,
) -> Table:
    numbers = columns(section.estimates, made, is_difference=is_difference)
    minus = ("minus",) if is_difference else ()
    header = ("measure", "system", *minus, *section.by, *(c.heading for c in numbers))
    rows = tuple(
        (
            arrangement.label(e),
            e.system,
            *(e.baseline for _ in minus),
            *(e.slice[name] for name in section.by),
            *(c.cell(e) for c in numbers),
        )
        for e in shown
    )
    return Table(title, header, rows, notes)


def _shown(section: Section) -> Sequence[Estimate]:
    """As many as a table shows, in their order; headlines before other quantities, where it has not room for all."""
    main = min(len(section.headlines), MOST_ROWS)
    room = {True: main, False: MOST_ROWS - main}
    shown: list[Estimate] = []
    for block in section.blocks:
        is_headline = wording.is_headline(block[0])
        some = block[: room[is_headline]]
        room[is_headline] -= len(some)
        shown += some
    return shown


def _where(many: int) -> str:
    return f"{'stands' if many == 1 else 'stand'} in results.json and estimates.csv"


def left_out_table(result: Result) -> Table | None:
    """The measures that were not taken, and why; None if all were."""
    if not result.left_out:
        return None
    rows = tuple((m.measure, m.reason) for m in result.left_out)
    return Table("Measures that were not taken", ("measure", "why"), rows)


def made_lines(made: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """How the result was made, as name and text; what is empty, and the words that reports are written with, stay out."""
    lines = ((name, _text(value)) for name, value in made.items() if name not in WORDS and value is not None)
    return tuple(line for line in lines if line[1])


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_text(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if type(value) is int and value >= 10000 else str(value)
