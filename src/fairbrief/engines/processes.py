"""Several processes on this machine, with the standard library's pool.

Workers are *spawned*, never forked: a fork copies locks without their threads (of torch, Arrow or a progress bar) and can
hang on them, and macOS does not allow it. A worker starts in about a second. Each watches a pipe from this process and
exits when it is closed, so that no worker outlives the map or this process.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children, connection, current_process, get_context, resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any

from fairbrief import process_settings
from fairbrief.engines import Item, Made, cores, in_order
from fairbrief.errors import BackendError, FairbriefError, RequestError
from fairbrief.pretrained import worker_name

KILLS = 3
"""Workers that may be killed by one item; after that, the item or the machine is the cause, not chance."""
AHEAD = 2
"""Items in progress per worker: one being computed, one finished and waiting for its turn."""
LOOK = 5.0
"""Seconds between checks whether a worker was killed while sending a result."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine of ``workers`` processes, started with the items and ended with the map.

    Work, items and results are pickled; ``work`` only once, so that its caches (e.g. a word list) persist between items.
    Items in progress in a killed worker are computed again. Raises BackendError
    if an item has killed `KILLS` workers; otherwise as `Engine`.
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
    """An item, its future result, and the number of workers that were killed while it ran alone."""

    item: Any
    future: Future[tuple[bool, Any]] | None = None
    kills: int = 0


# ------------------------------------------------------------------------------------- the main process


class _Pool:
    """The worker processes of one map."""

    def __init__(self, work: bytes, size: int) -> None:
        self.size = size
        self._work = work
        self._under_way: deque[_Task] = deque()
        self._pool: ProcessPoolExecutor | None = None
        self._runs_alone = False
        self._others: set[BaseProcess] = set()
        self._processes: set[BaseProcess] = set()

    def take(self, item: Any) -> _Task:
        """Add an item; returns its task."""
        self._under_way.append(_Task(item))
        return self._under_way[-1]

    def answer(self, task: _Task) -> tuple[bool, Any]:
        """The result of the first task; meanwhile others are computed, too."""
        while True:
            try:
                result = self._answer(task)
            except BrokenProcessPool as error:
                self._replace(task, error)
            else:
                self._runs_alone = False
                self._under_way.popleft()
                return result

    def _answer(self, first: _Task) -> tuple[bool, Any]:
        for task in [first] if self._runs_alone else self._under_way:
            task.future = task.future or self._submitted(task)
        assert first.future is not None
        while True:
            try:
                return first.future.result(LOOK)
            except TimeoutError:
                if any(process.exitcode is not None for process in self._processes):
                    self._end_answers()

    def _replace(self, first: _Task, error: Exception) -> None:
        """Restart the workers with only the first task, to know whether it kills a worker again."""
        first.kills += self._runs_alone
        if first.kills == KILLS:
            raise BackendError(
                f"A worker process was killed {KILLS} times by one part of the work, most often because the machine ran out of "
                "memory. Use fewer --workers, since each has its own share of the input in memory; output of the workers is "
                "printed above. A script must start an audit with workers under: if __name__ == '__main__':"
            ) from error
        self._runs_alone = True
        self.stop()
        for task in self._under_way:
            if task.future is not None and (not task.future.done() or task.future.exception() is not None):
                task.future = None

    def stop(self) -> None:
        """Stop all workers at once and wait for their end."""
        if self._pool is not None:
            self._lifeline.close()
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _end_answers(self) -> None:
        """Make the pool stop waiting for the rest of a result that a killed worker was sending.

        It stops when all write ends of its pipe are closed: those of the workers, which exit with their lifeline, and the
        unused one that the standard library keeps open in this process.
        """
        self._lifeline.close()
        with suppress(AttributeError, OSError):
            self._pool._result_queue._writer.close()  # type: ignore[union-attr]

    def _submitted(self, task: _Task) -> Future[tuple[bool, Any]]:
        pool = self._pool or self._start()
        with _ignoring_interrupts():
            future = pool.submit(_answer, task.item)
        self._processes |= {p for p in active_children() if p not in self._others}
        return future

    def _start(self) -> ProcessPoolExecutor:
        context = get_context("spawn")
        theirs, self._lifeline = context.Pipe(duplex=False)
        numbers = context.SimpleQueue()
        for number in range(self.size):
            numbers.put(number)
        self._others, self._processes = {*active_children()}, set()
        self._pool = ProcessPoolExecutor(
            self.size, context, initializer=_begin, initargs=(self._work, self.size, numbers, theirs)
        )
        return self._pool


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

_work: Callable[[Any], Any]


def _begin(work: bytes, size: int, numbers: Any, lifeline: connection.Connection) -> None:
    """Initialise a worker: take a number, load the work, and watch the main process."""
    global _work
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True, name="watches the parent").start()
    current_process().name = worker_name(numbers.get(), size)
    process_settings.configure()
    try:
        _work = pickle.loads(work)  # noqa: S301 - from the process that started this one
    except Exception as error:  # noqa: BLE001 - reported with the first item
        _work = partial(_cannot_load, f"{type(error).__name__}: {error}")


def _end_with(lifeline: connection.Connection) -> None:
    """Exit as soon as the other end of the pipe is closed, even during a shard of minutes."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(1)


def _cannot_load(why: str, _: object) -> None:
    """Replaces work that could not be loaded."""
    raise RequestError(
        f"A worker process cannot load the work ({why}). Define your measures and scorers in an importable module, not "
        f"in a notebook or at a prompt, or use one worker."
    )


def _answer(item: Any) -> tuple[bool, Any]:
    return answer_of(_work, item)


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
