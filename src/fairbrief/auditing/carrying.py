"""One shard through ask → score → observe: what an engine does, here or in another process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairbrief.auditing.gathering import Scope, alone
from fairbrief.auditing.ledger import Sheet
from fairbrief.auditing.observing import Observer, Unit
from fairbrief.auditing.scorers import NeedsModel, Scorers
from fairbrief.errors import FairbriefError, RequestError
from fairbrief.nouns import Measure, Observation
from fairbrief.statistics import LabelDraws


@dataclass(frozen=True, slots=True)
class Shard:
    """Units that are carried together, and summed together before they are added to all others.

    Single cases (``case``) serve every observation that looks at one at a time; gathered variants
    (``block``, ``cluster``) those of that scope.
    """

    scope: Scope
    units: Sequence[Unit]
    cases: int = 0
    """How many cases of the input it brings; controls, and gathered cases, came with others."""

    def of(self, observation: Observation) -> Sequence[Unit]:
        """The units that an observation looks at."""
        if self.scope == "case":
            return alone(observation, self.units)
        return self.units if observation.scope == self.scope else ()


Outcome = Sheet | FairbriefError | None
"""What one observation wrote down; why it could not; None: a model is needed, which the sender has."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of a shard: an outcome per observation, up to the first error; the scorers that were asked."""

    outcomes: tuple[Outcome, ...]
    scorers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Carrying:
    """Carries shards. Called with equal shards it gives equal sheets, in whichever process and order."""

    observations: Sequence[Observation]
    scorers: Scorers
    draws: int
    seed: int
    skips: bool = False
    trial: bool = False
    _need_models: set[Observation] = field(default_factory=set)

    def __call__(self, shard: Shard) -> Carried:
        """All observations of one shard."""
        outcomes = tuple(self._outcomes(shard, self.label_draws()))
        return Carried(outcomes, tuple(self.scorers))

    def label_draws(self) -> LabelDraws:
        """Labellings that the observations of one shard share."""
        return LabelDraws(max(self.draws, 1), self.seed)

    def sheet(self, observation: Observation, shard: Shard, draws: LabelDraws) -> Sheet:
        """One observation of a shard."""
        sheet = Sheet(observation, self.draws)
        Observer(self.scorers, draws, self.skips, self.trial).observe(sheet, shard.of(observation))
        return sheet

    def elsewhere(self, measures: Sequence[Measure]) -> Carrying:
        """The same for other processes, which hold no models; RequestError names what cannot go there."""
        sent = replace(self, scorers=self.scorers.without_models())
        for measure in measures:
            _refuse_unsendable(f"The measure {measure!r}", measure.observation)
        for name, scorer in sent.scorers.given.items():
            _refuse_unsendable(f"The scorer {name}", scorer)
        _refuse_unsendable("What wraps the scorers", sent.scorers.wrap)
        return sent

    def _outcomes(self, shard: Shard, draws: LabelDraws) -> Iterator[Outcome]:
        for observation in self.observations:
            if observation in self._need_models:
                yield None
                continue
            try:
                yield self.sheet(observation, shard, draws)
            except NeedsModel:
                self._need_models.add(observation)
                yield None
            except FairbriefError as error:
                yield error
                return


def _refuse_unsendable(what: str, thing: Any) -> None:
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RequestError(
            f"{what} cannot be sent to other processes ({error}). Define its class at the top of a module that can "
            f"be imported, or leave workers at 1."
        ) from error
