"""Scores and observes units of cases, under their labels and permutations of them, and writes the rows to a ledger.

Units whose scores are not numbers are excluded and counted, or refused. It also adds tests of single units, permutation means and
the rows of random extracts. Longer than other modules, because these steps share the scored units.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice, repeat
from typing import cast

import numpy as np

from fairbrief import types as t
from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock, Written
from fairbrief.auditing.origins import Origin, Origins, Unit
from fairbrief.declarations import ObservationDeclaration
from fairbrief.errors import BackendError, DataError
from fairbrief.ranges import grouped
from fairbrief.score_tables import BatchObservation, ScoredUnits, ScoreTable
from fairbrief.scorers.calibrated import Calibrated
from fairbrief.statistics import TIE
from fairbrief.statistics.label_permutations import LabelDraws, Labelled, Relabelled, with_real_labels

LEFT_OUT = "left out on request: "
"""How the reason begins of a unit that would have ended the audit."""
LABELS_AT_ONCE = 1 << 18
"""Labels of units that are observed together."""
TESTED: tuple[t.Column, ...] = (("testable",), ("significant",), ("expected_significant",))
UNIT_LEVEL = 0.05
"""Level of the tests of single units; the papers use p < 0.05."""
FEW = 32
"""Up to this many label permutations of a unit, comparing each with each is faster than sorting."""
LABELS_OF_ONE = 1 << 22
"""Labels of one unit, times label permutations, that are observed at once."""
BY_CHANCE, OF_EXTRACTS, WITHOUT_EXTRACTS = "by chance", "random extract", "no random extract"
"""Prefixes of the columns with a unit's permutation mean, its mean over random extracts, and its values if it has no
extract."""


NOTHING = Relabelled("", np.zeros(0, dtype=np.int64), None, cyclic=False)
"""The permutation inputs of a unit without labels."""
Drawn = tuple[Sequence[t.Extracts], Sequence[t.Ask]] | t.Reason | None
"""A unit's random extracts and their asks; why it has none; None where none are wanted."""


LeftOut = dict[int, str]
"""Why units have no row, by their place."""


def by_observation(measures: Iterable[t.Measure]) -> dict[t.Observation, list[t.Measure]]:
    """The measures of each observation, in the order in which the observations first occur."""
    return grouped((measure.observation, measure) for measure in measures)


@dataclass(slots=True)
class AskedUnit:
    """A unit that can be scored: its place among all, its answered cases, its asks, and its permutation inputs.

    Its answers are in a table from place ``first``: those to its summaries' asks, then those to its extracts'.
    """

    place: int
    cases: t.Cases
    asks: Sequence[t.Ask]
    relabelled: Relabelled
    drawn: Drawn = None
    first: int = 0

    @property
    def all_asks(self) -> Sequence[t.Ask]:
        """Those of its summaries, then those of its extracts."""
        return (*self.asks, *self.drawn[1]) if isinstance(self.drawn, tuple) else self.asks


@dataclass(frozen=True, slots=True)
class Answered:
    """Units of an observation, and the answers to all asks of theirs and of others."""

    observation: t.Observation
    units: Sequence[AskedUnit]
    table: ScoreTable

    def some(self, chosen: Sequence[int]) -> Answered:
        """Some of the units."""
        return Answered(self.observation, [self.units[j] for j in chosen], self.table)

    def summaries(self) -> ScoredUnits:
        """The units with the answers about their summaries."""
        first = np.array([one.first for one in self.units], dtype=np.int64)
        many = np.array([len(one.asks) for one in self.units], dtype=np.int64)
        return ScoredUnits([one.cases for one in self.units], self.table, first, many)

    def extracts(self) -> ScoredUnits:
        """The units with their random extracts in place of the summaries, and the answers about these."""
        drawn = [cast("tuple[Sequence[t.Extracts], Sequence[t.Ask]]", one.drawn) for one in self.units]
        first = np.array([one.first + len(one.asks) for one in self.units], dtype=np.int64)
        many = np.array([len(asks) for _, asks in drawn], dtype=np.int64)
        extracts = [of_unit for of_unit, _ in drawn]
        return ScoredUnits([one.cases for one in self.units], self.table, first, many, extracts)


