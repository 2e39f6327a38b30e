"""The records that a reader should see: where each measure's main value is largest."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fairbrief.auditing.grouping import place_of
from fairbrief.auditing.ledger import Ledger, Written
from fairbrief.auditing.observing import Unit
from fairbrief.reports.result import TopCase
from fairbrief.types import Case, Column, Floats, Integers, Measure, Observation, Totals

ALIKE = 30
"""Main values that agree in this many binary digits are tied; the case whose names sort first wins."""
NEAR = 1e-12
"""Tolerance between a main value computed in a batch and the same value computed alone."""
Key = tuple[str, ...]
Ranked = tuple[float, Key, float, Totals, Case, float]
"""Sort key: absolute main value (negative, rounded to `ALIKE`) and names; then main value, row, case and p."""


class _Candidates(NamedTuple):
    """Units of one observation with the same columns.

    Shapes: ``rows`` (units, columns), ``ps`` (units,) of the tests of single units, nan without a test.
    """

    columns: Mapping[Column, int]
    rows: Floats
    units: Sequence[Unit]
    ps: Floats


@dataclass
class TopCases:
    """The cases with the largest absolute main values, per measure and system; the order of arrival does not matter."""

    readers: dict[Observation, list[Measure]]
    most: int = 5
    _best: dict[tuple[Measure, str], list[Ranked]] = field(default_factory=dict)

    def offer(self, observation: Observation, sheet: Ledger, units: Sequence[Unit]) -> None:
        """Offer the cases of a ledger to each measure that uses it."""
        names, ps = list(sheet.columns), sheet.ps if len(sheet.ps) else np.full(len(units), np.nan)
        alike: dict[tuple[int, ...], list[Written]] = {}
        for written in sheet.pending:
            alike.setdefault(tuple(written[1].tolist()), []).append(written)
        for positions, several in alike.items():
            places = np.concatenate([of for of, _, _ in several])
            candidates = _Candidates(
                {names[position]: j for j, position in enumerate(positions)},
                np.concatenate([rows for _, _, rows in several]),
                [units[i] for i in places.tolist()],
                ps[places],
            )
            systems = [origin.system for _, origin in candidates.units]
            places_of = {one: np.flatnonzero([one == system for system in systems]) for one in set(systems)}
            for measure in self.readers.get(observation, ()):
                main_value = measure.value(Totals(candidates.columns, candidates.rows))[measure.name]
                if main_value.tail is not None:
                    sizes = np.abs(np.broadcast_to(main_value.array, len(places)))
                    for system, own in places_of.items():
                        self._rank_some(measure, system, candidates, sizes, own)

    def _rank_some(
        self, measure: Measure, system: str, candidates: _Candidates, sizes: Floats, places: Integers
    ) -> None:
        """Compute the exact values of the units of a system that may be among the top cases. Shapes: ``sizes`` (all units,), ``places`` (n,)."""
        at_most = _rounded(sizes[places] * (1 + NEAR))
        best = self._best.setdefault((measure, system), [])
        least, last = (-best[-1][0], best[-1][1][0]) if len(best) == self.most else (0.0, "")
        usable = np.flatnonzero(np.isfinite(at_most) & (at_most > 0) & (at_most >= least))
        ranked = sorted(
            (-size, place_of(candidates.units[i]), i)
            for size, i in zip(at_most[usable].tolist(), places[usable].tolist(), strict=True)
            # Among ties with the last top case, a later cluster loses.
            if size > least or candidates.units[i][1].cluster <= last
        )
        for size, key, i in ranked:
            if len(best) == self.most and (size, key) >= best[-1][:2]:
                break
            # Computed alone, so that no last digit, and no tie, depends on other rows of the batch.
            totals = Totals(candidates.columns, candidates.rows[i].copy())
            value = float(measure.value(totals)[measure.name].array)
            if np.isfinite(value) and value != 0:
                case = next(case for case in candidates.units[i][0] if not case.summary.reason)
                rank = -float(_rounded(np.asarray(abs(value))))
                self._keep(measure, system, (rank, key, value, totals, case, float(candidates.ps[i])))

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
