"""Whether an audit is complete: compared with its baseline, and with its input."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.auditing.finding_checks import copied_sources
from fairbrief.auditing.observing import LEFT_OUT, NO_NUMBER
from fairbrief.auditing.origins import Names, united
from fairbrief.errors import RequestError
from fairbrief.reports.frames import rows_with, usable
from fairbrief.reports.result import Result
from fairbrief.saved.gate_rules import Check
from fairbrief.text.counted import counted

RECORDS = "records"
"""The name for `--allow-missing` of records that are only in the baseline."""
COPIES = "records with the documents of another record"
SHOWN = 5
READ = ("measures", "system_kind", "system", "record", "reason")
"""The columns of per-record statistics that identify measured records."""


Key = tuple[str, str]
"""A measure and a system."""


@dataclass(slots=True)
class Seen:
    """By measure and system, the distinct records, and those that were measured."""

    records: dict[Key, Names] = field(default_factory=dict)
    measured: dict[Key, Names] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """All measures, in order."""
        return list(dict.fromkeys(measure for measure, _ in self.records))

    @property
    def systems(self) -> list[str]:
        """All systems, in order, without sanity baselines."""
        return list(dict.fromkeys(system for _, system in self.records))


def seen(result: Result, wanted: Sequence[str] = ()) -> Seen:
    """The records of an audit; only of ``wanted`` measures, if some are given."""
    found, kept = Seen(), dict[int, Names]()
    for observation in dict.fromkeys(result.rows.measures().values()):
        pieces: dict[Key, list[pa.Table]] = {}
        for rows in result.rows.each_of(observation, READ.__contains__):
            systems = rows_with(rows, "system_kind", "system")
            for measures in systems["measures"].unique().to_pylist():
                rows_of = rows_with(systems, "measures", measures)
                for system in rows_of["system"].unique().to_pylist():
                    pieces.setdefault((measures, system), []).append(rows_with(rows_of, "system", system))
        for (measures, system), tables in pieces.items():
            every, measured = (_ids(several, kept) for several in (tables, [usable(t) for t in tables]))
            for measure in measures.split("\n"):
                if wanted and measure not in wanted:
                    continue
                found.records[measure, system], found.measured[measure, system] = every, measured
    return found


def _ids(tables: Sequence[pa.Table], kept: dict[int, Names]) -> Names:
    """The distinct records of some rows. Most measures have the same records, which are stored once."""
    pieces = [rows["record"].cast(pa.large_binary()).unique() for rows in tables]
    found = Names(pc.unique(pa.concat_arrays(pieces)))
    known = kept.setdefault(len(found), found)
    return known if known.encoded.equals(found.encoded) else found


def refuse_missing(ours: Seen, theirs: Seen, allowed: Sequence[str] = ()) -> None:
    """Raise RequestError if the audit lacks a system, measure or record of its baseline.

    ``allowed`` names systems and measures that may be missing, and `RECORDS`; RequestError for one that is not missing.
    """
    lacking = _lacking(ours, theirs)
    for name in allowed:
        if name not in lacking:
            raise RequestError(f"--allow-missing '{name}': it is not missing. {_as_sentence(lacking)}")
    refused = {name: what for name, what in lacking.items() if name not in allowed}
    if refused:
        options = " ".join(f"--allow-missing {shlex.quote(name)}" for name in refused)
        them = "it" if len(refused) == 1 else "them"
        raise RequestError(
            f"{_as_sentence(refused)} Audit {them}, too, or allow {them} to be missing with {options}."
        )


def unmeasured(ours: Seen, theirs: Seen, most: float) -> list[Check]:
    """An inconclusive check per measure with too many records that only the baseline could measure."""
    named, checks = _names(ours, theirs), []
    for (measure, system), before in theirs.measured.items():
        key = measure, named(system)
        if key not in ours.records:
            continue
        is_there, is_measured = (before.places_in(of[key]) >= 0 for of in (ours.records, ours.measured))
        lost = int(np.count_nonzero(is_there & ~is_measured))
        if lost > most * len(before):
            reasons = {"measured only in the baseline": lost}
            checks.append(
                _check(f"{measure} [{key[1]}] measured as in the baseline", reasons, len(before), most)
            )
    return checks


def _names(ours: Seen, theirs: Seen) -> Callable[[str], str]:
    """From a system of the baseline to the audit's: the only one of each, or the same name."""
    if len(ours.systems) == len(theirs.systems) == 1:
        return lambda _: ours.systems[0]
    return lambda system: system


