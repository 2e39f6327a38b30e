"""Turns scored units into rows under each label permutation, with tests of single units, permutation means and random extracts."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

import numpy as np

from fairbrief.auditing.ledger import RowBlock
from fairbrief.declarations import ObservationDeclaration
from fairbrief.score_tables import BatchObservation, ScoredUnits, ScoreTable
from fairbrief.statistics import TIE
from fairbrief.statistics.label_permutations import Labelled
from fairbrief.types import (
    AlikeRows,
    Ask,
    Column,
    ExtractObservation,
    Extracts,
    Floats,
    Integers,
    Observation,
    Reason,
    Rows,
)

TESTED: tuple[Column, ...] = (("testable",), ("significant",), ("expected_significant",))
UNIT_LEVEL = 0.05
"""Level of the tests of single units; the papers use p < 0.05."""
COUNTED_BELOW = 64
"""Labellings up to which a unit's are compared each with each."""
LABELS_OF_ONE = 1 << 22
"""Labels of one unit, times label permutations, that are observed at once."""
BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS = "by chance", "random extract", "no random extract"
"""Prefixes of the columns with a unit's permutation mean, its mean over random extracts, and its values if it has no
extract."""

_Drawn = tuple[Sequence[Extracts], Sequence[Ask]]
Drawn = _Drawn | Reason | None
"""A unit's random extracts and their asks; why it has none; None where none are wanted."""


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """Units that can be observed: their places among those that were given, their answers, and their extracts, if any are drawn."""

    places: Sequence[int]
    units: ScoredUnits
    drawn: Sequence[Drawn]

    def some(self, chosen: Sequence[int]) -> ScoredBatch:
        """Some of the units, in their order."""
        if len(chosen) == len(self.places):
            return self
        return ScoredBatch(
            [self.places[j] for j in chosen],
            self.units.some(chosen),
            [self.drawn[j] for j in chosen] if self.drawn else (),
        )

    def scored_by(self, table: ScoreTable) -> ScoredBatch:
        """The same units with other answers to the same asks."""
        units = self.units
        return replace(self, units=ScoredUnits(units.cases, table, units.first, units.asked, units.extracts))

    def with_extracts(self, chosen: Sequence[int]) -> ScoredUnits:
        """Units with their random extracts in place of the summaries; the answers about extracts follow the summaries'."""
        units, drawn = self.units.some(chosen), [cast("_Drawn", self.drawn[j]) for j in chosen]
        asked = np.array([len(asks) for _, asks in drawn], dtype=np.int64)
        extracts = [extracts for extracts, _ in drawn]
        return ScoredUnits(units.cases, units.table, units.first + units.asked, asked, extracts)


def observed_together(
    observation: Observation, batch: ScoredBatch, labelled: Sequence[Labelled]
) -> tuple[list[RowBlock], dict[int, str]]:
    """The rows of units, in blocks of equal columns; and why others have none."""
    blocks: list[RowBlock] = []
    reasons: dict[int, str] = {}
    for alike in labelled:
        some = batch.some(alike.places)
        rows, why = _observe_many(observation, some.units, alike.permutations)
        reasons |= {alike.places[i]: reason.text for i, reason in why.items()}
        of_extracts = _extract_rows(observation, some, alike.permutations[:, :1], why)
        for block in _joined(rows):
            whole = _with_more(observation, block, alike)
            blocks += (
                _with_extracts(whole, [of_extracts.get(i) for i in block.units]) if of_extracts else [whole]
            )
    return blocks, reasons


def _joined(blocks: Sequence[AlikeRows]) -> Iterator[AlikeRows]:
    """Units with equal columns in one block; an observation may have split them by shape."""
    alike: dict[tuple[Column, ...], list[AlikeRows]] = {}
    for block in blocks:
        alike.setdefault(block.columns, []).append(block)
    for columns, several in alike.items():
        if len(several) == 1:
            yield several[0]
        else:
            units = [i for block in several for i in block.units]
            yield AlikeRows(units, columns, np.concatenate([block.values for block in several]))


def _extract_rows(
    observation: Observation, batch: ScoredBatch, labels: Integers, without_row: Container[int]
) -> dict[int, Rows | Reason]:
    """The rows of the random extracts of units that have a row themselves and extracts, or why there are none."""
    drawn = [(j, drawn) for j, drawn in enumerate(batch.drawn) if j not in without_row]
    rows: dict[int, Rows | Reason] = {j: reason for j, reason in drawn if isinstance(reason, Reason)}
    places = [j for j, extracts in drawn if isinstance(extracts, tuple)]
    if places:
        blocks, reasons = _observe_many(observation, batch.with_extracts(places), labels[places])
        rows |= {places[i]: reason for i, reason in reasons.items()}
        for block in blocks:
            pairs = zip(block.units, block.values, strict=True)
            rows |= {places[i]: Rows(block.columns, values) for i, values in pairs}
    return rows


def _with_extracts(block: RowBlock, extracts: Sequence[Rows | Reason | None]) -> Iterator[RowBlock]:
    """The block with the rows of its units' random extracts, in parts of equal columns."""
    beside: dict[tuple[Column, ...], list[tuple[int, Floats]]] = {}
    for j, rows in enumerate(extracts):
        real, columns = block.values[j, 0], tuple[Column, ...]()
        if isinstance(rows, Reason):
            columns = _named(WITHOUT_EXTRACTS, block.columns)
        elif rows is not None:
            real, columns = rows.values[0], _named(OF_EXTRACTS, rows.columns)
        beside.setdefault(columns, []).append((j, real))
    for columns, members in beside.items():
        part = block.of([j for j, _ in members])
        yield part.beside_too(columns, np.stack([row for _, row in members])) if columns else part


