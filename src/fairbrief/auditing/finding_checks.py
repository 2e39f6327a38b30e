"""Checks of a finding from the per-record statistics: copied texts, documents in other languages, gaps that cancel.

Copies are equal texts with different ids: equal sources, or one summary of a system for different sources.
Counterfactuals of one seed document, records of one cluster, and records that different systems summarized are not
counted as copies. Gaps cancel where an unsigned score is significant and no group difference is, since they have opposite signs
in parts of the data. Nothing is scored again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairbrief.auditing import estimating
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.per_record import attributes_in, ledgers_from, with_subgroups_by
from fairbrief.auditing.watchers import SHOWN, TextHashes, Watchers
from fairbrief.conclusions import SIGNIFICANT, against_baseline, conclusion, leading
from fairbrief.ranges import changes
from fairbrief.reports import arrangement, wording
from fairbrief.reports.frames import coded, numbers, plain_numbers, rows_where
from fairbrief.reports.per_record import PerRecordRows, Wanted, all_columns
from fairbrief.reports.result import Result
from fairbrief.statistics.resampling import holm
from fairbrief.text.hashes import hash_of_name
from fairbrief.types import Estimate, Integers, Measure

AT_ONCE = 1 << 14
"""Rows of per-record statistics whose names are decoded at a time."""
WHOSE = frozenset(("system", "record", "cluster"))
"""The columns that identify a row of per-record statistics."""


Shared = tuple[Integers, Integers]
"""Hashes of the records that share a text with others, ascending, and the number of the text of each."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Records that share a text: how many, in how many groups, some of one group, and all but one cluster of each group.

    ``extra`` are the hashes of the latter by system.
    """

    records: int
    groups: int
    examples: tuple[str, ...]
    extra: Mapping[str, Integers]

    def are_extra(self, rows: pa.Table) -> NDArray[np.bool_]:
        """Whether each row's record repeats another one of its system, of another cluster."""
        (codes, systems), hashes = coded(rows["system"]), _hashes(rows["record"])
        found = np.zeros(len(rows), dtype=np.bool_)
        for code, system in enumerate(systems.to_pylist()):
            found |= (codes == code) & _are_among(hashes, self.extra.get(system, hashes[:0]))
        return found

    def described(self) -> dict[str, Any]:
        """The entry in ``made``."""
        return {"records": self.records, "groups": self.groups, "examples": list(self.examples)}


def copied_sources(sources: pa.Table, rows: PerRecordRows) -> Repeats | None:
    """Records of one system with the same documents as another record; None if there are none.

    ``sources`` are the table of `TextHashes`; per-record statistics are read only if some records have the same documents.
    """
    record, documents = (plain_numbers(sources[name]) for name in ("record", "documents"))
    shared = _shared(documents, record)
    return _repeats(lambda _: shared, rows) if len(shared[0]) else None


def same_summaries(summaries: TextHashes, sources: pa.Table, rows: PerRecordRows) -> Repeats | None:
    """Records of different documents for which a system wrote the same; None where there are none."""
    of_record, documents = (plain_numbers(sources[name]) for name in ("record", "documents"))
    shared: dict[str, Shared] = {}
    before = 0
    for system, pairs in summaries.pairs():
        records, texts = _shared(pairs[:, 0], pairs[:, 1])
        if len(records):
            order, source = np.argsort(texts), documents[np.searchsorted(of_record, records)]
            starts = np.flatnonzero(changes(texts[order]))
            least, most = (extreme.reduceat(source[order], starts) for extreme in (np.minimum, np.maximum))
            differs = np.isin(texts, texts[order][starts][least < most])
            if differs.any():
                shared[system] = records[differs], texts[differs] + before
            before += len(pairs)
    return _repeats(shared.get, rows) if shared else None


def _shared(text: Integers, record: Integers) -> Shared:
    """The pairs of a text and a record whose text occurs in several records. Shapes: (n,) each."""
    _, number, many = np.unique(text, return_inverse=True, return_counts=True)
    several = np.flatnonzero(many[number] > 1)
    several = several[np.argsort(record[several])]
    return record[several], number[several]


