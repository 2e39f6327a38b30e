"""Differences of systems: paired, on the clusters that both answered.

Systems are compared by their group differences, each less its own random-sentence baseline where it has one: summaries of
unequal length differ in what random sentences of that length equal, and in nothing that the systems decided.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.auditing.answered import Answered
from fairbrief.auditing.chance import flip_test
from fairbrief.auditing.estimating import (
    NOTHING,
    Fields,
    Settings,
    add_groups,
    add_t_intervals,
    alike,
    finite,
    leaders,
    named,
    of_random_difference,
    undefined,
)
from fairbrief.auditing.jackknifed import EXCESS, Jackknifed, Units, together
from fairbrief.auditing.origins import Slice
from fairbrief.auditing.parts import Part
from fairbrief.statistics.jackknife import Spread, Spreads, detectable, spreads, t_interval
from fairbrief.types import Estimate, Floats, Integers, Measure, Note, Value

UNSIGNED = (Note("raw_magnitude"),)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two parts that are compared, and the jackknife units of each on the clusters that both answered.

    ``with_extracts`` are those on the clusters of which both have random extracts, () where these are fewer than two.
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
            "system": a.system, "baseline": b.system, "slice": dict(a.slice), "n": common, "clusters": common,
            "kind": "contrast", "excluded": {"not answered by all compared": missing} if missing else {},
            "system_kind": a.system_kind, "baseline_kind": b.system_kind,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """A difference of two systems, the first less the second; of a group difference also how its size changed.

    ``now`` and ``before`` are the group difference of the first and of the second, less the random-sentence baseline
    where it has one (``from_random``). The size grew by |now| − |before|, which lies between ``low`` and ``high``; None
    where there is no interval.
    """

    difference: Estimate
    is_contrast: bool = False
    from_random: bool = False
    now: float | None = None
    before: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def growth(self) -> float | None:
        """By how much the group difference is larger, whatever its sign."""
        return None if self.now is None or self.before is None else abs(self.now) - abs(self.before)


def differences(
    measures: Sequence[Measure],
    parts: Mapping[tuple[str, Slice], Part],
    pairs: Iterable[tuple[str, str]],
    settings: Settings,
) -> list[Estimate]:
    """Paired differences (first minus second) on the clusters that all compared systems answered.

    A system that answered fewer than half of the clusters would leave the others little to be compared
    on: its pairs are compared on what the two answered, and say so.
    """
    pairs = list(pairs)
    systems = dict.fromkeys(system for pair in pairs for system in pair)
    found: list[Pair] = []
    for part in dict.fromkeys(slice_ for _, slice_ in parts):
        there = [system for system in systems if (system, part) in parts]
        found += _pairs([parts[system, part] for system in there], _numbered(pairs, there), settings.seed)
    return _of_pairs(measures, found, settings)


def difference(measures: Sequence[Measure], a: Part, b: Part, settings: Settings) -> list[Estimate]:
    """Values of ``a`` minus ``b`` on the clusters that both answered: paired jackknife interval, p from turning signs of clusters."""
    return _of_pairs(measures, _pair_of_two(a, b, settings.seed), settings)


def changes(measures: Sequence[Measure], a: Part, b: Part, settings: Settings) -> list[Change]:
    """What systems are compared by, of a `difference`: group differences, and headlines that are no unsigned score."""
    by_spec = {repr(measure): measure for measure in measures}
    found: list[Change] = []
    for pair in _pair_of_two(a, b, settings.seed):
        for e in _of_pairs(measures, [pair], settings):
            measure = by_spec[e.measure]
            tail = None if e.quantity == EXCESS else measure.value(pair.units[0].total)[e.quantity].tail
            if e.leads or (e.quantity == measure.name and tail == "both"):
                found.append(_change(measure, pair, e, settings))
            elif e.quantity == measure.name and tail is None:
                found.append(Change(e))
    return found


def _change(measure: Measure, pair: Pair, e: Estimate, settings: Settings) -> Change:
    r"""The size of a group difference grew by \|a\| − \|b\| = max(min(a − b, a + b), min(b − a, −a − b)).

    A lower bound of it follows from those of the four sums, an upper bound likewise.
    """
    if e.value is None:
        return Change(e, is_contrast=True)
    from_random = e.blind_difference is not None
    first, second = (
        Jackknifed(measure, side) for side in (pair.with_extracts if from_random else pair.units)
    )
    sides = [_read(side, e.quantity, from_random=from_random) for side in (first, second)]
    (now,), (before,) = (here.tolist() for here, _ in sides)
    low, high = (e.blind_difference_low, e.blind_difference_high) if from_random else (e.low, e.high)
    both = _combined(first, second, e.quantity, *sides, sign=1.0)
    least, most = (float(bound[0]) for bound in t_interval(both, settings.confidence_level))
    if low is None or high is None or math.isnan(least):
        return Change(e, is_contrast=True, from_random=from_random, now=now, before=before)
    return Change(
        e, is_contrast=True, from_random=from_random, now=now, before=before,
        low=max(min(low, least), min(-high, -most)), high=max(min(high, most), min(-low, -least)),
    )  # fmt: skip


def _numbered(pairs: Iterable[tuple[str, str]], there: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of which both are there, by their numbers."""
    return [(there.index(a), there.index(b)) for a, b in pairs if {a, b} <= set(there)]


