"""The evidence of saved audits, summary by summary, and the values of measures on any part of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from fairbrief.auditing.evidence import ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.origins import Names, names_of, side_by_side
from fairbrief.reports.frames import plain_numbers
from fairbrief.reports.result import Result
from fairbrief.statistics import Bootstrap
from fairbrief.types import Column, Floats, Integers, Measure, Totals


@dataclass(frozen=True, slots=True)
class SavedValues:
    """The evidence of one measure: a row for each summary that it could read, in the order in which they are met.

    Shapes: ``systems`` are the names, ``system`` (n,) the number of each one's; ``clusters`` (n,); ``records`` (n,), cluster and
    record side by side; ``rows`` (n, columns).
    """

    measure: Measure
    columns: dict[Column, int]
    systems: Sequence[str]
    system: Integers
    clusters: Names
    records: Names
    rows: Floats

    def summaries(self) -> Names:
        """What tells each from all others, to be compared, not to be read. Shape (n,)."""
        return side_by_side(names_of(self.systems).of(self.system), self.records)

    def of_system(self, system: str) -> Integers:
        """The places of a system's summaries. Shape (k,)."""
        return np.flatnonzero(self.system == (self.systems.index(system) if system in self.systems else -1))

    def of_each(self) -> Floats:
        """The headline of each summary. Shape (n,)."""
        return self.values(self.rows)

    def values(self, sums: Floats) -> Floats:
        """The headline of summed rows. Shape (…, columns) → (…)."""
        found = self.measure.value(Totals(self.columns, sums))[self.measure.name]
        return np.asarray(found.array, dtype=np.float64)

    def of_systems(
        self, chosen: Sequence[Integers], clusters: Sequence[Integers], bootstrap: Bootstrap | None
    ) -> Floats:
        """Each system's value over its own summaries: as it is, then by resample of clusters. Shape (1 + resamples, systems).

        By system: the places of its summaries, and the number of each one's cluster.
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
    """The places of the summaries that both could read, in the order of the first: there, and in the second. Shapes: (n,)."""
    place = a.summaries().places_in(b.summaries())
    own = np.flatnonzero(place >= 0)
    return own, place[own]


def specs_in(results: Iterable[Result]) -> list[str]:
    """The specs of all measures that the audits took, in order."""
    return list(dict.fromkeys(spec for result in results for spec in result.rows.measures()))


def saved_values(results: Iterable[Result], specs: Collection[str]) -> dict[str, SavedValues]:
    """The evidence of these measures; controls are left out. Of a summary in several audits the last one's counts."""
    pieces: dict[str, tuple[Ledger, ...]] = dict.fromkeys(specs, ())
    known: dict[str, Measure] = {}
    for result in results:
        for ledger, measures in ledgers_from(result.rows, wanted=specs):
            for measure in measures:
                known[repr(measure)] = measure
                pieces[repr(measure)] += (ledger,)
    of_same_rows: dict[tuple[int, ...], SavedValues] = {}
    found = {}
    for spec, ledgers in pieces.items():
        rows = tuple(map(id, ledgers))
        if rows not in of_same_rows:
            of_same_rows[rows] = _joined(known[spec], ledgers)
        found[spec] = replace(of_same_rows[rows], measure=known[spec])
    return found


def _joined(measure: Measure, ledgers: Sequence[Ledger]) -> SavedValues:
    columns: dict[Column, int] = {}
    systems: dict[str, int] = {}
    chosen, system, clusters, records = zip(
        *(_of_systems(ledger, systems) for ledger in ledgers), strict=True
    )
    for ledger in ledgers:
        for column in ledger.columns:
            columns.setdefault(column, len(columns))
    several = [
        side_by_side(names_of(systems).of(number), own) for number, own in zip(system, records, strict=True)
    ]
    every = pa.concat_arrays([names.encoded for names in several]).dictionary_encode()
    # Numbered in the order in which they are met; of equal ones the last is kept.
    last = np.zeros(len(every.dictionary), dtype=np.int64)
    last[plain_numbers(pa.chunked_array([every.indices]))] = np.arange(len(every))
    rows = np.zeros((len(last), len(columns)))
    ends = np.cumsum([0, *map(len, chosen)])
    for own, ledger, (first, end) in zip(chosen, ledgers, pairwise(ends), strict=True):
        here = np.flatnonzero((last >= first) & (last < end))
        for column, k in ledger.columns.items():
            rows[here, columns[column]] = ledger.matrix([k])[own[last[here] - first], 0]
    kept = [Names(pa.concat_arrays([own.encoded for own in of])).of(last) for of in (clusters, records)]
    return SavedValues(measure, columns, list(systems), np.concatenate(system)[last], kept[0], kept[1], rows)


def _of_systems(ledger: Ledger, systems: dict[str, int]) -> tuple[Integers, Integers, Names, Names]:
    """The rows of a ledger that are of no control: their places, the numbers of their systems, which are added to those
    known, their clusters, and these with their records.
    """
    origins = ledger.kept()
    kinds, known = origins.kinds()
    chosen = np.flatnonzero(np.array([kind.system_kind == "system" for kind in known])[kinds])
    origins = origins.of(chosen)
    kinds, known = origins.kinds()
    number = np.array([systems.setdefault(kind.system, len(systems)) for kind in known], dtype=np.int64)
    clusters = origins.clusters()
    return chosen, number[kinds], clusters, side_by_side(clusters, origins.records())
