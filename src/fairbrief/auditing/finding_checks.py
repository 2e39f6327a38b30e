"""What a finding depends on, asked of the evidence alone: copied texts, documents in other languages, gaps that cancel.

Copies are texts that come again under other ids: copies of sources, and one summary of a system for different sources.
Variants of one original, and records of one cluster, are no copies of each other; nor are records of which each system
summarized one. Gaps cancel where an unsigned score is significant and no group difference is, since they have opposite signs
in parts of the data. Nothing is scored again.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from fairbrief.auditing import estimating
from fairbrief.auditing.evidence import attributes_in, ledgers_from, sliced_by
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.watchers import SHOWN, SummaryHashes, Watchers
from fairbrief.reports import arrangement, wording
from fairbrief.reports.evidence import EvidenceRows, Wanted, all_columns
from fairbrief.reports.frames import plain_numbers, rows_where
from fairbrief.reports.result import Result
from fairbrief.standings import SIGNIFICANT, against_baseline, leading, standing
from fairbrief.statistics import holm
from fairbrief.text.hashes import hash_of_name
from fairbrief.types import Estimate, Integers, Measure

AT_ONCE = 1 << 14
"""Rows of evidence whose names are texts in memory at a time."""
WHOSE = frozenset(("system", "record", "cluster"))
"""The columns of evidence that say whose a row is."""


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
    record, documents = (plain_numbers(sources[name]) for name in ("record", "documents"))
    asked = np.isin(record, [r for _, group in groups for r in group])
    of_record = dict(zip(record[asked].tolist(), documents[asked].tolist(), strict=True))
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
    whose: dict[int, list[tuple[str, str, str]]] = {}
    for system, record, cluster in _whose(rows):
        if (number := hash_of_name(record)) in wanted:
            one = sys.intern(system), record if cluster == record else cluster, record
            if one not in (known := whose.setdefault(number, [])):
                known.append(one)
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
    """System, record and cluster of all rows; once where several observations have the same rows, as nearly all do."""
    observations = dict.fromkeys(rows.measures().values())
    for tables in itertools.zip_longest(*(rows.each_of(one, WHOSE.__contains__) for one in observations)):
        distinct: list[pa.Table] = []
        for table in tables:
            if table is not None and not any(table.equals(other) for other in distinct):
                distinct.append(table)
        for some in itertools.chain.from_iterable(map(_some_rows, distinct)):
            columns = (some[name].to_pylist() for name in ("system", "record", "cluster"))
            yield from zip(*columns, strict=True)


def _some_rows(table: pa.Table) -> Iterator[pa.Table]:
    """Some rows at a time, so that few texts are in memory."""
    return (table.slice(start, AT_ONCE) for start in range(0, len(table), AT_ONCE))


# ------------------------------------------------------------------------- findings without some records


IsOut = Callable[[str, str], bool]
"""Whether the row of a system and a record is left out."""
TOLD = (
    "measure", "quantity", "over", "group", "system", "value", "low", "high", "p", "blind", "blind_difference",
    "blind_difference_low", "blind_difference_high", "blind_p", "n", "clusters",
)  # fmt: skip
"""What is told of each contrast: fields of an `Estimate`. ``p`` and ``blind_p`` are not corrected for their number."""


@dataclass(frozen=True, slots=True)
class Without(EvidenceRows):
    """Evidence without the rows of some systems and records."""

    rows: EvidenceRows
    is_out: IsOut

    def __len__(self) -> int:
        return sum(len(self.of(observation)) for observation in dict.fromkeys(self.measures().values()))

    def measures(self) -> Mapping[str, str]:
        """The measures by spec, and the observation that each reads."""
        return self.rows.measures()

    def column_names(self) -> Sequence[str]:
        """The columns, which stay."""
        return self.rows.column_names()

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        """`of`, some rows at a time."""
        for table in self.rows.each_of(
            observation, lambda name: name in ("system", "record") or wanted(name)
        ):
            for some in _some_rows(table):
                whose = zip(some["system"].to_pylist(), some["record"].to_pylist(), strict=True)
                stays = np.array([not self.is_out(*row) for row in whose], dtype=np.bool_)
                kept = some if stays.all() else rows_where(some, stays)
                yield kept.select([name for name in kept.column_names if wanted(name)])


def findings_without(result: Result, watchers: Watchers, given: Mapping[str, Measure]) -> dict[str, Any]:
    """What ``made`` says of copies and of documents in other languages, and of the leading contrasts without them.

    Nothing where there are none. ``given`` are the measures by spec.
    """
    assert result.sources is not None
    told: dict[str, Any] = {}
    without: dict[str, list[dict[str, Any]]] = {}
    for name, repeats in (
        ("copies", copied_sources(result.sources, result.rows)),
        ("same_summaries", same_summaries(watchers.summaries, result.sources, result.rows)),
    ):
        if repeats is not None:
            told[name] = repeats.told()
            without[name] = leading_without(result, repeats.is_extra, given)
    if others := watchers.languages.counts():
        records = watchers.languages.records()
        told["other_languages"] = others
        without["other_languages"] = leading_without(
            result, lambda _, record: hash_of_name(record) in records, given
        )
    return {**told, "without": without} if told else {}


def leading_without(
    result: Result, is_out: IsOut, given: Mapping[str, Measure] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """The leading contrasts of a result on all its records, estimated again without some rows: `TOLD` of each.

    What only sums under permuted labels tell is None, as where a saved audit is sliced. ``given`` are measures by spec
    that need not be declared anywhere.
    """
    rows, made = result.rows, result.made
    leads = [e for of in arrangement.leading(result.estimates).values() for e in of]
    places = {(e.measure, e.quantity, e.system): i for i, e in enumerate(leads)}
    specs = {e.measure for e in leads}
    by_observation: dict[str, list[str]] = {}
    for spec, observation in rows.measures().items():
        if spec in specs:
            by_observation.setdefault(observation, []).append(spec)
    found: dict[int, dict[str, Any]] = {}
    for spelled in by_observation.values():  # one at a time, which takes less memory
        for ledger, measures in ledgers_from(Without(rows, is_out), given, (), spelled):
            for e in _estimated(ledger, measures, (), made):
                if (place := places.get((e.measure, e.quantity, e.system))) is not None:
                    found[place] = {name: getattr(e, name) for name in TOLD}
    return [found[i] for i in sorted(found)]


def _estimated(
    ledger: Ledger, measures: Sequence[Measure], slices: Sequence[Any], made: Mapping[str, Any]
) -> Iterator[Estimate]:
    """The systems' estimates from saved rows: in these slices, or on all records where there are none."""
    settings = estimating.Settings.of(made)
    ledger.lacks_null = repr(measures[0]) in made["permuted"]
    parts = [
        part
        for part in parts_of(ledger, slices, settings.seed).values()
        if part.system_kind == "system" and bool(part.slice) == bool(slices)
    ]
    for _, estimates in estimating.estimates(measures, parts, settings):
        yield from estimates


