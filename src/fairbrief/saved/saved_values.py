"""The per-record statistics of saved audits; values of measures on any part of them, with intervals from resampling."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import Names, names_of, side_by_side
from fairbrief.auditing.per_record import ledgers_from
from fairbrief.errors import RequestError
from fairbrief.reports.number_format import number
from fairbrief.reports.result import Result
from fairbrief.statistics.resampling import Bootstrap, percentile_interval
from fairbrief.types import Column, Floats, Integers, Measure, Totals


@dataclass(frozen=True, slots=True)
class SavedValues:
    """The per-record statistics of one measure: a row per summary that it could measure, in order of appearance.

    ``systems`` are the names, ``system`` (n,) the index of each row's; ``clusters`` (n,); ``records`` (n,) cluster and record;
    ``rows`` (n, columns).
    """

    measure: Measure
    columns: dict[Column, int]
    systems: Sequence[str]
    system: Integers
    clusters: Names
    records: Names
    rows: Floats

    def summaries(self) -> Names:
        """A key per summary, for comparison only. Shape (n,)."""
        return side_by_side(names_of(self.systems).of(self.system), self.records)

    def of_system(self, system: str) -> Integers:
        """The places of a system's summaries. Shape (k,)."""
        return np.flatnonzero(self.system == (self.systems.index(system) if system in self.systems else -1))

    def of_each(self) -> Floats:
        """The main value of each summary. Shape (n,)."""
        return self.values(self.rows)

    def values(self, sums: Floats) -> Floats:
        """The main value of summed rows. Shape (…, columns) → (…)."""
        found = self.measure.value(Totals(self.columns, sums))[self.measure.name]
        return np.asarray(found.array, dtype=np.float64)

    def of_systems(
        self, chosen: Sequence[Integers], clusters: Sequence[Integers], bootstrap: Bootstrap | None
    ) -> Floats:
        """Each system's value over its summaries, then of each resample of clusters. Shape (1 + resamples, systems).

        ``chosen`` and ``clusters`` are, by system, the places of its summaries and the index of each one's cluster.
        """
        many = 1 + max(int(numbers.max()) for numbers in clusters)
        found = []
        for own, cluster in zip(chosen, clusters, strict=True):
            sums = np.zeros((many, self.rows.shape[1]))
            np.add.at(sums, cluster, self.rows[own])
            drawn = [
                sums.sum(axis=0, keepdims=True),
                *([] if bootstrap is None else [bootstrap.totals(sums)]),
            ]
            found.append(self.values(np.concatenate(drawn)))
        return np.stack(found, axis=-1)


def in_common(a: SavedValues, b: SavedValues) -> tuple[Integers, Integers]:
    """The places of the common summaries in the first and in the second, in the order of the first. Shapes: (n,)."""
    place = a.summaries().places_in(b.summaries())
    own = np.flatnonzero(place >= 0)
    return own, place[own]


def specs_in(results: Iterable[Result]) -> list[str]:
    """The specs of all measures of the audits, in order."""
    return list(dict.fromkeys(spec for result in results for spec in result.rows.measures()))


def saved_values(results: Iterable[Result], specs: Collection[str]) -> dict[str, SavedValues]:
    """The per-record statistics of these measures without sanity baselines. RequestError if several audits have a measure."""
    found: dict[str, SavedValues] = {}
    for result in results:
        for ledger, measures in ledgers_from(result.rows, wanted=specs):
            rows = _without_baselines(measures[0], ledger)
            for measure in measures:
                if (spec := repr(measure)) in found:
                    raise RequestError(
                        f"Several of the audits have the measure {spec}: give only one of them, or audit all files together."
                    )
                found[spec] = replace(rows, measure=measure)
    return found


def _without_baselines(measure: Measure, ledger: Ledger) -> SavedValues:
    origins = ledger.kept()
    is_system = np.array([kind.system_kind == "system" for kind in origins.known_kinds], dtype=np.bool_)
    chosen = np.flatnonzero(is_system[origins.kind])
    origins = origins.of(chosen)
    known = origins.known_kinds
    systems = list(dict.fromkeys(kind.system for kind in known))
    number = np.array([systems.index(kind.system) for kind in known], dtype=np.int64)
    clusters = origins.clusters()
    records = side_by_side(clusters, origins.records())
    rows = ledger.matrix()[chosen]
    return SavedValues(measure, ledger.columns, systems, number[origins.kind], clusters, records, rows)


BLOCK = 4_000_000
"""Numbers in memory at once while resampling."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with the interval from resampling; ``value`` is None if undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        bounds = f" [{number(self.low, 2)}, {number(self.high, 2)}]" if self.low is not None else ""
        return f"{number(self.value, 2)}{bounds}"


@dataclass(frozen=True, slots=True)
class Resampling:
    """Percentile intervals over ``n_resamples`` resamples of records with replacement; none if that is 0."""

    n_resamples: int = 2000
    seed: int = 0
    confidence_level: float = 0.95

    @property
    def note(self) -> str:
        """The note of a table on its intervals."""
        return f"{self.confidence_level:.0%} intervals resample records."

    def bootstrap(self, records: int) -> Bootstrap | None:
        """The resamples; None for one record, or for no resamples."""
        return Bootstrap(records, self.n_resamples, self.seed) if records > 1 and self.n_resamples else None

    def interval(self, point: float, drawn: Floats | None = None) -> Interval:
        """A value and the percentile interval of its resamples; no interval if most are undefined."""
        if not np.isfinite(point):
            return Interval(None)
        if drawn is None:
            return Interval(point)
        low, high, undefined = (float(x) for x in percentile_interval(drawn, self.confidence_level))
        if not (np.isfinite(low) and np.isfinite(high)) or undefined > 0.5:
            return Interval(point)
        return Interval(point, low, high)

    def intervals(
        self, statistic: Callable[..., Sequence[Floats]], arrays: Sequence[Floats]
    ) -> list[Interval]:
        """Each value of a statistic with its interval.

        ``arrays`` share their first axis, the records: (n, …). ``statistic`` takes them with leading axes, (…, n, …), and
        returns arrays of the leading shape; nan if undefined.
        """
        points = [float(p) for p in statistic(*arrays)]
        bootstrap = self.bootstrap(len(arrays[0]))
        if bootstrap is None:
            return [self.interval(point) for point in points]
        step = max(1, BLOCK // max(1, sum(a.size for a in arrays)))
        blocks = []
        for weights in bootstrap.weights():
            for start in range(0, len(weights), step):
                drawn = np.stack([np.repeat(np.arange(len(w)), w) for w in weights[start : start + step]])
                blocks.append(np.stack(list(statistic(*(a[drawn] for a in arrays)))))
        found = np.concatenate(blocks, axis=1)
        return [self.interval(point, drawn) for point, drawn in zip(points, found, strict=True)]


DRAWS = Resampling()
"""The default resampling of the commands."""
