"""Which engine does the work of an audit."""

from __future__ import annotations

from fairbrief import registry
from fairbrief.engines.engine import Engine, engine_of
from fairbrief.errors import RequestError


def chosen_engine(name: str, workers: int) -> Engine:
    """The engine of that name (and settings), or the one for so many workers; RequestError where both are given."""
    if not name:
        return engine_of(workers)
    if workers != 1:
        raise RequestError(
            f"--workers {workers} speaks of processes on this machine, --engine {name} of where else: drop one of the two "
            f"(--engine 'processes(workers={workers})' is the same as --workers {workers})."
        )
    engine: Engine = registry.make("engine", name)
    if not callable(getattr(engine, "map", None)):
        raise RequestError(f"'{name}' is declared as an engine, and has no 'map'. Ask who made it.")
    return engine