def _pairs(parts: Sequence[Part], pairs: Sequence[tuple[int, int]], seed: int) -> Iterator[Pair]:
    """The parts as they are compared; not those that have fewer than two clusters in common."""
    if not pairs:
        return
    answered = Answered.of(parts)
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
    answered = Answered.of([a, b])
    common = answered.by_all([0, 1])
    if len(common) < 2:
        return []
    return [_pair(answered, (0, 1), common, _each(answered, (0, 1), common, seed), seed, notes)]


def _each(answered: Answered, places: tuple[int, int], common: Integers, seed: int) -> dict[int, Units]:
    return {i: answered.units([i], common, seed)[i] for i in places}


def _pair(
    answered: Answered,
    places: tuple[int, int],
    common: Integers,
    units: Mapping[int, Units],
    seed: int,
    notes: tuple[Note, ...] = (),
) -> Pair:
    """Two of the parts on these clusters, of which ``units`` are known."""
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
    from_random = _from_random(measures, pairs, settings) if settings.n_resamples else {}
    for places, first in alike((i, pair.units[0]) for i, pair in enumerate(pairs)):
        second = together([pairs[i].units[1] for i in places])
        several = [(Jackknifed(measure, first), Jackknifed(measure, second)) for measure in measures]
        leading = leaders([a for a, _ in several])
        shared = [pairs[i].shared for i in places]
        for k, (a, b) in enumerate(several):
            of_measure = named(a.measure, f"{settings.signature}|paired")
            for name, value in a.here.items():
                if name not in b.here:
                    continue
                made = _differences(a, b, name, settings)
                for i, fields in zip(places, made, strict=True):
                    fields["leads"] = value.leads and leading[name] is a
                    fields["notes"] += pairs[i].notes
                    if fields["value"] is not None:
                        fields |= from_random.get((i, k, name), {})
                if value.present:
                    add_groups(made, value, a, [pairs[i].common for i in places])
                for i, own, fields in zip(places, shared, made, strict=True):
                    found[i].append(Estimate(**own, **of_measure, **fields))
    return [e for own in found for e in own]


def _differences(first: Jackknifed, second: Jackknifed, name: str, settings: Settings) -> list[Fields]:
    """The differences of one value, one a pair."""
    value = first.here[name]
    sides = [(side.read(name), side.without[name].array) for side in (first, second)]
    found = _combined(first, second, name, *sides, strata=False)
    made: list[Fields] = [
        {
            "quantity": name, "group": value.group, "value": finite(gap),
            "notes": () if math.isfinite(gap) else (undefined(NOTHING),),
        }
        for gap in found.value.tolist()
    ]  # fmt: skip
    if not settings.n_resamples:
        return made
    for fields, error, freedom in zip(made, found.error.tolist(), found.freedom.tolist(), strict=True):
        if fields["value"] is not None:
            fields |= {"se": finite(error), "freedom": freedom}
    if _is_unsigned(name, value):
        _add_unsigned(made, name, value, found, settings)
        return made
    add_t_intervals(made, found, settings)
    for fields in made:
        if fields["value"] is not None and "low" not in fields:
            fields["testable"] = False
    sizes = detectable(found, settings.confidence_level).tolist()
    for i, (fields, size) in enumerate(zip(made, sizes, strict=True)):
        if "low" in fields:
            _add_flips(fields, found[i], first.units.names[i], settings)
            if fields["testable"]:
                fields["detectable"] = finite(size)
    return made


