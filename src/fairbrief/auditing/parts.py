"""The rows of one system and subgroup, summed by cluster and by jackknife unit, from which estimates are made.

`CommonClusters` has the clusters that several systems have in common.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairbrief.auditing.jackknifed import ClusterRows, Units, summed, units_of_rows
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import OF_EXTRACTS
from fairbrief.auditing.origins import WHOLE, Key, Names, Origins, Subgroup, first_met, systems_of, united
from fairbrief.auditing.system_runs import RUN
from fairbrief.statistics.jackknife import ONE_BY_ONE, GroupNumbers
from fairbrief.types import Floats, Integers, SystemKind, Totals

Blocks = tuple[Floats, Integers]
"""Rows summed by sampled counterfactual, and the cluster of each."""


@dataclass(frozen=True)
class Part:
    """The rows of one system and subgroup: their ``clusters``, how many ``rows``, and their sums by jackknife unit.

    ``members`` are the rows of each cluster. ``blocks`` are the rows summed by sampled counterfactual, with the cluster of
    each, where seed documents have several.
    """

    ledger: Ledger
    system: str
    subgroup: Subgroup
    clusters: Names
    rows: int
    units: Units
    members: ClusterRows
    system_kind: SystemKind = "system"
    blocks: Blocks | None = None

    @cached_property
    def sums(self) -> Floats:
        """The rows, summed by cluster. Shape (clusters, columns). Of a large part this is much."""
        are_units = not self.units.clusters
        return self.units.sums[0] if are_units else self.members.of(self.ledger.matrix())

    @cached_property
    def has_extracts(self) -> NDArray[np.bool_]:
        """Which clusters have a row with random extracts. Shape (clusters,)."""
        found = np.zeros(len(self.clusters), dtype=np.bool_)
        for column in (column for column in self.ledger.columns if column[0] == OF_EXTRACTS):
            (clusters,) = self.units.by_cluster({column})
            found |= clusters[column][0] != 0
        return found


def maps_of(parts: Sequence[Part]) -> Totals | None:
    """The sums of parts by each map of a calibrated scorer, with the leading axes (parts, maps); None where one has none."""
    each = [part.ledger.of_maps((part.system, part.subgroup)) for part in parts]
    if not all(totals.columns for totals in each):
        return None
    columns = {c: i for i, c in enumerate(sorted({c for totals in each for c in totals.columns}))}
    many = min(len(totals.array) for totals in each)
    sums = [np.stack([totals[c][:many] for c in columns], axis=-1) for totals in each]
    return Totals(columns, np.stack(sums))


def parts_of(ledger: Ledger, subgroups: Sequence[Subgroup], seed: int = 0) -> dict[Key, Part]:
    """The rows of every system, whole and by subgroup; ``seed`` assigns clusters to jackknife units if there are many."""
    origins, systems = ledger.kept(), systems_of([ledger.origins])
    clusters, rows_of = origins.clusters, origins.by_subgroup()
    nothing, codes = np.zeros(0, dtype=np.int64), clusters.codes()
    groups = np.zeros(len(codes), dtype=np.uint8)
    if codes.max(initial=-1) >= ONE_BY_ONE:
        groups = ledger.origins.groups(seed)[ledger.reasons == 0]
    found: dict[Key, tuple[ClusterRows, Names]] = {}
    for key in itertools.product(systems, (WHOLE, *subgroups)):
        chosen = rows_of.get(key, nothing)
        rows, first = _rows(ledger, chosen, codes[chosen], groups[chosen])
        found[key] = rows, clusters.of(chosen[first])
    del codes, rows_of
    members, names = zip(*found.values(), strict=True) if found else ((), ())
    units = units_of_rows(members, names)
    each = zip(found, names, units, members, _blocks(ledger, members, origins), strict=True)
    return {
        key: Part(ledger, *key, of_part, len(rows.chosen), own, rows, systems[key[0]], blocks)
        for key, of_part, own, rows, blocks in each
    }


def _rows(
    ledger: Ledger, chosen: Integers, cluster: Integers, groups: GroupNumbers
) -> tuple[ClusterRows, Integers]:
    """Rows with the cluster and the jackknife group of each, and the first row of each cluster. Shapes: (n,) and (clusters,)."""
    first, code = first_met(cluster)
    return ClusterRows(ledger, chosen, code if len(first) < len(code) else None, groups[first]), first


def _blocks(ledger: Ledger, several: Sequence[ClusterRows], origins: Origins) -> list[Blocks | None]:
    """The rows of each part summed by sampled variant, and each one's cluster; None where no seed document has several."""
    matrix: Floats | None = None
    found: list[Blocks | None] = [None] * len(several)
    for k, members in enumerate(several):
        if members.cluster is None:
            continue
        own = origins.block[members.chosen]
        first, block = first_met(members.cluster * len(origins.known_blocks) + own)
        if len(first) > int(members.cluster.max()) + 1:
            matrix = ledger.matrix() if matrix is None else matrix
            found[k] = summed(matrix[members.chosen], block, len(first)), members.cluster[first]
    return found


