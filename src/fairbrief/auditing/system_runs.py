"""Pools several runs of one system, and separates the spread of runs from that of records.

The runs of a record share its documents, so they carry less information than as many records. Here they become
records of one cluster, so intervals and tests count clusters, not runs. The spread of runs is the standard
deviation of their values, each over all records.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import stdev
from typing import Any

from fairbrief.types import Case, Estimate, Note, Record

RUN = "run"
"""Record attribute that names a pooled case's run; the audit estimates it as subgroups."""
CLUSTER = "record of the run"
"""Record attribute that names the cluster of the record before it was one of several runs."""
NUMBERED = re.compile(r"(?s)(.+)#(\d+)")


def numbered(system: str) -> tuple[str, str] | None:
    """The system and the run in a name like ``gpt#2``; None for other names.

    >>> numbered("gpt#2"), numbered("gpt")
    (('gpt', '2'), None)
    """
    found = NUMBERED.fullmatch(system)
    return None if found is None else (found[1], found[2])


@dataclass(frozen=True, slots=True)
class Pooled:
    """Cases whose runs have one system name; iterable as often as ``cases``."""

    cases: Iterable[Case]

    def __getattr__(self, name: str) -> Any:
        """What is known of the cases: the rows that reading excluded, the sample."""
        return getattr(self.cases, name)

    def __iter__(self) -> Iterator[Case]:
        for case in self.cases:
            if (found := numbered(case.summary.system)) is None:
                yield case
                continue
            record, (system, run) = case.record, found
            told = {**record.attributes, RUN: run, CLUSTER: record.cluster}
            named = replace(record, id=f"{record.id}#{run}", attributes=told, cluster_by=CLUSTER)
            yield Case(named, replace(case.summary, record=named.id, system=system))


def id_of(record: Record) -> str:
    """The record's original id, without its run."""
    return record.id.removesuffix(f"#{record.attributes[RUN]}") if record.cluster_by == CLUSTER else record.id


def unpooled(systems: Iterable[str]) -> list[str]:
    """The names of systems that look like runs of one system, where several do.

    >>> unpooled(["gpt#1", "gpt#2", "lead", "other#1"])
    ['gpt#1', 'gpt#2']
    """
    found = [(name, run[0]) for name in systems if (run := numbered(name)) is not None]
    counts = Counter(of for _, of in found)
    return [name for name, of in found if counts[of] > 1]


def of_runs(estimates: Iterable[Estimate]) -> list[Estimate]:
    """The estimates but for those by run of systems that have none."""
    estimates = list(estimates)
    with_runs = {e.system for e in estimates if RUN in e.subgroup and e.n}
    return [e for e in estimates if RUN not in e.subgroup or e.system in with_runs]


def with_spreads(estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates, each of a system of several runs with a note of how far these differ."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for e in estimates:
        if tuple(e.subgroup) == (RUN,) and e.value is not None and isfinite(e.value) and not e.baseline:
            values.setdefault((e.measure, e.quantity, e.system), []).append(e.value)

    def noted(e: Estimate) -> Estimate:
        own = values.get((e.measure, e.quantity, e.system), ())
        if e.subgroup or len(own) < 2:
            return e
        of_runs = {"runs": len(own), "deviation": stdev(own), "least": min(own), "most": max(own)}
        return e.replace(notes=(*e.notes, Note("runs", {"system": e.system, **of_runs})))

    return [noted(e) for e in estimates]
