"""Ask, score, observe: units of cases into a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.scored_rows import Drawn, Labelled, ScoredBatch, observed_together
from fairbrief.auditing.unusable_scores import are_finite, why_unusable
from fairbrief.errors import DataError, MissingExtra
from fairbrief.score_tables import ScoredUnits, ScoreTable
from fairbrief.statistics import LabelDraws, Relabelled
from fairbrief.types import (
    Ask,
    Cases,
    ExtractObservation,
    Integers,
    Observation,
    Reason,
    Scorer,
)

LEFT_OUT = "left out on request: "
"""How the reason begins of a unit that would have ended the audit."""
LABELS_AT_ONCE = 1 << 18
"""Labels of units that are observed together."""
BATCH = 512
"""Units whose asks are answered at once."""

Unit = tuple[Cases, Origin]
"""The cases that make one row together, and where it comes from."""
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
        batch = self._scored(ledger.observation, self._asked(ledger.observation, units, left_out), left_out)
        relabelled: list[_Relabelling] = []
        ready: list[int] = []
        for j, (i, cases) in enumerate(zip(batch.places, batch.units.cases, strict=True)):
            try:
                relabelled.append(self._relabelling(ledger, cases, units[i][1]))
                ready.append(j)
            except DataError as error:
                left_out[i] = self._skipped(error)
        batch = batch.some(ready)
        done = first = held = 0
        for j, labelled in enumerate(self._labelled(ledger, relabelled)):
            batch.labelled.append(labelled)
            held += labelled.labellings.size
            if held > LABELS_AT_ONCE:
                i = batch.places[j]
                self._add(ledger, units[done : i + 1], done, batch.some(range(first, j + 1)), left_out)
                done, first, held = i + 1, j + 1, 0
        self._add(ledger, units[done:], done, batch.some(range(first, len(ready))), left_out)

    def _add(
        self,
        ledger: Ledger,
        units: Sequence[Unit],
        first: int,
        batch: ScoredBatch,
        left_out: Mapping[int, str],
    ) -> None:
        """Observe units and write them down in their order. The ``first`` of them is that of the batch."""
        blocks, reasons = self._observed(ledger.observation, batch)
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
        self, observation: Observation, batch: ScoredBatch
    ) -> tuple[list[RowBlock], dict[int, str]]:
        """What is seen in the units; and of those in which nothing is, why."""
        try:
            return observed_together(observation, batch)
        except DataError as error:
            if len(batch.places) == 1:
                return [], {0: self._skipped(error)}
        blocks: list[RowBlock] = []
        reasons: dict[int, str] = {}
        for j in range(len(batch.places)):
            found, why = self._observed(observation, batch.some([j]))
            blocks += [replace(block, units=block.units + j) for block in found]
            if why:
                reasons[j] = why[0]
        return blocks, reasons

    def _asked(
        self, observation: Observation, units: Sequence[Unit], left_out: dict[int, str]
    ) -> tuple[list[int], list[Cases], list[Sequence[Ask]]]:
        """Which units ask something of their answered cases, or nothing; these cases; what is asked. Adds why others do not."""
        places: list[int] = []
        answered: list[Cases] = []
        asked: list[Sequence[Ask]] = []
        for i, (cases, _) in enumerate(units):
            unanswered = [case.summary.reason for case in cases if case.summary.reason]
            if len(unanswered) == len(cases):
                left_out[i] = unanswered[0]
                continue
            if unanswered:
                cases = tuple([case for case in cases if not case.summary.reason])
            try:
                asked.append(observation.asks(cases))
            except DataError as error:
                left_out[i] = self._skipped(error)
            else:
                places.append(i)
                answered.append(cases)
        return places, answered, asked

    def _scored(
        self,
        observation: Observation,
        asking: tuple[list[int], list[Cases], list[Sequence[Ask]]],
        left_out: dict[int, str],
    ) -> ScoredBatch:
        """The units with the answers to what they ask, all asks of one scorer answered in one call; adds why some cannot be used."""
        places, cases, asked = asking
        own = np.array(list(map(len, asked)), dtype=np.int64)
        drawn: list[Drawn] = []
        if self.extracts is not None and isinstance(observation, ExtractObservation):
            drawn, asked = self._with_extracts(self.extracts, observation, cases, asked)
        table = self._answers(list(chain.from_iterable(asked)))
        ends = np.cumsum(list(map(len, asked)), dtype=np.int64)
        first = ends - np.diff(ends, prepend=0)
        batch = ScoredBatch(places, ScoredUnits(cases, table, first, own), drawn)
        if are_finite(table):
            return batch
        why = [
            why_unusable(observation, asks, table[end - len(asks) : end])
            for asks, end in zip(asked, ends.tolist(), strict=True)
        ]
        left_out |= {i: reason.text for i, reason in zip(places, why, strict=True) if reason is not None}
        return batch.some([j for j, reason in enumerate(why) if reason is None])

    def _answers(self, asks: Sequence[Ask]) -> ScoreTable:
        """The answers to asks of any scorers, in their order."""
        if not asks:
            return ScoreTable.of([])
        specs = dict.fromkeys([ask.scorer for ask in asks])
        places = [[i for i, ask in enumerate(asks) if ask.scorer == spec] for spec in specs]
        tables = [
            ScoreTable.of(self.scorers[spec].answer([asks[i] for i in own]))
            for spec, own in zip(specs, places, strict=True)
        ]
        if len(tables) == 1:
            return tables[0]
        return ScoreTable.joined(tables).ordered(np.argsort(list(chain.from_iterable(places))))

    def _with_extracts(
        self,
        draws: ExtractDraws,
        reader: ExtractObservation,
        cases: Sequence[Cases],
        asked: Sequence[Sequence[Ask]],
    ) -> tuple[list[Drawn], list[Sequence[Ask]]]:
        """Random extracts of the units' records, and what units ask with these; without where this audit takes none."""
        found: list[Drawn] = [None] * len(cases)
        wanted = [j for j, asks in enumerate(asked) if asks]
        with_more = list(asked)
        for j, extracts in zip(wanted, draws.of_many([cases[j] for j in wanted]), strict=True):
            if isinstance(extracts, Reason):
                found[j] = extracts
                continue
            more = reader.extract_asks(cases[j], extracts)
            if all(self.scores_extracts(ask.scorer) for ask in more):
                found[j], with_more[j] = (extracts, len(more)), (*asked[j], *more)
        return found, with_more

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
        items = scheme.items if origin.is_shared else None
        return Relabelled(
            origin.cluster if together else origin.record,
            scheme.labels,
            scheme.blocks,
            items() if callable(items) else items,
            scheme.cyclic,
        )

    def _labelled(self, ledger: Ledger, asked: Sequence[_Relabelling]) -> Iterator[Labelled]:
        """The labellings of units."""
        anew = self.label_draws.of_each(
            [one for one in asked if isinstance(one, Relabelled)],
            all_labellings=ledger.observation.declaration.tests_units is not None,
        )
        for one in asked:
            if isinstance(one, Relabelled):
                yield Labelled(*next(anew))
            else:
                yield Labelled(one[np.newaxis, :], None, exact=False)


def _what_is_wrong(message: str) -> str:
    """A reason must be constant to be counted: drop the place that a message starts with; and what to do about it."""
    _, separator, rest = message.partition("): ")
    return (rest if separator else message).partition(". ")[0].removesuffix(".")
