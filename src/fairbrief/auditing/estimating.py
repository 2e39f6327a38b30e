"""Sums to estimates: value, interval, chance level, p, counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from fairbrief.auditing.chance import (
    Permutations,
    between_chance,
    flip_chance,
    is_tested_by_permutation,
)
from fairbrief.auditing.estimate import (
    NO_BOUNDS,
    NO_GROUP,
    NO_INTERVAL,
    UNLIMITED,
    Bounds,
    FromRandom,
    Interval,
    Numbers,
    Present,
    Test,
    built,
    finite,
    undefined,
)
from fairbrief.auditing.jackknifed import CHANCE_ADJUSTED, Jackknifed, Units, together
from fairbrief.auditing.null_sums import Drawn, NullSums, drawn_of
from fairbrief.auditing.parts import Part, maps_of
from fairbrief.conclusions import are_too_few
from fairbrief.specs import parse
from fairbrief.statistics.jackknife import (
    Spreads,
    correlation_interval,
    detectable,
    share_interval,
    t_interval,
    t_test,
)
from fairbrief.statistics.resampling import (
    BlockBootstrap,
    PermutationTest,
    percentile_interval,
    shared_bootstrap,
)
from fairbrief.types import Column, Estimate, Integers, Measure, Note, Value

NEEDS_TEXTS = Note("needs_texts")
FEWEST_CLUSTERS = 3
"""Fewer clusters than this give no interval (`few_clusters` in `reports.wording` says so)."""
MOST_TOGETHER = 1 << 21
"""Numbers of the sums of parts that are estimated together, where it is more than one."""

T = TypeVar("T")
Fields = dict[str, Any]
"""Fields that several estimates share."""


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
        """The settings of a saved audit, from ``made``."""
        return cls(
            made["n_resamples"],
            made["seed"],
            made["confidence_level"],
            made["alpha"],
            intervals=made["intervals"],
        )


FEW_CLUSTERS, ONE_CLUSTER_DECIDES, CLUSTERS_ALIKE = (
    Interval(notes=(Note(code),)) for code in ("few_clusters", "one_cluster_decides", "clusters_alike")
)


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
        for some in in_turn(members, lambda one: one[1].sums.size):
            yield [one for one, _ in some], together([own for _, own in some])


def in_turn(items: Iterable[T], numbers: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in lists, each of which ends with the item at which its ``numbers`` exceed `MOST_TOGETHER`."""
    waiting: list[T] = []
    held = 0
    for item in items:
        waiting.append(item)
        held += numbers(item)
        if held > MOST_TOGETHER:
            yield waiting
            waiting, held = [], 0
    if waiting:
        yield waiting


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
        "system": part.system, "subgroup": dict(part.subgroup), "n": part.rows, "clusters": len(part.clusters),
        "excluded": part.ledger.excluded(part.system, part.subgroup), "system_kind": part.system_kind,
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
    maps = maps_of(parts)
    several = [Jackknifed(measure, units, maps) for measure in measures]
    leading = leaders(several)
    chances = _chances(several, parts, settings)
    shared = [_of_part(part) for part in parts]
    found: list[list[Estimate]] = [[] for _ in parts]
    for k, here in enumerate(several):
        of_measure = named(here.measure, settings.signature)
        drawn = [_resampled(here.measure, part, settings) for part in parts]
        made = {}
        for name, value in here.here.items():
            of_value = {
                **of_measure, "quantity": name, "kind": _kind(name, value), "group": value.group,
                "is_primary": value.is_primary and leading[name] is here,
            }  # fmt: skip
            resampled = [of.get(name) for of, _ in drawn], [of.get(name, NO_BOUNDS) for _, of in drawn]
            numbers = _numbers(here, name, parts, chances[k][name], *resampled, settings)
            notes = calibration_notes(here, settings) if value.is_primary else ()
            made[name] = [
                built({**of_part, **of_value}, own, value.limits, notes)
                for of_part, own in zip(shared, numbers, strict=True)
            ]
        if CHANCE_ADJUSTED in made:
            main_value = here.measure.name
            made[main_value] = [
                _with_chance_adjusted(*both)
                for both in zip(made[main_value], made[CHANCE_ADJUSTED], strict=True)
            ]
        for own in made.values():
            for i, e in enumerate(own):
                found[i].append(e)
    return found