@dataclass(frozen=True, slots=True)
class Observer:
    """Writes units to ledgers: collects their asks, scores them in one call, observes.

    A data error of an observation ends the audit or, with ``skips``, excludes the unit and counts
    the reason.
    """

    scorers: Mapping[str, t.Scorer]
    label_draws: LabelDraws | None = None
    """Label permutations; needed only for a ledger with resamples."""
    skips: bool = False
    extracts: ExtractDraws | None = None
    """Random extracts to observe as well; None for none."""
    scores_extracts: Callable[[str], bool] = lambda _: True
    """Whether the scorer of this name is to score extracts."""

    def observe(self, ledger: Ledger, units: Sequence[Unit], origins: Origins | None = None) -> None:
        """Write down every unit, in order. ``origins`` are those of the units."""
        if origins is None:
            origins = Origins.by_column(origin for _, origin in units)
        left_out: LeftOut = {}
        ledger.write(origins, self._rows(ledger, units, origins, left_out), left_out)

    def _rows(
        self, ledger: Ledger, units: Sequence[Unit], origins: Origins, left_out: LeftOut
    ) -> Iterator[list[RowBlock]]:
        """The rows of units, of some consecutive ones at a time; adds why others have none."""
        asked = list(self._asked(ledger.observation, units, left_out))
        answered, of_maps = self._scored(ledger.observation, asked, left_out)
        relabelled, first = [one.relabelled for one in answered.units], 0
        if ledger.n_resamples:
            assert self.label_draws is not None
            is_listed = ledger.observation.declaration.tests_units is not None
            several = self.label_draws.of_many(relabelled, all_permutations=is_listed, at_once=LABELS_AT_ONCE)
        else:
            several = iter([with_real_labels(relabelled)])
        for labelled in several:
            stop = first + sum(len(alike.places) for alike in labelled)
            yield self._observed(answered.some(range(first, stop)), labelled, left_out)
            first = stop
        real: list[Labelled] = []
        for k, of_map in enumerate(of_maps if ledger.n_resamples else ()):
            real = real or with_real_labels(relabelled)
            rows = self._observed(replace(answered, table=of_map), real, {})
            ledger.add_of_map(k, origins, rows)

    def _observed(self, answered: Answered, labelled: list[Labelled], left_out: LeftOut) -> list[RowBlock]:
        """The rows of the units; adds why others have none."""
        try:
            return list(_observed_together(answered, labelled, left_out))
        except DataError as error:
            if len(answered.units) == 1:
                left_out[answered.units[0].place] = self._skipped(error)
                return []
        each = {j: alike.alone(k) for alike in labelled for k, j in enumerate(alike.places)}
        alone = (self._observed(answered.some([j]), [each[j]], left_out) for j in sorted(each))
        return list(chain.from_iterable(alone))

    def _asked(
        self, observation: t.Observation, units: Sequence[Unit], left_out: LeftOut
    ) -> Iterator[AskedUnit]:
        """The units that have an answered case; adds why others have none."""
        for i, (cases, origin) in enumerate(units):
            reason = cases[0].summary.reason
            if not (cases := tuple([case for case in cases if not case.summary.reason])):
                left_out[i] = reason
                continue
            try:
                asks, scheme = observation.asks(cases), observation.permutation_scheme(cases)
                yield AskedUnit(i, cases, asks, NOTHING if scheme is None else _relabelling(scheme, origin))
            except DataError as error:
                left_out[i] = self._skipped(error)

    def _scored(
        self, observation: t.Observation, asked: list[AskedUnit], left_out: LeftOut
    ) -> tuple[Answered, Iterator[ScoreTable]]:
        """The units with their scores; all asks of one scorer go in one call. Adds reasons for unusable units.

        Also the scores under each calibration map of resampled labels, for a calibrated scorer.
        """
        if self.extracts is not None and isinstance(observation, t.ExtractObservation):
            draws_unscored = observation.declaration.draws_unscored
            wanted = [one for one in asked if one.asks or draws_unscored]
            drawn = self.extracts.extracts_of([one.cases for one in wanted])
            for one, extracts in zip(wanted, drawn, strict=True):
                if isinstance(extracts, t.Reason):
                    one.drawn = extracts
                    continue
                about = observation.extract_asks(one.cases, extracts)
                if all(self.scores_extracts(ask.scorer) for ask in about):
                    one.drawn = extracts, about
        asks: list[t.Ask] = []
        for one in asked:
            one.first = len(asks)
            asks += one.all_asks
        tables = self._answers(asks)
        table = next(tables)
        if np.isfinite(table.cells).all() and np.isfinite(table.sizes).all():
            return Answered(observation, asked, table), tables
        usable, allows_nan = [], observation.declaration.reads_unstated
        for one in asked:
            for k, ask in enumerate(one.all_asks, one.first):
                if not _is_usable(table[k], allows_nan=allows_nan):
                    left_out[one.place] = f"{NO_NUMBER}{ask.scorer}"
                    break
            else:
                usable.append(one)
        return Answered(observation, usable, table), tables

    def _answers(self, asks: Sequence[t.Ask]) -> Iterator[ScoreTable]:
        """The scores of asks, in order; then those under each map of calibrated scorers."""
        if not asks:
            yield ScoreTable.of([])
            return
        places = grouped((ask.scorer, i) for i, ask in enumerate(asks))
        answered = [(self.scorers[spec], [asks[i] for i in own]) for spec, own in places.items()]
        has_maps = any(isinstance(scorer, Calibrated) for scorer, _ in answered)
        each = [
            s.tables(own) if isinstance(s, Calibrated) else repeat(ScoreTable.of(s.answer(own)))
            for s, own in answered
        ]
        order = np.argsort(list(chain.from_iterable(places.values())))
        for tables in islice(zip(*each, strict=False), None if has_maps else 1):
            yield tables[0] if len(tables) == 1 else ScoreTable.joined(tables).ordered(order)

    def _skipped(self, error: DataError) -> str:
        if not self.skips:
            raise error
        # A reason must be constant to be counted: without the place at its beginning, and what to do about it.
        place, separator, rest = str(error).partition("): ")
        wrong = (rest if separator else place).partition(". ")[0].removesuffix(".")
        return f"{LEFT_OUT}{wrong}"


