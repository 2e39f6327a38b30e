"""Work on a Ray cluster: this machine, or as many as there are.

Ray starts the workers and moves work, items and answers; what a lost worker had in hand it gives to another, and
where a whole machine goes away its items are sent again from here.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fairbrief import process_settings
from fairbrief.engines import Item, Made, in_order
from fairbrief.engines.processes import AHEAD, KILLS, answer_of
from fairbrief.errors import BackendError, MissingExtra

HELD = 4
"""Pieces of work that a worker keeps between items, with what they built for themselves."""


@dataclass(frozen=True, slots=True)
class Ray:
    """An engine of Ray tasks.

    ``address`` is that of a cluster (``auto``: the one that this machine is part of, ``ray://HOST:10001`` for one far
    away); empty starts one here, which ends with this process. ``cpus`` and ``gpus`` are what one worker takes, a
    fraction where several share one. The package must be installed on every machine of the cluster. Raises
    MissingExtra without Ray, BackendError where there is no cluster at the address or an item is lost `KILLS` times.
    """

    address: str = ""
    cpus: float = 1.0
    gpus: float = 0.0

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with what became of it, in order."""
        ray = self._connected()
        # By value: what a machine holds of a reference is lost with it.
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
        try:
            import ray
        except ImportError as error:
            raise MissingExtra("ray", "ray", "the engine 'ray'") from error
        if not ray.is_initialized():
            try:
                # "local" always starts one: without an address Ray joins whatever cluster it finds on this machine.
                shown: dict[str, Any] = {} if self.address else {"include_dashboard": False}
                ray.init(self.address or "local", log_to_driver=False, logging_level=logging.ERROR, **shown)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise BackendError(
                    f"There is no Ray cluster at {self.address or 'this machine'}: {error}"
                ) from error
        return ray


def _answered(item: Any, reference: Any, task: Any, held: Any) -> tuple[bool, Any]:
    """What became of an item, which is sent again where the machine that had it is gone."""
    import ray

    for _ in range(KILLS):
        try:
            found: tuple[bool, Any] = ray.get(reference)
        except ray.exceptions.RayError as error:
            lost: Exception = error
            reference = task.remote([held], item)
            continue
        return found
    raise BackendError(
        f"Ray lost one part of the work {KILLS} times, most often because its machine ran out of memory ({lost}). "
        "Give each worker more of it: --engine 'ray(cpus=2)'."
    ) from lost


_works: OrderedDict[str, Any] = OrderedDict()


def _answer(held: list[Any], item: Any) -> tuple[bool, Any]:
    """In a worker: do the work with an item; the work is loaded once and kept."""
    import ray

    (reference,) = held
    name = reference.hex()
    if name not in _works:
        process_settings.settle()
        _works[name] = ray.get(reference)
        while len(_works) > HELD:
            _works.popitem(last=False)
    return answer_of(_works[name], item)
