"""Estimates of one statistic as dots with intervals: a panel for each system, or for each thing it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairbrief.reports import number_format, row_pictures
from fairbrief.reports.evidence_rows import MOST_SYSTEMS, Material
from fairbrief.reports.figure_spec import MOST_VALUES, Panel, describe, note_cut
from fairbrief.statistics.arrays import TIE
from fairbrief.types import Estimate

Found = dict[str, dict[str, Estimate]]


def subscripted(material: Material, figure: str, statistic: str) -> Iterator[tuple[str, Found]]:
    """Per measure that declares this figure: its estimates ``statistic[v]`` that have a value, by v and system."""
    by_measure: dict[str, Found] = {}
    pattern = re.compile(rf"{re.escape(statistic)}\[(.*)\]", re.DOTALL)
    for (measure, quantity, system), e in material.estimates.items():
        match = pattern.fullmatch(quantity)
        if match and e.value is not None and material.draws(measure, figure):
            by_measure.setdefault(measure, {}).setdefault(match[1], {})[system] = e
    yield from by_measure.items()


def panels(
    found: Found, mark: float | None = None, against: Mapping[tuple[str, str], float] | None = None
) -> tuple[tuple[Panel, ...], str]:
    """Panels on one scale, the fewer of one per system and one per value; and a note where some are left out.

    ``against`` (value, system) is what a dot is held against.
    """
    values, systems = list(found), list(dict.fromkeys(s for of in found.values() for s in of))
    per_value = len(values) < len(systems)
    outer, inner = (values, systems) if per_value else (systems, values)
    most = MOST_VALUES if per_value else MOST_SYSTEMS
    kinds = ("values", "systems") if per_value else ("systems", "values")
    note = note_cut(min(most, len(outer)), len(outer), kinds[0])
    note += note_cut(min(MOST_VALUES, len(inner)), len(inner), kinds[1])
    drawn: list[tuple[str, list[dict[str, Any]], list[Estimate]]] = []
    for title in outer[:most]:
        pairs = [(title, i) if per_value else (i, title) for i in inner[:MOST_VALUES]]
        there = [(v, s) for v, s in pairs if s in found[v]]
        rows = [
            row_of(found[v][s], s if per_value else v) | {"against": (against or {}).get((v, s))}
            for v, s in there
        ]
        drawn.append((title, rows, [found[v][s] for v, s in there]))
    domain = domain_of([row for _, rows, _ in drawn for row in rows], mark)
    made = tuple(
        Panel(title, row_pictures.forest(rows, say(rows, estimates), domain, mark))
        for title, rows, estimates in drawn
        if rows
    )
    return made, note


def row_of(e: Estimate, name: str) -> dict[str, Any]:
    """A row of a forest."""
    return {"name": name, "value": e.value, "low": e.low, "high": e.high, "chance": e.null_mean}


def say(rows: Sequence[Mapping[str, Any]], estimates: Sequence[Estimate]) -> str:
    """The rows in words."""
    return describe(
        f"{row['name']} {number_format.value(e)} {number_format.interval(e)}, chance {number_format.chance(e)}"
        for row, e in list(zip(rows, estimates, strict=True))[:20]
    )


def domain_of(rows: Sequence[Mapping[str, Any]], mark: float | None = None) -> tuple[float, float] | None:
    """An axis that holds everything, with a little room at both ends."""
    places = [
        row[k]
        for row in rows
        for k in ("value", "low", "high", "chance", "against")
        if row.get(k) is not None
    ]
    if mark is not None:
        places.append(mark)
    if not places or max(places) - min(places) < TIE:
        return None
    room = 0.05 * (max(places) - min(places))
    return min(places) - room, max(places) + room
