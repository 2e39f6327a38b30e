"""One audit: the work on each batch of its input, the rows of all batches, and the estimates that are made of them.

An engine maps `Work` over the batches, here or in other processes. A batch holds cases, a part of a file, or complete clusters.
What it adds depends only on the batch, so the result is the same on every engine.
"""

from __future__ import annotations

import itertools
import pickle
from array import array
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

import numpy as np

from fairbrief import __version__
from fairbrief.auditing import estimating, multiple_tests, origins
from fairbrief.auditing.differences import differences, pairs_of
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.extracts import N_EXTRACTS, ExtractDraws
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.multiple_tests import with_primary
from fairbrief.auditing.observing import Observer, by_observation
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.sanity_baselines import Exchange, SanityBaselines
from fairbrief.auditing.scorer_lookup import NeedsModel, Scorers
from fairbrief.auditing.watchers import Watchers
from fairbrief.engines import Engine, ThisProcess
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.readers import Reading
from fairbrief.readers.files import Range
from fairbrief.readers.input_parts import PartTally
from fairbrief.readers.messages import did_you_mean
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.text import languages
from fairbrief.text.hashes import hash_of_name
from fairbrief.types import Case, Estimate, Measure, Observation, SystemKind, over_of

BATCH, LETTERS = 512, 1 << 19
"""Cases per batch; fewer if texts are long: up to this many characters, at least one. Also units that are scored at once."""
MODEL_BATCH = 64
"""Cases per batch if workers have the models: scoring is slow, and each worker should get some of a short input."""
SAMPLE = "sample"
"""Record attribute that names the sampled assignment; its records (e.g. a pair) are resampled together."""
LOTS = 256
"""Cases that wait are read back in this many lots, each of whole clusters."""

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
    waiting: list[origins.Unit] = field(default_factory=list)
    unscored: list[tuple[Sequence[origins.Unit], list[int]]] = field(default_factory=list)
    asked: tuple[str, ...] = ()
    cases: int = 0
    tally: PartTally | None = None

    def add(self, other: Observed) -> None:
        """Add the rows and counts of other cases, and those that wait."""
        for ledger, more in zip(self.ledgers, other.ledgers, strict=True):
            ledger.absorb(more)
        self.cases += other.cases
        self.waiting += other.waiting
        if self.watchers is not None and other.watchers is not None:
            self.watchers.merge(other.watchers)


