"""Scores that a chat model states for a pair of texts: asked, read, counted where they cannot be read."""

from __future__ import annotations

import copy
import hashlib
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np

from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import Decoding, Endpoint
from fairbrief.chat.replies import UNANSWERED, Question, Tally
from fairbrief.chat.spending import Budget
from fairbrief.errors import BackendError
from fairbrief.scorers import pairs
from fairbrief.scorers.progress import Meter
from fairbrief.types import Ask, Floats, Scorer, Scores

SHOWN = 3


@dataclass(frozen=True, slots=True, repr=False)
class ChatJudge(pairs.KeyedScorer, Endpoint):
    """A scorer that asks a chat model for a number, one question per pair of texts.

    What a judge says of itself: what it asks (`worded`), what decides the answer besides (`kind`, `wording`), what a
    reply states (`read`), and what a number counts (`assemble`).
    """

    version: ClassVar[int] = 1
    _: KW_ONLY
    temperature: float = 0.0
    max_tokens: int | None = None
    _tally: Tally = field(default_factory=Tally, compare=False, init=False)
    _budget: Budget = field(default_factory=Budget, compare=False, init=False)

    @property
    @abstractmethod
    def kind(self) -> str:
        """Which of its questions it asks."""

    @property
    @abstractmethod
    def wording(self) -> str:
        """The words of the question, without the texts."""

    @abstractmethod
    def worded(self, pair: pairs.Key) -> str:
        """The question about a pair of texts."""

    @abstractmethod
    def read(self, reply: str) -> float | None:
        """The number that a reply states; None where it states none."""

    def assemble(self, asks: Sequence[Ask], arrays: pairs.Arrays) -> Iterator[Scores]:
        """The answers, from each pair's number."""
        return pairs.matrices(asks, arrays, lambda array: float(array[0]))

    @property
    def computed_by(self) -> str:
        """What decides a stated number: the reading's version, model, address, kind and words of the question."""
        told = hashlib.sha256(self.wording.encode()).hexdigest()[:12]
        return (
            f"{self.name}/{self.version} {self.model}@{self.shown} {self.kind} {told} temperature={self.temperature}"
            + (f" max_tokens={self.max_tokens}" if self.max_tokens else "")
        )

    def question(self, pair: pairs.Key) -> Question:
        """What the model is asked about a pair."""
        decoding = Decoding(temperature=self.temperature, max_tokens=self.max_tokens)
        return Question((("user", self.worded(pair)),), tuple(decoding.sent().items()))

    def compute(self, keys: Sequence[pairs.Key]) -> Iterator[Mapping[pairs.Key, Floats]]:
        """The number that the model states for each pair, nan where its reply states none; batches as they come.

        Replies without a number are counted on standard error. BackendError, after all others have been yielded,
        where some pairs found no answer at all; BudgetSpent, likewise, where the budget was not enough.
        """
        questions = ((key, self.question(key)) for key in keys)
        meter = Meter(self.name, len(keys))
        unparsed: list[str] = []
        unanswered: list[str] = []
        for batch in replies(self, questions, self._tally, self._budget):
            found: dict[pairs.Key, Floats] = {}
            for key, reply in batch:
                if reply.reason == UNANSWERED:
                    unanswered.append(reply.detail)
                    continue
                value = None if reply.reason else self.read(reply.text)
                if value is None:
                    unparsed.append(reply.text)
                found[key] = np.array([np.nan if value is None else value])
            meter.add(len(batch))
            yield found
        if unparsed:
            shown = "; ".join(repr(text[:80]) for text in unparsed[:SHOWN])
            sys.stderr.write(
                f"fairbrief: {self.name}: {len(unparsed):,} of {len(keys):,} replies state no number, e.g. {shown}\n"
            )
        if unanswered:
            raise BackendError(
                f"{self.name}: {len(unanswered):,} of {len(keys):,} pairs found no answer; the last said: {unanswered[-1]}. "
                "Run the same command again, with --cache FILE, to ask for those alone."
            )


def within(
    budget: Budget,
    tally: Tally,
    pace: Mapping[str, str],
    scorer: Scorer,
    then: Callable[[Scorer], Scorer] | None,
) -> Scorer:
    """A scorer whose requests, if it asks a chat model, count in a budget and a tally; ``then`` is put before it.

    ``pace`` is how fast it is asked, where its own settings do not say.
    """
    if isinstance(scorer, ChatJudge):
        usual = {f.name: f.default for f in fields(scorer)}
        told: dict[str, Any] = {
            k: float(v) if k == "timeout" else int(v)
            for k, v in pace.items()
            if getattr(scorer, k) == usual[k]
        }
        scorer = copy.copy(replace(scorer, **told))
        object.__setattr__(scorer, "_budget", budget)
        object.__setattr__(scorer, "_tally", tally)
    return scorer if then is None else then(scorer)
