"""Estimates of subgroups from the per-record statistics of an audit, without scoring again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from fairbrief.auditing import estimating, multiple_tests, system_runs
from fairbrief.auditing.notes import length_notes, spelling_notes, with_notes
from fairbrief.auditing.per_record import MOST_VALUES, attributes_in, ledgers_from, with_subgroups_by
from fairbrief.auditing.run import Run
from fairbrief.errors import DataError, RequestError
from fairbrief.plan import check_subgroup
from fairbrief.readers.messages import did_you_mean
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Measure

Key = tuple[str, str, str, str]
OF_ALL = ("scorer_differs", "without_claims", "place_is_group", "few_people")
"""Notes that an audit puts at the value on all records and at those of subgroups."""
NOTE = "Subgroups by {} are from the per-record statistics: only 'fairbrief audit --by' has their permutation tests."


def subgroup_audit(
    result: Result, by: Sequence[Sequence[str]], given: Mapping[str, Measure] = MappingProxyType({})
) -> Result:
    """The audit with estimates and differences of subgroups by these attributes of the records.

    Permutation tests need the texts and are absent: p against label permutations, permutation means, and intervals of
    unsigned disparities, which depend on that p. All other numbers equal those of an audit with these subgroups. Subgroups
    that the audit has stay unchanged. ``given`` are measures by spec that no plug-in declares.

    Raises RequestError for an attribute that the per-record statistics do not have, DataError for an older version.
    """
    made, permuted = result.made, result.made.get("permuted")
    if permuted is None:
        raise DataError("The audit is from an older version of Fairbrief. Run it again.")
    asked = _asked(result, by)
    if not asked:
        return result
    taken = set(made["measures"])
    per_record = with_subgroups_by(result.rows, [name for names in asked for name in names])
    read = [(ledger, ms) for ledger, ms in ledgers_from(per_record, given, asked) if repr(ms[0]) in taken]
    for ledger, measures in read:
        ledger.lacks_null = repr(measures[0]) in permuted
    by_name = {repr(m): m for _, measures in read for m in measures}
    settings = estimating.Settings.of(made)
    same = {name: made[name] for name in ("primary", "baseline", "is_pairwise") if name in made}
    plan = replace(settings, by=asked, sanity_baselines=made["asked_sanity_baselines"], **same)
    run = Run(plan, [by_name[name] for name in made["measures"] if name in by_name])
    run.ledgers = [ledger for ledger, _ in read]
    estimates, gaps = run.estimates(settings)
    if made.get("pools_runs"):
        estimates = system_runs.of_runs(estimates)
    whole = {_key(e): e for e in (*result.estimates, *result.differences) if not e.subgroup}
    estimates = with_notes(estimates, length_notes(estimates, made["alpha"]), spelling_notes(estimates))
    estimates = [_as_of_all(e, whole) for e in estimates if e.subgroup]
    named = ", ".join(" and ".join(names) for names in asked)
    checks = [e for e in result.estimates if e.measure not in taken]  # of scorers
    together = [*(e for e in result.estimates if e.measure in taken), *estimates, *checks]
    differences = [*result.differences, *(_as_of_all(e, whole) for e in gaps if e.subgroup)]
    notes = [*made.get("notes", ()), NOTE.format(named)]
    return replace(
        result,
        estimates=tuple(multiple_tests.with_families(together, settings)),
        differences=tuple(multiple_tests.with_families(differences, settings, together)),
        rows=per_record,
        made={**made, "by": [*made["by"], *map(list, asked)], "notes": notes},
    )


def _asked(result: Result, by: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The groupings that the audit does not have yet."""
    known = attributes_in(result.rows)
    for name in dict.fromkeys(name for names in by for name in names):
        if name not in known:
            raise RequestError(
                f"The audit has no attribute '{name}' of the records.{did_you_mean(name, known)} It has: "
                f"{', '.join(known) or 'none'}. An attribute of records with more than {MOST_VALUES:,} values is not stored: "
                f"audit the texts with --by {name}."
            )
    there = {frozenset(names) for names in result.made["by"]}
    found: list[tuple[str, ...]] = []
    for names in by:
        check_subgroup(names)
        if frozenset(names) not in there:
            there.add(frozenset(names))
            found.append(tuple(names))
    return found


def _key(e: Estimate) -> Key:
    return e.measure, e.quantity, e.system, e.baseline


def _as_of_all(e: Estimate, whole: Mapping[Key, Estimate]) -> Estimate:
    """The estimate with the signature of all records, and their notes on scorer, claims and positions."""
    of_all = whole.get(_key(e))
    if of_all is None:
        return e
    noted = [note for note in of_all.notes if note.code in OF_ALL]
    return e.replace(signature=of_all.signature, notes=(*e.notes, *noted))
