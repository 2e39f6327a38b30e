"""Sums to estimates: value, interval, chance level, p, counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from fairbrief.auditing.chance import (
    Chance,
    Permutations,
    between_chance,
    flip_chance,
    is_tested_by_permutation,
)
from fairbrief.auditing.jackknifed import EXCESS, Jackknifed, Units, together
from fairbrief.auditing.null_sums import Drawn, NullSums, drawn_of
from fairbrief.auditing.parts import Part
from fairbrief.standings import are_too_few
from fairbrief.statistics import BlockBootstrap, Bootstraps, percentile_interval
from fairbrief.statistics.jackknife import (
    Spreads,
    correlation_interval,
    detectable,
    share_interval,
    t_interval,
    t_test,
)
from fairbrief.types import Column, Estimate, Floats, Integers, Measure, Note, Value

NOTHING = "nothing to count"
NEEDS_TEXTS = Note("needs_texts")
FEW_CLUSTERS, ONE_CLUSTER_DECIDES, CLUSTERS_ALIKE = (
    (Note("few_clusters"),), (Note("one_cluster_decides"),), (Note("clusters_alike"),),
)  # fmt: skip
FEWEST_CLUSTERS = 3
MOST_TOGETHER = 1 << 21
"""Numbers of the cluster sums of parts that are estimated together, where it is more than one."""

UNTOLD_OF_FEW = (
    "p", "smallest_p", "low", "high", "detectable", "blind_p", "blind_difference_low", "blind_difference_high"
)  # fmt: skip
"""Fields that are None where a group is in too few clusters to be compared."""
LIMITED = ("value", "low", "high", "low_within", "high_within", "null_mean", "blind")
"""What is kept to a value's limits."""

T = TypeVar("T")
Fields = dict[str, Any]
"""What is known of an estimate that is not made yet."""


@dataclass(frozen=True)
class Settings:
    """What decides intervals and tests: recorded with every estimate.

    ``intervals``: ``jackknife``, or ``bootstrap`` as papers have it (percentiles over resampled clusters).
    """

    n_resamples: int = 2000
    seed: int = 0
    confidence_level: float = 0.95
    alpha: float = 0.05
    signature: str = ""
    intervals: Literal["jackknife", "bootstrap"] = "jackknife"

    @classmethod
    def of(cls, made: Mapping[str, Any]) -> Settings:
        """Those of an audit, as its result says how it was made."""
        return cls(
            made["n_resamples"],
            made["seed"],
            made["confidence_level"],
            made["alpha"],
            intervals=made["intervals"],
        )

    @cached_property
    def bootstraps(self) -> Bootstraps:
        """Resamples of clusters, shared by all estimates that are made with these settings."""
        return Bootstraps(self.n_resamples, self.seed)


def estimate(measures: Sequence[Measure], part: Part, settings: Settings) -> list[Estimate]:
    """The estimates of all measures that read one part's rows."""
    return next(estimates(measures, [part], settings))[1]


def estimates(
    measures: Sequence[Measure], parts: Sequence[Part], settings: Settings
) -> Iterator[tuple[Part, list[Estimate]]]:
    """Each part of a ledger with its estimates of all measures; parts that have as many units one after another."""
    units = []
    for part in parts:
        if part.clusters:
            units.append((part, part.units))
        else:
            yield part, _of_nothing(measures, part, settings)
    for some, stacked in alike(units):
        yield from zip(some, _of_parts(measures, some, stacked, settings), strict=True)


