"""The records that a reader should see: where each measure's headline is largest."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.auditing.ledger import Ledger, Origin
from fairbrief.nouns import Case, Column, Floats, Measure, Observation, Rows, Totals
from fairbrief.reports.result import Exhibit

TOGETHER = 256
"""Units whose headlines are asked for at once."""
NEAR = 1e-9
"""Headlines that are nearer than this (relatively) are alike: the earlier case is kept."""

Ranked = tuple[float, int, float, Totals, Case, float]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A unit whose headlines are not yet known."""

    origin: Origin
    case: Case
    columns: tuple[Column, ...]
    row: Floats
    p: float
    number: int


@dataclass
class Exhibits:
    """Keeps, for every measure and system, the few cases with the largest headline."""

    readers: dict[Observation, list[Measure]]
    most: int = 5
    _best: dict[tuple[Measure, str], list[Ranked]] = field(default_factory=dict)
    _waiting: dict[Observation, list[_Waiting]] = field(default_factory=dict)
    _seen: int = 0

    def consider(self, ledger: Ledger, origin: Origin, case: Case, rows: Rows, p: float) -> None:
        """Keep the case if it is among the largest of a measure that reads this row."""
        self._seen += 1
        waiting = self._waiting.setdefault(ledger.observation, [])
        waiting.append(_Waiting(origin, case, rows.columns, rows.values[0].copy(), p, self._seen))
        if len(waiting) >= TOGETHER:
            self._settle(ledger.observation)

    def _settle(self, observation: Observation) -> None:
        """Ask each measure for many headlines at once, then look closely at those that may be kept."""
        waiting = self._waiting.pop(observation, [])
        if not waiting:
            return
        columns = {c: i for i, c in enumerate(dict.fromkeys(c for unit in waiting for c in unit.columns))}
        array = np.zeros((len(waiting), len(columns)))
        for i, unit in enumerate(waiting):
            array[i, [columns[c] for c in unit.columns]] = unit.row
        for measure in self.readers.get(observation, ()):
            headline = measure.value(Totals(columns, array))[measure.name]
            if headline.tail is None:
                continue
            sizes = np.abs(np.broadcast_to(headline.array, len(waiting)))
            for unit, size in zip(waiting, sizes.tolist(), strict=True):
                if math.isfinite(size) and size > self._bar(measure, unit.origin.system):
                    self._rank(measure, unit)

    def _bar(self, measure: Measure, system: str) -> float:
        """What a headline must exceed to be kept."""
        best = self._best.get((measure, system), [])
        return best[0][0] * (1 + NEAR) if len(best) >= self.most else 0.0

    def _rank(self, measure: Measure, unit: _Waiting) -> None:
        # Alone, so that no last digit, and so no tie, depends on the rows beside it.
        totals = Totals({column: i for i, column in enumerate(unit.columns)}, unit.row)
        value = float(measure.value(totals)[measure.name].array)
        if not np.isfinite(value) or value == 0:
            return
        best = self._best.setdefault((measure, unit.origin.system), [])
        # Earlier cases win ties, so that the choice does not depend on the batch size.
        ranked = (abs(value), -unit.number, value, totals, unit.case, unit.p)
        if len(best) < self.most:
            heapq.heappush(best, ranked)
        elif ranked[:2] > best[0][:2]:
            heapq.heapreplace(best, ranked)

    def shown(self, systems: Sequence[str]) -> Iterable[Exhibit]:
        """The kept cases, largest first, system by system."""
        for observation in list(self._waiting):
            self._settle(observation)
        # In the order in which the measures were asked for, whichever was ranked first.
        order = {m: i for i, m in enumerate(m for several in self.readers.values() for m in several)}
        for (measure, system), best in sorted(self._best.items(), key=lambda kept: order[kept[0][0]]):
            if system not in systems:
                continue
            for _, _, value, totals, case, p in sorted(best, key=lambda r: r[:2], reverse=True):
                yield Exhibit(
                    repr(measure), system, value, measure.explain(totals), case, None if np.isnan(p) else p
                )
