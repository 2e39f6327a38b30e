"""Estimates as printed tables: what Markdown, LaTeX and CSV show of a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairbrief.reports import arrangement, number_format, wording
from fairbrief.reports.arrangement import Arranged, Section
from fairbrief.reports.result import Result
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_ROWS = 2_000
"""Rows of one printed table: nobody reads more of them; all stand in ``results.json`` and ``estimates.csv``."""


WORDS = ("words", "declared", "without", "opposite_gaps")
"""What a saved result holds for those who write reports."""


def tables(result: Result, arranged: Arranged | None = None) -> tuple[Table, ...]:
    """All of a result as printed tables: a paper's layouts first, then each section, then differences."""
    arranged = arranged or Arranged.of(result)
    return (
        *result.tables,
        *(section_table(s, result.made) for s in arranged.sections),
        *(difference_table(s, result.made) for s in arranged.contrasts),
    )


def section_table(section: Section, made: Mapping[str, Any]) -> Table:
    """Value, interval, both baselines, p, n and what was left out, of one section."""
    holm = any(e.p_adjusted is not None for e in section.estimates)
    header = ("measure", "system", *section.by, "value", wording.interval_name(made))
    header += ("random sentences", "permutation mean", "p")
    header += (*(("p (Holm)",) if holm else ()), "n", "left out")
    shown = _shown(section)
    rows = tuple((*_row(e, section.by, holm),) for e in shown)
    left = len(section.estimates) - len(shown)
    further = (f"{counted(left, 'further row')} {_where(left)}.",) if left else ()
    return Table(section.title, header, rows, (*_notes(section), *further))


def difference_table(section: Section, made: Mapping[str, Any]) -> Table:
    """Differences of systems, of one section: headlines, or all quantities where there is none."""
    headlines = section.headlines or section.estimates
    estimates = headlines[:MOST_ROWS]
    holm = any(e.p_adjusted is not None for e in estimates)
    header = ("measure", "system", "minus", *section.by, "difference", wording.interval_name(made), "p")
    header += (*(("p (Holm)",) if holm else ()), "n")
    rows = tuple(
        (
            arrangement.label(e),
            e.system,
            e.baseline,
            *(e.slice[name] for name in section.by),
            number_format.value(e),
            number_format.interval(e),
            wording.testing(e),
            *((number_format.probability(e.p_adjusted),) if holm else ()),
            number_format.count(e.n),
        )
        for e in estimates
    )
    told = (
        (len(headlines) - len(estimates), "further difference", ""),
        (len(section.estimates) - len(headlines), "difference", " of other quantities"),
    )
    left = tuple(f"{counted(many, what)}{of} {_where(many)}." for many, what, of in told if many)
    title = f"Differences of systems: {section.title}"
    return Table(title, header, rows, (*arrangement.notes(headlines), *left))


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
    told = ((name, _text(value)) for name, value in made.items() if name not in WORDS and value is not None)
    return tuple(line for line in told if line[1])


def _row(e: Estimate, by: Iterable[str], holm: bool) -> Iterable[str]:
    yield arrangement.label(e)
    yield e.system
    yield from (e.slice[name] for name in by)
    yield from (
        number_format.value(e),
        number_format.interval(e),
        number_format.random_sentences(e),
        number_format.chance(e),
        wording.testing(e),
    )
    if holm:
        yield number_format.probability(e.p_adjusted)
    yield number_format.count(e.n)
    yield number_format.count(sum(e.excluded.values()))


def _notes(section: Section) -> tuple[str, ...]:
    lines = tuple(
        f"Left out, {system} ({measures}): {arrangement.reasons(counts)}."
        for measures, system, _, counts in arrangement.left_out(section.estimates)
    )
    return (*lines, *section.notes)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_text(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:,.4g}"
    return (
        f"{value:,}"
        if isinstance(value, int) and not isinstance(value, bool) and value >= 10000
        else str(value)
    )
