"""The ledgers of one audit, the shards on their way into them, and the estimates that come out."""

from __future__ import annotations

import hashlib
import itertools
import sys
from array import array
from collections.abc import Iterator, Sequence

from fairbrief import __version__
from fairbrief.auditing import adjusting, estimating
from fairbrief.auditing.carrying import Carried, Carrying, Shard
from fairbrief.auditing.controls import Controls, is_of
from fairbrief.auditing.exhibits import Exhibits
from fairbrief.auditing.gathering import Gathering
from fairbrief.auditing.ledger import CONTROL, Ledger, Origin, Slice, slices_of, systems_of
from fairbrief.auditing.observing import Unit
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.plan import Plan
from fairbrief.auditing.scorers import Scorers
from fairbrief.engines.mapping import Engine, ThisProcess
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.nouns import Case, Estimate, Measure, Observation, Record
from fairbrief.readers.places import did_you_mean

SHARD = 256
"""Cases that are carried together. Chance labellings are summed shard by shard: it decides their last digit."""
SAMPLE = "sample"
"""Record attribute that names the sampled assignment; its records (a pair, say) are resampled together."""


class Road:
    """The ledgers of one audit, and the shards on their way into them."""

    def __init__(self, plan: Plan, measures: Sequence[Measure], *, trial: bool = False) -> None:
        over = [str(a) for a in dict.fromkeys(getattr(m, "over", "") for m in measures) if a]
        self._controls = Controls(plan.controls, over, plan.seed)
        self.plan = plan
        self.measures = measures
        self.readers: dict[Observation, list[Measure]] = {}
        for measure in measures:
            self.readers.setdefault(measure.observation, []).append(measure)
        self.ledgers = [Ledger(observation, plan.draws) for observation in self.readers]
        self.exhibits = Exhibits(self.readers)
        self.cases = 0
        self.ids = array("q")
        self._groupings = [tuple(names) for names in plan.slices]
        self._gathering = Gathering(sorted({o.scope for o in self.readers if o.scope != "case"}))
        self._slices: dict[tuple[Slice, ...], tuple[Slice, ...]] = {}
        self._digest = hashlib.blake2b(digest_size=8)
        self.scorers = Scorers(plan.scorers, plan.wrap)
        self._carrying = Carrying(
            tuple(self.readers), self.scorers, plan.draws, plan.seed, skips=plan.skips, trial=trial
        )

    def walk(self, stream: Iterator[Case], engine: Engine) -> None:
        """All cases into the ledgers."""
        is_here = isinstance(engine, ThisProcess)
        carrying = self._carrying if is_here else self._carrying.elsewhere(self.measures)
        for shard, carried in engine.map(carrying, self._shards(stream)):
            self._write(shard, carried)

    def _shards(self, stream: Iterator[Case]) -> Iterator[Shard]:
        """Single cases as they come; then what had to wait until all variants of an original were read."""
        while batch := list(itertools.islice(stream, SHARD)):
            yield Shard("case", self._placed(batch), len(batch))
        for scope in self._gathering.scopes:
            waiting = self._gathering.units(scope)
            while units := list(itertools.islice(waiting, SHARD)):
                yield Shard(scope, units)
        self._gathering.clear()

    def _placed(self, batch: Sequence[Case]) -> list[Unit]:
        """The cases and their controls, each a unit; what is observed together is put aside, too."""
        for case in batch:
            self._sign(case)
        placed: list[Unit] = []
        for case in self._controls.beside(batch):
            origin = self._origin(case)
            placed.append(((case,), origin))
            self._gathering.put(case, origin)
        return placed

    def _write(self, shard: Shard, carried: Carried) -> None:
        """What was observed of a shard into the ledgers; an error where its observation stands."""
        draws = self._carrying.label_draws()
        for ledger, outcome in zip(self.ledgers, carried.outcomes, strict=False):
            if isinstance(outcome, FairbriefError):
                raise outcome
            sheet = outcome if outcome is not None else self._carrying.sheet(ledger.observation, shard, draws)
            units = shard.of(ledger.observation)
            self.exhibits.consider(ledger.observation, sheet, units)
            ledger.absorb(sheet, [origin for _, origin in units])
        for spelling in carried.scorers:
            self.scorers[spelling]  # known from now on, for the signature
        if shard.scope == "case":
            self.cases += shard.cases
            if self.plan.progress is not None:
                self.plan.progress(self.cases)

    def systems(self) -> list[str]:
        return systems_of(self.ledgers)

    def signature(self) -> str:
        inputs, plan = self._digest.hexdigest(), self.plan
        scored = "".join(f"|{name}:{s.fingerprint}" for name, s in sorted(self.scorers.items()))
        return f"fairbrief:{__version__}|inputs:{inputs}|draws:{plan.draws}|seed:{plan.seed}|level:{plan.level:g}{scored}"

    def settings(self) -> estimating.Settings:
        """What decides the resampling of this audit."""
        plan = self.plan
        return estimating.Settings(plan.draws, plan.seed, plan.level, plan.alpha, self.signature())

    def estimates(self) -> tuple[list[Estimate], list[Estimate]]:
        """Estimates of every system and slice, and the paired differences between systems."""
        plan, settings = self.plan, self.settings()
        systems = self.systems()
        if plan.baseline is not None and plan.baseline not in systems:
            raise no_baseline(plan.baseline, systems)
        real = [s for s in systems if not s.startswith(CONTROL)]
        pairs = estimating.pairs_of(real, plan.baseline)
        with_control = [[(s, c)] for s in real for c in systems if c.startswith(CONTROL) and is_of(c, s)]
        found: list[Estimate] = []
        gaps: list[Estimate] = []
        for ledger in self.ledgers:
            self._estimate(ledger, [pairs, *with_control], settings, found, gaps)
        return self._adjusted(found, settings), self._adjusted(gaps, settings)

    def _estimate(
        self,
        ledger: Ledger,
        compared: Sequence[Sequence[tuple[str, str]]],
        settings: estimating.Settings,
        found: list[Estimate],
        gaps: list[Estimate],
    ) -> None:
        """One ledger's estimates and differences. Its plain rows, the largest thing of all, go when it returns."""
        measures = self.readers[ledger.observation]
        slices = sorted(
            {part for origin in ledger.origins for part in origin.slices}, key=lambda s: (len(s), s)
        )
        parts = parts_of(ledger, slices)
        for part in parts.values():
            found += estimating.estimate(measures, part, settings)
        if settings.draws:
            for pairs in compared:
                gaps += estimating.differences(measures, parts, pairs, settings)

    def _adjusted(self, found: list[Estimate], settings: estimating.Settings) -> list[Estimate]:
        order = {repr(m): i for i, m in enumerate(self.measures)}
        headlines = {repr(m): m.name for m in self.measures}
        found = sorted(found, key=lambda e: (bool(e.slice), order[e.measure]))
        families = [
            adjusting.family_of(
                e,
                is_headline=e.quantity == headlines[e.measure],
                is_control=e.system.startswith(CONTROL) or e.baseline.startswith(CONTROL),
            )
            for e in found
        ]
        return adjusting.with_holm(found, families, settings)

    def _origin(self, case: Case) -> Origin:
        parts = slices_of(case.record.attributes, self._groupings)
        parts = self._slices.setdefault(parts, parts)
        # Interned: a system's name comes anew with every line, an original's id with every variant.
        record = case.record.id
        original = case.record.original
        system = sys.intern(case.summary.system)
        if original is None:
            return Origin(system, record, record, parts)
        block = case.record.attributes.get(SAMPLE, record)
        return Origin(system, record, sys.intern(original), parts, sys.intern(block))

    def _sign(self, case: Case) -> None:
        record: Record = case.record
        if case.summary.system.startswith(CONTROL):
            raise DataError(
                f"{record.where or 'input'} (id {record.id!r}): found the system {case.summary.system!r}; "
                f"'{CONTROL}' begins the names of controls; rename the system."
            )
        self.ids.append(hash(record.id))
        for text in (record.id, case.summary.system, case.summary.text, *(d.text for d in record.documents)):
            self._digest.update(text.encode("utf-8", "surrogatepass"))
            self._digest.update(b"\0")


def no_baseline(baseline: str, systems: Sequence[str]) -> RequestError:
    """The refusal of a baseline that is none of the systems."""
    return RequestError(
        f"No system named '{baseline}' to compare with.{did_you_mean(baseline, systems)} "
        f"Systems: {', '.join(systems)}."
    )