@dataclass(frozen=True, slots=True)
class Work:
    """The work on every batch. ``measures_of`` has the measures of each observation."""

    plan: Plan
    measures_of: dict[Observation, list[Measure]]
    scorers: Scorers
    sanity_baselines: SanityBaselines
    language: languages.Setting | None = None
    """The language of the main process; this process already uses it."""
    reading: Reading | None = None
    watchers: Watchers | None = None
    """For parts of a file: how it is read, and watchers that have seen nothing."""

    def of_units(self, cases: Sequence[origins.Unit]) -> Observed:
        """What the cases of complete clusters add to the audit."""
        observed = self.empty()
        with languages.using(self.language or languages.setting()):
            self._add(observed, cases)
        return observed

    def of_part(self, part: FilePart) -> Observed:
        """What a part of a file adds to the audit."""
        assert self.reading is not None
        observed, reading = self.empty(), self.reading.part(*part)
        observed.watchers = deepcopy(self.watchers)
        with languages.using(self.language or languages.setting()):
            for cases in self.batches(iter(reading), observed):
                self._add(observed, cases)
        for ledger in observed.ledgers:
            ledger.pack()
        observed.tally = reading.tally
        return observed

    def empty(self) -> Observed:
        """No rows."""
        return Observed([Ledger(observation, self.plan.n_resamples) for observation in self.measures_of])

    def batches(self, stream: Iterator[Case], observed: Observed) -> Iterator[list[origins.Unit]]:
        """Cases of no shared cluster with their sanity baselines, as they come; all are noted, and the others wait."""
        most = MODEL_BATCH if self.plan.models_in_workers and self.reading is None else BATCH
        for first in stream:
            many = min(most, max(1, LETTERS // max(1, sum(len(d.text) for d in first.record.documents))))
            cases = [first, *itertools.islice(stream, many - 1)]
            if observed.watchers is not None:
                observed.watchers.note(cases)
            observed.cases += len(cases)
            cases += self.sanity_baselines.beside(cases)
            units: list[origins.Unit] = [((case,), self._origin(case)) for case in cases]
            observed.waiting += [unit for unit in units if unit[1].is_shared]
            yield [unit for unit in units if not unit[1].is_shared]

    def observer(self) -> Observer:
        """What scores units. It stores what it draws, so that a new one is used for each batch."""
        plan, extracts = self.plan, None
        if plan.n_extracts != 0 and plan.n_resamples:
            extracts = ExtractDraws(plan.n_extracts or N_EXTRACTS, plan.seed)
        return Observer(
            self.scorers, LabelDraws(max(plan.n_resamples, 1), plan.seed), plan.skips,
            extracts=extracts, scores_extracts=self.scorers.is_cheap if plan.n_extracts is None else lambda _: True,
        )  # fmt: skip

    def observe(
        self, observed: Observed, units: Sequence[origins.Unit], numbers: Iterable[int], observer: Observer
    ) -> None:
        """Add the rows of units for some observations, by number; those that need a model stay unscored."""
        whose, unscored = origins.Origins.by_column(origin for _, origin in units), list[int]()
        for i in numbers:
            try:
                observer.observe(observed.ledgers[i], units, whose)
            except NeedsModel:
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

    def _add(self, observed: Observed, cases: Sequence[origins.Unit]) -> None:
        """Add the rows of the cases of complete clusters; those of no shared cluster are units in every scope."""
        is_shared, observer = any(origin.is_shared for _, origin in cases), self.observer()
        scopes = [o.declaration.scope if is_shared else "case" for o in self.measures_of]
        for scope in dict.fromkeys(scopes):
            units = origins.merged(cases, scope) if is_shared else cases
            numbers = [i for i, own in enumerate(scopes) if own == scope]
            for start in range(0, len(units), BATCH):
                self.observe(observed, units[start : start + BATCH], numbers, observer)

    def _origin(self, case: Case) -> origins.Origin:
        record, system, kind = case.record, case.summary.system, case.summary.system_kind
        own, cluster, source, block = record.attributes, record.cluster, record.seed_document, ""
        subgroups = origins.subgroups_of(own, self.plan.by) if self.plan.by else ()
        attributes = tuple(sorted(own.items())) if own else ()
        if source is not None:
            block = own.get(SAMPLE, record.id) if record.cluster_by is None else record.block
        is_shared = self.plan.has_clusters or cluster != record.id or source not in (None, record.id)
        return origins.Origin(system, record.id, cluster, subgroups, block, is_shared, kind, attributes)


# -------------------------------------------------------------------------------------- the whole audit


class PartedClusters(Exception):
    """Counterfactuals came so late that their seed document had already been observed alone."""


class Run(Observed):
    """The rows and counts of all batches of one audit, and its estimates."""

    def __init__(
        self,
        plan: Plan,
        measures: Sequence[Measure],
        scorers: Scorers | None = None,
        watchers: Watchers | None = None,
        exchange: Exchange | None = None,
    ) -> None:
        """``watchers`` have seen nothing, and are copied; ``exchange`` has all summaries, for the sanity baseline ``exchanged``."""
        over = list(dict.fromkeys(filter(None, map(over_of, measures))))
        self.plan, self.measures, self.measures_of = plan, measures, by_observation(measures)
        self.scorers = Scorers(plan.scorers, plan.wrap) if scorers is None else scorers
        self._sanity_baselines = SanityBaselines(plan.sanity_baselines, over, plan.seed, exchange)
        self._work = Work(plan, self.measures_of, self.scorers, self._sanity_baselines, watchers=watchers)
        super().__init__(self._work.empty().ledgers, deepcopy(watchers))
        self._stored = RowsOnDisk()
        self._clusters = array("q")

    def walk(self, stream: Iterator[Case], engine: Engine) -> None:
        """Add all cases."""
        work = self._work_on(engine)
        for _, observed in engine.map(work.of_units, work.batches(stream, self)):
            self._take(observed)
        self._walk_clusters(engine)

    def walk_parts(self, reading: Reading, parts: Sequence[FilePart], engine: Engine) -> bool:
        """Add all parts of a file. Returns whether the input is valid; otherwise the run must be discarded."""
        work = replace(self._work_on(engine), reading=reading)
        reading.look()
        tally = PartTally()
        for number, (_, observed) in enumerate(engine.map(work.of_part, parts), 1):
            assert observed.tally is not None
            reading.reach(number / len(parts))
            self._take(observed)
            tally.add(observed.tally)
        is_valid = reading.finish(tally)
        if is_valid:
            self._walk_clusters(engine)
        return is_valid

    def _work_on(self, engine: Engine) -> Work:
        return self._work if isinstance(engine, ThisProcess) else self._work.elsewhere()

    def _walk_clusters(self, engine: Engine) -> None:
        """Add what had to wait until all records of a cluster were read. Raises `PartedClusters` if some did not wait."""
        clusters = np.frombuffer(self._clusters, dtype=np.int64)
        if self.watchers is not None and self.watchers.profile.contains_any(clusters):
            raise PartedClusters
        lots = (itertools.chain.from_iterable(self._stored.pop(lot)) for lot in list(self._stored))
        by_cluster = itertools.chain.from_iterable(sorted(lot, key=origins.place_of) for lot in lots)
        batches = origins.whole_clusters(by_cluster, BATCH)
        for _, observed in engine.map(self._work_on(engine).of_units, batches):
            self._take(observed)

    def _take(self, observed: Observed) -> None:
        """Add a batch; what needs a model is observed here."""
        for units, numbers in observed.unscored:
            self._work.observe(self, units, numbers, self._work.observer())
        self.add(observed)
        self._store_waiting()
        for spec in observed.asked:
            self.scorers[spec]  # known from now on, for the signature
        if self.plan.progress is not None:
            self.plan.progress(self.cases)

    def _store_waiting(self) -> None:
        """Store the waiting cases until their clusters are complete. Raises OSError if the disk is full."""
        lots: dict[int, list[origins.Unit]] = {}
        for unit in self.waiting:
            cluster = hash_of_name(unit[1].cluster)
            lots.setdefault(cluster % LOTS, []).append(unit)
            if not self.plan.has_clusters:  # its seed document may not have waited
                self._clusters.append(cluster)
        for lot, several in lots.items():
            self._stored.add(lot, several)
        self.waiting = []

    def systems(self) -> dict[str, SystemKind]:
        """All systems and their kinds."""
        return origins.systems_of(ledger.origins for ledger in self.ledgers)

    def permuted(self) -> list[str]:
        """The measures whose labels were permuted in some record."""
        relabelled = [ledger.observation for ledger in self.ledgers if ledger.is_relabelled]
        return [repr(measure) for observation in relabelled for measure in self.measures_of[observation]]

    def signature(self) -> str:
        """Version, inputs, settings and scorers, which decide all numbers."""
        digest = "" if self.watchers is None else self.watchers.hashes.digest()
        return "|".join([
            f"fairbrief:{__version__}", f"inputs:{digest}", *self.plan.signed(),
            *(f"{name}:{scorer.fingerprint}" for name, scorer in sorted(self.scorers.items())),
        ])  # fmt: skip

    def settings(self) -> Settings:
        """What decides the resampling of this audit."""
        return replace(Settings.of(self.plan.record()), signature=self.signature())

    def estimates(self, settings: Settings) -> tuple[list[Estimate], list[Estimate]]:
        """Estimates of every system and subgroup, and the paired differences between systems."""
        plan, systems = self.plan, self.systems()
        if plan.baseline is not None and plan.baseline not in systems:
            raise no_baseline(plan.baseline, list(systems))
        real = [s for s, kind in systems.items() if kind == "system"]
        pairs = pairs_of(real, plan.baseline)
        compared = [[pair] for pair in pairs] if plan.is_pairwise else [pairs]
        sanity_baselines = {s: self._sanity_baselines.of(s) for s in real}
        with_sanity_baseline = [[(s, c)] for s in real for c in systems if c in sanity_baselines[s]]
        found: list[Estimate] = []
        gaps: list[Estimate] = []
        for ledger in self.ledgers:
            own, own_gaps = self._estimate(ledger, [*compared, *with_sanity_baseline], settings)
            found += own
            gaps += own_gaps
        return self._adjusted(found, found, settings), self._adjusted(gaps, found, settings)

    def _estimate(
        self, ledger: Ledger, compared: Sequence[Sequence[tuple[str, str]]], settings: Settings
    ) -> tuple[list[Estimate], list[Estimate]]:
        """One ledger's estimates and differences. Its plain rows, which take the most memory, are freed when it returns."""
        measures = self.measures_of[ledger.observation]
        known = {part for kind in ledger.origins.known_kinds for part in kind.subgroups}
        subgroups = sorted(known, key=lambda part: (len(part), part))
        parts = parts_of(ledger, subgroups, settings.seed)
        made: dict[origins.Key, list[Estimate]] = {}
        for part, own in estimating.estimates(measures, list(parts.values()), settings):
            made[part.system, part.subgroup] = own
            ledger.nulls.pop((part.system, part.subgroup), None)  # nobody asks for these sums again
        pairs = compared if settings.n_resamples else ()
        return (
            [e for place in parts for e in made[place]],
            [e for some in pairs for e in differences(measures, parts, some, settings)],
        )

    def _adjusted(
        self, found: list[Estimate], systems: Sequence[Estimate], settings: Settings
    ) -> list[Estimate]:
        order = {repr(m): i for i, m in enumerate(self.measures)}
        found = sorted(found, key=lambda e: (bool(e.subgroup), order[e.measure]))
        adjusted = multiple_tests.with_holm(found, settings)
        return multiple_tests.with_families(with_primary(adjusted, self.plan.primary), settings, systems)


def no_baseline(baseline: str, systems: Sequence[str]) -> RequestError:
    """The refusal of a baseline that is none of the systems."""
    return RequestError(
        f"No system named '{baseline}' to compare with.{did_you_mean(baseline, systems)} "
        f"Systems: {', '.join(systems)}."
    )