def _relabelling(scheme: t.PermutationScheme, origin: Origin) -> Relabelled:
    """The permutation inputs of a unit."""
    items = scheme.items if origin.is_shared else None
    key = origin.cluster if scheme.is_together else f"{origin.cluster}\t{origin.block}"
    keys_of_items = items() if callable(items) else items
    return Relabelled(key, scheme.labels, keys_of_items, scheme.cyclic)


NO_NUMBER = "a score that is not a number, from "


def finite(asks: Sequence[t.Ask], answers: Iterable[t.Scores]) -> Iterator[t.Scores]:
    """The answers, one per ask; BackendError at the first that is not all numbers."""
    for ask, answer in zip(asks, answers, strict=True):
        if not _is_usable(answer):
            raise BackendError(_refusal(ask.scorer))
        yield answer


def refuse_unscored(ledgers: Iterable[Ledger]) -> None:
    """BackendError where an observation has no row and some of its scores were not numbers."""
    for ledger in ledgers:
        named = next((reason for reason in ledger.known_reasons if reason.startswith(NO_NUMBER)), None)
        if named is not None and not ledger.kept():
            raise BackendError(_refusal(named.removeprefix(NO_NUMBER)))


def _is_usable(answer: t.Scores, *, allows_nan: bool = False) -> bool:
    """Whether an answer is all numbers; ``allows_nan`` accepts nan, which means a reply without a score."""
    is_stated = np.isfinite(answer.matrix).all() and np.isfinite(answer.sizes).all()
    return bool(is_stated or (allows_nan and not np.isinf(answer.matrix).any()))


def _refusal(scorer: str) -> str:
    return (
        f"The scorer {scorer} gives scores that are not numbers (nan or infinite), so that nothing can be said. "
        "Try dtype=fp32 where it holds a model, and another model where a chat service's replies state no number; "
        "in a scorer of your own, look where it divides; then empty its --cache."
    )


# ------------------------------------------------------------------------------------------ rows


def _observed_together(answered: Answered, labelled: list[Labelled], left_out: LeftOut) -> Iterator[RowBlock]:
    """The rows of units, in blocks of equal columns; adds why others have none."""
    for alike in labelled:
        some = answered.some(alike.places)
        blocks, why = _observe_many(some.observation, some.summaries(), alike.permutations)
        places = np.array([one.place for one in some.units])
        left_out.update((int(places[i]), reason.text) for i, reason in why.items())
        of_extracts, without = _of_extracts(some, alike.permutations[:, :1], places, why)
        for block in blocks:
            yield _with_more(some.observation, block, alike, places, of_extracts, without)
            of_extracts = []  # all of them are written with the first block


def _joined(blocks: Iterable[t.AlikeRows]) -> list[t.AlikeRows]:
    """Units with equal columns in one block; an observation may have split them by shape."""
    joined = []
    for columns, several in grouped((block.columns, block) for block in blocks).items():
        units = [i for block in several for i in block.units]
        values = [block.values for block in several]
        joined.append(t.AlikeRows(units, columns, values[0] if len(values) == 1 else np.concatenate(values)))
    return joined


def _of_extracts(
    answered: Answered, labels: t.Integers, places: t.Integers, without_row: Container[int]
) -> tuple[list[Written], set[int]]:
    """The rows of the random extracts of units that have a row themselves; and the units that have a row, but no extracts."""
    drawn = {j: one.drawn for j, one in enumerate(answered.units) if j not in without_row}
    without = {j for j, extracts in drawn.items() if isinstance(extracts, t.Reason)}
    own = [j for j, extracts in drawn.items() if isinstance(extracts, tuple)]
    if not own:
        return [], without
    blocks, reasons = _observe_many(answered.observation, answered.some(own).extracts(), labels[own])
    whose = places[own]
    rows = [(whose[[*b.units]], _named(OF_EXTRACTS, b.columns), b.values[:, 0]) for b in blocks]
    return rows, without | {own[i] for i in reasons}


