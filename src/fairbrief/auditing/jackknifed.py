"""The values of one system and slice with each jackknife unit left out: what intervals and tests are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairbrief.auditing.observing import BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.statistics import ratio
from fairbrief.statistics.jackknife import Spread, groups_of, leave_one_out, spread
from fairbrief.types import Column, Floats, Integers, Measure, Totals, Value

EXCESS = "excess"
"""Name of the quantity: a mean of records less its mean over permutations."""


@dataclass(frozen=True)
class Units:
    """Sums by jackknife unit: clusters, or groups of clusters where they are many.

    Shape of ``sums``: (units, columns); ``names`` (units,) are keys for random signs.
    """

    columns: Mapping[Column, int]
    sums: Floats
    names: tuple[str, ...]

    @cached_property
    def total(self) -> Totals:
        """All sums."""
        return Totals(self.columns, self.sums.sum(axis=0))

    @cached_property
    def without(self) -> Totals:
        """The sums without each unit."""
        return Totals(self.columns, leave_one_out(self.sums))

    @property
    def alone(self) -> Totals:
        """The sums of each unit."""
        return Totals(self.columns, self.sums)

    @property
    def has_extracts(self) -> bool:
        """Whether random extracts were observed."""
        return any(c[0] == OF_EXTRACTS for c in self.columns)


def units_of(columns: Mapping[Column, int], sums: Floats, clusters: tuple[str, ...], seed: int) -> Units:
    """The jackknife units of cluster sums."""
    group = groups_of(clusters, seed)
    if group is None:
        return Units(columns, sums, clusters)
    grouped = np.zeros((int(group.max()) + 1, sums.shape[1]))
    np.add.at(grouped, group, sums)
    return Units(columns, grouped, tuple(str(g) for g in range(len(grouped))))


@dataclass(frozen=True)
class Jackknifed:
    """A measure's values on all units, without each, and of each alone; with the excess where there is one."""

    measure: Measure
    units: Units

    @cached_property
    def here(self) -> Mapping[str, Value]:
        return with_excess(self.measure, self.units.total)

    @cached_property
    def without(self) -> Mapping[str, Value]:
        return with_excess(self.measure, self.units.without)

    @cached_property
    def alone(self) -> Mapping[str, Value]:
        return with_excess(self.measure, self.units.alone)

    def spread(self, name: str) -> Spread:
        """How far a value varies."""
        m = len(self.units.sums)
        without, alone = (np.broadcast_to(found[name].array, m) for found in (self.without, self.alone))
        return spread(self.here[name].array, without, alone, self._strata(name))

    def _strata(self, name: str) -> Integers | None:
        """The kind of each unit, by which of the value's groups it has anything of; None where units are of one kind."""
        columns = self.here[name].strata
        if not columns:
            return None
        has = np.stack([self.units.alone[c] > 0 for c in columns], axis=1)
        return np.asarray(has @ (1 << np.arange(len(columns))), dtype=np.int64)

    @cached_property
    def of_extracts(self) -> tuple[Mapping[str, Value], Mapping[str, Value]]:
        """What random extracts read: on all units, and without each."""
        return tuple(self.measure.value(t.part(OF_EXTRACTS)) for t in (self.units.total, self.units.without))  # type: ignore[return-value]

    @cached_property
    def beside_extracts(self) -> tuple[Mapping[str, Value], Mapping[str, Value]]:
        """What the system reads on the units' records that have extracts: on all units, and without each."""
        return tuple(self.measure.value(_with_extracts(t)) for t in (self.units.total, self.units.without))  # type: ignore[return-value]

    def less_extracts(self, name: str) -> Spread | None:
        """The value less that of random extracts; None where either is undefined."""
        (a, a_without), (b, b_without) = self.beside_extracts, self.of_extracts
        if name not in a or name not in b:
            return None
        gap = np.asarray(a[name].array - b[name].array)
        if not np.isfinite(gap):
            return None
        m = len(self.units.sums)
        without = np.broadcast_to(a_without[name].array - b_without[name].array, m)
        return spread(gap, without, np.broadcast_to(self.alone[name].array, m), self._strata(name))


def with_excess(measure: Measure, totals: Totals) -> dict[str, Value]:
    """The measure's values, and the excess of its headline over chance where that is a mean of records."""
    values = dict(measure.value(totals))
    headline = values.get(measure.name)
    if headline is not None and headline.mean_of is not None:
        column, count = headline.mean_of
        by_chance = (BY_CHANCE, *column)
        if by_chance in totals.columns:
            excess = ratio(totals[column] - totals[by_chance], totals[count])
            values[EXCESS] = Value(excess, leads_differences=True)
    return values


def _with_extracts(totals: Totals) -> Totals:
    """The sums of the records that have extracts: all, less what the others put aside."""
    left = totals.part(WITHOUT_EXTRACTS)
    if not left.columns:
        return totals
    kept = [c for c in totals.columns if c[0] not in (OF_EXTRACTS, WITHOUT_EXTRACTS, BY_CHANCE)]
    return Totals({c: i for i, c in enumerate(kept)}, np.stack([totals[c] - left[c] for c in kept], axis=-1))
