"""How reports speak: what a measure asks, what harm a gap would mean, and how a value compares with its baselines.

A sentence says what was measured and how it stands to chance. It gives no verdict on a system: a
number tells how far one property departs from one standard, on these records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, get_args

from fairbrief import specs
from fairbrief.declarations import ContrastUnit, ContrastWords, Declaration
from fairbrief.errors import RequestError
from fairbrief.reports import number_format
from fairbrief.reports.note_words import worded
from fairbrief.text.counted import counted
from fairbrief.types import Estimate

ALPHA = 0.05


@lru_cache(maxsize=1 << 10)
def name_of(measure: str) -> str:
    """The bare name in a measure's spec: ``bur`` of ``bur(tau=0.5)@party``."""
    try:
        return specs.parse(measure).name
    except RequestError:
        return measure


def without_over(estimate: Estimate) -> str:
    """The measure's spec without its attribute, which the section's title names."""
    if not estimate.over:
        return estimate.measure
    head = estimate.measure.removesuffix(f"@{specs.quoted(estimate.over)}")
    return head if head != estimate.measure else estimate.measure.rpartition("@")[0] or estimate.measure


def declared(measure: str, made: Mapping[str, Any]) -> Declaration:
    """What an audit recorded of a measure's declaration in ``made['declared']``; else its name alone."""
    name = name_of(measure)
    found = made.get("declared")
    told = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(told, Mapping):
        return Declaration(family=name.replace("_", " ").capitalize())
    return Declaration(
        family=str(told.get("family", name)),
        question=str(told.get("question", "")),
        harm=str(told.get("harm", "")),
        figures=tuple(map(str, told.get("figures", ()))),
        contrast=contrast_of(told.get("contrast")),
        items=str(told.get("items", "records")),
    )


def contrast_of(recorded: object) -> ContrastWords:
    """What a saved result says of a measure's contrasts; plain words for what it does not say."""
    if not isinstance(recorded, Mapping):
        return ContrastWords()
    known: dict[str, Any] = {
        f.name: str(recorded[f.name]) for f in fields(ContrastWords) if f.name in recorded
    }
    words = ContrastWords(**known)
    return words if words.unit in get_args(ContrastUnit) else replace(words, unit="plain")


def is_headline(estimate: Estimate) -> bool:
    """Whether this is the measure's own value, not one of those beside it."""
    return estimate.quantity in (name_of(estimate.measure), estimate.measure)


def interval_name(made: Mapping[str, Any]) -> str:
    """The interval's column: ``95% interval``, at the confidence level that was asked for."""
    level = made.get("confidence_level")
    return f"{100 * level:g}% interval" if isinstance(level, (int, float)) else "95% interval"


def alpha_of(made: Mapping[str, Any]) -> float:
    """The level at which a p-value counts as small."""
    alpha = made.get("alpha")
    return float(alpha) if isinstance(alpha, (int, float)) else ALPHA


def testing(estimate: Estimate) -> str:
    """The p-value in a table: ``not testable`` where no exchange could be significant."""
    return "not testable" if estimate.testable is False else number_format.probability(estimate.p)


def finding(estimate: Estimate, alpha: float = ALPHA) -> str:
    """One plain sentence: the value, its interval, and how it compares with label permutations and random sentences."""
    if estimate.value is None:
        why = (
            note.arguments["reason"] if note.code == "undefined" else worded(note) for note in estimate.notes
        )
        return f"No value: {'; '.join(why) or 'undefined on these records'}."
    reads = number_format.value(estimate)
    if estimate.low is not None:
        reads += f" {number_format.interval(estimate)}"
    if estimate.testable is not False and estimate.p is None and estimate.blind is None:
        return f"{reads}. No label permutation applies to it."
    return f"{reads}. {references(estimate, alpha)}"


def references(estimate: Estimate, alpha: float = ALPHA) -> str:
    """How a value compares with label permutations and random sentences; "" where neither was observed."""
    return " ".join(filter(None, (_permuted(estimate, alpha), _random(estimate, alpha))))


