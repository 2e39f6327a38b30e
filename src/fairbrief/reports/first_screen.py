"""The first screen of the HTML report: findings, and each group difference with a picture and its baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import median
from typing import Any

from fairbrief.conclusions import SIGNIFICANT, WORDS, Conclusion, decisive
from fairbrief.declarations import ContrastUnit, ContrastWords
from fairbrief.reports import arrangement, contrast_words, plot, reach, wording
from fairbrief.reports.contrast_words import (
    Context,
    context_of,
    described,
    ordered_groups,
    p_text,
    signed,
    size,
)
from fairbrief.reports.first_answers import (
    MOST_SYSTEMS,
    Answer,
    answers_about,
    leading_sentence,
    subgroups_of,
)
from fairbrief.reports.plain import named
from fairbrief.reports.plot import BARE, FAINT, INK, PAPER, Axis, Dot, Mark, Spread
from fairbrief.reports.result import Result
from fairbrief.reports.tables import group_counts_by_system
from fairbrief.types import Estimate

WIDTH, HEIGHT, EDGE = 420, 26, 26
"""Size of a row's picture in pixels, and the margin at both ends."""
MOST_GROUPS = 12
MOST_PANELS = 8
"""The most groups of a panel and panels; the others are in the tables below."""


@dataclass(frozen=True, slots=True)
class Line:
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
    lines: tuple[Line, ...]


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


def make(result: Result) -> FirstScreen | None:
    """The first screen of a result; None if it has no group difference."""
    members, context = arrangement.leading(result.estimates), context_of(result)
    if not members:
        return None
    ordered = context.clearest_first(members.values())
    panels = _said_once(_panel(of, result.all_systems, context) for of in ordered)
    few = reach.shortfalls(result.made, {ordered[0][0].measure}, is_brief=True)
    doubts = [f"{contrast_words.capital(text)}." for text in few]
    return FirstScreen(
        lead=" ".join([*doubts, leading_sentence(ordered, context)]),
        answers=answers_about(ordered, context, subgroups_of(result)),
        panels=tuple(panels[:MOST_PANELS]),
        measures=tuple(dict.fromkeys(of[0].measure for of in ordered)),
        hidden=max(len(panels) - MOST_PANELS, 0),
    )


def lead(result: Result) -> Estimate | None:
    """The group difference with which a report begins; None if there is none."""
    context = context_of(result)
    ordered = context.clearest_first(arrangement.leading(result.estimates).values())
    return min(ordered[0], key=context.rank) if ordered else None


def _panel(members: Sequence[Estimate], colours: Sequence[str], context: Context) -> Panel:
    first = members[0]
    declared = context.declared(first)
    there = list(dict.fromkeys(e.system for e in members))
    names = ordered_groups(e.group for e in members)
    shown = _clearest(members, there, MOST_SYSTEMS, lambda e: e.system, context)
    order = _clearest(members, names, MOST_GROUPS, lambda e: e.group, context)
    kept = [e for e in members if e.system in shown and e.group in order]
    scale = _axis_of(kept)

    def line(e: Estimate, who: str) -> Line:
        words = context.words(e)
        picture = _picture(e, scale, plot.colour_of(colours, e.system), _alt(e, words))
        return _line(e, who, picture, context)

    if len(shown) == 1:
        each = [
            line(e, contrast_words.heading(e, declared.contrast) or named(e.system))
            for g in order
            for e in kept
            if e.group == g
        ]
        blocks = [Block("", tuple(each))]
    else:
        blocks = [
            Block(
                contrast_words.heading(of[0], declared.contrast), tuple(line(e, named(e.system)) for e in of)
            )
            for g in order
            if (of := [e for e in kept if e.group == g])
        ]
    return Panel(
        title=f"{declared.family}{f' by {first.over}' if first.over else ''}{context.by(first)}",
        question=declared.contrast.question,
        even=declared.contrast.even,
        has_extract_baseline=any(e.extract_baseline is not None for e in kept),
        is_clear=any(context.kind(e) in SIGNIFICANT for e in members),
        blocks=tuple(blocks),
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
    members: Sequence[Estimate], names: Sequence[str], most: int, name: Any, context: Context
) -> list[str]:
    """The names with the clearest differences, in their given order."""
    best = sorted(names, key=lambda n: min(context.rank(e) for e in members if name(e) == n))[:most]
    return [n for n in names if n in best]


def _line(e: Estimate, who: str, picture: str, context: Context) -> Line:
    words, kind = context.words(e), context.kind(e)
    has_range = e.low is not None and e.high is not None
    return Line(
        who=who,
        picture=picture if e.value is not None else "",
        interval=contrast_words.between(e.low or 0.0, e.high or 0.0, words.unit) if has_range else "",
        said="no value" if e.value is None else _said_plainly(e, words, context),
        conclusion=_conclusion(e, words.unit, context),
        kind=kind,
        is_worse=kind == words.worse_side,
    )


def _said_plainly(e: Estimate, words: ContrastWords, context: Context) -> str:
    plain = context.plain(e)
    return f"{described(e, words)} ({plain})" if plain else described(e, words)


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


def _alt(e: Estimate, words: ContrastWords) -> str:
    extract_baseline = (
        "" if e.extract_baseline is None else f", random sentences {signed(e.extract_baseline, words.unit)}"
    )
    value = "no value" if e.value is None else signed(e.value, words.unit)
    has_range = e.low is not None and e.high is not None
    interval = contrast_words.between(e.low or 0.0, e.high or 0.0, words.unit) if has_range else "none"
    return f"{e.system}{f', {e.group}' if e.group else ''}: {value}, interval {interval}{extract_baseline}"


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


def _picture(e: Estimate, x: Axis, colour: str, alt: str) -> str:
    """One estimate on the panel's axis."""
    marks: list[Mark] = [
        plot.upright(0, FAINT, dash=None),
        *Spread(None, e.low, e.high, colour=colour).marks(0.5),
    ]
    if e.extract_baseline is not None:
        marks.append(Dot(e.extract_baseline, 0.5, INK, plot.DIAMOND, 60, fill=PAPER))
    marks += Spread(e.value, colour=colour).marks(0.5)
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
    return plot.drawn(alt, x, BARE, marks, WIDTH - 2 * EDGE, height, left=EDGE, right=EDGE, is_stretched=True)
