"""The rows of one system and slice, summed by cluster: what is estimated from."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing.ledger import WHOLE, Ledger, Origin, Slice, systems_of
from fairbrief.types import Floats, Integers, SystemKind


@dataclass(frozen=True)
class Part:
    """The rows of one system and slice, summed by cluster. Shape of ``sums``: (clusters, columns).

    ``blocks`` sums them by sampled variant, with the cluster of each, where originals have several.
    ``chosen`` (rows,) are the places of its rows in the ledger's matrix.
    """

    ledger: Ledger
    system: str
    slice: Slice
    sums: Floats
    clusters: tuple[str, ...]
    rows: int
    blocks: tuple[Floats, Integers] | None = None
    chosen: Integers | None = None
    system_kind: SystemKind = "system"


def parts_of(ledger: Ledger, slices: Sequence[Slice]) -> dict[tuple[str, Slice], Part]:
    """The rows of every system, whole and by slice."""
    origins, matrix = ledger.kept(), ledger.matrix()
    systems = systems_of([ledger])
    places: dict[tuple[str, Slice], array[int]] = {
        (system, part): array("q") for system in systems for part in (WHOLE, *slices)
    }
    for i, origin in enumerate(origins):
        for part in (WHOLE, *origin.slices):
            if (origin.system, part) in places:
                places[origin.system, part].append(i)
    return {
        (system, part): replace(
            _part(ledger, system, part, np.array(chosen, dtype=np.int64), origins, matrix),
            system_kind=systems[system],
        )
        for (system, part), chosen in places.items()
    }


def _part(
    ledger: Ledger, system: str, part: Slice, chosen: Integers, origins: Sequence[Origin], matrix: Floats
) -> Part:
    codes: dict[str, int] = {}
    cluster = np.fromiter(
        (codes.setdefault(origins[i].cluster, len(codes)) for i in chosen), np.int64, len(chosen)
    )
    rows = matrix[chosen] if len(chosen) < len(matrix) else matrix
    sums = _summed(rows, cluster, len(codes)) if len(codes) < len(chosen) else rows
    blocks = _blocks(rows, cluster, chosen, origins)
    return Part(ledger, system, part, sums, tuple(codes), len(chosen), blocks, chosen)


def _blocks(
    rows: Floats, cluster: Integers, chosen: Integers, origins: Sequence[Origin]
) -> tuple[Floats, Integers] | None:
    """Rows summed by sampled variant, and each one's cluster; None if no original has several."""
    if int(cluster.max(initial=-1)) + 1 == len(cluster):
        return None  # every row is a cluster of its own
    names = [(origins[i].cluster, origins[i].block) for i in chosen]
    codes: dict[tuple[str, str], int] = {}
    block = np.fromiter((codes.setdefault(name, len(codes)) for name in names), np.int64, len(names))
    of_block = np.zeros(len(codes), dtype=np.int64)
    of_block[block] = cluster
    if len(codes) == len(np.unique(of_block)):
        return None
    return _summed(rows, block, len(codes)), of_block


def with_sums(part: Part, sums: Floats) -> Part:
    """The part with other sums of the same clusters, and no blocks."""
    return replace(part, sums=sums, blocks=None, chosen=None)


def _summed(rows: Floats, group: Integers, groups: int) -> Floats:
    sums = np.zeros((groups, rows.shape[1]))
    np.add.at(sums, group, rows)
    return sums
