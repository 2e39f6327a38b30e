"""Scores and observes units of cases and writes them to a ledger. Units whose scores are not numbers are excluded and counted, or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.scored_rows import Drawn, ScoredBatch, observed_together
from fairbrief.errors import BackendError, DataError, MissingExtra
from fairbrief.score_tables import ScoredUnits, ScoreTable
from fairbrief.scorers.calibrated import Calibrated
from fairbrief.statistics.label_permutations import LabelDraws, Labelled, Relabelled, with_real_labels
from fairbrief.types import (
    Ask,
    Cases,
    ExtractObservation,
    Observation,
    PermutationScheme,
    Reason,
    Scorer,
    Scores,
)

LEFT_OUT = "left out on request: "
"""How the reason begins of a unit that would have ended the audit."""
LABELS_AT_ONCE = 1 << 18
"""Labels of units that are observed together."""
BATCH = 512
"""Units that are scored at once."""

Unit = tuple[Cases, Origin]
"""The cases that form one row, and its origin."""
NOTHING = Relabelled("", np.zeros(0, dtype=np.int64), None, None, cyclic=False)
"""The permutation inputs of a unit without labels."""


class _Ready(NamedTuple):
    """A unit that can be scored: its place among all, its answered cases, what it asks, and what of it is relabelled."""

    place: int
    cases: Cases
    asks: Sequence[Ask]
    relabelled: Relabelled


@dataclass(frozen=True, slots=True)
class Observer:
    """Writes units to ledgers: collects their asks, scores them in one call, observes.

    A data error of an observation ends the audit or, with ``skips``, excludes the unit and counts
    the reason. With ``trial``, a scorer whose library is missing excludes its units for that
    reason, so that the measure is dropped; otherwise it ends the audit.
    """

    scorers: Mapping[str, Scorer]
    label_draws: LabelDraws
    skips: bool = False
    trial: bool = False
    at_once: int | None = None
    """Units that are scored in one call; `BATCH` by default."""
    extracts: ExtractDraws | None = None
    """Random extracts to observe as well; None for none."""
    scores_extracts: Callable[[str], bool] = lambda _: True
    """Whether the scorer of this name is to score extracts."""

    def observe(self, ledger: Ledger, units: Sequence[Unit]) -> None:
        """Write down every unit, in order."""
        step = self.at_once or BATCH
        for start in range(0, len(units), step):
            batch, before = units[start : start + step], len(ledger)
            try:
                self._observe_scored(ledger, batch)
            except MissingExtra as error:
                if not self.trial:
                    raise
                for _, origin in batch[len(ledger) - before :]:
                    ledger.leave_out(origin, str(error))

    def _observe_scored(self, ledger: Ledger, units: Sequence[Unit]) -> None:
        left_out: dict[int, str] = {}
        ready = list(self._ready(ledger.observation, units, left_out))
        batch, of_maps = self._scored(ledger.observation, ready, left_out)
        relabelled = [one.relabelled for one in ready if one.place not in left_out]
        done = first = 0
        for labelled in self._labelled(ledger, relabelled):
            stop = first + sum(len(alike.places) for alike in labelled)
            end = len(units) if stop == len(relabelled) else batch.places[stop]
            some = batch.some(range(first, stop))
            self._add(ledger, units[done:end], done, some, labelled, left_out)
            done, first = end, stop
        if not relabelled:
            self._add(ledger, units, 0, batch, (), left_out)
        elif ledger.n_resamples:
            origins = [units[place][1] for place in batch.places]
            for k, table in enumerate(of_maps):
                blocks, _ = self._observed(
                    ledger.observation, batch.scored_by(table), with_real_labels(relabelled)
                )
                ledger.add_of_map(k, origins, blocks)

    def _add(
        self,
        ledger: Ledger,
        units: Sequence[Unit],
        first: int,
        batch: ScoredBatch,
        labelled: Sequence[Labelled],
        left_out: Mapping[int, str],
    ) -> None:
        """Observe units and write them down in their order. The ``first`` of them is that of the batch."""
        blocks, reasons = self._observed(ledger.observation, batch, labelled)
        place = np.array(batch.places, dtype=np.int64) - first
        ledger.write(
            [origin for _, origin in units],
            [replace(block, units=place[block.units]) for block in blocks],
            {
                **{i - first: why for i, why in left_out.items() if 0 <= i - first < len(units)},
                **{int(place[j]): why for j, why in reasons.items()},
            },
        )

    def _observed(
        self, observation: Observation, batch: ScoredBatch, labelled: Sequence[Labelled]
    ) -> tuple[list[RowBlock], dict[int, str]]:
        """The rows of the units, and reasons for units without a row."""
        try:
            return observed_together(observation, batch, labelled)
        except DataError as error:
            if len(batch.places) == 1:
                return [], {0: self._skipped(error)}
        blocks: list[RowBlock] = []
        reasons: dict[int, str] = {}
        each = {j: (alike, k) for alike in labelled for k, j in enumerate(alike.places)}
        for j, (alike, k) in sorted(each.items()):
            found, why = self._observed(observation, batch.some([j]), [alike.alone(k)])
            blocks += [replace(block, units=block.units + j) for block in found]
            if why:
                reasons[j] = why[0]
        return blocks, reasons

    def _ready(
        self, observation: Observation, units: Sequence[Unit], left_out: dict[int, str]
    ) -> Iterator[_Ready]:
        """The units that have an answered case; adds why others have none."""
        for i, (cases, origin) in enumerate(units):
            if len(cases) > 1 or cases[0].summary.reason:
                answered = tuple([case for case in cases if not case.summary.reason])
                if not answered:
                    left_out[i] = cases[0].summary.reason
                    continue
                cases = answered
            try:
                asks, scheme = observation.asks(cases), observation.permutation_scheme(cases)
                yield _Ready(i, cases, asks, NOTHING if scheme is None else _relabelling(scheme, origin))
            except DataError as error:
                left_out[i] = self._skipped(error)

    def _scored(
        self, observation: Observation, ready: Sequence[_Ready], left_out: dict[int, str]
    ) -> tuple[ScoredBatch, Iterator[ScoreTable]]:
        """The units with their scores; all asks of one scorer go in one call. Adds reasons for unusable units.

        Also the scores under each calibration map of resampled labels, for a calibrated scorer.
        """
        own, drawn = [one.asks for one in ready], list[Drawn]()
        asked = own
        if self.extracts is not None and isinstance(observation, ExtractObservation):
            draws_all = observation.declaration.draws_unscored
            wanted = [j for j, one in enumerate(ready) if one.asks or draws_all]
            drawn = self._drawn(self.extracts, observation, ready, wanted)
            asked = [
                (*asks, *more[1]) if isinstance(more, tuple) else asks
                for asks, more in zip(own, drawn, strict=True)
            ]
        n_own, n_asked = (np.array(list(map(len, asks)), dtype=np.int64) for asks in (own, asked))
        tables, ends = self._answers(list(chain.from_iterable(asked))), np.cumsum(n_asked)
        table = next(tables)
        scored = ScoredUnits([one.cases for one in ready], table, ends - n_asked, n_own)
        batch = ScoredBatch([one.place for one in ready], scored, drawn)
        if are_finite(table):
            return batch, tables
        usable = []
        for j, (asks, end) in enumerate(zip(asked, ends.tolist(), strict=True)):
            reason = why_unusable(observation, asks, [table[i] for i in range(end - len(asks), end)])
            if reason is None:
                usable.append(j)
            else:
                left_out[batch.places[j]] = reason.text
        return batch.some(usable), tables

    def _drawn(
        self, draws: ExtractDraws, reader: ExtractObservation, ready: Sequence[_Ready], wanted: Sequence[int]
    ) -> list[Drawn]:
        """Random extracts of the records of the wanted units, with what they ask; None where this audit takes none."""
        drawn: list[Drawn] = [None] * len(ready)
        for j, extracts in zip(wanted, draws.extracts_of([ready[j].cases for j in wanted]), strict=True):
            if isinstance(extracts, Reason):
                drawn[j] = extracts
                continue
            asks = reader.extract_asks(ready[j].cases, extracts)
            if all(self.scores_extracts(ask.scorer) for ask in asks):
                drawn[j] = extracts, asks
        return drawn

    def _answers(self, asks: Sequence[Ask]) -> Iterator[ScoreTable]:
        """The scores of asks, in order; then those under each map of calibrated scorers."""
        if not asks:
            yield ScoreTable.of([])
            return
        specs = dict.fromkeys([ask.scorer for ask in asks])
        places = [[i for i, ask in enumerate(asks) if ask.scorer == spec] for spec in specs]
        scorers = [self.scorers[spec] for spec in specs]
        each = [_tables(one, [asks[i] for i in own]) for one, own in zip(scorers, places, strict=True)]
        order = np.argsort(list(chain.from_iterable(places)))
        has_maps = any(isinstance(one, Calibrated) for one in scorers)
        for tables in zip(*each, strict=False):
            yield tables[0] if len(tables) == 1 else ScoreTable.joined(tables).ordered(order)
            if not has_maps:
                return

    def _skipped(self, error: DataError) -> str:
        if not self.skips:
            raise error
        return f"{LEFT_OUT}{_what_is_wrong(str(error))}"

    def _labelled(self, ledger: Ledger, asked: Sequence[Relabelled]) -> Iterator[Sequence[Labelled]]:
        """The label permutations of units, as many at once as memory allows."""
        if ledger.n_resamples:
            tests_units = ledger.observation.declaration.tests_units is not None
            yield from self.label_draws.of_many(asked, all_permutations=tests_units, at_once=LABELS_AT_ONCE)
        elif asked:
            yield with_real_labels(asked)


def _tables(scorer: Scorer, asks: Sequence[Ask]) -> Iterator[ScoreTable]:
    """The answers of a scorer; of one that has maps of resampled labels those by each, of others the same again."""
    if isinstance(scorer, Calibrated):
        return scorer.tables(asks)
    return repeat(ScoreTable.of(scorer.answer(asks)))


def _relabelling(scheme: PermutationScheme, origin: Origin) -> Relabelled:
    """The permutation inputs of a unit."""
    items = scheme.items if origin.is_shared else None
    return Relabelled(
        origin.cluster if scheme.is_together or items is not None else origin.record,
        scheme.labels,
        scheme.blocks,
        items() if callable(items) else items,
        scheme.cyclic,
    )


def _what_is_wrong(message: str) -> str:
    """A reason must be constant to be counted: drop the place that a message starts with; and what to do about it."""
    _, separator, rest = message.partition("): ")
    return (rest if separator else message).partition(". ")[0].removesuffix(".")


NO_NUMBER = "a score that is not a number, from "


def why_unusable(observation: Observation, asks: Sequence[Ask], scores: Sequence[Scores]) -> Reason | None:
    """The reason why these scores are unusable; None if all are finite.

    An observation that declares ``reads_unstated`` accepts nan, which means a reply without a score.
    """
    allows_nan = observation.declaration.reads_unstated
    for ask, answer in zip(asks, scores, strict=True):
        if not _is_finite(answer) and not (allows_nan and not np.isinf(answer.matrix).any()):
            return Reason(f"{NO_NUMBER}{ask.scorer}")
    return None


def are_finite(answers: ScoreTable) -> bool:
    """Whether all numbers of all answers are finite."""
    return bool(np.isfinite(answers.cells).all() and np.isfinite(answers.sizes).all())


def finite(asks: Sequence[Ask], answers: Iterable[Scores]) -> Iterator[Scores]:
    """The answers, one per ask; BackendError at the first that is not all numbers."""
    for ask, answer in zip(asks, answers, strict=True):
        if not _is_finite(answer):
            raise BackendError(_refusal(ask.scorer))
        yield answer


def refuse_unscored(ledgers: Iterable[Ledger]) -> None:
    """BackendError where an observation has no row and some of its scores were not numbers."""
    for ledger in ledgers:
        named = next((reason for reason in ledger.known_reasons if reason.startswith(NO_NUMBER)), None)
        if named is not None and not ledger.kept():
            raise BackendError(_refusal(named.removeprefix(NO_NUMBER)))


def _is_finite(answer: Scores) -> bool:
    return bool(np.isfinite(answer.matrix).all() and np.isfinite(answer.sizes).all())


def _refusal(scorer: str) -> str:
    return (
        f"The scorer {scorer} gives scores that are not numbers (nan or infinite), so that nothing can be said. "
        "Try dtype=fp32 where it holds a model; in a scorer of your own, look where it divides; then empty its --cache."
    )
