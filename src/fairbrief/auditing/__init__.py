"""The one road: cases in, estimates with their evidence out.

Read it top down: choose the measures, carry shard after shard through ask → score → observe,
then turn the summed rows into estimates. The rooms beside this page hold one step each.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from fairbrief import __version__, registry
from fairbrief.auditing import choosing, instruments
from fairbrief.auditing.controls import Controls
from fairbrief.auditing.evidence import evidence_table
from fairbrief.auditing.ledger import CONTROL, Ledger
from fairbrief.auditing.plan import Plan
from fairbrief.auditing.road import Road, no_baseline
from fairbrief.auditing.sources import sample
from fairbrief.engines.mapping import ThisProcess, engine_of
from fairbrief.errors import DataError, RequestError
from fairbrief.nouns import Case, Estimate, Record, Summary, Table
from fairbrief.protocols import EvidenceProtocol, PaperProtocol
from fairbrief.readers.places import did_you_mean
from fairbrief.reports.result import LeftOut, Result
from fairbrief.text.counted import counted

HEAD = 200
"""Cases that are looked at to see which measures the input allows."""

__all__ = ["Plan", "audit", "check"]


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
    road = Road(plan, choice.measures)
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
    raise no_baseline(baseline, list(known))


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
    trial = Road(replace(plan, draws=0, controls=(), skips=True, progress=None), choice.measures, trial=True)
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


def _made(plan: Plan, road: Road, head: Sequence[Case], seconds: float) -> dict[str, Any]:
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
