"""By which part of itself a measure falls from one system to another, as after an instruction to be fair; and which of two falls more."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.auditing import estimating
from fairbrief.auditing.estimate import Interval as Bounds
from fairbrief.auditing.estimate import finite, undefined
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.evidence import ledgers_from
from fairbrief.auditing.jackknifed import Jackknifed
from fairbrief.auditing.origins import WHOLE, first_met
from fairbrief.auditing.parts import Part, parts_of, units_in_common
from fairbrief.errors import RequestError
from fairbrief.reports.evidence import EvidenceRows
from fairbrief.reports.result import Result
from fairbrief.saved.intervals import Interval, Resampling
from fairbrief.saved.saved_values import SavedValues, saved_values, specs_in
from fairbrief.saved.scorer_agreement import named_measures
from fairbrief.statistics.jackknife import spreads
from fairbrief.types import Estimate, Floats, Integers, Measure, Table

QUANTITY = "relative_change"
FROM_NOTHING = undefined("the measure is 0 for the system that it is compared with")


def relative_changes(
    evidence: EvidenceRows, pairs: Iterable[tuple[str, str]], settings: Settings
) -> list[Estimate]:
    """(M(plain) − M(fair)) / M(plain) for every headline M and each pair (fair, plain) of systems.

    On the records that both answered. Positive where ``fair`` reads less than ``plain``, at most 1 for a
    measure that cannot be negative. The interval is the cluster jackknife t. Undefined where M(plain) = 0.
    Fewer than two common clusters: no estimate.
    """
    pairs = list(pairs)
    found: list[Estimate] = []
    for ledger, measures in ledgers_from(evidence):
        parts = parts_of(ledger, (), settings.seed)
        for fair, plain in pairs:
            if (fair, WHOLE) in parts and (plain, WHOLE) in parts:
                found += _changes(measures, parts[fair, WHOLE], parts[plain, WHOLE], settings)
    return found


def _changes(measures: list[Measure], fair: Part, plain: Part, settings: Settings) -> Iterator[Estimate]:
    sides, common = units_in_common([fair, plain], settings.seed)
    if common < 2:
        return
    for measure in measures:
        a, b = (Jackknifed(measure, side) for side in sides)
        here, without, alone = (
            _relative_change(y[measure.name].array, x[measure.name].array)
            for x, y in ((a.here, b.here), (a.without, b.without), (a.alone, b.alone))
        )
        gap = float(here[0])
        bounds = Bounds(notes=(FROM_NOTHING,))
        if np.isfinite(gap):
            (bounds,) = estimating.t_intervals(spreads(here, without, alone), settings)
        yield Estimate(
            **estimating.named(measure, f"{settings.signature}|paired"),
            quantity=QUANTITY,
            value=finite(gap),
            low=bounds.low,
            high=bounds.high,
            notes=bounds.notes,
            system=fair.system,
            baseline=plain.system,
            n=common,
            clusters=common,
            system_kind=fair.system_kind,
            baseline_kind=plain.system_kind,
        )


def _relative_change(plain: Floats, fair: Floats) -> Floats:
    """(plain − fair) / plain; nan where plain is 0 or one is undefined."""
    defined = np.isfinite(fair) & np.isfinite(plain) & (plain != 0)
    return np.asarray(np.divide(plain - fair, plain, out=np.full(np.shape(plain), np.nan), where=defined))


# ------------------------------------------------------------------------------ which of two falls more


@dataclass(frozen=True, slots=True)
class ChangeComparison:
    """The relative changes of two measures, and the difference, first minus second.

    A relative change is (M(plain) − M(fair)) / M(plain): positive where the measure falls. ``n`` is the number
    of records that both systems answered and both measures could read.
    """

    first: str
    second: str
    changes: tuple[Interval, Interval]
    difference: Interval
    n: int


def change_comparisons(
    results: Sequence[Result],
    plain: str,
    fair: str,
    measures: Sequence[str],
    *,
    n_resamples: int = 2000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> list[ChangeComparison]:
    """The difference of relative changes for each pair of measures; intervals resample records.

    Raises RequestError for a measure or a system that the audits lack, and without a common record.
    Source: Li et al., Coverage-based Fairness in MDS, Section 5.8, Table 6.
    """
    audited = specs_in(results)
    named = named_measures(audited, measures or audited)
    saved = saved_values(results, named)
    known = {system for spec in named for system in saved[spec].systems}
    if absent := [system for system in (plain, fair) if system not in known]:
        raise RequestError(f"No system '{absent[0]}' in these audits, which hold {', '.join(sorted(known))}.")
    resampling = Resampling(n_resamples, seed, confidence_level)
    return [
        _comparison(saved[a], saved[b], plain, fair, resampling) for a, b in itertools.combinations(named, 2)
    ]


def _comparison(
    a: SavedValues, b: SavedValues, plain: str, fair: str, resampling: Resampling
) -> ChangeComparison:
    places = _of_both_systems(a, b, plain, fair)
    cluster = first_met(a.clusters.of(places[0][0]).codes())[1]
    bootstrap = resampling.bootstrap(int(cluster.max()) + 1)
    x, y = (
        _relative_change(values[..., 0], values[..., 1])
        for saved, own in zip((a, b), places, strict=True)
        for values in [saved.of_systems(own, [cluster] * 2, bootstrap)]
    )
    first, second, difference = (
        resampling.interval(float(z[0]), None if bootstrap is None else z[1:]) for z in (x, y, x - y)
    )
    return ChangeComparison(repr(a.measure), repr(b.measure), (first, second), difference, len(cluster))


def _of_both_systems(
    a: SavedValues, b: SavedValues, plain: str, fair: str
) -> tuple[list[Integers], list[Integers]]:
    """The places, in each measure and by system, of the records that both systems answered and both measures read.

    In the order of the first measure's summaries of the first system. RequestError where there is none.
    """
    read = [(saved.records, saved.of_system(system)) for saved in (a, b) for system in (plain, fair)]
    records = [names.of(places) for names, places in read]
    inside = [records[0].places_in(others) for others in records]
    common = np.flatnonzero(np.all([place >= 0 for place in inside], axis=0))
    if not len(common):
        raise RequestError(f"No record was answered by '{plain}' and '{fair}' and read by both measures.")
    found = [places[place[common]] for place, (_, places) in zip(inside, read, strict=True)]
    return found[:2], found[2:]


def change_table(
    found: Sequence[ChangeComparison], plain: str, fair: str, confidence_level: float = 0.95
) -> Table:
    """One row per pair of measures."""
    rows = tuple((c.first, c.second, *map(str, c.changes), str(c.difference), f"{c.n:,}") for c in found)
    return Table(
        f"Relative changes from {plain} to {fair}",
        ("first", "second", "change of first", "of second", "difference", "n"),
        rows,
        (
            "A change is the part of itself by which a measure falls; a difference above 0: the first falls more.",
            f"{confidence_level:.0%} intervals resample records.",
        ),
    )
