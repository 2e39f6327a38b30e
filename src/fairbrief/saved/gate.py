"""A gate: limits and a baseline for an audit, decided on the bounds of intervals as pass, fail or inconclusive."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeGuard

from fairbrief import registry
from fairbrief.auditing import differences, jackknifed
from fairbrief.auditing.differences import Change
from fairbrief.conclusions import FEWEST_TO_DECIDE, MAX_LEFT_OUT, decides
from fairbrief.errors import RequestError
from fairbrief.readers.messages import unknown
from fairbrief.reports import json_file, wording
from fairbrief.reports.audit_folder import load_unchanged
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.reports.wording import joined
from fairbrief.saved import compare, saved_inputs
from fairbrief.saved.gate_rules import RANDOM, Check, Rule, Sign, rules
from fairbrief.settings import Names, as_list
from fairbrief.statistics.jackknife import Precision, t_quantile
from fairbrief.text.counted import counted, listed
from fairbrief.types import Data, Estimate, Note

if TYPE_CHECKING:
    from fairbrief.reports.audit_object import Audit

Outcome = Literal["pass", "fail", "inconclusive"]
EXIT: dict[Outcome, int] = {"pass": 0, "fail": 1, "inconclusive": 3}
NOTHING_COMPARED = (
    "There is nothing to compare with the baseline: unsigned scores ({}) differ by noise. Audit both with a measure that has "
    "group differences or is a quality, such as coverage_parity, uer or rouge1."
)


def gate(
    audited: Audit | Result | Path | str,
    *,
    most: Names = (),
    least: Names = (),
    baseline: Audit | Result | Path | str | None = None,
    margin: float = 0.0,
    measures: Names = (),
    allow_missing: Names = (),
    max_left_out: float = MAX_LEFT_OUT,
) -> list[Check]:
    """The checks of an audit, or of a saved one's folder, decided on intervals: each ``outcome`` is pass, fail or inconclusive.

    ``most`` and ``least`` are rules as for ``fairbrief gate --max`` and ``--min``
    (``"coverage_parity@party:relative_difference-random>=-0.1"``). ``baseline`` is an audit, or its folder; this one may
    not be worse by more than ``margin``, in ``measures`` if given. ``allow_missing`` names systems and measures of the baseline
    that may be missing, and ``records``. ``max_left_out`` is the share of the input, or of a system's summaries, that may be
    broken, refused, empty or unanswered; above it the outcome is inconclusive. Raises RequestError for rules that do not fit the audit.
    """
    limits = rules(as_list(most), as_list(least))
    if not limits and baseline is None:
        raise RequestError("The gate has no limit: give --max RULE, --min RULE or --baseline DIR.")
    if not 0 <= margin < math.inf:
        raise RequestError(f"--margin is {margin:g}: give a number of at least 0.")
    if not 0 <= max_left_out <= 1:
        raise RequestError(f"--max-left-out is {max_left_out:g}: give a share from 0 to 1.")
    of_baseline = {"--margin": margin, "--allow-missing": allow_missing, "--measure": measures}
    if baseline is None and (idle := [option for option, given in of_baseline.items() if given]):
        raise RequestError(f"{idle[0]} needs --baseline DIR: add it, or drop {idle[0]}.")
    compare.check_distinct([Path(one) for one in (audited, baseline) if isinstance(one, (Path, str))])
    result = compare.result_of(audited, load_unchanged)
    confidence_level = float(result.made.get("confidence_level") or 0.95)
    checks = compare.left_out(result, max_left_out)
    if isinstance(audited, (Path, str)):
        checks += _inputs(Path(audited), result)
    asked = [one for limit in limits for one in of_limit(limit, result.estimates)]
    if baseline is not None:
        before = compare.result_of(baseline, load_unchanged)
        wanted = _wanted(as_list(measures), result, before)
        ours, theirs = (compare.rows_by_measure(one, wanted) for one in (result, before))
        checks += compare.missing_records(ours, theirs, as_list(allow_missing), max_left_out)
        checks += _sources(compare.changed_sources(result, before))
        if message := compare.refused_settings(result, before, wanted):
            checks.append(Check("settings as in the baseline", "inconclusive", message))
        changes = compare.compared(ours, theirs, differences.changes, compare.settings_of(result))
        found = of_margin(changes, margin)
        if not found:
            compare.compare(result, before)  # refuses audits without common records
            raise RequestError(NOTHING_COMPARED.format(", ".join(ours)))
        asked += found
    return checks + decided(asked, confidence_level)


class Asked(Data, frozen=True):
    """An estimate with its limit; ``prefix`` begins the message. ``is_certain``: an interval of width 0 is exact."""

    name: str
    estimate: Estimate
    sign: Sign
    limit: float
    prefix: str = ""
    is_certain: bool = False


def decided(asked: Sequence[Asked], confidence_level: float = 0.95) -> list[Check]:
    """Every check. A failure is corrected for the number of checks, so that a gate with many limits rarely fails by chance."""
    checks = []
    for one in asked:
        outcome, why = _outcome(one, len(asked), confidence_level)
        checks.append(Check(one.name, outcome, f"{one.prefix}{why}"))
    return checks


def _wanted(measures: Sequence[str], result: Result, before: Result) -> list[str]:
    """The specs of the named measures; RequestError for one that either audit lacks."""
    wanted = [_canonical(measure) for measure in measures]
    for spelled in wanted:
        for audit, which in ((result, "audit"), (before, "baseline")):
            known = list(audit.rows.measures)
            if spelled not in known:
                raise unknown(f"--measure {spelled}: the {which} does not have this measure.", spelled, known)
    return wanted


def _sources(changed: Mapping[str, Sequence[str]]) -> list[Check]:
    """An inconclusive check for documents, references or groups of records that differ, because they may explain the difference."""
    checks = []
    for what, ids in changed.items():
        shown = listed([printable(i) for i in ids], compare.SHOWN)
        many = counted(len(ids), "record")
        message = f"the {what} of {many} differ from the baseline ({shown}): audit the baseline's summaries with the new {what}"
        checks.append(Check(f"{what} as in the baseline", "inconclusive", message))
    return checks


def _inputs(folder: Path, result: Result) -> list[Check]:
    """An inconclusive check for each input that has changed since the audit; one that is elsewhere now is not checked."""
    inputs = saved_inputs.read(folder, json_file.identity(result))
    faults = saved_inputs.faults_of(folder, inputs, is_here=True) if inputs else {}
    return [Check(f"input {name} as audited", "inconclusive", fault) for name, fault in faults.items()]


def of_limit(rule: Rule, estimates: Sequence[Estimate]) -> list[Asked]:
    """The estimates on all records to which a rule applies; it does not apply to sanity baselines."""
    candidates = [e for e in estimates if not e.subgroup and e.system_kind == "system"]
    systems = list(dict.fromkeys(e.system for e in candidates))
    if rule.system and rule.system not in systems:
        raise unknown(f"The audit has no system '{rule.system}' for the rule '{rule}'.", rule.system, systems)
    candidates = [e for e in candidates if rule.system in ("", e.system)]
    spelled, plain = _canonical(rule.measure), replace(rule, system="")
    of_measure = [e for e in candidates if e.measure == spelled]
    named = [e for e in of_measure if _is_limited(e, rule)]
    # A measure that could not use any record has only its main value, with the reason.
    named = named or [e for e in of_measure if e.value is None and not e.n]
    if not named:
        known = sorted({f"{e.measure}:{e.quantity}" for e in of_measure} or {e.measure for e in candidates})
        raise unknown(f"'{rule}': the audit has no such estimate.", plain.asked, known)
    if rule.from_random:
        named = _from_random(rule, named)
    names = [replace(plain, quantity=e.quantity if rule.quantity else "") for e in named]
    return [Asked(f"{n} [{e.system}]", e, rule.sign, rule.limit) for n, e in zip(names, named, strict=True)]


def _is_limited(e: Estimate, rule: Rule) -> bool:
    """Whether a rule limits this estimate of its measure: by default the main value; without a group those of all groups."""
    names = (e.quantity, e.quantity.partition("[")[0])
    return rule.quantity in names if rule.quantity else wording.is_main_value(e)


def _from_random(rule: Rule, named: Sequence[Estimate]) -> list[Estimate]:
    """The estimates' differences from the random-sentence baseline; undefined if there is none."""
    if not any(
        e.extract_difference is not None
        or e.value is None
        or (e.kind == "group_difference" and e.quantity != jackknifed.CHANCE_ADJUSTED)
        for e in named
    ):
        raise RequestError(
            f"'{rule}': '{rule.quantity}' is not a group difference, so it is not compared with the random-sentence baseline. "
            f"Set a limit on a group difference, or on '{rule.quantity}' without {RANDOM}."
        )
    without = Note("undefined", {"reason": "no random-sentence baseline"})
    return [
        e.replace(value=None, notes=(without,)) if e.extract_difference is None else wording.from_random(e)
        for e in named
    ]


