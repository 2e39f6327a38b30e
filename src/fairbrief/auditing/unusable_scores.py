"""Scores that are not numbers stop here: a record is left out and counted, or the work is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from fairbrief.auditing.ledger import Ledger
from fairbrief.errors import BackendError
from fairbrief.score_tables import ScoreTable
from fairbrief.types import Ask, Observation, Reason, Scores

NO_NUMBER = "a score that is not a number, from "


def why_unusable(observation: Observation, asks: Sequence[Ask], scores: Sequence[Scores]) -> Reason | None:
    """Why a unit cannot be observed with these scores; None if all are finite.

    An observation whose declaration has ``reads_unstated`` is given nan, which stands for a reply without a score.
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
