"""The findings of a result in plain words: sentences for a few systems, a small table for many or for levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief.reports import number_format, wording
from fairbrief.reports.arrangement import Section
from fairbrief.reports.plain import named
from fairbrief.reports.tables import columns
from fairbrief.reports.wording import OF_THE_SCORER, worded
from fairbrief.standings import SIGNIFICANT, standing
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

FEW = 4
"""Systems that sentences are written for; more are easier to compare in a table."""
MOST = 12
"""Systems that are named here; all stand in the estimates."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A measure in plain sentences, one per system, or as a small table."""

    measure: str
    asks: str
    lines: tuple[tuple[str, str], ...]
    table: Table | None
    notes: tuple[str, ...] = ()
    """What is known of the scorer that the measure relies on."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Measures that label permutations do not move, side by side; ``absent`` are sentences on those without any value."""

    asks: tuple[tuple[str, str], ...]
    table: Table | None
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
    alpha, asks = wording.alpha_of(made), wording.declared(measure, made).question
    notes = tuple(dict.fromkeys(worded(n) for e in members for n in e.notes if n.code in OF_THE_SCORER))
    if len(members) <= FEW:
        lines = tuple((named(e.system), wording.finding(e, alpha)) for e in members)
        return Finding(measure, asks, lines, None, notes)
    numbers = columns(members, made, is_difference=False)
    shown = [c for c in numbers if c.name in ("value", "interval", "mean", "p", "holm")]
    header = ("system", "against label permutations", *(c.heading for c in shown))
    rows = tuple((named(e.system), _standing(e, alpha), *(c.cell(e) for c in shown)) for e in members[:MOST])
    return Finding(measure, asks, (), Table(measure, header, rows, _hidden(len(members))), notes)


def _standing(e: Estimate, alpha: float) -> str:
    """How an unsigned score compares with label permutations, in the words of `standings`."""
    kind = standing(e, alpha)
    return "significant" if kind in SIGNIFICANT else kind


def _hidden(systems: int) -> tuple[str, ...]:
    more = systems - MOST
    return (f"Not shown here: {counted(more, 'further system')}, in the estimates.",) if more > 0 else ()


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
        tuple((named(s), *(cells.get((m, s), number_format.ABSENT) for m in known)) for s in systems[:MOST]),
        _hidden(len(systems)),
    )
    return Levels(asks, table if known else None, absent)


def _level(e: Estimate) -> str:
    return (
        number_format.value(e) if e.low is None else f"{number_format.value(e)} {number_format.interval(e)}"
    )
