"""Sums to estimates: value, baselines, test, interval and notes, in this order.

Parts that have as many units are computed together, as arrays (parts,). `estimate_of` builds every `Estimate`, of a system and
of a difference of two; `Fields` are those of its fields that several estimates share, or that need no further decision.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.auditing.chance import Permutations, between_chance, flip_chance
from fairbrief.auditing.jackknifed import CHANCE_ADJUSTED, Jackknifed, Readings, Units, together
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.null_sums import contrasts_of, drawn_of
from fairbrief.auditing.parts import Part, maps_of
from fairbrief.conclusions import is_too_few
from fairbrief.plan import SIGNED, Plan
from fairbrief.ranges import batches, grouped
from fairbrief.settings import setting
from fairbrief.specs import parse
from fairbrief.statistics import jackknife, resampling
from fairbrief.types import Estimate, Floats, Integers, Measure, Note, Value, over_of

NOTHING = "nothing to count"
UNLIMITED = -math.inf, math.inf
NEEDS_TEXTS = Note("needs_texts")
FEWEST_CLUSTERS = 3
"""Fewer clusters than this give no interval (`few_clusters` in `reports.wording` says so)."""
MOST_TOGETHER = 1 << 21
"""Numbers in the sums of parts that are estimated together; one part may have more."""

T = TypeVar("T")
Fields = dict[str, Any]
"""Fields that several estimates share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(Plan):
    """A plan as far as it decides intervals and tests, with the signature."""

    signature: str = setting("", "Recorded with every estimate.", recorded=False)

    @classmethod
    def of(cls, made: Mapping[str, Any]) -> Settings:
        """The settings of an audit that decide numbers, from what ``made`` records of them."""
        known = {f.name: made.get(f.name) for f in SIGNED}
        return cls(**{name: value for name, value in known.items() if value is not None})

    def bounds(self, found: jackknife.Spreads) -> tuple[Floats, Floats]:
        """Each value ± t · jackknife standard error. Shapes: (parts,)."""
        return jackknife.t_interval(found, self.confidence_level)


class Test(NamedTuple):
    """A test of no disparity; ``p`` is None if there is no test. ``mean`` is the value's mean under the null hypothesis."""

    mean: float | None = None
    p: float | None = None
    smallest: float | None = None
    testable: bool | None = None
    notes: tuple[Note, ...] = ()


class Interval(NamedTuple):
    """A confidence interval, or notes with the reason for its absence. ``is_open``: the lower bound is above 0, but unknown."""

    low: float | None = None
    high: float | None = None
    is_open: bool = False
    notes: tuple[Note, ...] = ()


NO_TEST, NO_INTERVAL = Test(), Interval()
REASONS = ("few_clusters", "one_cluster_decides", "clusters_alike")
WITHOUT_INTERVAL = {code: Interval(notes=(Note(code),)) for code in REASONS}
"""Shared by all estimates without an interval, which may be many."""


def estimate_of(
    fields: Fields,
    value: float,
    test: Test = NO_TEST,
    interval: Interval = NO_INTERVAL,
    *,
    limits: tuple[float, float] = UNLIMITED,
    notes: tuple[Note, ...] = (),
    absent: str = NOTHING,
) -> Estimate:
    """The estimate with this value, clipped like its bounds to the ``limits``; ``absent`` is the reason if it is nan.

    There is neither test nor interval if a group is in too few clusters. An infinite value has no test, and an interval
    only from resamples.
    """
    if math.isnan(value):
        return Estimate(**fields, value=None, notes=(Note("undefined", {"reason": absent}), *notes))
    infinite = (Note("infinite"),) if math.isinf(value) else ()
    made = Estimate(
        **fields, value=value, low=interval.low, high=interval.high, low_is_open=interval.is_open,
        permutation_mean=test.mean, p=test.p, smallest_p=test.smallest, testable=test.testable,
        notes=(*infinite, *test.notes, *interval.notes, *notes),
    )  # fmt: skip
    if not infinite and is_too_few(made):
        clusters = [made.group_clusters, made.other_clusters]
        few = Note("few_in_group", {"group": made.group, "clusters": clusters})
        made = made.replace(
            low=None, high=None, low_is_open=False, p=None, smallest_p=None, testable=False, detectable=None,
            extract_difference_low=None, extract_difference_high=None, extract_p=None, notes=(*made.notes, few),
        )  # fmt: skip
    if limits == UNLIMITED:
        return made
    clipped = ("value", "low", "high", "low_within", "high_within", "permutation_mean", "extract_baseline")
    numbers = {name: getattr(made, name) for name in clipped}
    least, most = limits
    if made.detectable is not None and made.detectable > most:  # no difference is as large
        made = made.replace(detectable=None)
    return made.replace(**{k: min(max(x, least), most) for k, x in numbers.items() if x is not None})


