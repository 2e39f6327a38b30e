"""A gate decides on the bound of an interval, never on a point: pass, fail, or inconclusive."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from fairbrief import registry
from fairbrief.auditing.comparing import compare
from fairbrief.auditing.direction import Direction, directions
from fairbrief.auditing.ledger import CONTROL
from fairbrief.errors import RequestError
from fairbrief.nouns import Estimate
from fairbrief.readers.places import did_you_mean
from fairbrief.reports.folder import load
from fairbrief.reports.junit import Check
from fairbrief.reports.result import Result
from fairbrief.reports.words import is_headline
from fairbrief.text.counted import counted

Outcome = Literal["pass", "fail", "inconclusive"]
EXIT: dict[Outcome, int] = {"pass": 0, "fail": 1, "inconclusive": 3}
FEWEST = 20
"""Fewer clusters than this decide nothing: their bootstrap knows too little of what it has not seen."""
RULE = re.compile(r"(?P<what>.+?)\s*(?P<sign><=|>=)\s*(?P<limit>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class Rule:
    """``measure<=limit`` or ``measure:quantity>=limit``: what an estimate has to keep."""

    measure: str
    quantity: str
    sign: Literal["<=", ">="]
    limit: float

    def __str__(self) -> str:
        quantity = f":{self.quantity}" if self.quantity else ""
        return f"{self.measure}{quantity}{self.sign}{self.limit:g}"


def rule(text: str) -> Rule:
    """Read a rule, ``coverage_parity@sentiment<=0.02`` or ``rouge:rougeL>=0.3``."""
    match = RULE.fullmatch(text.strip())
    if match is None:
        raise RequestError(
            f"'{text}' is no rule. Write MEASURE<=NUMBER, MEASURE>=NUMBER or MEASURE:QUANTITY<=NUMBER."
        )
    head, colon, tail = match["what"].rpartition(":")
    # A colon inside brackets belongs to a setting, not to a quantity.
    inside = colon and tail.count(")") > tail.count("(")
    measure, quantity = (match["what"], "") if inside or not colon else (head, tail)
    sign: Literal["<=", ">="] = "<=" if match["sign"] == "<=" else ">="
    return Rule(measure.strip(), quantity.strip(), sign, float(match["limit"]))


def rules(most: Sequence[str] = (), least: Sequence[str] = ()) -> list[Rule]:
    """The rules of ``--max`` (each a ``<=``) and of ``--min`` (each a ``>=``)."""
    found = []
    for option, texts, sign in (("--max", most, "<="), ("--min", least, ">=")):
        for text in texts:
            found.append(rule(text))
            if found[-1].sign != sign:
                raise RequestError(f"{option} '{text}': {option} takes a rule with {sign}.")
    return found


def hold_folder(
    folder: Path, limits: Sequence[Rule], baseline: Path | None = None, margin: float = 0.0
) -> list[Check]:
    """All checks of a saved audit: its limits, then that it is no worse than the baseline's."""
    if not limits and baseline is None:
        raise RequestError(
            "There is nothing to hold the audit to: give --max RULE, --min RULE or --baseline DIR."
        )
    if not margin >= 0:
        raise RequestError(f"--margin is at least 0, not {margin:g}.")
    result = load(folder)
    level = float(result.made.get("level") or 0.95)
    checks = [check for limit in limits for check in hold(limit, result.estimates, level)]
    if baseline is not None:
        before = load(baseline)
        same = _rows(result).equals(_rows(before))
        differences = compare(result, before)
        checks += hold_margin(differences, margin, directions(result.evidence), level, same_rows=same)
    return checks


def _rows(result: Result) -> pa.Table:
    """The evidence without controls, systems' names and columns of nothing, in plain types."""
    evidence = result.evidence
    systems = evidence["system"].cast(pa.string())
    rows = evidence.filter(pc.invert(pc.starts_with(systems, CONTROL))).drop_columns(["system"])
    plain = {
        name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for name, column in zip(rows.column_names, rows.columns, strict=True)
        if column.null_count < len(column)
    }
    return pa.table({name: plain[name] for name in sorted(plain)})


def hold(rule: Rule, estimates: Sequence[Estimate], level: float = 0.95) -> list[Check]:
    """The rule on every system's whole-input estimate of what it names; controls are held to nothing.

    ``level`` is that of the estimates' intervals.
    """
    candidates = [e for e in estimates if not e.slice and not e.system.startswith(CONTROL)]
    spelled = _canonical(rule.measure)
    of_measure = [e for e in candidates if e.measure == spelled]
    named = [e for e in of_measure if (e.quantity == rule.quantity if rule.quantity else is_headline(e))]
    # A measure that could not read a single record has an estimate of its headline alone, which says why.
    named = named or [e for e in of_measure if e.value is None and not e.n]
    if not named:
        known = sorted({f"{e.measure}:{e.quantity}" for e in of_measure} or {e.measure for e in candidates})
        raise RequestError(
            f"The audit has no estimate of '{rule}'.{did_you_mean(_asked(rule), known)} It has: {', '.join(known)}."
        )
    return [
        _decide(f"{rule} [{e.system}]", e, rule.sign, rule.limit, _unanimous(e.clusters, level), level)
        for e in named
    ]


