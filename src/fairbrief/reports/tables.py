"""Tables of a result, the same for the terminal, Markdown, LaTeX, CSV and notebooks: group differences, scores, differences of systems.

Estimates have one order in every format: by family and attribute, all records before subgroups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairbrief.conclusions import NAMED, decisive
from fairbrief.declarations import ContrastUnit
from fairbrief.ranges import grouped
from fairbrief.reports import number_format, wording
from fairbrief.reports.plain import named
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context, group_name, ordered_groups
from fairbrief.text.counted import counted
from fairbrief.types import Estimate, Table

MOST_ROWS = 2_000
"""The most rows of one printed table, which else has only main values; all are in ``results.json`` and ``estimates.csv``."""
WORDS = ("words", "declared", "without", "opposite_gaps", "reach", "inputs", "ended")
"""Entries of ``made`` that reports use and do not list."""
UNITS: Mapping[ContrastUnit, str] = {
    "percent": "percent", "points": "percentage points", "odds": "log odds", "plain": "",
}  # fmt: skip
OF_SYSTEMS = ("random sentences", "permutation mean", "excluded")
"""Columns that tables of differences do not have."""
MOST_COUNTED = 12
"""Groups whose sizes are listed."""
WITHOUT_P = ("no value", "too few", "not testable")
"""Conclusions in place of a p."""
NUMBER = re.compile(rf"[−+<±\[-]* ?(?:\.?\d|∞)|undefined$|{number_format.ABSENT}$|(?:{'|'.join(WITHOUT_P)})$")


Columns = Sequence[tuple[str, Callable[[Estimate], str]]]
"""The heading of each column, and what makes the text of a cell."""
SHORT = {
    "within seed documents": "within\nseeds", "random sentences": "random", "permutation mean": "perm.\nmean",
    "p (Holm)": "Holm", "excluded": "excl.",
}  # fmt: skip
"""Headings of narrow tables."""
EXCLUDED = "Excluded records"
MOST_LABELS = 4
"""The most rows that are named in front of a note."""


Section = Sequence[Estimate]
"""Estimates of one family over one attribute, of all records or of the subgroups by the same attributes."""


def of_differences(context: Context) -> list[Section]:
    """The sections of a result's differences, each from the random-sentence baselines where they exist."""
    return arrange(map(wording.from_random, context.result.differences), context)


def arrange(estimates: Iterable[Estimate], context: Context) -> list[Section]:
    """Sections in order of first appearance, all records before subgroups; in each by measure, then quantity."""
    known = grouped(((context.declared(e).family, e.over, *e.subgroup), e) for e in estimates)
    ordered = sorted(known.values(), key=lambda members: len(members[0].subgroup))
    return [list(_in_blocks(members)) for members in ordered]


def section_title(e: Estimate, context: Context) -> str:
    """The title of an estimate's section: ``Representation by sentiment, in each topic``."""
    over = f" by {e.over}" if e.over else ""
    by = f", in each {' × '.join(e.subgroup)}" if e.subgroup else ""
    return f"{context.declared(e).family}{over}{by}"


def _in_blocks(estimates: Iterable[Estimate]) -> Iterator[Estimate]:
    for of_measure in grouped((e.measure, e) for e in estimates).values():
        for of_quantity in grouped((e.quantity, e) for e in of_measure).values():
            yield from of_quantity


def label(estimate: Estimate) -> str:
    """A row's name: the measure's spec, and the quantity unless it is the main value: ``bur`` or ``bur: under[negative]``."""
    measure = wording.without_over(estimate)
    return measure if wording.is_main_value(estimate) else f"{measure}: {estimate.quantity}"


def excluded(estimates: Iterable[Estimate]) -> list[str]:
    """The excluded records of main values on all records, as sentences; measures and systems with equal ones share a sentence.

    Differences are not in them: what their pairs lack is one of the `notes`.
    """
    measures: dict[tuple[str, str], dict[str, None]] = {}
    for e in estimates:
        if not e.subgroup and not e.baseline and wording.is_main_value(e) and any(e.excluded.values()):
            measures.setdefault((e.system, reasons(e.excluded)), {})[wording.without_over(e)] = None
    systems = grouped(((", ".join(names), why), system) for (system, why), names in measures.items())
    return [f"{EXCLUDED}, {', '.join(of)} ({names}): {why}." for (names, why), of in systems.items()]


