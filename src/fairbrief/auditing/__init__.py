"""The one road: cases in, estimates with their evidence out.

Read it top down: choose the measures, carry shard after shard through ask → score → observe,
then turn the summed rows into estimates. The rooms beside this page hold one step each.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from fairbrief import __version__, registry
from fairbrief.auditing import adjusting, choosing, estimating, instruments
from fairbrief.auditing.carrying import Carried, Carrying, Shard
from fairbrief.auditing.controls import Controls, is_of
from fairbrief.auditing.evidence import evidence_table
from fairbrief.auditing.exhibits import Exhibits
from fairbrief.auditing.gathering import Gathering
from fairbrief.auditing.ledger import CONTROL, Ledger, Origin, Slice, slices_of, systems_of
from fairbrief.auditing.observing import Unit
from fairbrief.auditing.parts import parts_of
from fairbrief.auditing.scorers import Scorers
from fairbrief.auditing.sources import sample
from fairbrief.engines.mapping import Engine, ThisProcess, engine_of
from fairbrief.errors import DataError, FairbriefError, RequestError
from fairbrief.nouns import Case, Estimate, Measure, Observation, Record, Scorer, Summary, Table
from fairbrief.protocols import EvidenceProtocol, PaperProtocol
from fairbrief.readers.places import did_you_mean
from fairbrief.reports.result import LeftOut, Result
from fairbrief.text.counted import counted

HEAD = 200
"""Cases that are looked at to see which measures the input allows."""
SHARD = 256
"""Cases that are carried together. Chance labellings are summed shard by shard: it decides their last digit."""
SAMPLE = "sample"
"""Record attribute that names the sampled assignment; its records (a pair, say) are resampled together."""

__all__ = ["Plan", "audit", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an audit is asked to do; every field that decides a number is recorded in the result.

    ``measures`` are spellings or objects; empty: all that the input allows. ``slices`` are groupings
    by record attributes, ``("tweets",)`` or ``("tweets", "ratio")``. ``controls`` names the texts
    that are audited beside the systems. ``draws`` counts resamples and chance labellings alike; 0
    gives values alone. ``skips`` leaves a case that a measure cannot read out, counted, instead of
    ending the audit. ``check_instruments`` lets the judges read counterfactual sources, alike but for the
    group, beside the audit: None those that hold no model, True all, False none (see `auditing.instruments`).
    ``workers`` counts the processes that ask, score and observe: 1 is this one alone, 0 stands for one a
    core; they change no digit. Observations that need a model stay here.
    """

    measures: Sequence[str | Measure] = ()
    attributes: Sequence[str] = ()
    protocol: str | None = None
    slices: Sequence[Sequence[str]] = ()
    controls: Sequence[str] = ()
    baseline: str | None = None
    seed: int = 0
    draws: int = 2000
    level: float = 0.95
    alpha: float = 0.05
    skips: bool = False
    check_instruments: bool | None = None
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    wrap: Callable[[Scorer], Scorer] | None = None
    progress: Callable[[int], None] | None = None
    workers: int = 1


def audit(cases: Iterable[Case], plan: Plan) -> Result:
    """Audit summaries; raise RequestError or DataError where that cannot be done."""
    started = time.monotonic()
    head, stream = _peek(cases)
    if _lacks_baseline(cases, plan.baseline, head):
        head, stream = _peek(cases)  # it was read to its end
    protocol = registry.make("protocol", plan.protocol) if plan.protocol else None
    _check_slices(plan.slices, head)
    choice = _choose(plan, protocol, head)
    plan = replace(plan, slices=_with_slices_of(protocol, plan.slices, head))
    road = _Road(plan, choice.measures)
    checks, unchecked = instruments.plan_checks(
        choice.measures, head, road.scorers, wanted=plan.check_instruments
    )
    sources = sample(plan.seed, wanted=plan.check_instruments)
    road.walk(sources.watch(stream) if checks else stream, engine_of(plan.workers))
    estimates, gaps = road.estimates()
    checked = instruments.take(checks, sources, road.scorers, road.settings())
    estimates = instruments.with_instruments(estimates, checks, checked, plan.alpha)
    evidence = evidence_table([*road.ledgers, *checked.ledgers], {**road.readers, **checked.readers})
    tables = _tables(protocol, estimates, evidence) if protocol is not None else ()
    return Result(
        estimates=(*estimates, *checked.estimates),
        differences=tuple(gaps),
        evidence=evidence,
        exhibits=tuple(road.exhibits.shown([s for s in road.systems() if not s.startswith(CONTROL)])),
        tables=tables,
        left_out=(*choice.left_out, *unchecked, *checked.left_out),
        made=_made(plan, road, head, time.monotonic() - started),
    )


def check(records: Iterable[Record], plan: Plan) -> None:
    """Refuse, before summaries of the records are made, what `audit` would refuse of any summaries of them.

    Raises RequestError for measures, attributes, scorers, slices, controls or a protocol that cannot be.
    """
    head = [Case(record, Summary(record.id, "", "")) for record in itertools.islice(records, HEAD)]
    protocol = registry.make("protocol", plan.protocol) if plan.protocol else None
    _check_slices(plan.slices, head)
    Controls(plan.controls, (), plan.seed)
    choice = _asked(plan, protocol, head) or choosing.fitting(head, plan.attributes)
    choosing.check_scorers(choice.measures, plan.scorers)


# ------------------------------------------------------------------------------------- the steps


def _peek(cases: Iterable[Case]) -> tuple[list[Case], Iterator[Case]]:
    stream = iter(cases)
    head = list(itertools.islice(stream, HEAD))
    if not head:
        raise DataError("There is no summary to audit: the input has no record.")
    return head, itertools.chain(head, stream)


