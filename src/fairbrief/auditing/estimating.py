"""Sums to estimates: value, interval, chance level, p, counts, and the differences of systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from fairbrief.auditing.chance import Permutations, flip_chance, flip_test, is_tested_by_permutation
from fairbrief.auditing.jackknifed import EXCESS, Jackknifed, Units, units_of
from fairbrief.auditing.ledger import Slice
from fairbrief.auditing.parts import Part
from fairbrief.statistics import BlockBootstrap, Bootstraps, percentile_interval
from fairbrief.statistics.arrays import TIE
from fairbrief.statistics.jackknife import Spread, detectable, share_interval, spread, t_interval, t_test
from fairbrief.types import Column, Estimate, Measure, Note, Totals, Value

NOTHING = "nothing to count"
NEEDS_TEXTS = Note("needs_texts")
FEWEST_CLUSTERS = 3


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

    @cached_property
    def bootstraps(self) -> Bootstraps:
        """Resamples of clusters, shared by all estimates that are made with these settings."""
        return Bootstraps(self.n_resamples, self.seed)


def estimate(measures: Sequence[Measure], part: Part, settings: Settings) -> list[Estimate]:
    """The estimates of all measures that read one part's rows."""
    ledger, clusters = part.ledger, len(part.clusters)
    excluded = ledger.excluded(part.system, part.slice)
    blank = Estimate(
        measure="", quantity="", system=part.system, value=None, slice=dict(part.slice), n=part.rows,
        clusters=clusters, excluded=excluded, signature=settings.signature, system_kind=part.system_kind,
    )  # fmt: skip
    if not clusters:
        reason = max(excluded, key=lambda r: excluded[r]) if excluded else "no record"
        return [described(blank, m, m.name, notes=(undefined(reason),)) for m in measures]
    units = units_of(ledger.columns, part.sums, part.clusters, settings.seed)
    null = ledger.null(part.system, part.slice) if settings.n_resamples else None
    drawn = null.totals() if null is not None else None
    found: list[Estimate] = []
    several = [Jackknifed(measure, units) for measure in measures]
    leading = _leaders(several)
    for here in several:
        permutations = None
        if null is not None and drawn is not None:
            clusters_of = Totals(ledger.columns, part.sums)
            permutations = Permutations(drawn, null.log_labellings, here.measure, clusters_of)
        made = [_estimate(blank, here, name, permutations, settings) for name in here.here]
        if ledger.lacks_null and settings.n_resamples:
            made = [_without_null(e, here, ledger.columns) for e in made]
        made = [replace(e, leads=e.leads and leading[e.quantity] is here) for e in made]
        found += _with_bootstraps(made, here.measure, part, settings)
    return _with_excess_beside(found)


def _leaders(several: Sequence[Jackknifed]) -> dict[str, Jackknifed]:
    """By contrast the measure in which it leads: of those that share it, one that does not fold it into its own size."""
    leading: dict[str, Jackknifed] = {}
    for here in sorted(several, key=lambda here: bool(here.here[here.measure.name].contrasts)):
        for name, value in here.here.items():
            if value.leads:
                leading.setdefault(name, here)
    return leading


def _estimate(
    blank: Estimate, here: Jackknifed, name: str, permutations: Permutations | None, settings: Settings
) -> Estimate:
    """One value with all that stands beside it."""
    value = here.here[name]
    made = replace(
        described(blank, here.measure, name), kind=_kind(name, value), group=value.group, leads=value.leads
    )
    if not np.isfinite(value.array):
        return replace(made, notes=(*made.notes, undefined(NOTHING)))
    made = replace(made, value=float(value.array))
    if not settings.n_resamples:
        return made
    found = here.spread(name)
    made = replace(made, se=_finite(found.error))
    if value.tail is not None:
        made = _with_chance(made, value, here, name, permutations, settings)
    made = _with_interval(made, value, found, settings)
    if made.kind == "contrast" and (made.p is None or made.p > settings.alpha):
        made = replace(made, detectable=_finite(detectable(found, settings.confidence_level)))
    return _with_extracts(made, value, here, name, settings)


def _without_null(made: Estimate, here: Jackknifed, columns: Mapping[Column, int]) -> Estimate:
    """The estimate without what only sums under permuted labels tell, where labels were permuted and these are not here."""
    value = here.here[made.quantity]
    if value.tail is None or made.value is None:
        return made
    made = replace(made, null_mean=None)
    if not is_tested_by_permutation(here.measure.observation, columns, value):
        return made
    made = replace(
        made, p=None, testable=None, smallest_p=None, detectable=None, notes=(*made.notes, NEEDS_TEXTS)
    )
    if made.kind == "magnitude" and value.mean_of is None:  # the test decides whether 0 is in its interval
        return replace(made, low=None, high=None, low_is_open=False)
    return made