def estimates(
    measures: Sequence[Measure], parts: Sequence[Part], settings: Settings
) -> Iterator[tuple[Part, list[Estimate]]]:
    """Each part of a ledger with its estimates of all measures; parts with equal numbers of units follow each other."""
    yield from ((part, _of_nothing(measures, part, settings)) for part in parts if not part.clusters)
    for some, stacked in alike((part, part.units) for part in parts if part.clusters):
        yield from zip(some, _of_parts(measures, some, stacked, settings), strict=True)


def alike(units: Iterable[tuple[T, Units]]) -> Iterator[tuple[list[T], Units]]:
    """The items with equal numbers of units, and their units as one array, of `MOST_TOGETHER` numbers at most."""
    shapes = grouped(((*one[1].sums.shape, bool(one[1].clusters)), one) for one in units)
    for members in shapes.values():
        for start, end in batches(np.array([own.sums.size for _, own in members]), MOST_TOGETHER):
            some = members[start:end]
            yield [one for one, _ in some], together([own for _, own in some])


def _of_nothing(measures: Sequence[Measure], part: Part, settings: Settings) -> list[Estimate]:
    """The estimates of a part that has no row."""
    shared = _of_part(part)
    absent = max(shared["excluded"], key=shared["excluded"].__getitem__, default="no record")
    every = [{**shared, **named(m, settings.signature), "quantity": m.name} for m in measures]
    return [estimate_of(fields, math.nan, absent=absent) for fields in every]


def _of_part(part: Part) -> Fields:
    """What all estimates of a part have in common."""
    return {
        "system": part.system, "subgroup": dict(part.subgroup), "n": part.rows, "clusters": len(part.clusters),
        "excluded": part.ledger.excluded.get((part.system, part.subgroup), {}), "system_kind": part.system_kind,
    }  # fmt: skip


def named(measure: Measure, signature: str) -> Fields:
    """What all estimates of a measure have in common."""
    spec = repr(measure)
    version = f"v{measure.observation.declaration.version}"
    return {"measure": spec, "over": over_of(measure), "signature": f"{spec}|{version}|{signature}"}


def identified(of_measure: Fields, here: Jackknifed, name: str, leading: Mapping[str, Jackknifed]) -> Fields:
    """What all estimates of a value of a measure have in common. ``leading`` are `leaders`."""
    value = here.here[name]
    is_primary = value.is_primary and leading[name] is here
    return {**of_measure, "quantity": name, "group": value.group, "is_primary": is_primary}


