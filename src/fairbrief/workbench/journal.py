"""A journal of answers: one line each, on disk before it counts, whole or not there at all."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from fairbrief.chat.replies import EMPTY, REFUSED, UNANSWERED
from fairbrief.chat.spending import BudgetSpent
from fairbrief.errors import BackendError, RequestError
from fairbrief.kept_files import PRIVATE, sync_folder, write_all

HEAD = b"fairbrief journal 1\n"


def journal_of(out: Path) -> Path:
    """Where the answers behind an output stand; a link is followed, as by all that write."""
    out = out.resolve() if out.is_symlink() else out
    return out.with_name(out.name + ".journal")


@dataclass(slots=True)
class Journal:
    """Answers by key in one append-only file: ``checksum key json`` a line, after a line that says what it is.

    Appended lines are written and synchronised to disk before `append` returns, so that what it was told
    survives a kill and a power cut. A last line that was cut short is dropped when the journal is opened; a
    line that is damaged further up is passed over, and counted in ``damaged``. Where a key stands twice the
    last answer holds. Only places are held in memory, not answers. Use as a context: `open_journal`.
    """

    path: Path
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    damaged: int = 0
    _file: int = -1
    _opened_at: int = 0

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, key: str) -> Mapping[str, Any]:
        """The answer that was given last under the key; KeyError if there is none."""
        start, length = self.places[key]
        found = _read(os.pread(self._file, length, start))
        if found is None:
            raise BackendError(
                f"{self.path} was changed while it was read: its line at byte {start} is damaged."
            )
        return found[1]

    def held_before(self, key: str) -> bool:
        """Whether the answer under the key was there when the journal was opened."""
        return key in self.places and self.places[key][0] < self._opened_at

    def append(self, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Keep answers; they are on disk when this returns."""
        lines = [(key, _line(key, value)) for key, value in entries]
        try:
            start = os.lseek(self._file, 0, os.SEEK_END)
            write_all(self._file, b"".join(line for _, line in lines))
            os.fsync(self._file)
        except OSError as error:
            raise BackendError(
                f"The journal {self.path} cannot be written: {error}. Free its disk, then run the same command again; "
                "what it holds is kept."
            ) from error
        for key, line in lines:
            self.places[key] = (start, len(line))
            start += len(line)

    def _load(self) -> None:
        """Find what the file holds, and cut off a last line that was not finished."""
        end = 0
        with os.fdopen(os.dup(self._file), "rb") as stream:
            stream.seek(0)
            head = stream.readline()
            if not head.endswith(b"\n"):
                if not HEAD.startswith(head):
                    raise RequestError(_foreign(self.path))
                os.ftruncate(self._file, 0)
                write_all(self._file, HEAD)
                os.fsync(self._file)
                return
            if head != HEAD:
                raise RequestError(_foreign(self.path))
            end = len(head)
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                if (found := _read(line)) is None:
                    self.damaged += 1
                else:
                    self.places[found[0]] = (end, len(line))
                end += len(line)
        os.ftruncate(self._file, end)
        self._opened_at = end


@contextlib.contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """The journal in a file, made if it is absent; raises RequestError if the file is something else.

    A journal that holds no answer when it is closed is taken away again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE)
    try:
        journal = Journal(path, _file=descriptor)
        journal._load()
        sync_folder(path.parent)
        try:
            yield journal
        finally:
            if not journal.places and not journal.damaged:
                path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def keys_in(path: Path) -> frozenset[str]:
    """The keys of a journal's answers, without making or changing the file; none where there is no journal."""
    if not path.is_file():
        return frozenset()
    with path.open("rb") as stream:
        if stream.readline() != HEAD:
            raise RequestError(_foreign(path))
        return frozenset(found[0] for line in stream if (found := _read(line)) is not None)


def _line(key: str, value: Mapping[str, Any]) -> bytes:
    # ASCII: lone surrogates in a model's text survive as escapes, and no separator of lines can appear
    content = f"{key} {json.dumps(value, ensure_ascii=True, separators=(',', ':'))}".encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(content), content)