def _kind(name: str, value: Value) -> Literal["contrast", "magnitude", "level"]:
    if value.tail == "both" or name == EXCESS:
        return "contrast"
    return "magnitude" if value.tail == "upper" else "level"


def undefined(reason: str) -> Note:
    """The note at a value that there is not."""
    return Note("undefined", {"reason": reason})


def described(blank: Estimate, measure: Measure, quantity: str, notes: tuple[Note, ...] = ()) -> Estimate:
    """The estimate as one of this measure and quantity, with its signature."""
    spec = repr(measure)
    return replace(
        blank, measure=spec, quantity=quantity, over=str(getattr(measure, "over", "") or ""), notes=notes,
        signature=f"{spec}|v{measure.observation.declaration.version}|{blank.signature}",
    )  # fmt: skip


def with_t_interval(made: Estimate, found: Spread, settings: Settings) -> Estimate:
    """The estimate with value ± t · jackknife error, or with the reason why there is no interval."""
    if len(found.without) < FEWEST_CLUSTERS:
        return replace(made, notes=(*made.notes, Note("few_clusters")))
    if np.isnan(found.error):
        return replace(made, notes=(*made.notes, Note("one_cluster_decides")))
    low, high = t_interval(found, settings.confidence_level)
    return replace(made, low=low, high=high)


def _with_interval(made: Estimate, value: Value, found: Spread, settings: Settings) -> Estimate:
    """The interval: Student's t on the jackknife error; of a magnitude that no disparity makes 0, the coherent one."""
    made = with_t_interval(made, found, settings)
    if made.low is None:
        return made
    if found.error == 0 and value.strata:  # one group is in no cluster, or says nothing in any
        return replace(made, low=None, high=None, notes=(*made.notes, Note("clusters_alike")))
    if made.kind == "magnitude" and value.mean_of is None:
        return _coherent(made, found, settings)
    if value.is_share:
        low, high = share_interval(found, settings.confidence_level)
        return replace(made, low=low, high=high)
    return made


def _coherent(made: Estimate, found: Spread, settings: Settings) -> Estimate:
    """Contains 0 exactly when the test does not reject: then from 0; else from value − t·error, and above 0."""
    low, high = t_interval(found, settings.confidence_level)
    if made.p is None or made.p > 1 - settings.confidence_level:
        return replace(made, low=0.0, high=high)
    return replace(made, low=max(low, 0.0), high=high, low_is_open=low <= 0)


def _with_chance(
    made: Estimate,
    value: Value,
    here: Jackknifed,
    name: str,
    permutations: Permutations | None,
    settings: Settings,
) -> Estimate:
    """Chance level and p; where no labelling could be significant, *not testable* and no p."""
    chance = permutations.chance(name, value) if permutations is not None else None
    if permutations is None or (value.contrasts and not permutations.knows(value)):
        if made.measure and made.clusters < 2:
            return made
        flips = flip_chance(here, name, value, settings.n_resamples, settings.seed)
        if flips is None:
            return made if chance is None else replace(made, null_mean=chance.mean)
        chance = replace(flips, mean=flips.mean if chance is None else chance.mean)
    if chance is None:
        return made
    made = replace(made, null_mean=chance.mean, smallest_p=chance.reachable)
    hidden = (
        settings.n_resamples + 1
    ) * settings.alpha <= 1  # so few resamples hide whether a labelling could be significant
    if chance.reachable >= settings.alpha or (not hidden and chance.sampled >= settings.alpha):
        return replace(made, testable=False)
    if hidden:
        wanted = math.ceil(10 / settings.alpha) - 1
        note = Note("few_resamples", {"resamples": wanted, "alpha": settings.alpha})
        made = replace(made, notes=(*made.notes, note))
    return replace(made, p=chance.p, testable=True)


