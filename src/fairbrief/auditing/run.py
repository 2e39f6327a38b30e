"""The ledgers of one audit, the shards on their way into them, and the estimates that come out."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

import numpy as np

from fairbrief import __version__
from fairbrief.auditing import estimating, multiple_tests
from fairbrief.auditing.differences import differences, pairs_of
from fairbrief.auditing.examples import TopCases
from fairbrief.auditing.grouping import (
    ClusterBuffer,
    Scope,
    by_observation,
    gathered,
    letters_of,
    place_of,
    shared_by,
)
from fairbrief.auditing.ledger import Ledger, sort
from fairbrief.auditing.multiple_tests import with_primary
from fairbrief.auditing.observing import Unit
from fairbrief.auditing.origins import Origin, Origins, Subgroup, subgroups_of, systems_of
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.sanity_baselines import (
    SANITY_PREFIX,
    Exchange,
    SanityBaselines,
    names_a_sanity_baseline,
)
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.shards import Observed, Shard, ShardWork, Sheets
from fairbrief.auditing.system_runs import id_of
from fairbrief.engines import Engine, ThisProcess
from fairbrief.errors import DataError, RequestError
from fairbrief.plan import Plan
from fairbrief.readers.messages import did_you_mean
from fairbrief.text.hashes import digest_of, hash_of_name
from fairbrief.types import Case, Estimate, Measure, SystemKind

SHARD, LETTERS = 512, 1 << 19
"""Cases per batch; fewer if texts are long: up to this many characters, at least one."""
FIRST_SHARD = 32
"""The same at first where workers hold the models: scoring takes long, and all workers are to have some of a short input."""
SAMPLE = "sample"
"""Record attribute that names the sampled assignment; its records (e.g. a pair) are resampled together."""


DIGESTS = 2**64
"""How many digests of inputs there are."""


class PartedClusters(Exception):
    """Records that vary others came so late that their originals did not wait for them."""


class Run(Observed):
    """The ledgers of one audit, and the shards on their way into them."""

    def __init__(
        self,
        plan: Plan,
        measures: Sequence[Measure],
        *,
        trial: bool = False,
        part_scorers: Scorers | None = None,
        exchange: Exchange | None = None,
        top_cases: TopCases | None = None,
    ) -> None:
        """``part_scorers`` are the scorers of a run over a part of the input, which is then merged into another run.

        ``top_cases`` are those of the other run, if it is in this process: fewer cases then need exact values.

        ``exchange`` has all summaries, for the sanity baseline ``exchanged``.
        """
        over = [str(a) for a in dict.fromkeys(getattr(m, "over", "") for m in measures) if a]
        self._sanity_baselines = SanityBaselines(plan.sanity_baselines, over, plan.seed, exchange)
        self.exchange = exchange
        self.plan = plan
        self.measures = measures
        self.readers = by_observation(measures)
        super().__init__(
            [Ledger(observation, plan.n_resamples) for observation in self.readers],
            TopCases(self.readers) if top_cases is None else top_cases,
        )
        self._groupings = [tuple(names) for names in plan.by]
        self._scopes = sorted({o.declaration.scope for o in self.readers if o.declaration.scope != "case"})
        self._buffer = ClusterBuffer()
        self._clusters = array("q")
        self._is_part = part_scorers is not None
        self.scorers = Scorers(plan.scorers, plan.wrap) if part_scorers is None else part_scorers
        self._work = ShardWork(
            tuple(self.readers), self.scorers, plan.n_resamples, plan.seed, skips=plan.skips, trial=trial,
            n_extracts=plan.n_extracts if plan.n_resamples else 0,
        )  # fmt: skip

    def walk(self, stream: Iterator[Case], engine: Engine) -> None:
        """All cases into the ledgers."""
        self._carry(itertools.chain(self._single(stream), self._gathered()), engine)

    def walk_part(self, stream: Iterator[Case]) -> Observed:
        """The cases of a part, observed in this process; what has to wait for other parts is put aside."""
        self._carry(self._single(stream), ThisProcess())
        for ledger in self.ledgers:
            ledger.pack()
        self.asked = tuple(self.scorers)
        return Observed(**{f.name: getattr(self, f.name) for f in fields(Observed)})

    def take(self, part: Observed) -> None:
        """What a run over a part found, as if its cases came here next."""
        for i, shard in part.unscored:
            scored = self._work.sheet(self.ledgers[i].observation, shard, self._work.random_draws())
            self._absorb(self.ledgers[i], scored, shard, {})
        if part.top_cases is not self.top_cases:
            self.top_cases.merge(part.top_cases)
        for ledger, of_part in zip(self.ledgers, part.ledgers, strict=True):
            ledger.absorb(of_part, of_part.whose or ())
        for case, origin in part.aside:
            self._wait(case, origin)
        for spec in part.asked:
            self.scorers[spec]
        self.summaries.update(part.summaries)
        for system, reasons in part.without_text.items():
            self.without_text[system].update(reasons)
        self.ids.extend(part.ids)
        self.digest = (self.digest + part.digest) % DIGESTS
        self._progress(part.cases)

    def finish(self, engine: Engine) -> None:
        """What had to wait until all parts were taken."""
        self._carry(self._gathered(), engine)

    def sort(self) -> None:
        """All that was observed into the one order that no order and no parting of the input changes."""
        sort(self.ledgers)
        self.summaries = Counter({name: self.summaries[name] for name in sorted(self.summaries)})
        for name in sorted(self.without_text):
            self.without_text[name] = Counter(dict(sorted(self.without_text.pop(name).items())))

    def work_elsewhere(self) -> ShardWork:
        """The work on a shard as it can be sent to other processes."""
        return self._work.elsewhere(self.measures, makes_models=self.plan.models_in_workers)

    def _carry(self, shards: Iterator[Shard], engine: Engine) -> None:
        work = self._work if isinstance(engine, ThisProcess) else self.work_elsewhere()
        for shard, sheets in engine.map(work, shards):
            self._write(shard, sheets)

    def _single(self, stream: Iterator[Case]) -> Iterator[Shard]:
        """Single cases as they come."""
        grows = self.plan.models_in_workers and not self._is_part
        taken = 0
        for first in stream:
            many = min(SHARD, max(1, LETTERS // max(1, letters_of(first))))
            if grows:
                many = min(many, max(FIRST_SHARD, taken // 8))
            batch = [first, *itertools.islice(stream, many - 1)]
            taken += len(batch)
            yield Shard("case", self._placed(batch), len(batch))

    def _gathered(self) -> Iterator[Shard]:
        """What had to wait until all records of a cluster were read; `PartedClusters` where some did not wait."""
        ids, clusters = (np.frombuffer(of, dtype=np.int64) for of in (self.ids, self._clusters))
        if len(clusters) and np.isin(clusters, ids).any():
            raise PartedClusters
        for waited in self._buffer.take():
            shared = sorted((((case,), o) for case, o in waited if o.is_shared), key=place_of)
            for units in _with_whole_clusters(shared):
                yield Shard("case", units)
            for scope in self._scopes:
                for units in _with_whole_clusters(gathered(waited, scope)):
                    yield Shard(scope, units)

    def _wait(self, case: Case, origin: Origin) -> None:
        """Put aside what shares a cluster with others."""
        if (
            origin.is_shared and not self.plan.has_clusters
        ):  # then a seed document may have come that did not wait
            self._clusters.append(hash_of_name(origin.cluster))
        self._buffer.put(case, origin)

    def _waits(self, case: Case, origin: Origin) -> bool:
        """Whether the case is observed together with others, or shares a cluster with others."""
        if origin.is_shared or not self._scopes:
            return origin.is_shared
        return any(shared_by(case, scope) is not None for scope in self._scopes)

    def _placed(self, batch: Sequence[Case]) -> list[Unit]:
        """The cases and their sanity baselines as units; clusters that are observed together are also set aside."""
        self._sign(batch)
        placed: list[Unit] = []
        for case in self._sanity_baselines.beside(batch) if self.plan.sanity_baselines else batch:
            origin = self._origin(case)
            if not origin.is_shared:
                placed.append(((case,), origin))
            if self._waits(case, origin):
                if self._is_part:
                    self.aside.append((case, origin))
                else:
                    self._wait(case, origin)
        return placed

    def _write(self, shard: Shard, sheets: Sheets) -> None:
        """What was observed of a shard into the ledgers."""
        random = self._work.random_draws()
        whose: dict[Scope, Origins] = {}
        written, asked = sheets
        for i, (ledger, sheet) in enumerate(zip(self.ledgers, written, strict=True)):
            if sheet is None and self._is_part:
                self.unscored.append((i, shard))
                continue
            own = sheet if sheet is not None else self._work.sheet(ledger.observation, shard, random)
            self._absorb(ledger, own, shard, whose)
        for spec in asked:
            self.scorers[spec]  # known from now on, for the signature
        if shard.scope == "case":
            self._progress(shard.cases)

    def _absorb(self, ledger: Ledger, sheet: Ledger, shard: Shard, whose: dict[Scope, Origins]) -> None:
        """Append one observation's rows of a shard; ``whose`` has the shared origins by scope."""
        units, scope = shard.of(ledger.observation), ledger.observation.declaration.scope
        self.top_cases.offer(ledger.observation, sheet, units)
        if scope not in whose:
            whose[scope] = Origins.by_column(origin for _, origin in units)
        ledger.absorb(sheet, [whose[scope]])

    def _progress(self, cases: int) -> None:
        self.cases += cases
        if self.plan.progress is not None:
            self.plan.progress(self.cases)

    def records(self) -> int:
        """How many records were summarized."""
        ids = np.sort(np.frombuffer(self.ids, dtype=np.int64))  # several times as fast as np.unique
        return int(np.count_nonzero(ids[1:] != ids[:-1])) + bool(len(ids))

    def systems(self) -> dict[str, SystemKind]:
        """All systems and their kinds."""
        return systems_of(ledger.origins for ledger in self.ledgers)

    def permuted(self) -> list[str]:
        """The measures whose labels were permuted in some record."""
        return [
            repr(measure)
            for ledger in self.ledgers
            if ledger.is_relabelled
            for measure in self.readers[ledger.observation]
        ]

    def signature(self) -> str:
        inputs, plan = f"{self.digest:016x}", self.plan
        scored = "".join(f"|{name}:{s.fingerprint}" for name, s in sorted(self.scorers.items()))
        return f"fairbrief:{__version__}|inputs:{inputs}|resamples:{plan.n_resamples}|seed:{plan.seed}|confidence:{plan.confidence_level:g}{self._readings()}{scored}"

    def _readings(self) -> str:
        """What of the plan moves numbers and is not as by default."""
        extracts = "" if self.plan.n_extracts is None else f"|extracts:{self.plan.n_extracts}"
        return extracts + ("|intervals:bootstrap" if self.plan.intervals == "bootstrap" else "")

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
        """One ledger's estimates and differences. Its plain rows, the largest thing of all, go when it returns."""
        measures = self.readers[ledger.observation]
        subgroups = sorted(
            {part for kind in ledger.origins.kinds()[1] for part in kind.subgroups}, key=lambda s: (len(s), s)
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
        main_values = {repr(m): m.name for m in self.measures}
        found = sorted(found, key=lambda e: (bool(e.subgroup), order[e.measure]))
        families = (
            multiple_tests.family_of(
                e,
                is_main_value=e.quantity == main_values[e.measure],
                is_sanity_baseline=e.system_kind != "system" or e.baseline_kind not in (None, "system"),
            )
            for e in found
        )
        adjusted = multiple_tests.with_holm(found, families, settings)
        return multiple_tests.with_families(with_primary(adjusted, self.plan.primary), settings, systems)

    def _origin(self, case: Case) -> Origin:
        record, system, kind = case.record, case.summary.system, case.summary.system_kind
        own, cluster, block = record.attributes, record.cluster, ""
        parts = subgroups_of(own, self._groupings) if self._groupings else ()
        attributes = tuple(sorted(own.items())) if own else ()
        if record.seed_document is not None:
            block = own.get(SAMPLE, record.id) if record.cluster_by is None else record.block
        is_shared = self.plan.has_clusters or cluster != record.id
        return Origin(system, record.id, cluster, parts, block, is_shared, kind, attributes)

    def _sign(self, batch: Sequence[Case]) -> None:
        """Note what came: ids, counts by system, and a hash of the texts."""
        for case in batch:
            record, summary = case.record, case.summary
            system = summary.system
            if system not in self.summaries and names_a_sanity_baseline(system):
                raise DataError(
                    f"{record.where or 'input'} (id {record.id!r}): found the system {system!r}; "
                    f"'{SANITY_PREFIX}' begins the names of sanity baselines; rename the system."
                )
            self.summaries[system] += 1
            if summary.reason:
                self.without_text[system][summary.reason] += 1
            self.ids.append(hash_of_name(id_of(record)))
            signed = digest_of((record.id, system, summary.text, *[d.text for d in record.documents]))
            # A sum, so that no order and no parting of the input changes it.
            self.digest += int.from_bytes(signed, "little")
        self.digest %= DIGESTS


def _with_whole_clusters(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Lists of units, sorted by cluster, that never split a cluster."""
    found: list[Unit] = []
    for _, of_cluster in itertools.groupby(units, key=lambda unit: unit[1].cluster):
        found += of_cluster
        if len(found) >= SHARD:
            yield found
            found = []
    if found:
        yield found


def no_baseline(baseline: str, systems: Sequence[str]) -> RequestError:
    """The refusal of a baseline that is none of the systems."""
    return RequestError(
        f"No system named '{baseline}' to compare with.{did_you_mean(baseline, systems)} "
        f"Systems: {', '.join(systems)}."
    )
