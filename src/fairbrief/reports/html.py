"""The self-contained HTML page of an audit.

It uses no network and no script but its own, escapes every text, and works on light and dark screens and on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any

from markupsafe import Markup

from fairbrief.conclusions import SIGNIFICANT, WORDS, Conclusion, decisive
from fairbrief.declarations import ContrastUnit
from fairbrief.reports import (
    arrangement,
    contrast_words,
    figures,
    first_answers,
    json_file,
    number_format,
    plot,
    wording,
)
from fairbrief.reports.arrangement import Section
from fairbrief.reports.cautions import shortfalls
from fairbrief.reports.contrast_words import Context, context_of, described, p_text, signed, size
from fairbrief.reports.first_answers import (
    MOST_SYSTEMS,
    Answer,
    answers_about,
    leading_sentence,
    subgroups_of,
)
from fairbrief.reports.pages import page
from fairbrief.reports.plain import named
from fairbrief.reports.plot import BARE, FAINT, GRID, INK, Axis, Mark, diamond, path, spread, upright
from fairbrief.reports.result import Result
from fairbrief.reports.tables import Column, columns, facts, group_counts_by_system, made_lines, reach_tables
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
    first = first_screen(result)
    examples = json_file.embedded(
        result.examples, result.estimates, first.measures if first else (), first_answers.lead(result)
    )
    context = {
        "facts": facts(result),
        "first": first,
        "made": made_lines(made),
        "tables_title": "Published layout" if result.tables else "Scorers",
        "signature": next((e.signature for e in result.estimates if e.signature), ""),
        "interval_name": wording.interval_name(made),
        "tables": [*result.tables, *reach_tables(made)],
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
        means = () if is_difference else (e.permutation_mean for e in block)
        values = (*(x for e in block for x in (e.value, e.low, e.high)), *means)
        places = [0.0, *(x for x in values if x is not None and isfinite(x))]
        axis = Axis(min(places), max(places), has_line=False)
        yield (
            name,
            tuple(
                Row(
                    named(wording.pair(e) if is_difference else e.system),
                    named(", ".join(e.subgroup.values())),
                    _picture(e, axis, None if is_difference else plot.colour_of(systems, e.system)),
                    tuple(column.cell(e) for column in numbers),
                )
                for e in block
            ),
        )


def _picture(e: Estimate, axis: Axis, colour: str | None) -> str:
    """Interval, permutation mean and value on a horizontal line with a notch at zero; a dash if there is no value.

    A difference of systems has no ``colour``, and no permutation mean is drawn.
    """
    if e.value is None or axis.high <= axis.low:
        return number_format.ABSENT
    alt = f"{number_format.value(e)}, interval {number_format.interval(e)}, permutation mean {number_format.chance(e)}"
    marks = [
        path(((axis.low, 0.5), (axis.high, 0.5)), GRID, 1),
        path(((0, 0.28), (0, 0.72)), FAINT, 1),
        *spread(None, e.low, e.high, colour or INK),
    ]
    if colour and e.permutation_mean is not None:
        marks.append(path(((e.permutation_mean, 0.08), (e.permutation_mean, 0.92)), INK, 2))
    marks += spread(e.value, None, None, colour or INK)
    svg = plot.drawn(alt, axis, BARE, marks, BAR, 18, edge=6)
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


# ------------------------------------------------------------------------------------ the first screen

WIDTH, HEIGHT, EDGE = 420, 26, 26
"""Size of a row's picture in pixels, and the margin at both ends."""
MOST_GROUPS = 12
MOST_PANELS = 8
"""The most groups of a panel and panels; the others are in the tables below."""


@dataclass(frozen=True, slots=True)
class GroupLine:
    """One system's group difference for one group."""

    who: str
    picture: str
    interval: str
    said: str
    conclusion: str
    kind: Conclusion
    is_worse: bool


