"""How far a scorer is: for whoever wants to show it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` pairs (or texts) of one call of a scorer, and how many a second."""

    scorer: str
    done: int
    total: int
    per_second: float


Watcher = Callable[[Progress], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Within this context every scorer with a model tells ``watcher`` after each batch how far it is."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@dataclass(slots=True)
class Meter:
    """Counts what one call of a scorer has done."""

    scorer: str
    total: int
    done: int = 0
    began: float = field(default_factory=time.perf_counter)

    def add(self, count: int) -> None:
        """Say that ``count`` more are done."""
        self.done += count
        watcher = _watcher.get()
        if watcher is not None:
            seconds = max(time.perf_counter() - self.began, 1e-9)
            watcher(Progress(self.scorer, self.done, self.total, self.done / seconds))
