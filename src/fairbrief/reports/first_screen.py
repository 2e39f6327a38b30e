"""What a reader sees first: who is above and who below, by how much, how sure, beside what a random pick would give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from fairbrief.declarations import ContrastUnit, ContrastWords
from fairbrief.reports import arrangement, contrast_picture, contrast_words, groups, note_words
from fairbrief.reports.contrast_words import gap, said, signed
from fairbrief.reports.first_answers import (
    CLEAR,
    MOST_SYSTEMS,
    Answer,
    Reading,
    Standing,
    answers_about,
    first_known,
    leading_contrast,
    leading_sentence,
    p_text,
    reading_of,
)
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.types import Estimate

MOST_GROUPS = 12
MOST_PANELS = 8
"""What is beyond stands in the tables below."""


@dataclass(frozen=True, slots=True)
class Line:
    """One system's contrast for one group; ``side`` is empty where nothing is clear."""

    who: str
    picture: str
    interval: str
    said: str
    standing: str
    kind: Standing
    side: Literal["", "worse", "other"]


@dataclass(frozen=True, slots=True)
class Block:
    """A group with a line per system; without a heading where there is one system, and the lines name the groups."""

    group: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure's contrasts over one attribute: groups × systems on one scale."""

    title: str
    question: str
    even: str
    has_blind: bool
    is_clear: bool
    blocks: tuple[Block, ...]
    axis: str
    notes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The leading sentence, the answers to what everybody asks, and the panels, the clear ones first."""

    lead: str
    answers: tuple[Answer, ...]
    panels: tuple[Panel, ...]
    measures: tuple[str, ...]
    """The measures of the panels, in their order."""
    hidden: int


def make(result: Result) -> FirstScreen | None:
    """The first screen of a result; None where nothing is a signed contrast."""
    members, reading = arrangement.leading(result.estimates), reading_of(result)
    if not members:
        return None
    ordered = reading.clearest_first(members.values())
    systems = list(dict.fromkeys(e.system for of in members.values() for e in of))
    panels = _said_once(_panel(of, systems, reading) for of in ordered)
    first = leading_contrast(ordered[0], reading)
    return FirstScreen(
        lead=leading_sentence(first, reading),
        answers=answers_about(first, ordered, reading),
        panels=tuple(panels[:MOST_PANELS]),
        measures=tuple(dict.fromkeys(of[0].measure for of in ordered)),
        hidden=max(len(panels) - MOST_PANELS, 0),
    )


def _panel(members: Sequence[Estimate], systems: Sequence[str], reading: Reading) -> Panel:
    first = members[0]
    declared = reading.declared(first)
    there = list(dict.fromkeys(e.system for e in members))
    names = groups.ordered(e.group for e in members)
    shown = _clearest(members, there, MOST_SYSTEMS, lambda e: e.system, reading)
    order = _clearest(members, names, MOST_GROUPS, lambda e: e.group, reading)
    kept = [e for e in members if e.system in shown and e.group in order]
    scale = contrast_picture.scale_of(kept)

    def line(e: Estimate, who: str) -> Line:
        words = reading.words(e)
        picture = contrast_picture.row(e, scale, contrast_picture.colour(systems, e.system), _alt(e, words))
        return _line(e, who, picture, reading)

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
        title=f"{declared.family}{f' by {first.over}' if first.over else ''}{reading.by(first)}",
        question=declared.contrast.question,
        even=declared.contrast.even,
        has_blind=any(e.blind is not None for e in kept),
        is_clear=any(reading.kind(e) in CLEAR for e in members),
        blocks=tuple(blocks),
        axis=contrast_picture.axis(scale, declared.contrast.unit),
        notes=_cuts(len(names), len(there)),
        meaning=declared.harm,
    )


def _said_once(panels: Iterable[Panel]) -> list[Panel]:
    """Each panel, its meaning where no panel above it has the same."""
    found: list[Panel] = []
    for panel in panels:
        is_new = panel.meaning not in {above.meaning for above in found}
        found.append(panel if is_new else replace(panel, meaning=""))
    return found


def _clearest(
    members: Sequence[Estimate], names: Sequence[str], most: int, name: Any, reading: Reading
) -> list[str]:
    """The names with the clearest contrasts, in the order in which they stand."""
    best = sorted(names, key=lambda n: min(reading.rank(e) for e in members if name(e) == n))[:most]
    return [n for n in names if n in best]


def _line(e: Estimate, who: str, picture: str, reading: Reading) -> Line:
    words, kind = reading.words(e), reading.kind(e)
    is_marked = kind in ("own", "differs")
    has_range = e.low is not None and e.high is not None
    return Line(
        who=who,
        picture=picture if e.value is not None else "",
        interval=contrast_words.between(e.low or 0.0, e.high or 0.0, words.unit) if has_range else "",
        said="no value" if e.value is None else _said_plainly(e, words, reading),
        standing=_standing(e, words.unit, kind),
        kind=kind,
        side="" if not is_marked else "worse" if contrast_words.worse(e, words) else "other",
    )


def _said_plainly(e: Estimate, words: ContrastWords, reading: Reading) -> str:
    plain = reading.plain(e)
    return f"{said(e, words)} ({plain})" if plain else said(e, words)


def _standing(e: Estimate, unit: ContrastUnit, kind: Standing) -> str:
    p, blind_p = first_known(e.p_adjusted, e.p), first_known(e.blind_p_adjusted, e.blind_p)
    random = "" if e.blind is None else f"random pick {signed(e.blind, unit)}"
    if kind == "no value":
        return note_words.told(e) or "undefined on these records"
    if kind == "not testable":
        return "not testable: no exchange of labels could be significant"
    if kind == "differs":
        return f"clear, {p_text(p)}"
    if kind == "evener":
        return f"{random}: the summaries are nearer to even, {p_text(blind_p)}"
    if e.blind is not None and e.blind_difference is not None:
        beyond = f"{gap(e.blind_difference, unit)} {'below' if e.blind_difference < 0 else 'above'} it"
        if kind == "own":
            return f"{random}: {beyond}, {p_text(blind_p)}"
        if kind == "as blind":
            return f"{random}: not clearly different ({beyond}, {p_text(blind_p)})"
    start = (
        f"not clearly different from it, {p_text(blind_p)}"
        if blind_p is not None
        else note_words.told(e)
        if p is None and e.notes
        else "not clear"
        if p is None
        else f"not clear, {p_text(p)}"
    )
    seen = f"; a difference of {gap(e.detectable, unit)} would have been seen" if e.detectable else ""
    return f"{random}; {start}{seen}" if random else f"{start}{seen}"


def _alt(e: Estimate, words: ContrastWords) -> str:
    blind = "" if e.blind is None else f", random pick {signed(e.blind, words.unit)}"
    value = "no value" if e.value is None else signed(e.value, words.unit)
    has_range = e.low is not None and e.high is not None
    interval = contrast_words.between(e.low or 0.0, e.high or 0.0, words.unit) if has_range else "none"
    return f"{e.system}{f', {e.group}' if e.group else ''}: {value}, interval {interval}{blind}"


def _cuts(groups_there: int, systems_there: int) -> tuple[str, ...]:
    parts = ((groups_there, MOST_GROUPS, "groups"), (systems_there, MOST_SYSTEMS, "systems"))
    return tuple(
        f"Shown are the {most} of {there} {what} with the clearest differences; all stand in the tables below."
        for there, most, what in parts
        if there > most
    )
