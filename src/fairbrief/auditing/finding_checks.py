"""Checks of a finding from the per-record statistics: copied texts, documents in other languages, gaps that cancel.

Copies are equal texts with different ids: equal sources, or one summary of a system for different sources.
Counterfactuals of one seed document, records of one cluster, and records that different systems summarized are not
counted as copies. Gaps cancel where an unsigned score is significant and no group difference is, since they have opposite signs
in parts of the data. Nothing is scored again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairbrief.auditing import estimating
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import Names, side_by_side
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.per_record import IsOut, attributes_in, ledgers_from, with_subgroups_by
from fairbrief.auditing.watchers import SHOWN, TextHashes, Watchers
from fairbrief.conclusions import SIGNIFICANT, against_baseline, conclusion, leading
from fairbrief.ranges import changes
from fairbrief.reports import wording
from fairbrief.reports.frames import numbers, plain_numbers, rows_where, rows_with
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.reports.result import Result
from fairbrief.statistics.resampling import holm
from fairbrief.text.hashes import hash_of, hash_of_name
from fairbrief.types import Estimate, Integers, Measure

WHOSE = ("system", "record", "cluster")
"""The columns that identify a row of per-record statistics."""


Texts = tuple[Integers, Integers]
"""Hashes of records, ascending, and the hash of the text that each shares with others. Shapes: (n,) each."""


class Repeats(NamedTuple):
    """Records that share a text: how many, in how many groups, some of one group, and the rows of all but one cluster of each group."""

    records: int
    groups: int
    examples: Sequence[str]
    extra: pa.Table

    def are_extra(self, rows: pa.Table) -> NDArray[np.bool_]:
        """Whether each row's record repeats another one of its system, of another cluster."""
        return np.asarray(_pairs(rows).places_in(_pairs(self.extra)) >= 0)

    def extra_of(self, system: str) -> int:
        """How many records of a system repeat another one."""
        return len(rows_with(self.extra, "system", system)["record"].unique())

    def described(self) -> dict[str, Any]:
        """The entry in ``made``."""
        return {"records": self.records, "groups": self.groups, "examples": list(self.examples)}


def copied_sources(result: Result) -> Repeats | None:
    """Records of one system with the same documents as another record; None if there are none.

    Per-record statistics are read only if some records have the same documents. Those of checks of scorers, which
    have other clusters, do not count.
    """
    assert result.sources is not None
    shared = _shared(*(plain_numbers(result.sources[name]) for name in ("documents", "record")))
    return _repeats(dict.fromkeys(result.systems, shared), result.rows) if len(shared[0]) else None


def same_summaries(summaries: TextHashes, sources: pa.Table, rows: PerRecordRows) -> Repeats | None:
    """Records of different documents for which a system wrote the same; None where there are none."""
    of_record, documents = (plain_numbers(sources[name]) for name in ("record", "documents"))
    shared: dict[str, Texts] = {}
    for system, pairs in summaries.pairs():
        record, text = _shared(pairs[:, 0], pairs[:, 1])
        source = documents[np.searchsorted(of_record, record)]
        order = np.lexsort((source, text))
        with_sources = text[order][changes(text[order]) | changes(source[order])]
        differ = np.isin(text, _several(with_sources))
        if differ.any():
            shared[system] = record[differ], text[differ] ^ hash_of_name(system)
    return _repeats(shared, rows) if shared else None


def _several(hashes: Integers) -> Integers:
    """The hashes that occur more than once, each once."""
    distinct, many = np.unique(hashes, return_counts=True)
    return distinct[many > 1]


def _shared(text: Integers, record: Integers) -> Texts:
    """The records whose text occurs in several."""
    several = np.isin(text, _several(text))
    text, record = text[several], record[several]
    order = np.argsort(record, kind="stable")
    text, record = text[order], record[order]
    is_last = np.append(record[1:] != record[:-1], True)[: len(record)]
    return record[is_last], text[is_last]