# -------------------------------------------------------------------------------------- gaps that cancel


MOST_VALUES = 20
"""An attribute with more values than this tells records apart, not kinds of records."""


def opposite_gaps(result: Result, given: Mapping[str, Measure]) -> list[dict[str, Any]]:
    """By system and attribute the unsigned score, and the parts of the data in which a group is significantly above or below.

    The parts are searched for among the records' attributes of at most `MOST_VALUES` values that the audit was not sliced by. Holm's
    correction is over this search together with all leading group differences of the audit. ``given`` are measures by spec.
    """
    leads = [e for e in leading(result.estimates) if not e.baseline]
    suspects = _suspects(result, leads)
    if not suspects:
        return []
    tested = [against_baseline(e)[0] for e in leads if e.blind_p is not None or e.p is not None]
    asked = {name for names in result.made["slices"] for name in names}
    names = [name for name in attributes_in(result.rows) if name not in asked]
    found = list(_parts(result, given, names)) if names else []
    return [_told(score, found, tested, result.made["alpha"]) for score in suspects]


def _suspects(result: Result, leads: Sequence[Estimate]) -> list[Estimate]:
    """Significant unsigned scores of systems, by system and attribute, where no group difference that leads is significant."""
    alpha = result.made["alpha"]
    loud = {(e.system, e.over) for e in leads if standing(e, alpha) in SIGNIFICANT}
    found: dict[tuple[str, str], Estimate] = {}
    for e in result.estimates:
        is_score = (
            e.kind == "magnitude" and wording.is_headline(e) and not e.slice and e.system_kind == "system"
        )
        is_significant = e.p_adjusted is not None and e.p_adjusted <= alpha
        if is_score and is_significant and e.over and (e.system, e.over) not in loud:
            found.setdefault((e.system, e.over), e)
    return list(found.values())


def _parts(result: Result, given: Mapping[str, Measure], names: Sequence[str]) -> Iterable[Estimate]:
    """The group differences that would lead, by each value of each attribute of few values."""
    made = result.made
    specs = [spec for spec in result.rows.measures() if spec in set(made["measures"])]
    for name in names:
        for ledger, measures in ledgers_from(sliced_by(result.rows, [name]), given, [(name,)], specs):
            slices = {part for kind in ledger.origins.kinds()[1] for part in kind.slices}
            if 2 <= len(slices) <= MOST_VALUES:
                estimates = _estimated(ledger, measures, sorted(slices), made)
                yield from (e for e in estimates if e.leads and against_baseline(e)[0] is not None)


def _told(
    score: Estimate, found: Sequence[Estimate], tested: Sequence[float | None], alpha: float
) -> dict[str, Any]:
    """What is said of a score: the parts in which a group is significant, p adjusted together with all that was ``tested``."""
    own = [e for e in found if e.system == score.system and e.over == score.over]
    adjusted = holm([*(against_baseline(e)[0] for e in own), *tested])[: len(own)]
    significant = sorted(
        ((p, e) for p, e in zip(adjusted, own, strict=True) if p is not None and p <= alpha),
        key=lambda one: one[0],
    )
    attribute = next(iter(significant[0][1].slice)) if significant else ""
    clearest: dict[tuple[str, str], tuple[float, Estimate]] = {}
    for p, e in significant:
        if attribute in e.slice:
            clearest.setdefault((e.slice[attribute], e.group), (p, e))
    return {
        "system": score.system, "over": score.over, "measure": score.measure, "p": score.p_adjusted,
        "attribute": attribute, "comparisons": len(own) + len(tested),
        "parts": [
            {
                "part": e.slice[attribute], "group": e.group, "measure": e.measure, "value": e.value,
                "blind_difference": e.blind_difference, "p": p,
            }
            for p, e in clearest.values()
        ],
    }  # fmt: skip