def _lacking(ours: Seen, theirs: Seen) -> dict[str, str]:
    """What only the baseline has: by name for `--allow-missing`, in words."""
    named = _names(ours, theirs)
    systems = [s for s in theirs.systems if named(s) not in ours.systems]
    measures = [m for m in theirs.measures if m not in ours.measures]
    lacking = {s: f"the system '{s}'" for s in systems} | {m: f"the measure {m}" for m in measures}
    gone: set[str] = set()
    for (measure, system), before in theirs.records.items():
        if (now := ours.records.get((measure, named(system)))) is not None:
            gone.update(before.of(np.flatnonzero(before.places_in(now) < 0)))
    if gone:
        first = ", ".join(sorted(gone)[:SHOWN]) + (" …" if len(gone) > SHOWN else "")
        every = united(list(theirs.records.values()))
        lacking[RECORDS] = f"{len(gone):,} of {counted(len(every), 'record')} ({first})"
    return lacking


def _as_sentence(lacking: dict[str, str]) -> str:
    return f"The audit lacks {'; '.join(lacking.values()) if lacking else 'nothing of its baseline'}."


def other_settings(ours: Result, theirs: Result, wanted: Sequence[str] = ()) -> list[Check]:
    """An inconclusive check if a setting, a scorer or the version of a common measure differs from the baseline's."""
    before, differing = _settings(theirs), dict[str, str]()
    for measure, settings in _settings(ours).items():
        if measure in before and (not wanted or measure in wanted):
            for name in settings.keys() | before[measure].keys():
                now, then = (of.get(name, DEFAULT.get(name)) for of in (settings, before[measure]))
                if now != then and now is not None and then is not None:
                    differing[name] = f"{name} is {now}, in the baseline {then}"
    if not differing:
        return []
    message = "; ".join(differing[name] for name in sorted(differing)) + ". Audit both with the same settings"
    return [Check("settings as in the baseline", "inconclusive", message)]


DEFAULT = {"extracts": "the default", "intervals": "jackknife"}
"""Settings that a signature names only if they are not the default. A scorer of one audit only is of another measure."""


def _settings(result: Result) -> dict[str, dict[str, str]]:
    """By measure what its signature names: settings, scorers by their fingerprints, its version."""
    found: dict[str, dict[str, str]] = {}
    for e in result.estimates:
        if e.system_kind == "system" and e.signature and e.measure not in found:
            version, *parts = e.signature.removeprefix(f"{e.measure}|").split("|")
            named = {name: value for name, _, value in (part.partition(":") for part in parts)}
            named = {name: value for name, value in named.items() if name not in ("fairbrief", "inputs")}
            found[e.measure] = {f"the version of {e.measure}": version, **named}
    return found


def left_out(result: Result, most: float) -> list[Check]:
    """A check for the input, and for each system, if something was left out.

    Counts lines that were skipped as broken; summaries that were refused, empty or unanswered; records left out of a measure
    for an error in them, or for a score that is not a number. Does not count records excluded by ``--require``, or on which a
    measure is undefined.
    """
    made = result.made
    skipped = int(made.get("skipped") or 0) - int(made.get("not_required") or 0)
    summaries = int(made.get("summaries") or 0)
    lacking: dict[str, dict[str, int]] = made.get("without_text") or {}
    checks, copies = [], _copies(result)
    reasons = {"skipped lines": skipped}
    for of_system in lacking.values():
        for reason, n in of_system.items():
            reasons[reason] = reasons.get(reason, 0) + n
    if any(reasons.values()):
        checks.append(_check("input left out", reasons, summaries + skipped, most))
    for system, total in (made.get("summaries_by_system") or {}).items():
        excluded = [e.excluded for e in result.estimates if e.system == system and not e.subgroup]
        failed = [{why: n for why, n in e.items() if why.startswith((NO_NUMBER, LEFT_OUT))} for e in excluded]
        own = lacking.get(system, {}) | max(failed, key=lambda reasons: sum(reasons.values()), default={})
        if own:
            checks.append(_check(f"left out of [{system}]", own, total, most))
        if again := copies.get(system):
            checks.append(_check(f"distinct records of [{system}]", {COPIES: again}, total, most))
    return checks


def _copies(result: Result) -> dict[str, int]:
    """By system the records with the documents of another record, of another cluster."""
    found = None if result.sources is None else copied_sources(result.sources, result.rows)
    return {} if found is None else {system: len(extra) for system, extra in found.extra.items()}


def _check(name: str, reasons: dict[str, int], total: int, most: float) -> Check:
    bad = sum(reasons.values())
    counts = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
    share = bad / total if total else 1.0
    message = f"{bad:,} of {total:,} ({share:.1%}): {counts}; at most {most:.1%} are allowed (--max-left-out)"
    return Check(name, "inconclusive" if share > most else "pass", message)
