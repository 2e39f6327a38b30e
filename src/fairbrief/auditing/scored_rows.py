"""Scored units to rows: under each of their labellings, with the units' own tests, chance means and random extracts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

import numpy as np

from fairbrief.auditing.ledger import RowBlock
from fairbrief.declarations import ObservationDeclaration
from fairbrief.score_tables import ScoredExtracts, ScoredUnits
from fairbrief.statistics import TIE, Labelled
from fairbrief.types import (
    AlikeRows,
    BatchExtractObservation,
    BatchObservation,
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
"""Labels of one unit, under so many labellings as they stand in, that are observed together."""
BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS = "by chance", "random extract", "no random extract"
"""How the columns begin that hold a unit's mean over its permutations, over its random extracts, and the unit's own
columns where it has no extract."""

_Drawn = tuple[Sequence[Extracts], int]
Drawn = _Drawn | Reason | None
"""A unit's random extracts and how many asks they have; why it has none; None where none are wanted."""


@dataclass(frozen=True, slots=True)
class ScoredBatch:
    """Units that can be observed: where they stand among those that were given, and their answers and extracts, if any are drawn."""

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

    def of_extracts(self, chosen: Sequence[int]) -> ScoredExtracts:
        """Units that have random extracts, with the answers to what these asked, which stand behind their own."""
        own, drawn = self.units.some(chosen), [cast("_Drawn", self.drawn[j]) for j in chosen]
        asked = np.array([many for _, many in drawn], dtype=np.int64)
        more = ScoredUnits(own.cases, own.table, own.first + own.asked, asked)
        return ScoredExtracts(more, [extracts for extracts, _ in drawn])


def observed_together(
    observation: Observation, batch: ScoredBatch, labelled: Sequence[Labelled]
) -> tuple[list[RowBlock], dict[int, str]]:
    """What is seen in the units, in blocks of equal columns; and of those in which nothing is, why."""
    blocks: list[RowBlock] = []
    reasons: dict[int, str] = {}
    for alike in labelled:
        found, why = _observe_many(observation, batch.some(alike.places).units, alike.labellings)
        reasons |= {alike.places[i]: reason.text for i, reason in why.items()}
        blocks += [_with_more(observation, rows, alike) for rows in _joined(found)]
    read = _read_extracts(observation, batch, [j for block in blocks for j in block.units.tolist()])
    return [part for block in blocks for part in _with_extracts(block, read)] if read else blocks, reasons


def _joined(blocks: Sequence[AlikeRows]) -> Iterator[AlikeRows]:
    """Units of equal columns in one block: an observation may have parted them by shapes of its own."""
    alike: dict[tuple[Column, ...], list[AlikeRows]] = {}
    for block in blocks:
        alike.setdefault(block.columns, []).append(block)
    for columns, several in alike.items():
        if len(several) == 1:
            yield several[0]
        else:
            units = [i for block in several for i in block.units]
            yield AlikeRows(units, columns, np.concatenate([block.values for block in several]))


def _with_extracts(block: RowBlock, read: Mapping[int, Rows | Reason]) -> Iterator[RowBlock]:
    """The block with what random extracts of its units' sources read, in parts of equal columns."""
    beside: dict[tuple[Column, ...], list[tuple[int, Floats]]] = {}
    for j, i in enumerate(block.units.tolist()):
        columns, row = _of_extracts(block.columns, block.values[j, 0], read.get(i))
        beside.setdefault(columns, []).append((j, row))
    for columns, rows in beside.items():
        part = block.of([j for j, _ in rows])
        yield part.beside_too(columns, np.stack([row for _, row in rows])) if columns else part


def _of_extracts(
    columns: tuple[Column, ...], real: Floats, read: Rows | Reason | None
) -> tuple[tuple[Column, ...], Floats]:
    if read is None:
        return (), real[:0]
    if isinstance(read, Reason):
        return _named(WITHOUT_EXTRACTS, columns), real
    return _named(OF_EXTRACTS, read.columns), read.values[0]


