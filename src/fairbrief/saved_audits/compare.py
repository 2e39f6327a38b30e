"""Two saved audits side by side, paired by record: from their evidence alone."""

from __future__ import annotations

from collections.abc import Sequence

from fairbrief.auditing import estimating
from fairbrief.auditing.differences import difference
from fairbrief.auditing.evidence_table import ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import WHOLE
from fairbrief.auditing.parts import part_of_sums, parts_of
from fairbrief.auditing.source_hashes import hash_of
from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Measure


def compare(
    candidate: Result,
    baseline: Result,
    settings: estimating.Settings | None = None,
    *,
    system: str | None = None,
    against: str | None = None,
) -> list[Estimate]:
    """Paired differences, candidate minus baseline, of every measure that both audits took.

    Each audit is to hold one system (or the two share system names, which are then compared one by
    one); else ``system`` names the candidate's and ``against`` the baseline's (None: the same name, or the only
    one). Raises RequestError where nothing can be compared: no common measure, system or record.
    """
    settings = settings or _settings(candidate)
    ours = {repr(m): (ledger, m) for ledger, measures in ledgers_from(candidate.rows) for m in measures}
    theirs = {repr(m): (ledger, m) for ledger, measures in ledgers_from(baseline.rows) for m in measures}
    common = [spelled for spelled in ours if spelled in theirs]
    if not common:
        raise RequestError(
            f"The two audits have no measure in common: {', '.join(ours)} and {', '.join(theirs)}. "
            "Audit both with the same --measure."
        )
    together: dict[tuple[int, int], list[str]] = {}
    for spelled in common:  # measures of one observation are compared together: what they share is said once
        together.setdefault((id(ours[spelled][0]), id(theirs[spelled][0])), []).append(spelled)
    found: list[Estimate] = []
    for several in together.values():
        (a, _), (b, _) = ours[several[0]], theirs[several[0]]
        measures = [ours[spelled][1] for spelled in several]
        for first, second in _systems(a, b, system, against):
            found += _differences(measures, a, b, first, second, settings)
    if not found:
        raise RequestError(
            "The two audits have fewer than two records in common that both could be measured on."
        )
    return found


def _settings(result: Result) -> estimating.Settings:
    made = result.made
    return estimating.Settings(
        n_resamples=int(made.get("n_resamples") or 2000),
        seed=int(made.get("seed") or 0),
        confidence_level=float(made.get("confidence_level") or 0.95),
        signature=f"fairbrief:{made.get('version', '')}|compared",
    )


def changed_sources(candidate: Result, baseline: Result) -> list[str]:
    """Ids of the records of both audits whose documents are not the same in the two; [] where an audit does not tell."""
    if candidate.sources is None or baseline.sources is None:
        return []
    ids = [_records(result) for result in (candidate, baseline)]
    texts = [dict(zip(*t.to_pydict().values(), strict=True)) for t in (candidate.sources, baseline.sources)]
    return sorted(
        ident
        for ident in ids[0] & ids[1]
        if ident is not None
        if (key := hash_of(ident)) in texts[0] and key in texts[1] and texts[0][key] != texts[1][key]
    )


def _records(result: Result) -> set[str]:
    """The ids of all records."""
    several = (result.rows.of(one, {"record"}.__contains__) for one in {*result.rows.measures().values()})
    return {ident for rows in several for ident in rows["record"].unique().to_pylist()}


def _systems(a: Ledger, b: Ledger, system: str | None, against: str | None) -> Sequence[tuple[str, str]]:
    ours, theirs = (
        list(dict.fromkeys(o.system for o in ledger.origins if o.system_kind == "system"))
        for ledger in (a, b)
    )
    if not ours or not theirs:
        return []  # controls alone: a scorer bias check, on sources that no system wrote
    if system is not None or against is not None:
        first = _named(ours, system, "--system", against)
        return [(first, _named(theirs, against, "--against", first))]
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])]
    shared = [s for s in ours if s in theirs]
    if not shared:
        raise RequestError(
            f"It is not clear which systems to compare: {', '.join(ours)} with {', '.join(theirs)}. "
            "Name them with --system and --against, or give each audit one system, or the same names in both."
        )
    return [(s, s) for s in shared]


def _named(systems: Sequence[str], name: str | None, option: str, other: str | None) -> str:
    """The system of that name; without one the only one, or that which is called like the other audit's."""
    if name is None and len(systems) == 1:
        return systems[0]
    wanted = other if name is None else name
    if wanted not in systems:
        raise RequestError(
            f"{option} {'is not given, and' if name is None else f'{name}:'} the audit has no system '{wanted}'."
            f"{did_you_mean(str(wanted), systems)} It has: {', '.join(systems)}."
        )
    return str(wanted)


def _differences(
    measures: Sequence[Measure], a: Ledger, b: Ledger, first: str, second: str, settings: estimating.Settings
) -> list[Estimate]:
    """One pair of systems; the second one's columns are placed as the first one's are."""
    for column in b.columns:
        a.columns.setdefault(column, len(a.columns))
    for column in a.columns:
        b.columns.setdefault(column, len(b.columns))
    ours, theirs = parts_of(a, (), settings.seed)[first, WHOLE], parts_of(b, ())[second, WHOLE]
    theirs = part_of_sums(
        a,
        second,
        theirs.sums[:, [b.columns[column] for column in a.columns]],
        theirs.clusters,
        settings.seed,
        rows=theirs.rows,
        system_kind=theirs.system_kind,
    )
    answered = set(ours.clusters) & set(theirs.clusters)
    return difference(measures, ours, theirs, answered, settings)
