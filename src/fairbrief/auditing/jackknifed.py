"""The values of systems and slices with each jackknife unit left out: what intervals and tests are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fairbrief.auditing.observing import BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.statistics import ratio
from fairbrief.statistics.jackknife import Spreads, groups_of, leave_one_out, spreads
from fairbrief.types import Column, Floats, Integers, Measure, Totals, Value

EXCESS = "excess"
"""Name of the quantity: a mean of records less its mean over permutations."""


@dataclass(frozen=True)
class Units:
    """Sums by jackknife unit, clusters or groups of clusters where they are many, of parts that have as many units.

    Shapes: ``sums`` (parts, units, columns); ``names`` (parts,) of (units,), keys for random signs.
    """

    columns: Mapping[Column, int]
    sums: Floats
    names: Sequence[tuple[str, ...]]
    clusters: Floats
    """The sums by cluster. Shape (parts, clusters, columns)."""

    @cached_property
    def total(self) -> Totals:
        """All sums of each part."""
        return Totals(self.columns, self.sums.sum(axis=1))

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
    """The jackknife units of one part's cluster sums."""
    group = groups_of(clusters, seed)
    if group is None:
        return Units(columns, sums[np.newaxis], [clusters], sums[np.newaxis])
    grouped = np.zeros((int(group.max()) + 1, sums.shape[1]))
    np.add.at(grouped, group, sums)
    names = tuple(str(g) for g in range(len(grouped)))
    return Units(columns, grouped[np.newaxis], [names], sums[np.newaxis])


def together(several: Sequence[Units]) -> Units:
    """Parts that have as many units, and as many clusters, side by side."""
    if len(several) == 1:
        return several[0]
    first, names = several[0], [name for units in several for name in units.names]
    sums = clusters = np.concatenate([units.sums for units in several])
    if first.clusters.shape != first.sums.shape:
        clusters = np.concatenate([units.clusters for units in several])
    return Units(first.columns, sums, names, clusters)


Found = Mapping[str, Value]


@dataclass(frozen=True)
class Jackknifed:
    """A measure's values on all units, without each, and of each alone; with the excess where there is one."""

    measure: Measure
    units: Units
    _spreads: dict[str, Spreads] = field(default_factory=dict)

    @cached_property
    def here(self) -> Found:
        """On all units: arrays (parts,)."""
        return with_excess(self.measure, self.units.total)

    @cached_property
    def without(self) -> Found:
        """Without each unit: arrays (parts, units)."""
        return with_excess(self.measure, self.units.without)

    @cached_property
    def alone(self) -> Found:
        """Of each unit alone: arrays (parts, units)."""
        return with_excess(self.measure, self.units.alone)

    def read(self, name: str) -> Floats:
        """A value of each part. Shape (parts,)."""
        return np.broadcast_to(self.here[name].array, len(self.units.sums))

    def spreads(self, name: str) -> Spreads:
        """How far a value varies in each part."""
        if name not in self._spreads:
            self._spreads[name] = self._spread(name, self.read(name), self.without[name].array)
        return self._spreads[name]

    def _spread(self, name: str, here: Floats, without: Floats) -> Spreads:
        shape = self.units.sums.shape[:2]
        alone = np.broadcast_to(self.alone[name].array, shape)
        return spreads(here, np.broadcast_to(without, shape), alone, self._strata(name))

    def _strata(self, name: str) -> Integers | None:
        """The kind of each unit, by which of the value's groups it has anything of; None where units are of one kind."""
        columns = self.here[name].strata
        if not columns:
            return None
        has = np.stack([self.units.alone[c] > 0 for c in columns], axis=-1)
        return np.asarray(has @ (1 << np.arange(len(columns))), dtype=np.int64)

    @cached_property
    def of_extracts(self) -> tuple[Found, Found]:
        """What random extracts read: on all units, and without each."""
        return tuple(self.measure.value(t.part(OF_EXTRACTS)) for t in (self.units.total, self.units.without))  # type: ignore[return-value]

    @cached_property
    def beside_extracts(self) -> tuple[Found, Found]:
        """What the system reads on the units' records that have extracts: on all units, and without each."""
        return tuple(self.measure.value(_with_extracts(t)) for t in (self.units.total, self.units.without))  # type: ignore[return-value]

    def less_extracts(self, name: str) -> Spreads | None:
        """The value less that of random extracts, nan where either is undefined; None where it is never read."""
        (a, a_without), (b, b_without) = self.beside_extracts, self.of_extracts
        if name not in a or name not in b:
            return None
        gap = np.broadcast_to(a[name].array - b[name].array, len(self.units.sums))
        return self._spread(name, gap, a_without[name].array - b_without[name].array)


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
