"""Texts that come again under other ids: copies of sources, and one summary of a system for different sources.

Variants of one original, and records of one cluster, are no copies of each other; nor are records of which each system
summarized one.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from fairbrief.auditing.source_hashes import distinct_pairs
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.reports.frames import plain_numbers
from fairbrief.text.hashes import hash_of, hash_of_name
from fairbrief.types import Case, Integers

SHOWN = 3
"""Ids that are kept to be shown."""
WHOSE = frozenset(("system", "record", "cluster"))
"""The columns of evidence that say whose a row is."""


@dataclass(slots=True)
class SummaryHashes:
    """By system, pairs of hashes, of a summary and of its record's id; sixteen bytes a summary."""

    _pairs: dict[str, array[int]] = field(default_factory=dict)

    def note(self, cases: Sequence[Case]) -> None:
        """Note the summaries of some cases; those that cannot be used are none."""
        for case in cases:
            summary = case.summary
            if summary.reason:
                continue
            if (pairs := self._pairs.get(summary.system)) is None:
                pairs = self._pairs[summary.system] = array("q")
            pairs.extend((hash_of(summary.text), hash_of_name(case.record.id)))

    def merge(self, other: SummaryHashes) -> None:
        """Take in the pairs of other cases."""
        for system, pairs in other._pairs.items():
            self._pairs.setdefault(system, array("q")).extend(pairs)

    def pairs(self) -> Iterator[tuple[str, Integers]]:
        """Systems by name, with summary and record of each that they wrote, in the order of the summaries. Shape (n, 2)."""
        for system in sorted(self._pairs):
            yield system, distinct_pairs(self._pairs[system])


@dataclass(frozen=True, slots=True)
class Repeats:
    """Records that share a text: how many, in how many groups, some of one group, and all but one cluster of each group.

    ``extra`` are these by system.
    """

    records: int
    groups: int
    examples: tuple[str, ...]
    extra: Mapping[str, frozenset[str]]

    def is_extra(self, system: str, record: str) -> bool:
        """Whether a system's record repeats another of its records, of another cluster."""
        return record in self.extra.get(system, ())

    def told(self) -> dict[str, Any]:
        """What results say of them."""
        return {"records": self.records, "groups": self.groups, "examples": list(self.examples)}


def copied_sources(sources: pa.Table, rows: EvidenceRows) -> Repeats | None:
    """Records of one system whose documents are all those of another; None where there are none.

    ``sources`` are `source_hashes`; evidence is looked at only where some records have the same documents.
    """
    record, documents = (plain_numbers(sources[name]) for name in ("record", "documents"))
    order = np.argsort(documents, kind="stable")
    groups = _groups(np.stack([documents[order], record[order]], axis=1))
    return _repeats([("", group) for group in groups], rows)


def same_summaries(summaries: SummaryHashes, sources: pa.Table, rows: EvidenceRows) -> Repeats | None:
    """Records of different documents for which a system wrote the same; None where there are none."""
    groups = [(system, group) for system, pairs in summaries.pairs() for group in _groups(pairs)]
    if not groups:
        return None
    record, documents = (plain_numbers(sources[name]).tolist() for name in ("record", "documents"))
    of_record = dict(zip(record, documents, strict=True))
    differing = [(system, group) for system, group in groups if len({of_record[r] for r in group}) > 1]
    return _repeats(differing, rows)


def _groups(pairs: Integers) -> list[list[int]]:
    """The records of each text that several have. Shape: (n, 2), text and record, in the order of the texts."""
    if not len(pairs):
        return []
    is_new = np.ones(len(pairs), dtype=np.bool_)
    is_new[1:] = pairs[1:, 0] != pairs[:-1, 0]
    starts = np.flatnonzero(is_new)
    ends = np.append(starts[1:], len(pairs))
    several = ends - starts > 1
    spans = zip(starts[several].tolist(), ends[several].tolist(), strict=True)
    return [pairs[start:end, 1].tolist() for start, end in spans]


def _repeats(groups: Sequence[tuple[str, Sequence[int]]], rows: EvidenceRows) -> Repeats | None:
    """What is repeated in groups of records, of one system or (where none is named) of each."""
    if not groups:
        return None
    wanted = {record for _, group in groups for record in group}
    whose: dict[int, set[tuple[str, str, str]]] = {}
    for system, record, cluster in _whose(rows):
        if (number := hash_of_name(record)) in wanted:
            whose.setdefault(number, set()).add((system, cluster, record))
    extra: dict[str, set[str]] = {}
    found: list[list[str]] = []
    for only, group in groups:
        there = sorted(one for number in group for one in whose.get(number, ()) if only in ("", one[0]))
        shared: set[str] = set()
        for system, several in itertools.groupby(there, key=itemgetter(0)):
            own = list(several)
            again = [record for _, cluster, record in own if cluster != own[0][1]]
            if again:
                extra.setdefault(system, set()).update(again)
                shared.update(record for _, _, record in own)
        if shared:
            found.append(sorted(shared))
    if not found:
        return None
    records = {record for shared in found for record in shared}
    return Repeats(
        len(records), len(found), tuple(min(found)[:SHOWN]), {s: frozenset(of) for s, of in extra.items()}
    )


def _whose(rows: EvidenceRows) -> Iterator[tuple[str, str, str]]:
    """System, record and cluster of all rows."""
    for observation in dict.fromkeys(rows.measures().values()):
        for table in rows.each_of(observation, WHOSE.__contains__):
            columns = (table[name].to_pylist() for name in ("system", "record", "cluster"))
            yield from zip(*columns, strict=True)