def calibration_notes(here: Jackknifed, settings: Settings) -> tuple[Note, ...]:
    """Whether intervals contain the uncertainty of a calibrated scorer; () of others."""
    scorer = getattr(here.measure, "scorer", "")
    if (
        not settings.n_resamples
        or not isinstance(scorer, str)
        or "calibrated" not in parse(scorer or "none").settings
    ):
        return ()
    return (Note("scores_uncertain", {"is_contained": here.maps is not None}),)


def leaders(several: Sequence[Jackknifed]) -> dict[str, Jackknifed]:
    """For each contrast the measure whose primary estimate it is: among measures that share it, the first that does not fold it."""
    leading: dict[str, Jackknifed] = {}
    for here in sorted(several, key=lambda here: bool(here.here[here.measure.name].contrasts)):
        for name, value in here.here.items():
            if value.is_primary:
                leading.setdefault(name, here)
    return leading


def _numbers(
    here: Jackknifed,
    name: str,
    parts: Sequence[Part],
    chances: Mapping[int, PermutationTest],
    intervals: Sequence[Interval | None],
    within: Sequence[Bounds],
    settings: Settings,
) -> Iterator[Numbers]:
    """One value of each part with its numbers."""
    value, read = here.here[name], here.read(name).tolist()
    if not settings.n_resamples or all(map(math.isnan, read)):
        yield from map(Numbers, read)
        return
    found = here.spreads(name)
    t_ps = t_test(found).tolist() if value.is_tested_by_t else [None] * len(read)
    is_contrast = _kind(name, value) == "group_difference"
    columns = (
        parts, read, presence(value, here, [len(part.clusters) for part in parts]), found.error.tolist(),
        found.freedom.tolist(), _intervals(value, found, settings), t_ps,
        detectable(found, settings.confidence_level).tolist(), *_random(value, here, name, settings), intervals, within,
    )  # fmt: skip
    for i, (part, own, present, error, freedom, interval, t_p, size, random, gap, drawn, inside) in enumerate(
        zip(*columns, strict=True)
    ):
        if not math.isfinite(own):  # an infinite value has intervals from resamples alone
            yield Numbers(own, present, interval=drawn or NO_INTERVAL, within=inside)
            continue
        test = _test(chances.get(i), settings)
        if _is_folded(value):
            interval = _coherent(interval, test.p, settings)
        if t_p is not None and interval.low is not None:
            test = replace(test, p=t_p, smallest=0.0, testable=True)
        if part.ledger.lacks_null and value.tail is not None:
            test = replace(test, mean=None)
            if is_tested_by_permutation(here.measure.observation, part.ledger.columns, value):
                test, size = Test(notes=(*test.notes, NEEDS_TEXTS)), math.nan
                interval = replace(NO_INTERVAL, notes=interval.notes) if _is_folded(value) else interval
        if drawn is not None:
            interval = replace(drawn, notes=interval.notes + drawn.notes)
        size = finite(size) if is_contrast else None
        yield Numbers(own, present, finite(error), freedom, test, interval, inside, size, random, gap)


def _with_chance_adjusted(main_value: Estimate, chance_adjusted: Estimate) -> Estimate:
    return main_value.replace(
        chance_adjusted=chance_adjusted.value,
        chance_adjusted_low=chance_adjusted.low,
        chance_adjusted_high=chance_adjusted.high,
    )


def presence(value: Value, here: Jackknifed, clusters: Sequence[int]) -> list[Present]:
    """The numbers of clusters and items, per part, with the groups of a value."""
    if not value.present:
        return [NO_GROUP] * len(clusters)
    counts = here.units.clusters_with(value.present)
    items = np.stack([here.units.total[c] for c in value.present], axis=-1)
    return [
        Present(tuple(n), tuple(many), len(n) > 1 and are_too_few(min(n), whole))
        for n, many, whole in zip(counts.tolist(), items.tolist(), clusters, strict=True)
    ]


def _kind(name: str, value: Value) -> Literal["group_difference", "unsigned_disparity", "label_independent"]:
    if value.tail == "both" or name == CHANCE_ADJUSTED:
        return "group_difference"
    return "unsigned_disparity" if value.tail == "upper" else "label_independent"


def _is_folded(value: Value) -> bool:
    """Whether it is an unsigned score that folds group differences, which no disparity makes 0."""
    return value.tail == "upper" and value.mean_of is None


