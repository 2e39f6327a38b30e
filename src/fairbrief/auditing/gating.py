"""A gate decides on the bound of an interval, never on a point: pass, fail, or inconclusive."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairbrief.errors import RequestError
from fairbrief.nouns import Estimate
from fairbrief.reports.junit import Check

Outcome = Literal["pass", "fail", "inconclusive"]
EXIT: dict[Outcome, int] = {"pass": 0, "fail": 1, "inconclusive": 3}
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


def hold(rule: Rule, estimates: Sequence[Estimate]) -> list[Check]:
    """The rule on every system's whole-input estimate of what it names."""
    name = rule.quantity or rule.measure.partition("@")[0].partition("(")[0]
    named = [e for e in estimates if e.measure == rule.measure and e.quantity == name and not e.slice]
    if not named:
        known = sorted({e.measure if _is_headline(e) else f"{e.measure}:{e.quantity}" for e in estimates})
        raise RequestError(f"The audit has no estimate of '{rule}'. It has: {', '.join(known)}.")
    return [_decide(f"{rule} [{e.system}]", e, rule.sign, rule.limit) for e in named]


def hold_margin(differences: Sequence[Estimate], margin: float) -> list[Check]:
    """Non-inferiority: no headline disparity exceeds the baseline's by more than the margin."""
    checked = [e for e in differences if _is_headline(e) and not e.slice]
    return [
        _decide(f"{e.measure} [{e.system}] at most {margin:g} above [{e.baseline}]", e, "<=", margin)
        for e in checked
    ]


def overall(checks: Sequence[Check]) -> Outcome:
    """Fail if any failed, else inconclusive if any was, else pass."""
    outcomes = {check.outcome for check in checks}
    return "fail" if "fail" in outcomes else "inconclusive" if "inconclusive" in outcomes else "pass"


def _is_headline(estimate: Estimate) -> bool:
    return estimate.quantity == estimate.measure.partition("@")[0].partition("(")[0]


def _decide(name: str, estimate: Estimate, sign: Literal["<=", ">="], limit: float) -> Check:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        why = "; ".join(estimate.notes) or "no interval"
        return Check(name, "inconclusive", f"{why} (n = {estimate.n})")
    inside, outside = (
        (estimate.high <= limit, estimate.low > limit)
        if sign == "<="
        else (estimate.low >= limit, estimate.high < limit)
    )
    found = f"{estimate.value:.4g}, interval [{estimate.low:.4g}, {estimate.high:.4g}], limit {sign}{limit:g}, n = {estimate.n}"
    if inside:
        return Check(name, "pass", f"the whole interval keeps the limit: {found}")
    if outside:
        return Check(name, "fail", f"the whole interval breaks the limit: {found}")
    return Check(
        name, "inconclusive", f"the limit lies inside the interval: {found}; more records would tell"
    )
