"""The contributions of records, and of documents and sentences in them, to a value: each is removed in turn.

Records are removed from the sums, so nothing is scored again. Inside a record, the case without a document or sentence is
observed again. A scorer of pairs then has no new pair to score, and with a cache nothing at all. A scorer of all texts of a record
(idf weights, tf-idf), or of a summary as one text, scores again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairbrief.auditing import HEAD, Plan, audit, measure_selection
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.auditing.origins import WHOLE
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.auditing.per_record import ledgers_from
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports.explanation import Effect, Explanation, Influence
from fairbrief.reports.frames import encodable
from fairbrief.reports.per_record import Held
from fairbrief.saved.ablation import PerRecord, Subject, effect, open_record, values_of
from fairbrief.statistics.jackknife import leave_one_out
from fairbrief.types import Case, Column, Estimate, Floats, Measure, Scorer, Totals

NOTHING = "no data remains"
TOP = 5


def explain(
    cases: Iterable[Case],
    measure: str | Measure,
    *,
    attributes: Sequence[str] = (),
    quantity: str | None = None,
    systems: Sequence[str] = (),
    ids: Sequence[str] = (),
    top: int = TOP,
    scorers: Mapping[str, Scorer] | None = None,
    wrap: Callable[[Scorer], Scorer] | None = None,
    skips: bool = False,
    progress: Callable[[int], None] | None = None,
    n_resamples: int = 2000,
    n_extracts: int | None = None,
) -> list[Explanation]:
    """The contributions to a measure's value, for each system: of records, and in them of documents and sentences.

    ``quantity`` is one of the measure's values (default: the main value); ``systems`` are those to explain (default: all).
    ``ids`` are the records (or seed documents, whose counterfactuals are removed together) to open; without them, the ``top`` ones with the
    largest contributions. ``cases`` are read more than once. All contributions are leave-one-out: of two similar documents,
    neither has a large one. ``n_resamples`` and ``n_extracts`` are as in an audit, for the baselines of the value; 0 omits them.

    Raises RequestError for a measure over several attributes, and for an unknown quantity, system or record; DataError for an
    input without a record, and for one that the measure cannot use, unless ``skips`` is set.
    """
    held = list(cases) if iter(cases) is cases else cases
    built = _measure(measure, attributes, held)
    watch = _Watch(frozenset(map(encodable, systems)), frozenset(ids))
    plan = Plan(
        measures=[built], n_resamples=n_resamples, n_extracts=n_extracts if n_resamples else 0, skips=skips,
        check_scorers=False, scorers=scorers or {}, wrap=wrap, progress=progress,
    )  # fmt: skip
    found = audit(watch.passing(held), plan)
    ((ledger, _),) = ledgers_from(Held(_of_summaries(found.per_record)), {repr(built): built})
    # For one value: its p without adjustment for the other systems.
    asked = {
        e.system: e.replace(p_adjusted=None, extract_p_adjusted=None)
        for e in found.estimates
        if e.quantity == (quantity or built.name)
    }
    parts = parts_of(ledger, ())
    chosen = [
        _OfSystem(
            built,
            quantity or built.name,
            parts[system, WHOLE],
            ledger,
            watch.found[system],
            ids,
            top,
            asked.get(system),
        )
        for system in watch.systems
        if not ids or watch.found[system]
    ]
    members = _members(held, {(c.system, cluster) for c in chosen for cluster in c.clusters()})
    made = Scorers(scorers, wrap)
    return [c.explanation(members, made) for c in chosen]


def _of_summaries(per_record: pa.Table) -> pa.Table:
    """The per-record statistics without those of label permutations and random sentences."""
    baselines = (OF_EXTRACTS, WITHOUT_EXTRACTS, BY_CHANCE)
    return per_record.select(
        [name for name in per_record.column_names if name.partition("[")[0] not in baselines]
    )


def _measure(measure: str | Measure, attributes: Sequence[str], cases: Iterable[Case]) -> Measure:
    if not isinstance(measure, str):
        return measure
    head = list(itertools.islice(iter(cases), HEAD))
    if not head:
        raise DataError("There is no summary to explain: the input has no record.")
    built = measure_selection.named([measure], attributes, head).measures
    if len(built) > 1:
        raise RequestError(
            f"'{measure}' is possible by several attributes: {', '.join(str(getattr(m, 'over', '')) for m in built)}. "
            f"Name one: --attribute NAME, or {measure}@NAME."
        )
    return built[0]


@dataclass
class _Watch:
    """The systems and records of the input, noted while the audit reads the cases.

    ``found`` maps, by system, each requested id to its cluster.
    """

    wanted: frozenset[str]
    ids: frozenset[str]
    systems: list[str] = field(default_factory=list)
    found: dict[str, dict[str, str]] = field(default_factory=dict)

    def passing(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases of the wanted systems. Raises RequestError at the end for missing systems or records."""
        others: dict[str, None] = {}
        near: dict[str, None] = {}
        for case in cases:
            system, record = encodable(case.summary.system), case.record
            if self.wanted and system not in self.wanted:
                others[system] = None
                continue
            if system not in self.found:
                self.systems.append(system)
                self.found[system] = {}
            for name in {record.id, record.cluster} & self.ids:
                self.found[system].setdefault(name, encodable(record.cluster))
            if self.ids and len(near) < HEAD:
                near[record.id] = None
            yield case
        if missing := sorted(self.wanted - set(self.systems)):
            known = ", ".join(dict.fromkeys([*self.systems, *others]))
            raise RequestError(f"No system named '{missing[0]}'. Systems: {known}.")
        if missing := sorted(self.ids - {name for found in self.found.values() for name in found}):
            raise RequestError(
                f"No record has the id '{missing[0]}'.{did_you_mean(missing[0], near)} "
                f"The first ones are {', '.join(list(near)[:3])}."
            )


