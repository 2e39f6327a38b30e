"""The values of systems and subgroups with each jackknife unit left out: what intervals and tests are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS
from fairbrief.statistics import jackknife, ratio
from fairbrief.types import Column, Floats, Integers, Measure, Ratio, Totals, Value

AT_ONCE = 1 << 21
"""Numbers that are unpacked at once, where a column of all rows has no more."""
CHANCE_ADJUSTED = "chance_adjusted"
"""Name of the quantity: a mean of records less its mean over permutations."""


@dataclass(frozen=True, slots=True)
class ClusterRows:
    """The rows of a ledger that form each cluster.

    Shapes: ``chosen`` (n,) row indices; ``cluster`` (n,) the cluster of each row, None if each row is one cluster; ``groups``
    (clusters,) the jackknife group of each cluster, which means nothing where clusters are few.
    """

    source: Ledger
    chosen: Integers
    cluster: Integers | None
    groups: jackknife.GroupNumbers

    def of(self, matrix: Floats) -> Floats:
        """The sums by cluster of some columns of all rows of the source. Shape: (clusters, columns)."""
        rows = matrix if len(self.chosen) == len(matrix) else matrix[self.chosen]
        if self.cluster is None:
            return rows
        return summed(rows, self.cluster, int(self.cluster.max(initial=-1)) + 1)

    def of_clusters(self, wanted: Integers) -> ClusterRows:
        """Some of the clusters, in this order. Shape: (clusters,)."""
        if self.cluster is None and (wanted[1:] > wanted[:-1]).all():
            return ClusterRows(self.source, self.chosen[wanted], None, self.groups[wanted])
        cluster = np.arange(len(self.chosen)) if self.cluster is None else self.cluster
        number = np.full(int(cluster.max(initial=-1)) + 1, -1)
        number[wanted] = np.arange(len(wanted))
        is_wanted = number[cluster] >= 0
        return ClusterRows(
            self.source, self.chosen[is_wanted], number[cluster[is_wanted]], self.groups[wanted]
        )


@dataclass(frozen=True)
class Units:
    """Sums by jackknife unit, clusters or groups of clusters where they are many, of parts that have as many units.

    Shapes: ``sums`` (parts, units, columns); ``names`` (parts,) of (units,), keys for random signs; ``clusters`` (parts,),
    where units are groups of these, all of one ledger.
    """

    columns: Mapping[Column, int]
    sums: Floats
    names: Sequence[tuple[str, ...]]
    clusters: Sequence[ClusterRows] = ()

    @cached_property
    def total(self) -> Totals:
        """All sums of each part."""
        return Totals(self.columns, self.sums.sum(axis=1))

    @cached_property
    def without(self) -> Totals:
        """The sums without each unit."""
        return Totals(self.columns, jackknife.leave_one_out(self.sums))

    @property
    def alone(self) -> Totals:
        """The sums of each unit."""
        return Totals(self.columns, self.sums)

    @property
    def has_extracts(self) -> bool:
        """Whether random extracts were observed."""
        return any(c[0] == OF_EXTRACTS for c in self.columns)

    def of(self, places: Integers) -> Units:
        """Those of some of the parts."""
        if len(places) == len(self.sums):
            return self
        names = [self.names[i] for i in places.tolist()]
        clusters = [self.clusters[i] for i in places.tolist()] if self.clusters else ()
        return Units(self.columns, self.sums[places], names, clusters)

    def moments(self, contrast: Ratio) -> Floats:
        r"""Of the top t and the bottom b of a contrast by cluster: Σt, Σb, Σt², Σtb, Σb² and the largest \|t\|. Shape (parts, 6)."""
        names = {column for column, _ in (*contrast.top, *contrast.bottom)}
        found = []
        for clusters in self.by_cluster(names):
            top, bottom = clusters.weighted(contrast.top), clusters.weighted(contrast.bottom)
            pairs = ((top, top), (top, bottom), (bottom, bottom))
            squares = [(a[:, np.newaxis] @ b[:, :, np.newaxis])[:, 0, 0] for a, b in pairs]
            sums, largest = [top.sum(axis=1), bottom.sum(axis=1)], np.abs(top).max(axis=1, initial=0.0)
            found.append(np.stack([*sums, *squares, largest], axis=-1))
        return np.concatenate(found)

    def clusters_with(self, columns: Sequence[Column]) -> Integers:
        """In how many clusters each column is above 0. Shape (parts, columns)."""
        found = [
            np.stack([(clusters[c] > 0).sum(axis=1) for c in columns], axis=-1)
            for clusters in self.by_cluster(set(columns))
        ]
        return np.concatenate(found)

    def by_cluster(self, names: AbstractSet[Column]) -> Iterator[Totals]:
        """Some columns by cluster: of all parts at once, or part by part where units are groups of clusters."""
        if not self.clusters:
            yield self.alone
            return
        places = [i for column, i in self.columns.items() if column in names]
        columns = {column: k for k, column in enumerate(c for c in self.columns if c in names)}
        matrix = self.clusters[0].source.matrix(places)
        for clusters in self.clusters:
            yield Totals(columns, clusters.of(matrix)[np.newaxis])


def summed(rows: Floats, group: jackknife.GroupNumbers, groups: int) -> Floats:
    """Rows summed by group, one after another. Shapes: (n, columns), (n,) → (groups, columns)."""
    columns = rows.shape[1]
    # Cell by cell, which is several times as fast as row by row.
    cells = np.add.outer(group.astype(np.int64) * columns, np.arange(columns)).reshape(-1)
    sums = np.zeros(groups * columns)
    np.add.at(sums, cells, rows.reshape(-1))
    return sums.reshape(groups, columns)


def units_of_rows(members: Sequence[ClusterRows], clusters: Sequence[Sequence[str]]) -> list[Units]:
    """The jackknife units of several parts of one source, some columns at a time, so that little is unpacked at once."""
    if not members:
        return []
    ledger = members[0].source
    distinct, alike = np.unique(ledger.first_alike(), return_inverse=True)
    groups = [
        of.groups if len(n) > jackknife.ONE_BY_ONE else None for of, n in zip(members, clusters, strict=True)
    ]
    sizes = (len(n) if g is None else int(g.max()) + 1 for n, g in zip(clusters, groups, strict=True))
    sums = [np.zeros((size, len(distinct))) for size in sizes]
    step = max(1, AT_ONCE // max(1, len(ledger)))
    for start in range(0, len(distinct), step):
        some = slice(start, start + step)
        matrix = ledger.matrix(distinct[some].tolist())
        for own, of, group in zip(sums, members, groups, strict=True):
            found = of.of(matrix)
            own[:, some] = found if group is None else summed(found, group, len(own))
    units = []
    for own, of, names, group in zip(sums, members, clusters, groups, strict=True):
        keys = names if group is None else map(str, range(len(own)))
        of_groups = () if group is None else [of]
        units.append(Units(ledger.columns, own.take(alike, axis=1)[np.newaxis], [tuple(keys)], of_groups))
    return units


def together(several: Sequence[Units]) -> Units:
    """Parts that have as many units side by side; all of clusters, or all of groups of clusters."""
    if len(several) == 1:
        return several[0]
    names = [n for units in several for n in units.names]
    clusters = [c for units in several for c in units.clusters]
    return Units(several[0].columns, np.concatenate([units.sums for units in several]), names, clusters)


Found = Mapping[str, Value]


class Readings(NamedTuple):
    """One value of each part, or a difference of two: on all units, without each, of each alone, and by each map of a calibrated scorer.

    Shapes: (parts,), (parts, units) twice, and (parts, maps), or None without maps.
    """

    here: Floats
    left: Floats
    alone: Floats
    by_map: Floats | None = None

    def and_other(self, other: Readings, sign: float = -1.0) -> Readings:
        """The difference from another on the same units, with ``sign`` 1 the sum. Published odds may be infinite in both: it is nan."""
        one, two, by_map = self.by_map, other.by_map, None
        with np.errstate(invalid="ignore"):
            if one is not None and two is not None and one.shape == two.shape:
                by_map = one + sign * two  # the maps of a scorer are the same for both
            here, left, alone = (a + sign * b for a, b in zip(self[:3], other[:3], strict=True))
        return Readings(here, left, alone, by_map)

    def spreads(self, kinds: Integers | None = None) -> jackknife.Spreads:
        """How far the value varies in each part; ``kinds`` (parts, units) are those of the units."""
        found = jackknife.spreads(self.here, self.left, self.alone, kinds)
        return jackknife.with_uncertain_scores(found, self.by_map)


@dataclass(frozen=True)
class Jackknifed:
    """A measure's values on all units, without each unit, and of each unit alone; with the chance-adjusted score if there is one."""

    measure: Measure
    units: Units
    maps: Totals | None = None
    """The sums by each map of a calibrated scorer, with the leading axes (parts, maps)."""
    _spreads: dict[str, tuple[jackknife.Spreads, jackknife.Spreads]] = field(default_factory=dict)

    @property
    def here(self) -> Found:
        """On all units: arrays (parts,)."""
        return self._plain[0]

    @cached_property
    def _plain(self) -> tuple[Found, ...]:
        return self._of(lambda totals: totals)

    @cached_property
    def _beside_extracts(self) -> tuple[Found, ...]:
        return self._of(_with_extracts)

    @cached_property
    def _of_extracts(self) -> tuple[Found, ...]:
        return self._of(lambda totals: totals.part(OF_EXTRACTS))

    @cached_property
    def _alone(self) -> Found:
        return with_chance_adjusted(self.measure, self.units.alone)

    def _of(self, some: Callable[[Totals], Totals]) -> tuple[Found, ...]:
        """The values of some of the sums: on all units, without each, and by each map if there are maps."""
        several = (self.units.total, self.units.without, *(() if self.maps is None else (self.maps,)))
        return tuple(with_chance_adjusted(self.measure, some(totals)) for totals in several)

    def readings(self, name: str) -> Readings:
        """A value. By map a chance-adjusted score is the main value, since its baseline shifts equally."""
        return self._readings(name, self._plain)

    def of_extracts(self, name: str) -> Readings | None:
        """The value for random extracts; None if there is none."""
        return self._readings(name, self._of_extracts) if name in self._of_extracts[0] else None

    def less_extracts(self, name: str) -> Readings | None:
        """The value less that of random extracts, nan where either is undefined; None if there is none."""
        random = self.of_extracts(name)
        return random and self._readings(name, self._beside_extracts).and_other(random)

    def _readings(self, name: str, found: tuple[Found, ...]) -> Readings:
        shape, (here, left, *by_map) = self.units.sums.shape[:2], found
        moved = self.measure.name if name == CHANCE_ADJUSTED else name
        return Readings(
            np.broadcast_to(here[name].array, shape[0]),
            np.broadcast_to(left[name].array, shape),
            np.broadcast_to(self._alone[name].array, shape),
            np.broadcast_to(by_map[0][moved].array, self.maps.array.shape[:2])
            if self.maps is not None and moved in by_map[0]
            else None,
        )

    def spreads(self, name: str) -> jackknife.Spreads:
        """How far a value varies in each part, with an error that is at least that of equal groups."""
        return self._widened_and_observed(name)[0]

    def hidden_error(self, name: str) -> Floats | float:
        """The squared error that `spreads` adds to that of the jackknife. Shape: (parts,)."""
        if not (self.here[name].shares or self.here[name].groups):
            return 0.0
        widened, observed = self._widened_and_observed(name)
        return np.asarray(widened.error**2 - observed.error**2)

    def _widened_and_observed(self, name: str) -> tuple[jackknife.Spreads, jackknife.Spreads]:
        if name not in self._spreads:
            value = self.here[name]
            found = observed = self.readings(name).spreads(self.strata(name))
            if value.shares:
                found = self._as_if_equal(name, found)
            if value.groups:
                here, left = (np.stack(of[name].groups) for of in self._plain[:2])
                hidden = jackknife.hidden_error(found, here[..., np.newaxis] - left, self.items(name))
                found = jackknife.with_more_error(found, hidden)
            self._spreads[name] = found, observed
        return self._spreads[name]

    def _as_if_equal(self, name: str, found: jackknife.Spreads) -> jackknife.Spreads:
        """The spreads of a value that compares shares, with an error that is at least that of equal shares."""
        first, *others = (self.readings(share) for share in self.here[name].shares)
        if not others:
            reference = first.and_other(self.readings(name))
            found = jackknife.with_null_share(found, first.spreads(), reference.spreads())
            return self._as_if_lost_equally(name, found, reference)
        one, other = first.spreads(), others[0].spreads()
        gap = jackknife.with_null_share(first.and_other(others[0]).spreads(), one, other)
        return jackknife.at_most_as_certain(found, jackknife.with_null_share(gap, other, one))

    def _as_if_lost_equally(
        self, name: str, found: jackknife.Spreads, reference: Readings
    ) -> jackknife.Spreads:
        """The spreads with the error that is missing if what is lost happens to have too little of a group."""
        if not (value := self.here[name]).lost:
            return found
        share, per_kept = value.lost
        lost = Readings(share, self._plain[1][name].lost[0], self._alone[name].lost[0])
        gap = lost.and_other(reference).spreads()
        equal = jackknife.with_null_share(gap, lost.spreads(), reference.spreads())
        return jackknife.with_more_error(found, per_kept**2 * (equal.error**2 - gap.error**2))

    def items(self, name: str) -> Floats:
        """What each unit has of each of the value's groups, where groups are in different units. Shape (parts, units, groups)."""
        return np.stack([self.units.alone[c] for c in self.here[name].strata], axis=-1)

    def strata(self, name: str) -> Integers | None:
        """The kind of each unit, by which of the value's groups it has anything of; None where units are of one kind."""
        if not (columns := self.here[name].strata):
            return None
        return np.asarray((self.items(name) > 0) @ (1 << np.arange(len(columns))), dtype=np.int64)


