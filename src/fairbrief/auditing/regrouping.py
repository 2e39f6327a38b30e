"""The chance level where whole units change groups: articles about women and about men, say."""

from __future__ import annotations

from collections.abc import Mapping
from math import lgamma

import numpy as np

from fairbrief.auditing.ledger import Ledger, Null
from fairbrief.nouns import Column, Floats, Integers
from fairbrief.statistics import regrouped_totals


def regrouped_null(ledger: Ledger, chosen: Integers, draws: int, seed: int) -> Null | None:
    """Sums of the chosen rows after their groups were exchanged; None where no groups can be.

    The observation's ``grouped_by`` names the statistic that tells a row's group. Labels change hands
    between clusters where every cluster is of one group, else inside each cluster: variants of one
    original that differ in their group are each other's comparison. Rows of no group stay as they are.
    """
    statistic = getattr(ledger.observation, "grouped_by", None)
    groups = sorted(c[1] for c in ledger.columns if len(c) == 2 and c[0] == statistic)
    if statistic is None or not draws or len(groups) < 2 or not len(chosen):
        return None
    matrix = ledger.matrix()[chosen]
    member = matrix[:, [ledger.columns[statistic, g] for g in groups]] > 0
    grouped = member.any(axis=1)
    label = member[grouped].argmax(axis=1)
    if len(np.unique(label)) < 2:
        return None
    columns, place = _places(ledger.columns, groups)
    sums = np.zeros((draws, len(columns)))
    fixed = [i for c, i in ledger.columns.items() if not _moves(c, groups)]
    sums[:, fixed] = matrix[:, fixed].sum(axis=0)
    still = matrix[~grouped].sum(axis=0)
    sums[:, : len(still)] += np.where(np.isin(np.arange(len(still)), fixed), 0.0, still)
    wide = np.hstack([matrix[grouped], np.zeros((int(grouped.sum()), len(columns) - matrix.shape[1]))])
    rows = np.take_along_axis(wide, place[label], axis=1)
    origins = ledger.kept()
    cluster = _codes([origins[i].cluster for i in chosen[grouped]])
    rows, label, blocks = _exchangeable(rows, label, cluster, len(groups))
    totals = regrouped_totals(rows, label, len(groups), draws, seed, blocks)
    for g in range(len(groups)):
        sums[:, place[g]] += totals[:, g]
    return Null(sums, _log_labellings(label, blocks), columns)


def _moves(column: Column, groups: list[str]) -> bool:
    return len(column) > 1 and column[1] in groups


def _places(known: Mapping[Column, int], groups: list[str]) -> tuple[dict[Column, int], Integers]:
    """All columns that exchanged rows can have, and the place of each statistic by group.

    Shape of the places: (groups, statistics).
    """
    columns = dict(known)
    moving = dict.fromkeys((c[0], *c[2:]) for c in known if _moves(c, groups))
    place = [[columns.setdefault((s[0], g, *s[1:]), len(columns)) for s in moving] for g in groups]
    return columns, np.array(place, dtype=np.int64)


def _exchangeable(
    rows: Floats, label: Integers, cluster: Integers, groups: int
) -> tuple[Floats, Integers, Integers | None]:
    """What changes hands: whole clusters (no blocks), or the rows inside each cluster (its blocks)."""
    found = np.zeros((int(cluster.max()) + 1, groups), dtype=bool)
    found[cluster, label] = True
    if (found.sum(axis=1) > 1).any():
        return rows, label, cluster
    if len(found) == len(rows):
        return rows, label, None
    sums = np.zeros((len(found), rows.shape[1]))
    np.add.at(sums, cluster, rows)
    return sums, found.argmax(axis=1), None


def _log_labellings(label: Integers, blocks: Integers | None) -> float:
    """Logarithm of the number of distinct labellings: Σ over blocks of log(n! / Π nₖ!)."""
    blocks = np.zeros_like(label) if blocks is None else blocks
    tally = np.zeros((int(blocks.max()) + 1, int(label.max()) + 1))
    np.add.at(tally, (blocks, label), 1.0)
    sizes = tally.sum(axis=1)
    return sum(lgamma(n + 1) for n in sizes) - sum(lgamma(n + 1) for n in tally.ravel())


def _codes(names: list[str]) -> Integers:
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
