"""Group differences as tables: a row per group and system, with interval, random sentences, the difference from them, and p."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairbrief.declarations import ContrastUnit
from fairbrief.reports import arrangement, contrast_words, groups, number_format, wording
from fairbrief.reports.note_words import SIDES
from fairbrief.reports.plain import named
from fairbrief.standings import decisive
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

UNITS: Mapping[ContrastUnit, str] = {
    "percent": "percent", "points": "percentage points", "odds": "log odds", "plain": "",
}  # fmt: skip
P = "p\n(Holm)"
WITH_RANDOM = ("group, system", "value", "interval", "random", "diff", "interval", P)
MOST_COUNTED = 12
"""Groups whose counts are told below a table."""
WITHOUT = ("group, system", "value", "interval", P)


def contrast_tables(estimates: Sequence[Estimate], made: Mapping[str, Any]) -> list[Table]:
    """One table per measure and attribute whose group differences lead, on whole data."""
    known = ([e for e in of if e.value is not None] for of in arrangement.leading(estimates).values())
    return [_table(members, made) for members in known if members]


def _table(members: Sequence[Estimate], made: Mapping[str, Any]) -> Table:
    declared = wording.declared(members[0].measure, made)
    unit = declared.contrast.unit
    header = WITH_RANDOM if any(e.blind_difference is not None for e in members) else WITHOUT
    told = f" ({UNITS[unit]})" if UNITS[unit] else ""
    title = f"{declared.contrast.question} · {members[0].measure}{told}"
    rows = tuple(_rows(members, header, unit))
    size = max(e.family_size for e in members)
    counts = group_counts_by_system(members, declared.items)
    notes = (f"Holm over the {size} comparisons with the same baseline in this audit.",) if size > 1 else ()
    if header is WITH_RANDOM:
        notes = (
            "random: random sentences of the same length. diff: value minus random.",
            "p: the larger of two, against random sentences and against label permutations.",
            *notes,
        )
    return Table(title, header, rows, (*counts, *notes))


def _rows(
    members: Sequence[Estimate], header: tuple[str, ...], unit: ContrastUnit
) -> Iterable[tuple[str, ...]]:
    by_group: dict[str, list[Estimate]] = {}
    for e in members:
        by_group.setdefault(e.group, []).append(e)
    for group in groups.ordered(by_group):
        name = groups.named(members[0].over, group) or members[0].quantity.replace("_", " ")
        yield name, *[""] * (len(header) - 1)
        for e in by_group[group]:
            yield f"  {e.system}", *(_with_random(e, unit) if header is WITH_RANDOM else _alone(e, unit))


def group_counts_by_system(members: Sequence[Estimate], items: str) -> tuple[str, ...]:
    """How many documents, people or records each group has; by system where they answered different records."""
    by_system = {
        system: group_counts([e for e in members if e.system == system], items)
        for system in dict.fromkeys(e.system for e in members)
    }
    counts = dict.fromkeys(by_system.values())
    if len(counts) == 1:
        return tuple(f"n: {text}." for text in counts if text)
    return tuple(f"n of {named(system)}: {text}." for system, text in by_system.items() if text)


def group_counts(members: Sequence[Estimate], items: str) -> str:
    """How many documents, people or records each group has: ``negative 19 documents in 8 records, neutral …``."""
    found: dict[str, tuple[int, float]] = {}
    for e in members:
        sides = SIDES.split(e.group, maxsplit=1)
        told = ((e.group_clusters, e.group_items), (e.other_clusters, e.other_items))
        for group, (clusters, many) in zip(sides, told, strict=False):
            if clusters is not None and many is not None:
                found[group] = max(found.get(group, (0, 0.0)), (clusters, many))
    parts = [
        f"{named(groups.named(members[0].over, group))} {count_of(*found[group], items)}"
        for group in groups.ordered(found)
    ]
    more = f" and {len(parts) - MOST_COUNTED} more groups" if len(parts) > MOST_COUNTED else ""
    return ", ".join(parts[:MOST_COUNTED]) + more


def count_of(clusters: int, many: float, items: str) -> str:
    """``19 documents in 8 records``; ``8 records`` where nothing else is counted."""
    records = counted(clusters, "record")
    return records if items == "records" else f"{many:,.0f} {items} in {records}"


def _alone(e: Estimate, unit: ContrastUnit) -> tuple[str, ...]:
    return *_value_and_interval(e.value, e.low, e.high, unit), _p(e)


def _with_random(e: Estimate, unit: ContrastUnit) -> tuple[str, ...]:
    """P is that of the difference from random sentences; that of label permutations is with the details."""
    difference = _value_and_interval(
        e.blind_difference, e.blind_difference_low, e.blind_difference_high, unit
    )
    places = _places(e.low, e.high, unit)
    return (
        *_value_and_interval(e.value, e.low, e.high, unit),
        contrast_words.cell(e.blind, unit, places),
        *difference,
        _p(e),
    )


def _value_and_interval(
    value: float | None, low: float | None, high: float | None, unit: ContrastUnit
) -> tuple[str, str]:
    places = _places(low, high, unit)
    if low is None or high is None:
        return contrast_words.cell(value, unit, places), number_format.ABSENT
    bounds = ", ".join(contrast_words.cell(x, unit, places) for x in (low, high))
    return contrast_words.cell(value, unit, places), f"[{bounds}]"


def _places(low: float | None, high: float | None, unit: ContrastUnit) -> int:
    """Decimals: of per cents none where the interval is wider than two of them."""
    if unit in ("percent", "points"):
        return 1 if low is None or high is None or high - low < 0.02 else 0
    return 3 if unit == "plain" and low is not None and high is not None and high - low < 0.1 else 2


def _p(e: Estimate) -> str:
    if e.testable is False and e.blind_p is None:
        return "too few" if any(note.code == "few_in_group" for note in e.notes) else "not testable"
    return number_format.probability(decisive(e)[0])
