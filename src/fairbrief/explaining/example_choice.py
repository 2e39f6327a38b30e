"""Which records a reader should see: of each measure and system the largest, and each group's two ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from fairbrief.auditing.record_values import RecordValues, values_of_records
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.reports.examples import Row
from fairbrief.reports.frames import coded
from fairbrief.types import Floats

MOST = 4
"""Records at each end of each list."""
MOST_ROWS = 600
"""Rows of the viewer's list."""
MOST_CASES = 160
"""Summaries, with their records, whose texts are shown."""


def choose(evidence: EvidenceRows, systems: Sequence[str]) -> list[Row]:
    """The rows to show, the most telling of each list before the second of any; each once."""
    chosen: dict[tuple[str, str, str], Row] = {}
    cases: set[tuple[str, str]] = set()
    lists = list(_lists(evidence, systems))
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


def _lists(evidence: EvidenceRows, systems: Sequence[str]) -> Iterator[list[Row]]:
    """The ends of every list that the viewer can sort by, measure by measure, system by system."""
    known = evidence.measures()
    for observation in dict.fromkeys(known.values()):
        specs = [spec for spec, of in known.items() if of == observation]
        ends: dict[tuple[str, str], _Ends] = {(spec, system): {} for spec in specs for system in systems}
        for rows in evidence.each_of(observation):
            for spec, found in values_of_records(rows, specs).items():
                if len(found.system):
                    _look(spec, found, systems, ends)
        yield from ([row for _, row in end] for of_system in ends.values() for end in of_system.values())


_Ends = dict[tuple[str, bool], list[tuple[float, Row]]]
"""By quantity, and whether from its largest on, the rows that come first, and by what."""


def _look(
    spec: str, found: RecordValues, systems: Sequence[str], ends: Mapping[tuple[str, str], _Ends]
) -> None:
    """Put those of some rows among the first of their lists that belong there; of equals the earlier ones stay."""
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
    """The smallest that are defined and lie ``below`` a number, of equals the earlier."""
    found = np.flatnonzero(ranked < below)
    found = found[np.isfinite(ranked[found])]
    if len(found) > 8 * MOST:
        bar = np.partition(ranked[found], MOST)[MOST]
        found = found[ranked[found] <= bar][: 8 * MOST]
    order = np.argsort(ranked[found], kind="stable")[:MOST]
    return [int(i) for i in found[order]]


def row_values(found: RecordValues, place: int) -> Mapping[str, float]:
    """The defined values of one row."""
    values = {name: float(of[place]) for name, of in found.by_quantity.items()}
    return {name: value for name, value in values.items() if np.isfinite(value)}
