"""Work in several processes on this machine, by the standard library's pool.

Workers are *spawned*, never forked: a fork copies the locks of threads that it does not copy (those of
torch, of Arrow, of a progress bar) and can hang on them, and macOS does not allow it. So a worker starts
from nothing, in a second or less. Each watches a pipe whose other end this process holds, and ends when it is closed:
no worker outlives the map, nor this process, however that ended.
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
from fairbrief.pretrained.placement import worker_name

KILLS = 3
"""Workers that may be killed over one item: then it is the item, or the machine, and not chance."""
AHEAD = 2
"""Items per worker that may be on their way: one in its hands, one done that waits for its turn."""
LOOK = 5.0
"""Seconds after which it is looked whether a worker was killed in the middle of an answer."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine of ``workers`` processes, started as items come, ended with the map.

    Work, items and answers travel by pickle; ``work`` once, so that what it builds for itself (a word list,
    say) is kept from item to item. What was under way when a worker was killed is done again. Raises RequestError where
    work cannot be sent, BackendError where an item has killed `KILLS` workers; all else is as `Engine` says.
    """

    workers: int = 0
    """0: one for each core that this process may use."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with what became of it, in order."""
        crew = _Crew(_sendable(work), self.workers or cores())
        try:
            yield from in_order(items, crew.take, crew.answer, AHEAD * crew.size)
        finally:
            crew.dismiss()


@dataclass(slots=True, eq=False)
class _Task:
    """An item, the answer that is to come of it, and how many workers were killed while it was the only one under way."""

    item: Any
    future: Future[tuple[bool, Any]] | None = None
    kills: int = 0


# ------------------------------------------------------------------------------------- this side


class _Crew:
    """The workers of one map."""

    def __init__(self, work: bytes, size: int) -> None:
        self.size = size
        self._work = work
        self._under_way: deque[_Task] = deque()
        self._pool: ProcessPoolExecutor | None = None
        self._is_looking_for_the_cause = False
        self._others: set[BaseProcess] = set()
        self._processes: set[BaseProcess] = set()

    def take(self, item: Any) -> _Task:
        """The task of one more item."""
        self._under_way.append(_Task(item))
        return self._under_way[-1]

    def answer(self, task: _Task) -> tuple[bool, Any]:
        """What became of the task that was taken first, while the others are done, too."""
        while True:
            try:
                found = self._answer(task)
            except BrokenProcessPool as error:
                self._replace(task, error)
            else:
                self._is_looking_for_the_cause = False
                self._under_way.popleft()
                return found

    def _answer(self, first: _Task) -> tuple[bool, Any]:
        for task in [first] if self._is_looking_for_the_cause else self._under_way:
            task.future = task.future or self._submitted(task)
        assert first.future is not None
        while True:
            try:
                return first.future.result(LOOK)
            except TimeoutError:
                if any(process.exitcode is not None for process in self._processes):
                    self._end_answers()

    def _replace(self, first: _Task, error: Exception) -> None:
        """Start again with the first task alone, so that it is known to be to blame if a worker is killed again."""
        first.kills += self._is_looking_for_the_cause
        if first.kills == KILLS:
            raise BackendError(
                "A worker process was killed again and again over one part of the work, most often because the machine ran out of "
                "memory: use fewer --workers, each holds its own share of the input; what a worker wrote stands above. A script "
                "that uses workers must start the audit under: if __name__ == '__main__':"
            ) from error
        self._is_looking_for_the_cause = True
        self.dismiss()
        for task in self._under_way:
            if task.future is not None and (not task.future.done() or task.future.exception() is not None):
                task.future = None

    def dismiss(self) -> None:
        """End all workers, whatever they are at, and wait until they are gone."""
        if self._pool is not None:
            self._lifeline.close()
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _end_answers(self) -> None:
        """Let the pool, which may wait for the rest of an answer that will never come, find that the answers have ended.

        They end when nobody holds the end that is written to: the workers go with their lifeline, and the pool of the
        standard library holds it in this process without using it.
        """
        self._lifeline.close()
        with suppress(AttributeError, OSError):
            self._pool._result_queue._writer.close()  # type: ignore[union-attr]

    def _submitted(self, task: _Task) -> Future[tuple[bool, Any]]:
        pool = self._pool or self._start()
        with _deaf_to_interrupts():
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
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started here does not hear Ctrl-C, which is for the process that ends it."""
    resource_tracker.ensure_running()  # else it is started inside, and lifts the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _sendable(work: object) -> bytes:
    try:
        return pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RequestError(
            f"The work cannot be sent to other processes: {error}. Define what it uses at the top of a module "
            f"that can be imported, or use one worker."
        ) from error


# ----------------------------------------------------------------------------------- their side

_work: Callable[[Any], Any]


def _begin(work: bytes, size: int, numbers: Any, lifeline: connection.Connection) -> None:
    """In a new worker: take a number, load the work, and watch the process that started it."""
    global _work
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True, name="watches the parent").start()
    current_process().name = worker_name(numbers.get(), size)
    process_settings.settle()
    try:
        _work = pickle.loads(work)  # noqa: S301 - from the process that started this one
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        _work = partial(_refuse, f"{type(error).__name__}: {error}")


def _end_with(lifeline: connection.Connection) -> None:
    """End this process as soon as the other end of the pipe is closed, whatever it is at: a shard may take minutes."""
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os._exit(1)


def _refuse(why: str, _: object) -> None:
    """In place of work that could not be loaded."""
    raise RequestError(
        f"A worker process cannot load what it is to do ({why}). Define measures and scorers in a module "
        f"that can be imported, not in a notebook or at a prompt, or use one worker."
    )


def _answer(item: Any) -> tuple[bool, Any]:
    return answer_of(_work, item)


def answer_of(work: Callable[[Any], Any], item: Any) -> tuple[bool, Any]:
    """Whether the work was done, and what it made of the item; else the error, as it can travel."""
    try:
        return True, work(item)
    except Exception as error:  # noqa: BLE001 - raised again on the other side
        return False, _portable(error)


def _portable(error: Exception) -> Exception:
    """The error as it can travel; a bug keeps the text of its traceback, which itself cannot."""
    if not isinstance(error, FairbriefError):
        error.add_note("In a worker process:\n" + "".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001 - an exception that pickle cannot rebuild
        return RuntimeError("".join(traceback.format_exception(error)))
    return error
