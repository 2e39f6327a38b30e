"""Work in several processes on this machine.

Workers are *spawned*, never forked: a fork copies the locks of threads that it does not copy (those of
torch, of Arrow, of a progress bar) and can hang on them, and macOS does not allow it. So a worker starts
from nothing, in a second or less, and is told by pickle what to do. Each has a pipe of its own: it ends
when the pipe does, so that no worker outlives this process, however that ended.
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
from multiprocessing import connection, get_context, parent_process, resource_tracker
from typing import Any

from fairbrief import process_settings
from fairbrief.engines.engine import Item, Made, cores
from fairbrief.errors import BackendError, FairbriefError, RequestError
from fairbrief.pretrained.placement import worker_name

KILLS = 3
"""Workers that may be killed over one item: then it is the item, or the machine, and not chance."""
AHEAD = 2
"""Items per worker that may be on their way: one in its hands, one done that waits for its turn."""


@dataclass(frozen=True, slots=True)
class Processes:
    """An engine of ``workers`` processes, started as items come, ended with the map.

    Work, items and answers travel by pickle; ``work`` once, so that what it builds for itself (a word list,
    say) is kept from item to item. What a killed worker had in hand is given to another. Raises RequestError where
    work cannot be sent, BackendError where an item has killed `KILLS` workers or one ends by itself; all else is
    as `Engine` says.
    """

    workers: int = 0
    """0: one for each core that this process may use."""

    def map(self, work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
        """Every item with what became of it, in order."""
        crew = _Crew(_sendable(work), self.workers or cores())
        try:
            yield from _in_order(crew, iter(items))
        finally:
            crew.dismiss()


@dataclass(slots=True)
class _Task:
    """An item on its way, and its ``answer``; or the ``error`` that was raised of it, or in its place."""

    item: Any
    answer: Any = None
    error: Exception | None = None
    is_done: bool = False
    kills: int = 0


def _in_order(crew: _Crew, items: Iterator[Item]) -> Iterator[tuple[Item, Any]]:
    under_way: deque[_Task] = deque()
    is_open = True
    while True:
        while is_open and len(under_way) < AHEAD * crew.size and crew.has_room():
            task = _next(items)
            is_open = task is not None and task.error is None
            if task is not None:
                under_way.append(task)
                if is_open:
                    crew.take(task)
        if not under_way:
            return
        if not under_way[0].is_done:
            crew.listen()
            continue
        task = under_way.popleft()
        if task.error is not None:
            raise task.error
        yield task.item, task.answer


def _next(items: Iterator[Item]) -> _Task | None:
    """The next task; None at the end. A stream that breaks is a task that failed: those before it come first."""
    try:
        return _Task(next(items))
    except StopIteration:
        return None
    except Exception as error:  # noqa: BLE001 - raised again when its turn comes
        return _Task(None, error=error, is_done=True)


# ------------------------------------------------------------------------------------- this side


@dataclass(slots=True)
class _Worker:
    """A process and the pipe to it; ``task`` is what it has in hand, or is to have once it listens."""

    process: Any
    pipe: connection.Connection
    task: _Task | None = None
    is_listening: bool = False

    def send(self, *messages: bytes) -> None:
        for message in messages:
            self.pipe.send_bytes(message)

    def receive(self) -> bytes:
        return self.pipe.recv_bytes()


@dataclass(slots=True)
class _Crew:
    """The workers of one map."""

    work: bytes
    size: int
    workers: list[_Worker] = field(default_factory=list)

    def has_room(self) -> bool:
        """Whether a worker is idle, or may still be started."""
        return len(self.workers) < self.size or any(w.task is None for w in self.workers)

    def take(self, task: _Task) -> None:
        """Give a task to a worker that is idle, or to a new one."""
        worker = next((w for w in self.workers if w.task is None), None) or self._start()
        worker.task = task
        if worker.is_listening:
            with self._replacing(worker, was_at_work=False):
                worker.send(_dumped(task.item))

    def listen(self) -> None:
        """Wait until workers speak: the first time to say that they listen, then with an answer each."""
        busy: dict[Any, _Worker] = {w.pipe: w for w in self.workers if w.task is not None}
        for pipe in connection.wait(list(busy)):
            with self._replacing(busy[pipe], was_at_work=True):
                self._hear(busy[pipe])

    def _hear(self, worker: _Worker) -> None:
        said, task = worker.receive(), worker.task
        assert task is not None
        if not worker.is_listening:
            # Only now, so that starting one worker does not keep the next from starting.
            worker.is_listening = True
            worker.send(self.work, _dumped(task.item))
            return
        worker.task = None
        is_made, answer = pickle.loads(said)  # noqa: S301 - from our own worker
        task.answer, task.error, task.is_done = (answer, None, True) if is_made else (None, answer, True)

    @contextmanager
    def _replacing(self, worker: _Worker, *, was_at_work: bool) -> Iterator[None]:
        """Where the pipe to a killed worker is broken, start another on what it has in hand, which is to blame if it was at work."""
        try:
            yield
        except (EOFError, OSError) as error:
            worker.process.join()
            task, code = worker.task, worker.process.exitcode
            worker.pipe.close()
            self.workers.remove(worker)
            if task is None:
                return
            task.kills += was_at_work
            if code >= 0 or task.kills == KILLS:
                raise BackendError(_end_of(code)) from error
            self.take(task)

    def dismiss(self) -> None:
        """End all workers, whatever they are at, and wait until they are gone."""
        for worker in self.workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self.workers:
            worker.process.join()
            worker.process.close()

    def _start(self) -> _Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        taken = {worker.process.name for worker in self.workers}
        names = (worker_name(number, self.size) for number in range(self.size))
        name = next(name for name in names if name not in taken)
        process = context.Process(target=serve, args=(theirs,), daemon=True, name=name)
        with _deaf_to_interrupts():
            process.start()
        theirs.close()
        self.workers.append(_Worker(process, ours))
        return self.workers[-1]


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started here does not hear Ctrl-C, which is for the process that ends it."""
    resource_tracker.ensure_running()  # else it is started inside, and lifts the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_of(code: int) -> str:
    if code == -signal.SIGKILL:
        return (
            "A worker process was killed, most often because the machine ran out of memory. "
            "Use fewer --workers: each holds its own share of the input."
        )
    if code < 0:
        return (
            f"A worker process was ended by signal {signal.Signals(-code).name}. Run again with --workers 1."
        )
    return (
        f"A worker process ended by itself (exit code {code}); what it wrote stands above. A script that uses "
        f"workers must start the audit under: if __name__ == '__main__':"
    )


