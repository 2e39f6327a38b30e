"""Two saved audits compared: their differences, paired by record, and what else differs (sources, settings, systems, records); and
whether an audit is complete.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fairbrief.auditing import differences, estimating, multiple_tests, per_record
from fairbrief.auditing.finding_checks import copied_sources
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import BY_CHANCE, LEFT_OUT, NO_NUMBER, TESTED
from fairbrief.auditing.origins import WHOLE, Names, systems_of, united
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.errors import RequestError
from fairbrief.plan import SIGNED
from fairbrief.readers.messages import show, unknown
from fairbrief.reports import audit_folder, frames
from fairbrief.reports.result import Result
from fairbrief.saved.gate_rules import Check
from fairbrief.text.counted import counted, listed
from fairbrief.text.hashes import hash_of
from fairbrief.types import Estimate, Measure, Observation

if TYPE_CHECKING:
    from fairbrief.reports.audit_object import Audit

T = TypeVar("T")


def result_of(
    audited: Audit | Result | Path | str, load: Callable[[Path | str], Result] = audit_folder.load
) -> Result:
    """The result of an audit, or of a saved one's folder; RequestError for anything else."""
    if isinstance(audited, (Path, str)):
        return load(audited)
    result = getattr(audited, "result", audited)
    if not isinstance(result, Result):
        raise RequestError(f"Found {show(audited)}; expected an audit, or the folder of a saved one.")
    return result


def compare(
    candidate: Result,
    baseline: Result,
    *,
    system: str | None = None,
    against: str | None = None,
    names: tuple[str, str] = ("candidate", "baseline"),
) -> list[Estimate]:
    """Paired differences, candidate minus baseline, of every measure that both audits have.

    Compares the only system of each audit, or all systems whose names are in both. Else ``system`` is the candidate's and
    ``against`` the baseline's (None: the same name, or the only one). A system that is in both is called ``NAME: SYSTEM``
    with the audit's name of ``names``. All p are adjusted as in an audit (Holm). Raises RequestError if there is no
    common measure, system or record.
    """
    ours, theirs = rows_by_measure(candidate), rows_by_measure(baseline)
    settings = settings_of(candidate)
    found = compared(ours, theirs, differences.difference, settings, system, against)
    if not found:
        raise RequestError(
            "Fewer than two measured records are in both audits. For audits of different records, use 'fairbrief trend'."
        )
    ours_in, theirs_in = {e.system for e in found}, {e.baseline for e in found}

    def called(name: str, system: str) -> str:
        return f"{name}: {system}" if system in ours_in & theirs_in else system

    first, second = names
    found = [e.replace(system=called(first, e.system), baseline=called(second, e.baseline)) for e in found]
    audits = ((first, candidate, ours_in), (second, baseline, theirs_in))
    known = ((name, e) for name, result, of in audits for e in result.estimates if e.system in of)
    systems = [e.replace(system=called(name, e.system)) for name, e in known]
    return multiple_tests.with_families(multiple_tests.with_holm(found, settings), settings, systems)


def check_distinct(folders: Sequence[Path]) -> None:
    """RequestError for a folder that is given twice."""
    times = Counter(folder.resolve() for folder in folders)
    if twice := next((folder for folder in folders if times[folder.resolve()] > 1), None):
        raise RequestError(f"{twice}: this folder is given twice. Give each audit once.")


def names_of(folders: Sequence[Path]) -> list[str]:
    """A name per folder: its last part, with as many parts before it as make the names differ."""
    paths = [folder.resolve().parts for folder in folders]
    longest = max(map(len, paths))
    several = (["/".join(parts[-many:]) for parts in paths] for many in range(1, longest + 1))
    return next(names for names in several if len(set(names)) == len(set(paths)))


Audited = Mapping[str, tuple[Ledger, Measure]]
"""The rows behind each measure of an audit, and the measure, by spec."""


def rows_by_measure(result: Result, wanted: Collection[str] = ()) -> Audited:
    """The rows of all measures, or only of ``wanted`` ones."""
    ledgers = per_record.ledgers_from(result.rows, wanted=wanted or None)
    return {repr(measure): (ledger, measure) for ledger, several in ledgers for measure in several}