@dataclass
class _OfSystem:
    """One system's rows, the contribution of each record, and the records to open."""

    measure: Measure
    quantity: str
    part: Part
    ledger: Ledger
    found: Mapping[str, str]
    ids: Sequence[str]
    top: int
    estimate: Estimate | None
    influences: tuple[Influence, ...] = field(init=False)
    value: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._place = {cluster: i for i, cluster in enumerate(self.part.clusters)}
        self.influences = ()
        if not self.part.clusters:
            return
        columns, sums = self.ledger.columns, self.part.sums
        values = values_of(self.measure, self._per_record(()))
        without = values_without_each(self.measure, columns, sums)
        if self.quantity not in without:
            raise RequestError(
                f"'{self.measure!r}' has no quantity '{self.quantity}'. It has: {', '.join(without)}."
            )
        self.value = values.get(self.quantity)
        self.influences = self._ranked(without[self.quantity].tolist())

    @property
    def system(self) -> str:
        return self.part.system

    def clusters(self) -> list[str]:
        """The clusters to open: the named ones, or those with the largest contributions."""
        if self.ids:
            return list(dict.fromkeys(self.found[name] for name in self.ids if name in self.found))
        return [influence.cluster for influence in self.influences[: self.top]]

    def explanation(self, members: Mapping[tuple[str, str], Sequence[Case]], scorers: Scorers) -> Explanation:
        """The contributions to this system's value; ``members`` are the cases of the clusters to open."""
        opened = tuple(
            open_record(self.measure, self.quantity, subject, scorers) for subject in self._subjects(members)
        )
        return Explanation(
            measure=repr(self.measure),
            quantity=self.quantity,
            system=self.system,
            value=self.value,
            influences=self.influences,
            opened=opened,
            together=self._together(),
            excluded=self.ledger.excluded(self.system, WHOLE),
            estimate=self.estimate,
        )

    def _ranked(self, without: Sequence[float]) -> tuple[Influence, ...]:
        origins = [origin for origin in self.ledger.kept() if origin.system == self.system]
        many = Counter(origin.cluster for origin in origins)
        effects = [effect(self.value, None if np.isnan(v) else v, NOTHING) for v in without]
        # First those without which there is no value; ties keep the order of the input.
        order = sorted(
            range(len(effects)),
            key=lambda i: -np.inf if (e := effects[i].effect) is None else -abs(e),
        )
        return tuple(
            Influence(self.part.clusters[i], rank, many[self.part.clusters[i]], effects[i])
            for rank, i in enumerate(order, start=1)
        )

    def _together(self) -> Effect:
        there = [self._place[cluster] for cluster in self.clusters() if cluster in self._place]
        values = values_of(self.measure, self._per_record(there))
        return effect(self.value, values.get(self.quantity), NOTHING)

    def _per_record(self, left_out: Sequence[int]) -> PerRecord:
        """The sums of all clusters except these."""
        if len(left_out) == len(self.part.clusters):
            return {}
        sums = np.delete(self.part.sums, list(left_out), axis=0).sum(axis=0)
        kept = columns_elsewhere(self.ledger.columns, self.part.sums, left_out)
        return {column: float(sums[i]) for column, i in kept.items()}

    def _subjects(self, members: Mapping[tuple[str, str], Sequence[Case]]) -> Iterator[Subject]:
        by_cluster = {influence.cluster: influence for influence in self.influences}
        asked = [(name, self.found[name]) for name in self.ids if name in self.found]
        for name, cluster in asked or [(cluster, cluster) for cluster in self.clusters()]:
            cases = tuple(members[self.system, cluster])
            named = [case for case in cases if case.record.id == name]
            focus = cases[0] if len(cases) == 1 else named[0] if named else None
            place = self._place.get(cluster)
            rest = self._per_record(() if place is None else (place,))
            yield Subject(name, cases, focus, rest, by_cluster.get(cluster))


