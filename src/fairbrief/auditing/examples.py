"""The records that a reader should see: where each measure's main value is largest."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fairbrief.auditing.grouping import place_of
from fairbrief.auditing.ledger import Ledger, Written
from fairbrief.auditing.observing import Unit
from fairbrief.reports.result import TopCase
from fairbrief.types import Case, Floats, Measure, Observation, Totals

ALIKE = 30
"""Main values that agree in this many binary digits are tied; the case whose names sort first wins."""
Key = tuple[str, ...]
Ranked = tuple[float, Key, float, Totals, Case, float]
"""Sort key: absolute main value (negative, rounded to `ALIKE`) and names; then main value, row, case and p."""


@dataclass
class TopCases:
    """The cases with the largest absolute main values, per measure and system; the order of arrival does not matter."""

    readers: dict[Observation, list[Measure]]
    most: int = 5
    _best: dict[tuple[Measure, str], list[Ranked]] = field(default_factory=dict)

    def offer(self, observation: Observation, rows: Ledger, units: Sequence[Unit]) -> None:
        """Offer the units of a ledger, whose rows are not packed, to each measure that uses it."""
        names, ps = list(rows.columns), rows.ps if len(rows.ps) else np.full(len(units), np.nan)
        alike: dict[tuple[int, ...], list[Written]] = {}
        for written in rows.pending:
            alike.setdefault(tuple(written[1].tolist()), []).append(written)
        for positions, several in alike.items():
            places = np.concatenate([of for of, _, _ in several])
            totals = Totals(
                {names[position]: j for j, position in enumerate(positions)},
                np.concatenate([values for _, _, values in several]),
            )
            systems = [units[i][1].system for i in places.tolist()]
            places_of = {one: np.flatnonzero([one == system for system in systems]) for one in set(systems)}
            for measure in self.readers.get(observation, ()):
                main_value = measure.value(totals)[measure.name]
                if main_value.tail is None:
                    continue
                sizes = _rounded(np.abs(np.broadcast_to(main_value.array, len(places))))
                for system, chosen in places_of.items():
                    best = self._best.setdefault((measure, system), [])
                    least = -best[-1][0] if len(best) == self.most else 0.0
                    own = sizes[chosen]
                    usable = chosen[np.isfinite(own) & (own > 0) & (own >= least)].tolist()
                    ranked = ((-sizes[j], place_of(units[places[j]]), j) for j in usable)
                    for _, key, j in heapq.nsmallest(self.most, ranked):
                        row = Totals(totals.columns, totals.array[j].copy())
                        self._offer(measure, system, key, row, units[places[j]], float(ps[places[j]]))

    def _offer(self, measure: Measure, system: str, key: Key, row: Totals, unit: Unit, p: float) -> None:
        # Computed alone, so that no last digit, and no tie, depends on other rows of the batch.
        value = float(measure.value(row)[measure.name].array)
        if np.isfinite(value) and value != 0:
            case = next(case for case in unit[0] if not case.summary.reason)
            rank = -float(_rounded(np.asarray(abs(value))))
            self._keep(measure, system, (rank, key, value, row, case, p))

    def merge(self, other: TopCases) -> None:
        """Merge the top cases of another run."""
        for (measure, system), best in other._best.items():
            for ranked in best:
                self._keep(measure, system, ranked)

    def _keep(self, measure: Measure, system: str, ranked: Ranked) -> None:
        best = self._best.setdefault((measure, system), [])
        bisect.insort(best, ranked, key=lambda r: r[:2])
        del best[self.most :]

    def shown(self, systems: Sequence[str]) -> Iterable[TopCase]:
        """The top cases by system, largest first."""
        # In the order of the requested measures.
        order = {m: i for i, m in enumerate(m for several in self.readers.values() for m in several)}
        for (measure, system), best in sorted(
            self._best.items(), key=lambda kept: (order[kept[0][0]], kept[0][1])
        ):
            if system not in systems:
                continue
            for _, _, value, totals, case, p in best:
                yield TopCase(
                    repr(measure), system, value, measure.explain(totals), case, None if np.isnan(p) else p
                )


def _rounded(sizes: Floats) -> Floats:
    """Sizes rounded to `ALIKE` binary digits."""
    mantissa, exponent = np.frexp(sizes)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissa, ALIKE)), exponent - ALIKE))
