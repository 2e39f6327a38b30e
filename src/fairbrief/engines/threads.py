"""Two things at once in this process, for work that is done in libraries, which let other threads run meanwhile."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Made = TypeVar("Made")


def meanwhile(beside: Callable[[], Any], work: Callable[[], Made], threads: int) -> Made:
    """What becomes of ``work``, while another thread does what stands beside it; with one thread that comes first.

    Neither may change what the other reads. Returns when both are done, and raises what ``work`` raised, else what the
    other did.
    """
    if threads < 2:
        beside()
        return work()
    with ThreadPoolExecutor(1) as pool:
        # It knows what is set for whoever asks for it: the language that texts are in.
        other = pool.submit(contextvars.copy_context().run, beside)
        made = work()
        other.result()
        return made
