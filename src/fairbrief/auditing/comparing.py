"""Two saved audits side by side, paired by record: from their evidence alone."""

from __future__ import annotations

from collections.abc import Sequence

from fairbrief.auditing import estimating, parts
from fairbrief.auditing.evidence import ledgers_from
from fairbrief.auditing.ledger import CONTROL, WHOLE, Ledger, widened
from fairbrief.errors import RequestError
from fairbrief.nouns import Estimate, Measure
from fairbrief.reports.result import Result


def compare(
    candidate: Result, baseline: Result, settings: estimating.Settings | None = None
) -> list[Estimate]:
    """Paired differences, candidate minus baseline, of every measure that both audits took.

    Each audit is to hold one system (or the two share system names, which are then compared one by
    one). Raises RequestError where nothing can be compared: no common measure, system or record.
    """
    settings = settings or _settings(candidate)
    ours = {repr(m): (ledger, m) for ledger, measures in ledgers_from(candidate.evidence) for m in measures}
    theirs = {repr(m): (ledger, m) for ledger, measures in ledgers_from(baseline.evidence) for m in measures}
    common = [spelled for spelled in ours if spelled in theirs]
    if not common:
        raise RequestError(
            f"The two audits have no measure in common: {', '.join(ours)} and {', '.join(theirs)}. "
            "Audit both with the same --measure."
        )
    found: list[Estimate] = []
    for spelled in common:
        (a, measure), (b, _) = ours[spelled], theirs[spelled]
        for first, second in _systems(a, b):
            found += _differences(measure, a, b, first, second, settings)
    if not found:
        raise RequestError(
            "The two audits have fewer than two records in common that both could be measured on."
        )
    return found


def _settings(result: Result) -> estimating.Settings:
    made = result.made
    return estimating.Settings(
        draws=int(made.get("draws") or 2000),
        seed=int(made.get("seed") or 0),
        level=float(made.get("level") or 0.95),
        signature=f"fairbrief:{made.get('version', '')}|compared",
    )


def _systems(a: Ledger, b: Ledger) -> Sequence[tuple[str, str]]:
    ours, theirs = (
        list(dict.fromkeys(o.system for o in ledger.origins if not o.system.startswith(CONTROL)))
        for ledger in (a, b)
    )
    if not ours or not theirs:
        return []  # controls alone: an instrument, read on sources that no system wrote
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])]
    shared = [s for s in ours if s in theirs]
    if not shared:
        raise RequestError(
            f"It is not clear which systems to compare: {', '.join(ours)} with {', '.join(theirs)}. "
            "Give each audit one system, or the same names in both."
        )
    return [(s, s) for s in shared]


def _differences(
    measure: Measure, a: Ledger, b: Ledger, first: str, second: str, settings: estimating.Settings
) -> list[Estimate]:
    """One pair of systems; the second one's columns are placed as the first one's are."""
    for column in b.columns:
        a.columns.setdefault(column, len(a.columns))
    for column in a.columns:
        b.columns.setdefault(column, len(b.columns))
    ours, theirs = parts.parts_of(a, ())[first, WHOLE], parts.parts_of(b, ())[second, WHOLE]
    place = [b.columns[column] for column in a.columns]
    theirs = parts.with_sums(theirs, widened(theirs.sums, len(b.columns))[:, place])
    ours = parts.with_sums(ours, widened(ours.sums, len(a.columns)))
    answered = set(ours.clusters) & set(theirs.clusters)
    return estimating.difference([measure], ours, theirs, answered, settings)