def _permuted(estimate: Estimate, alpha: float) -> str:
    """Whether the value differs from label permutations."""
    if estimate.testable is False:
        among = next((worded(note) for note in estimate.notes if note.code == "not_testable_among"), "")
        return (
            f"{among[0].upper()}{among[1:]}."
            if among
            else "Not testable: the smallest p that the labels allow exceeds the significance level."
        )
    p = estimate.p if estimate.p_adjusted is None else estimate.p_adjusted
    if p is None:
        return ""
    mean = "" if estimate.null_mean is None else f"permutation mean {number_format.chance(estimate)}, "
    told = f"({mean}p\u00a0{_equals(p)}{' (Holm)' if estimate.p_adjusted is not None else ''})"
    if p <= alpha:
        return f"Label permutations rarely produce so large a value {told}."
    if _is_small(estimate.p, alpha):
        return (
            f"Not significant after Holm's adjustment {told}; p\u00a0{_equals(estimate.p or 0.0)} on its own."
        )
    return f"Not significantly different from label permutations {told}; this does not show that there is no gap."


def _random(estimate: Estimate, alpha: float) -> str:
    """Whether a group difference differs from random sentences; of other values what these give."""
    if estimate.blind is None:
        return ""
    places = number_format.decimals(estimate)
    reads = number_format.number(estimate.blind, places)
    p = estimate.blind_p if estimate.blind_p_adjusted is None else estimate.blind_p_adjusted
    if estimate.blind_difference is None or p is None:
        return f"Random sentences of the same length: {reads}; an unsigned score is not tested against them."
    gap = number_format.number(estimate.blind_difference, places)
    told = (
        f"(difference {gap}, p\u00a0{_equals(p)}{' (Holm)' if estimate.blind_p_adjusted is not None else ''})"
    )
    if p <= alpha:
        return f"Significantly different from random sentences of the same length, {reads} {told}."
    return f"Not significantly different from random sentences of the same length, {reads} {told}."


def _is_small(p: float | None, alpha: float) -> bool:
    """Whether p was small before it was raised for the number of tests."""
    return p is not None and p <= alpha


COMPARED = (
    "Systems are compared on the records that both answered: by group differences, each less its own random-sentence "
    "baseline where it has one, and by label-independent scores. Unsigned scores differ with the length of the summaries "
    "alone: their differences have no p."
)
"""What differences of systems are made of, said once below them."""


def pair(difference: Estimate) -> str:
    """Whose difference it is: the first less the second; of one system in two audits, the second in the baseline."""
    again = " (baseline)" if difference.system == difference.baseline else ""
    return f"{difference.system} − {difference.baseline}{again}"


def compared(difference: Estimate) -> str:
    """What was compared with what: ``group difference of neutral, a − b, on 40 records that both answered``."""
    what = "group difference" if difference.leads or difference.group else "label-independent score"
    of = f" of {difference.group}" if difference.group else ""
    random = " from the random baseline" if difference.blind_difference is not None else ""
    many = counted(difference.clusters or difference.n, "record")
    return f"{what}{of}{random}, {pair(difference)}, on {many} that both answered"


def from_random(estimate: Estimate) -> Estimate:
    """The estimate as it is decided on: its difference from the random-sentence baseline, or itself where it has none."""
    if estimate.blind_difference is None:
        return estimate
    return estimate.replace(
        value=estimate.blind_difference,
        low=estimate.blind_difference_low,
        high=estimate.blind_difference_high,
        p=estimate.blind_p,
        p_adjusted=estimate.blind_p_adjusted,
        null_mean=0.0,
        testable=estimate.testable if estimate.blind_p is None else True,
    )


def _equals(p: float) -> str:
    text = number_format.probability(p)
    return f"<\u00a0{text[1:]}" if text.startswith("<") else f"=\u00a0{text}"