@dataclass(frozen=True)
class CommonClusters:
    """The clusters of several parts, and the index of each in each part: -1 if it is absent. Shapes: (clusters,)."""

    parts: Sequence[Part]
    clusters: Names
    places: Sequence[Integers]

    @classmethod
    def of(cls, parts: Sequence[Part]) -> CommonClusters:
        """What these parts answered: in clusters of several records, only the records that all answered.

        Otherwise a system that refused the hard records of its clusters would look better than one that summarized them. All
        records count if fewer than half of the common clusters have a common one, or fewer than two.
        """
        found = cls._of(parts)
        if any(part.members.cluster is not None for part in parts):
            records = [_records_of(part) for part in parts]
            are_common = [np.all([of.places_in(others) >= 0 for others in records], axis=0) for of in records]
            limited = cls._of(list(map(_limited, parts, are_common)))
            if len(limited.common) >= max(2, len(found.common) / 2):
                return limited
        return found

    @classmethod
    def _of(cls, parts: Sequence[Part]) -> CommonClusters:
        clusters = united([part.clusters for part in parts])
        return cls(parts, clusters, [clusters.places_in(part.clusters) for part in parts])

    @cached_property
    def common(self) -> Integers:
        """The clusters that all parts answered, in the order of the first of them. Shape (common,)."""
        common = np.flatnonzero(np.all([places >= 0 for places in self.places], axis=0))
        return common[np.argsort(self.places[0][common])]

    @cached_property
    def records(self) -> int:
        """How many records the common clusters have, in the part in which they have fewest."""
        members = (
            part.members.of_clusters(place[self.common])
            for part, place in zip(self.parts, self.places, strict=True)
        )
        return min(len(of.chosen) for of in members)

    @cached_property
    def units(self) -> list[Units]:
        """The jackknife units of each part, on the common clusters only."""
        return [self.units_of(i, self.common) for i in range(len(self.parts))]

    def with_extracts(self, several: Sequence[int]) -> Integers:
        """The common clusters for which each of these parts has random extracts, in order."""
        there = [self.parts[i].has_extracts[self.places[i][self.common]] for i in several]
        return self.common[np.all(there, axis=0)]

    def units_of(self, i: int, common: Integers) -> Units:
        """The jackknife units of a part, on these clusters only."""
        part, chosen = self.parts[i], self.places[i][common]
        if np.array_equal(chosen, np.arange(len(part.clusters))):
            return part.units
        names = self.clusters.of(common)
        if not part.units.clusters:
            return Units(part.ledger.columns, part.units.sums[:, chosen], [tuple(names)])
        return units_of_rows([part.members.of_clusters(chosen)], [names])[0]


def _records_of(part: Part) -> Names:
    """The record of each row; the runs of one record are one."""
    origins = part.ledger.origins.of(np.flatnonzero(part.ledger.reasons == 0)[part.members.chosen])
    if any(name == RUN for kind in origins.known_kinds for pairs in kind.subgroups for name, _ in pairs):
        return Names(pc.replace_substring_regex(origins.records.encoded, r"#[0-9]+$", ""))
    return origins.records


def _limited(part: Part, is_wanted: NDArray[np.bool_]) -> Part:
    """A part with only these of its rows. Shape: (rows,)."""
    if is_wanted.all():
        return part
    members = part.members
    cluster = np.arange(part.rows) if members.cluster is None else members.cluster
    kept = cluster[is_wanted]
    rows, first = _rows(part.ledger, members.chosen[is_wanted], kept, members.groups[kept])
    names = part.clusters.of(kept[first])
    (units,) = units_of_rows([rows], [names])
    return replace(part, clusters=names, rows=len(kept), units=units, members=rows)