@lru_cache(maxsize=256)
def _named(what: str, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Columns of what stands beside the real rows; units of the same columns share them."""
    return tuple((what, *column) for column in columns)


def _read_extracts(
    observation: Observation, batch: ScoredBatch, chosen: Sequence[int]
) -> dict[int, Rows | Reason]:
    """What is read of random extracts of the chosen units that have some, or why there are none."""
    extracts = [(j, batch.drawn[j]) for j in chosen] if batch.drawn else []
    found: dict[int, Rows | Reason] = {j: drawn for j, drawn in extracts if isinstance(drawn, Reason)}
    asked = [j for j, drawn in extracts if isinstance(drawn, tuple)]
    units = batch.of_extracts(asked)
    if asked and isinstance(observation, BatchExtractObservation):
        blocks, reasons = observation.observe_many_extracts(units)
        found |= {asked[i]: reason for i, reason in reasons.items()}
        for block in blocks:
            pairs = zip(block.units, block.values, strict=True)
            found |= {asked[i]: Rows(block.columns, values) for i, values in pairs}
    elif asked:
        reader = cast("ExtractObservation", observation)  # else there were no extracts
        found |= {j: reader.observe_extracts(*one) for j, one in zip(asked, units, strict=True)}
    return found


def _observe_many(
    observation: Observation, units: ScoredUnits, labellings: Integers
) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
    """Rows of units, under labellings (units, R, n); one by one where the observation knows no more."""
    if isinstance(observation, BatchObservation):
        if len(units) == 1:
            return _observe_in_pieces(observation, units, labellings[0])
        return observation.observe_many(units, labellings)
    alike: dict[tuple[Column, ...], list[tuple[int, Floats]]] = {}
    reasons = {}
    for i, ((cases, scores), own) in enumerate(zip(units, labellings, strict=True)):
        rows = observation.observe(cases, scores, own)
        if isinstance(rows, Reason):
            reasons[i] = rows
        else:
            alike.setdefault(rows.columns, []).append((i, rows.values))
    blocks = [
        AlikeRows([i for i, _ in found], columns, np.stack([values for _, values in found]))
        for columns, found in alike.items()
    ]
    return blocks, reasons


def _observe_in_pieces(
    observation: BatchObservation, unit: ScoredUnits, labellings: Integers
) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
    """Rows of one unit, some labellings after others where it has very many labels: no row looks at another's labelling."""
    step = max(1, LABELS_OF_ONE // max(1, labellings.shape[1]))
    blocks: list[AlikeRows] = []
    for start in range(0, len(labellings), step):
        found, reasons = observation.observe_many(unit, labellings[np.newaxis, start : start + step])
        if reasons:
            return [], reasons
        blocks += found
    if len(blocks) == 1:
        return blocks, {}
    return [replace(blocks[0], values=np.concatenate([block.values for block in blocks], axis=1))], {}


def _with_more(observation: Observation, block: AlikeRows, labelled: Labelled) -> RowBlock:
    """Rows with the units' own tests and their chance means."""
    declared, exact = observation.declaration, labelled.is_exact
    means = _chance_means(declared, block, exact=exact)
    columns, values, ps = block.columns, block.values, None
    if declared.tests_units is not None and values.shape[1] > 1:
        columns, values, ps = with_unit_tests(
            block, declared.tests_units, exact=exact, within=declared.tests_within
        )
    units, choices = np.array(labelled.places), None if values.shape[1] == 1 else labelled.choices
    if list(block.units) != list(range(len(units))):
        which = np.array(block.units, dtype=np.int64)
        units, choices = units[which], None if choices is None else choices[which]
    found = RowBlock(units, columns, values, choices, ps)
    return found if means is None else found.beside_too(means.columns, means.values[:, 0])


def _chance_means(declared: ObservationDeclaration, block: AlikeRows, *, exact: bool) -> AlikeRows | None:
    """The mean over the permutations of the columns that have an excess; over all of them if they are listed."""
    kept = [i for i, column in enumerate(block.columns) if column in declared.chance_means]
    if not kept or block.values.shape[1] < 2:
        return None
    moved = block.values if exact else block.values[:, 1:]
    # One column at a time, so that a mean's last digits go by its own numbers alone.
    means = [np.ascontiguousarray(moved[:, :, i]).mean(axis=1) for i in kept]
    columns = tuple((BY_CHANCE, *block.columns[i]) for i in kept)
    return AlikeRows(block.units, columns, np.stack(means, axis=1)[:, np.newaxis])


def with_unit_tests(
    block: AlikeRows, column: Column, *, exact: bool, within: str
) -> tuple[tuple[Column, ...], Floats, Floats]:
    """Columns and values with those of `TESTED`, and the p of each unit's real labelling, shape (units,).

    ``within`` names a statistic whose columns ``(within, value)`` tell kinds of units apart: the tests
    are then counted by kind as well, in ``("testable", value)`` and so on.

    Every labelling gets the p that it would have had, were it the real one; so the columns have a
    null of their own, and ``expected_significant`` is the exact share of labellings with p < 0.05.
    The smallest reachable p decides whether the unit is testable at all.
    """
    statistic = block.values[:, :, block.columns.index(column)]
    labellings = statistic.shape[1]
    ordered = np.sort(statistic, axis=1)
    if labellings <= COUNTED_BELOW:
        below = (ordered[:, np.newaxis] < (statistic - TIE)[:, :, np.newaxis]).sum(axis=2)
    else:
        below = np.stack(
            [np.searchsorted(o, s - TIE, side="left") for o, s in zip(ordered, statistic, strict=True)]
        )
    # With all labellings the real one is among them; sampled ones stand beside it and are counted as one more.
    ps = (labellings - below) / labellings
    testable = (ps.min(axis=1, keepdims=True) < UNIT_LEVEL).astype(np.float64)
    significant = (ps < UNIT_LEVEL).astype(np.float64)
    expected = significant.mean(axis=1, keepdims=True) if exact else UNIT_LEVEL * testable
    added = np.stack(np.broadcast_arrays(testable, significant, expected), axis=-1)
    columns, blocks = [*block.columns, *TESTED], [block.values, added]
    for i, kind in enumerate(block.columns):
        if within and kind[0] == within:
            columns += [(*tested, *kind[1:]) for tested in TESTED]
            blocks.append(added * block.values[:, :, i : i + 1])
    return tuple(columns), np.concatenate(blocks, axis=2), ps[:, 0]