def of_margin(changes: Sequence[Change], margin: float) -> list[Asked]:
    """Non-inferiority: nothing is worse than in the baseline by more than the margin.

    The distance of a group difference from its random-sentence baseline (from 0 if there is none) may grow by at most the
    margin, whatever its sign. A quality may fall by at most the margin. Unsigned scores are not compared, because they differ
    by noise.
    """
    asked: dict[object, Asked] = {}
    for change in changes:
        e = wording.from_random(change.difference)
        sign: Sign = "<="
        way, limit, prefix, identity = "higher", margin, "", None
        if change.is_contrast:
            start = "random sentences" if change.from_random else "0"
            way = f"further from {start}"
            e = e.replace(value=change.growth, low=change.low, high=change.high)
            if change.now is not None and change.before is not None:
                now, before = (_short(value, "+") for value in (change.now, change.before))
                prefix = f"{now} from {start}, {before} in the baseline audit; "
            if change.now:
                # Other measures may have the same group difference; of two groups, both have it.
                sizes = (change.now, change.before, change.low, change.high)
                rounded = (None if size is None else round(abs(size), 12) for size in sizes)
                identity = (e.over, e.system, e.baseline, *rounded)
        elif change.more_is_better:
            sign, way, limit = ">=", "lower", -margin
        what = e.measure if wording.is_main_value(e) else f"{e.measure}:{e.quantity}"
        against = "in the baseline" if e.baseline == e.system else f"[{e.baseline}]"
        name = f"{what} [{e.system}] at most {margin:g} {way} than {against}"
        asked.setdefault(identity or name, Asked(name, e, sign, limit, prefix, change.are_equal))
    return list(asked.values())


