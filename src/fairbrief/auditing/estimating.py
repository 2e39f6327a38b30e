"""Ledgers to estimates: value, interval, chance level, p, counts, and the differences of systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from fairbrief.auditing.ledger import Ledger, Null, Slice
from fairbrief.auditing.parts import Part
from fairbrief.auditing.regrouping import regrouped_null
from fairbrief.nouns import Estimate, Floats, Measure, Totals, Value
from fairbrief.reports import numerals
from fairbrief.statistics import (
    BlockBootstrap,
    Bootstraps,
    percentile_interval,
    smallest_p,
    swapped_totals,
    two_sided_p,
    upper_p,
)

UNDEFINED = "undefined: "
FEW_ANSWERED = "one of the two answered fewer than half of the records: compared on what both answered"
FEW_CLUSTERS = "no interval: fewer than two clusters"
OUTSIDE = (
    "the value lies outside its interval: resamples are noisier than the whole, and noise makes any distance larger; "
    "read it beside its chance level"
)
ONE_DRAW = "no interval: one draw says nothing of the spread"


@dataclass(frozen=True)
class Settings:
    """What decides the resampling: recorded with every estimate."""

    draws: int = 2000
    seed: int = 0
    level: float = 0.95
    alpha: float = 0.05
    signature: str = ""

    @cached_property
    def bootstraps(self) -> Bootstraps:
        """Resamples of clusters, shared by all estimates that are made with these settings."""
        return Bootstraps(self.draws, self.seed)


def estimate(measures: Sequence[Measure], part: Part, settings: Settings) -> list[Estimate]:
    """The estimates of all measures that read one part's rows."""
    ledger, clusters = part.ledger, len(part.clusters)
    excluded = ledger.excluded(part.system, part.slice)
    blank = Estimate(
        measure="", quantity="", system=part.system, value=None, slice=dict(part.slice), n=part.rows,
        clusters=clusters, excluded=excluded, signature=settings.signature,
    )  # fmt: skip
    if not clusters:
        reason = max(excluded, key=lambda r: excluded[r]) if excluded else "no record"
        return [described(blank, m, m.name, notes=(UNDEFINED + reason,)) for m in measures]
    total = part.sums.sum(axis=0)
    several = clusters > 1 and settings.draws > 0
    drawn = settings.bootstraps.of(clusters).totals(part.sums) if several else None
    within = _drawn_within(part, settings)
    null = ledger.null(part.system, part.slice)
    if null is None and part.chosen is not None:
        null = regrouped_null(ledger, part.chosen, settings.draws, settings.seed)
    found = []
    for measure in measures:
        values = measure.value(ledger.totals(total))
        resampled = measure.value(ledger.totals(drawn)) if drawn is not None else {}
        inside = measure.value(ledger.totals(within)) if within is not None else {}
        by_chance = measure.value(_null_totals(ledger, null)) if null is not None else {}
        for name, value in values.items():
            made = described(blank, measure, name)
            made = with_interval(made, value, resampled.get(name), settings)
            made = _with_inner_interval(made, inside.get(name), settings)
            if null is not None and value.tail is not None:
                made = _with_chance(made, value, by_chance[name], null, settings)
            found.append(made)
    return found


def _null_totals(ledger: Ledger, null: Null) -> Totals:
    return ledger.totals(null.sums) if null.columns is None else Totals(null.columns, null.sums)


def described(blank: Estimate, measure: Measure, quantity: str, notes: tuple[str, ...] = ()) -> Estimate:
    """The estimate as one of this measure and quantity, with its signature."""
    spelling = repr(measure)
    return replace(
        blank, measure=spelling, quantity=quantity, over=str(getattr(measure, "over", "") or ""), notes=notes,
        signature=f"{spelling}|v{measure.observation.version}|{blank.signature}",
    )  # fmt: skip


def with_interval(made: Estimate, value: Value, resampled: Value | None, settings: Settings) -> Estimate:
    """The estimate with a value and its percentile interval, or with the reason why there is none."""
    point = float(value.array)
    if not np.isfinite(point):
        return replace(made, notes=(*made.notes, f"{UNDEFINED}nothing to count"))
    if resampled is None:
        notes = (*made.notes, FEW_CLUSTERS) if made.clusters < 2 else made.notes
        return replace(made, value=point, notes=notes)
    if settings.draws < 2:
        return replace(made, value=point, notes=(*made.notes, ONE_DRAW))
    low, high, undefined = percentile_interval(resampled.array, settings.level)
    notes = made.notes
    if undefined > 0:
        notes = (
            *notes,
            f"undefined in {numerals.share(float(undefined))} of the resamples, which the interval leaves out",
        )
    if not (np.isfinite(low) and np.isfinite(high)):
        return replace(made, value=point, notes=(*notes, "no interval: undefined in the resamples"))
    rounding = 1e-9 * max(abs(low), abs(high))
    if not low - rounding <= point <= high + rounding:
        notes = (*notes, OUTSIDE)
    return replace(made, value=point, low=float(low), high=float(high), notes=notes)