def _repeats(shared_of: Callable[[str], Shared | None], rows: PerRecordRows) -> Repeats | None:
    """The repeated records of each shared text, by system. The first cluster by name is not a repeat."""
    found, systems = [], dict[str, int]()
    for some in _whose(rows):
        (codes, names), hashes = coded(some["system"]), _hashes(some["record"])
        for code, system in enumerate(names.to_pylist()):
            records, texts = shared_of(system) or (hashes[:0], hashes[:0])
            is_met = (codes == code) & _are_among(hashes, records)
            if is_met.any():
                own, met = rows_where(some, is_met), hashes[is_met]
                number = np.full(len(own), systems.setdefault(system, len(systems)))
                columns = texts[np.searchsorted(records, met)], number, met, _hashes(own["cluster"])
                named = [own[name].cast(pa.string()) for name in ("cluster", "record")]
                found.append(pa.table([*map(numbers, columns), *named], [*"tsrc", "cluster", "record"]))
    if not found:
        return None
    table = pa.concat_tables(found)
    table = table.sort_by([(name, "ascending") for name in ("t", "s", "cluster", "record")])
    text, of_system, record, cluster = (plain_numbers(table[name]) for name in "tsrc")
    is_first = changes(text) | changes(of_system)
    part = np.cumsum(is_first) - 1
    again = cluster != cluster[is_first][part]
    is_repeated = (np.bincount(part, again) > 0)[part]
    if not again.any():
        return None
    table, text = rows_where(table.select(["record"]), is_repeated), text[is_repeated]
    return Repeats(
        len(np.unique(record[is_repeated])),
        len(np.unique(text)),
        _first_names(table["record"], text),
        {name: np.unique(record[again & (of_system == i)]) for name, i in systems.items()},
    )


def _first_names(names: pa.ChunkedArray, text: Integers) -> tuple[str, ...]:
    """Some names for the text whose names sort first. Shapes: (n,) each."""
    is_least = np.array(pc.equal(names, pc.min(names)).to_pylist(), dtype=np.bool_)
    groups = (
        sorted(set(names.take(numbers(np.flatnonzero(text == one))).to_pylist()))
        for one in set(text[is_least].tolist())
    )
    return tuple(min(groups)[:SHOWN])


def _are_among(numbers: Integers, known: Integers) -> NDArray[np.bool_]:
    """Whether each number is one of those ``known``, which ascend: large lists are searched, not sorted again."""
    if not len(known):
        return np.zeros(len(numbers), dtype=np.bool_)
    return np.asarray(known[np.minimum(np.searchsorted(known, numbers), len(known) - 1)] == numbers)


def _hashes(names: pa.ChunkedArray) -> Integers:
    """The hash of each name. Shape (n,)."""
    return np.fromiter(map(hash_of_name, names.to_pylist()), dtype=np.int64, count=len(names))


def _whose(rows: PerRecordRows) -> Iterator[pa.Table]:
    """System, record and cluster of all rows; once where several observations have the same rows, as nearly all do."""
    observations = dict.fromkeys(rows.measures().values())
    for tables in itertools.zip_longest(*(rows.each_of(one, WHOSE.__contains__) for one in observations)):
        distinct: list[pa.Table] = []
        for table in tables:
            if table is not None and not any(table.equals(other) for other in distinct):
                distinct.append(table)
        yield from itertools.chain.from_iterable(map(_some_rows, distinct))


def _some_rows(table: pa.Table) -> Iterator[pa.Table]:
    """Some rows at a time, so that few texts are in memory."""
    return (table.slice(start, AT_ONCE) for start in range(0, len(table), AT_ONCE))


# ------------------------------------------------------------------------- findings without some records


