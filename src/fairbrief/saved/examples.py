"""The records of the report's viewer: chosen from the per-record statistics, fetched from the input, linked and explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairbrief import registry
from fairbrief.auditing.record_values import RecordValues, stories_of, values_of_records
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.readers import Reading
from fairbrief.reports.frames import coded, encodable
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.reports.result import Examples, Passage, Result, Row, Support, Texts
from fairbrief.saved.example_details import explained, holds_model, scorer_for, support_of
from fairbrief.types import Case, Cases, Floats, Measure, Record

MOST_CHARACTERS = 3_000
"""Characters of one text."""
MOST_DOCUMENTS = 60
MOST_REFERENCES = 3
PAGE_BYTES = 900_000
"""Bytes of all texts on a page; further records are not shown."""

Key = tuple[str, str]
"""System and record."""


def examples(result: Result, cases: Iterable[Case], scorers: Scorers) -> Examples:
    """The viewer's records of an audit; ``cases`` are the audited cases, read again."""
    systems = [str(s) for s in result.made.get("systems", ())]
    rows = choose(result.rows, systems)
    found = _fetch(cases, rows)
    kept = _affordable(rows, found)
    shown = [row for row in rows if (row.system, row.record) in kept]
    measures = {m: registry.make("measure", m) for m in dict.fromkeys(row.measure for row in shown)}
    observations = dict.fromkeys(measure.observation for measure in measures.values())
    complete: list[Row] = []
    for observation in observations:
        of = {m: measure for m, measure in measures.items() if measure.observation == observation}
        own = [row for row in shown if row.measure in of]
        if holds_model(observation, kept.values(), scorers):
            complete += _with_stories(own, result.rows)
        else:
            complete += explained(own, {key: (case,) for key, case in kept.items()}, of, scorers)
    rules = {m: scorer_for(measure.observation, scorers) for m, measure in measures.items()}
    supports = tuple(_supports(complete, measures, rules, kept, scorers))
    rule_texts = {m: rule for m, (_, rule) in rules.items()}
    return Examples(tuple(_texts(kept)), tuple(complete), supports, rule_texts, _all(result))


def with_examples(result: Result, cases: Iterable[Case], scorers: Scorers) -> Result:
    """The result with the `examples` of its report, unless it keeps no texts."""
    if result.made.get("keeps_texts") is False:
        return result
    return replace(result, examples=examples(result, cases, scorers))


def open_case(row: Row, cases: Cases, scorers: Scorers) -> tuple[Row, Texts, Support]:
    """One unit for the viewer: its row with explanation; the texts of its first case, and the support of their claims."""
    key = row.system, row.record
    measure = registry.make("measure", row.measure)
    rules = {row.measure: scorer_for(measure.observation, scorers)}
    (row,) = explained([row], {key: cases}, {row.measure: measure}, scorers)
    (support,) = _supports([row], {row.measure: measure}, rules, {key: cases[0]}, scorers)
    (texts,) = _texts({key: cases[0]})
    return row, texts, support


def _with_stories(rows: Sequence[Row], per_record: PerRecordRows) -> Iterator[Row]:
    """The rows of one observation with their stories from the per-record statistics, without asking a model again."""
    records, measures = {row.record for row in rows}, {row.measure for row in rows}
    known = per_record.measures()
    (observation,) = {known[m] for m in measures}
    stories: dict[str, dict[Key, str]] = {m: {} for m in measures}
    for observed in per_record.each_of(observation):
        for m, by_key in stories.items():
            by_key |= stories_of(observed, m, records)
    for row in rows:
        yield replace(row, story=stories[row.measure].get((row.system, row.record), ""))


def _all(result: Result) -> int:
    """The number of summaries: of each system, the most that any observation has."""
    most = Counter[str]()
    for observation in dict.fromkeys(result.rows.measures().values()):
        own = Counter[str]()
        for rows in result.rows.each_of(observation, "system".__eq__):
            codes, known = coded(rows["system"])
            own.update(
                dict(zip(known.to_pylist(), np.bincount(codes, minlength=len(known)).tolist(), strict=True))
            )
        most |= own
    return most.total()


def _fetch(cases: Iterable[Case], rows: Sequence[Row]) -> dict[Key, Case]:
    """The cases of the rows, read until all are known."""
    wanted = {(row.system, row.record) for row in rows}
    found: dict[Key, Case] = {}
    if not wanted:
        return found
    for case in _of_records(cases, {record for _, record in wanted}):
        key = encodable(case.summary.system), encodable(case.record.id)
        if key in wanted and key not in found:
            found[key] = case
            if len(found) == len(wanted):
                break
    return found


def _of_records(cases: Iterable[Case], records: Collection[str]) -> Iterator[Case]:
    """The cases of these records, read from their positions; all cases if the input has no positions."""
    if not isinstance(cases, Reading) or not cases.has_places:
        yield from cases
        return
    places = {place for record in records for place in cases.places.of(record)}
    for source, start in sorted(places):
        yield from cases.at(source, start)


def _affordable(rows: Sequence[Row], found: Mapping[Key, Case]) -> dict[Key, Case]:
    """The cases of the first rows, as many as fit on the page."""
    room, kept, records = PAGE_BYTES, dict[Key, Case](), set[str]()
    for key in dict.fromkeys((row.system, row.record) for row in rows):
        case = found.get(key)
        if case is None:
            continue
        cost = _bytes(case.summary.text)
        if key[1] not in records:
            cost += _size(case.record)
        if cost <= room:
            room -= cost
            records.add(key[1])
            kept[key] = case
    return kept


