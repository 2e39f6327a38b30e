"""The rows of one system and slice, summed by cluster: what is estimated from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairbrief.auditing.ledger import WHOLE, Ledger, Origin, Slice, systems_of
from fairbrief.nouns import Floats, Integers


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


def parts_of(ledger: Ledger, slices: Sequence[Slice]) -> dict[tuple[str, Slice], Part]:
    """The rows of every system, whole and by slice."""
    origins, matrix = ledger.kept(), ledger.matrix()
    systems = systems_of([ledger])
    of_system = (
        np.array([systems.index(o.system) for o in origins], dtype=np.int64) if len(systems) > 1 else None
    )
    parts = {}
    for i, system in enumerate(systems):
        for part in (WHOLE, *slices):
            chosen = np.arange(len(origins)) if of_system is None else np.flatnonzero(of_system == i)
            if part != WHOLE:
                chosen = np.array([j for j in chosen if part in origins[j].slices], dtype=np.int64)
            parts[system, part] = _part(ledger, system, part, chosen, origins, matrix)
    return parts


def _part(
    ledger: Ledger, system: str, part: Slice, chosen: Integers, origins: Sequence[Origin], matrix: Floats
) -> Part:
    codes: dict[str, int] = {}
    cluster = np.fromiter(
        (codes.setdefault(origins[i].cluster, len(codes)) for i in chosen), np.int64, len(chosen)
    )
    rows = matrix[chosen] if len(chosen) < len(matrix) else matrix
    sums = _summed(rows, cluster, len(codes)) if len(codes) < len(chosen) else rows
    blocks = _blocks(rows, cluster, [(origins[i].cluster, origins[i].block) for i in chosen])
    return Part(ledger, system, part, sums, tuple(codes), len(chosen), blocks, chosen)


def _blocks(
    rows: Floats, cluster: Integers, names: Sequence[tuple[str, str]]
) -> tuple[Floats, Integers] | None:
    """Rows summed by sampled variant, and each one's cluster; None if no original has several."""
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


def widened(array: Floats, width: int) -> Floats:
    """The array with columns of zeros added up to ``width``."""
    return np.hstack([array, np.zeros((len(array), max(width - array.shape[1], 0)))])


def _summed(rows: Floats, group: Integers, groups: int) -> Floats:
    sums = np.zeros((groups, rows.shape[1]))
    np.add.at(sums, group, rows)
    return sums
