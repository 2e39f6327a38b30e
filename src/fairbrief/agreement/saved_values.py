"""The evidence of saved audits, record by record, and the values of measures on any part of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.auditing.evidence_ledgers import ledgers_from
from fairbrief.auditing.ledger import Ledger
from fairbrief.reports.result import Result
from fairbrief.types import Floats, Measure

Key = tuple[str, str, str]
"""System, cluster and record of one summary."""


@dataclass
class SavedValues:
    """The evidence of one measure spec: the rows of each (system, cluster) by record."""

    measure: Measure
    ledger: Ledger
    rows: dict[tuple[str, str], dict[str, Floats]] = field(default_factory=dict)

    def summaries(self) -> list[Key]:
        """Every summary that the measure could read."""
        return [(*key, record) for key, rows in self.rows.items() for record in rows]

    def holds(self, key: Key) -> bool:
        """Whether the measure could read a summary."""
        return key[2] in self.rows.get(key[:2], {})

    def stacked(self, keys: Sequence[Key]) -> Floats:
        """The rows of summaries. Shape (summaries, columns)."""
        rows = np.zeros((len(keys), len(self.ledger.columns)))
        for i, (system, cluster, record) in enumerate(keys):
            row = self.rows[system, cluster][record]
            rows[i, : len(row)] = row
        return rows

    def values(self, sums: Floats) -> Floats:
        """The headline of summed rows. Shape (…, columns) → (…)."""
        return np.asarray(
            self.measure.value(self.ledger.totals(sums))[self.measure.name].array, dtype=np.float64
        )

    def of_systems(
        self, keys: Sequence[Key], systems: Sequence[str], clusters: Sequence[str], weights: Floats | None
    ) -> Floats:
        """Each system's value over its ``keys``: as it is, then by resample. Shape (1 + resamples, systems)."""
        place = {cluster: i for i, cluster in enumerate(clusters)}
        rows = self.stacked(keys)
        found = []
        for system in systems:
            sums = np.zeros((len(clusters), rows.shape[1]))
            chosen = [i for i, key in enumerate(keys) if key[0] == system]
            np.add.at(sums, [place[keys[i][1]] for i in chosen], rows[chosen])
            drawn = [sums.sum(axis=0, keepdims=True), *([weights @ sums] if weights is not None else [])]
            found.append(self.values(np.concatenate(drawn)))
        return np.stack(found, axis=-1)


def saved_values(results: Iterable[Result]) -> dict[str, SavedValues]:
    """The evidence of saved audits by measure spec; controls are left out."""
    found: dict[str, SavedValues] = {}
    for result in results:
        for ledger, measures in ledgers_from(result.rows):
            origins, matrix = ledger.kept(), ledger.matrix()
            for measure in measures:
                known = found.setdefault(repr(measure), SavedValues(measure, ledger))
                columns = known.ledger.columns
                place = [columns.setdefault(c, len(columns)) for c in ledger.columns]
                for origin, row in zip(origins, matrix, strict=True):
                    if origin.system_kind != "system":
                        continue
                    placed = np.zeros(len(columns))
                    placed[place] = row
                    known.rows.setdefault((origin.system, origin.cluster), {})[origin.record] = placed
    return found