def _size(record: Record) -> int:
    texts = [d.text for d in record.documents[:MOST_DOCUMENTS]] + list(record.references[:MOST_REFERENCES])
    return sum(map(_bytes, texts))


def _bytes(text: str) -> int:
    """The shown length of a text in UTF-8."""
    return len(text[:MOST_CHARACTERS].encode("utf-8", "replace"))


def _supports(
    rows: Sequence[Row],
    measures: Mapping[str, Measure],
    rules: Mapping[str, tuple[str, str]],
    kept: Mapping[Key, Case],
    scorers: Scorers,
) -> Iterable[Support]:
    """The links of every summary, once per rule of its measures."""
    made: set[tuple[Key, str]] = set()
    for row in rows:
        (scorer, rule), key = rules[row.measure], (row.system, row.record)
        if (key, rule) not in made:
            made.add((key, rule))
            reads_claims = getattr(measures[row.measure].observation, "claims", "") in ("auto", "given")
            yield support_of(kept[key], scorer, rule, scorers, reads_claims=reads_claims)


def _texts(kept: Mapping[Key, Case]) -> Iterable[Texts]:
    """Each record once, with the summaries of all systems that are shown."""
    for record in dict.fromkeys(record for _, record in kept):
        of = {system: case for (system, r), case in kept.items() if r == record}
        first = next(iter(of.values())).record
        yield Texts(
            record,
            dict(first.attributes),
            tuple(_passage(d.text, d.attributes) for d in first.documents[:MOST_DOCUMENTS]),
            tuple(_passage(r) for r in first.references[:MOST_REFERENCES]),
            {system: _passage(case.summary.text) for system, case in of.items()},
            max(len(first.documents) - MOST_DOCUMENTS, 0),
        )


def _passage(text: str, attributes: Mapping[str, str] | None = None) -> Passage:
    return Passage(text[:MOST_CHARACTERS], dict(attributes or {}), max(len(text) - MOST_CHARACTERS, 0))


# -------------------------------------------------------------------------- which records are shown


MOST = 4
"""Records from each end of each order."""
MOST_ROWS = 600
"""The most rows in the viewer."""
MOST_CASES = 160
"""The most summaries whose texts are shown."""


def choose(per_record: PerRecordRows, systems: Sequence[str]) -> list[Row]:
    """The rows to show: the first of every order, then the second of every order, and so on; each once."""
    chosen: dict[tuple[str, str, str], Row] = {}
    cases: set[tuple[str, str]] = set()
    lists = list(_lists(per_record, systems))
    for place in range(MOST):
        for found in lists:
            if place >= len(found) or len(chosen) >= MOST_ROWS:
                continue
            row = found[place]
            case = row.system, row.record
            if len(cases) >= MOST_CASES and case not in cases:
                continue
            cases.add(case)
            chosen.setdefault((row.measure, *case), row)
    return list(chosen.values())


def _lists(per_record: PerRecordRows, systems: Sequence[str]) -> Iterator[list[Row]]:
    """Both ends of every order of the viewer, by measure and system."""
    known = per_record.measures()
    for observation in dict.fromkeys(known.values()):
        specs = [spec for spec, of in known.items() if of == observation]
        ends: dict[tuple[str, str], _Ends] = {(spec, system): {} for spec in specs for system in systems}
        for rows in per_record.each_of(observation):
            for spec, found in values_of_records(rows, specs).items():
                if len(found.system):
                    _look(spec, found, systems, ends)
        yield from ([row for _, row in end] for of_system in ends.values() for end in of_system.values())


_Ends = dict[tuple[str, bool], list[tuple[float, Row]]]
"""By quantity and direction, the first rows with the values that sort them."""


def _look(
    spec: str, found: RecordValues, systems: Sequence[str], ends: Mapping[tuple[str, str], _Ends]
) -> None:
    """Merge some rows into the first rows of their orders; earlier rows win ties."""
    codes, known = coded(found.system)
    numbers = {name: number for number, name in enumerate(known.to_pylist())}
    for system in systems:
        places = np.flatnonzero(codes == numbers.get(system, len(known)))
        for name, values in found.by_quantity.items():
            own = values[places]
            ranks = {False: own, True: -own} if name != found.measure.name else {True: -np.abs(own)}
            for is_largest, ranked in ranks.items():
                end = ends[spec, system].setdefault((name, is_largest), [])
                last = end[-1][0] if len(end) == MOST else np.inf
                added = [
                    (float(ranked[i]), _row(spec, system, found, int(places[i])))
                    for i in _first(ranked, last)
                ]
                end[:] = sorted(end + added, key=lambda one: one[0])[:MOST]


def _row(spec: str, system: str, found: RecordValues, i: int) -> Row:
    return Row(spec, system, found.record[i].as_py(), row_values(found, i), found.p[i].as_py(), "")


def _first(ranked: Floats, below: float) -> list[int]:
    """The smallest defined values ``below`` a number; earlier ones win ties."""
    found = np.flatnonzero(ranked < below)
    found = found[np.isfinite(ranked[found])]
    order = np.argsort(ranked[found], kind="stable")[:MOST]
    return [int(i) for i in found[order]]


def row_values(found: RecordValues, place: int) -> Mapping[str, float]:
    """The defined values of one row."""
    values = {name: float(of[place]) for name, of in found.by_quantity.items()}
    return {name: value for name, value in values.items() if np.isfinite(value)}