def _with_extracts(made: Estimate, value: Value, here: Jackknifed, name: str, settings: Settings) -> Estimate:
    """What random extracts read, and of signed contrasts the difference from it."""
    if value.blind is not None:
        return replace(made, blind=_finite(float(value.blind)))
    if not value.has_baseline or not here.units.has_extracts:
        return made
    read = here.of_extracts[0].get(name)
    if read is None or not np.isfinite(read.array):
        return made
    made = replace(made, blind=float(read.array))
    found = here.less_extracts(name) if value.is_compared else None
    if found is None:
        return made
    made = replace(made, blind_difference=found.value)
    if len(found.without) < FEWEST_CLUSTERS or np.isnan(found.error):
        return made
    low, high = t_interval(found, settings.confidence_level)
    return replace(made, blind_difference_low=low, blind_difference_high=high, blind_p=t_test(found))


def _with_excess_beside(found: list[Estimate]) -> list[Estimate]:
    """Headlines with their excess, which is an estimate of its own, too."""
    excess = {e.measure: e for e in found if e.quantity == EXCESS}
    return [
        replace(e, excess=x.value, excess_low=x.low, excess_high=x.high)
        if (x := excess.get(e.measure)) is not None
        and e.quantity == e.measure.partition("(")[0].partition("@")[0]
        else e
        for e in found
    ]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


# ------------------------------------------------------------------- resampled, as papers have it


def _with_bootstraps(
    made: list[Estimate], measure: Measure, part: Part, settings: Settings
) -> list[Estimate]:
    """The papers' intervals: over resampled clusters where asked for, and inside the clusters where they hold several."""
    if not settings.n_resamples:
        return made
    if settings.intervals == "bootstrap" and len(part.clusters) > 1:
        drawn = measure.value(
            part.ledger.totals(settings.bootstraps.of(len(part.clusters)).totals(part.sums))
        )
        made = [with_percentiles(e, drawn.get(e.quantity), settings) for e in made]
    if part.blocks is not None:
        rows, cluster = part.blocks
        inside = measure.value(
            part.ledger.totals(BlockBootstrap(cluster, settings.n_resamples, settings.seed).totals(rows))
        )
        made = [_with_inner_interval(e, inside.get(e.quantity), settings) for e in made]
    return made


def with_percentiles(made: Estimate, resampled: Value | None, settings: Settings) -> Estimate:
    """The estimate with the percentile interval of its resamples, undefined ones left out."""
    if resampled is None or made.value is None or settings.n_resamples < 2:
        return made
    low, high, absent = percentile_interval(resampled.array, settings.confidence_level)
    notes = made.notes
    if absent > 0:
        notes = (*notes, Note("undefined_resamples", {"share": float(absent)}))
    if not (np.isfinite(low) and np.isfinite(high)):
        return replace(made, low=None, high=None, notes=(*notes, Note("no_resample_defined")))
    return replace(made, low=float(low), high=float(high), low_is_open=False, notes=notes)


def _with_inner_interval(made: Estimate, inside: Value | None, settings: Settings) -> Estimate:
    if inside is None or made.value is None or settings.n_resamples < 2:
        return made
    low, high, _ = percentile_interval(inside.array, settings.confidence_level)
    if not (np.isfinite(low) and np.isfinite(high)):
        return made
    return replace(made, low_within=float(low), high_within=float(high))


# ------------------------------------------------------------------------- differences of systems


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
    found = []
    for part in dict.fromkeys(slice_ for _, slice_ in parts):
        there = {system: set(parts[system, part].clusters) for system in systems if (system, part) in parts}
        everything = set().union(*there.values())
        many = {system for system, clusters in there.items() if 2 * len(clusters) >= len(everything)}
        answered = set(everything).intersection(*(there[system] for system in many))
        for first, second in pairs:
            a, b = parts.get((first, part)), parts.get((second, part))
            if a is None or b is None:
                continue
            if {first, second} <= many:
                found += difference(measures, a, b, answered, settings)
            else:
                both = difference(measures, a, b, there[first] & there[second], settings)
                found += [replace(e, notes=(*e.notes, Note("few_answered"))) for e in both]
    return found