IsOut = Callable[[pa.Table], NDArray[np.bool_]]
"""Which rows are left out, by their columns ``system`` and ``record``. Shape: (rows,)."""
TOLD = (
    "measure", "quantity", "over", "group", "system", "value", "low", "high", "p", "extract_baseline", "extract_difference",
    "extract_difference_low", "extract_difference_high", "extract_p", "n", "clusters",
)  # fmt: skip
"""The reported fields of an `Estimate`. ``p`` and ``extract_p`` are unadjusted."""


@dataclass(frozen=True, slots=True)
class Without(PerRecordRows):
    """Per-record statistics without the rows of some systems and records."""

    rows: PerRecordRows
    is_out: IsOut

    def __len__(self) -> int:
        return sum(len(self.of(observation)) for observation in dict.fromkeys(self.measures().values()))

    def measures(self) -> Mapping[str, str]:
        """The measures by spec, and the observation of each."""
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
                stays = ~self.is_out(some)
                kept = some if stays.all() else rows_where(some, stays)
                yield kept.select([name for name in kept.column_names if wanted(name)])


def findings_without(result: Result, watchers: Watchers, given: Mapping[str, Measure]) -> dict[str, Any]:
    """The entries of ``made`` on copies and on documents in other languages, with the primary contrasts without them.

    Empty if there are none. ``given`` are the measures by spec.
    """
    assert result.sources is not None
    told: dict[str, Any] = {}
    without: dict[str, list[dict[str, Any]]] = {}
    for name, repeats in (
        ("copies", copied_sources(result.sources, result.rows)),
        ("same_summaries", same_summaries(watchers.hashes, result.sources, result.rows)),
    ):
        if repeats is not None:
            told[name] = repeats.described()
            without[name] = leading_without(result, repeats.are_extra, given)
    if others := watchers.languages.counts():
        records = watchers.languages.records()
        told["other_languages"] = others
        without["other_languages"] = leading_without(
            result, lambda rows: _are_among(_hashes(rows["record"]), records), given
        )
    return {**told, "without": without} if told else {}


def leading_without(
    result: Result, is_out: IsOut, given: Mapping[str, Measure] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """The primary contrasts of a result, estimated again without some rows: the fields `TOLD` of each.

    Fields that need label permutations are None. ``given`` are measures by spec
    that need not be registered.
    """
    rows, made = result.rows, result.made
    primary = [e for of in arrangement.leading(result.estimates).values() for e in of]
    places = {(e.measure, e.quantity, e.system): i for i, e in enumerate(primary)}
    specs = {e.measure for e in primary}
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

    The parts are searched for among the records' attributes of at most `MOST_VALUES` values that the audit was not sliced by. Holm's
    correction is over this search together with all leading group differences of the audit. ``given`` are measures by spec.
    """
    primary = [e for e in leading(result.estimates) if not e.baseline]
    suspects = _suspects(result, primary)
    if not suspects:
        return []
    tested = [against_baseline(e)[0] for e in primary if e.extract_p is not None or e.p is not None]
    asked = {name for names in result.made["by"] for name in names}
    names = [name for name in attributes_in(result.rows) if name not in asked]
    found = list(_parts(result, given, names)) if names else []
    return [_gap_in_parts(score, found, tested, result.made["alpha"]) for score in suspects]


def _suspects(result: Result, primary: Sequence[Estimate]) -> list[Estimate]:
    """Significant unsigned scores of systems, by system and attribute, where no group difference that leads is significant."""
    alpha = result.made["alpha"]
    loud = {(e.system, e.over) for e in primary if conclusion(e, alpha) in SIGNIFICANT}
    found: dict[tuple[str, str], Estimate] = {}
    for e in result.estimates:
        is_score = (
            e.kind == "unsigned_disparity"
            and wording.is_main_value(e)
            and not e.subgroup
            and e.system_kind == "system"
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
        for ledger, measures in ledgers_from(with_subgroups_by(result.rows, [name]), given, [(name,)], specs):
            subgroups = {part for kind in ledger.origins.kinds()[1] for part in kind.subgroups}
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
