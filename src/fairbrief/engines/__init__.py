"""Where work runs, and what is kept of it: an engine maps a function over a stream and gives the answers in its order.

`ThisProcess` does it here, `Processes` (in `processes`) in several processes, `Ray` (in `ray_engine`) on several machines.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from fairbrief.errors import RequestError

Item = TypeVar("Item")
Made = TypeVar("Made")
Sent = TypeVar("Sent")


class Engine(Protocol):
    """An ordered map over a stream that may not fit into memory."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with what ``work`` made of it, in the order of the items.

        Items are taken when there is room for them: what is held does not grow with the stream. What is
        raised, by ``work`` or by the stream, is raised in the place of its item, after all before it.
        """
        ...


@dataclass(frozen=True, slots=True)
class ThisProcess:
    """One item after the other, here."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with what became of it; the next is taken when the last has been dealt with."""
        for item in items:
            yield item, work(item)


def in_order(
    items: Iterable[Item],
    start: Callable[[Item], Sent],
    answer: Callable[[Sent], tuple[bool, Any]],
    room: int,
) -> Iterator[tuple[Item, Any]]:
    """Every item with its answer, in order, while at most ``room`` are under way.

    ``start`` sends an item away, and ``answer`` waits for what became of it: whether the work was done, and the answer or the error.
    """
    stream, under_way = iter(items), deque[tuple[Item, Sent]]()
    error: Exception | None = None
    while True:
        while error is None and len(under_way) < room:
            try:
                item = next(stream)
            except StopIteration:
                break
            except Exception as broken:  # noqa: BLE001 - raised when its turn comes
                error = broken
            else:
                under_way.append((item, start(item)))
        if not under_way:
            if error is not None:
                raise error
            return
        first, sent = under_way.popleft()
        is_done, answered = answer(sent)
        if not is_done:
            raise answered
        yield first, answered


def engine_of(workers: int) -> Engine:
    """The engine for so many workers: 1 is this process, 0 one worker for each core it may use; else RequestError."""
    if workers < 0:
        raise RequestError(
            f"There cannot be {workers} workers: write 1 for this process alone, 0 for one a core."
        )
    if workers == 0:
        workers = cores()
    if workers == 1:
        return ThisProcess()
    from fairbrief.engines.processes import Processes

    return Processes(workers)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