def _members(cases: Iterable[Case], wanted: set[tuple[str, str]]) -> dict[tuple[str, str], list[Case]]:
    """The cases of the wanted clusters, by system and cluster."""
    found: dict[tuple[str, str], list[Case]] = {key: [] for key in wanted}
    for case in cases:
        key = (encodable(case.summary.system), encodable(case.record.cluster))
        if key in found:
            found[key].append(case)
    return found


# ------------------------------------------------------------------------- values without a record


Columns = Mapping[Column, int]


def values_without_each(measure: Measure, columns: Columns, sums: Floats) -> dict[str, Floats]:
    """Every quantity of the measure without each row in turn. Shape (n,) each; nan if undefined.

    A row that is the only one with some value (say, the only one with a group) is handled separately: without it, the value does
    not exist.
    """
    rest = leave_one_out(sums)
    found = {
        name: np.array(np.broadcast_to(value.array, (len(sums),)), dtype=np.float64)
        for name, value in measure.value(Totals(columns, rest)).items()
    }
    rows_with_value = (sums != 0).sum(axis=0)
    for i in np.flatnonzero(_has_unique_value(columns, sums)):
        others = rows_with_value - (sums[i] != 0)
        alone = measure.value(Totals(_with_values(columns, others > 0), rest[i]))
        for name, array in found.items():
            array[i] = float(alone[name].array) if name in alone else np.nan
    return found


def columns_elsewhere(columns: Columns, sums: Floats, left_out: Sequence[int]) -> dict[Column, int]:
    """The columns without those of values that only the removed rows have."""
    kept = np.ones(len(sums), dtype=bool)
    kept[list(left_out)] = False
    return _with_values(columns, (sums[kept] != 0).any(axis=0))


def _with_values(columns: Columns, has_value: NDArray[np.bool_]) -> dict[Column, int]:
    values = {c[1] for c, i in columns.items() if len(c) > 1 and has_value[i]}
    return {c: i for c, i in columns.items() if len(c) == 1 or c[1] in values}


def _has_unique_value(columns: Columns, sums: Floats) -> NDArray[np.bool_]:
    """Whether a row is the only one with some value. Shape (n,)."""
    places: dict[str, list[int]] = {}
    for c, i in columns.items():
        if len(c) > 1:
            places.setdefault(c[1], []).append(i)
    alone = np.zeros(len(sums), dtype=bool)
    for of_value in places.values():
        has_it = (sums[:, of_value] != 0).any(axis=1)
        if has_it.sum() == 1:
            alone |= has_it
    return alone