def _together(ours: Audited, theirs: Audited) -> list[tuple[Ledger, Ledger, list[Measure]]]:
    """The common measures, those of one observation at once, with its rows in both audits."""
    found: dict[Observation, tuple[Ledger, Ledger, list[Measure]]] = {}
    for spec, (ledger, measure) in ours.items():
        if spec in theirs:
            found.setdefault(measure.observation, (ledger, theirs[spec][0], []))[2].append(measure)
    return list(found.values())


def compared(
    ours: Audited,
    theirs: Audited,
    how: Callable[[Sequence[Measure], Part, Part, estimating.Settings], list[T]],
    settings: estimating.Settings,
    system: str | None = None,
    against: str | None = None,
) -> list[T]:
    """The results of ``how`` for every pair of systems and all common measures. RequestError if there are none."""
    pairs = _together(ours, theirs)
    if not pairs:
        raise RequestError(
            f"The two audits have no measure in common: {', '.join(ours) or 'none'} and {', '.join(theirs) or 'none'}. "
            "Audit both with the same --measure."
        )
    found: list[T] = []
    for a, b, measures in pairs:
        _share_columns(a, b)
        parts, others = (parts_of(ledger, (), settings.seed) for ledger in (a, b))
        for first, second in _systems(a, b, system, against):
            found += how(measures, parts[first, WHOLE], others[second, WHOLE], settings)
    return found


def settings_of(result: Result) -> estimating.Settings:
    """The settings of comparisons: those of the audit, with resamples and intervals of the jackknife in any case."""
    settings = estimating.Settings.of(result.made)
    signature = f"fairbrief:{result.made.get('version', '')}|compared"
    many = settings.n_resamples or 2000
    return replace(settings, n_resamples=many, intervals="jackknife", signature=signature)


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
            columns = ["record", name]
            one, other = (table.select(columns) for table in (ours, theirs))
            if not one.equals(other):  # a join of a million records takes a second
                sides = ((one, other), (other, one))
                differing = [a.join(b, columns, join_type="left anti")["record"] for a, b in sides]
                changed[name] = {record for side in differing for record in side.to_pylist()}
    every = set[int]().union(*changed.values())
    if not every:
        return {}
    in_ours, in_theirs = ({i for i in _records(of) if hash_of(i) in every} for of in (candidate, baseline))
    both = sorted(in_ours & in_theirs)
    found = {name: [i for i in both if hash_of(i) in hashes] for name, hashes in changed.items()}
    return {_WORDS.get(of) or f"values of '{of.partition('.')[2]}'": ids for of, ids in found.items() if ids}


_WORDS = {"documents": "documents", "references": "references", "cluster": "clusters"}


def _records(result: Result) -> Iterator[str]:
    """The ids of all measured records, some of them several times."""
    for observation in dict.fromkeys(result.rows.measures.values()):
        for rows in result.rows.each_of(observation, {"record", "reason"}.__contains__):
            yield from frames.usable(rows)["record"].to_pylist()


def _systems(a: Ledger, b: Ledger, system: str | None, against: str | None) -> Sequence[tuple[str, str]]:
    ours, theirs = (_names_of_systems([ledger]) for ledger in (a, b))
    if not ours or not theirs:
        return []  # only sanity baselines: a scorer bias check on sources that no system wrote
    if system is not None or against is not None:
        first = _named(ours, system, "--system", against)
        return [(first, _named(theirs, against, "--against", first))]
    if pairs := _pairs(ours, theirs):
        return pairs
    raise RequestError(
        f"It is not clear which systems to compare: {', '.join(ours)} with {', '.join(theirs)}. "
        "Name them with --system and --against."
    )


def _pairs(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[str, str]]:
    """The only system of each audit, or all systems of the same name."""
    are_only = len(ours) == len(theirs) == 1
    return [(ours[0], theirs[0])] if are_only else [(s, s) for s in ours if s in theirs]


