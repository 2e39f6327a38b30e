"""The per-record statistics of saved audits; values of measures on any part of them, with intervals from resampling."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fairbrief.auditing import jackknifed, per_record
from fairbrief.auditing.origins import Names, Origins, first_met, names_of, side_by_side
from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.reports.frames import coded
from fairbrief.reports.number_format import number
from fairbrief.reports.result import Result
from fairbrief.statistics.agreement import Counts
from fairbrief.statistics.resampling import Bootstrap, percentile_interval
from fairbrief.types import Booleans, Column, Data, Floats, Integers, Measure, Totals


class SavedValues(Data, frozen=True):
    """The per-record statistics of one measure: a row per summary that it could measure. Shape of ``rows``: (n, columns)."""

    measure: Measure
    columns: dict[Column, int]
    origins: Origins
    rows: Floats

    def values(self, sums: Floats) -> Floats:
        """The main value of summed rows. Shape (…, columns) → (…)."""
        value = self.measure.value(Totals(self.columns, sums))[self.measure.name]
        return np.asarray(value.array, dtype=np.float64)

    def of(self, places: Integers) -> SavedValues:
        """Some of the summaries. Shape: (n,)."""
        return replace(self, origins=self.origins.of(places), rows=self.rows[places])

    @property
    def places(self) -> dict[str, Integers]:
        """The places of each system's summaries."""
        return {system: places for (system, _), places in sorted(self.origins.by_subgroup().items())}

    @property
    def systems(self) -> Names:
        """The system of each summary. Shape: (n,)."""
        known = names_of(kind.system for kind in self.origins.known_kinds)
        return known.of(self.origins.kind.astype(np.int64))

    @property
    def records(self) -> Names:
        """Cluster and record of each summary. Shape: (n,)."""
        return side_by_side(self.origins.clusters, self.origins.records)

    def of_systems(self, systems: Iterable[str], resampling: Resampling) -> Floats:
        """Each system's value over its summaries, then of each resample of clusters. Shape (1 + resamples, systems)."""
        cluster, places, values = self.origins.clusters.codes(), self.places, []
        for own in (places[system] for system in systems):
            sums = jackknifed.summed(self.rows[own], cluster[own], int(cluster.max()) + 1)
            values.append(self.values(resampling.totals(sums)))
        return np.stack(values, axis=-1)

    def in_common(self, other: SavedValues) -> tuple[SavedValues, SavedValues]:
        """Both on their common summaries, in the order of this."""
        ours, theirs = (side_by_side(x.systems, x.records) for x in (self, other))
        place = ours.places_in(theirs)
        return self.of(np.flatnonzero(place >= 0)), other.of(place[place >= 0])


def specs_in(results: Iterable[Result]) -> list[str]:
    """The specs of all measures of the audits, in order."""
    return list(dict.fromkeys(spec for result in results for spec in result.rows.measures))


def saved_values(results: Iterable[Result], specs: Collection[str]) -> dict[str, SavedValues]:
    """The per-record statistics of these measures without sanity baselines. RequestError if several audits have a measure."""
    found: dict[str, SavedValues] = {}
    for result in results:
        ledgers = per_record.ledgers_from(result.rows, by=(), wanted=specs, is_out=_are_baselines)
        for ledger, measures in ledgers:
            origins, rows = ledger.kept(), ledger.matrix()
            for measure in measures:
                if (spec := repr(measure)) in found:
                    raise RequestError(
                        f"Several of the audits have the measure {spec}: give only one of them, or audit all files together."
                    )
                found[spec] = SavedValues(measure, ledger.columns, origins, rows)
    return found


def _are_baselines(rows: pa.Table) -> Booleans:
    """Which rows are not of a system."""
    codes, kinds = coded(rows["system_kind"])
    return np.array([kind != "system" for kind in kinds.to_pylist()], dtype=np.bool_)[codes]


BLOCK = 4_000_000
"""Numbers in memory at once while resampling."""


class Interval(Data, frozen=True):
    """A value with the interval from resampling; ``value`` is None if undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        bounds = f" [{number(self.low, 2)}, {number(self.high, 2)}]" if self.low is not None else ""
        return f"{number(self.value, 2)}{bounds}"


class Resampling(Data, frozen=True):
    """Percentile intervals over ``n_resamples`` resamples of records with replacement; none if that is 0."""

    n_resamples: int = 2000
    seed: int = 0
    confidence_level: float = 0.95

    @property
    def note(self) -> str:
        """The note of a table on its intervals."""
        return f"{self.confidence_level:.0%} intervals resample records."

    def totals(self, rows: Floats) -> Floats:
        """The sum of all records' rows, then of each resample. Shape (records, k) → (1 + resamples, k)."""
        return np.concatenate([rows.sum(axis=0, keepdims=True), self._bootstrap(len(rows)).totals(rows)])

    def interval(self, values: Floats) -> Interval:
        """The first value with the percentile interval of the others, those of resamples; no interval if most are undefined."""
        point, drawn = float(values[0]), values[1:]
        if not np.isfinite(point):
            return Interval(None)
        if len(drawn):
            low, high, undefined = (float(x) for x in percentile_interval(drawn, self.confidence_level))
            if np.isfinite(low) and np.isfinite(high) and undefined <= 0.5:
                return Interval(point, low, high)
        return Interval(point)

    def intervals(
        self, statistic: Callable[..., Sequence[Floats]], data: Sequence[Floats], cluster: Integers
    ) -> list[Interval]:
        """Each value of a statistic of ``data``, which share their first axis, (n, …), with its interval.

        ``statistic`` takes them with leading axes, (…, n, …), and returns data of the leading shape. Those of a ``cluster`` (n,) are
        drawn together, so resamples may differ in size; the statistic takes those of one size together.
        """
        picked = (np.repeat(np.arange(len(cluster)), times) for times in self.draws(cluster))
        at_once = max(1, BLOCK // max(1, sum(array.size for array in data)))
        values: list[Floats] = []
        while several := list(itertools.islice(picked, at_once)):
            made: dict[int, Floats] = {}
            for members in grouped((len(places), i) for i, places in enumerate(several)).values():
                together = np.stack([several[i] for i in members])
                found = np.stack(statistic(*(array[together] for array in data)), axis=-1)
                made.update(zip(members, found, strict=True))
            values += [made[i] for i in range(len(several))]
        return [self.interval(of) for of in np.stack(values).T]

    def draws(self, cluster: Integers) -> Iterator[Counts]:
        """How often all data, then each resample, have each entry; those of a cluster are drawn together. Shapes: (n,), (n,) each."""
        number = first_met(cluster)[1]
        yield np.ones(len(number), dtype=np.int64)
        for times in itertools.chain.from_iterable(self._bootstrap(int(number.max()) + 1).weights()):
            yield times[number]

    def _bootstrap(self, records: int) -> Bootstrap:
        """The resamples; none of fewer than two records."""
        return Bootstrap(records, self.n_resamples if records > 1 else 0, self.seed)


DRAWS = Resampling()
"""The default resampling of the commands."""
