"""Where an audit's work runs, as a stranger would say it: in the threads of this process."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


@dataclass(frozen=True)
class Threads:
    """So many items at once; no more than twice as many are held."""

    name: ClassVar[str] = "threads"
    workers: int = 2

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with what became of it, in the order of the items."""
        stream = iter(items)
        held: deque[tuple[Item, Future[Made]]] = deque()
        with ThreadPoolExecutor(self.workers) as pool:
            held.extend((item, pool.submit(work, item)) for item in islice(stream, 2 * self.workers))
            while held:
                item, made = held.popleft()
                yield item, made.result()
                held.extend((item, pool.submit(work, item)) for item in islice(stream, 1))
