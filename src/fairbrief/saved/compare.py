"""The difference of two saved audits, paired by record, from their per-record statistics."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
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
    names: tuple[str, str] = ("candidate", "baseline"),
) -> list[Estimate]:
    """Paired differences, candidate minus baseline, of every measure that both audits took.

    Compares the only system of each audit, or all systems whose names are in both. Else ``system`` is the candidate's and
    ``against`` the baseline's (None: the same name, or the only one). A system that is in both is called ``NAME: SYSTEM``
    with the audit's name of ``names``. Raises RequestError if there is no common measure, system or record.
    """
    settings = settings or _settings(candidate)
    found = _compared(candidate, baseline, difference, settings, system, against)
    if not found:
        raise RequestError(
            "The two audits have fewer than two records in common that both could be measured on."
        )
    return [_named_apart(e, names) for e in found]


def names_of(folders: Sequence[Path]) -> list[str]:
    """A name per folder: its last part, with as many parts before it as make the names differ."""
    paths = [folder.resolve().parts for folder in folders]
    longest = max(map(len, paths))
    for many in range(1, longest + 1):
        names = ["/".join(parts[-many:]) for parts in paths]
        if len(set(names)) == len(set(paths)):
            break
    return names


def _named_apart(e: Estimate, names: tuple[str, str]) -> Estimate:
    """The difference, with the audits' names before those of one system in both."""
    if e.system != e.baseline:
        return e
    return e.replace(system=f"{names[0]}: {e.system}", baseline=f"{names[1]}: {e.baseline}")


def compare_sizes(candidate: Result, baseline: Result, measures: Collection[str] = ()) -> list[Change]:
    """`compare` with the growth of each unsigned group difference; only for ``measures``, if some are given."""
    found = _compared(candidate, baseline, changes, _settings(candidate), measures=measures)
    if not found:
        compare(candidate, baseline)  # raises with the reason
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
    """The results of ``how`` for every pair of systems, with the measures of one observation at once."""
    ours = {repr(m): (ledger, m) for ledger, several in ledgers_from(candidate.rows) for m in several}
    theirs = {repr(m): (ledger, m) for ledger, several in ledgers_from(baseline.rows) for m in several}
    common = [spelled for spelled in ours if spelled in theirs and (not measures or spelled in measures)]
    if not common:
        raise RequestError(
            f"The two audits have no measure in common: {', '.join(ours)} and {', '.join(theirs)}. "
            "Audit both with the same --measure."
        )
    together: dict[tuple[int, int], list[str]] = {}
    for spelled in common:  # measures of one observation are compared at once
        together.setdefault((id(ours[spelled][0]), id(theirs[spelled][0])), []).append(spelled)
    found: list[T] = []
    for several in together.values():
        (a, _), (b, _) = ours[several[0]], theirs[several[0]]
        taken = [ours[spelled][1] for spelled in several]
        _share_columns(a, b)
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


def changed_sources(candidate: Result, baseline: Result) -> dict[str, list[str]]:
    """Ids of the records that both audits measured and that changed, by what changed: documents, references, clusters, attributes.

    Empty if an audit has no hashes of its sources.
    """
    if candidate.sources is None or baseline.sources is None:
        return {}
    ours, theirs = candidate.sources, baseline.sources
    changed: dict[str, set[int]] = {}
    for name in ours.column_names[1:]:
        if name in theirs.column_names:
            one, other = (table.select(["record", name]) for table in (ours, theirs))
            if not one.equals(other):
                changed[name] = {*_changed(one, other, name), *_changed(other, one, name)}
    every = set[int]().union(*changed.values())
    known = [
        {i for i in _records(result) if hash_of(i) in every} for result in (candidate, baseline) if every
    ]
    both = sorted(set.intersection(*known)) if known else []
    found = {name: [i for i in both if hash_of(i) in hashes] for name, hashes in changed.items()}
    return {
        _WORDS.get(name) or f"values of '{name.partition('.')[2]}'": ids for name, ids in found.items() if ids
    }


_WORDS = {"documents": "documents", "references": "references", "cluster": "clusters"}


def _changed(ours: pa.Table, theirs: pa.Table, name: str) -> list[int]:
    """The hashes of records in both that differ in the first by the column ``name``."""
    other = ours.join(theirs, ["record", name], join_type="left anti")
    found: list[int] = other.join(theirs, "record", join_type="left semi")["record"].to_pylist()
    return found


def _records(result: Result) -> Iterator[str]:
    """The ids of all measured records, some of them several times."""
    for observation in dict.fromkeys(result.rows.measures().values()):
        for rows in result.rows.each_of(observation, {"record", "reason"}.__contains__):
            yield from usable(rows)["record"].to_pylist()


def _systems(a: Ledger, b: Ledger, system: str | None, against: str | None) -> Sequence[tuple[str, str]]:
    ours, theirs = (
        [name for name, kind in systems_of([ledger.origins]).items() if kind == "system"] for ledger in (a, b)
    )
    if not ours or not theirs:
        return []  # only sanity baselines: a scorer bias check on sources that no system wrote
    if system is not None or against is not None:
        first = _named(ours, system, "--system", against)
        return [(first, _named(theirs, against, "--against", first))]
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])]
    shared = [s for s in ours if s in theirs]
    if not shared:
        raise RequestError(
            f"It is not clear which systems to compare: {', '.join(ours)} with {', '.join(theirs)}. "
            "Name them with --system and --against."
        )
    return [(s, s) for s in shared]


def _named(systems: Sequence[str], name: str | None, option: str, other: str | None) -> str:
    """The system of that name; without a name the only one, or the one with the name in the other audit."""
    if name is None and len(systems) == 1:
        return systems[0]
    wanted = other if name is None else name
    if wanted not in systems:
        raise RequestError(
            f"{option} {'is not given, and' if name is None else f'{name}:'} the audit has no system '{wanted}'."
            f"{did_you_mean(str(wanted), systems)} It has: {', '.join(systems)}."
        )
    return str(wanted)


def _share_columns(a: Ledger, b: Ledger) -> None:
    """Give both the columns of either, in the order of the first."""
    for column in b.columns:
        a.columns.setdefault(column, len(a.columns))
    b.columns = {column: b.columns.setdefault(column, len(b.columns)) for column in a.columns}