def _sendable(work: object) -> bytes:
    try:
        return _dumped(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RequestError(
            f"The work cannot be sent to other processes: {error}. Define what it uses at the top of a module "
            f"that can be imported, or use one worker."
        ) from error


def _dumped(thing: object) -> bytes:
    return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)


# ----------------------------------------------------------------------------------- their side


def serve(pipe: connection.Connection) -> None:
    """Do the work that the pipe brings first with every item that it brings then, until it ends."""
    _end_with_parent()
    process_settings.settle()
    with suppress(EOFError, OSError):
        pipe.send_bytes(b"")
        load = pipe.recv_bytes()
        try:
            work = pickle.loads(load)  # noqa: S301 - from the process that started this one
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            work = _Unreadable(f"{type(error).__name__}: {error}")
        while True:
            pipe.send_bytes(_answer(work, pipe.recv_bytes()))


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has, whatever it is at: a shard may take minutes."""
    parent = parent_process()

    def watch() -> None:
        assert parent is not None
        parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=watch, daemon=True, name="watches the parent").start()


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """Stands for work that could not be loaded."""

    said: str

    def __call__(self, _: object) -> None:
        raise RequestError(
            f"A worker process cannot load what it is to do ({self.said}). Define measures and scorers in a module "
            f"that can be imported, not in a notebook or at a prompt, or use one worker."
        )


def _answer(work: Callable[[Any], Any], item: bytes) -> bytes:
    try:
        return _dumped(answer_of(work, pickle.loads(item)))  # noqa: S301 - from the process that started this one
    except Exception as error:  # noqa: BLE001 - an item or an answer that pickle cannot carry
        return _dumped((False, _portable(error)))


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
