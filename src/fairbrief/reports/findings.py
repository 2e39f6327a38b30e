"""The findings of a result in plain words: sentences for a few systems, a small table for many or for levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief.reports import number_format, wording
from fairbrief.reports.arrangement import Section
from fairbrief.reports.note_words import OF_THE_SCORER, worded
from fairbrief.reports.plain import named
from fairbrief.types import Estimate

FEW = 4
"""Systems that sentences are written for; more are easier to compare in a table."""
MOST = 12
"""Systems that are named here; all stand in the estimates."""


@dataclass(frozen=True, slots=True)
class Small:
    """A small table; cells are text."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int
    """Systems that are not shown."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A measure in plain sentences, one per system, or as a small table."""

    measure: str
    reads: str
    lines: tuple[tuple[str, str], ...]
    table: Small | None
    notes: tuple[str, ...] = ()
    """What is known of the scorer that the measure relies on."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Measures that label permutations do not move, side by side; ``absent`` are sentences on those without any value."""

    reads: tuple[tuple[str, str], ...]
    table: Small | None
    absent: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one family over one attribute, and the harm that a gap in them would mean."""

    title: str
    findings: tuple[Finding, ...]
    levels: Levels | None
    harms: tuple[str, ...]


def find(sections: Sequence[Section], made: Mapping[str, Any]) -> tuple[Findings, ...]:
    """The headlines on whole data, family by family."""
    found = []
    for section in sections:
        headlines = section.headlines
        if section.by or not headlines:
            continue
        harms = (wording.declared(e.measure, made).harm for e in headlines)
        by_measure = {
            m: [e for e in headlines if e.measure == m] for m in dict.fromkeys(e.measure for e in headlines)
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
    """Whether any system is tested against label permutations, or would be, were its labels not too few."""
    return any(e.null_mean is not None or e.p is not None or e.testable is False for e in members)


def _finding(measure: str, members: Sequence[Estimate], made: Mapping[str, Any]) -> Finding:
    alpha, reads = wording.alpha_of(made), wording.declared(measure, made).question
    notes = tuple(dict.fromkeys(worded(n) for e in members for n in e.notes if n.code in OF_THE_SCORER))
    if len(members) <= FEW:
        lines = tuple((named(e.system), wording.finding(e, alpha)) for e in members)
        return Finding(measure, reads, lines, None, notes)
    holm = any(e.p_adjusted is not None for e in members)
    header = (
        "system",
        "against label permutations",
        "value",
        wording.interval_name(made),
        "permutation mean",
        "p",
        *(("Holm",) if holm else ()),
    )
    rows = tuple(
        (
            named(e.system),
            wording.score_standing(e, alpha),
            number_format.value(e),
            number_format.interval(e),
            number_format.chance(e),
            number_format.probability(e.p),
            *((number_format.probability(e.p_adjusted),) if holm else ()),
        )
        for e in members[:MOST]
    )
    return Finding(measure, reads, (), Small(header, rows, max(len(members) - MOST, 0)), notes)


def _levels(measures: Mapping[str, Sequence[Estimate]], made: Mapping[str, Any]) -> Levels:
    absent = tuple(
        (m, wording.finding(members[0]))
        for m, members in measures.items()
        if all(e.value is None for e in members)
    )
    known = [m for m, members in measures.items() if any(e.value is not None for e in members)]
    told: dict[str, list[str]] = {}
    for m in known:
        told.setdefault(wording.declared(m, made).question, []).append(m)
    reads = tuple((", ".join(members), text) for text, members in told.items() if text)
    systems = list(dict.fromkeys(e.system for m in known for e in measures[m]))
    cells = {(m, e.system): _level(e) for m in known for e in measures[m]}
    table = Small(
        ("system", *(wording.without_over(measures[m][0]) for m in known)),
        tuple((named(s), *(cells.get((m, s), number_format.ABSENT) for m in known)) for s in systems[:MOST]),
        max(len(systems) - MOST, 0),
    )
    return Levels(reads, table if known else None, absent)


def _level(e: Estimate) -> str:
    return (
        number_format.value(e) if e.low is None else f"{number_format.value(e)} {number_format.interval(e)}"
    )