def _asked(rule: Rule) -> str:
    return f"{rule.measure}:{rule.quantity}" if rule.quantity else rule.measure


def hold_margin(
    differences: Sequence[Estimate],
    margin: float,
    better: Mapping[str, Direction],
    level: float = 0.95,
    *,
    same_rows: bool = False,
) -> list[Check]:
    """Non-inferiority: no headline is worse than the baseline's by more than the margin.

    A disparity may lie at most the margin above the baseline's, a quality at most the margin below it. A
    signed contrast has no worse side by itself: its difference must lie within the margin on both sides.
    ``same_rows`` says that both audits saw the same in every record: then nothing has changed, and a
    difference of 0 in all of them needs no doubt.
    """
    checked = []
    for e in differences:
        if not is_headline(e) or e.slice:
            continue
        name = f"{e.measure} [{e.system}] at most {margin:g}"
        doubt = 0.0 if same_rows else _unanimous(e.clusters, level)
        match better.get(e.measure, "less"):
            case "less":
                checked.append(_decide(f"{name} above [{e.baseline}]", e, "<=", margin, doubt, level))
            case "more":
                checked.append(_decide(f"{name} below [{e.baseline}]", e, ">=", -margin, doubt, level))
            case "nearer zero":
                checked.append(_decide(f"{name} above [{e.baseline}]", e, "<=", margin, doubt, level))
                checked.append(_decide(f"{name} below [{e.baseline}]", e, ">=", -margin, doubt, level))
    return checked


def overall(checks: Sequence[Check]) -> Outcome:
    """Fail if any failed, else inconclusive if any was, else pass."""
    outcomes = {check.outcome for check in checks}
    return "fail" if "fail" in outcomes else "inconclusive" if "inconclusive" in outcomes else "pass"


def _canonical(measure: str) -> str:
    """The spelling that estimates carry, however the rule was typed; as typed where no such measure is known."""
    try:
        return repr(registry.make("measure", measure))
    except RequestError:
        return measure


def _decide(
    name: str, estimate: Estimate, sign: Literal["<=", ">="], limit: float, doubt: float, level: float
) -> Check:
    """Hold the bounds that a decision needs to a limit; ``doubt`` is what all records saying the same leaves."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        why = "; ".join(estimate.notes) or "no interval"
        return Check(name, "inconclusive", f"{why} (n = {estimate.n})")
    if estimate.clusters < FEWEST:
        return Check(
            name,
            "inconclusive",
            f"{counted(estimate.clusters, 'record')} {'is' if estimate.clusters == 1 else 'are'} too few to decide on; {FEWEST} are wanted",
        )
    low, high = _bounds(estimate.value, estimate.low, estimate.high, estimate.clusters, level)
    if low == high:
        low, high = low - doubt, high + doubt
    inside, outside = (high <= limit, low > limit) if sign == "<=" else (low >= limit, high < limit)
    found = f"{estimate.value:.4g}, held as [{low:.4g}, {high:.4g}], limit {sign}{limit:g}, n = {estimate.n}"
    if inside:
        return Check(name, "pass", f"the whole interval keeps the limit: {found}")
    if outside:
        return Check(name, "fail", f"the whole interval breaks the limit: {found}")
    return Check(
        name, "inconclusive", f"the limit lies inside the interval: {found}; more records would tell"
    )


def _bounds(value: float, low: float, high: float, n: int, level: float) -> tuple[float, float]:
    """The interval widened for n records: a percentile bootstrap of few is too narrow.

    Each half is multiplied by t / z · √(n / (n − 1)), with the quantiles of Student's t (n − 1 degrees of
    freedom) and of the normal distribution. After Hesterberg, The American Statistician 69 (2015), §4.
    """
    from scipy.special import ndtri, stdtrit

    share = (1 + level) / 2
    wider = float(stdtrit(n - 1, share) / ndtri(share)) * math.sqrt(n / (n - 1))
    return value - wider * (value - low), value + wider * (high - value)


def _unanimous(n: int, level: float) -> float:
    """What n records that all say the same leave open: the share of others that could hide.

    1 − ((1 − level) / 2)^(1 / n), the bound of Clopper and Pearson at none of n; for measures of unit range.
    """
    return 1 - ((1 - level) / 2) ** (1 / n) if n else 1.0