def t_intervals(found: Spreads, settings: Settings) -> list[Interval]:
    """Value ± t · jackknife standard error, or the reason for no interval."""
    bounds = (bound.tolist() for bound in t_interval(found, settings.confidence_level))
    return [
        FEW_CLUSTERS
        if count < FEWEST_CLUSTERS
        else ONE_CLUSTER_DECIDES
        if math.isnan(error)
        else Interval(low, high)
        for count, error, low, high in zip(found.count.tolist(), found.error.tolist(), *bounds, strict=True)
    ]


def _intervals(value: Value, found: Spreads, settings: Settings) -> list[Interval]:
    """The intervals of one value: Student's t with the jackknife standard error, clipped for shares and correlations."""
    keeps = share_interval if value.is_share else correlation_interval if value.is_correlation else None
    intervals = t_intervals(found, settings)
    if keeps is not None and not _is_folded(value):
        bounds = zip(*(bound.tolist() for bound in keeps(found, settings.confidence_level)), strict=True)
        intervals = [
            Interval(*of) if own.low is not None else own for own, of in zip(intervals, bounds, strict=True)
        ]
    if not value.strata:
        return intervals
    # With a standard error of 0, one group is in no cluster, or contributes nothing in any.
    return [
        CLUSTERS_ALIKE if own.low is not None and error == 0 else own
        for own, error in zip(intervals, found.error.tolist(), strict=True)
    ]


def _coherent(interval: Interval, p: float | None, settings: Settings) -> Interval:
    """Of an unsigned score that no disparity makes 0: contains 0 exactly when the test does not reject; else from value − t·error."""
    if interval.low is None:
        return interval
    if p is None or p > 1 - settings.confidence_level:
        return Interval(0.0, interval.high)
    return Interval(max(interval.low, 0.0), interval.high, is_open=interval.low <= 0)


def _chances(
    several: Sequence[Jackknifed], parts: Sequence[Part], settings: Settings
) -> list[dict[str, dict[int, PermutationTest]]]:
    """By measure, name and part the chance level and test of each value."""
    found: list[dict[str, dict[int, PermutationTest]]] = [
        {name: {} for name in here.here} for here in several
    ]
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
) -> Iterator[tuple[int, PermutationTest]]:
    """The permutation mean and test of one value in some parts: by label permutations, or else by sign flips."""
    value, read = here.here[name], here.read(name)[places]
    chances = permutations.chances(null, value, read) if permutations else [None] * len(places)
    by_flips = not permutations or (bool(value.contrasts) and not permutations.knows(value))
    for i, number, chance in zip(places.tolist(), read.tolist(), chances, strict=True):
        if not math.isfinite(number) or (by_flips and here.units.sums.shape[1] < 2):
            continue
        if by_flips:
            flips = flip_chance(here, i, name, value, settings.n_resamples, settings.seed)
            if chance is not None:  # the mean alone
                flips = replace(flips or PermutationTest(None, 1.0, 1.0), mean=chance.mean)
            chance = flips
        if chance is not None:
            yield i, chance


def _baselines(here: Jackknifed, parts: Sequence[Part]) -> Iterator[tuple[Integers, Permutations | None]]:
    """Parts with their permutation baselines, those of the same columns together; None where no label was exchanged."""
    relabelled: list[tuple[int, NullSums]] = []
    alone: list[int] = []
    for i, part in enumerate(parts):
        null = part.ledger.null(part.system, part.subgroup)
        if null is not None and null.is_relabelled:
            relabelled.append((i, null))
        else:
            alone.append(i)
    if alone:
        yield np.array(alone), None
    for some in in_turn(relabelled, lambda one: one[1].numbers):
        by_columns: dict[tuple[Column, ...], list[tuple[int, Drawn]]] = {}
        for (i, _), drawn in zip(some, drawn_of([null for _, null in some]), strict=True):
            by_columns.setdefault(tuple(drawn.totals.columns), []).append((i, drawn))
        for members in by_columns.values():
            places, several = np.array([i for i, _ in members]), [drawn for _, drawn in members]
            yield places, Permutations(several, here.measure.observation, here.units.of(places))


def _test(chance: PermutationTest | None, settings: Settings) -> Test:
    """The test; no p where no label permutation could be significant."""
    if chance is None or chance.p is None:
        return Test(None if chance is None else chance.mean)
    # With so few resamples it is unknown whether any label permutation could be significant.
    hidden = (settings.n_resamples + 1) * settings.alpha <= 1
    if chance.reachable >= settings.alpha or (not hidden and chance.sampled >= settings.alpha):
        return Test(chance.mean, None, chance.reachable, testable=False)
    wanted = math.ceil(10 / settings.alpha) - 1
    note = Note("few_resamples", {"resamples": wanted, "alpha": settings.alpha})
    return Test(chance.mean, chance.p, chance.reachable, testable=True, notes=(note,) if hidden else ())