def _named(systems: Sequence[str], name: str | None, option: str, other: str | None) -> str:
    """The system of that name; without a name the only one, or the one with the name in the other audit."""
    if name is None and len(systems) == 1:
        return systems[0]
    wanted = other if name is None else name
    if wanted not in systems:
        given = "is not given, and" if name is None else f"{name}:"
        raise unknown(f"{option} {given} the audit has no system '{wanted}'.", str(wanted), systems)
    return str(wanted)


OF_PERMUTATIONS = ((BY_CHANCE,), *TESTED)
"""How columns begin that an audit has only if labels were permuted."""


def _share_columns(a: Ledger, b: Ledger) -> None:
    """Give both the columns of either, in the order of the first; those `OF_PERMUTATIONS` only if both have some."""
    permuted = [{c for c in of.columns if c[:1] in OF_PERMUTATIONS} for of in (a, b)]
    dropped = set() if all(permuted) else permuted[0] | permuted[1]
    shared = dict.fromkeys(c for c in (*a.columns, *b.columns) if c not in dropped)
    a.columns = {column: i for i, column in enumerate(shared)}
    b.columns = dict(a.columns)


# ---- Whether an audit is complete: compared with its baseline, and with its input


RECORDS = "records"
"""The name for `--allow-missing` of records that are only in the baseline."""
COPIES = "records with the documents of another record"
SHOWN = 5
"""Records named in a message."""


def missing_records(ours: Audited, theirs: Audited, allowed: Sequence[str], most: float) -> list[Check]:
    """An inconclusive check per measure with too many records that only the baseline could measure.

    Raises RequestError if the audit lacks a system, measure or record of its baseline. ``allowed`` names systems and measures
    that may be missing, and `RECORDS`; RequestError for one that is not missing.
    """
    here, there = (_names_of_systems(ledger for ledger, _ in one.values()) for one in (ours, theirs))
    pairs = _pairs(here, there)
    lacking = {s: f"the system '{s}'" for s in there if s not in dict(pairs).values()}
    lacking |= {m: f"the measure {m}" for m in theirs if m not in ours}
    checks: list[Check] = []
    gone: set[str] = set()
    every: list[Names] = []
    for a, b, measures in _together(ours, theirs):
        for system, as_before in pairs:
            before, before_measured = _records_of(b, as_before)
            now, now_measured = _records_of(a, system)
            if not len(before) or not len(now):
                continue
            gone.update(before.of(np.flatnonzero(before.places_in(now) < 0)))
            every = [united([*every, before])]
            is_lost = (before_measured.places_in(now) >= 0) & (before_measured.places_in(now_measured) < 0)
            if (lost := int(np.count_nonzero(is_lost))) > most * len(before_measured):
                reasons = {"measured only in the baseline": lost}
                for measure in measures:
                    name = f"{measure!r} [{system}] measured as in the baseline"
                    checks.append(_check(name, reasons, len(before_measured), most))
    if gone:
        named = listed(sorted(gone), SHOWN)
        lacking[RECORDS] = f"{len(gone):,} of {counted(len(every[0]), 'record')} ({named})"
    _refuse_lacking(lacking, allowed)
    return checks


def _names_of_systems(ledgers: Iterable[Ledger]) -> list[str]:
    """The systems without sanity baselines."""
    kinds = systems_of([ledger.origins for ledger in ledgers])
    return [name for name, kind in kinds.items() if kind == "system"]


def _records_of(ledger: Ledger, system: str) -> tuple[Names, Names]:
    """The distinct records of a system, and those that were measured."""
    rows = ledger.origins.by_subgroup().get((system, WHOLE), np.zeros(0, dtype=np.int64))
    every, measured = (ledger.origins.of(some).records for some in (rows, rows[ledger.reasons[rows] == 0]))
    return united([every]), united([measured])


def _refuse_lacking(lacking: Mapping[str, str], allowed: Sequence[str]) -> None:
    for name in allowed:
        if name not in lacking:
            all_of_it = "; ".join(lacking.values()) or "nothing of its baseline"
            raise RequestError(f"--allow-missing '{name}': it is not missing. The audit lacks {all_of_it}.")
    if refused := {name: what for name, what in lacking.items() if name not in allowed}:
        options = " ".join(f"--allow-missing {shlex.quote(name)}" for name in refused)
        them = "it" if len(refused) == 1 and "records" not in refused else "them"
        raise RequestError(
            f"The audit lacks {'; '.join(refused.values())}. Audit {them}, too, or allow {them} to be missing with {options}."
        )