@dataclass(frozen=True, slots=True)
class Block:
    """A group with a line per system; with only one system ``group`` is empty and the lines name the groups."""

    group: str
    lines: tuple[GroupLine, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure's group differences by one attribute, of all systems on one scale."""

    title: str
    question: str
    even: str
    has_extract_baseline: bool
    is_clear: bool
    blocks: tuple[Block, ...]
    axis: str
    notes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The leading sentence, the answers, and the panels, the clearest first."""

    lead: str
    answers: tuple[Answer, ...]
    panels: tuple[Panel, ...]
    measures: tuple[str, ...]
    """The measures of the panels, in their order."""
    hidden: int


def first_screen(result: Result) -> FirstScreen | None:
    """The first screen of a result; None if it has no group difference."""
    members, context = arrangement.leading(result.estimates), context_of(result)
    if not members:
        return None
    ordered = context.clearest_first(members.values())
    panels = _said_once(_panel(of, result.all_systems, context) for of in ordered)
    few = shortfalls(result.made, {ordered[0][0].measure}, is_brief=True)
    doubts = [f"{contrast_words.capital(text)}." for text in few]
    return FirstScreen(
        lead=" ".join([*doubts, leading_sentence(ordered, context)]),
        answers=answers_about(ordered, context, subgroups_of(result)),
        panels=tuple(panels[:MOST_PANELS]),
        measures=tuple(dict.fromkeys(of[0].measure for of in ordered)),
        hidden=max(len(panels) - MOST_PANELS, 0),
    )


def _panel(members: Sequence[Estimate], colours: Sequence[str], context: Context) -> Panel:
    first = members[0]
    declared = context.declared(first)
    there = list(dict.fromkeys(e.system for e in members))
    names = contrast_words.ordered_groups(e.group for e in members)
    shown = _clearest(members, there, MOST_SYSTEMS, lambda e: e.system, context)
    order = _clearest(members, names, MOST_GROUPS, lambda e: e.group, context)
    kept = [e for e in members if e.system in shown and e.group in order]
    scale = _axis_of(kept)
    blocks = []
    for group in order:
        of = [e for e in kept if e.group == group]
        heading = contrast_words.heading(of[0], declared.contrast) if of else ""
        who = heading if len(shown) == 1 else ""
        colour = partial(plot.colour_of, colours)
        lines = (_line(e, who or named(e.system), scale, colour(e.system), context) for e in of)
        blocks.append(Block(heading, tuple(lines)))
    if len(shown) == 1:
        blocks = [Block("", tuple(line for block in blocks for line in block.lines))]
    return Panel(
        title=f"{declared.family}{f' by {first.over}' if first.over else ''}{context.by(first)}",
        question=declared.contrast.question,
        even=declared.contrast.even,
        has_extract_baseline=any(e.extract_baseline is not None for e in kept),
        is_clear=any(context.kind(e) in SIGNIFICANT for e in members),
        blocks=tuple(block for block in blocks if block.lines),
        axis=_scale(scale, declared.contrast.unit),
        notes=(*group_counts_by_system(kept, declared.items), *_cuts(len(names), len(there))),
        meaning=declared.harm,
    )


def _said_once(panels: Iterable[Panel]) -> list[Panel]:
    """The panels, each with its meaning unless a panel above has the same one."""
    found: list[Panel] = []
    for panel in panels:
        is_new = panel.meaning not in {above.meaning for above in found}
        found.append(panel if is_new else replace(panel, meaning=""))
    return found


def _clearest(
    members: Sequence[Estimate],
    names: Sequence[str],
    most: int,
    name: Callable[[Estimate], str],
    context: Context,
) -> list[str]:
    """The names with the clearest differences, in their given order."""
    best = sorted(names, key=lambda n: min(context.rank(e) for e in members if name(e) == n))[:most]
    return [n for n in names if n in best]


def _line(e: Estimate, who: str, scale: Axis, colour: str, context: Context) -> GroupLine:
    words, kind, rates = context.words(e), context.kind(e), context.plain(e)
    interval = random = ""
    if e.low is not None and e.high is not None:
        interval = contrast_words.between(e.low, e.high, words.unit)
    if e.extract_baseline is not None:
        random = f", random sentences {signed(e.extract_baseline, words.unit)}"
    said, picture = "no value", ""
    if e.value is not None:
        said = f"{described(e, words)} ({rates})" if rates else described(e, words)
        value = f"{signed(e.value, words.unit)}, interval {interval or 'none'}{random}"
        alt = f"{e.system}{f', {e.group}' if e.group else ''}: {value}"
        picture = _drawn_line(e, scale, colour, alt)
    is_worse = kind == words.worse_side
    return GroupLine(who, picture, interval, said, _conclusion(e, words.unit, context), kind, is_worse)


def _conclusion(e: Estimate, unit: ContrastUnit, context: Context) -> str:
    """The comparison of a group difference with its baseline, in words and numbers."""
    kind = context.kind(e)
    p, tested = decisive(e)
    if kind == "no value" or p is None:
        return wording.told(e) or WORDS[kind]
    numbers = []
    if e.extract_baseline is not None:
        numbers.append(f"random sentences {signed(e.extract_baseline, unit)}")
    if e.extract_p is not None:
        numbers.append(f"difference {signed(tested, unit)}")
    numbers.append(p_text(p))
    if kind == "not significant" and e.detectable:
        numbers.append(f"smallest detectable difference {size(e.detectable, unit)}")
    words = WORDS[kind].replace("its baseline", context.baseline(e))
    return f"{words}: {'; '.join(numbers)}"


def _cuts(groups_there: int, systems_there: int) -> tuple[str, ...]:
    parts = ((groups_there, MOST_GROUPS, "groups"), (systems_there, MOST_SYSTEMS, "systems"))
    return tuple(
        f"Shown are the {most} of {there} {what} with the largest differences; all are in the tables below."
        for there, most, what in parts
        if there > most
    )


# ------------------------------------------------------------------------------------------- pictures


def _axis_of(estimates: Sequence[Estimate]) -> Axis:
    """One axis for all rows of a panel with zero and every interval; a far wider interval is cut."""
    places = [x for e in estimates for x in (e.value, e.extract_baseline) if x is not None and isfinite(x)]
    bounds = [x for e in estimates for x in (e.low, e.high) if x is not None and isfinite(x)]
    usual = [median(map(abs, bounds))] if bounds else []
    widest = 3 * max((abs(x) for x in (*places, *usual)), default=1.0)
    places += [max(-widest, min(widest, x)) for x in bounds]
    return Axis.of_numbers(plot.domain(places, 6, zero=True), count=6)


def _drawn_line(e: Estimate, x: Axis, colour: str, alt: str) -> str:
    """One estimate on the panel's axis."""
    marks: list[Mark] = [upright(0, FAINT, dash=None), *spread(None, e.low, e.high, colour)]
    if (random := e.extract_baseline) is not None:
        marks.append(lambda x, y: diamond(x.at(random), y.at(0.5), 60))
    marks += spread(e.value, None, None, colour)
    bare = replace(x, ticks=tuple((value, "") for value, _ in x.ticks), has_line=False)
    return _stretched(alt, bare, marks, HEIGHT)


def _scale(x: Axis, unit: ContrastUnit) -> str:
    """The scale below a panel's rows."""
    return _stretched(
        "scale",
        replace(x, ticks=tuple((value, contrast_words.tick(value, unit)) for value, _ in x.ticks)),
        (),
        0,
    )


def _stretched(alt: str, x: Axis, marks: Sequence[Mark], height: float) -> str:
    """A picture as wide as its cell, with margins for the labels of the axis."""
    return plot.drawn(alt, x, BARE, marks, WIDTH - 2 * EDGE, height, edge=EDGE, is_stretched=True)