def overall(checks: Sequence[Check]) -> Outcome:
    """Fail if any failed, else inconclusive if any was, else pass."""
    outcomes = {check.outcome for check in checks}
    return "fail" if "fail" in outcomes else "inconclusive" if "inconclusive" in outcomes else "pass"


def _canonical(measure: str) -> str:
    """The measure's canonical spec; as typed if the measure is unknown."""
    try:
        return repr(registry.make("measure", measure))
    except RequestError:
        return measure


def _outcome(asked: Asked, among: int, confidence_level: float) -> tuple[Outcome, str]:
    """Compare an interval with its limit; to fail, the interval is widened for the number of checks."""
    estimate, limit = asked.estimate, asked.limit
    if not _is_known(estimate.value) or not _is_known(estimate.low) or not _is_known(estimate.high):
        return "inconclusive", f"{joined(estimate.notes) or 'no interval'} (n = {estimate.n})"
    many = decides(estimate)
    if many < FEWEST_TO_DECIDE:
        of_group = f" with {estimate.group}" if many != estimate.clusters else ""
        clusters = counted(many, wording.unit_of(estimate))
        return "inconclusive", f"{clusters}{of_group}; a decision needs {FEWEST_TO_DECIDE}"
    low, high = estimate.low, estimate.high
    is_rejected = estimate.p is not None and estimate.p <= (1 - confidence_level) / 2
    if estimate.kind == "unsigned_disparity" and estimate.chance_adjusted is None and not is_rejected:
        low = 0.0
    if low == high and not asked.is_certain:
        # The largest share of different records that is compatible with equal ones: the bound of Clopper and Pearson at 0 of
        # many; for measures of unit range.
        doubt = 1 - ((1 - confidence_level) / 2) ** (1 / many)
        low, high = low - doubt, high + doubt
    is_upper = asked.sign == "<="
    inside, outside = (high <= limit, low > limit) if is_upper else (low >= limit, high < limit)
    nearest = _widened(estimate, low if is_upper else high, among, confidence_level)
    what, counts = "", f"n = {estimate.n}"
    if estimate.baseline:
        what = "distance changed by " if asked.prefix else "changed by "
        counts = (
            f"on {counted(estimate.clusters or estimate.n, wording.unit_of(estimate))} that count for both"
        )
    result = (
        f"{what}{_short(estimate.value, '+' if what else '-')}, interval [{_short(low)}, {_short(high)}], "
        f"limit {asked.sign}{limit:zg}, {counts}{_baselines_of(estimate)}"
    )
    if inside:
        return "pass", f"the whole interval keeps the limit: {result}"
    if outside and (nearest > limit if is_upper else nearest < limit):
        return "fail", f"the whole interval breaks the limit: {result}"
    if outside:
        why = f"the interval breaks the limit, but not when corrected for {among} checks"
        return "inconclusive", f"{why}: {result}; add records to decide"
    wanted = _records_wanted(estimate, limit, confidence_level)
    return "inconclusive", f"the limit is inside the interval: {result}; add records to decide{wanted}"