def with_chance_adjusted(measure: Measure, totals: Totals) -> dict[str, Value]:
    """The measure's values, and the chance-adjusted score of its main value over chance where that is a mean of records."""
    values = dict(measure.value(totals))
    main_value = values.get(measure.name)
    if main_value is not None and main_value.mean_of is not None:
        column, count = main_value.mean_of
        if (BY_CHANCE, *column) in totals.columns:
            by_chance = totals[BY_CHANCE, *column]
            values[CHANCE_ADJUSTED] = Value(ratio(totals[column] - by_chance, totals[count]))
    return values


def from_extracts(measure: Measure, totals: Totals) -> dict[str, Floats]:
    """The primary group differences by name, minus the random-sentence baseline, over the leading axes of the totals.

    On rows with extracts; nan if there are none. A group difference without a baseline is unchanged.
    """
    primary = {name: value for name, value in measure.value(totals).items() if value.is_primary}
    found = {name: value.array for name, value in primary.items()}
    if any(c[0] == OF_EXTRACTS for c in totals.columns):
        beside, random = measure.value(_with_extracts(totals)), measure.value(totals.part(OF_EXTRACTS))
        with np.errstate(invalid="ignore"):  # published odds may be infinite in both
            for name in (name for name, value in primary.items() if value.is_compared):
                is_known = name in beside and name in random
                found[name] = beside[name].array - random[name].array if is_known else np.nan * found[name]
    return found


def _with_extracts(totals: Totals) -> Totals:
    """The sums of the records that have extracts: all, less what the others put aside."""
    left = totals.part(WITHOUT_EXTRACTS)
    if not left.columns:
        return totals
    kept = [c for c in totals.columns if c[0] not in (OF_EXTRACTS, WITHOUT_EXTRACTS, BY_CHANCE)]
    return Totals({c: i for i, c in enumerate(kept)}, np.stack([totals[c] - left[c] for c in kept], axis=-1))