def _is_unsigned(name: str, value: Value) -> bool:
    """Whether it grows with noise: an unsigned score, or what it exceeds its mean over label permutations by."""
    return value.tail == "upper" or name == EXCESS


def _add_unsigned(
    made: Sequence[Fields], name: str, value: Value, found: Spreads, settings: Settings
) -> None:
    """No p, since unsigned scores of fair systems differ where their summaries differ in length or number. A mean of
    records keeps its interval; the jackknife has none for a score that folds group differences which are near 0.
    """
    if value.mean_of is not None or name == EXCESS:
        add_t_intervals(made, found, settings)
    for fields in made:
        if fields["value"] is not None:
            fields["notes"] += UNSIGNED


Read = tuple[Floats, Floats]
"""A value on all units (parts,), and without each (parts, units)."""


def _read(side: Jackknifed, name: str, *, from_random: bool) -> Read:
    if not from_random:
        return side.read(name), side.without[name].array
    found = side.from_extracts(name)
    assert found is not None
    return found


def _combined(
    first: Jackknifed,
    second: Jackknifed,
    name: str,
    a: Read,
    b: Read,
    *,
    sign: float = -1.0,
    strata: bool = True,
) -> Spreads:
    """The jackknife of a − b, or of a + b. Published odds may be infinite in both: their difference is undefined."""
    shape = first.units.sums.shape[:2]
    with np.errstate(invalid="ignore"):
        whole, without = a[0] + sign * b[0], a[1] + sign * b[1]
        alone = first.alone[name].array + second.alone[name].array
    return spreads(
        whole,
        np.broadcast_to(without, shape),
        np.broadcast_to(alone, shape),
        first.strata(name) if strata else None,
    )


def _from_random(
    measures: Sequence[Measure], pairs: Sequence[Pair], settings: Settings
) -> dict[tuple[int, int, str], Fields]:
    """By pair, measure and name how two values differ from their random-sentence baselines, on the clusters that have both."""
    found: dict[tuple[int, int, str], Fields] = {}
    there = ((i, pair.with_extracts[0]) for i, pair in enumerate(pairs) if pair.with_extracts)
    for places, one in alike(there):
        other = together([pairs[i].with_extracts[1] for i in places])
        for k, measure in enumerate(measures):
            first, second = Jackknifed(measure, one), Jackknifed(measure, other)
            for name, value in first.here.items():
                if value.is_compared and value.blind is None and name in second.here:
                    for i, fields in zip(places, _less_baselines(first, second, name, settings), strict=True):
                        found[i, k, name] = fields
    return found


def _less_baselines(first: Jackknifed, second: Jackknifed, name: str, settings: Settings) -> Iterator[Fields]:
    """The fields of one value, one a pair; none where one side has no baseline."""
    a, b = first.from_extracts(name), second.from_extracts(name)
    if a is None or b is None:
        yield from ({} for _ in first.units.sums)
        return
    gaps = _combined(first, second, name, a, b)
    read = first.of_extracts[0][name].array - second.of_extracts[0][name].array
    kinds = first.strata(name) if first.here[name].is_between else None
    told = of_random_difference(gaps, kinds, first.units.names, settings)
    for blind, fields in zip(np.broadcast_to(read, len(gaps.value)).tolist(), told, strict=True):
        yield {"blind": blind, **fields} if fields else {}


def _add_flips(fields: Fields, found: Spread, units: Sequence[str], settings: Settings) -> None:
    """P of no difference: which of the two wrote what is turned in every cluster."""
    said = found.contributions
    moves = np.abs(said) > 0
    names = [units[k] for k in found.units[moves].tolist()]
    fields["null_mean"] = 0.0
    if not names:
        fields |= {"p": 1.0, "testable": True, "smallest_p": 1.0}
        return
    # Turning all clusters mirrors turning none: 2^(clusters − 1) distinct sizes.
    reachable = 2.0 ** (1 - len(found.units))
    fields |= {"smallest_p": reachable, "testable": reachable < settings.alpha}
    if fields["testable"]:
        fields["p"] = flip_test(said[moves], names, settings.n_resamples, settings.seed)


def pairs_of(systems: Sequence[str], baseline: str | None, most: int = 10) -> list[tuple[str, str]]:
    """Which systems are compared: all pairs while there are few, else each with the baseline."""
    pairs = list(itertools.combinations(systems, 2))
    if baseline is None and len(pairs) <= most:
        return pairs
    against = baseline if baseline is not None else systems[0]
    return [(system, against) for system in systems if system != against]
