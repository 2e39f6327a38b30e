"""Ask, score, observe: units of cases into a ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.auditing.ledger import Ledger, Origin
from fairbrief.errors import DataError, MissingExtra
from fairbrief.nouns import Ask, Cases, Column, Floats, Reason, Rows, Scorer, Scores
from fairbrief.statistics import LabelDraws

TESTED: tuple[Column, ...] = (("testable",), ("significant",), ("expected_significant",))
UNIT_LEVEL = 0.05
"""Level of the tests of single units; the papers use p < 0.05."""
TIE = 1e-12
LEFT_OUT = "left out on request: "
"""How the reason begins of a unit that would have ended the audit."""
BATCH = 256
"""Units whose asks are answered at once."""

Unit = tuple[Cases, Origin]
"""The cases that make one row together, and where it comes from."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Carries units into ledgers: gathers what they ask, scores it at once, observes.

    A data error that an observation raises ends the audit, or with ``skips`` leaves the unit out
    with the reason counted. On ``trial`` a scorer whose library is not installed leaves its units out
    with that reason, so that the measure is not taken; later it ends the audit.
    """

    scorers: Mapping[str, Scorer]
    label_draws: LabelDraws
    skips: bool = False
    trial: bool = False
    at_once: int | None = None
    """How many units are scored in one go; `BATCH` if not told."""

    def observe(self, ledger: Ledger, units: Sequence[Unit]) -> None:
        """Write down every unit, in order."""
        step = self.at_once or BATCH
        for start in range(0, len(units), step):
            batch, before = units[start : start + step], len(ledger.origins)
            try:
                self._observe_scored(ledger, batch)
            except MissingExtra as error:
                if not self.trial:
                    raise
                for _, origin in batch[len(ledger.origins) - before :]:
                    ledger.leave_out(origin, str(error))

    def _observe_scored(self, ledger: Ledger, units: Sequence[Unit]) -> None:
        for (cases, origin), scores in self._scored(ledger, units):
            if isinstance(scores, Reason):
                ledger.leave_out(origin, scores.text)
                continue
            try:
                self._observe(ledger, cases, origin, scores)
            except DataError as error:
                ledger.leave_out(origin, self._skipped(error))

    def _scored(self, ledger: Ledger, units: Sequence[Unit]) -> Iterator[tuple[Unit, list[Scores] | Reason]]:
        """Each unit's answered cases with their scores, all asks of one scorer answered in one call."""
        ready: list[tuple[Unit, Sequence[Ask] | Reason]] = []
        for cases, origin in units:
            answered = tuple(case for case in cases if not case.summary.reason)
            ready.append(
                (
                    (answered, origin),
                    self._asked(ledger, answered) if answered else Reason(cases[0].summary.reason),
                )
            )
        asked = [asks for _, asks in ready if not isinstance(asks, Reason)]
        answers: dict[str, Iterator[Scores]] = {}
        for spelling in dict.fromkeys(ask.scorer for asks in asked for ask in asks):
            of_scorer = [ask for asks in asked for ask in asks if ask.scorer == spelling]
            answers[spelling] = iter(self.scorers[spelling].answer(of_scorer))
        for unit, asks in ready:
            yield unit, asks if isinstance(asks, Reason) else [next(answers[ask.scorer]) for ask in asks]

    def _asked(self, ledger: Ledger, cases: Cases) -> Sequence[Ask] | Reason:
        try:
            return ledger.observation.asks(cases)
        except DataError as error:
            return Reason(self._skipped(error))

    def _skipped(self, error: DataError) -> str:
        if not self.skips:
            raise error
        return f"{LEFT_OUT}{_without_place(str(error))}"

    def _observe(self, ledger: Ledger, cases: Cases, origin: Origin, scores: list[Scores]) -> None:
        observation = ledger.observation
        exchange = observation.exchange(cases)
        labellings, choice, exact = np.zeros((1, 0), dtype=np.int64), None, False
        if exchange is not None and ledger.draws:
            labellings, choice, exact = self.label_draws.observed_and_choice(
                origin.cluster if ledger.is_exchanged_by_cluster else origin.record,
                exchange.labels,
                exchange.blocks,
                all_labellings=observation.tests_units is not None,
            )
        elif exchange is not None:
            labellings = exchange.labels[np.newaxis, :]
        rows = observation.observe(cases, scores, labellings)
        if isinstance(rows, Reason):
            ledger.leave_out(origin, rows.text)
            return
        p = np.nan
        if observation.tests_units is not None and len(rows.values) > 1:
            within = getattr(observation, "tests_within", "")
            rows, p = with_unit_test(rows, observation.tests_units, exact=exact, within=within)
        ledger.add(origin, rows, choice, p)


def with_unit_test(rows: Rows, column: Column, *, exact: bool, within: str = "") -> tuple[Rows, float]:
    """Rows with the columns of `TESTED`, and the p of the real labelling.

    ``within`` names a statistic whose columns ``(within, value)`` tell kinds of units apart: the tests
    are then counted by kind as well, in ``("testable", value)`` and so on.

    Every labelling gets the p that it would have had, were it the real one; so the columns have a
    null of their own, and ``expected_significant`` is the exact share of labellings with p < 0.05.
    The smallest reachable p decides whether the unit is testable at all.
    """
    statistic = rows.values[:, rows.columns.index(column)]
    ordered = np.sort(statistic)
    at_least = len(ordered) - np.searchsorted(ordered, statistic - TIE, side="left")
    # With all labellings the real one is among them; sampled ones stand beside it and are counted as one more.
    ps = at_least / len(ordered)
    testable = float(ps.min() < UNIT_LEVEL)
    significant = (ps < UNIT_LEVEL).astype(float)
    added: Floats = np.column_stack(
        [
            np.full(len(ps), testable),
            significant,
            np.full(len(ps), significant.mean() if exact else UNIT_LEVEL * testable),
        ]
    )
    columns, blocks = [*rows.columns, *TESTED], [rows.values, added]
    for i, kind in enumerate(rows.columns):
        if within and kind[0] == within:
            columns += [(*tested, *kind[1:]) for tested in TESTED]
            blocks.append(added * rows.values[:, i : i + 1])
    return Rows(tuple(columns), np.hstack(blocks)), float(ps[0])


def _without_place(message: str) -> str:
    """A reason must be constant to be counted: drop the place that a message starts with."""
    _, separator, rest = message.partition("): ")
    return rest if separator else message