def _lacks_baseline(cases: Iterable[Case], baseline: str | None, head: Sequence[Case]) -> bool:
    """Whether the baseline is none of the first cases' systems; RequestError where it is none of all.

    Then the cases are read to their end, if they can be read twice: to refuse it costs less than to score them.
    """
    known = dict.fromkeys(case.summary.system for case in head)
    if baseline is None or baseline in known or baseline.startswith(CONTROL) or isinstance(cases, Iterator):
        return False
    for case in cases:
        if case.summary.system == baseline:
            return True
        known[case.summary.system] = None
    raise _no_baseline(baseline, list(known))


def _no_baseline(baseline: str, systems: Sequence[str]) -> RequestError:
    return RequestError(
        f"No system named '{baseline}' to compare with.{did_you_mean(baseline, systems)} "
        f"Systems: {', '.join(systems)}."
    )


def _check_slices(slices: Sequence[Sequence[str]], head: Sequence[Case]) -> None:
    """An attribute that no record among the first has is taken to be misspelt."""
    known = {name for case in head for name in case.record.attributes}
    for i, names in enumerate(slices):
        if len(set(names)) < len(names):
            raise RequestError(f"A slice by {', '.join(names)} names an attribute twice: name each once.")
        if set(names) in [set(others) for others in slices[:i]]:
            raise RequestError(f"The slice by {', '.join(names)} is asked for twice: ask for it once.")
    for name in dict.fromkeys(name for names in slices for name in names):
        if name not in known:
            raise RequestError(
                f"No record of the first {counted(len(head), 'summary', 'summaries')} has the attribute '{name}' to slice by."
                f"{did_you_mean(name, known)} Found: {', '.join(sorted(known)) or 'none'}."
            )


def _with_slices_of(
    protocol: Any, slices: Sequence[Sequence[str]], head: Sequence[Case]
) -> tuple[tuple[str, ...], ...]:
    """The slices asked for, and those that a protocol's tables are divided by, where the records have them."""
    known = {name for case in head for name in case.record.attributes}
    own = [tuple(names) for names in getattr(protocol, "slices", ()) if set(names) <= known]
    return tuple(dict.fromkeys([*(tuple(names) for names in slices), *own]))


def _choose(plan: Plan, protocol: Any, head: Sequence[Case]) -> choosing.Choice:
    """The measures asked for, or the protocol's, or all that the input allows."""
    return _asked(plan, protocol, head) or _allowed(plan, head)


def _asked(plan: Plan, protocol: Any, head: Sequence[Case]) -> choosing.Choice | None:
    """The measures asked for, or the protocol's; None where none are named."""
    attributes = tuple(plan.attributes)
    if protocol is not None:
        known = choosing.attributes_of(head)
        of_its_kind = tuple(known[getattr(protocol, "reads", "document")])
        return choosing.named(protocol.measures(attributes or of_its_kind), attributes, head)
    if plan.measures:
        spelled = [m for m in plan.measures if isinstance(m, str)]
        built = [m for m in plan.measures if not isinstance(m, str)]
        measures = (*choosing.named(spelled, attributes, head).measures, *built)
        over = {getattr(measure, "over", None) for measure in measures}
        choosing.check_attributes([name for name in attributes if name not in over], head)
        return choosing.Choice(measures)
    return None


def _allowed(plan: Plan, head: Sequence[Case]) -> choosing.Choice:
    """All measures that the input allows, and that can read one of its first cases at least."""
    choice = choosing.fitting(head, tuple(plan.attributes))
    trial = _Road(replace(plan, draws=0, controls=(), skips=True, progress=None), choice.measures, trial=True)
    trial.walk(iter(head), ThisProcess())
    observed = {ledger.observation: ledger for ledger in trial.ledgers}
    kept = tuple(m for m in choice.measures if len(observed[m.observation].matrix()))
    dropped = tuple(
        LeftOut(repr(m), _commonest_reason(observed[m.observation])) for m in choice.measures if m not in kept
    )
    if not kept:
        said = "; ".join(f"{out.measure}: {out.reason}" for out in (*dropped, *choice.left_out))
        raise RequestError(f"No measure can read this input. {said}")
    return choosing.Choice(kept, (*dropped, *choice.left_out))


def _tables(protocol: PaperProtocol, estimates: Sequence[Estimate], evidence: pa.Table) -> tuple[Table, ...]:
    tables = tuple(protocol.tables(estimates))
    if isinstance(protocol, EvidenceProtocol):
        tables += tuple(protocol.evidence_tables(evidence))
    return tables


def _commonest_reason(ledger: Ledger) -> str:
    names = list(ledger.known_reasons)
    return names[Counter(ledger.reasons).most_common(1)[0][0]] if ledger.reasons else "no summary"


class _Road:
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
        self._groupings = list(dict.fromkeys(tuple(names) for names in plan.slices))
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
            raise _no_baseline(plan.baseline, systems)
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


def _made(plan: Plan, road: _Road, head: Sequence[Case], seconds: float) -> dict[str, Any]:
    known = choosing.attributes_of(head)
    return {
        "version": __version__,
        "records": len(np.unique(np.frombuffer(road.ids, dtype=np.int64))),
        "summaries": road.cases,
        "systems": [s for s in road.systems() if not s.startswith(CONTROL)],
        "controls": [s for s in road.systems() if s.startswith(CONTROL)],
        "attributes": {
            reader: {n: sorted(v)[:20] for n, v in found.items()} for reader, found in known.items() if found
        },
        "measures": [repr(m) for m in road.measures],
        "protocol": plan.protocol,
        "slices": [list(s) for s in plan.slices],
        "seed": plan.seed,
        "draws": plan.draws,
        "level": plan.level,
        "alpha": plan.alpha,
        "check_instruments": plan.check_instruments,
        "seconds": round(seconds, 3),
    }
