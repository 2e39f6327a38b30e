"""Observing units in batches of bounded size, one unit as a batch of one; and extracts that are equal only once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from fairbrief.score_tables import ScoredUnits
from fairbrief.types import (
    AlikeRows,
    Ask,
    Cases,
    Extracts,
    Floats,
    Integers,
    PermutationScheme,
    Reason,
    Rows,
    Scores,
)

Key = TypeVar("Key")
Item = TypeVar("Item")

AT_ONCE = 1 << 18
"""Numbers of units that are looked at together."""
FEW = 6
"""Sentences, documents and units up to which extracts that keep the same sentences are read once."""


class WithoutLabels:
    """An observation that has no labels to exchange."""

    __slots__ = ()

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 - the protocol's signature
        """None: labels differ between records, not inside one."""
        return None


class WithoutScores:
    """An observation that asks no scorer."""

    __slots__ = ()

    def asks(self, cases: Cases) -> Sequence[Ask]:  # noqa: ARG002 - the protocol's signature
        """Nothing."""
        return ()


class OneByOne(ABC):
    """An observation written as `observe_many`: one unit is a batch of one, so that its rows are the same in any company."""

    __slots__ = ()

    @abstractmethod
    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:
        """See `fairbrief.types.Observation`."""

    @abstractmethod
    def observe_many(
        self, units: ScoredUnits, labels: Integers
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """See `fairbrief.score_tables.BatchObservation`."""

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        """The unit's rows. Shape of ``labels``: (R, n)."""
        return self._first(ScoredUnits.of([(cases, scores)]), labels)

    def observe_extracts(
        self, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
    ) -> Rows | Reason:
        """The unit's row with its random extracts in place of the summaries, under the real labels."""
        scheme = self.permutation_scheme(cases)
        labels = np.zeros(0, dtype=np.int64) if scheme is None else scheme.labels
        return self._first(ScoredUnits.of([(cases, scores)], [extracts]), labels[np.newaxis])

    def _first(self, unit: ScoredUnits, labels: Integers) -> Rows | Reason:
        rows, reasons = self.observe_many(unit, labels[np.newaxis])
        return reasons[0] if reasons else Rows(rows[0].columns, rows[0].values[0])


def in_parts(alike: Mapping[Key, list[Item]], size: Callable[[Key], int]) -> Iterator[tuple[Key, list[Item]]]:
    """The items of each kind, no more at a time than `AT_ONCE` numbers; ``size`` tells those of one item."""
    for kind, items in alike.items():
        step = max(1, AT_ONCE // max(1, size(kind)))
        for start in range(0, len(items), step):
            yield kind, items[start : start + step]


def different(kept: Floats, others: int) -> tuple[Floats, Integers]:
    """The different extracts of records, and which of them each is: of few sentences all subsets, else each its own.

    ``others`` are the documents or units that they are held against: in products of few numbers no sum's order changes.
    Shapes: ``kept`` (N, extracts, sentences) → (N, different, sentences), (N, extracts).
    """
    n, extracts, sentences = kept.shape
    if max(sentences, others) > FEW or 1 << sentences > extracts:
        return kept, np.broadcast_to(np.arange(extracts), (n, extracts))
    bits = np.arange(sentences)
    subsets = (np.arange(1 << sentences)[:, np.newaxis] >> bits & 1).astype(np.float64)
    return np.broadcast_to(subsets, (n, *subsets.shape)), (kept @ (1 << bits)).astype(np.int64)


def summed(rows: Floats, which: Integers) -> Floats:
    """The sums over all extracts of the rows of the `different` ones. (N, different, columns), (N, extracts) → (N, columns)."""
    places = np.arange(len(rows))[:, np.newaxis] * rows.shape[1] + which
    return np.asarray(rows.reshape(-1, rows.shape[2]).take(places.T, axis=0).sum(axis=0))
