"""Why is this value what it is: leave out a record, then each of its documents and sentences.

Records are left out of the per-record statistics, which adds, so that nothing is observed anew. Inside a record the case
without a document or a sentence is asked about, scored and observed again; all of these at once and with the
whole record among them, so that a scorer of pairs scores none that the whole record does not have, and with
a cache none at all. A scorer that looks at all texts of a record together (idf weights, tf-idf), or at a
whole summary as one text, answers anew, as it would have without what is left out.
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
from fairbrief.auditing.origins import WHOLE
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.auditing.per_record import ledgers_from
from fairbrief.auditing.scored_rows import BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import DataError, RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports.explanation import Effect, Explanation, Influence
from fairbrief.reports.frames import encodable
from fairbrief.reports.per_record import Held
from fairbrief.saved.ablation import PerRecord, Subject, effect, open_record, values_of
from fairbrief.statistics.jackknife import leave_one_out
from fairbrief.types import Case, Column, Estimate, Floats, Measure, Scorer, Totals

NOTHING = "nothing is left to count"
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
    """What a measure's value rests on, for each system: records, and in them documents and sentences.

    ``quantity`` is one of the measure's values, its main value if not told; ``systems`` those to explain, all if
    none is named. ``ids`` names the records (or originals, all variants of which are left out together) to
    look into; without them, the ``top`` ones that move the value most. ``cases`` are read more than once.
    Everything is leave-one-out: of two alike documents either can go without much change, and neither then
    has a large effect. ``n_resamples`` and ``n_extracts`` are those of the audit that says which references the value
    beats: permuted labels, random extracts; 0 leaves it unsaid.

    Raises RequestError for a measure over several attributes, a quantity, system or record that is not there;
    DataError for an input without a record, and for one that the measure cannot read, unless it ``skips`` it.
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
    # One number is asked about: its own p, not one that was raised for the other systems.
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
    """The per-record statistics without what chance and random extracts read."""
    beside = (OF_EXTRACTS, WITHOUT_EXTRACTS, BY_CHANCE)
    return per_record.select(
        [name for name in per_record.column_names if name.partition("[")[0] not in beside]
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
            f"'{measure}' could be taken over several attributes: {', '.join(str(getattr(m, 'over', '')) for m in built)}. "
            f"Name one: --attribute NAME, or {measure}@NAME."
        )
    return built[0]


@dataclass
class _Watch:
    """Which systems and records there are, noted while the cases pass by on their way into the audit.

    ``found`` maps, by system, each id asked for to its cluster, and whether it is one of several variants.
    """

    wanted: frozenset[str]
    ids: frozenset[str]
    systems: list[str] = field(default_factory=list)
    found: dict[str, dict[str, str]] = field(default_factory=dict)

    def passing(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases of the systems wanted. Raises RequestError at the end for what did not come by."""
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
    """One system's rows, the influence of each record, and those to look into."""

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
        """The clusters to look into: those named, or those that move the value most."""
        if self.ids:
            return list(dict.fromkeys(self.found[name] for name in self.ids if name in self.found))
        return [influence.cluster for influence in self.influences[: self.top]]

    def explanation(self, members: Mapping[tuple[str, str], Sequence[Case]], scorers: Scorers) -> Explanation:
        """What this system's value rests on; ``members`` are the cases of the clusters to look into."""
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
        # Without which there is no value at all comes first; equals keep the order of the input.
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
        """The summed per-record statistics of all clusters but these."""
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
    """The cases of the clusters wanted, by system and cluster."""
    found: dict[tuple[str, str], list[Case]] = {key: [] for key in wanted}
    for case in cases:
        key = (encodable(case.summary.system), encodable(case.record.cluster))
        if key in found:
            found[key].append(case)
    return found


# ----------------------------------------------------------- what a value would be without a record


Columns = Mapping[Column, int]


def values_without_each(measure: Measure, columns: Columns, sums: Floats) -> dict[str, Floats]:
    """Every quantity of the measure without each row in turn. Shape (n,) each; nan where it is undefined.

    A row that alone speaks of some value (the only one with that group, say) is looked at by itself: without
    it nobody would know of the value.
    """
    rest = leave_one_out(sums)
    found = {
        name: np.array(np.broadcast_to(value.array, (len(sums),)), dtype=np.float64)
        for name, value in measure.value(Totals(columns, rest)).items()
    }
    speaking = (sums != 0).sum(axis=0)
    for i in np.flatnonzero(_speaks_alone(columns, sums)):
        others = speaking - (sums[i] != 0)
        alone = measure.value(Totals(_spoken_of(columns, others > 0), rest[i]))
        for name, array in found.items():
            array[i] = float(alone[name].array) if name in alone else np.nan
    return found


def columns_elsewhere(columns: Columns, sums: Floats, left_out: Sequence[int]) -> dict[Column, int]:
    """The columns without those of a value of which no row but the ones left out says anything."""
    kept = np.ones(len(sums), dtype=bool)
    kept[list(left_out)] = False
    return _spoken_of(columns, (sums[kept] != 0).any(axis=0))


def _spoken_of(columns: Columns, spoken: NDArray[np.bool_]) -> dict[Column, int]:
    values = {c[1] for c, i in columns.items() if len(c) > 1 and spoken[i]}
    return {c: i for c, i in columns.items() if len(c) == 1 or c[1] in values}


def _speaks_alone(columns: Columns, sums: Floats) -> NDArray[np.bool_]:
    """The rows without which some value would be in no row. Shape (n,)."""
    places: dict[str, list[int]] = {}
    for c, i in columns.items():
        if len(c) > 1:
            places.setdefault(c[1], []).append(i)
    alone = np.zeros(len(sums), dtype=bool)
    for of_value in places.values():
        says = (sums[:, of_value] != 0).any(axis=1)
        if says.sum() == 1:
            alone |= says
    return alone