def _repeats(texts_of: Mapping[str, Texts], rows: PerRecordRows) -> Repeats | None:
    """The repeated records of each shared text, by system. The first cluster by name is not a repeat."""
    whole = pa.concat_tables(
        _with_texts(rows_with(table, "system", system), *texts)
        for table in _whose(rows)
        for system, texts in texts_of.items()
    )
    text = plain_numbers(whole["text"])
    system = _ranks(whole["system"])
    cluster = _ranks(whole["cluster"])
    order = np.lexsort((cluster, text, system))
    text, system, cluster = text[order], system[order], cluster[order]
    begins = np.flatnonzero(changes(text) | changes(system))
    many = np.diff(np.append(begins, len(text)))
    is_extra = cluster != np.repeat(cluster[begins], many)
    is_repeated = np.repeat(np.logical_or.reduceat(is_extra, begins), many)
    whole = whole.take(numbers(order))
    repeated, extra = rows_where(whole, is_repeated), rows_where(whole, is_extra)
    if not len(repeated):
        return None
    first = repeated.filter(pc.equal(repeated["record"], pc.min(repeated["record"])))
    groups = (repeated.filter(pc.equal(repeated["text"], one)) for one in first["text"].unique())
    examples = min(sorted(group["record"].unique().to_pylist()) for group in groups)[:SHOWN]
    return Repeats(
        pc.count_distinct(repeated["record"]).as_py(),
        pc.count_distinct(repeated["text"]).as_py(),
        examples,
        extra,
    )


def _pairs(rows: pa.Table) -> Names:
    """The system and the record of each row, to be compared."""
    columns = (rows[name].cast(pa.large_binary()).combine_chunks() for name in ("system", "record"))
    return side_by_side(*map(Names, columns))


def _ranks(names: pa.ChunkedArray) -> Integers:
    """The place of each name among the distinct ones, sorted. Shape: (n,)."""
    ranks = pc.rank(names.cast(pa.string()).combine_chunks(), tiebreaker="dense")
    return plain_numbers(pa.chunked_array([ranks]))  # numpy.asarray would import pandas


def _with_texts(rows: pa.Table, records: Integers, texts: Integers) -> pa.Table:
    """The rows of records that share a text, with its hash in the column ``text``."""
    hashes = _hashes(rows["record"])
    among = _are_among(hashes, records)
    text = texts[np.searchsorted(records, hashes[among])]
    return rows_where(rows, among).append_column("text", numbers(text))


def _are_among(sought: Integers, known: Integers) -> NDArray[np.bool_]:
    """Whether each number sought is one of those ``known``: ascending, at least one, and searched, since they may be many."""
    return np.asarray(known[np.minimum(np.searchsorted(known, sought), len(known) - 1)] == sought)


def _hashes(names: pa.ChunkedArray) -> Integers:
    """The hash of each name. Shape: (n,)."""
    few_at_once = (name for chunk in names.chunks for name in chunk.to_pylist())
    return np.fromiter(map(hash_of, few_at_once), dtype=np.int64, count=len(names))


def _whose(rows: PerRecordRows) -> Iterator[pa.Table]:
    """System, record and cluster of all rows; once where several observations have the same rows, as nearly all do.

    Some rows at a time, so that few texts are in memory.
    """
    observations = dict.fromkeys(rows.measures.values())
    for tables in itertools.zip_longest(*(rows.each_of(one, WHOSE.__contains__) for one in observations)):
        distinct: list[pa.Table] = []
        for table in tables:
            if table is not None and not any(table.equals(other) for other in distinct):
                distinct.append(table)
        yield from distinct


# ------------------------------------------------------------------------- findings without some records


TOLD = (
    "measure", "quantity", "over", "group", "system", "value", "low", "high", "p", "extract_baseline", "extract_difference",
    "extract_difference_low", "extract_difference_high", "extract_p", "n", "clusters",
)  # fmt: skip
"""The reported fields of an `Estimate`. ``p`` and ``extract_p`` are unadjusted."""


def findings_without(result: Result, watchers: Watchers, given: Mapping[str, Measure]) -> dict[str, Any]:
    """The entries of ``made`` on copies and on documents in other languages, with the primary contrasts without them.

    Empty if there are none. ``given`` are the measures by spec.
    """
    assert result.sources is not None
    found: dict[str, tuple[dict[str, Any], IsOut]] = {}
    for name, repeats in (
        ("copies", copied_sources(result)),
        ("same_summaries", same_summaries(watchers.hashes, result.sources, result.rows)),
    ):
        if repeats is not None:
            found[name] = repeats.described(), repeats.are_extra
    if others := watchers.languages.counts():
        records = watchers.languages.records()
        found["other_languages"] = others, lambda rows: _are_among(_hashes(rows["record"]), records)
    without = {name: leading_without(result, is_out, given) for name, (_, is_out) in found.items()}
    return {**{name: told for name, (told, _) in found.items()}, "without": without} if found else {}


def leading_without(result: Result, is_out: IsOut, given: Mapping[str, Measure]) -> list[dict[str, Any]]:
    """The primary contrasts of a result, estimated again without some rows: the fields `TOLD` of each.

    Fields that need label permutations are None. ``given`` are measures by spec that need not be registered.
    """
    primary = leading(result.estimates)
    places = {(e.measure, e.quantity, e.system): i for i, e in enumerate(primary)}
    found: dict[int, dict[str, Any]] = {}
    for ledger, measures in ledgers_from(result.rows, given, (), {e.measure for e in primary}, is_out):
        for e in _estimated(ledger, measures, (), result.made):
            if (place := places.get((e.measure, e.quantity, e.system))) is not None:
                found[place] = {name: getattr(e, name) for name in TOLD}
    return [found[i] for i in sorted(found)]


