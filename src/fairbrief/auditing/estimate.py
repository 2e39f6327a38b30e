"""The one place where an estimate is built: test, interval, random-sentence baseline and counts of groups, in this order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fairbrief.types import Estimate, Note

NOTHING = "nothing to count"
BOTH_INFINITE = "both are infinite"
INFINITE = Note("infinite")
UNLIMITED = -math.inf, math.inf
Bounds = tuple[float | None, float | None]
NO_BOUNDS: Bounds = None, None


@dataclass(frozen=True, slots=True)
class Test:
    """A test of no disparity; without ``p`` where there is none. ``mean`` is the value's mean under the null hypothesis."""

    mean: float | None = None
    p: float | None = None
    smallest: float | None = None
    testable: bool | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, or notes with the reason for its absence. ``is_open``: the lower bound is above 0, but unknown."""

    low: float | None = None
    high: float | None = None
    is_open: bool = False
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class FromRandom:
    """A difference from the random-sentence baseline, with the jackknife's interval and test where there are."""

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    se: float | None = None
    freedom: float | None = None
    detectable: float | None = None


@dataclass(frozen=True, slots=True)
class Present:
    """How many clusters and items have the group of a difference, or each of its two."""

    clusters: tuple[int, ...] = ()
    items: tuple[float, ...] = ()
    are_too_few: bool = False


NO_TEST, NO_INTERVAL, NO_GROUP, NO_GAP = Test(), Interval(), Present(), FromRandom()


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one estimate. ``within``: the interval from resampling inside clusters; ``random``: the random-sentence baseline.

    ``absent``: why there is no value, if it is undefined.
    """

    value: float
    present: Present = NO_GROUP
    se: float | None = None
    freedom: float | None = None
    test: Test = NO_TEST
    interval: Interval = NO_INTERVAL
    within: Bounds = NO_BOUNDS
    detectable: float | None = None
    random: float | None = None
    from_random: FromRandom | None = None
    absent: str = NOTHING


def undefined(reason: str) -> Note:
    """The note at a value that is undefined."""
    return Note("undefined", {"reason": reason})


def finite(number: float) -> float | None:
    """The number; None where it is not finite."""
    return number if math.isfinite(number) else None


def built(
    fields: Mapping[str, Any],
    numbers: Numbers,
    limits: tuple[float, float] = UNLIMITED,
    notes: tuple[Note, ...] = (),
) -> Estimate:
    """The estimate with these numbers. ``fields`` identify it; bounds are clipped to the ``limits`` of the value.

    There is neither test nor interval if a group is in too few clusters. An infinite value has no test, and an interval
    only from resamples.
    """
    present, test, interval, within = numbers.present, numbers.test, numbers.interval, numbers.within
    gap, size = numbers.from_random or NO_GAP, numbers.detectable
    group_clusters, other_clusters, *_ = (*present.clusters, None, None)
    group_items, other_items, *_ = (*present.items, None, None)
    if gap.se is not None:
        size = gap.detectable
    if math.isnan(numbers.value):
        interval, within, notes = NO_INTERVAL, NO_BOUNDS, (undefined(numbers.absent), *notes)
    notes = (*test.notes, *interval.notes, *notes)
    if not math.isfinite(numbers.value):
        test, size, gap = NO_TEST, None, NO_GAP
        notes = (INFINITE, *notes) if math.isinf(numbers.value) else notes
    elif present.are_too_few:
        few = Note("few_in_group", {"group": fields["group"], "clusters": list(present.clusters)})
        notes, test, interval, size = (*notes, few), Test(test.mean, testable=False), NO_INTERVAL, None
        gap = replace(gap, low=None, high=None, p=None)
    least, most = limits

    def cut(number: float | None) -> float | None:
        return None if number is None else min(max(number, least), most)

    return Estimate(
        **fields, value=None if math.isnan(numbers.value) else cut(numbers.value), low=cut(interval.low), high=cut(interval.high),
        low_is_open=interval.is_open, low_within=cut(within[0]), high_within=cut(within[1]), se=numbers.se,
        freedom=numbers.freedom, permutation_mean=cut(test.mean), p=test.p, smallest_p=test.smallest, testable=test.testable,
        detectable=size, extract_baseline=cut(numbers.random), extract_difference=gap.difference,
        extract_difference_low=gap.low, extract_difference_high=gap.high,
        extract_p=gap.p, extract_se=gap.se,
        extract_freedom=gap.freedom, group_clusters=group_clusters, other_clusters=other_clusters,
        group_items=group_items, other_items=other_items, notes=notes,
    )  # fmt: skip
