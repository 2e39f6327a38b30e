"""The conclusion about a group difference, for report, terminal, gate, explain and Python.

A group difference is tested against its *baseline*: random sentences of the same length if they were observed, otherwise label
permutations. A system that ignores labels may also differ from random sentences. So a difference is significant only if the
value also differs, in the same direction, from its mean over label permutations: p is the larger of the two, adjusted by Holm
over all primary group differences of the audit with the same baseline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from fairbrief.types import Estimate

FEWEST_TO_DECIDE = 20
"""Fewer clusters of a group than this are too few to act on: a caution in reports, inconclusive in a gate."""
MAX_LEFT_OUT = 0.05
"""Share of an input that may be invalid, refused, empty or unanswered; above it the gate is inconclusive."""
FEWEST_IN_A_GROUP = 6
"""Two groups are compared if each is in at least this many clusters; with fewer there is neither p nor interval."""
MOST_PERMUTED = 20
"""Up to this many clusters in the smaller group, groups of records are permuted among clusters; beyond, p is that of the t test."""

Conclusion = Literal[
    "below", "above", "nearer to even", "as random", "as permuted", "not significant", "too few", "not testable", "not tested",
    "no value",
]  # fmt: skip
WORDS: Mapping[Conclusion, str] = {
    "below": "significantly below its baseline",
    "above": "significantly above its baseline",
    "nearer to even": "significantly nearer to even than its baseline",
    "as random": "uneven, but not significantly different from random sentences",
    "as permuted": "different from random sentences, but not from label permutations",
    "not significant": "not significant",
    "too few": f"too few clusters: each group needs {FEWEST_IN_A_GROUP}",
    "not testable": "not testable: the smallest attainable p exceeds α",
    "not tested": "not tested",
    "no value": "no value",
}
"""Certainty in words: the same in reports, gate and documentation, the clearest first. A p below 0.001 is printed as such."""
NAMED: frozenset[Conclusion] = frozenset(("below", "above"))
"""The differences from the baseline that the first screen names."""
SIGNIFICANT: frozenset[Conclusion] = frozenset(("below", "above", "nearer to even", "as random"))


def conclusion(e: Estimate, alpha: float) -> Conclusion:
    """How a group difference, or a difference of two systems in it, compares with its baseline."""
    if e.value is None:
        return "no value"
    if is_too_few(e):
        return "too few"
    p, tested = decisive(e)
    if p is not None and p <= alpha:
        return "nearer to even" if is_nearer_to_even(e) else "below" if tested < 0 else "above"
    if e.extract_p is None:
        return "not testable" if e.testable is False else "not tested" if p is None else "not significant"
    if e.extract_p * max(1, e.family_size) <= alpha:
        if is_nearer_to_even(e):
            return "nearer to even"
        if e.label_p is not None:  # that p is not significant in the family is then due to label permutations
            return "as permuted"
    by_labels = e.p if e.p_adjusted is None else e.p_adjusted
    is_uneven = not _is_nearer(e.value, e.permutation_mean or 0.0)
    return "as random" if by_labels is not None and by_labels <= alpha and is_uneven else "not significant"


def baseline_value(e: Estimate) -> float:
    """The random-sentence baseline of a group difference, or without one the mean over label permutations."""
    return (e.permutation_mean if e.extract_baseline is None else e.extract_baseline) or 0.0


def is_nearer_to_even(e: Estimate) -> bool:
    """Whether a group difference has the sign of its baseline, and is smaller."""
    return not e.baseline and _is_nearer(e.value or 0.0, baseline_value(e))


def _is_nearer(value: float, baseline: float) -> bool:
    return baseline * value >= 0 and abs(value) < abs(baseline)


def decisive(e: Estimate) -> tuple[float | None, float]:
    """The p that decides, with the adjustments that were made; and the number that it tests."""
    p, tested = against_baseline(e)
    adjusted = e.p_adjusted if e.extract_difference is None else e.extract_p_adjusted
    p = p if adjusted is None else adjusted
    return p if e.family_p is None else e.family_p, tested or 0.0


def against_baseline(e: Estimate) -> tuple[float | None, float | None]:
    """The unadjusted p, and the number that it tests: against random sentences if these were observed, otherwise against
    label permutations. No p if there are too few clusters for the test against random sentences.
    """
    return (e.p, e.value) if e.extract_difference is None else (e.extract_p, e.extract_difference)


def is_too_few(e: Estimate) -> bool:
    """Whether one group of a pair is in fewer clusters than can be compared."""
    return e.other_clusters is not None and decides(e) < min(FEWEST_IN_A_GROUP, e.clusters)


def decides(e: Estimate) -> int:
    """The number of clusters on which a decision is based: those of the group, of the smaller one of two, otherwise all."""
    known = [n for n in (e.group_clusters, e.other_clusters) if n is not None]
    return min(known, default=e.clusters)


def leading(estimates: Iterable[Estimate], *, by_subgroup: bool = False) -> list[Estimate]:
    """The primary group differences of systems, also of subgroups if ``by_subgroup``; one that several measures share, under one
    name, occurs once.
    """
    found: list[Estimate] = []
    seen: set[tuple[Any, ...]] = set()
    for e in estimates:
        is_of_systems = e.system_kind == "system" and e.baseline_kind in (None, "system")
        if not e.is_primary or not is_of_systems or (e.subgroup and not by_subgroup):
            continue
        where = (e.system, e.baseline, tuple(e.subgroup.items()), e.group)
        keys: set[tuple[Any, ...]] = {(e.measure, *where)}
        if e.group and e.value is not None:
            keys.add((e.over, *where, e.quantity, round(e.value, 12)))
        if not keys & seen:
            seen |= keys
            found.append(e)
    return found