def reasons(counts: Mapping[str, int]) -> str:
    """``one group only 529, empty 3``: most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} {count:,}" for reason, count in ordered if count)


def notes(estimates: Sequence[Estimate]) -> list[str]:
    """The notes of the estimates, each once, with the rows that have it; and what pairs of systems lack."""
    # Thousands of subgroups have equal notes.
    distinct = {(label(e), note.code, str(note.arguments)): note for e in estimates for note in e.notes}
    by_text = grouped((wording.worded(note), row) for (row, *_), note in distinct.items())
    lines = []
    for text, alike in by_text.items():
        rows = list(dict.fromkeys(alike))
        others = " and others" if len(rows) > MOST_LABELS else ""
        lines.append(f"{', '.join(rows[:MOST_LABELS])}{others}: {text}")
    pairs = [e for e in estimates if e.baseline and not e.subgroup]
    for reason, counts in grouped(item for e in pairs for item in e.excluded.items()).items():
        measures = dict.fromkeys(wording.without_over(e) for e in pairs if reason in e.excluded)
        to = f" to {max(counts):,}" if max(counts) > min(counts) else ""
        lines.append(f"excluded from pairs ({', '.join(measures)}): {reason} {min(counts):,}{to}")
    return lines


def numeric_columns(table: Table) -> list[bool]:
    """For each column of a printed table, whether its cells are numbers."""
    columns = ([row[k] for row in table.rows if k < len(row) and row[k]] for k in range(len(table.header)))
    return [bool(cells) and all(map(NUMBER.match, cells)) for cells in columns]


def printed_tables(result: Result, *, is_brief: bool = False) -> tuple[Table, ...]:
    """All tables: a paper's layouts, group differences, every score, differences of systems, and the reach of the scorers.

    ``is_brief`` shortens headings, and has all quantities of differences.
    """
    context = Context(result)
    sections = (*arrange(result.estimates, context), *of_differences(context))
    return (
        *result.tables,
        *contrast_tables(context),
        *(section_table(section, context, is_brief=is_brief) for section in sections),
        *reach_tables(result.made),
    )


def section_table(section: Section, context: Context, *, is_brief: bool = False) -> Table:
    """The estimates of one section with its notes: at most `MOST_ROWS`, else main values.

    Differences of systems have only main values unless ``is_brief``, which also shortens the headings.
    """
    is_difference = bool(section[0].baseline)
    is_whole = is_brief if is_difference else len(section) <= MOST_ROWS
    main_values = [e for e in section if wording.is_main_value(e)]
    shown = (section if is_whole else main_values or section)[:MOST_ROWS]
    notes = section_notes(section, shown if is_difference else section, len(section) - len(shown))
    table = estimates_table(section, shown, context)
    header = table.header
    if is_brief:  # the attributes of subgroups keep their names
        header = tuple(h if h in section[0].subgroup else SHORT.get(h, h) for h in header)
    return replace(table, header=header, notes=notes)


def estimates_table(section: Section, shown: Sequence[Estimate], context: Context) -> Table:
    """Value, interval, both baselines, p, n and number of excluded records of some estimates of a section, without empty columns."""
    is_difference, places = bool(section[0].baseline), number_format.decimals
    names: Columns = [
        ("measure", label),
        ("system", lambda e: e.system),
        *([("minus", lambda e: e.baseline)] if is_difference else []),
        *((name, lambda e, name=name: e.subgroup[name]) for name in section[0].subgroup),
    ]
    numbers: Columns = [
        ("difference" if is_difference else "value", number_format.value),
        (wording.interval_name(context.made), number_format.interval),
        ("within seed documents", lambda e: number_format.bounds(e.low_within, e.high_within, places(e))),
        ("random sentences", number_format.random_sentences),
        ("permutation mean", number_format.chance),
        ("p", lambda e: "not testable" if e.testable is False else number_format.probability(e.p)),
        ("p (Holm)", lambda e: number_format.probability(e.p_adjusted)),
        ("n", lambda e: f"{e.n:,}"),
        ("excluded", lambda e: f"{sum(e.excluded.values()):,}"),
    ]
    empty, absent = (number_format.ABSENT, "0"), OF_SYSTEMS if is_difference else ()
    filled = [
        (h, cell) for h, cell in numbers if h not in absent and any(cell(e) not in empty for e in shown)
    ]
    title = f"{'Differences of systems: ' if is_difference else ''}{section_title(section[0], context)}"
    return _table(title, [*names, *filled], shown)


def _table(title: str, columns: Columns, shown: Sequence[Estimate]) -> Table:
    header = tuple(heading for heading, _ in columns)
    return Table(title, header, tuple(tuple(cell(e) for _, cell in columns) for e in shown))


def section_notes(section: Section, noted: Sequence[Estimate], hidden: int) -> tuple[str, ...]:
    """The excluded records of a section, the notes of some estimates, and the number of rows that are not shown."""
    lines = [*excluded(section), *notes(noted)]
    if hidden:
        further = counted(hidden, "further row is", "further rows are")
        lines.append(f"{further} in results.json and estimates.csv.")
    return tuple(lines)


def facts(result: Result) -> list[str]:
    """The header of every report: what was audited."""
    made = result.made
    first, *others = map(str, made.get("files") or [""])
    more = f" and {counted(len(others), 'more file')}" if others else ""
    counts = [counted(len(result.systems), "system")]
    if isinstance(records := made.get("records"), int):
        sample = made.get("sample")
        many = counted(sample["records"] if sample else records, "record")
        counts.insert(0, f"{records:,} of {many}" if sample else many)
    protocol = made.get("protocol")
    parts = (
        f"Fairbrief {made.get('version', '')}".strip(),
        f"{named(first)}{more}",
        ", ".join(counts),
        f"protocol {protocol}" if protocol else "",
        str(made.get("language") or ""),
    )
    return [part for part in parts if part]


def left_out_tables(result: Result) -> list[Table]:
    """At most one table: the measures that were not computed, and why."""
    measures = grouped((m.reason, m.measure) for m in result.not_measured)
    rows = tuple((", ".join(names), reason) for reason, names in measures.items())
    return [Table("Measures that were not computed", ("measure", "why"), rows)] if rows else []


def made_lines(made: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """How the result was made, as pairs of name and text, without empty entries."""
    lines = ((name, _text(value)) for name, value in made.items() if name not in WORDS and value is not None)
    return tuple(line for line in lines if line[1])


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        holds_lists = any(isinstance(item, (Mapping, list, tuple)) for item in value.values())
        return ("; " if holds_lists else ", ").join(f"{name}: {_text(item)}" for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if type(value) is int and value >= 10000 else str(value)


# ---------------------------------------------------------------------------------- group differences


def contrast_tables(context: Context) -> list[Table]:
    """One table per measure and attribute: primary group differences, those of subgroups, and differences of systems in them."""
    panels = (*context.leading(), *context.leading("subgroups"), *context.leading("pairs"))
    known = ([e for e in members if e.value is not None] for members in panels)
    return [contrast_table(members[:MOST_ROWS], context) for members in known if members]


def contrast_title(members: Sequence[Estimate], context: Context) -> str:
    """What the numbers are: ``COVERAGE relative to the average document by sentiment (percent)``; the group if it is only one."""
    e = members[0]
    declared = context.declared(e)
    is_one = bool(e.group) and len({e.group for e in members}) == 1
    group = f": {wording.heading(e, declared.contrast)}" if is_one else ""
    first, *rest = (declared.contrast.title or declared.family).split(" ")
    title = " ".join([first.upper(), *rest])
    unit = UNITS[declared.contrast.unit]
    of_systems = "DIFFERENCES of systems: " if e.baseline else ""
    over = f" by {named(e.over)}" if e.over else ""
    within = f" in subgroups of {named(' × '.join(e.subgroup))}" if e.subgroup else ""
    return f"{of_systems}{title}{over}{within}{context.by(e)}{f' ({unit})' if unit else ''}{group}"


def contrast_table(members: Sequence[Estimate], context: Context, most: int | None = None) -> Table:
    """A row per system and group: value, interval, random-sentence baseline, difference from it, p, and a mark.

    ``most`` keeps the rows with the clearest differences; without it, the table also has the measure and the interval of the
    difference.
    """
    clearest = set(map(id, sorted(members, key=context.rank)[:most]))
    shown = _in_order([e for e in members if id(e) in clearest])
    first = members[0]
    unit, interval = context.words(first).unit, wording.interval_name(context.made)
    places = _places(members, unit)
    has_random = any(e.extract_difference is not None for e in members) and not first.baseline

    def beyond(e: Estimate) -> Estimate:
        low, high = e.extract_difference_low, e.extract_difference_high
        return e.replace(low=low, high=high)

    columns: list[tuple[bool, str, Callable[[Estimate], str]]] = [
        (bool(first.baseline), "systems", wording.pair),
        (not first.baseline, "system", lambda e: e.system),
        (bool(first.subgroup), "subgroup", _part),
        (len({e.group for e in members}) > 1, "group", lambda e: wording.heading(e, context.words(e))),
        (True, "difference" if first.baseline else "value", lambda e: wording.cell(e.value, unit, places)),
        (True, interval, lambda e: _interval(e, unit, places)),
        (has_random, "random", lambda e: wording.cell(e.extract_baseline, unit, places)),
        (has_random, "diff", lambda e: wording.cell(e.extract_difference, unit, places)),
        (has_random and most is None, interval, lambda e: _interval(beyond(e), unit, places)),
        (True, "p (Holm)", lambda e: _p(e, context)),
        (True, "", lambda e: mark(e, context)),
    ]
    table = _table("", [(heading, cell) for is_there, heading, cell in columns if is_there], shown)
    title, rows = contrast_title(members, context), table.rows
    if most is None:
        title = f"{title} · {first.measure}"
    else:  # a repeated name is left out
        above = ["", *(row[0] for row in rows)]
        rows = tuple(
            ("" if row[0] == name else row[0], *row[1:]) for row, name in zip(rows, above, strict=False)
        )
    return replace(table, title=title, rows=rows, notes=_legend(members, has_random))


def _part(e: Estimate) -> str:
    return ", ".join(e.subgroup.values())


def _in_order(members: Sequence[Estimate]) -> list[Estimate]:
    """By system and subgroup in their order of appearance, then by group in natural order."""
    systems = list(dict.fromkeys((e.system, e.baseline) for e in members))
    parts, groups = ordered_groups(map(_part, members)), ordered_groups(e.group for e in members)
    return sorted(
        members,
        key=lambda e: (systems.index((e.system, e.baseline)), parts.index(_part(e)), groups.index(e.group)),
    )


def _legend(members: Sequence[Estimate], has_random: bool) -> tuple[str, ...]:
    named = max((e.family_size for e in members if e.is_named), default=0)
    size = max((e.family_size for e in members if not e.is_named), default=0)
    holm = f"Holm over {counted(size or named, 'comparison')}" if max(size, named) > 1 else ""
    holm += f" (named in advance: over {named})" if holm and named and size else ""
    if not has_random:
        is_from_random = any(e.baseline and e.extract_difference is not None for e in members)
        parts = ["difference: of values minus random sentences"] * is_from_random + [f"p: {holm}"] * bool(
            holm
        )
        return (f"{'; '.join(parts)}.",) if parts else ()
    if any(e.label_p is not None for e in members):
        tests = "larger of the tests against random and label permutations"
    elif any(e.extract_p is not None for e in members):
        tests = "test against random"
    else:
        tests = "against label permutations"
    among = f", {holm}" if holm else ""
    # A summary as long as its sources counts for the value, but has no random sentences.
    tested = [(e.value or 0.0, e.extract_baseline or 0.0, e.extract_difference) for e in members]
    is_partial = any(diff is not None and abs(value - random - diff) > 1e-6 for value, random, diff in tested)
    where = ", on the records that have random sentences" if is_partial else ""
    return (
        f"random: random sentences of the same length; diff: value minus random{where}; p: {tests}{among}.",
    )


def mark(e: Estimate, context: Context) -> str:
    """The direction of a significant difference from the baseline: ``less`` or ``more``; "" where it is not significant."""
    kind = context.kind(e)
    if kind not in NAMED:
        return ""
    if not e.group:
        return kind
    less, more = ("lower", "higher") if context.words(e).unit == "plain" else ("less", "more")
    return less if kind == "below" else more


def compact_table(members: Sequence[Estimate], context: Context, most_groups: int, most_rows: int) -> Table:
    """A row per system and a column per group: value and interval, with a star where it is significant (Holm)."""
    words = context.words(members[0])
    places = _places(members, words.unit)
    groups = context.clearest(members, lambda e: e.group, most_groups)
    systems = context.clearest(members, lambda e: e.system, most_rows)
    cells = {}
    for e in members:
        value = wording.cell(e.value, words.unit, places)
        text = f"{value} {_interval(e, words.unit, places)}".removesuffix(f" {number_format.ABSENT}")
        cells[e.system, e.group] = f"{text}*" if context.kind(e) in NAMED else text
    order = ordered_groups(groups)
    by_group = {e.group: e for e in members}
    heads = [wording.heading(by_group[g], words) for g in order] if len(by_group) > 1 else ["value"]
    rows = tuple(
        (system, *(cells.get((system, g), number_format.ABSENT) for g in order))
        for system in dict.fromkeys(e.system for e in members)
        if system in systems
    )
    stars = any(cell.endswith("*") for cell in cells.values())
    note = (f"*: significantly different from {context.baseline(members[0])} (Holm).",) if stars else ()
    return Table(contrast_title(members, context), ("system", *heads), rows, note)


def group_counts_by_system(members: Sequence[Estimate], items: str) -> tuple[str, ...]:
    """The group sizes as a sentence; one per system where the systems answered different records."""
    by_system = {s: group_counts(of, items) for s, of in grouped((e.system, e) for e in members).items()}
    if len(set(by_system.values())) == 1:
        return tuple(f"n: {text}." for text in set(by_system.values()) if text)
    return tuple(f"n of {named(system)}: {text}." for system, text in by_system.items() if text)


MOST_UNBROKEN = 24
"""The most characters of a group and its size that stay on one line."""


def group_counts(members: Sequence[Estimate], items: str) -> str:
    """The size of each group: ``negative 19 documents in 8 records, neutral 9 in 7``, or ``female 24 records, male 26``.

    Of records in clusters it is the number of clusters, as ``independent groups``.
    """
    unit = wording.unit_of(*members)
    counts: dict[str, tuple[int, float]] = {}
    for e in members:
        for group, clusters, many in wording.sizes_of(e):
            if many is not None:
                counts[group] = max(counts.get(group, (0, 0.0)), (clusters, many))
    groups = ordered_groups(counts)
    parts: list[str] = []
    for group in groups[:MOST_COUNTED]:
        clusters, many = counts[group]
        size = f"{clusters:,}" if parts else counted(clusters, unit)  # the nouns only once
        if items != "records":
            size = f"{many:,.0f}{'' if parts else f' {items}'} in {size}"
        name = named(group_name(members[0].over, group))
        text = f"{name} ({size})" if name[-1:].isdigit() else f"{name} {size}"
        is_short = bool(parts) and len(text) <= MOST_UNBROKEN
        parts.append(text.replace(" ", "\u00a0") if is_short else text)
    hidden = len(groups) - MOST_COUNTED
    more = f" and {counted(hidden, 'more group')}" if hidden > 0 else ""
    return ", ".join(parts) + more


def _interval(e: Estimate, unit: ContrastUnit, places: int) -> str:
    if e.low is None or e.high is None:
        return number_format.ABSENT
    return f"[{', '.join(wording.cell(end, unit, places) for end in (e.low, e.high))}]"


def _places(members: Iterable[Estimate], unit: ContrastUnit) -> int:
    """The number of decimals of a table; none for percentages if all intervals are wider than two of them."""
    widths = [e.high - e.low for e in members if e.low is not None and e.high is not None]
    narrowest = min((width for width in widths if width > 0), default=0.0)
    if unit in ("percent", "points"):
        return 1 if narrowest < 0.02 else 0
    return 3 if unit == "plain" and 0 < narrowest < 0.1 else 2


def _p(e: Estimate, context: Context) -> str:
    """The p that decides, or why there is none."""
    kind = context.kind(e)
    return kind if kind in WITHOUT_P else number_format.probability(decisive(e)[0])


# ------------------------------------------------------------------------------------- reach of scorers

MOST_MISSED = 6
"""Missed claims shown below a table."""


def reach_tables(made: Mapping[str, Any]) -> list[Table]:
    """At most one table: by scorer and author, the support by the best document and the share of claims found."""
    entries = made.get("reach") or ()
    if not entries:
        return []
    rows, examples = [], []
    for entry in entries:
        scorer = entry["scorer"]
        rows.append((f"{scorer} · {wording.names_of(entry['measures'])}", "", "", ""))
        for row in entry["authors"]:
            author = named(row["author"])
            rows.append(
                (f"  {author}", f"{row['claims']:,}", f"{row['support']:.2f}", f"{row['share_found']:.0%}")
            )
            if row["examples"]:
                claim = row["examples"][0]
                examples.append(f"{scorer}, {author}, {named(claim['record'])}: {named(claim['text'])}")
    notes = (
        "best document: its support for a claim, on the scorer's scale.",
        "found: the best document supports the claim more than another record's documents support 95% of the claims.",
        "A claim that is not found can be a paraphrase or an invention.",
        *(["Examples of claims that were not found:", *examples[:MOST_MISSED]] if examples else []),
    )
    header = ("scorer, author", "claims", "best document", "found")
    return [Table("Claims that the scorers find in the sources", header, tuple(rows), notes)]
