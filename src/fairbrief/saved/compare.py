"""Two saved audits side by side, paired by record: from their per-record statistics alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

import pyarrow as pa

from fairbrief.auditing import estimating
from fairbrief.auditing.differences import Change, changes, difference
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import WHOLE, systems_of
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.auditing.per_record import ledgers_from
from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports.frames import usable
from fairbrief.reports.result import Result
from fairbrief.text.hashes import hash_of
from fairbrief.types import Estimate, Measure

T = TypeVar("T")


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
    found = _compared(candidate, baseline, difference, settings, system, against)
    if not found:
        raise RequestError(
            "The two audits have fewer than two records in common that both could be measured on."
        )
    return found


def compare_sizes(candidate: Result, baseline: Result, measures: Collection[str] = ()) -> list[Change]:
    """`compare`, and by how much the size of each group difference grew; of these measures only, if some are named."""
    found = _compared(candidate, baseline, changes, _settings(candidate), measures=measures)
    if not found:
        compare(candidate, baseline)  # says why, where nothing at all can be compared
    return found


def _compared(
    candidate: Result,
    baseline: Result,
    how: Callable[[Sequence[Measure], Part, Part, estimating.Settings], list[T]],
    settings: estimating.Settings,
    system: str | None = None,
    against: str | None = None,
    measures: Collection[str] = (),
) -> list[T]:
    """What is found of every pair of systems, by the measures of one observation together."""
    ours = {repr(m): (ledger, m) for ledger, several in ledgers_from(candidate.rows) for m in several}
    theirs = {repr(m): (ledger, m) for ledger, several in ledgers_from(baseline.rows) for m in several}
    common = [spelled for spelled in ours if spelled in theirs and (not measures or spelled in measures)]
    if not common:
        raise RequestError(
            f"The two audits have no measure in common: {', '.join(ours)} and {', '.join(theirs)}. "
            "Audit both with the same --measure."
        )
    together: dict[tuple[int, int], list[str]] = {}
    for spelled in common:  # measures of one observation are compared together: what they share is said once
        together.setdefault((id(ours[spelled][0]), id(theirs[spelled][0])), []).append(spelled)
    found: list[T] = []
    for several in together.values():
        (a, _), (b, _) = ours[several[0]], theirs[several[0]]
        taken = [ours[spelled][1] for spelled in several]
        _name_alike(a, b)
        parts, others = (parts_of(ledger, (), settings.seed) for ledger in (a, b))
        for first, second in _systems(a, b, system, against):
            found += how(taken, parts[first, WHOLE], others[second, WHOLE], settings)
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
    """Ids of the records that both audits measured and whose documents are not the same in the two; [] where an audit does
    not tell.
    """
    if candidate.sources is None or baseline.sources is None:
        return []
    ours, theirs = candidate.sources, baseline.sources
    changed = {*_changed(ours, theirs), *_changed(theirs, ours)}
    if not changed:
        return []
    known = [{i for i in _records(result) if hash_of(i) in changed} for result in (candidate, baseline)]
    return sorted(known[0] & known[1])


def _changed(ours: pa.Table, theirs: pa.Table) -> list[int]:
    """The hashes of records that both have, of which the first has other documents."""
    other = ours.join(theirs, ["record", "documents"], join_type="left anti")
    found: list[int] = other.join(theirs, "record", join_type="left semi")["record"].to_pylist()
    return found


def _records(result: Result) -> Iterator[str]:
    """The ids of all records that something was measured on; some come several times."""
    for observation in dict.fromkeys(result.rows.measures().values()):
        for rows in result.rows.each_of(observation, {"record", "reason"}.__contains__):
            yield from usable(rows)["record"].to_pylist()


def _systems(a: Ledger, b: Ledger, system: str | None, against: str | None) -> Sequence[tuple[str, str]]:
    ours, theirs = (
        [name for name, kind in systems_of([ledger.origins]).items() if kind == "system"] for ledger in (a, b)
    )
    if not ours or not theirs:
        return []  # sanity baselines alone: a scorer bias check, on sources that no system wrote
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


def _name_alike(a: Ledger, b: Ledger) -> None:
    """Name the columns of both in both, in the order of the first."""
    for column in b.columns:
        a.columns.setdefault(column, len(a.columns))
    b.columns = {column: b.columns.setdefault(column, len(b.columns)) for column in a.columns}
