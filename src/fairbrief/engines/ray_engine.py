"""Work on a Ray cluster of one or more machines.

Ray starts the workers and transports work, items and results. It gives the items of a lost worker to another; items of a
lost machine are sent again from here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fairbrief import process_settings
from fairbrief.engines import Item, Made, in_order
from fairbrief.engines.processes import AHEAD, KILLS, answer_of
from fairbrief.errors import BackendError, optional_library

HELD = 4
"""Pieces of work that a worker caches between items."""


@dataclass(frozen=True, slots=True)
class Ray:
    """An engine of Ray tasks.

    ``address`` is that of a cluster (``auto``: the one of this machine; ``ray://HOST:10001``: a remote one); empty starts
    one on this machine, which ends with this process. ``cpus`` and ``gpus`` are per worker, fractions if several share
    one. The package must be installed on every machine of the cluster. Raises MissingExtra without Ray, BackendError if
    there is no cluster at the address or an item is lost `KILLS` times.
    """

    address: str = ""
    cpus: float = 1.0
    gpus: float = 0.0

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with its result, in order."""
        ray = self._connected()
        # By value: a reference is lost with its machine.
        held = ray.put(work)
        task = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus, max_retries=KILLS)(_answer)
        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1) / max(self.cpus, 1e-3)))
        yield from in_order(
            items,
            lambda item: (item, task.remote([held], item)),
            lambda sent: _answered(*sent, task, held),
            room,
        )

    def _connected(self) -> Any:
        ray = optional_library("ray", "ray", "The engine 'ray'")
        if not ray.is_initialized():
            try:
                # "local" always starts a cluster; without an address Ray may join one on this machine.
                shown: dict[str, Any] = {} if self.address else {"include_dashboard": False}
                ray.init(self.address or "local", log_to_driver=False, logging_level=logging.ERROR, **shown)
            except (ConnectionError, ValueError, RuntimeError) as error:
                where = self.address or "this machine"
                remedy = "Check the address in --engine, or use --engine processes."
                raise BackendError(f"There is no Ray cluster at {where}: {error}. {remedy}") from error
        return ray


def _answered(item: Any, reference: Any, task: Any, held: Any) -> tuple[bool, Any]:
    """The result of an item, which is sent again if its machine is lost."""
    import ray

    for _ in range(KILLS):
        try:
            result: tuple[bool, Any] = ray.get(reference)
        except ray.exceptions.RayError as error:
            lost: Exception = error
            reference = task.remote([held], item)
            continue
        return result
    raise BackendError(
        f"Ray lost one part of the work {KILLS} times, most often because its machine ran out of memory ({lost}). "
        "Give each worker more memory: --engine 'ray(cpus=2)'."
    ) from lost


def _answer(held: list[Any], item: Any) -> tuple[bool, Any]:
    """In a worker: run the work on an item."""
    return answer_of(_loaded(*held), item)


@lru_cache(HELD)
def _loaded(reference: Any) -> Any:
    """The work, loaded once."""
    import ray

    process_settings.configure()
    return ray.get(reference)
