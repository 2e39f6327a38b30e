"""The engines: one thing done with every item, in order, here or in several processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import active_children
from pathlib import Path

import pytest

from fairbrief.auditing import chosen_engine
from fairbrief.engines import Engine, ThisProcess, cores
from fairbrief.engines.processes import Processes
from fairbrief.errors import BackendError, DataError, MissingExtra, RequestError

ENGINES = [ThisProcess(), Processes(2)]


def slow_at_first(number: int) -> tuple[int, int]:
    """The square and the process; the first items take longest."""
    time.sleep(max(0.0, 0.05 - number * 0.01))
    return number * number, os.getpid()


@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_answers_come_in_the_order_of_the_items(engine: Engine) -> None:
    """Each item stands beside its answer, whoever was done first."""
    found = list(engine.map(slow_at_first, range(12)))
    assert [(item, square) for item, (square, _) in found] == [(n, n * n) for n in range(12)]
    workers = {process for _, (_, process) in found}
    assert workers == {os.getpid()} if isinstance(engine, ThisProcess) else os.getpid() not in workers


def test_no_more_workers_are_started_than_there_are_items() -> None:
    """No item needs none, one item needs one."""
    assert list(Processes(2).map(slow_at_first, ())) == []
    assert not active_children()
    answers = Processes(5).map(slow_at_first, [7])
    assert next(answers)[0] == 7
    assert len(active_children()) == 1
    answers.close()  # type: ignore[attr-defined]  # a generator
    assert not active_children()


def test_the_stream_is_read_no_further_than_there_is_room_for() -> None:
    """While the reader waits, the engine holds two items a worker: memory does not grow with the stream."""
    taken = []

    def stream() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    answers = Processes(2).map(slow_at_first, stream())
    for number in range(8):
        assert next(answers)[0] == number
        assert len(taken) <= number + 1 + 2 * 2
    answers.close()  # type: ignore[attr-defined]  # a generator


@dataclass
class Counting:
    """Counts, in each process, how often it was called."""

    calls: int = 0

    def __call__(self, _: int) -> tuple[int, int]:
        self.calls += 1
        return os.getpid(), self.calls


def test_work_is_loaded_once_in_each_process() -> None:
    """What it builds for itself is kept from item to item."""
    found = [answer for _, answer in Processes(2).map(Counting(), range(10))]
    for process in {process for process, _ in found}:
        calls = [calls for p, calls in found if p == process]
        assert calls == [*range(1, len(calls) + 1)]


def late_and_early(number: int) -> int:
    """Item 3 fails late, item 4 at once."""
    if number == 3:
        time.sleep(0.3)
        raise DataError("the third line")
    if number == 4:
        raise DataError("the fourth line")
    return number


@pytest.mark.parametrize("engine", ENGINES, ids=repr)
def test_the_first_error_in_the_order_of_the_items_is_raised(engine: Engine) -> None:
    """Not the first in time, and after all answers before it; so is an error of the stream."""

    def stream(items: int) -> Iterator[int]:
        yield from range(items)
        raise DataError("line 4 is broken")

    for items, error in ((10, "third"), (3, "line 4")):
        seen: list[int] = []
        with pytest.raises(DataError, match=error):
            seen.extend(item for item, _ in engine.map(late_and_early, stream(items)))
        assert seen == [0, 1, 2]
        assert not active_children()


class Unsendable:
    """No process can send it, for a reason of its own."""

    def __reduce__(self) -> str:
        raise ValueError("an answer that cannot be sent")


def raises(kind: str) -> object:
    """An error of a kind."""
    if kind == "answer":
        return Unsendable()
    if kind == "lambda":
        return lambda: None
    if kind == "extra":
        raise MissingExtra("Entailment needs the library 'torch'")
    if kind == "bug":
        raise ZeroDivisionError("a bug of ours")

    class Private(Exception):
        """Cannot be sent."""

    raise Private("of the worker alone")


def test_errors_arrive_as_they_were_raised() -> None:
    """A missing library with its text, a bug with the worker's traceback, a private one as its text."""
    with pytest.raises(MissingExtra, match="needs the library 'torch'"):
        list(Processes(2).map(raises, ["extra"]))
    with pytest.raises(ZeroDivisionError) as bug:
        list(Processes(2).map(raises, ["bug"]))
    assert "in raises" in "".join(bug.value.__notes__)
    with pytest.raises(RuntimeError, match="of the worker alone"):
        list(Processes(2).map(raises, ["private"]))
    with pytest.raises(ValueError, match="an answer that cannot be sent"):
        list(Processes(2).map(raises, ["answer"]))
    with pytest.raises(Exception, match=r"(?i)pickle"):
        list(Processes(2).map(raises, ["lambda"]))