@lru_cache(maxsize=256)
def _named(what: str, columns: tuple[t.Column, ...]) -> tuple[t.Column, ...]:
    """Extra columns of the real rows; units with the same columns share them."""
    return tuple((what, *column) for column in columns)


def _observe_many(
    observation: t.Observation, units: ScoredUnits, labels: t.Integers
) -> tuple[Sequence[t.AlikeRows], Mapping[int, t.Reason]]:
    """Rows of units, or of their extracts, under label permutations (units, R, n); one by one where the observation has no `observe_many`."""
    if isinstance(observation, BatchObservation):
        step = max(1, LABELS_OF_ONE // max(1, labels.shape[2]))
        if len(units) > 1 or labels.shape[1] <= step:
            blocks, why = observation.observe_many(units, labels)
            return _joined(blocks), why
        # One unit of very many labels: some label permutations after others, since no row depends on another's label permutation.
        starts = range(0, labels.shape[1], step)
        parts = [observation.observe_many(units, labels[:, i : i + step]) for i in starts]
        if parts[0][1]:
            return parts[0]
        values = np.concatenate([rows.values for (rows,), _ in parts], axis=1)
        return [replace(parts[0][0][0], values=values)], {}
    found, reasons = list[t.AlikeRows](), dict[int, t.Reason]()
    for i, (cases, scores) in enumerate(units):
        if units.extracts:
            rows = cast("t.ExtractObservation", observation).observe_extracts(
                cases, units.extracts[i], scores
            )
        else:
            rows = observation.observe(cases, scores, labels[i])
        if isinstance(rows, t.Reason):
            reasons[i] = rows
        else:
            found.append(t.AlikeRows([i], rows.columns, rows.values[np.newaxis]))
    return _joined(found), reasons


def _with_more(
    observation: t.Observation, block: t.AlikeRows, labelled: Labelled, places: t.Integers,
    of_extracts: Sequence[Written], without_extracts: Container[int],
) -> RowBlock:  # fmt: skip
    """Rows with the tests of single units, their permutation means and rows of random extracts.

    ``places`` are those of all ``labelled`` units.
    """
    declared, exact = observation.declaration, labelled.is_exact
    columns, values, ps = block.columns, block.values, None
    units = np.array(block.units, dtype=np.int64)
    beside = [*of_extracts]
    if alone := [i for i, unit in enumerate(block.units) if unit in without_extracts]:
        beside.append((places[units[alone]], _named(WITHOUT_EXTRACTS, columns), values[alone, 0]))
    if means := _chance_means(declared, block, exact=exact):
        beside.append((places[units], *means))
    if declared.tests_units is not None and values.shape[1] > 1:
        columns, values, ps = with_unit_tests(block, declared, exact=exact)
    choices = None
    if labelled.choices is not None and values.shape[1] > 1:
        choices = labelled.choices[units]
    return RowBlock(places[units], columns, values, choices, ps, beside)


def _chance_means(
    declared: ObservationDeclaration, block: t.AlikeRows, *, exact: bool
) -> tuple[tuple[t.Column, ...], t.Floats] | None:
    """The means over the permutations of the columns that have a chance-adjusted score; None if there are none."""
    kept = [i for i, column in enumerate(block.columns) if column in declared.chance_means]
    if not kept or block.values.shape[1] == 1:
        return None
    moved = block.values if exact else block.values[:, 1:]
    # Column by column, so that the last digits of a mean depend only on its numbers.
    means = [np.ascontiguousarray(moved[:, :, i]).mean(axis=1) for i in kept]
    return _named(BY_CHANCE, tuple(block.columns[i] for i in kept)), np.stack(means, axis=1)


def with_unit_tests(
    block: t.AlikeRows, declared: ObservationDeclaration, *, exact: bool
) -> tuple[tuple[t.Column, ...], t.Floats, t.Floats]:
    """Columns and values with those of `TESTED`, and the p of each unit's real label permutation, shape (units,).

    Every label permutation gets the p that it would have as the real labels. So the columns have a
    null distribution, and ``expected_significant`` is the exact share of label permutations with p < 0.05.
    The smallest reachable p decides whether the unit is testable at all.
    """
    assert declared.tests_units is not None
    within, strictly = declared.tests_within, declared.tests_strictly
    statistic = block.values[:, :, block.columns.index(declared.tests_units)]
    permutations = statistic.shape[1]
    limits = statistic + TIE if strictly else statistic - TIE
    if permutations <= FEW:
        below = (statistic[:, np.newaxis] < limits[:, :, np.newaxis]).sum(axis=-1)
    else:
        each = zip(statistic, limits, strict=True)
        below = np.stack([np.searchsorted(np.sort(own), limit) for own, limit in each])
    at_least = permutations - below
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
