"""Engines: ordered maps of a function over a stream.

`ThisProcess` runs in this process, `Processes` (in `processes`) in several processes, `Ray` (in `ray_engine`) on several
machines.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")
Sent = TypeVar("Sent")


class Engine(Protocol):
    """An ordered map over a stream that may not fit into memory."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with the result of ``work``, in the order of the items.

        Memory does not grow with the stream. Errors of ``work`` and of the stream are raised in the place of their item,
        after all results before it.
        """


@dataclass(frozen=True, slots=True)
class ThisProcess:
    """Runs one item after the other in this process."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with its result; the next item is read after the last result was used."""
        for item in items:
            yield item, work(item)


def in_order(
    items: Iterable[Item],
    start: Callable[[Item], Sent],
    answer: Callable[[Sent], tuple[bool, Any]],
    room: int,
) -> Iterator[tuple[Item, Any]]:
    """Every item with its result, in order, with at most ``room`` in progress.

    ``start`` submits an item; ``answer`` waits for it and returns whether it succeeded, and its result or error.
    """

    def read() -> Iterator[tuple[Any, Exception | None]]:
        try:
            yield from ((item, None) for item in items)
        except Exception as error:  # noqa: BLE001 - raised when its turn comes
            yield None, error

    stream = ((item, error, start(item) if error is None else None) for item, error in read())
    under_way: deque[tuple[Any, Exception | None, Any]] = deque(islice(stream, room))
    while under_way:
        item, error, sent = under_way.popleft()
        if error is not None:
            raise error
        is_done, answered = answer(sent)
        if not is_done:
            raise answered
        yield item, answered
        under_way.extend(islice(stream, 1))


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