class Gone:
    """Can be sent, and not be loaded: what stands for it is nowhere to be found."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return _vanished, ("Gone",)

    def __call__(self, _: int) -> None: ...


def _vanished(name: str) -> None:
    raise AttributeError(f"no {name} in a notebook")


def test_work_that_a_worker_cannot_load_is_refused() -> None:
    """A class of a notebook is known by name in another process, and by nothing else."""
    with pytest.raises(RequestError, match=r"no Gone in a notebook.*use one worker"):
        list(Processes(2).map(Gone(), [1]))


def dies(_: int) -> None:
    """Ends its process."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_again_and_again_is_told() -> None:
    """With what most likely killed it; the others are ended, too."""
    with pytest.raises(BackendError, match=r"out of memory. Use fewer workers.*__main__"):
        list(Processes(2).map(dies, [0, 1]))
    assert not active_children()


def dies_while_it_answers(mark: Path) -> bytes:
    """Is killed soon after it has begun to send its first answer, which is larger than a pipe holds."""
    if not mark.exists():
        mark.touch()
        threading.Timer(0.04 * int(mark.name), os.kill, (os.getpid(), signal.SIGKILL)).start()
        return b"x" * 100_000_000
    return b"y"


def dies_at_first(marks: Path) -> str:
    """Ends its process the first two times that it is called with a folder, which it marks."""
    tries = len(list(marks.iterdir()))
    if tries < 2:
        (marks / str(tries)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return marks.name


def test_what_a_killed_worker_had_in_hand_is_done_by_another(tmp_path: Path) -> None:
    """Every item is answered, in order, however its first workers ended; also in the middle of an answer."""
    folders = [tmp_path / str(i) for i in range(2)]
    for folder in folders:
        folder.mkdir()
    assert [answer for _, answer in Processes(2).map(dies_at_first, folders)] == ["0", "1"]
    marks = [tmp_path / "0" / str(i) for i in (3, 4, 5)]
    answers = [answer[:1] for _, answer in Processes(1).map(dies_while_it_answers, marks)]
    assert len(answers) == 3
    assert set(answers) <= {b"x", b"y"}


def test_killed_workers_are_replaced_if_none_is_left() -> None:
    """Whether they are at work or idle, no item is lost; memory may be short, so one that is left does the items of the others."""
    answers = []
    for item, answer in Processes(2).map(slow_at_first, range(8)):
        answers.append((item, answer))
        for worker in active_children()[: {0: 1, 4: 2}.get(item, 0)]:
            worker.kill()
            worker.join()
        if item == 3:
            assert len(active_children()) == 1
    assert [item for item, _ in answers] == list(range(8))


def idle(_: object) -> bool:
    """Whether this process hears Ctrl-C."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def busy_for_ever(path: str) -> None:
    """Say who works, then work on."""
    Path(path).write_text(str(os.getpid()))
    while True:
        sum(range(1000))


def test_a_worker_in_the_middle_of_its_work_ends_with_its_parent(tmp_path: Path) -> None:
    """Where the process that started them is killed, workers do not first finish what they have in hand."""
    told = tmp_path / "pid"
    code = (
        "from tests.unit.engines.test_processes import busy_for_ever\n"
        "from fairbrief.engines.processes import Processes\n"
        f"if __name__ == '__main__': list(Processes(2).map(busy_for_ever, [{str(told)!r}]))"
    )
    (tmp_path / "run.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    parent = subprocess.Popen([sys.executable, str(tmp_path / "run.py")], env=environment)
    deadline = time.monotonic() + 60
    while not (told.exists() and told.read_text()):
        assert parent.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    while is_running(int(told.read_text())):
        assert time.monotonic() < deadline, "the worker stayed"
        time.sleep(0.05)


def is_running(process: int) -> bool:
    """Whether a process is there, and not only waits to be counted as dead."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_do_not_hear_ctrl_c_and_this_process_does() -> None:
    """The terminal sends it to all; one process answers it."""
    assert [deaf for _, deaf in Processes(2).map(idle, range(4))] == [True] * 4
    assert not idle(None)


@dataclass
class Holding:
    """Work that is larger than a pipe holds at once."""

    table: bytes = field(default=b"x" * 1_000_000)

    def __call__(self, item: bytes) -> bytes:
        return item + self.table


def test_large_work_items_and_answers_pass() -> None:
    """Nobody waits for the other for ever."""
    items = [bytes([i]) * 300_000 for i in range(8)]
    assert [len(answer) for _, answer in Processes(2).map(Holding(), items)] == [1_300_000] * 8


def test_engines_by_number() -> None:
    """One is this process, none a worker a core."""
    assert isinstance(chosen_engine("", 1), ThisProcess)
    assert chosen_engine("", 4) == Processes(4)
    assert chosen_engine("", 0) == (Processes() if cores() > 1 else ThisProcess())