def other_settings(
    ours: Iterable[Estimate], theirs: Iterable[Estimate], wanted: Collection[str] = ()
) -> list[str]:
    """The settings, scorers and versions of common measures that differ: ``seed is 1, before 0``."""
    before, differing = _settings_by_measure(theirs), set[str]()
    for measure, settings in _settings_by_measure(ours).items():
        others = before.get(measure, {}) if not wanted or measure in wanted else {}
        for name in (settings.keys() | others.keys()) if others else ():
            now, then = (of.get(name, DEFAULT.get(name)) for of in (settings, others))
            if now != then and now is not None and then is not None:
                differing.add(f"{name} is {now}, before {then}")
    return sorted(differing)


def refused_settings(ours: Result, theirs: Result, wanted: Collection[str] = ()) -> str:
    """Why values of the two audits are not comparable, if settings of common measures differ; empty if none do."""
    other = other_settings(ours.estimates, theirs.estimates, wanted)
    return f"{'; '.join(other)}. Audit both with the same settings" if other else ""


DEFAULT = {f.metadata["signed"]: str(f.default) for f in SIGNED}
DEFAULT |= {"extracts": "the default", "intervals": "jackknife"}
"""The settings of an audit whose signature does not name them. A scorer of one audit only is of another measure."""


def _settings_by_measure(estimates: Iterable[Estimate]) -> dict[str, dict[str, str]]:
    """By measure what its signature names: settings, scorers by their fingerprints, its version."""
    found: dict[str, dict[str, str]] = {}
    for e in estimates:
        if e.system_kind == "system" and e.signature and e.measure not in found:
            version, *parts = e.signature.removeprefix(f"{e.measure}|").split("|")
            named = {name: value for name, _, value in (part.partition(":") for part in parts)}
            named = {name: value for name, value in named.items() if name not in ("fairbrief", "inputs")}
            found[e.measure] = {f"the version of {e.measure}": version, **named}
    return found


def left_out(result: Result, most: float) -> list[Check]:
    """A check for the input, and for each system, if something was left out.

    Counts lines that were skipped as broken; summaries that were refused, empty or unanswered; records left out of a measure
    for an error in them, or for a score that is not a number. Does not count records that the user excluded by an option, or
    on which a measure is undefined.
    """
    made, skipped = result.made, result.skipped_lines
    summaries = int(made.get("summaries") or 0)
    lacking: dict[str, dict[str, int]] = made.get("without_text") or {}
    found = None if result.sources is None else copied_sources(result)
    reasons = Counter({"skipped lines": skipped})
    for of_system in lacking.values():
        reasons.update(of_system)
    tallies: list[tuple[str, dict[str, int], int]] = [("input left out", reasons, summaries + skipped)]
    for system, total in (made.get("summaries_by_system") or {}).items():
        excluded = [e.excluded for e in result.estimates if e.system == system and not e.subgroup]
        failed = [{why: n for why, n in e.items() if why.startswith((NO_NUMBER, LEFT_OUT))} for e in excluded]
        own = lacking.get(system, {}) | max(failed, key=lambda reasons: sum(reasons.values()), default={})
        copies = 0 if found is None else found.extra_of(system)
        tallies.append((f"left out of [{system}]", own, total))
        tallies.append((f"distinct records of [{system}]", {COPIES: copies}, total))
    return [_check(*tally, most) for tally in tallies if any(tally[1].values())]


def _check(name: str, reasons: dict[str, int], total: int, most: float) -> Check:
    bad = sum(reasons.values())
    counts = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
    share = bad / total if total else 1.0
    message = f"{bad:,} of {total:,} ({share:.1%}): {counts}; at most {most:.1%} are allowed (--max-left-out)"
    return Check(name, "inconclusive" if share > most else "pass", message)
