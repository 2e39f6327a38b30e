"""Paired differences of systems, on their common clusters.

Systems are compared by their group differences, each minus its own random-sentence baseline if it has one, because the value of
random sentences depends on the length of the summary.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from fairbrief.auditing import estimating
from fairbrief.auditing.chance import flip_test
from fairbrief.auditing.estimating import Fields, Settings, Test
from fairbrief.auditing.jackknifed import CHANCE_ADJUSTED, Jackknifed, Units, together
from fairbrief.auditing.observing import OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.auditing.origins import Key, united
from fairbrief.auditing.parts import CommonClusters, Part, maps_of
from fairbrief.statistics.jackknife import Spreads, detectable, with_more_error
from fairbrief.types import Estimate, Integers, Measure, Note

MOST_PAIRS = 10
"""So many pairs of systems are all compared; of more systems each with one."""
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
    records: int
    with_extracts: Sequence[Units] = ()
    notes: tuple[Note, ...] = ()

    @property
    def shared(self) -> Fields:
        """What all differences of the two have in common."""
        a, b, common = self.a, self.b, self.common
        missing = max(len(a.clusters), len(b.clusters)) - common
        return {
            "system": a.system, "baseline": b.system, "subgroup": dict(a.subgroup), "n": self.records, "clusters": common,
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
    more_is_better: bool = False
    """Of a main value that is no disparity."""

    @property
    def growth(self) -> float | None:
        """|now| − |before|."""
        return None if self.now is None or self.before is None else abs(self.now) - abs(self.before)


def differences(
    measures: Sequence[Measure],
    parts: Mapping[Key, Part],
    pairs: Sequence[tuple[str, str]],
    settings: Settings,
) -> list[Estimate]:
    """Paired differences (first minus second) on the clusters that all compared systems have in common.

    A system with fewer than half of the clusters would leave few common clusters for the others, so its
    pairs are compared on the clusters of the two only, with a note.
    """
    systems, found = list(dict.fromkeys(system for pair in pairs for system in pair)), list[Pair]()
    both = [(systems.index(a), systems.index(b)) for a, b in pairs]
    for part in dict.fromkeys(subgroup for _, subgroup in parts) if both else ():
        answered = [parts[system, part] for system in systems]
        found += _paired(answered, both, (Note("few_answered"),))
    return _of_pairs(measures, found, settings)


def difference(measures: Sequence[Measure], a: Part, b: Part, settings: Settings) -> list[Estimate]:
    """Values of ``a`` minus ``b`` on the clusters that both answered: paired jackknife interval, p from turning signs of clusters."""
    return _of_pairs(measures, list(_paired([a, b], [(0, 1)])), settings)


def changes(measures: Sequence[Measure], a: Part, b: Part, settings: Settings) -> list[Change]:
    """The changes by which a gate compares ``a`` with ``b``: of group differences, and of main values that are no unsigned scores."""
    by_spec = {repr(measure): measure for measure in measures}
    found: list[Change] = []
    for pair in _paired([a, b], [(0, 1)]):
        are_equal, total = have_equal_sums(*pair.units), pair.units[0].total
        tails = {(spec, m.name): m.value(total)[m.name].tail for spec, m in by_spec.items()}
        for e in _of_pairs(measures, [pair], settings):
            tail = tails.get((e.measure, e.quantity), "upper")
            if e.is_primary or tail == "both":
                change = _change(by_spec[e.measure], pair, e, settings)
                found.append(replace(change, are_equal=are_equal))
            elif tail is None:
                more_is_better = by_spec[e.measure].declaration.better != "less"
                found.append(Change(e, are_equal=are_equal, more_is_better=more_is_better))
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
    if from_random:
        low, high = e.extract_difference_low, e.extract_difference_high
        read = [found for side in sides if (found := side.less_extracts(e.quantity)) is not None]
    else:
        low, high, read = e.low, e.high, [side.readings(e.quantity) for side in sides]
    total = read[0].and_other(read[1], sign=1.0).spreads(_kinds(e.quantity, *sides))
    total = with_more_error(total, sum(side.hidden_error(e.quantity) for side in sides))
    least, most = (float(bound[0]) for bound in settings.bounds(total))
    now, before = (float(found.here[0]) for found in read)
    change = Change(e, is_contrast=True, from_random=from_random, now=now, before=before)
    if low is None or high is None or math.isnan(least):
        return change
    low, high = max(min(low, least), min(-high, -most)), max(min(high, most), min(-low, -least))
    return replace(change, low=low, high=high)


def _paired(
    parts: Sequence[Part], pairs: Iterable[tuple[int, int]], few: tuple[Note, ...] = ()
) -> Iterator[Pair]:
    """The pairs of parts, which may be of different ledgers, without pairs that have fewer than two common clusters.

    ``few`` are the notes of a pair that is compared on the clusters of the two only.
    """
    every = united([part.clusters for part in parts])
    many = tuple(i for i, part in enumerate(parts) if 2 * len(part.clusters) >= len(every))
    common_of = cache(lambda several: CommonClusters.of([parts[i] for i in several]))
    for pair in pairs:
        are_many = set(pair) <= set(many)
        several = many if are_many else pair
        answered, places = common_of(several), [several.index(i) for i in pair]
        if (common := len(answered.common)) < 2:
            continue
        units, with_extracts = [answered.units[i] for i in places], answered.with_extracts(places)
        beside = units if len(with_extracts) == common else []
        if 1 < len(with_extracts) < common:
            beside = [answered.units_of(i, with_extracts) for i in places]
        a, b = (parts[i] for i in pair)
        yield Pair(a, b, units, common, answered.records, beside, () if are_many else few)


def _of_pairs(measures: Sequence[Measure], pairs: Sequence[Pair], settings: Settings) -> list[Estimate]:
    """The differences of all pairs, pair by pair."""
    found: list[list[Estimate]] = [[] for _ in pairs]
    gaps = _from_random(measures, pairs, settings)
    for places, sides in _alike(measures, pairs, [pair.units for pair in pairs]):
        leading = estimating.leaders([a for a, _ in sides])
        shared = [pairs[i].shared for i in places]
        for k, (a, b) in enumerate(sides):
            of_measure = estimating.named(a.measure, f"{settings.signature}|paired")
            for name in (name for name, v in a.here.items() if name in b.here and not v.is_descriptive):
                of_value = estimating.identified(of_measure, a, name, leading)
                known = [
                    ({**of_pair, **of_value}, gaps.get((i, k, name), {}), pairs[i].notes)
                    for i, of_pair in zip(places, shared, strict=True)
                ]
                for i, e in zip(places, _of_value(a, b, name, known, settings), strict=True):
                    found[i].append(e)
    return [e for own in found for e in own]


def _alike(
    measures: Sequence[Measure], pairs: Sequence[Pair], units: Sequence[Sequence[Units]]
) -> Iterator[tuple[list[int], list[tuple[Jackknifed, Jackknifed]]]]:
    """Pairs that have as many units, by their places, with both sides by measure. What a map moves is read of all clusters of a side."""
    for places, first in estimating.alike((i, own[0]) for i, own in enumerate(units) if own):
        second = together([units[i][1] for i in places])
        a, b = maps_of([pairs[i].a for i in places]), maps_of([pairs[i].b for i in places])
        yield places, [(Jackknifed(m, first, a), Jackknifed(m, second, b)) for m in measures]


Known = tuple[Fields, Fields, tuple[Note, ...]]
"""Of a value of one pair the fields that identify it, those beside random sentences, and its notes."""


def _of_value(
    a: Jackknifed, b: Jackknifed, name: str, known: Sequence[Known], settings: Settings
) -> Iterator[Estimate]:
    """The differences of one value, one of each pair: by a t interval, and a test by sign flips."""
    value, one, other = a.here[name], a.readings(name), b.readings(name)
    found = one.and_other(other).spreads(_kinds(name, a, b))
    found = with_more_error(found, a.hidden_error(name) + b.hidden_error(name))
    is_unsigned = value.tail == "upper" or name == CHANCE_ADJUSTED  # it grows with noise
    # The jackknife has no interval for a score that folds group differences which are near 0.
    has_interval = not is_unsigned or value.mean_of is not None or name == CHANCE_ADJUSTED
    size = detectable(found, settings.confidence_level)
    spreads = estimating.by_part({"se": found.error, "freedom": found.freedom, "detectable": size})
    of_measure = estimating.calibration_notes(a, settings) if value.is_primary else ()
    widest = 1.0 if value.is_share else value.limits[1] - value.limits[0]
    columns = (
        known, found.value.tolist(), (np.isinf(one.here) & np.isinf(other.here)).tolist(), estimating.presence(value, a.units, b.units),
        spreads, estimating.intervals_of(found, settings),
    )  # fmt: skip
    for i, (given, own, infinite, groups, spread, interval) in enumerate(zip(*columns, strict=True)):
        fields, beside, notes = given
        fields, test = {**fields, **groups}, estimating.NO_TEST
        if not math.isfinite(own) or not has_interval:
            interval = estimating.NO_INTERVAL
        if math.isfinite(own):
            if is_unsigned:
                interval = interval._replace(notes=interval.notes + UNSIGNED)
            elif interval.low is None:
                test = Test(testable=False)
            else:
                by_t = bool(value.strata or value.shares)
                test = _flips(found, i, a.units.names[i], settings, is_bounded=by_t)
            fields |= {**spread, "detectable": spread["detectable"] if test.testable else None, **beside}
        notes, absent = (*notes, *of_measure), "both are infinite" if infinite else estimating.NOTHING
        yield estimating.estimate_of(
            fields, own, test, interval, limits=(-widest, widest), notes=notes, absent=absent
        )


def _kinds(name: str, a: Jackknifed, b: Jackknifed) -> Integers | None:
    """The kind of each unit, by which of the value's groups it has anything of, by either system."""
    one, other = a.strata(name), b.strata(name)
    return None if one is None or other is None else one | other