def _records_wanted(e: Estimate, limit: float, confidence_level: float) -> str:
    """How many records decide with a probability of 80 %: if the value is true, or, beside a baseline, if nothing is worse.

    Empty if that is unknown, or these records would do. Two systems that are equally fair must keep the margin on both
    sides of 0, each with 90 %.
    """
    size, power = (abs(limit), 0.9) if e.baseline else (abs(limit - (e.value or 0.0)), 0.8)
    if not e.se or e.freedom is None or not 0 < size < math.inf:
        return ""
    needed = Precision(e.se, e.clusters, e.freedom).needed(size, 1 - confidence_level, power)
    if needed <= e.clusters:
        return ""
    when = "if nothing is worse than in the baseline" if e.baseline else "if the value stays the same"
    return f" (about {counted(int(float(f'{needed:.2g}')), wording.unit_of(e))}, {when})"


def _widened(e: Estimate, bound: float, among: int, confidence_level: float) -> float:
    """The bound, moved away from the value to hold for ``among`` checks at once (Bonferroni).

    Nan, which breaks no limit, where an infinite value hides how far.
    """
    if e.value is None or among == 1 or bound == e.value:
        return bound
    freedom = e.clusters - 1 if e.freedom is None else e.freedom
    shares = (1 - confidence_level, (1 - confidence_level) / among)
    alone, together = (float(t_quantile(1 - share, freedom)) for share in shares)
    return e.value + together / alone * (bound - e.value)


def _baselines_of(estimate: Estimate) -> str:
    """Baselines of an unsigned score, for the message."""
    if estimate.kind != "unsigned_disparity" or estimate.baseline:
        return ""
    baselines = ["an unsigned score"]
    if estimate.extract_baseline is not None:
        baselines.append(f"random sentences score {estimate.extract_baseline:.4g}")
    if estimate.chance_adjusted is None:
        baselines.append("its interval begins at 0 unless its test rejects")
    elif estimate.permutation_mean is not None:
        baselines.append(f"label permutations score {estimate.permutation_mean:.4g} on average")
    return f"; {', '.join(baselines)}"


def _short(number: float, sign: str = "-") -> str:
    """Four digits; an infinite number is ∞."""
    return f"{number:{sign}z.4g}".replace("inf", "∞")


def _is_known(number: float | None) -> TypeGuard[float]:
    return number is not None and not math.isnan(number)