def _estimated(
    ledger: Ledger, measures: Sequence[Measure], subgroups: Sequence[Any], made: Mapping[str, Any]
) -> Iterator[Estimate]:
    """The systems' estimates from saved rows: in these subgroups, or on all records where there are none."""
    settings = estimating.Settings.of(made)
    ledger.lacks_null = repr(measures[0]) in made["permuted"]
    parts = [
        part
        for part in parts_of(ledger, subgroups, settings.seed).values()
        if part.system_kind == "system" and bool(part.subgroup) == bool(subgroups)
    ]
    for _, estimates in estimating.estimates(measures, parts, settings):
        yield from estimates


# -------------------------------------------------------------------------------------- gaps that cancel


MOST_VALUES = 20
"""An attribute with more values than this identifies records, not kinds of records."""


def opposite_gaps(result: Result, given: Mapping[str, Measure]) -> list[dict[str, Any]]:
    """By system and attribute the unsigned score, and the parts of the data in which a group is significantly above or below.

    The parts are searched for among the records' attributes of at most `MOST_VALUES` values that are not subgroups of the audit. Holm's
    correction is over this search together with all leading group differences of the audit. ``given`` are measures by spec.
    """
    made, alpha = result.made, result.made["alpha"]
    primary = leading(result.estimates)
    loud = {(e.system, e.over) for e in primary if conclusion(e, alpha) in SIGNIFICANT}
    # Significant unsigned scores of systems, where no group difference that leads is significant.
    suspects: dict[tuple[str, str], Estimate] = {}
    for e in result.estimates:
        is_score = e.kind == "unsigned_disparity" and wording.is_main_value(e) and e.system_kind == "system"
        is_significant = e.p_adjusted is not None and e.p_adjusted <= alpha
        if is_score and is_significant and e.over and not e.subgroup and (e.system, e.over) not in loud:
            suspects.setdefault((e.system, e.over), e)
    if not suspects:
        return []
    tested = [p for e in primary if (p := against_baseline(e)[0]) is not None]
    asked = {name for names in made["by"] for name in names}
    names = [name for name in attributes_in(result.rows) if name not in asked]
    found = list(_parts(result, given, names))
    return [_gap_in_parts(score, found, tested, alpha) for score in suspects.values()]


def _parts(result: Result, given: Mapping[str, Measure], names: Sequence[str]) -> Iterable[Estimate]:
    """The group differences that would lead, by each value of each attribute of few values."""
    made = result.made
    specs = [spec for spec in result.rows.measures if spec in set(made["measures"])]
    for name in names:
        for ledger, measures in ledgers_from(with_subgroups_by(result.rows, [name]), given, [(name,)], specs):
            subgroups = {part for kind in ledger.origins.known_kinds for part in kind.subgroups}
            if 2 <= len(subgroups) <= MOST_VALUES:
                estimates = _estimated(ledger, measures, sorted(subgroups), made)
                yield from (e for e in estimates if e.is_primary and against_baseline(e)[0] is not None)


def _gap_in_parts(
    score: Estimate, found: Sequence[Estimate], tested: Sequence[float | None], alpha: float
) -> dict[str, Any]:
    """The entry for a score: the parts in which a group is significant, with p adjusted together with all that was ``tested``."""
    own = [e for e in found if e.system == score.system and e.over == score.over]
    adjusted = holm([*(against_baseline(e)[0] for e in own), *tested])[: len(own)]
    significant = sorted(
        ((p, e) for p, e in zip(adjusted, own, strict=True) if p is not None and p <= alpha),
        key=lambda one: one[0],
    )
    attribute = next(iter(significant[0][1].subgroup)) if significant else ""
    clearest: dict[tuple[str, str], tuple[float, Estimate]] = {}
    for p, e in significant:
        if attribute in e.subgroup:
            clearest.setdefault((e.subgroup[attribute], e.group), (p, e))
    return {
        "system": score.system, "over": score.over, "measure": score.measure, "p": score.p_adjusted,
        "attribute": attribute, "comparisons": len(own) + len(tested),
        "parts": [
            {
                "part": e.subgroup[attribute], "group": e.group, "measure": e.measure, "value": e.value,
                "extract_difference": e.extract_difference, "p": p,
            }
            for p, e in clearest.values()
        ],
    }  # fmt: skip