def _of_parts(
    measures: Sequence[Measure], parts: Sequence[Part], units: Units, settings: Settings
) -> list[list[Estimate]]:
    """The estimates of parts that have as many units, part by part."""
    maps = maps_of(parts)
    several = [Jackknifed(measure, units, maps) for measure in measures]
    leading, chances = leaders(several), _chances(several, parts, settings)
    shared = [_of_part(part) for part in parts]
    found: list[list[Estimate]] = []
    for k, here in enumerate(several):
        of_measure = named(here.measure, settings.signature)
        resampled = [_resampled(here.measure, part, settings) for part in parts]
        made = {}
        for name, value in here.here.items():
            of_value = {**identified(of_measure, here, name, leading), "kind": _kind(name, value)}
            of_parts = zip(shared, presence(value, units), resampled, strict=True)
            each = [
                ({**of_part, **groups, **of_value}, chances.get((k, name, i)), of.get(name, NOT_RESAMPLED))
                for i, (of_part, groups, of) in enumerate(of_parts)
            ]
            made[name] = _of_value(here, name, parts[0].ledger, each, settings)
        if CHANCE_ADJUSTED in made:
            main_value = here.measure.name
            made[main_value] = [
                e.replace(chance_adjusted=by.value, chance_adjusted_low=by.low, chance_adjusted_high=by.high)
                for e, by in zip(made[main_value], made[CHANCE_ADJUSTED], strict=True)
            ]
        found += made.values()
    return [list(of_part) for of_part in zip(*found, strict=True)]


Known = tuple[Fields, resampling.PermutationTest | None, "Resampled"]
"""Of a value in one part the fields that identify it, its test and its intervals from resamples."""


def _of_value(
    here: Jackknifed, name: str, ledger: Ledger, each: Sequence[Known], settings: Settings
) -> list[Estimate]:
    """The estimates of one value, one of each part."""
    value, read = here.here[name], here.readings(name).here.tolist()
    notes = calibration_notes(here, settings) if value.is_primary else ()
    if not settings.n_resamples or value.is_descriptive:
        return [
            estimate_of(fields, own, limits=value.limits, notes=notes)
            for (fields, _, _), own in zip(each, read, strict=True)
        ]
    found, made = here.spreads(name), []
    is_folded, is_contrast = _is_folded(value), _kind(name, value) == "group_difference"
    lacks_texts = ledger.lacks_null and value.tail is not None
    observation: Any = here.measure.observation
    known_contrasts = contrasts_of(observation, tuple(ledger.columns))
    needs_texts = lacks_texts and all(name in known_contrasts for name in value.contrasts)
    spread = {"se": found.error, "freedom": found.freedom}
    if is_contrast and not needs_texts:
        spread["detectable"] = jackknife.detectable(found, settings.confidence_level)
    columns = (
        each, read, by_part(spread), intervals_of(found, settings, value),
        jackknife.t_test(found).tolist(), _random(value, here, name, settings),
    )  # fmt: skip
    for known, own, of_spread, interval, t_p, random in zip(*columns, strict=True):
        fields, chance, (drawn, within) = known
        if not math.isfinite(own):  # an infinite value has intervals from resamples alone
            fields |= {} if math.isnan(own) else within
            interval = drawn or NO_INTERVAL
            made.append(estimate_of(fields, own, interval=interval, limits=value.limits, notes=notes))
            continue
        test = Test(notes=(NEEDS_TEXTS,)) if needs_texts else _test(chance, settings)
        if is_folded:
            interval = _test_inverted(interval, test, settings)
        if value.is_tested_by_t and interval.low is not None and not needs_texts:
            test = test._replace(p=t_p, smallest=0.0, testable=True)
        if drawn is not None:
            interval = drawn._replace(notes=interval.notes + drawn.notes)
        fields |= {**of_spread, **within, **random}
        test = test._replace(mean=None if lacks_texts else test.mean)
        made.append(estimate_of(fields, own, test, interval, limits=value.limits, notes=notes))
    return made


def calibration_notes(here: Jackknifed, settings: Settings) -> tuple[Note, ...]:
    """Whether intervals contain the uncertainty of a calibrated scorer; () of others."""
    scorer = getattr(here.measure, "scorer", "")
    is_calibrated = isinstance(scorer, str) and "calibrated" in parse(scorer or "none").settings
    if not settings.n_resamples or not is_calibrated:
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


