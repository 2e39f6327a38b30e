"""Ask, score, observe: units of cases into a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.scored_rows import Drawn, Scored, observed_together
from fairbrief.auditing.unusable_scores import are_finite, why_unusable
from fairbrief.errors import DataError, MissingExtra
from fairbrief.statistics import Choice, LabelDraws, Relabelled
from fairbrief.types import (
    Ask,
    Cases,
    ExtractObservation,
    Integers,
    Observation,
    Reason,
    Scorer,
    Scores,
)

LEFT_OUT = "left out on request: "
"""How the reason begins of a unit that would have ended the audit."""
LABELS_AT_ONCE = 1 << 18
"""Labels of units that are observed together."""
BATCH = 256
"""Units whose asks are answered at once."""

Unit = tuple[Cases, Origin]
"""The cases that make one row together, and where it comes from."""
_Ready = tuple[Unit, Drawn, Sequence[Ask] | Reason]
"""A unit with its extracts and all that it asks, or why it asks nothing."""
_Relabelling = Relabelled | Integers
"""What of a unit is labelled anew; its labels, where none is."""
_NO_LABELS: Integers = np.zeros(0, dtype=np.int64)


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
    extracts: ExtractDraws | None = None
    """Random extracts to observe beside the summaries; None: none."""
    scores_extracts: Callable[[str], bool] = lambda _: True
    """Whether the scorer of this name is to score extracts."""

    def observe(self, ledger: Ledger, units: Sequence[Unit]) -> None:
        """Write down every unit, in order."""
        step = self.at_once or BATCH
        for start in range(0, len(units), step):
            batch, before = units[start : start + step], len(ledger.reasons)
            try:
                self._observe_scored(ledger, batch)
            except MissingExtra as error:
                if not self.trial:
                    raise
                for _, origin in batch[len(ledger.reasons) - before :]:
                    ledger.leave_out(origin, str(error))

    def _observe_scored(self, ledger: Ledger, units: Sequence[Unit]) -> None:
        left_out: dict[int, str] = {}
        ready: list[tuple[int, _Relabelling]] = []
        scored = list(self._scored(ledger, units))
        for i, ((cases, origin), _, scores) in enumerate(scored):
            if isinstance(scores, Reason):
                left_out[i] = scores.text
                continue
            try:
                ready.append((i, self._relabelling(ledger, cases, origin)))
            except DataError as error:
                left_out[i] = self._skipped(error)
        drawn: list[tuple[int, Scored]] = []
        done = held = 0
        labelled = self._labelled(ledger, [one for _, one in ready])
        for (i, _), (labellings, choice, exact) in zip(ready, labelled, strict=True):
            (cases, _), extracts, found = scored[i]
            scores, of_extracts = cast("list[Scores]", found), []
            if isinstance(extracts, tuple):
                scores, of_extracts = scores[: len(scores) - extracts[1]], scores[len(scores) - extracts[1] :]
            drawn.append((i, Scored(cases, scores, extracts, of_extracts, labellings, choice, exact)))
            held += labellings.size
            if held > LABELS_AT_ONCE:
                self._add(ledger, units[done : i + 1], done, drawn, left_out)
                drawn, done, held = [], i + 1, 0
        self._add(ledger, units[done:], done, drawn, left_out)

    def _add(
        self,
        ledger: Ledger,
        units: Sequence[Unit],
        first: int,
        drawn: Sequence[tuple[int, Scored]],
        left_out: Mapping[int, str],
    ) -> None:
        """Observe units and write them down in their order. The ``first`` of them is that of the batch."""
        blocks, reasons = self._observed(ledger.observation, [one for _, one in drawn])
        place = np.array([i - first for i, _ in drawn], dtype=np.int64)
        ledger.write(
            [origin for _, origin in units],
            [replace(block, units=place[block.units]) for block in blocks],
            {
                **{i - first: why for i, why in left_out.items() if 0 <= i - first < len(units)},
                **{int(place[i]): why for i, why in reasons.items()},
            },
        )

    def _observed(
        self, observation: Observation, units: Sequence[Scored]
    ) -> tuple[list[RowBlock], dict[int, str]]:
        """What is seen in the units; and of those in which nothing is, why."""
        try:
            return observed_together(observation, units)
        except DataError as error:
            if len(units) == 1:
                return [], {0: self._skipped(error)}
        blocks: list[RowBlock] = []
        reasons: dict[int, str] = {}
        for i, unit in enumerate(units):
            found, why = self._observed(observation, [unit])
            blocks += [replace(block, units=block.units + i) for block in found]
            reasons |= {i + j: text for j, text in why.items()}
        return blocks, reasons

    def _scored(
        self, ledger: Ledger, units: Sequence[Unit]
    ) -> Iterator[tuple[Unit, Drawn, list[Scores] | Reason]]:
        """Each unit's answered cases with their extracts and scores, all asks of one scorer answered in one call."""
        ready: list[_Ready] = []
        observation = ledger.observation
        reader = observation if isinstance(observation, ExtractObservation) else None
        for cases, origin in units:
            answered = tuple(case for case in cases if not case.summary.reason)
            asks = self._asked(ledger, answered) if answered else Reason(cases[0].summary.reason)
            ready.append(((answered, origin), None, asks))
        if self.extracts is not None and reader is not None:
            ready = self._with_extracts(self.extracts, reader, ready)
        asked = [asks for _, _, asks in ready if not isinstance(asks, Reason)]
        answers: dict[str, Iterator[Scores]] = {}
        is_usable = True
        for spec in dict.fromkeys(ask.scorer for asks in asked for ask in asks):
            of_scorer = [ask for asks in asked for ask in asks if ask.scorer == spec]
            found = list(self.scorers[spec].answer(of_scorer))
            is_usable = is_usable and are_finite(found)
            answers[spec] = iter(found)
        for unit, drawn, asks in ready:
            if isinstance(asks, Reason):
                yield unit, drawn, asks
                continue
            scores = [next(answers[ask.scorer]) for ask in asks]
            why = None if is_usable else why_unusable(observation, asks, scores)
            yield unit, drawn, why or scores

    def _with_extracts(
        self, draws: ExtractDraws, reader: ExtractObservation, ready: Sequence[_Ready]
    ) -> list[_Ready]:
        """The units with random extracts of their records, and what these ask; without where this audit takes none."""
        wanted = [i for i, (_, _, asks) in enumerate(ready) if asks and not isinstance(asks, Reason)]
        found = list(ready)
        for i, extracts in zip(wanted, draws.of_many([ready[i][0][0] for i in wanted]), strict=True):
            unit, _, asks = ready[i]
            if isinstance(extracts, Reason):
                found[i] = unit, extracts, asks
                continue
            more = reader.extract_asks(unit[0], extracts)
            if all(self.scores_extracts(ask.scorer) for ask in more):
                found[i] = unit, (extracts, len(more)), (*cast("Sequence[Ask]", asks), *more)
        return found

    def _asked(self, ledger: Ledger, cases: Cases) -> Sequence[Ask] | Reason:
        try:
            return ledger.observation.asks(cases)
        except DataError as error:
            return Reason(self._skipped(error))

    def _skipped(self, error: DataError) -> str:
        if not self.skips:
            raise error
        return f"{LEFT_OUT}{_what_is_wrong(str(error))}"

    def _relabelling(self, ledger: Ledger, cases: Cases, origin: Origin) -> _Relabelling:
        """What of a unit is labelled anew; or its labels as they are."""
        scheme = ledger.observation.permutation_scheme(cases)
        if scheme is None:
            return _NO_LABELS
        if not ledger.n_resamples:
            return scheme.labels
        together = scheme.is_together or (origin.is_shared and scheme.items is not None)
        return Relabelled(
            origin.cluster if together else origin.record,
            scheme.labels,
            scheme.blocks,
            scheme.items if origin.is_shared else None,
            scheme.cyclic,
        )

    def _labelled(
        self, ledger: Ledger, asked: Sequence[_Relabelling]
    ) -> Iterator[tuple[Integers, Choice | None, bool]]:
        """The labellings of units, the real one first; which of them each resample takes; whether all are listed."""
        anew = self.label_draws.of_each(
            [one for one in asked if isinstance(one, Relabelled)],
            all_labellings=ledger.observation.declaration.tests_units is not None,
        )
        for one in asked:
            yield next(anew) if isinstance(one, Relabelled) else (one[np.newaxis, :], None, False)


def _what_is_wrong(message: str) -> str:
    """A reason must be constant to be counted: drop the place that a message starts with; and what to do about it."""
    _, separator, rest = message.partition("): ")
    return (rest if separator else message).partition(". ")[0].removesuffix(".")
