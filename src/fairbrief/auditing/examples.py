"""The records that a reader should see: where each measure's headline is largest."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fairbrief.auditing.grouping import place_of
from fairbrief.auditing.ledger import Sheet, Written
from fairbrief.auditing.observing import Unit
from fairbrief.reports.result import Exhibit
from fairbrief.types import Case, Cases, Column, Floats, Measure, Observation, Totals

ALIKE = 30
"""Headlines that are alike to so many binary digits are tied: the case whose names come first is kept."""
NEAR = 1e-12
"""How far a headline that was found among others' may lie from the same found alone."""

Key = tuple[str, ...]
Ranked = tuple[float, Key, float, Totals, Case, float]
"""Size of the headline (negative, to `ALIKE`) and names, by which cases are ranked; headline, row, case and p."""


@dataclass
class Exhibits:
    """Keeps, for every measure and system, the few cases with the largest headline, whichever came first."""

    readers: dict[Observation, list[Measure]]
    most: int = 5
    _best: dict[tuple[Measure, str], list[Ranked]] = field(default_factory=dict)

    def consider(self, observation: Observation, sheet: Sheet, units: Sequence[Unit]) -> None:
        """Keep the cases of a sheet that are among the largest of a measure that reads it.

        Each measure is asked for all headlines at once; those that may be kept are looked at closely.
        """
        names = list(sheet.columns)
        alike: dict[bytes, list[Written]] = {}
        for block in sheet.blocks():
            alike.setdefault(block[1].tobytes(), []).append(block)
        for several in alike.values():
            places, rows = (
                np.concatenate([own for own, _, _ in several]),
                np.concatenate([own for *_, own in several]),
            )
            columns = {names[position]: j for j, position in enumerate(several[0][1])}
            written = [units[i] for i in places.tolist()]
            ps = np.frombuffer(sheet.ps)[places] if sheet.ps else np.full(len(places), np.nan)
            for measure in self.readers.get(observation, ()):
                headline = measure.value(Totals(columns, rows))[measure.name]
                if headline.tail is not None:
                    self._rank_some(measure, np.asarray(headline.array), columns, rows, written, ps)

    def _rank_some(
        self,
        measure: Measure,
        headlines: Floats,
        columns: Mapping[Column, int],
        rows: Floats,
        units: Sequence[Unit],
        ps: Floats,
    ) -> None:
        """Look closely at those of some units that may be kept. Shapes: ``headlines`` and ``ps`` (units,), ``rows`` (units, columns)."""
        sizes = np.abs(np.broadcast_to(headlines, len(units)))
        at_most = _rounded(sizes * (1 + NEAR))
        usable = np.flatnonzero(np.isfinite(sizes) & (sizes > 0))
        largest_first = usable[np.argsort(-sizes[usable], kind="stable")]  # they leave few to look at
        open_systems = {origin.system for _, origin in units}  # of which there may be more to keep
        for i in largest_first.tolist():
            if not open_systems:
                break
            unit = units[i]
            system = unit[1].system
            if system not in open_systems:
                continue
            best = self._best.setdefault((measure, system), [])
            if len(best) == self.most and -at_most[i] > best[-1][0]:
                open_systems.remove(system)
                continue
            key = place_of(unit)
            if len(best) < self.most or (-at_most[i], key) < best[-1][:2]:
                # Alone, so that no last digit, and so no tie, depends on the rows beside it.
                self._rank(measure, system, key, Totals(columns, rows[i].copy()), unit[0], float(ps[i]))

    def of(self, measures: Collection[Measure]) -> Exhibits:
        """What is kept for some measures alone."""
        best = {kept: ranked for kept, ranked in self._best.items() if kept[0] in measures}
        return Exhibits({}, self.most, best)

    def merge(self, other: Exhibits) -> None:
        """Keep of what was kept of other cases what is among the largest of all."""
        for (measure, system), best in other._best.items():
            for ranked in best:
                self._keep(measure, system, ranked)

    def place(self, in_file: Callable[[str], str]) -> None:
        """Say of every kept case where it stands in its file, instead of in a part of it."""
        for best in self._best.values():
            best[:] = [(*rank, _placed(case, in_file), p) for *rank, case, p in best]  # type: ignore[misc]

    def _rank(self, measure: Measure, system: str, key: Key, totals: Totals, cases: Cases, p: float) -> None:
        value = float(measure.value(totals)[measure.name].array)
        if not np.isfinite(value) or value == 0:
            return
        case = next(case for case in cases if not case.summary.reason)
        size = float(_rounded(np.asarray(abs(value))))
        self._keep(measure, system, (-size, key, value, totals, case, p))

    def _keep(self, measure: Measure, system: str, ranked: Ranked) -> None:
        best = self._best.setdefault((measure, system), [])
        bisect.insort(best, ranked, key=lambda r: r[:2])
        del best[self.most :]

    def shown(self, systems: Sequence[str]) -> Iterable[Exhibit]:
        """The kept cases, largest first, system by system."""
        # In the order in which the measures were asked for, whichever was ranked first.
        order = {m: i for i, m in enumerate(m for several in self.readers.values() for m in several)}
        for (measure, system), best in sorted(
            self._best.items(), key=lambda kept: (order[kept[0][0]], kept[0][1])
        ):
            if system not in systems:
                continue
            for _, _, value, totals, case, p in best:
                yield Exhibit(
                    repr(measure), system, value, measure.explain(totals), case, None if np.isnan(p) else p
                )


def _placed(case: Case, in_file: Callable[[str], str]) -> Case:
    return replace(case, record=replace(case.record, where=in_file(case.record.where)))


def _rounded(sizes: Floats) -> Floats:
    """Sizes to `ALIKE` binary digits."""
    mantissa, exponent = np.frexp(sizes)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissa, ALIKE)), exponent - ALIKE))
