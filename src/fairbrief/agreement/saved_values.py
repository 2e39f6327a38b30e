"""The evidence of saved audits, summary by summary, and the values of measures on any part of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.auditing.evidence_ledgers import ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.reports.result import Result
from fairbrief.statistics import Bootstrap
from fairbrief.types import Column, Floats, Integers, Measure, Totals

Key = tuple[str, str, str]
"""System, cluster and record of one summary."""


@dataclass(frozen=True, slots=True)
class SavedValues:
    """The evidence of one measure: a row for each summary that it could read. Shape of ``rows``: (summaries, columns)."""

    measure: Measure
    columns: dict[Column, int]
    places: dict[Key, int]
    rows: Floats

    def stacked(self, keys: Iterable[Key]) -> Floats:
        """The rows of summaries. Shape (keys, columns)."""
        return self.rows[[self.places[key] for key in keys]]

    def values(self, sums: Floats) -> Floats:
        """The headline of summed rows. Shape (…, columns) → (…)."""
        found = self.measure.value(Totals(self.columns, sums))[self.measure.name]
        return np.asarray(found.array, dtype=np.float64)

    def of_systems(self, keys: Sequence[Key], systems: Sequence[str], bootstrap: Bootstrap | None) -> Floats:
        """Each system's value over its ``keys``: as it is, then by resample of clusters. Shape (1 + resamples, systems)."""
        rows, cluster = self.stacked(keys), clusters_of(keys)
        found = []
        for system in systems:
            sums = np.zeros((int(cluster.max()) + 1, rows.shape[1]))
            chosen = [i for i, key in enumerate(keys) if key[0] == system]
            np.add.at(sums, cluster[chosen], rows[chosen])
            drawn = [
                sums.sum(axis=0, keepdims=True),
                *([] if bootstrap is None else [bootstrap.totals(sums)]),
            ]
            found.append(self.values(np.concatenate(drawn)))
        return np.stack(found, axis=-1)


def clusters_of(keys: Sequence[Key]) -> Integers:
    """The number of each summary's cluster, in the order in which they are met. Shape (keys,)."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(cluster, len(known)) for _, cluster, _ in keys], dtype=np.int64)


def specs_in(results: Iterable[Result]) -> list[str]:
    """The specs of all measures that the audits took, in order."""
    return list(dict.fromkeys(spec for result in results for spec in result.rows.measures()))


def saved_values(results: Iterable[Result], specs: Collection[str]) -> dict[str, SavedValues]:
    """The evidence of these measures; controls are left out. Of a summary in several audits the last one's counts."""
    pieces: dict[str, list[tuple[Measure, Ledger]]] = {spec: [] for spec in specs}
    for result in results:
        for ledger, measures in ledgers_from(result.rows, wanted=specs):
            for measure in measures:
                pieces[repr(measure)].append((measure, ledger))
    return {spec: _joined(several) for spec, several in pieces.items()}


def _joined(pieces: Sequence[tuple[Measure, Ledger]]) -> SavedValues:
    columns: dict[Column, int] = {}
    for _, ledger in pieces:
        for column in ledger.columns:
            columns.setdefault(column, len(columns))
    places: dict[Key, int] = {}
    rows: list[Floats] = []
    for _, ledger in pieces:
        origins, matrix = ledger.kept(), ledger.matrix()
        kinds, known = origins.kinds()
        named = zip(kinds.tolist(), origins.clusters(), origins.records(), strict=True)
        first = sum(map(len, rows))
        for i, (kind, cluster, record) in enumerate(named, first):
            if known[kind].system_kind == "system":
                places[known[kind].system, cluster, record] = i
        rows.append(np.zeros((len(matrix), len(columns))))
        rows[-1][:, [columns[column] for column in ledger.columns]] = matrix
    return SavedValues(pieces[0][0], columns, places, np.concatenate(rows))
