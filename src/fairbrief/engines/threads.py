"""Several things at once in this process, for work that is done in libraries, which let other threads run meanwhile."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def of_each(work: Callable[[Item], Made], items: Iterable[Item], threads: int) -> list[Made]:
    """What becomes of each item, in their order, by so many threads; by one, here, one after the other.

    ``work`` must leave alone what the others change. What it raises is raised in the place of its item.
    """
    items = list(items)
    if min(threads, len(items)) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        return [done.result() for done in [_begun(pool, work, item) for item in items]]


def meanwhile(beside: Callable[[], Any], work: Callable[[], Made], threads: int) -> Made:
    """What becomes of ``work``, while another thread does what stands beside it; with one thread that comes first.

    Returns when both are done, and raises what ``work`` raised, else what the other did.
    """
    if threads < 2:
        beside()
        return work()
    with ThreadPoolExecutor(1) as pool:
        other = _begun(pool, beside)
        made = work()
        other.result()
        return made


def _begun(pool: ThreadPoolExecutor, work: Callable[..., Made], *given: Any) -> Future[Made]:
    """Work that knows the language that texts are in, and all else that is set for whoever asks for it."""
    return pool.submit(contextvars.copy_context().run, work, *given)
