"""The records that a reader should see: where each measure's headline is largest."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.auditing.ledger import Ledger, Origin
from fairbrief.nouns import Case, Measure, Observation, Rows, Totals
from fairbrief.reports.result import Exhibit

Ranked = tuple[float, int, float, Totals, Case, float]


@dataclass
class Exhibits:
    """Keeps, for every measure and system, the few cases with the largest headline."""

    readers: dict[Observation, list[Measure]]
    most: int = 5
    _best: dict[tuple[Measure, str], list[Ranked]] = field(default_factory=dict)
    _seen: int = 0

    def consider(self, ledger: Ledger, origin: Origin, case: Case, rows: Rows, p: float) -> None:
        """Keep the case if it is among the largest of a measure that reads this row."""
        totals = Totals({column: i for i, column in enumerate(rows.columns)}, rows.values[0])
        self._seen += 1
        for measure in self.readers.get(ledger.observation, ()):
            headline = measure.value(totals)[measure.name]
            value = float(headline.array)
            if headline.tail is None or not np.isfinite(value) or value == 0:
                continue
            best = self._best.setdefault((measure, origin.system), [])
            # Earlier cases win ties, so that the choice does not depend on the batch size.
            ranked = (abs(value), -self._seen, value, totals, case, p)
            if len(best) < self.most:
                heapq.heappush(best, ranked)
            elif ranked[:2] > best[0][:2]:
                heapq.heapreplace(best, ranked)

    def shown(self, systems: Sequence[str]) -> Iterable[Exhibit]:
        """The kept cases, largest first, system by system."""
        for (measure, system), best in self._best.items():
            if system not in systems:
                continue
            for _, _, value, totals, case, p in sorted(best, key=lambda r: r[:2], reverse=True):
                yield Exhibit(
                    repr(measure), system, value, measure.explain(totals), case, None if np.isnan(p) else p
                )
