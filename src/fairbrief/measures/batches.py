"""Observing one unit as a batch of one, so that its rows are the same in any company; and batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from fairbrief.types import (
    AlikeRows,
    BatchExtractObservation,
    BatchObservation,
    Cases,
    Extracts,
    Floats,
    Integers,
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


def only_one(
    observation: BatchObservation, cases: Cases, scores: Sequence[Scores], labels: Integers
) -> Rows | Reason:
    """What `observe` says, by `observe_many`. Shape of ``labels``: (R, n)."""
    return _first(*observation.observe_many([(cases, scores)], labels[None]))


def only_one_of_extracts(
    observation: BatchExtractObservation, cases: Cases, extracts: Sequence[Extracts], scores: Sequence[Scores]
) -> Rows | Reason:
    """What `observe_extracts` says, by `observe_many_extracts`."""
    return _first(*observation.observe_many_extracts([(cases, extracts, scores)]))


def _first(rows: Sequence[AlikeRows], reasons: Mapping[int, Reason]) -> Rows | Reason:
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
