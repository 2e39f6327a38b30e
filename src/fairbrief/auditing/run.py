"""One audit: the rows of all batches of its input, and the estimates that are made of them."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np

from fairbrief import __version__
from fairbrief.auditing import batches, estimating, multiple_tests
from fairbrief.auditing.batches import FilePart, Observed, Work
from fairbrief.auditing.differences import differences, pairs_of
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.multiple_tests import with_primary
from fairbrief.auditing.observing import Unit
from fairbrief.auditing.origins import Subgroup, systems_of
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.sanity_baselines import Exchange, SanityBaselines
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.watchers import Watchers
from fairbrief.engines import Engine, ThisProcess
from fairbrief.errors import RequestError
from fairbrief.plan import Plan
from fairbrief.readers import Reading
from fairbrief.readers.input_parts import PartTally
from fairbrief.readers.messages import did_you_mean
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.text.hashes import hash_of_name
from fairbrief.types import Case, Estimate, Measure, SystemKind

HELD = 64_000_000
"""Bytes of cases (by `size_of`) that wait in memory; more go to the disk."""
LOTS = 256
"""Cases on disk are read back in this many lots, each of whole clusters."""


class PartedClusters(Exception):
    """Counterfactuals came so late that their seed document had already been observed alone."""


class Run(Observed):
    """The rows and counts of all batches of one audit, and its estimates."""

    def __init__(
        self,
        plan: Plan,
        measures: Sequence[Measure],
        *,
        scorers: Scorers | None = None,
        watchers: Watchers | None = None,
        exchange: Exchange | None = None,
        trial: bool = False,
    ) -> None:
        """``watchers`` have seen nothing, and are copied; ``exchange`` has all summaries, for the sanity baseline ``exchanged``."""
        over = [str(a) for a in dict.fromkeys(getattr(m, "over", "") for m in measures) if a]
        self.plan, self.measures, self.measures_of = plan, measures, batches.by_observation(measures)
        self.scorers = Scorers(plan.scorers, plan.wrap) if scorers is None else scorers
        self._sanity_baselines = SanityBaselines(plan.sanity_baselines, over, plan.seed, exchange)
        self._work = Work(
            plan, self.measures_of, self.scorers, self._sanity_baselines, trial, watchers=watchers
        )
        super().__init__(self._work.empty().ledgers, deepcopy(watchers))
        self._size = 0
        self._on_disk: RowsOnDisk | None = None
        self._clusters = array("q")

    def walk(self, stream: Iterator[Case], engine: Engine) -> None:
        """Add all cases."""
        work = self._work_on(engine)
        for _, observed in engine.map(work.of_cases, work.batches(stream, self.watchers)):
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
        for _, observed in engine.map(self._work_on(engine).of_clusters, self._complete_clusters()):
            self._take(observed)

    def _complete_clusters(self) -> Iterator[list[Unit]]:
        """All cases that waited, in batches of complete clusters."""
        lots: Iterable[Iterable[Unit]] = [self.waiting]
        if (on_disk := self._on_disk) is not None:
            self._lay_down(on_disk)
            lots = (itertools.chain.from_iterable(on_disk.pop(lot)) for lot in list(on_disk))
        for waiting in lots:
            yield from batches.whole_clusters(sorted(waiting, key=batches.place_of), batches.BATCH)

    def _take(self, observed: Observed) -> None:
        """Add a batch; what needs a model is observed here."""
        for units, numbers in observed.unscored:
            self._work.observe(self, units, numbers, self._work.observer())
        self.add(observed)
        for (case,), origin in observed.waiting:
            if not self.plan.has_clusters:  # its seed document may not have waited
                self._clusters.append(hash_of_name(origin.cluster))
            self._size += size_of(case)
        self.waiting += observed.waiting
        if self._size > HELD:
            self._on_disk = self._on_disk or RowsOnDisk()
            self._lay_down(self._on_disk)
        for spec in observed.asked:
            self.scorers[spec]  # known from now on, for the signature
        if observed.cases and self.plan.progress is not None:
            self.plan.progress(self.cases)

    def _lay_down(self, on_disk: RowsOnDisk) -> None:
        """Move waiting cases to the disk. Raises OSError if it is full."""
        lots: dict[int, list[Unit]] = {}
        for unit in self.waiting:
            lots.setdefault(hash_of_name(unit[1].cluster) % LOTS, []).append(unit)
        for lot, units in lots.items():
            on_disk.add(lot, units)
        self.waiting, self._size = [], 0

    def systems(self) -> dict[str, SystemKind]:
        """All systems and their kinds."""
        return systems_of(ledger.origins for ledger in self.ledgers)

    def permuted(self) -> list[str]:
        """The measures whose labels were permuted in some record."""
        return [
            repr(measure)
            for ledger in self.ledgers
            if ledger.is_relabelled
            for measure in self.measures_of[ledger.observation]
        ]

    def signature(self) -> str:
        """Version, inputs, settings and scorers, which decide all numbers."""
        plan = self.plan
        digest = 0 if self.watchers is None else self.watchers.profile.digest
        return "|".join([
            f"fairbrief:{__version__}", f"inputs:{digest:016x}", f"resamples:{plan.n_resamples}", f"seed:{plan.seed}",
            f"confidence:{plan.confidence_level:g}",
            *([] if plan.n_extracts is None else [f"extracts:{plan.n_extracts}"]),
            *(["intervals:bootstrap"] if plan.intervals == "bootstrap" else []),
            *(f"{name}:{scorer.fingerprint}" for name, scorer in sorted(self.scorers.items())),
        ])  # fmt: skip

    def settings(self) -> estimating.Settings:
        """What decides the resampling of this audit."""
        plan, intervals = self.plan, self.plan.intervals or "jackknife"
        return estimating.Settings(
            plan.n_resamples, plan.seed, plan.confidence_level, plan.alpha, self.signature(), intervals
        )

    def estimates(self) -> tuple[list[Estimate], list[Estimate]]:
        """Estimates of every system and subgroup, and the paired differences between systems."""
        plan, settings = self.plan, self.settings()
        systems = self.systems()
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
        self, ledger: Ledger, compared: Sequence[Sequence[tuple[str, str]]], settings: estimating.Settings
    ) -> tuple[list[Estimate], list[Estimate]]:
        """One ledger's estimates and differences. Its plain rows, which take the most memory, are freed when it returns."""
        measures = self.measures_of[ledger.observation]
        subgroups = sorted(
            {part for kind in ledger.origins.known_kinds for part in kind.subgroups},
            key=lambda s: (len(s), s),
        )
        parts = parts_of(ledger, subgroups, settings.seed)
        made: dict[tuple[str, Subgroup], list[Estimate]] = {}
        for part, own in estimating.estimates(measures, list(parts.values()), settings):
            made[part.system, part.subgroup] = own
            ledger.drop_null(part.system, part.subgroup)
        pairs = compared if settings.n_resamples else ()
        return (
            [e for place in parts for e in made[place]],
            [e for some in pairs for e in differences(measures, parts, some, settings)],
        )

    def _adjusted(
        self, found: list[Estimate], systems: Sequence[Estimate], settings: estimating.Settings
    ) -> list[Estimate]:
        order = {repr(m): i for i, m in enumerate(self.measures)}
        found = sorted(found, key=lambda e: (bool(e.subgroup), order[e.measure]))
        adjusted = multiple_tests.with_holm(found, settings)
        return multiple_tests.with_families(with_primary(adjusted, self.plan.primary), settings, systems)


def size_of(case: Case) -> int:
    """About how many bytes a case takes in memory."""
    texts = (case.summary.text, *case.record.references, *(d.text for d in case.record.documents))
    return 1_000 + sum(300 + len(text) for text in texts)


def no_baseline(baseline: str, systems: Sequence[str]) -> RequestError:
    """The refusal of a baseline that is none of the systems."""
    return RequestError(
        f"No system named '{baseline}' to compare with.{did_you_mean(baseline, systems)} "
        f"Systems: {', '.join(systems)}."
    )
