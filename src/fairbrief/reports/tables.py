"""Tables of estimates: their columns for every format, the printed tables that Markdown, LaTeX, CSV and notebooks show, and
those of leading group differences: a row per group and system.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairbrief.conclusions import decisive
from fairbrief.declarations import ContrastUnit
from fairbrief.reports import arrangement, contrast_words, number_format, reach, wording
from fairbrief.reports.arrangement import Arranged, Section
from fairbrief.reports.contrast_words import group_name, ordered_groups
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.reports.wording import SIDES
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_ROWS = 2_000
"""Rows of one printed table: nobody reads more of them; all are in ``results.json`` and ``estimates.csv``."""
WORDS = ("words", "declared", "without", "opposite_gaps", "reach")
"""What a saved result holds for those who write reports."""
UNITS: Mapping[ContrastUnit, str] = {
    "percent": "percent", "points": "percentage points", "odds": "log odds", "plain": "",
}  # fmt: skip
WITH_RANDOM = ("group, system", "value", "interval", "random", "diff", "interval", "p\n(Holm)")
MOST_COUNTED = 12
"""Groups whose counts are told below a table."""
WITHOUT_RANDOM = ("group, system", "value", "interval", "p\n(Holm)")
NUMBER = re.compile(r"[−+<±\[-]* ?\.?\d|undefined$|not testable$|too few$")


@dataclass(frozen=True, slots=True)
class Column:
    """Numbers of a table of estimates: what heads them, also where there is little room, and the cell of an estimate."""

    name: str
    heading: str
    short: str
    cell: Callable[[Estimate], str]


def columns(
    estimates: Sequence[Estimate], made: Mapping[str, Any], *, is_difference: bool, is_printed: bool = False
) -> tuple[Column, ...]:
    """The columns that some estimate fills, in their order; of printed tables always the same, so that they can be read one after another."""
    value, interval = "difference" if is_difference else "value", wording.interval_name(made)
    every = (
        (True, Column("value", value, value, number_format.value)),
        (True, Column("interval", interval, interval, number_format.interval)),
        (
            not is_printed and any(e.low_within is not None for e in estimates),
            Column("within", "within seed documents", "within\noriginals", number_format.inner_interval),
        ),
        (
            not is_difference and (is_printed or any(e.extract_baseline is not None for e in estimates)),
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
            not is_difference and (is_printed or any(e.excluded for e in estimates)),
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
    """All of a result: a paper's layouts first, then each section, then differences, and what the scorers find."""
    arranged = arranged or Arranged.of(result)
    return (
        *result.tables,
        *(section_table(s, result.made) for s in arranged.sections),
        *(difference_table(s, result.made) for s in arranged.contrasts),
        *reach.tables(result.made),
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
    """Differences of systems, of one section: main values, or all quantities where there is none."""
    main_values = section.main_values or section.estimates
    shown = main_values[:MOST_ROWS]
    hidden = (
        (len(main_values) - len(shown), "further difference", ""),
        (len(section.estimates) - len(main_values), "difference", " of other quantities"),
    )
    further = (f"{counted(many, what)}{which} {_where(many)}." for many, what, which in hidden if many)
    title = f"Differences of systems: {section.title}"
    return _table(
        title, section, shown, made, (*arrangement.notes(main_values), *further), is_difference=True
    )


def _table(
    title: str,
    section: Section,
    shown: Sequence[Estimate],
    made: Mapping[str, Any],
    notes: tuple[str, ...],
    *,
    is_difference: bool = False,
) -> Table:
    whole = shown if is_difference else section.estimates
    numbers = columns(whole, made, is_difference=is_difference, is_printed=True)
    minus = ("minus",) if is_difference else ()
    header = ("measure", "system", *minus, *section.by, *(c.heading for c in numbers))
    rows = tuple(
        (
            arrangement.label(e),
            e.system,
            *(e.baseline for _ in minus),
            *(e.subgroup[name] for name in section.by),
            *(c.cell(e) for c in numbers),
        )
        for e in shown
    )
    return Table(title, header, rows, notes)


def _shown(section: Section) -> Sequence[Estimate]:
    """As many as a table shows, in their order; main values before other quantities, where it has not room for all."""
    main = min(len(section.main_values), MOST_ROWS)
    room = {True: main, False: MOST_ROWS - main}
    shown: list[Estimate] = []
    for block in section.blocks:
        is_main_value = wording.is_main_value(block[0])
        some = block[: room[is_main_value]]
        room[is_main_value] -= len(some)
        shown += some
    return shown


def _where(many: int) -> str:
    return f"{'stands' if many == 1 else 'stand'} in results.json and estimates.csv"


def left_out_table(result: Result) -> Table | None:
    """The measures that were not taken, and why; None if all were."""
    if not result.not_measured:
        return None
    rows = tuple((m.measure, m.reason) for m in result.not_measured)
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


# ---------------------------------------------------------------------------------- group differences


def contrast_tables(estimates: Sequence[Estimate], made: Mapping[str, Any]) -> list[Table]:
    """One table per measure and attribute whose group differences lead, on whole data."""
    known = (
        [e for e in members if e.value is not None] for members in arrangement.leading(estimates).values()
    )
    return [_contrast_table(members, made) for members in known if members]


def _contrast_table(members: Sequence[Estimate], made: Mapping[str, Any]) -> Table:
    declared = wording.declared(members[0].measure, made)
    unit = declared.contrast.unit
    header = WITH_RANDOM if any(e.extract_difference is not None for e in members) else WITHOUT_RANDOM
    in_unit = f" ({UNITS[unit]})" if UNITS[unit] else ""
    title = f"{declared.contrast.question} · {members[0].measure}{in_unit}"
    rows = tuple(_contrast_rows(members, header, unit))
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


def _contrast_rows(
    members: Sequence[Estimate], header: tuple[str, ...], unit: ContrastUnit
) -> Iterable[tuple[str, ...]]:
    by_group: dict[str, list[Estimate]] = {}
    for e in members:
        by_group.setdefault(e.group, []).append(e)
    for group in ordered_groups(by_group):
        name = group_name(members[0].over, group) or members[0].quantity.replace("_", " ")
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
    counts: dict[str, tuple[int, float]] = {}
    for e in members:
        sides = SIDES.split(e.group, maxsplit=1)
        numbers = ((e.group_clusters, e.group_items), (e.other_clusters, e.other_items))
        for group, (clusters, many) in zip(sides, numbers, strict=False):
            if clusters is not None and many is not None:
                counts[group] = max(counts.get(group, (0, 0.0)), (clusters, many))
    parts = [
        f"{named(group_name(members[0].over, group))} {count_of(*counts[group], items)}"
        for group in ordered_groups(counts)
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
        e.extract_difference, e.extract_difference_low, e.extract_difference_high, unit
    )
    places = _places(e.low, e.high, unit)
    return (
        *_value_and_interval(e.value, e.low, e.high, unit),
        contrast_words.cell(e.extract_baseline, unit, places),
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
    if e.testable is False and e.extract_p is None:
        return "too few" if any(note.code == "few_in_group" for note in e.notes) else "not testable"
    return number_format.probability(decisive(e)[0])