def _drawn_within(part: Part, settings: Settings) -> Floats | None:
    if part.blocks is None or not settings.draws:
        return None
    rows, cluster = part.blocks
    return BlockBootstrap(cluster, settings.draws, settings.seed).totals(rows)


def _with_inner_interval(made: Estimate, inside: Value | None, settings: Settings) -> Estimate:
    if inside is None or made.value is None or settings.draws < 2:
        return made
    low, high, _ = percentile_interval(inside.array, settings.level)
    if not (np.isfinite(low) and np.isfinite(high)):
        return made
    return replace(made, low_within=float(low), high_within=float(high))


def _with_chance(made: Estimate, value: Value, by_chance: Value, null: Null, settings: Settings) -> Estimate:
    """Chance level and p; where no labelling could be significant, *not testable* and no p."""
    drawn = np.asarray(by_chance.array)
    drawn = drawn[np.isfinite(drawn)]
    if made.value is None or not len(drawn):
        return made
    mean = float(drawn.mean())
    few = null.log_labellings < np.log(1 / settings.alpha)
    # So few draws hide whether a labelling could be significant: that is no want of labellings.
    hidden = (settings.draws + 1) * settings.alpha <= 1
    # Labellings may be many and still tie: of (2, 2, 2) documents' 90, six name the same split of three.
    tail: Literal["upper", "both"] = "upper" if value.tail == "upper" else "both"
    if few or (not hidden and smallest_p(drawn, exact=False, tail=tail) >= settings.alpha):
        return replace(made, null_mean=mean, testable=False)
    if hidden:
        enough = math.ceil(10 / settings.alpha) - 1
        note = f"too few draws for any p below {settings.alpha:g}: --draws {enough} or more"
        made = replace(made, notes=(*made.notes, note))
    p = (upper_p if value.tail == "upper" else two_sided_p)(np.float64(made.value), drawn, exact=False)
    return replace(made, null_mean=mean, p=float(p), testable=True)


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
                found += [replace(e, notes=(*e.notes, FEW_ANSWERED)) for e in both]
    return found


def difference(
    measures: Sequence[Measure], a: Part, b: Part, answered: set[str], settings: Settings
) -> list[Estimate]:
    """Values of ``a`` minus ``b`` on the answered clusters: paired interval, p from swapping the two."""
    place = {cluster: i for i, cluster in enumerate(b.clusters)}
    common = [(i, place[c]) for i, c in enumerate(a.clusters) if c in answered]
    if len(common) < 2:
        return []
    chosen = np.array(common)
    rows_a, rows_b = a.sums[chosen[:, 0]], b.sums[chosen[:, 1]]
    bootstrap = settings.bootstraps.of(len(common))
    drawn_a, drawn_b = bootstrap.totals(rows_a), bootstrap.totals(rows_b)
    swapped_a, swapped_b = swapped_totals(rows_a, rows_b, settings.draws, settings.seed)
    missing = max(len(a.clusters), len(b.clusters)) - len(common)
    blank = Estimate(
        measure="", quantity="", system=a.system, baseline=b.system, value=None, slice=dict(a.slice),
        n=len(common), clusters=len(common), signature=f"{settings.signature}|paired",
        excluded={"not answered by all compared": missing} if missing else {},
    )  # fmt: skip
    found = []
    for measure in measures:
        value = {
            key: measure.value(a.ledger.totals(array))
            for key, array in (
                ("a", rows_a.sum(axis=0)), ("b", rows_b.sum(axis=0)), ("drawn a", drawn_a), ("drawn b", drawn_b),
                ("swapped a", swapped_a), ("swapped b", swapped_b),
            )
        }  # fmt: skip
        for name in value["a"]:
            if name not in value["b"]:
                continue
            # Published odds may be infinite in both: their difference is undefined.
            with np.errstate(invalid="ignore"):
                gap, drawn, swapped = (
                    Value(np.asarray(value[x][name].array - value[y][name].array), "both")
                    for x, y in (("a", "b"), ("drawn a", "drawn b"), ("swapped a", "swapped b"))
                )
            made = with_interval(described(blank, measure, name), gap, drawn, settings)
            if made.value is not None:
                made = _with_swaps(made, swapped.array, len(common), settings)
            found.append(made)
    return found


def _with_swaps(made: Estimate, swapped: Floats, clusters: int, settings: Settings) -> Estimate:
    # Swapping all clusters mirrors swapping none: 2^(clusters − 1) distinct sizes.
    if (clusters - 1) * np.log(2) < np.log(1 / settings.alpha):
        return replace(made, null_mean=0.0, testable=False)
    defined = swapped[np.isfinite(swapped)]
    if not len(defined):
        return made
    p = two_sided_p(np.float64(made.value or 0.0), defined, exact=False)
    return replace(made, null_mean=float(defined.mean()), p=float(p), testable=True)


def pairs_of(systems: Sequence[str], baseline: str | None, most: int = 10) -> list[tuple[str, str]]:
    """Which systems are compared: all pairs while there are few, else each with the baseline."""
    pairs = list(itertools.combinations(systems, 2))
    if baseline is None and len(pairs) <= most:
        return pairs
    against = baseline if baseline is not None else systems[0]
    return [(system, against) for system in systems if system != against]