def _read(line: bytes) -> tuple[str, Mapping[str, Any]] | None:
    """Key and answer of a line; None if it is not what was written."""
    content = line[9:-1]
    if line[:9] != b"%08x " % zlib.crc32(content) or not line.endswith(b"\n"):
        return None
    key, _, value = content.partition(b" ")
    try:
        found = json.loads(value)
        return (key.decode("ascii"), found) if isinstance(found, dict) else None
    except (ValueError, RecursionError):  # the checksum is right, and still we have not written it
        return None


def _foreign(path: Path) -> str:
    return f"{path} is no journal of ours, and it is left as it is. Give another --out, or move that file."


# ---- Ask for what a journal lacks, and put each answer there before it counts


Answer = Mapping[str, Any]
Task = TypeVar("Task", bound=tuple[Any, ...])
"""What is wanted; the first item is the key of its answer."""
Batches = Iterator[list[tuple[str, Answer]]]


NOT_ASKED = "not asked"
"""Reason of what is wanted and was not asked for, since the budget was spent: the next run asks for it."""


@dataclass(slots=True)
class Count:
    """What became of what was wanted. ``refused`` and ``empty`` speak of this run's answers and older ones.

    ``not_asked`` is what the budget left over; ``stopped`` then says which limit was reached.
    """

    wanted: int = 0
    from_journal: int = 0
    asked: int = 0
    refused: int = 0
    empty: int = 0
    unanswered: int = 0
    not_asked: int = 0
    stopped: str = ""

    @property
    def missing(self) -> int:
        """How many have no answer yet: the same command again asks for those alone."""
        return self.unanswered + self.not_asked

    @classmethod
    def of_all(cls, counts: Iterable[Count]) -> Count:
        """Several counts as one; stopped as the first that was."""
        told = [asdict(count) for count in counts]
        sums = {f.name: sum(one[f.name] for one in told) for f in fields(cls) if f.name != "stopped"}
        return cls(**sums, stopped=next((one["stopped"] for one in told if one["stopped"]), ""))

    def tell(self, answer: Answer) -> None:
        """Count an answer's reason, if it has one."""
        reason = answer.get("reason", "")
        self.refused += reason == REFUSED
        self.empty += reason == EMPTY
        self.unanswered += reason == UNANSWERED
        self.not_asked += reason == NOT_ASKED


def gather(
    tasks: Iterable[Task],
    ask: Callable[[Iterator[Task]], Batches],
    journal: Journal,
    count: Count,
    watch: Callable[[Count], None] = lambda _: None,
    has: Callable[[str], bool] | None = None,
) -> dict[str, Answer]:
    """Get an answer to every task into the journal; return, by key, why some have none.

    ``ask`` is given the tasks that the journal lacks and yields answers in batches, in any order. A batch is
    on disk before it is counted and before the next is asked for. Answers with the reason "no answer" are
    not kept, so that the next run asks again. Where the budget ends, ``count.stopped`` says so. Whatever else
    ``ask`` raises comes through; what came before is kept. ``has`` tells whether the journal's answer under a
    key will do, where not every answer does; the last answer under a key holds.
    """
    without: dict[str, Answer] = {}

    def missing() -> Iterator[Task]:
        for task in tasks:
            count.wanted += 1
            if task[0] in journal and (has is None or has(task[0])):
                count.from_journal += 1
                count.tell(journal[task[0]])
            else:
                yield task

    try:
        for batch in ask(missing()):
            journal.append([(key, answer) for key, answer in batch if answer.get("reason") != UNANSWERED])
            for key, answer in batch:
                count.asked += 1
                count.tell(answer)
                if answer.get("reason") == UNANSWERED:
                    without[key] = answer
            watch(count)
    except BudgetSpent as spent:
        count.stopped = str(spent)
    return without
