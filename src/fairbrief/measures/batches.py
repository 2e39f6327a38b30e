"""Observing one unit as a batch of one, so that its rows are the same in any company; and batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from fairbrief.types import (
    AlikeRows,
    BatchExtractObservation,
    BatchObservation,
    Cases,
    Extracts,
    Integers,
    Reason,
    Rows,
    Scores,
)

Key = TypeVar("Key")
Item = TypeVar("Item")

AT_ONCE = 1 << 18
"""Numbers of units that are looked at together."""


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