def alike(units: Iterable[tuple[T, Units]]) -> Iterator[tuple[list[T], Units]]:
    """What has as many units together, and these side by side; as much at a time as takes little memory."""
    found: dict[tuple[int, ...], list[tuple[T, Units]]] = {}
    for one in units:
        found.setdefault((*one[1].sums.shape, bool(one[1].clusters)), []).append(one)
    for members in found.values():
        step = max(1, MOST_TOGETHER // max(1, members[0][1].sums.size))
        for start in range(0, len(members), step):
            some = members[start : start + step]
            yield [one for one, _ in some], together([own for _, own in some])


def _of_nothing(measures: Sequence[Measure], part: Part, settings: Settings) -> list[Estimate]:
    """The estimates of a part that has no row."""
    shared = _of_part(part)
    excluded = shared["excluded"]
    note = undefined(max(excluded, key=lambda r: excluded[r]) if excluded else "no record")
    return [
        Estimate(**shared, **named(m, settings.signature), quantity=m.name, value=None, notes=(note,))
        for m in measures
    ]


def _of_part(part: Part) -> Fields:
    """What all estimates of a part have in common."""
    return {
        "system": part.system, "slice": dict(part.slice), "n": part.rows, "clusters": len(part.clusters),
        "excluded": part.ledger.excluded(part.system, part.slice), "system_kind": part.system_kind,
    }  # fmt: skip


def named(measure: Measure, signature: str) -> Fields:
    """What all estimates of a measure have in common."""
    spec = repr(measure)
    return {
        "measure": spec,
        "over": str(getattr(measure, "over", "") or ""),
        "signature": f"{spec}|v{measure.observation.declaration.version}|{signature}",
    }


def _of_parts(
    measures: Sequence[Measure], parts: Sequence[Part], units: Units, settings: Settings
) -> list[list[Estimate]]:
    """The estimates of parts that have as many units, part by part."""
    several = [Jackknifed(measure, units) for measure in measures]
    leading = leaders(several)
    chances = _chances(several, parts, settings)
    shared = [_of_part(part) for part in parts]
    found: list[list[Estimate]] = [[] for _ in parts]
    for k, here in enumerate(several):
        of_measure = named(here.measure, settings.signature)
        made = {name: _of_value(here, name, parts, chances[k][name], settings) for name in here.here}
        for i, part in enumerate(parts):
            own = {name: of_parts[i] for name, of_parts in made.items()}
            if part.ledger.lacks_null and settings.n_resamples:
                _take_null_away(own, here, part.ledger.columns)
            _add_bootstraps(own, here.measure, part, settings)
            _add_excess(own, here.measure)
            for name, fields in own.items():
                _keep_to_limits(fields, here.here[name])
                fields["leads"] = fields["leads"] and leading[name] is here
                found[i].append(Estimate(**shared[i], **of_measure, **fields))
    return found


def leaders(several: Sequence[Jackknifed]) -> dict[str, Jackknifed]:
    """By contrast the measure in which it leads: of those that share it, one that does not fold it into its own size."""
    leading: dict[str, Jackknifed] = {}
    for here in sorted(several, key=lambda here: bool(here.here[here.measure.name].contrasts)):
        for name, value in here.here.items():
            if value.leads:
                leading.setdefault(name, here)
    return leading


def _of_value(
    here: Jackknifed, name: str, parts: Sequence[Part], chances: Mapping[int, _Chance], settings: Settings
) -> list[Fields]:
    """One value of each part with all that stands beside it."""
    value, kind = here.here[name], _kind(name, here.here[name])
    made: list[Fields] = [
        {
            "quantity": name, "kind": kind, "group": value.group, "leads": value.leads,
            **({"value": read, "notes": ()} if math.isfinite(read) else {"value": None, "notes": (undefined(NOTHING),)}),
        }
        for read in here.read(name).tolist()
    ]  # fmt: skip
    if not settings.n_resamples or all(fields["value"] is None for fields in made):
        return made
    found = here.spreads(name)
    for i, (fields, error, freedom) in enumerate(
        zip(made, found.error.tolist(), found.freedom.tolist(), strict=True)
    ):
        if fields["value"] is not None:
            fields |= {"se": finite(error), "freedom": freedom}
            if i in chances:
                _add_chance(fields, chances[i], settings)
    _add_intervals(made, value, found, settings)
    if value.is_tested_by_t:
        _add_t_tests(made, found)
    if kind == "contrast":
        sizes = detectable(found, settings.confidence_level).tolist()
        for fields, size in zip(made, sizes, strict=True):
            if fields["value"] is not None:
                fields["detectable"] = finite(size)
    _add_extracts(made, value, here, name, settings)
    if value.present:
        add_groups(made, value, here, [len(part.clusters) for part in parts])
    return made


def add_groups(made: Sequence[Fields], value: Value, here: Jackknifed, clusters: Sequence[int]) -> None:
    """How many clusters and items have the groups; a pair of which one has too few is not compared."""
    counts = here.units.clusters_with(value.present)
    items = np.stack([here.units.total[c] for c in value.present], axis=-1)
    for fields, n, many, whole in zip(made, counts.tolist(), items.tolist(), clusters, strict=True):
        fields |= {"group_clusters": n[0], "group_items": many[0]}
        if len(n) == 1:
            continue
        fields |= {"other_clusters": n[1], "other_items": many[1]}
        if fields["value"] is not None and are_too_few(min(n), whole):
            fields |= dict.fromkeys(UNTOLD_OF_FEW)
            fields["testable"] = False
            fields["notes"] += (Note("few_in_group", {"group": fields["group"], "clusters": n}),)


def _kind(name: str, value: Value) -> Literal["contrast", "magnitude", "level"]:
    if value.tail == "both" or name == EXCESS:
        return "contrast"
    return "magnitude" if value.tail == "upper" else "level"


def undefined(reason: str) -> Note:
    """The note at a value that there is not."""
    return Note("undefined", {"reason": reason})


def finite(number: float) -> float | None:
    """The number; None where it is none."""
    return number if math.isfinite(number) else None


def add_t_intervals(made: Sequence[Fields], found: Spreads, settings: Settings) -> None:
    """Value ± t · jackknife error, or the reason why there is no interval."""
    bounds = (bound.tolist() for bound in t_interval(found, settings.confidence_level))
    told = zip(made, found.count.tolist(), found.error.tolist(), *bounds, strict=True)
    for fields, count, error, low, high in told:
        if fields["value"] is None:
            continue
        if count < FEWEST_CLUSTERS:
            fields["notes"] += FEW_CLUSTERS
        elif math.isnan(error):
            fields["notes"] += ONE_CLUSTER_DECIDES
        else:
            fields |= {"low": low, "high": high}


def _add_intervals(made: Sequence[Fields], value: Value, found: Spreads, settings: Settings) -> None:
    """The interval: Student's t on the jackknife error; of a magnitude that no disparity makes 0, the coherent one."""
    add_t_intervals(made, found, settings)
    keeps = share_interval if value.is_share else correlation_interval if value.is_correlation else None
    bounds = keeps(found, settings.confidence_level) if keeps else (found.value, found.value)
    told = zip(made, found.error.tolist(), *(bound.tolist() for bound in bounds), strict=True)
    for fields, error, low, high in told:
        if "low" not in fields:
            continue
        if error == 0 and value.strata:  # one group is in no cluster, or says nothing in any
            del fields["low"], fields["high"]
            fields["notes"] += CLUSTERS_ALIKE
        elif fields["kind"] == "magnitude" and value.mean_of is None:
            _make_coherent(fields, settings)
        elif keeps is not None:
            fields |= {"low": low, "high": high}


def _add_t_tests(made: Sequence[Fields], found: Spreads) -> None:
    """P of 0 by the jackknife t, where there is an interval."""
    for fields, p in zip(made, t_test(found).tolist(), strict=True):
        if "low" in fields:
            fields |= {"p": p, "testable": True, "smallest_p": 0.0}


def _keep_to_limits(fields: Fields, value: Value) -> None:
    """Cut off what the value cannot be; tests are made of what was not cut."""
    least, most = value.limits
    for name in LIMITED:
        if fields.get(name) is not None:
            fields[name] = min(max(fields[name], least), most)


def _make_coherent(fields: Fields, settings: Settings) -> None:
    """Contains 0 exactly when the test does not reject: then from 0; else from value − t·error, and above 0."""
    p, low = fields.get("p"), fields["low"]
    if p is None or p > 1 - settings.confidence_level:
        fields["low"] = 0.0
    else:
        fields |= {"low": max(low, 0.0), "low_is_open": low <= 0}


_Chance = tuple[float | None, Chance | None]
"""What chance reads, and the test; no test where chance alone is known."""


def _chances(
    several: Sequence[Jackknifed], parts: Sequence[Part], settings: Settings
) -> list[dict[str, dict[int, _Chance]]]:
    """By measure, name and part the chance level and test of each value."""
    found: list[dict[str, dict[int, _Chance]]] = [{name: {} for name in here.here} for here in several]
    for places, permutations in _baselines(several[0], parts) if settings.n_resamples else ():
        for here, of_measure in zip(several, found, strict=True):
            null = here.measure.value(permutations.totals) if permutations else {}
            for name, value in here.here.items():
                if value.tail is not None:
                    tests = _tests(here, name, places, permutations, null.get(name), settings)
                    of_measure[name].update(tests)
    return found


def _tests(
    here: Jackknifed,
    name: str,
    places: Integers,
    permutations: Permutations | None,
    null: Value | None,
    settings: Settings,
) -> Iterator[tuple[int, _Chance]]:
    """One value's chance level and test in some of the parts: by permuted labels, or where these do not tell by turned signs."""
    value, read = here.here[name], here.read(name)[places]
    chances = permutations.chances(null, value, read) if permutations else [None] * len(places)
    by_flips = not permutations or (bool(value.contrasts) and not permutations.knows(value))
    for i, number, chance in zip(places.tolist(), read.tolist(), chances, strict=True):
        if not math.isfinite(number) or (by_flips and here.units.sums.shape[1] < 2):
            continue
        mean = None if chance is None else chance.mean
        if by_flips:
            chance = flip_chance(here, i, name, value, settings.n_resamples, settings.seed)
            mean = chance.mean if mean is None and chance is not None else mean
        if chance is not None or mean is not None:
            yield i, (mean, chance)


def _baselines(here: Jackknifed, parts: Sequence[Part]) -> Iterator[tuple[Integers, Permutations | None]]:
    """Parts with their permutation baselines, those of the same columns together; None where no label was exchanged."""
    waiting: list[tuple[int, NullSums]] = []
    alone: list[int] = []
    held = 0
    for i, part in enumerate(parts):
        null = part.ledger.null(part.system, part.slice)
        if null is None or not null.is_relabelled:
            alone.append(i)
            continue
        waiting.append((i, null))
        held += null.numbers
        if held > MOST_TOGETHER:
            yield from _permuted(here, waiting)
            waiting, held = [], 0
    yield from _permuted(here, waiting)
    if alone:
        yield np.array(alone), None


def _permuted(
    here: Jackknifed, several: Sequence[tuple[int, NullSums]]
) -> Iterator[tuple[Integers, Permutations]]:
    """The places of some parts, and their permutation baselines, by columns."""
    by_columns: dict[tuple[Column, ...], list[tuple[int, Drawn]]] = {}
    for (i, _), drawn in zip(several, drawn_of([null for _, null in several]), strict=True):
        by_columns.setdefault(tuple(drawn.totals.columns), []).append((i, drawn))
    for members in by_columns.values():
        places = np.array([i for i, _ in members])
        yield (
            places,
            Permutations([drawn for _, drawn in members], here.measure.observation, here.units.of(places)),
        )


def _add_chance(fields: Fields, found: _Chance, settings: Settings) -> None:
    """Chance level and p; where no labelling could be significant, *not testable* and no p."""
    fields["null_mean"], chance = found
    if chance is None:
        return
    fields |= {"smallest_p": chance.reachable, "testable": False}
    hidden = (
        settings.n_resamples + 1
    ) * settings.alpha <= 1  # so few resamples hide whether a labelling could be significant
    if chance.reachable >= settings.alpha or (not hidden and chance.sampled >= settings.alpha):
        return
    if hidden:
        wanted = math.ceil(10 / settings.alpha) - 1
        fields["notes"] += (Note("few_resamples", {"resamples": wanted, "alpha": settings.alpha}),)
    fields |= {"p": chance.p, "testable": True}


def _take_null_away(own: Mapping[str, Fields], here: Jackknifed, columns: Mapping[Column, int]) -> None:
    """Leave out what only sums under permuted labels tell, where labels were permuted and these are not here."""
    for name, fields in own.items():
        value = here.here[name]
        if value.tail is None or fields["value"] is None:
            continue
        fields["null_mean"] = None
        if not is_tested_by_permutation(here.measure.observation, columns, value):
            continue
        fields["notes"] += (NEEDS_TEXTS,)
        fields |= {"p": None, "testable": None, "smallest_p": None, "detectable": None}
        if fields["kind"] == "magnitude" and value.mean_of is None:
            # The test decides whether 0 is in its interval.
            fields |= {"low": None, "high": None, "low_is_open": False}


def _add_extracts(
    made: Sequence[Fields], value: Value, here: Jackknifed, name: str, settings: Settings
) -> None:
    """What random extracts read, and of signed contrasts the difference from it."""
    if value.blind is not None or not value.has_baseline or not here.units.has_extracts:
        read = value.blind
    else:
        read = here.of_extracts[0][name].array if name in here.of_extracts[0] else None
    if read is None:
        return
    blind = np.broadcast_to(read, len(made)).tolist()
    for fields, level in zip(made, blind, strict=True):
        if fields["value"] is not None:
            fields["blind"] = finite(level)
    found = here.less_extracts(name) if value.is_compared and value.blind is None else None
    if found is None:
        return
    kinds = here.strata(name) if value.is_between else None
    told = of_random_difference(found, kinds, here.units.names, settings)
    least, most = value.limits
    if math.isfinite(least) or math.isfinite(most):
        of_extracts = t_interval(here.spreads_of_extracts(name), settings.confidence_level)
        told = _within(told, least - of_extracts[1], most - of_extracts[0])
    for fields, own in zip(made, told, strict=True):
        if fields.get("blind") is not None:
            fields |= own


def _within(told: Iterable[Fields], least: Floats, most: Floats) -> Iterator[Fields]:
    """Differences from the random-sentence baseline whose intervals are kept to what can be: nan where nothing limits them."""
    for fields, low, high in zip(told, least.tolist(), most.tolist(), strict=True):
        if "blind_difference_low" in fields:
            fields["blind_difference_low"] = float(np.fmax(fields["blind_difference_low"], low))
            fields["blind_difference_high"] = float(np.fmin(fields["blind_difference_high"], high))
        yield fields


def of_random_difference(
    found: Spreads, kinds: Integers | None, names: Sequence[Sequence[str]], settings: Settings
) -> Iterator[Fields]:
    """The fields on a difference from the random-sentence baseline, one of each value; none where it is undefined.

    ``kinds`` (values, units) tell groups that lie in different clusters apart: see `between_chance`.
    """
    bounds = (x.tolist() for x in (*t_interval(found, settings.confidence_level), t_test(found)))
    sizes = detectable(found, settings.confidence_level).tolist()
    numbers = (
        found.value.tolist(),
        found.count.tolist(),
        found.error.tolist(),
        found.freedom.tolist(),
        sizes,
    )
    for i, (gap, count, error, freedom, size, low, high, p) in enumerate(zip(*numbers, *bounds, strict=True)):
        if not math.isfinite(gap):
            yield {}
            continue
        if count < FEWEST_CLUSTERS or math.isnan(error):
            yield {"blind_difference": gap}
            continue
        if kinds is not None:
            test = between_chance(found[i], kinds[i], names[i], settings.n_resamples, settings.seed)
            p = None if test is None else test.p
        yield {
            "blind_difference": gap, "blind_difference_low": low, "blind_difference_high": high, "blind_p": p,
            "blind_se": error, "blind_freedom": freedom, "detectable": finite(size),
        }  # fmt: skip


def _add_excess(own: Mapping[str, Fields], measure: Measure) -> None:
    """The headline's excess, which is an estimate of its own, too."""
    if EXCESS in own:
        excess = own[EXCESS]
        own[measure.name].update(
            excess=excess["value"], excess_low=excess.get("low"), excess_high=excess.get("high")
        )


# ------------------------------------------------------------------- resampled, as papers have it


def _add_bootstraps(own: Mapping[str, Fields], measure: Measure, part: Part, settings: Settings) -> None:
    """The papers' intervals: over resampled clusters where asked for, and inside the clusters where they hold several."""
    if settings.n_resamples < 2:
        return
    if settings.intervals == "bootstrap" and len(part.clusters) > 1:
        drawn = settings.bootstraps.of(len(part.clusters)).totals(part.sums)
        _add_percentiles(own, measure.value(part.ledger.totals(drawn)), settings)
    if part.blocks is not None:
        rows, cluster = part.blocks
        drawn = BlockBootstrap(cluster, settings.n_resamples, settings.seed).totals(rows)
        inside = measure.value(part.ledger.totals(drawn))
        for name, fields in own.items():
            if name in inside and fields["value"] is not None:
                low, high, _ = percentile_interval(inside[name].array, settings.confidence_level)
                if np.isfinite(low) and np.isfinite(high):
                    fields |= {"low_within": float(low), "high_within": float(high)}


def _add_percentiles(own: Mapping[str, Fields], resampled: Mapping[str, Value], settings: Settings) -> None:
    """The percentile intervals of the resamples, undefined ones left out."""
    for name, fields in own.items():
        if name not in resampled or fields["value"] is None:
            continue
        low, high, absent = percentile_interval(resampled[name].array, settings.confidence_level)
        if absent > 0:
            fields["notes"] += (Note("undefined_resamples", {"share": float(absent)}),)
        if np.isfinite(low) and np.isfinite(high):
            fields |= {"low": float(low), "high": float(high), "low_is_open": False}
        else:
            fields["notes"] += (Note("no_resample_defined"),)
            fields |= {"low": None, "high": None}
