"""One shard through ask → score → observe: what an engine does, here or in another process."""

from __future__ import annotations

import pickle
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fairbrief.auditing.examples import TopCases
from fairbrief.auditing.extracts import N_EXTRACTS, ExtractDraws
from fairbrief.auditing.grouping import Scope, alone
from fairbrief.auditing.ledger import Ledger
from fairbrief.auditing.observing import Observer, Unit
from fairbrief.auditing.origins import Origin
from fairbrief.auditing.scorer_lookup import NeedsModel, Scorers
from fairbrief.errors import RequestError
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.text import languages
from fairbrief.types import Case, Measure, Observation

Random = tuple[LabelDraws, ExtractDraws | None]


@dataclass(frozen=True, slots=True)
class Shard:
    """Units that are carried together, and summed together before they are added to all others.

    Single cases (``case``) serve every observation that looks at one at a time; gathered variants
    (``block``, ``cluster``) those of that scope.
    """

    scope: Scope
    units: Sequence[Unit]
    cases: int = 0
    """How many cases of the input it brings; sanity baselines, and gathered cases, came with others."""

    def of(self, observation: Observation) -> Sequence[Unit]:
        """The units that an observation looks at."""
        if self.scope == "case":
            return alone(observation, self.units)
        return self.units if observation.declaration.scope == self.scope else ()


Sheets = tuple[Sequence[Ledger | None], Sequence[str]]
"""What became of a shard: what each observation wrote down, None where it needs a model, which the sender has; and the scorers that were asked."""


@dataclass(frozen=True, slots=True)
class ShardWork:
    """The work done on every shard. Equal shards give equal rows, in any process and order."""

    observations: Sequence[Observation]
    scorers: Scorers
    n_resamples: int
    seed: int
    skips: bool = False
    trial: bool = False
    n_extracts: int | None = 0
    _need_models: set[Observation] = field(default_factory=set)
    language: languages.Setting | None = None
    """The language of the main process; this process already uses it."""

    def __call__(self, shard: Shard) -> Sheets:
        """All observations of one shard."""
        with languages.using(self.language or languages.setting()):
            random = self.random_draws()
            sheets = [self._sheet_here(observation, shard, random) for observation in self.observations]
        return sheets, tuple(self.scorers)

    def random_draws(self) -> Random:
        """Labellings and extracts that the observations of one shard share."""
        permutations = LabelDraws(max(self.n_resamples, 1), self.seed)
        if self.n_extracts == 0:
            return permutations, None
        return permutations, ExtractDraws(
            N_EXTRACTS if self.n_extracts is None else self.n_extracts, self.seed
        )

    def sheet(self, observation: Observation, shard: Shard, random: Random) -> Ledger:
        """One observation of a shard; the receiver knows the origins of its rows."""
        sheet = Ledger(observation, self.n_resamples, whose=None)
        permutations, extracts = random
        observer = Observer(
            self.scorers, permutations, self.skips, self.trial,
            extracts=extracts, scores_extracts=self.scorers.is_cheap if self.n_extracts is None else _any,
        )  # fmt: skip
        observer.observe(sheet, shard.of(observation))
        return sheet

    def elsewhere(self, measures: Sequence[Measure], *, makes_models: bool) -> ShardWork:
        """The same for other processes, which may make models; RequestError names what cannot go there."""
        scorers = self.scorers.elsewhere(makes_models=makes_models)
        sent = replace(self, scorers=scorers, language=languages.setting())
        for measure in measures:
            _refuse_unsendable(f"The measure {measure!r}", measure.observation)
        for name, scorer in sent.scorers.given.items():
            _refuse_unsendable(f"The scorer {name}", scorer)
        _refuse_unsendable("What wraps the scorers", sent.scorers.wrap)
        return sent

    def _sheet_here(self, observation: Observation, shard: Shard, random: Random) -> Ledger | None:
        if observation not in self._need_models:
            try:
                return self.sheet(observation, shard, random)
            except NeedsModel:
                self._need_models.add(observation)
        return None


def _any(_: str) -> bool:
    return True


def _refuse_unsendable(what: str, thing: Any) -> None:
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RequestError(
            f"{what} cannot be sent to other processes ({error}). Define its class at the top of a module that can "
            f"be imported, or leave workers at 1."
        ) from error


@dataclass(eq=False)
class Observed:
    """Rows and sums of some cases, and everything else that they add to an audit.

    ``aside`` are cases of a part that must be observed together with others, possibly of other parts; ``unscored`` the shards
    of observations (by number) that need a model, which the receiver has; ``digest`` is a sum of hashes of all texts.
    """

    ledgers: list[Ledger]
    top_cases: TopCases
    aside: list[tuple[Case, Origin]] = field(default_factory=list)
    unscored: list[tuple[int, Shard]] = field(default_factory=list)
    cases: int = 0
    summaries: Counter[str] = field(default_factory=Counter)
    without_text: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ids: array[int] = field(default_factory=lambda: array("q"))
    digest: int = 0
    asked: tuple[str, ...] = ()
    """The scorers that were asked in a part."""
