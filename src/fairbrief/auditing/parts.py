"""The rows of one system and slice, summed by cluster and by jackknife unit: what is estimated from."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairbrief.auditing.jackknifed import ClusterRows, Held, Units, summed, units_of, units_of_rows
from fairbrief.auditing.ledger import WHOLE, Ledger, Origin, Slice, systems_of
from fairbrief.types import Floats, Integers, SystemKind


@dataclass(frozen=True)
class Part:
    """The rows of one system and slice: their ``clusters``, how many ``rows``, and their sums by jackknife unit.

    ``members`` tells which rows make up each cluster. ``blocks`` are the rows summed by sampled variant, and the cluster of
    each variant, where originals have several.
    """

    ledger: Ledger
    system: str
    slice: Slice
    clusters: tuple[str, ...]
    rows: int
    units: Units
    members: ClusterRows
    system_kind: SystemKind = "system"
    blocks: tuple[Floats, Integers] | None = None

    @cached_property
    def sums(self) -> Floats:
        """The rows, summed by cluster. Shape (clusters, columns). Of a large part this is much."""
        are_units = not self.units.clusters
        return self.units.sums[0] if are_units else self.members.of(self.members.source.matrix())


def parts_of(ledger: Ledger, slices: Sequence[Slice], seed: int = 0) -> dict[tuple[str, Slice], Part]:
    """The rows of every system, whole and by slice; ``seed`` deals clusters to jackknife units where they are many."""
    origins, systems = ledger.kept(), systems_of([ledger])
    places: dict[tuple[str, Slice], array[int]] = {
        (system, part): array("q") for system in systems for part in (WHOLE, *slices)
    }
    for i, origin in enumerate(origins):
        for part in (WHOLE, *origin.slices):
            if (origin.system, part) in places:
                places[origin.system, part].append(i)
    found = [_gathered(ledger, np.array(chosen, dtype=np.int64), origins) for chosen in places.values()]
    units = units_of_rows(ledger.columns, [m for m, _ in found], [names for _, names in found], seed)
    blocks = _blocks(ledger, [m for m, _ in found], origins)
    return {
        key: Part(ledger, *key, names, len(members.chosen), own, members, systems[key[0]], of_blocks)
        for key, (members, names), own, of_blocks in zip(places, found, units, blocks, strict=True)
    }


def _blocks(
    ledger: Ledger, several: Sequence[ClusterRows], origins: Sequence[Origin]
) -> list[tuple[Floats, Integers] | None]:
    """The rows of each part summed by sampled variant, and each one's cluster; None where no original has several."""
    matrix: Floats | None = None
    found: list[tuple[Floats, Integers] | None] = [None] * len(several)
    for k, members in enumerate(several):
        if members.cluster is None:
            continue
        codes: dict[tuple[str, str], int] = {}
        names = ((origins[i].cluster, origins[i].block) for i in members.chosen.tolist())
        block = np.fromiter(
            (codes.setdefault(name, len(codes)) for name in names), np.int64, len(members.chosen)
        )
        of_block = np.zeros(len(codes), dtype=np.int64)
        of_block[block] = members.cluster
        if len(codes) > int(members.cluster.max()) + 1:
            matrix = ledger.matrix() if matrix is None else matrix
            found[k] = summed(matrix[members.chosen], block, len(codes)), of_block
    return found


def _gathered(
    ledger: Ledger, chosen: Integers, origins: Sequence[Origin]
) -> tuple[ClusterRows, tuple[str, ...]]:
    """Which clusters some rows belong to, in the order in which these are met."""
    names = [origins[i].cluster for i in chosen.tolist()]
    if all(a < b for a, b in itertools.pairwise(names)):  # as a settled ledger mostly has them
        return ClusterRows(ledger, chosen), tuple(names)
    codes: dict[str, int] = {}
    cluster = np.fromiter((codes.setdefault(name, len(codes)) for name in names), np.int64, len(names))
    return ClusterRows(ledger, chosen, cluster if len(codes) < len(names) else None), tuple(codes)


def part_of_sums(
    ledger: Ledger,
    system: str,
    sums: Floats,
    clusters: tuple[str, ...],
    seed: int,
    *,
    rows: int,
    system_kind: SystemKind = "system",
) -> Part:
    """All of a system, from the sums of its clusters by the ledger's columns. Shape of ``sums``: (clusters, columns)."""
    members = ClusterRows(Held(sums), np.arange(len(sums)))
    units = units_of(ledger.columns, sums, clusters, seed)
    return Part(ledger, system, WHOLE, clusters, rows, units, members, system_kind)
