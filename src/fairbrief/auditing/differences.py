"""Paired differences of systems, on their common clusters.

Systems are compared by their group differences, each minus its own random-sentence baseline if it has one, because the value of
random sentences depends on the length of the summary.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing.chance import flip_test
from fairbrief.auditing.estimate import (
    BOTH_INFINITE,
    NO_INTERVAL,
    NOTHING,
    FromRandom,
    Numbers,
    Test,
    built,
    finite,
)
from fairbrief.auditing.estimating import (
    Fields,
    Settings,
    alike,
    calibration_notes,
    from_random,
    leaders,
    named,
    presence,
    t_intervals,
)
from fairbrief.auditing.jackknifed import CHANCE_ADJUSTED, Difference, Jackknifed, Units, together
from fairbrief.auditing.observing import OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.auditing.origins import Subgroup
from fairbrief.auditing.parts import CommonClusters, Part, maps_of
from fairbrief.statistics.jackknife import Spread, detectable, t_interval
from fairbrief.types import Estimate, Integers, Measure, Note, Value

UNSIGNED = (Note("raw_magnitude"),)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two parts that are compared, and the jackknife units of each on the common clusters.

    ``with_extracts`` are the units on clusters for which both have random extracts; () if these are fewer than two.
    """

    a: Part
    b: Part
    units: Sequence[Units]
    common: int
    with_extracts: Sequence[Units] = ()
    notes: tuple[Note, ...] = ()

    @property
    def shared(self) -> Fields:
        """What all differences of the two have in common."""
        a, b, common = self.a, self.b, self.common
        missing = max(len(a.clusters), len(b.clusters)) - common
        return {
            "system": a.system, "baseline": b.system, "subgroup": dict(a.subgroup), "n": common, "clusters": common,
            "kind": "group_difference", "excluded": {"not answered by all compared": missing} if missing else {},
            "system_kind": a.system_kind, "baseline_kind": b.system_kind,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A difference of two systems, first minus second. For a group difference also the change of its absolute value.

    ``now`` and ``before`` are the group differences of the first and the second system, minus the random-sentence baseline
    if there is one (``from_random``). ``low`` and ``high`` bound |now| − |before|; None without an interval.
    """

    difference: Estimate
    is_contrast: bool = False
    from_random: bool = False
    now: float | None = None
    before: float | None = None
    low: float | None = None
    high: float | None = None
    are_equal: bool = False
    """Whether both systems have the same statistics, apart from random sentences: then a difference of 0 is certain."""

    @property
    def growth(self) -> float | None:
        """|now| − |before|."""
        return None if self.now is None or self.before is None else abs(self.now) - abs(self.before)


def differences(
    measures: Sequence[Measure],
    parts: Mapping[tuple[str, Subgroup], Part],
    pairs: Iterable[tuple[str, str]],
    settings: Settings,
) -> list[Estimate]:
    """Paired differences (first minus second) on the clusters that all compared systems have in common.

    A system with fewer than half of the clusters would leave few common clusters for the others, so its
    pairs are compared on the clusters of the two only, with a note.
    """
    pairs = list(pairs)
    systems = dict.fromkeys(system for pair in pairs for system in pair)
    found: list[Pair] = []
    for part in dict.fromkeys(subgroup for _, subgroup in parts):
        there = [system for system in systems if (system, part) in parts]
        found += _pairs([parts[system, part] for system in there], _numbered(pairs, there), settings.seed)
    return _of_pairs(measures, found, settings)


def difference(measures: Sequence[Measure], a: Part, b: Part, settings: Settings) -> list[Estimate]:
    """Values of ``a`` minus ``b`` on the clusters that both answered: paired jackknife interval, p from turning signs of clusters."""
    return _of_pairs(measures, _pair_of_two(a, b, settings.seed), settings)


def changes(measures: Sequence[Measure], a: Part, b: Part, settings: Settings) -> list[Change]:
    """Whether systems are compared by this estimate: a group difference, or a main value that is not an unsigned score."""
    by_spec = {repr(measure): measure for measure in measures}
    found: list[Change] = []
    for pair in _pair_of_two(a, b, settings.seed):
        are_equal = have_equal_sums(*pair.units)
        for e in _of_pairs(measures, [pair], settings):
            measure = by_spec[e.measure]
            tail = (
                None if e.quantity == CHANCE_ADJUSTED else measure.value(pair.units[0].total)[e.quantity].tail
            )
            if e.is_primary or (e.quantity == measure.name and tail == "both"):
                found.append(replace(_change(measure, pair, e, settings), are_equal=are_equal))
            elif e.quantity == measure.name and tail is None:
                found.append(Change(e, are_equal=are_equal))
    return found


def have_equal_sums(a: Units, b: Units) -> bool:
    """Whether the statistics are equal in every unit, apart from those of random sentences."""
    return all(
        np.array_equal(a.sums[..., i], b.sums[..., b.columns[column]])
        for column, i in a.columns.items()
        if column[0] not in (OF_EXTRACTS, WITHOUT_EXTRACTS)
    )


def _change(measure: Measure, pair: Pair, e: Estimate, settings: Settings) -> Change:
    r"""Bounds of the growth of an absolute group difference: \|a\| − \|b\| = max(min(a − b, a + b), min(b − a, −a − b)).

    Its bounds follow from the bounds of the four sums.
    """
    if e.value is None:
        return Change(e, is_contrast=True)
    from_random = e.extract_difference is not None
    sides = [Jackknifed(measure, side) for side in (pair.with_extracts if from_random else pair.units)]
    total = Difference(sides[0], sides[1], sign=1.0)
    if from_random:
        low, high = e.extract_difference_low, e.extract_difference_high
        both, read = total.less_extracts(e.quantity), [side.from_extracts(e.quantity) for side in sides]
        now, before = (float(found[0][0]) for found in read if found is not None)
    else:
        low, high = e.low, e.high
        both = total.spreads(e.quantity, strata=True)
        now, before = (float(side.read(e.quantity)[0]) for side in sides)
    assert both is not None
    least, most = (float(bound[0]) for bound in t_interval(both, settings.confidence_level))
    if low is None or high is None or math.isnan(least):
        return Change(e, is_contrast=True, from_random=from_random, now=now, before=before)
    return Change(
        e, is_contrast=True, from_random=from_random, now=now, before=before,
        low=max(min(low, least), min(-high, -most)), high=max(min(high, most), min(-low, -least)),
    )  # fmt: skip


def _numbered(pairs: Iterable[tuple[str, str]], there: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of systems that are both present, as indices."""
    return [(there.index(a), there.index(b)) for a, b in pairs if {a, b} <= set(there)]


def _pairs(parts: Sequence[Part], pairs: Sequence[tuple[int, int]], seed: int) -> Iterator[Pair]:
    """The pairs of parts to compare, without pairs that have fewer than two common clusters."""
    if not pairs:
        return
    answered = CommonClusters.of(parts)
    many = [i for i, part in enumerate(parts) if 2 * len(part.clusters) >= len(answered.clusters)]
    by_many = answered.by_all(many)
    of_many = answered.units(many, by_many, seed) if len(by_many) > 1 else {}
    for a, b in pairs:
        if {a, b} <= of_many.keys():
            yield _pair(answered, (a, b), by_many, of_many, seed)
        elif not {a, b} <= set(many):
            yield from _pair_of_two(parts[a], parts[b], seed, (Note("few_answered"),))


def _pair_of_two(a: Part, b: Part, seed: int, notes: tuple[Note, ...] = ()) -> list[Pair]:
    """Two parts, of any ledgers, on what both answered; [] where that is less than two clusters."""
    answered = CommonClusters.of([a, b])
    common = answered.by_all([0, 1])
    if len(common) < 2:
        return []
    return [_pair(answered, (0, 1), common, _each(answered, (0, 1), common, seed), seed, notes)]


def _each(answered: CommonClusters, places: tuple[int, int], common: Integers, seed: int) -> dict[int, Units]:
    return {i: answered.units([i], common, seed)[i] for i in places}


def _pair(
    answered: CommonClusters,
    places: tuple[int, int],
    common: Integers,
    units: Mapping[int, Units],
    seed: int,
    notes: tuple[Note, ...] = (),
) -> Pair:
    """Two parts on these clusters, whose ``units`` are known."""
    with_extracts = answered.with_extracts(places, common)
    beside: Mapping[int, Units] = {}
    if len(with_extracts) == len(common):
        beside = units
    elif len(with_extracts) > 1:
        beside = _each(answered, places, with_extracts, seed)
    a, b = places
    sides = [[of[i] for i in places] if of else [] for of in (units, beside)]
    return Pair(answered.parts[a], answered.parts[b], sides[0], len(common), sides[1], notes)


def _of_pairs(measures: Sequence[Measure], pairs: Sequence[Pair], settings: Settings) -> list[Estimate]:
    """The differences of all pairs, pair by pair."""
    found: list[list[Estimate]] = [[] for _ in pairs]
    gaps = _from_random(measures, pairs, settings) if settings.n_resamples else {}
    for places, first in alike((i, pair.units[0]) for i, pair in enumerate(pairs)):
        second = together([pairs[i].units[1] for i in places])
        several = _both_sides(measures, [pairs[i] for i in places], first, second)
        leading = leaders([two.first for two in several])
        shared = [pairs[i].shared for i in places]
        for k, two in enumerate(several):
            a = two.first
            of_measure = named(a.measure, f"{settings.signature}|paired")
            for name, value in a.here.items():
                if name not in two.second.here:
                    continue
                of_value = {
                    **of_measure, "quantity": name, "group": value.group, "is_primary": value.is_primary and leading[name] is a
                }  # fmt: skip
                numbers = _numbers(two, name, [pairs[i].common for i in places], settings)
                notes = calibration_notes(a, settings) if value.is_primary else ()
                for i, of_pair, own in zip(places, shared, numbers, strict=True):
                    if math.isfinite(own.value) and (beside := gaps.get((i, k, name))):
                        own = replace(own, random=beside[0], from_random=beside[1])
                    found[i].append(built({**of_pair, **of_value}, own, notes=(*pairs[i].notes, *notes)))
    return [e for own in found for e in own]


def _both_sides(
    measures: Sequence[Measure], pairs: Sequence[Pair], first: Units, second: Units
) -> list[Difference]:
    """By measure the difference of pairs with these units. What a map moves is read of all clusters of a side."""
    a, b = maps_of([pair.a for pair in pairs]), maps_of([pair.b for pair in pairs])
    return [Difference(Jackknifed(measure, first, a), Jackknifed(measure, second, b)) for measure in measures]


def _numbers(two: Difference, name: str, common: Sequence[int], settings: Settings) -> Iterator[Numbers]:
    """The differences of one value, one of each pair: by a t interval, and a test by sign flips."""
    value, found = two.first.here[name], two.spreads(name)
    are_infinite = np.isinf(two.first.read(name)) & np.isinf(two.second.read(name))
    is_unsigned = _is_unsigned(name, value)
    # The jackknife has no interval for a score that folds group differences which are near 0.
    has_interval = not is_unsigned or value.mean_of is not None or name == CHANCE_ADJUSTED
    columns = (
        found.value.tolist(), presence(value, two.first, common), are_infinite.tolist(), found.error.tolist(),
        found.freedom.tolist(), t_intervals(found, settings), detectable(found, settings.confidence_level).tolist(),
    )  # fmt: skip
    for i, (own, groups, infinite, error, freedom, interval, size) in enumerate(zip(*columns, strict=True)):
        if not math.isfinite(own) or not settings.n_resamples:
            yield Numbers(own, groups, absent=BOTH_INFINITE if infinite else NOTHING)
            continue
        interval = interval if has_interval else NO_INTERVAL
        numbers = Numbers(own, groups, finite(error), freedom, interval=interval)
        if is_unsigned:
            yield replace(numbers, interval=replace(interval, notes=interval.notes + UNSIGNED))
        elif interval.low is None:
            yield replace(numbers, test=Test(testable=False))
        else:
            test = _flips(found[i], two.first.units.names[i], settings)
            yield replace(numbers, test=test, detectable=finite(size) if test.testable else None)


def _is_unsigned(name: str, value: Value) -> bool:
    """Whether it grows with noise: an unsigned score, or what it exceeds its mean over label permutations by."""
    return value.tail == "upper" or name == CHANCE_ADJUSTED


def _from_random(
    measures: Sequence[Measure], pairs: Sequence[Pair], settings: Settings
) -> dict[tuple[int, int, str], tuple[float, FromRandom]]:
    """By pair, measure and name how two random-sentence baselines differ, and how two differences from these differ, on the
    clusters that have both.
    """
    found: dict[tuple[int, int, str], tuple[float, FromRandom]] = {}
    there = ((i, pair.with_extracts[0]) for i, pair in enumerate(pairs) if pair.with_extracts)
    for places, one in alike(there):
        other = together([pairs[i].with_extracts[1] for i in places])
        for k, two in enumerate(_both_sides(measures, [pairs[i] for i in places], one, other)):
            for name, value in two.first.here.items():
                if value.is_compared and value.extract_baseline is None and name in two.second.here:
                    for i, random, gap in zip(places, *_less_baselines(two, name, settings), strict=False):
                        if gap is not None:
                            found[i, k, name] = random, gap
    return found


def _less_baselines(
    two: Difference, name: str, settings: Settings
) -> tuple[Sequence[float], Sequence[FromRandom | None]]:
    """Of one value the two numbers of each pair; none where one side has no baseline."""
    gaps = two.less_extracts(name)
    if gaps is None:
        return (), ()
    first, second = two.first, two.second
    read = first.of_extracts[0][name].array - second.of_extracts[0][name].array
    kinds = first.strata(name) if first.here[name].is_between else None
    of_pairs = from_random(gaps, kinds, first.units.names, settings)
    return np.broadcast_to(read, len(gaps.value)).tolist(), list(of_pairs)


def _flips(found: Spread, units: Sequence[str], settings: Settings) -> Test:
    """The test of no difference: the two systems are swapped at random within clusters."""
    contributions = found.contributions
    moves = np.abs(contributions) > 0
    names = [units[k] for k in found.units[moves].tolist()]
    if not names:
        return Test(0.0, 1.0, 1.0, testable=True)
    # Turning all clusters mirrors turning none: 2^(clusters − 1) distinct sizes.
    reachable = 2.0 ** (1 - len(found.units))
    if reachable >= settings.alpha:
        return Test(0.0, None, reachable, testable=False)
    p = flip_test(contributions[moves], names, settings.n_resamples, settings.seed)
    return Test(0.0, p, reachable, testable=True)


def pairs_of(systems: Sequence[str], baseline: str | None, most: int = 10) -> list[tuple[str, str]]:
    """The pairs of systems to compare: all pairs of few systems, else each system with the baseline."""
    pairs = list(itertools.combinations(systems, 2))
    if baseline is None and len(pairs) <= most:
        return pairs
    against = baseline if baseline is not None else systems[0]
    return [(system, against) for system in systems if system != against]
