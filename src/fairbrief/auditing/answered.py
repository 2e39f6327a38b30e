"""Which clusters several systems answered, and what each reads on those that all of them did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.auditing.jackknifed import ClusterRows, Units, units_of_rows
from fairbrief.auditing.origins import Names, united
from fairbrief.auditing.parts import Part
from fairbrief.statistics.jackknife import groups_of
from fairbrief.types import Integers


@dataclass(frozen=True, slots=True)
class Answered:
    """The clusters of several parts, and where each stands in each part: -1 where it did not answer. Shapes: (clusters,)."""

    parts: Sequence[Part]
    clusters: Names
    places: Sequence[Integers]

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Answered:
        """What these parts answered."""
        clusters = united([part.clusters for part in parts])
        return cls(parts, clusters, [clusters.places_in(part.clusters) for part in parts])

    def by_all(self, several: Sequence[int]) -> Integers:
        """The clusters that all of these parts answered, in the order of the first of them; none of no part. Shape (common,)."""
        if not several:
            return np.zeros(0, dtype=np.int64)
        common = np.flatnonzero(np.all([self.places[i] >= 0 for i in several], axis=0))
        return common[np.argsort(self.places[several[0]][common])]

    def with_extracts(self, several: Sequence[int], common: Integers) -> Integers:
        """Those of these clusters of which each of the parts has random extracts, in their order."""
        there = [self.parts[i].has_extracts[self.places[i][common]] for i in several]
        return common[np.all(there, axis=0)]

    def units(self, several: Sequence[int], common: Integers, seed: int) -> dict[int, Units]:
        """The jackknife units of some of the parts, all of one ledger, on these clusters alone."""
        names, found, large = self.clusters.of(common), dict[int, Units](), dict[int, ClusterRows]()
        for i in several:
            part, chosen = self.parts[i], self.places[i][common]
            if np.array_equal(chosen, np.arange(len(part.clusters))):
                found[i] = part.units
            elif part.units.clusters:
                large[i] = part.members.of_clusters(chosen)
            else:
                found[i] = Units(part.ledger.columns, part.units.sums[:, chosen], [tuple(names)])
        if large:
            columns, many, groups = self.parts[min(large)].ledger.columns, len(large), groups_of(names, seed)
            units = units_of_rows(columns, list(large.values()), [names] * many, [groups] * many)
            found |= zip(large, units, strict=True)
        return found


def units_in_common(parts: Sequence[Part], seed: int) -> tuple[list[Units], int]:
    """The jackknife units of each part on the clusters that all of them answered, and how many these are."""
    answered, every = Answered.of(parts), range(len(parts))
    common = answered.by_all(every)
    return [answered.units([i], common, seed)[i] for i in every], len(common)