@lru_cache(maxsize=256)
def _named(what: str, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Extra columns of the real rows; units with the same columns share them."""
    return tuple((what, *column) for column in columns)


def _observe_many(
    observation: Observation, units: ScoredUnits, labels: Integers
) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
    """Rows of units, or of their extracts, under label permutations (units, R, n); one by one where the observation has no `observe_many`."""
    if isinstance(observation, BatchObservation):
        step = max(1, LABELS_OF_ONE // max(1, labels.shape[2]))
        if len(units) > 1 or labels.shape[1] <= step:
            return observation.observe_many(units, labels)
        # One unit of very many labels: some label permutations after others, since no row depends on another's label permutation.
        parts = [
            observation.observe_many(units, labels[:, i : i + step]) for i in range(0, labels.shape[1], step)
        ]
        if parts[0][1]:
            return parts[0]
        values = np.concatenate([rows.values for (rows,), _ in parts], axis=1)
        return [replace(parts[0][0][0], values=values)], {}
    alike: dict[tuple[Column, ...], list[tuple[int, Floats]]] = {}
    reasons = {}
    for i, (cases, scores) in enumerate(units):
        if units.extracts:
            rows = cast("ExtractObservation", observation).observe_extracts(cases, units.extracts[i], scores)
        else:
            rows = observation.observe(cases, scores, labels[i])
        if isinstance(rows, Reason):
            reasons[i] = rows
        else:
            alike.setdefault(rows.columns, []).append((i, rows.values))
    blocks = [
        AlikeRows([i for i, _ in members], columns, np.stack([values for _, values in members]))
        for columns, members in alike.items()
    ]
    return blocks, reasons


def _with_more(observation: Observation, block: AlikeRows, labelled: Labelled) -> RowBlock:
    """Rows with the tests of single units and their permutation means."""
    declared, exact = observation.declaration, labelled.is_exact
    means = _chance_means(declared, block, exact=exact)
    columns, values, ps = block.columns, block.values, None
    if declared.tests_units is not None and values.shape[1] > 1:
        columns, values, ps = with_unit_tests(
            block,
            declared.tests_units,
            exact=exact,
            within=declared.tests_within,
            strictly=declared.tests_strictly,
        )
    units, choices = np.array(labelled.places), None if values.shape[1] == 1 else labelled.choices
    if list(block.units) != list(range(len(units))):
        which = np.array(block.units, dtype=np.int64)
        units, choices = units[which], None if choices is None else choices[which]
    found = RowBlock(units, columns, values, choices, ps)
    return found if means is None else found.beside_too(means.columns, means.values[:, 0])


def _chance_means(declared: ObservationDeclaration, block: AlikeRows, *, exact: bool) -> AlikeRows | None:
    """The mean over the permutations of the columns that have a chance-adjusted score; over all of them if they are listed."""
    kept = [i for i, column in enumerate(block.columns) if column in declared.chance_means]
    if not kept or block.values.shape[1] < 2:
        return None
    moved = block.values if exact else block.values[:, 1:]
    # Column by column, so that the last digits of a mean depend only on its numbers.
    means = [np.ascontiguousarray(moved[:, :, i]).mean(axis=1) for i in kept]
    columns = tuple((BY_CHANCE, *block.columns[i]) for i in kept)
    return AlikeRows(block.units, columns, np.stack(means, axis=1)[:, np.newaxis])


def with_unit_tests(
    block: AlikeRows, column: Column, *, exact: bool, within: str, strictly: bool = False
) -> tuple[tuple[Column, ...], Floats, Floats]:
    """Columns and values with those of `TESTED`, and the p of each unit's real label permutation, shape (units,).

    ``within`` names a statistic whose columns ``(within, value)`` distinguish kinds of units: the tests
    are then also counted by kind, in ``("testable", value)`` and so on.

    Every label permutation gets the p that it would have as the real labels. So the columns have a
    null distribution, and ``expected_significant`` is the exact share of label permutations with p < 0.05.
    The smallest reachable p decides whether the unit is testable at all. ``strictly``: see `ObservationDeclaration`.
    """
    statistic = block.values[:, :, block.columns.index(column)]
    permutations = statistic.shape[1]
    at_least = _how_many_reach(statistic, statistic + TIE if strictly else statistic - TIE)
    # A full list contains the real labels; a sample does not, so the real labels count as one more. No permutation exceeds
    # itself, so a strict test counts only the others.
    ps = at_least / (permutations - 1 if strictly and not exact else permutations)
    testable = (ps.min(axis=1, keepdims=True) < UNIT_LEVEL).astype(np.float64)
    significant = (ps < UNIT_LEVEL).astype(np.float64)
    expected = significant.mean(axis=1, keepdims=True) if exact or strictly else UNIT_LEVEL * testable
    added = np.stack(np.broadcast_arrays(testable, significant, expected), axis=-1)
    columns, blocks = [*block.columns, *TESTED], [block.values, added]
    for i, kind in enumerate(block.columns):
        if within and kind[0] == within:
            columns += [(*tested, *kind[1:]) for tested in TESTED]
            blocks.append(added * block.values[:, :, i : i + 1])
    return tuple(columns), np.concatenate(blocks, axis=2), ps[:, 0]


def _how_many_reach(statistic: Floats, limits: Floats) -> Integers:
    """How many of a unit's label permutations score at least each limit. Shapes: all (units, label permutations)."""
    ordered = np.sort(statistic, axis=1)
    if statistic.shape[1] <= COUNTED_BELOW:
        return np.asarray((ordered[:, np.newaxis] >= limits[:, :, np.newaxis]).sum(axis=2))
    below = [np.searchsorted(o, limit, side="left") for o, limit in zip(ordered, limits, strict=True)]
    return np.asarray(statistic.shape[1] - np.stack(below))