def difference(
    measures: Sequence[Measure], a: Part, b: Part, answered: set[str], settings: Settings
) -> list[Estimate]:
    """Values of ``a`` minus ``b`` on the answered clusters: paired jackknife interval, p from turning signs of clusters."""
    place = {cluster: i for i, cluster in enumerate(b.clusters)}
    common = [(i, place[c]) for i, c in enumerate(a.clusters) if c in answered]
    if len(common) < 2:
        return []
    chosen = np.array(common)
    names = tuple(a.clusters[i] for i, _ in common)
    units = [
        units_of(part.ledger.columns, part.sums[chosen[:, side]], names, settings.seed)
        for side, part in enumerate((a, b))
    ]
    missing = max(len(a.clusters), len(b.clusters)) - len(common)
    blank = Estimate(
        measure="", quantity="", system=a.system, baseline=b.system, value=None, slice=dict(a.slice),
        n=len(common), clusters=len(common), signature=f"{settings.signature}|paired", kind="contrast",
        excluded={"not answered by all compared": missing} if missing else {},
        system_kind=a.system_kind, baseline_kind=b.system_kind,
    )  # fmt: skip
    found: list[Estimate] = []
    pairs = [(Jackknifed(measure, units[0]), Jackknifed(measure, units[1])) for measure in measures]
    leaders = _leaders([first for first, _ in pairs])
    for first, second in pairs:
        shared = [name for name in first.here if name in second.here]
        leading = {name for name in _leading(first, second) if leaders.get(name, first) is first}
        found += [_difference(blank, first, second, name, settings, leads=name in leading) for name in shared]
    return found


def _leading(first: Jackknifed, second: Jackknifed) -> set[str]:
    """The values by which two systems are compared.

    The signed contrasts that lead, and the excess of a mean of records where permuted labels move it in some record.
    A magnitude that has neither (one document a group: every permutation reads the same) is compared itself.
    """
    leading = {name for name, value in first.here.items() if value.leads or value.leads_differences}
    if EXCESS in leading and not any(np.any(np.abs(a.alone[EXCESS].array) > TIE) for a in (first, second)):
        leading.remove(EXCESS)
    headline = first.here[first.measure.name]
    if not leading and headline.tail == "upper" and not headline.contrasts:
        leading.add(first.measure.name)
    return leading


def _difference(
    blank: Estimate, first: Jackknifed, second: Jackknifed, name: str, settings: Settings, *, leads: bool
) -> Estimate:
    made = described(blank, first.measure, name)
    value = first.here[name]
    is_raw = value.tail == "upper" and not leads
    made = replace(made, group=value.group, leads=leads)
    found = _paired(first, second, name)
    if not np.isfinite(found.value):
        return replace(made, notes=(*made.notes, undefined(NOTHING)))
    made = replace(made, value=found.value)
    if not settings.n_resamples:
        return made
    made = replace(made, se=_finite(found.error))
    if is_raw:
        made = replace(made, notes=(*made.notes, Note("raw_magnitude")))
    made = with_t_interval(made, found, settings)
    if made.low is None:
        return replace(made, testable=False)
    return made if is_raw else _with_flips(made, found, first.units, settings)


def _paired(first: Jackknifed, second: Jackknifed, name: str) -> Spread:
    """The jackknife of a difference. Published odds may be infinite in both: their difference is undefined."""
    m = len(first.units.sums)
    with np.errstate(invalid="ignore"):
        gap, without = (
            np.asarray(a[name].array - b[name].array)
            for a, b in ((first.here, second.here), (first.without, second.without))
        )
        alone = first.alone[name].array + second.alone[name].array
    return spread(gap, np.broadcast_to(without, m), np.broadcast_to(alone, m))


def _with_flips(made: Estimate, found: Spread, units: Units, settings: Settings) -> Estimate:
    """P of no difference: which of the two wrote what is turned in every cluster."""
    said = found.contributions
    moves = np.abs(said) > 0
    names = [units.names[i] for i, yes in zip(found.units, moves, strict=True) if yes]
    if not names:
        return replace(made, null_mean=0.0, p=1.0, testable=True, smallest_p=1.0)
    # Turning all clusters mirrors turning none: 2^(clusters − 1) distinct sizes.
    reachable = 2.0 ** (1 - len(found.units))
    made = replace(made, null_mean=0.0, smallest_p=reachable)
    if reachable >= settings.alpha:
        return replace(made, testable=False)
    p = flip_test(said[moves], names, settings.n_resamples, settings.seed)
    made = replace(made, p=p, testable=True)
    if p <= settings.alpha:
        return made
    return replace(made, detectable=_finite(detectable(found, settings.confidence_level)))


def pairs_of(systems: Sequence[str], baseline: str | None, most: int = 10) -> list[tuple[str, str]]:
    """Which systems are compared: all pairs while there are few, else each with the baseline."""
    pairs = list(itertools.combinations(systems, 2))
    if baseline is None and len(pairs) <= most:
        return pairs
    against = baseline if baseline is not None else systems[0]
    return [(system, against) for system in systems if system != against]
