"""The records that a reader should see: where each measure's headline is largest."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.auditing.ledger import Sheet
from fairbrief.auditing.observing import Unit
from fairbrief.nouns import Case, Cases, Measure, Observation, Totals
from fairbrief.reports.result import Exhibit

NEAR = 1e-9
"""Headlines that are nearer than this (relatively) are alike: the earlier case is kept."""

Ranked = tuple[float, int, float, Totals, Case, float]


@dataclass
class Exhibits:
    """Keeps, for every measure and system, the few cases with the largest headline."""

    readers: dict[Observation, list[Measure]]
    most: int = 5
    _best: dict[tuple[Measure, str], list[Ranked]] = field(default_factory=dict)
    _seen: int = 0

    def consider(self, observation: Observation, sheet: Sheet, units: Sequence[Unit]) -> None:
        """Keep the cases of a sheet that are among the largest of a measure that reads it.

        Each measure is asked for all headlines at once; those that may be kept are looked at closely.
        """
        written = [
            (unit, *row, p) for unit, (row, p) in zip(units, sheet.rows(), strict=True) if row is not None
        ]
        if not written:
            return
        array = np.zeros((len(written), len(sheet.columns)))
        for i, (_, places, numbers, _) in enumerate(written):
            array[i, places] = numbers
        names = list(sheet.columns)
        for measure in self.readers.get(observation, ()):
            headline = measure.value(Totals(sheet.columns, array))[measure.name]
            if headline.tail is None:
                continue
            sizes = np.abs(np.broadcast_to(headline.array, len(written)))
            for i in np.flatnonzero(np.isfinite(sizes) & (sizes > 0)).tolist():
                (cases, origin), places, numbers, p = written[i]
                if sizes[i] > self._bar(measure, origin.system):
                    # Alone, so that no last digit, and so no tie, depends on the rows beside it.
                    alone = Totals({names[place]: j for j, place in enumerate(places)}, numbers)
                    self._rank(measure, origin.system, alone, cases, p, self._seen + i)
        self._seen += len(written)

    def _bar(self, measure: Measure, system: str) -> float:
        """What a headline must exceed to be kept."""
        best = self._best.get((measure, system), [])
        return best[0][0] * (1 + NEAR) if len(best) >= self.most else 0.0

    def _rank(
        self, measure: Measure, system: str, totals: Totals, cases: Cases, p: float, number: int
    ) -> None:
        value = float(measure.value(totals)[measure.name].array)
        if not np.isfinite(value) or value == 0:
            return
        best = self._best.setdefault((measure, system), [])
        case = next(case for case in cases if not case.summary.reason)
        # Earlier cases win ties, so that the choice does not depend on how they are parted.
        ranked = (abs(value), -number, value, totals, case, p)
        if len(best) < self.most:
            heapq.heappush(best, ranked)
        elif ranked[:2] > best[0][:2]:
            heapq.heapreplace(best, ranked)

    def shown(self, systems: Sequence[str]) -> Iterable[Exhibit]:
        """The kept cases, largest first, system by system."""
        # In the order in which the measures were asked for, whichever was ranked first.
        order = {m: i for i, m in enumerate(m for several in self.readers.values() for m in several)}
        for (measure, system), best in sorted(self._best.items(), key=lambda kept: order[kept[0][0]]):
            if system not in systems:
                continue
            for _, _, value, totals, case, p in sorted(best, key=lambda r: r[:2], reverse=True):
                yield Exhibit(
                    repr(measure), system, value, measure.explain(totals), case, None if np.isnan(p) else p
                )