def _random(
    value: Value, here: Jackknifed, name: str, settings: Settings
) -> tuple[Sequence[float | None], Sequence[FromRandom | None]]:
    """What random sentences give in each part, and of signed contrasts the difference from it."""
    parts = len(here.units.sums)
    nothing = [None] * parts
    if value.extract_baseline is not None or not value.has_baseline or not here.units.has_extracts:
        read = value.extract_baseline
    else:
        read = here.of_extracts[0][name].array if name in here.of_extracts[0] else None
    if read is None:
        return nothing, nothing
    random = [finite(level) for level in np.broadcast_to(read, parts).tolist()]
    found = here.less_extracts(name) if value.is_compared and value.extract_baseline is None else None
    if found is None:
        return random, nothing
    kinds = here.strata(name) if value.is_between else None
    limits = value.limits
    if math.isfinite(limits[0]) or math.isfinite(limits[1]):
        of_extracts = t_interval(here.spreads_of_extracts(name), settings.confidence_level)
        limits = limits[0] - of_extracts[1], limits[1] - of_extracts[0]
    gaps = from_random(found, kinds, here.units.names, settings, limits)
    return random, [None if level is None else gap for level, gap in zip(random, gaps, strict=True)]


def from_random(
    found: Spreads,
    kinds: Integers | None,
    names: Sequence[Sequence[str]],
    settings: Settings,
    limits: tuple[Any, Any] = UNLIMITED,
) -> Iterator[FromRandom | None]:
    """The difference of each value from the random-sentence baseline; None where it is undefined.

    ``kinds`` (values, units) tell groups that lie in different clusters apart: see `between_chance`. Intervals are clipped to
    the ``limits``, numbers or (values,).
    """
    low, high = t_interval(found, settings.confidence_level)
    clipped = np.fmax(low, limits[0]), np.fmin(high, limits[1])
    columns = (
        found.value, found.count, found.error, found.freedom, detectable(found, settings.confidence_level),
        *clipped, t_test(found),
    )  # fmt: skip
    for i, (gap, count, error, freedom, size, low, high, p) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if not math.isfinite(gap):
            yield None
            continue
        if count < FEWEST_CLUSTERS or math.isnan(error):
            yield FromRandom(gap)
            continue
        if kinds is not None:
            test = between_chance(found[i], kinds[i], names[i], settings.n_resamples, settings.seed)
            p = None if test is None else test.p
        yield FromRandom(gap, low, high, p, error, freedom, finite(size))


# ------------------------------------------------------------------- resampled, as papers have it


def _resampled(
    measure: Measure, part: Part, settings: Settings
) -> tuple[dict[str, Interval], dict[str, Bounds]]:
    """The papers' intervals by value: over resampled clusters where asked for, and inside the clusters where they hold several."""
    intervals, within = dict[str, Interval](), dict[str, Bounds]()
    if settings.n_resamples < 2:
        return intervals, within
    if settings.intervals == "bootstrap" and len(part.clusters) > 1:
        drawn = shared_bootstrap(len(part.clusters), settings.n_resamples, settings.seed).totals(part.sums)
        for name, value in measure.value(part.ledger.totals(drawn)).items():
            intervals[name] = _percentiles(value, settings)
    if part.blocks is not None:
        rows, cluster = part.blocks
        drawn = BlockBootstrap(cluster, settings.n_resamples, settings.seed).totals(rows)
        for name, value in measure.value(part.ledger.totals(drawn)).items():
            low, high, _ = percentile_interval(value.array, settings.confidence_level)
            if not np.isnan((low, high)).any():
                within[name] = float(low), float(high)
    return intervals, within


def _percentiles(value: Value, settings: Settings) -> Interval:
    """The percentile interval of the resamples, undefined ones left out; infinite ones may be bounds."""
    low, high, absent = percentile_interval(value.array, settings.confidence_level)
    notes = (Note("undefined_resamples", {"share": float(absent)}),) if absent > 0 else ()
    if not np.isnan((low, high)).any():
        return Interval(float(low), float(high), notes=notes)
    return Interval(notes=(*notes, Note("no_resample_defined")))