def presence(value: Value, *systems: Units) -> list[Fields]:
    """The numbers of clusters and items, per part, with the group of a value, or with each of its two; of a difference of systems,
    the smaller numbers.
    """
    if not value.present:
        return [{}] * len(systems[0].sums)
    clusters = np.minimum.reduce([units.clusters_with(value.present) for units in systems])
    columns: dict[str, NDArray[Any]] = {}
    for i, (name, column) in enumerate(zip(("group", "other"), value.present, strict=False)):
        items = np.minimum.reduce([units.total[column] for units in systems])
        columns |= {f"{name}_clusters": clusters[:, i], f"{name}_items": items}
    return by_part(columns)


def by_part(columns: Mapping[str, NDArray[Any]]) -> list[Fields]:
    """The fields of each part from arrays (parts,); None where a number is not finite."""
    absent: Any = None
    known = []
    for column in columns.values():
        is_known = np.isfinite(column)
        known.append(column.tolist() if is_known.all() else np.where(is_known, column, absent).tolist())
    return [dict(zip(columns, row, strict=True)) for row in zip(*known, strict=True)]


def _kind(name: str, value: Value) -> Literal["group_difference", "unsigned_disparity", "label_independent"]:
    if value.tail == "both" or name == CHANCE_ADJUSTED:
        return "group_difference"
    return "unsigned_disparity" if value.tail == "upper" else "label_independent"


def _is_folded(value: Value) -> bool:
    """Whether it is an unsigned score that aggregates group differences, so that it is 0 without a disparity."""
    return value.tail == "upper" and value.mean_of is None


def intervals_of(found: jackknife.Spreads, settings: Settings, value: Value | None = None) -> list[Interval]:
    """Value ± t · jackknife standard error, or the reason for no interval; shares and correlations have intervals within their range."""
    bounds = settings.bounds(found)
    if value is not None and not _is_folded(value) and (value.is_share or value.is_correlation):
        within_range = jackknife.share_interval if value.is_share else jackknife.correlation_interval
        bounds = within_range(found, settings.confidence_level)
    # With a standard error of 0, one group is in no cluster, or contributes nothing in any.
    is_parted = value is not None and bool(value.strata)
    lacks = found.count < FEWEST_CLUSTERS, np.isnan(found.error), is_parted & (found.error == 0)
    codes = np.select(lacks, [*WITHOUT_INTERVAL], "")
    columns = (column.tolist() for column in (codes, *bounds))
    return [
        WITHOUT_INTERVAL.get(code) or Interval(low, high) for code, low, high in zip(*columns, strict=True)
    ]


def _test_inverted(interval: Interval, test: Test, settings: Settings) -> Interval:
    """The interval of an unsigned score that is 0 without a disparity.

    It contains 0 exactly if the test does not reject; otherwise it begins at value − t·error. Unknown without the test.
    """
    if interval.low is None or NEEDS_TEXTS in test.notes:
        return Interval(notes=interval.notes)
    if test.p is None or test.p > 1 - settings.confidence_level:
        return Interval(0.0, interval.high)
    return Interval(max(interval.low, 0.0), interval.high, is_open=interval.low <= 0)


def _chances(
    several: Sequence[Jackknifed], parts: Sequence[Part], settings: Settings
) -> dict[tuple[int, str, int], resampling.PermutationTest]:
    """By measure, name and part the permutation mean and test of each value."""
    found: dict[tuple[int, str, int], resampling.PermutationTest] = {}
    for places, permutations in _baselines(several[0], parts) if settings.n_resamples else ():
        for k, here in enumerate(several):
            null = here.measure.value(permutations.totals) if permutations else {}
            for name, value in here.here.items():
                if value.tail is not None:
                    tests = _tests(here, name, (places, permutations), null.get(name), settings)
                    found.update(((k, name, i), chance) for i, chance in tests)
    return found


Baseline = tuple[Integers, Permutations | None]
"""Some parts, and their permutation baselines; None where no label was exchanged."""


