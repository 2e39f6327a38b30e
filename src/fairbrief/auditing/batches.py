"""The work on one batch of the input: ask, score, observe. An engine maps it over all batches, here or in other processes.

A batch holds cases, a part of a file, or complete clusters. What it adds depends only on the batch, so the result is the same
on every engine. First which cases make a unit.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Literal

from fairbrief.auditing.extracts import N_EXTRACTS, ExtractDraws
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import Observer, Unit
from fairbrief.auditing.origins import Origin, Origins, subgroups_of
from fairbrief.auditing.sanity_baselines import OF_SYSTEMS, SanityBaselines
from fairbrief.auditing.scorer_lookup import NeedsModel, Scorers
from fairbrief.auditing.system_runs import RUN
from fairbrief.auditing.watchers import Watchers
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.readers import Reading
from fairbrief.readers.input_parts import PartTally
from fairbrief.readers.json_lines import Range
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.text import languages
from fairbrief.types import Case, Cases, Measure, Observation

Scope = Literal["case", "block", "cluster"]
DESIGN = ("design", "genders", "last_names", "content_words", RUN)
"""Record attributes that name the design of built inputs, or the run; counterfactuals that differ in one form separate units."""


def by_observation(measures: Iterable[Measure]) -> dict[Observation, list[Measure]]:
    """The measures of each observation, in the order in which the observations first occur."""
    found: dict[Observation, list[Measure]] = {}
    for measure in measures:
        found.setdefault(measure.observation, []).append(measure)
    return found


def shared_by(case: Case, scope: Scope) -> tuple[str, ...] | None:
    """What the cases of its unit have in common; None where the case is a unit by itself."""
    record = case.record
    if scope == "case" or (scope == "block" and record.seed_document is None):
        return None
    source = record.seed_id if scope == "cluster" else record.block
    return (case.summary.system, record.cluster, source, *_design_of(case))


def _design_of(case: Case) -> tuple[str, ...]:
    """The design of the built inputs to which the record belongs; empty strings if unknown."""
    return tuple(case.record.attributes.get(name, "") for name in DESIGN)


def units_of(cases: Cases, scope: Scope) -> list[Cases]:
    """The units that an audit makes of some cases."""
    found: dict[tuple[str, ...] | int, list[Case]] = {}
    for i, case in enumerate(cases):
        found.setdefault(shared_by(case, scope) or i, []).append(case)
    return list(found.values())


def united(cases: Sequence[Unit], scope: Scope) -> list[Unit]:
    """The units of a scope that the cases of complete clusters make, by cluster, record and system.

    A unit is in the subgroups, and has the attributes, that all of its cases have. Of a cluster it is named after the seed
    document; of a further design of the same seed document after both.
    """
    together: dict[tuple[str, ...] | int, list[Unit]] = {}
    for i, unit in enumerate(cases):
        together.setdefault(shared_by(unit[0][0], scope) or i, []).append(unit)
    designs: dict[str, tuple[str, ...]] = {}
    """By seed document the first design."""
    for (case, *_), _ in cases if scope == "cluster" else ():
        source, design = case.record.seed_id, _design_of(case)
        designs[source] = min(design, designs.get(source, design))
    made: list[Unit] = []
    for units in together.values():
        ((first, *_), origin), *_ = units = sorted(units, key=place_of)
        origins, name = [own for _, own in units], origin.record
        if (source := first.record.seed_id) in designs:
            design = _design_of(first)
            name = source if design == designs[source] else " ".join((source, *design))
        subgroups = tuple(part for part in origin.subgroups if all(part in own.subgroups for own in origins))
        attributes = tuple(
            pair for pair in origin.attributes if all(pair in own.attributes for own in origins)
        )
        members = tuple(case for cases_of, _ in units for case in cases_of)
        made.append((members, replace(origin, record=name, subgroups=subgroups, attributes=attributes)))
    return sorted(made, key=place_of)


def place_of(unit: Unit) -> tuple[str, ...]:
    """The sort key of a unit, independent of the order of the input."""
    origin = unit[1]
    return origin.cluster, origin.record, origin.system, origin.block


def whole_clusters(units: Iterable[Unit], most: int) -> Iterator[list[Unit]]:
    """Lists of units, sorted by cluster, that never split a cluster: each ends with the one in which it exceeds ``most``."""
    found: list[Unit] = []
    for _, of_cluster in itertools.groupby(units, key=lambda unit: unit[1].cluster):
        found += of_cluster
        if len(found) >= most:
            yield found
            found = []
    if found:
        yield found


# ---- The work on a batch


BATCH, LETTERS = 512, 1 << 19
"""Cases per batch; fewer if texts are long: up to this many characters, at least one. Also units that are scored at once."""
MODEL_BATCH = 64
"""Cases per batch if workers have the models: scoring is slow, and each worker should get some of a short input."""
SAMPLE = "sample"
"""Record attribute that names the sampled assignment; its records (e.g. a pair) are resampled together."""

FilePart = tuple[int, Range]
"""The number of a source, and a range of it."""


@dataclass(eq=False)
class Observed:
    """Rows and sums of some cases, and everything else that they add to an audit.

    ``waiting`` are cases that must be observed together with others, possibly of other batches; ``unscored`` are units with the
    numbers of the observations that need a model, which the receiver has; ``asked`` are the scorers that were asked. A part of a
    file has the ``tally`` of its reading, and ``watchers``.
    """

    ledgers: list[Ledger]
    watchers: Watchers | None = None
    waiting: list[Unit] = field(default_factory=list)
    unscored: list[tuple[Sequence[Unit], list[int]]] = field(default_factory=list)
    asked: tuple[str, ...] = ()
    cases: int = 0
    tally: PartTally | None = None

    def add(self, other: Observed) -> None:
        """Add the rows and counts of other cases."""
        for ledger, more in zip(self.ledgers, other.ledgers, strict=True):
            ledger.absorb(more)
        self.cases += other.cases
        if self.watchers is not None and other.watchers is not None:
            self.watchers.merge(other.watchers)


@dataclass(frozen=True, slots=True)
class Work:
    """The work on every batch. ``measures_of`` has the measures of each observation."""

    plan: Plan
    measures_of: dict[Observation, list[Measure]]
    scorers: Scorers
    sanity_baselines: SanityBaselines
    trial: bool = False
    language: languages.Setting | None = None
    """The language of the main process; this process already uses it."""
    reading: Reading | None = None
    watchers: Watchers | None = None
    """For parts of a file: how it is read, and watchers that have seen nothing."""
    _need_models: set[Observation] = field(default_factory=set)

    def of_cases(self, cases: Sequence[Case]) -> Observed:
        """What cases add to the audit."""
        observed = self.empty()
        with self._language():
            self._add_cases(observed, cases)
        return observed

    def of_part(self, part: FilePart) -> Observed:
        """What a part of a file adds to the audit."""
        assert self.reading is not None
        observed, reading = self.empty(), self.reading.part(*part)
        observed.watchers = deepcopy(self.watchers)
        with self._language():
            for cases in self.batches(iter(reading), observed.watchers):
                self._add_cases(observed, cases)
        for ledger in observed.ledgers:
            ledger.pack()
        observed.tally = reading.tally
        return observed

    def of_clusters(self, cases: Sequence[Unit]) -> Observed:
        """What the cases of complete clusters add to the audit."""
        observed = self.empty()
        with self._language():
            self._add(observed, cases)
        return observed

    def empty(self) -> Observed:
        """No rows."""
        return Observed([Ledger(observation, self.plan.n_resamples) for observation in self.measures_of])

    def batches(self, stream: Iterator[Case], watchers: Watchers | None) -> Iterator[list[Case]]:
        """Cases with their sanity baselines, as they come; the watchers see the cases."""
        most = MODEL_BATCH if self.plan.models_in_workers and self.reading is None else BATCH
        for first in stream:
            many = min(most, max(1, LETTERS // max(1, sum(len(d.text) for d in first.record.documents))))
            cases = [first, *itertools.islice(stream, many - 1)]
            if watchers is not None:
                watchers.note(cases)
            yield [*cases, *self.sanity_baselines.beside(cases)]

    def observer(self) -> Observer:
        """What scores units. It stores what it draws, so that a new one is used for each batch."""
        plan, extracts = self.plan, None
        if plan.n_extracts != 0 and plan.n_resamples:
            extracts = ExtractDraws(plan.n_extracts or N_EXTRACTS, plan.seed)
        return Observer(
            self.scorers, LabelDraws(max(plan.n_resamples, 1), plan.seed), plan.skips, self.trial,
            extracts=extracts, scores_extracts=self.scorers.is_cheap if plan.n_extracts is None else _any,
        )  # fmt: skip

    def observe(
        self, observed: Observed, units: Sequence[Unit], numbers: Iterable[int], observer: Observer
    ) -> None:
        """Add the rows of units for some observations, by number; those that need a model stay unscored."""
        origins, unscored = Origins.by_column(origin for _, origin in units), list[int]()
        for i in numbers:
            ledger = observed.ledgers[i]
            if ledger.observation not in self._need_models:
                try:
                    observer.observe(ledger, units, origins)
                    continue
                except NeedsModel:
                    self._need_models.add(ledger.observation)
            unscored.append(i)
        if unscored:
            observed.unscored.append((units, unscored))
        observed.asked = tuple(self.scorers)

    def elsewhere(self) -> Work:
        """The same for other processes; RequestError if it cannot be sent there."""
        scorers = self.scorers.elsewhere(makes_models=self.plan.models_in_workers)
        plan = replace(self.plan, progress=None, scorers={}, wrap=None)
        work = replace(self, plan=plan, scorers=scorers, language=languages.setting())
        try:
            pickle.dumps(work)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise RequestError(
                f"The measures and scorers cannot be sent to other processes ({error}). Define each class at the top of a module "
                "that can be imported, or leave workers at 1."
            ) from error
        return work

    def _language(self) -> AbstractContextManager[None]:
        return languages.using(self.language or languages.setting())

    def _add_cases(self, observed: Observed, cases: Sequence[Case]) -> None:
        """Add the rows of cases whose clusters are complete; the others wait."""
        observed.cases += sum(case.summary.system_kind != "sanity_baseline" for case in cases)
        units: list[Unit] = [((case,), self._origin(case)) for case in cases]
        observed.waiting += [unit for unit in units if unit[1].is_shared]
        self._add(observed, [unit for unit in units if not unit[1].is_shared])

    def _add(self, observed: Observed, cases: Sequence[Unit]) -> None:
        """Add the rows of the cases of complete clusters; those of no shared cluster are units in every scope."""
        is_shared, observer = any(origin.is_shared for _, origin in cases), self.observer()
        scopes = [o.declaration.scope if is_shared else "case" for o in self.measures_of]
        for scope in dict.fromkeys(scopes):
            units = united(cases, scope) if is_shared else cases
            numbers = [i for i, own in enumerate(scopes) if own == scope]
            for start in range(0, len(units), BATCH):
                self.observe(observed, units[start : start + BATCH], numbers, observer)

    def _origin(self, case: Case) -> Origin:
        record, system, kind = case.record, case.summary.system, case.summary.system_kind
        own, cluster, source, block = record.attributes, record.cluster, record.seed_document, ""
        subgroups = subgroups_of(own, self.plan.by) if self.plan.by else ()
        attributes = tuple(sorted(own.items())) if own else ()
        if source is not None:
            block = own.get(SAMPLE, record.id) if record.cluster_by is None else record.block
        is_shared = self.plan.has_clusters or cluster != record.id or source not in (None, record.id)
        return Origin(system, record.id, cluster, subgroups, block, is_shared, kind, attributes)


def file_parts(cases: Iterable[Case], plan: Plan) -> list[FilePart]:
    """The parts of the files of an input; none if it is read in one pass.

    Sanity baselines made from records must see all systems of a record, so they need one pass.
    """
    if not isinstance(cases, Reading) or any(name not in OF_SYSTEMS for name in plan.sanity_baselines):
        return []
    parts = cases.ranges
    return parts if len(parts) > 1 else []


def _any(_: str) -> bool:
    return True