def _from_random(
    measures: Sequence[Measure], pairs: Sequence[Pair], settings: Settings
) -> dict[tuple[int, int, str], Fields]:
    """By pair, measure and name how two random-sentence baselines differ, and how two differences from these differ, on the
    clusters that have both.
    """
    found: dict[tuple[int, int, str], Fields] = {}
    for places, sides in _alike(measures, pairs, [pair.with_extracts for pair in pairs]):
        for k, (a, b) in enumerate(sides):
            for name, value in a.here.items():
                if not value.is_compared or value.extract_baseline is not None or name not in b.here:
                    continue
                one, other = ((side.of_extracts(name), side.less_extracts(name)) for side in (a, b))
                if one[0] is None or one[1] is None or other[0] is None or other[1] is None:
                    continue
                levels, less = one[0].here - other[0].here, one[1].and_other(other[1])
                gaps = estimating.from_random(less, (a, b), name, _kinds(name, a, b), settings)
                for i, level, gap in zip(places, levels.tolist(), gaps, strict=True):
                    found[i, k, name] = {"extract_baseline": level, **gap} if gap else {}
    return found


def _flips(found: Spreads, i: int, names: Sequence[str], settings: Settings, *, is_bounded: bool) -> Test:
    """The test of no difference: the two systems are swapped at random within clusters.

    ``is_bounded``: p is at least that of the jackknife t. Where clusters are of different kinds, few may decide; of log odds, clusters
    that say nothing have pseudo-values, too, all of the value's sign.
    """
    units, contributions = found.contributions(i)
    moves = np.abs(contributions) > 0
    moving = [names[k] for k in units[moves].tolist()]
    # Turning all clusters mirrors turning none: 2^(clusters − 1) distinct sizes.
    reachable = 2.0 ** (1 - len(units))
    if reachable >= settings.alpha:
        return Test(0.0, None, reachable, testable=False)
    if not moving:
        return Test(0.0, 1.0, 1.0, testable=True)
    p = flip_test(contributions[moves], moving, settings.n_resamples, settings.seed)
    if is_bounded:
        p = max(p, found.p_by_t(i))
    return Test(0.0, p, reachable, testable=True)


def pairs_of(systems: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """The pairs of systems to compare: all pairs of few systems, else each system with the baseline."""
    pairs = list(itertools.combinations(systems, 2))
    if baseline is None and len(pairs) <= MOST_PAIRS:
        return pairs
    against = baseline if baseline is not None else systems[0]
    return [(system, against) for system in systems if system != against]