def _tests(
    here: Jackknifed, name: str, baseline: Baseline, null: Value | None, settings: Settings
) -> Iterator[tuple[int, resampling.PermutationTest]]:
    """The permutation mean and test of one value in some parts: by label permutations, or else by sign flips."""
    places, permutations = baseline
    value, read = here.here[name], here.readings(name).here[places]
    chances = permutations.chances(null, value, read) if permutations else [None] * len(places)
    by_flips = not permutations or (bool(value.contrasts) and not permutations.knows(value))
    for i, number, chance in zip(places.tolist(), read.tolist(), chances, strict=True):
        if not math.isfinite(number) or (by_flips and here.units.sums.shape[1] < 2):
            continue
        if by_flips:
            flips = flip_chance(here, i, name, value, settings.n_resamples, settings.seed)
            if chance is not None:  # the mean alone
                flips = replace(flips or resampling.PermutationTest(None, 1.0, 1.0), mean=chance.mean)
            chance = flips
        if chance is not None:
            yield i, chance


def _baselines(here: Jackknifed, parts: Sequence[Part]) -> Iterator[Baseline]:
    """Parts with their permutation baselines, those of the same columns together."""
    nulls = [part.ledger.nulls.get((part.system, part.subgroup)) for part in parts]
    relabelled = [(i, null) for i, null in enumerate(nulls) if null is not None and null.is_relabelled]
    if alone := [i for i, null in enumerate(nulls) if null is None or not null.is_relabelled]:
        yield np.array(alone), None
    for start, end in batches(np.array([null.numbers for _, null in relabelled]), MOST_TOGETHER):
        some = relabelled[start:end]
        each = zip(some, drawn_of([null for _, null in some]), strict=True)
        for members in grouped((tuple(drawn.totals.columns), (i, drawn)) for (i, _), drawn in each).values():
            places, several = np.array([i for i, _ in members]), [drawn for _, drawn in members]
            yield places, Permutations(several, here.measure.observation, here.units.of(places))


def _test(chance: resampling.PermutationTest | None, settings: Settings) -> Test:
    """The test; without p if no label permutation could be significant."""
    if chance is None or chance.p is None:
        return Test(None if chance is None else chance.mean)
    # With so few resamples, it is unknown whether any label permutation could be significant.
    hidden = (settings.n_resamples + 1) * settings.alpha <= 1
    if chance.reachable >= settings.alpha or (not hidden and chance.sampled >= settings.alpha):
        return Test(chance.mean, None, chance.reachable, testable=False)
    wanted = math.ceil(10 / settings.alpha) - 1
    note = Note("few_resamples", {"resamples": wanted, "alpha": settings.alpha})
    return Test(chance.mean, chance.p, chance.reachable, testable=True, notes=(note,) if hidden else ())


def _random(value: Value, here: Jackknifed, name: str, settings: Settings) -> list[Fields]:
    """The random-sentence baseline in each part, and for group differences the difference from it."""
    read, parts, drawn = value.extract_baseline, len(here.units.sums), None
    if read is None and value.has_baseline and here.units.has_extracts:
        drawn = here.of_extracts(name)
        read = None if drawn is None else drawn.here
    if read is None:
        return [{}] * parts
    random = by_part({"extract_baseline": np.broadcast_to(read, parts)})
    less = here.less_extracts(name) if value.is_compared and value.extract_baseline is None else None
    if less is None:
        return random
    limits: tuple[Any, Any] = value.limits
    if drawn is not None and limits != UNLIMITED:
        low, high = settings.bounds(drawn.spreads(here.strata(name)))
        limits = limits[0] - high, limits[1] - low
    gaps = from_random(less, [here], name, here.strata(name), settings, limits)
    return [{**level, **gap} for level, gap in zip(random, gaps, strict=True)]


