"""Differences of systems: paired, on the clusters that both answered."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.answered import Answered, units_in_common
from fairbrief.auditing.chance import flip_test
from fairbrief.auditing.estimating import (
    NOTHING,
    Fields,
    Settings,
    add_t_intervals,
    alike,
    finite,
    leaders,
    named,
    undefined,
)
from fairbrief.auditing.jackknifed import EXCESS, Jackknifed, Units, together
from fairbrief.auditing.origins import Slice
from fairbrief.auditing.parts import Part
from fairbrief.statistics.arrays import TIE
from fairbrief.statistics.jackknife import Spread, Spreads, detectable, spreads
from fairbrief.types import Estimate, Measure, Note

RAW_MAGNITUDE = (Note("raw_magnitude"),)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two parts that are compared, and the jackknife units of each on the clusters that both answered."""

    a: Part
    b: Part
    units: Sequence[Units]
    common: int
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
    units, common = units_in_common([a, b], settings.seed)
    return _of_pairs(measures, [Pair(a, b, units, common)] if common > 1 else [], settings)


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
            yield Pair(parts[a], parts[b], (of_many[a], of_many[b]), len(by_many))
        elif not {a, b} <= set(many):
            units, common = units_in_common([parts[a], parts[b]], seed)
            if common > 1:
                yield Pair(parts[a], parts[b], units, common, (Note("few_answered"),))


def _of_pairs(measures: Sequence[Measure], pairs: Sequence[Pair], settings: Settings) -> list[Estimate]:
    """The differences of all pairs, pair by pair."""
    found: list[list[Estimate]] = [[] for _ in pairs]
    for places, first in alike((i, pair.units[0]) for i, pair in enumerate(pairs)):
        second = together([pairs[i].units[1] for i in places])
        several = [(Jackknifed(measure, first), Jackknifed(measure, second)) for measure in measures]
        leading = leaders([a for a, _ in several])
        shared = [pairs[i].shared for i in places]
        for a, b in several:
            of_measure = named(a.measure, f"{settings.signature}|paired")
            compared = _leading(a, b)
            for name in a.here:
                if name not in b.here:
                    continue
                leads = compared.get(name, np.zeros(len(places), dtype=np.bool_))
                made = _differences(a, b, name, leads & (leading.get(name, a) is a), settings)
                for i, own, fields in zip(places, shared, made, strict=True):
                    fields["notes"] += pairs[i].notes
                    found[i].append(Estimate(**own, **of_measure, **fields))
    return [e for own in found for e in own]


def _leading(first: Jackknifed, second: Jackknifed) -> dict[str, NDArray[np.bool_]]:
    """The values by which two systems are compared, and in which of the pairs. Shapes: (pairs,).

    The signed contrasts that lead, and the excess of a mean of records where permuted labels move it in some record.
    A magnitude that has neither (one document a group: every permutation reads the same) is compared itself.
    """
    pairs, headline = len(first.units.sums), first.here[first.measure.name]
    found = {
        name: np.full(pairs, fill_value=True)
        for name, value in first.here.items()
        if value.leads or value.leads_differences
    }
    if EXCESS in found:
        sizes = [np.abs(a.alone[EXCESS].array) > TIE for a in (first, second)]
        found[EXCESS] = np.any(sizes, axis=(0, 2))
    if headline.tail == "upper" and not headline.contrasts:
        none = ~np.any([*found.values(), np.zeros(pairs, dtype=np.bool_)], axis=0)
        found[first.measure.name] = found.get(first.measure.name, none) | none
    return found


def _differences(
    first: Jackknifed, second: Jackknifed, name: str, leads: NDArray[np.bool_], settings: Settings
) -> list[Fields]:
    """The differences of one value, one a pair. Shape of ``leads``: (pairs,)."""
    value, found = first.here[name], _paired(first, second, name)
    made: list[Fields] = []
    for gap, is_leading in zip(found.value.tolist(), leads.tolist(), strict=True):
        known = math.isfinite(gap)
        made.append(
            {
                "quantity": name, "group": value.group, "leads": is_leading,
                "value": gap if known else None, "notes": () if known else (undefined(NOTHING),),
            }
        )  # fmt: skip
    if not settings.n_resamples:
        return made
    is_raw = [value.tail == "upper" and not yes for yes in leads.tolist()]
    for fields, error, raw in zip(made, found.error.tolist(), is_raw, strict=True):
        if fields["value"] is not None:
            fields["se"] = finite(error)
            fields["notes"] += RAW_MAGNITUDE if raw else ()
    add_t_intervals(made, found, settings)
    for fields in made:
        if fields["value"] is not None and "low" not in fields:
            fields["testable"] = False
    sizes = detectable(found, settings.confidence_level).tolist()
    for i, (fields, raw, size) in enumerate(zip(made, is_raw, sizes, strict=True)):
        if "low" in fields and not raw:
            _add_flips(fields, found[i], first.units.names[i], settings)
            if fields.get("p", 0.0) > settings.alpha:
                fields["detectable"] = finite(size)
    return made


def _paired(first: Jackknifed, second: Jackknifed, name: str) -> Spreads:
    """The jackknife of a difference. Published odds may be infinite in both: their difference is undefined."""
    pairs, m = first.units.sums.shape[:2]
    with np.errstate(invalid="ignore"):
        gap = first.read(name) - second.read(name)
        without = first.without[name].array - second.without[name].array
        alone = first.alone[name].array + second.alone[name].array
    return spreads(gap, np.broadcast_to(without, (pairs, m)), np.broadcast_to(alone, (pairs, m)))


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
