"""The work on one chunk of the input: ask, score, observe. An engine maps it over all chunks, here or in other processes.

A chunk is a batch of cases, a range of a file, or units of complete clusters. What a chunk adds depends only on the chunk,
so the result is the same on every engine. First which cases make a unit, and which wait until their cluster is complete.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

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
    """Whether a case is observed only when its cluster is complete: together with others, or because its row must be added to theirs before the squares."""
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
    for _, of_cluster in itertools.groupby(units, key=lambda unit: unit[1].cluster):
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


# ---- The work on a chunk


BATCH, LETTERS = 512, 1 << 19
"""Cases per batch; fewer if texts are long: up to this many characters, at least one."""
FIRST_BATCH = 32
"""Cases in the first batches if workers have the models: scoring is slow, and each worker should get some of a short input."""
SAMPLE = "sample"
"""Record attribute that names the sampled assignment; its records (e.g. a pair) are resampled together."""

FilePart = tuple[int, Range]
"""The number of a source, and a range of it."""


class Batch(NamedTuple):
    """Cases of the input, and their sanity baselines."""

    cases: Sequence[Case]
    baselines: Sequence[Case]


Shard = dict[Scope, list[Unit]]
"""Units that are observed together, for observations of each scope."""


@dataclass(eq=False)
class Observed:
    """Rows and sums of some cases, and everything else that they add to an audit.

    ``waiting`` are cases that must be observed together with others, possibly of other chunks; ``unscored`` are shards with the
    numbers of the observations that need a model, which the receiver has; ``asked`` are the scorers that were asked. A part of a
    file has the ``tally`` of its reading, and ``watchers``.
    """

    ledgers: list[Ledger]
    watchers: Watchers | None = None
    waiting: list[Unit] = field(default_factory=list)
    unscored: list[tuple[Shard, list[int]]] = field(default_factory=list)
    asked: tuple[str, ...] = ()
    cases: int = 0
    tally: PartTally | None = None

    def add(self, other: Observed) -> None:
        """Add the rows and counts of other cases."""
        for ledger, more in zip(self.ledgers, other.ledgers, strict=True):
            ledger.absorb(more, more.whose or ())
        self.cases += other.cases
        if self.watchers is not None and other.watchers is not None:
            self.watchers.merge(other.watchers)


@dataclass(frozen=True, slots=True)
class Work:
    """The work on every chunk. ``measures_of`` has the measures of each observation."""

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

    @property
    def scopes(self) -> list[Scope]:
        """The scopes of the observations."""
        return sorted({observation.declaration.scope for observation in self.measures_of})

    def __call__(self, chunk: Batch | Shard | FilePart) -> Observed:
        """What the cases of a chunk add to the audit."""
        observed = self.empty()
        with languages.using(self.language or languages.setting()):
            if isinstance(chunk, Batch):
                self._add_batch(observed, chunk)
            elif isinstance(chunk, dict):
                self.add_shard(observed, chunk, range(len(self.measures_of)))
            else:
                self._add_part(observed, chunk)
        return observed

    def batches(self, stream: Iterator[Case]) -> Iterator[Batch]:
        """Cases with their sanity baselines, as they come."""
        grows = self.plan.models_in_workers and self.reading is None
        taken = 0
        for first in stream:
            many = min(BATCH, max(1, LETTERS // max(1, sum(len(d.text) for d in first.record.documents))))
            if grows:
                many = min(many, max(FIRST_BATCH, taken // 8))
            cases = [first, *itertools.islice(stream, many - 1)]
            taken += len(cases)
            yield Batch(cases, list(self.sanity_baselines.beside(cases)))

    def empty(self) -> Observed:
        """No rows."""
        return Observed([Ledger(observation, self.plan.n_resamples) for observation in self.measures_of])

    def add_shard(self, observed: Observed, shard: Shard, numbers: Iterable[int]) -> None:
        """Add the rows of a shard for some observations, by number; those that need a model stay unscored."""
        plan, whose, unscored = self.plan, dict[Scope, Origins](), list[int]()
        extracts = None
        if plan.n_extracts != 0 and plan.n_resamples:
            extracts = ExtractDraws(plan.n_extracts or N_EXTRACTS, plan.seed)
        observer = Observer(
            self.scorers, LabelDraws(max(plan.n_resamples, 1), plan.seed), plan.skips, self.trial,
            extracts=extracts, scores_extracts=self.scorers.is_cheap if plan.n_extracts is None else _any,
        )  # fmt: skip
        for i in numbers:
            ledger = observed.ledgers[i]
            scope = ledger.observation.declaration.scope
            if not (units := shard[scope]):
                continue
            rows = Ledger(ledger.observation, plan.n_resamples, whose=None)
            if ledger.observation not in self._need_models:
                try:
                    observer.observe(rows, units)
                except NeedsModel:
                    self._need_models.add(ledger.observation)
            if ledger.observation in self._need_models:
                unscored.append(i)
                continue
            if scope not in whose:
                whose[scope] = Origins.by_column(origin for _, origin in units)
            ledger.absorb(rows, [whose[scope]])
        if unscored:
            observed.unscored.append((shard, unscored))
        observed.asked = tuple(self.scorers)

    def elsewhere(self) -> Work:
        """The same for other processes; RequestError names what cannot be sent there."""
        scorers = self.scorers.elsewhere(makes_models=self.plan.models_in_workers)
        for measure in itertools.chain.from_iterable(self.measures_of.values()):
            _refuse_unsendable(f"The measure {measure!r}", (measure, measure.observation))
        for name, scorer in scorers.given.items():
            _refuse_unsendable(f"The scorer {name}", scorer)
        _refuse_unsendable("What wraps the scorers", scorers.wrap)
        plan = replace(self.plan, progress=None, scorers={}, wrap=None)
        return replace(self, plan=plan, scorers=scorers, language=languages.setting())

    def _add_part(self, observed: Observed, part: FilePart) -> None:
        assert self.reading is not None
        reading, watchers = self.reading.part(*part), deepcopy(self.watchers)
        assert watchers is not None
        for batch in self.batches(iter(reading)):
            watchers.note(batch.cases)
            self._add_batch(observed, batch)
        for ledger in observed.ledgers:
            ledger.pack()
        observed.tally, observed.watchers = reading.tally, watchers

    def _add_batch(self, observed: Observed, batch: Batch) -> None:
        observed.cases += len(batch.cases)
        units: list[Unit] = [((case,), self._origin(case)) for case in (*batch.cases, *batch.baselines)]
        scopes = self.scopes
        observed.waiting += [unit for unit in units if any(waits(unit, scope) for scope in scopes)]
        shard = {scope: [unit for unit in units if not waits(unit, scope)] for scope in scopes}
        self.add_shard(observed, shard, range(len(self.measures_of)))

    def _origin(self, case: Case) -> Origin:
        record, system, kind = case.record, case.summary.system, case.summary.system_kind
        own, cluster, block = record.attributes, record.cluster, ""
        subgroups = subgroups_of(own, self.plan.by) if self.plan.by else ()
        attributes = tuple(sorted(own.items())) if own else ()
        if record.seed_document is not None:
            block = own.get(SAMPLE, record.id) if record.cluster_by is None else record.block
        is_shared = self.plan.has_clusters or cluster != record.id
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


def _refuse_unsendable(what: str, thing: Any) -> None:
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RequestError(
            f"{what} cannot be sent to other processes ({error}). Define its class at the top of a module that can "
            f"be imported, or leave workers at 1."
        ) from error