def from_random(
    less: Readings, sides: Sequence[Jackknifed], name: str, kinds: Integers | None, settings: Settings,
    limits: tuple[Any, Any] = UNLIMITED,
) -> list[Fields]:  # fmt: skip
    """The difference of a value from the random-sentence baseline, in each part; nothing where it is undefined.

    ``less`` has this difference, or that of two systems; ``sides`` are the one, or both. Intervals are clipped to the ``limits``, numbers
    or (parts,). ``kinds`` (parts, units) are those of the units. p is at least the smallest that sign flips of the contributing
    clusters allow: a few summaries that lack a rare group hardly vary, and chance alone makes them all lack it. The interval
    contains 0 if p is not significant.
    """
    hidden = sum(side.hidden_error(name) for side in sides)
    found = jackknife.with_more_error(less.spreads(kinds), hidden)
    low, high = settings.bounds(found)
    gaps = by_part({
        "extract_difference": found.value, "extract_p": np.maximum(jackknife.t_test(found), 2.0 ** (1 - found.count)),
        "extract_difference_low": np.fmax(low, limits[0]), "extract_difference_high": np.fmin(high, limits[1]),
        "extract_se": found.error, "extract_freedom": found.freedom,
        "detectable": jackknife.detectable(found, settings.confidence_level),
    })  # fmt: skip
    for i, gap in enumerate(gaps):
        if gap["extract_difference"] is None:
            gaps[i] = {}
        elif found.count[i] < FEWEST_CLUSTERS or gap["extract_se"] is None:
            gaps[i] = {"extract_difference": gap["extract_difference"]}
        elif sides[0].here[name].is_between:
            items = np.maximum.reduce([side.items(name)[i] for side in sides])
            names = sides[0].units.names[i]
            test = between_chance(found, i, items, names, settings.n_resamples, settings.seed)
            gap["extract_p"] = None if test is None else test.p
        if (p := gaps[i].get("extract_p")) is not None and p > 1 - settings.confidence_level:
            gap["extract_difference_low"] = min(gap["extract_difference_low"], 0.0)
            gap["extract_difference_high"] = max(gap["extract_difference_high"], 0.0)
    return gaps


# ------------------------------------------------------------------- resampled, as in papers


Resampled = tuple[Interval | None, Fields]
"""The papers' interval over resampled clusters, if requested; and the one within clusters, if these have several counterfactuals."""
NOT_RESAMPLED: Resampled = None, {}


def _resampled(measure: Measure, part: Part, settings: Settings) -> dict[str, Resampled]:
    """The papers' intervals by value."""
    n, seed = settings.n_resamples, settings.seed
    intervals, within = dict[str, Interval](), dict[str, Fields]()

    def bounds(drawn: Floats) -> Iterator[tuple[str, float, float, float]]:
        """By value of the resampled sums its bounds, which may be infinite, and the share of undefined resamples."""
        for name, value in measure.value(part.ledger.totals(drawn)).items():
            low, high, absent = resampling.percentile_interval(value.array, settings.confidence_level)
            yield name, float(low), float(high), float(absent)

    if n > 1 and settings.intervals == "bootstrap" and len(part.clusters) > 1:
        bootstrap = resampling.shared_bootstrap(len(part.clusters), n, seed)
        for name, low, high, absent in bounds(bootstrap.totals(part.sums)):
            notes = (Note("undefined_resamples", {"share": absent}),) if absent > 0 else ()
            intervals[name] = Interval(low, high, notes=notes)
            if absent == 1:
                intervals[name] = Interval(notes=(*notes, Note("no_resample_defined")))
    if n > 1 and part.blocks is not None:
        rows, cluster = part.blocks
        for name, low, high, absent in bounds(
            resampling.Bootstrap(len(cluster), n, seed, cluster).totals(rows)
        ):
            if absent < 1:
                within[name] = {"low_within": low, "high_within": high}
    return {name: (intervals.get(name), within.get(name, {})) for name in {**intervals, **within}}
