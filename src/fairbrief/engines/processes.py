"""Several processes on this machine, each with a pipe to this one.

Workers are *spawned*, never forked: a fork copies locks without their threads (of torch, Arrow or a progress bar) and can
hang on them, and macOS does not allow it. A worker starts in about a second, and exits when its pipe is closed, so that no
worker outlives the map or this process.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import connection, current_process, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any
from weakref import finalize

from fairbrief import process_settings
from fairbrief.engines import Item, Made, cores, in_order
from fairbrief.errors import BackendError, FairbriefError, RequestError
from fairbrief.pretrained import worker_name

KILLS = 3
"""Workers that may be killed by one item; after that, the item or the machine is the cause, not chance."""
AHEAD = 2
"""Items in progress per worker: one being computed, one finished and waiting for its turn."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine of ``workers`` processes, started with the items and ended with the map.

    Work, items and results are pickled; ``work`` only once, so that its caches (e.g. a word list) persist between items.
    Items in progress in a killed worker are computed again by the others. Raises BackendError if an item has killed `KILLS`
    workers; otherwise as `Engine`.
    """

    workers: int = 0
    """0: one per core that this process may use."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with its result, in order."""
        pool = _Pool(pickle.dumps(work, pickle.HIGHEST_PROTOCOL), self.workers or cores())
        try:
            yield from in_order(items, pool.take, pool.answer, AHEAD * pool.size)
        finally:
            pool.stop()


@dataclass(slots=True, eq=False)
class _Task:
    """An item, its result, and the number of workers that were killed by it."""

    item: Any
    result: tuple[bool, Any] | None = None
    kills: int = 0


# ------------------------------------------------------------------------------------- the main process


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, the pipe to it, and its tasks: one being computed, others waiting there."""

    number: int
    process: BaseProcess
    pipe: connection.Connection
    tasks: deque[_Task] = field(default_factory=deque)


class _Pool:
    """The worker processes of one map. Each has a pipe of its own, so that a killed worker is noticed at once."""

    def __init__(self, work: bytes, size: int) -> None:
        self.size = size
        self._numbers = list(reversed(range(size)))
        """Those of workers that were not started yet."""
        self._work = work
        self._waiting: deque[_Task] = deque()
        self._workers: dict[connection.Connection, _Worker] = {}

    def take(self, item: Any) -> _Task:
        """Add an item; returns its task. The first items start a worker each."""
        task = _Task(item)
        self._waiting.append(task)
        if self._numbers:
            self._start()
        else:  # a worker that starts takes no items yet
            self._hand_out()
        return task

    def answer(self, task: _Task) -> tuple[bool, Any]:
        """The result of a task; meanwhile others are computed, too."""
        while task.result is None:
            self._hand_out()
            for pipe in connection.wait(list(self._workers)):
                worker = self._workers[pipe]  # type: ignore[index]
                try:
                    result = worker.pipe.recv()
                except (EOFError, OSError) as error:
                    self._lose(worker, error)
                else:
                    worker.tasks.popleft().result = result
        return task.result

    def stop(self) -> None:
        """Stop all workers at once and wait for their end."""
        for worker in self._workers.values():
            worker.pipe.close()
        for worker in self._workers.values():
            worker.process.join()
        self._workers.clear()

    def _hand_out(self) -> None:
        while self._waiting:
            worker = min(self._workers.values(), key=lambda worker: len(worker.tasks))
            if len(worker.tasks) == AHEAD:
                return
            worker.tasks.append(self._waiting.popleft())
            try:
                worker.pipe.send(worker.tasks[-1].item)
            except OSError as error:
                self._lose(worker, error)

    def _lose(self, worker: _Worker, error: Exception) -> None:
        """Let others do the tasks of a killed worker; it is replaced if it was the last, since memory may be short."""
        del self._workers[worker.pipe]
        worker.pipe.close()
        worker.process.join()
        if worker.tasks:
            worker.tasks[0].kills += 1
            if worker.tasks[0].kills == KILLS:
                raise BackendError(
                    f"A worker process was killed {KILLS} times by one part of the work, most often because the machine ran out of "
                    "memory. Use fewer workers, since each has its own share of the input in memory; output of the workers is "
                    "printed above. A script must start an audit with workers under: if __name__ == '__main__':"
                ) from error
        self._waiting.extendleft(reversed(worker.tasks))
        if not self._workers:
            self._numbers.append(worker.number)
            self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        number = self._numbers.pop()
        process = context.Process(target=_serve, args=(self._work, number, self.size, theirs))
        with _ignoring_interrupts():
            process.start()
        theirs.close()
        finalize(self, ours.close)
        self._workers[ours] = _Worker(number, process, ours)


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Processes started inside ignore Ctrl-C; the main process stops them."""
    resource_tracker.ensure_running()  # otherwise it is started inside and removes the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ----------------------------------------------------------------------------------- the workers


def _serve(work: bytes, number: int, size: int, pipe: connection.Connection) -> None:
    """A worker: load the work, and answer items until the main process closes the pipe or ends."""
    current_process().name = worker_name(number, size)
    process_settings.configure()
    items: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, items), daemon=True, name="receives items").start()
    while True:
        result = answer_of(lambda item: _loaded(work)(pickle.loads(item)), items.get())  # noqa: S301
        try:
            pipe.send(result)
        except Exception as error:  # noqa: BLE001 - a result that pickle refuses, of which nothing was sent
            pipe.send((False, _portable(error)))


def _receive(pipe: connection.Connection, items: SimpleQueue[bytes]) -> None:
    """Take items from the pipe; exit as soon as its other end is closed, even during an item of minutes."""
    with suppress(EOFError, OSError):
        while True:
            items.put(pipe.recv_bytes())
    os._exit(1)


@cache
def _loaded(work: bytes) -> Callable[[Any], Any]:
    """The work, loaded once."""
    try:
        done: Callable[[Any], Any] = pickle.loads(work)  # noqa: S301 - from the process that started this one
    except Exception as error:
        raise RequestError(
            f"A worker process cannot load the work ({type(error).__name__}: {error}). Define your measures and scorers in an "
            "importable module, not in a notebook or at a prompt, or use one worker."
        ) from error
    return done


def answer_of(work: Callable[[Any], Any], item: Any) -> tuple[bool, Any]:
    """Whether the work succeeded, and its result, or its error in a form that can be pickled."""
    try:
        return True, work(item)
    except Exception as error:  # noqa: BLE001 - raised again in the main process
        return False, _portable(error)


def _portable(error: Exception) -> Exception:
    """The error in a form that can be pickled; a bug includes the text of its traceback."""
    if not isinstance(error, FairbriefError):
        error.add_note("In a worker process:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001 - an exception that pickle cannot rebuild
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
