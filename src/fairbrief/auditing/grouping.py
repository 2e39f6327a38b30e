"""Which cases make a unit of observation together, and which wait until their cluster is complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Literal

from fairbrief.auditing.observing import Unit
from fairbrief.auditing.system_runs import RUN
from fairbrief.types import Case, Cases, Measure, Observation

Scope = Literal["case", "block", "cluster"]
DESIGN = ("design", "genders", "last_names", "content_words", RUN)
"""Record attributes that name the design of built inputs, or the run; counterfactuals that differ in one form separate units."""


def by_observation(measures: Iterable[Measure]) -> dict[Observation, list[Measure]]:
    """The measures that read each observation, in the order in which these were first met."""
    found: dict[Observation, list[Measure]] = {}
    for measure in measures:
        found.setdefault(measure.observation, []).append(measure)
    return found


def design_of(case: Case) -> tuple[str, ...]:
    """The design of the built inputs to which the record belongs; empty strings if unknown."""
    return tuple(case.record.attributes.get(name, "") for name in DESIGN)


def shared_by(case: Case, scope: Scope) -> tuple[str, ...] | None:
    """What the cases of its unit have in common; None where the case is a unit by itself."""
    record = case.record
    if scope == "case" or (scope == "block" and record.seed_document is None):
        return None
    gathered = record.seed_id if scope == "cluster" else record.block
    return (case.summary.system, gathered, *design_of(case))


def units_of(cases: Cases, scope: Scope) -> list[Cases]:
    """The units that an audit makes of some cases."""
    found: dict[tuple[str, ...] | int, list[Case]] = {}
    for i, case in enumerate(cases):
        found.setdefault(shared_by(case, scope) or i, []).append(case)
    return list(found.values())


def waits(unit: Unit, scope: Scope) -> bool:
    """Whether a case is observed only when its cluster is complete: with others, or beside them because their rows are squared as one."""
    return unit[1].is_shared or shared_by(unit[0][0], scope) is not None


def gathered(cases: Iterable[Unit], scope: Scope) -> list[Unit]:
    """The units of a scope that the waiting cases of complete clusters make, by cluster, record and system."""
    together: dict[tuple[object, ...], list[Unit]] = {}
    for i, unit in enumerate(cases):
        if waits(unit, scope):
            key = unit[1].cluster, *(shared_by(unit[0][0], scope) or (i,))
            together.setdefault(key, []).append(unit)
    several = [sorted(units, key=place_of) for units in together.values()]
    firsts: dict[str, tuple[str, ...]] = {}
    for units in several if scope == "cluster" else ():
        case = units[0][0][0]
        source, design = case.record.seed_id, design_of(case)
        firsts[source] = min(design, firsts.get(source, design))
    return sorted((_unit(units, firsts) for units in several), key=place_of)


def place_of(unit: Unit) -> tuple[str, ...]:
    """The sort key of a unit, independent of the order of the input."""
    origin = unit[1]
    return origin.cluster, origin.record, origin.system, origin.block


def whole_clusters(units: Iterable[Unit], most: int) -> Iterator[list[Unit]]:
    """Lists of units, sorted by cluster, that never split a cluster: each ends with the one in which it exceeds ``most``."""
    found: list[Unit] = []
    for _, of_cluster in groupby(units, key=lambda unit: unit[1].cluster):
        found += of_cluster
        if len(found) >= most:
            yield found
            found = []
    if found:
        yield found


def _unit(units: Sequence[Unit], firsts: Mapping[str, tuple[str, ...]]) -> Unit:
    """All cases as one unit, which is in the subgroups that all of them are in, and has the attributes that all have.

    Of a cluster it is named after the seed document; of a further design of the same seed document after both.
    """
    cases = tuple(case for cases, _ in units for case in cases)
    origin = units[0][1]
    shared = [part for part in origin.subgroups if all(part in other.subgroups for _, other in units)]
    attributes = tuple(pair for pair in origin.attributes if all(pair in o.attributes for _, o in units))
    source, design = cases[0].record.seed_id, design_of(cases[0])
    name = origin.record
    if source in firsts:
        name = source if design == firsts[source] else " ".join((source, *design))
    return cases, replace(origin, record=name, subgroups=tuple(shared), attributes=attributes)
