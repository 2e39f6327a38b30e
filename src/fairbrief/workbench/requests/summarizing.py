"""From records to files of summaries that a kill cannot spoil."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, runtime_checkable

from fairbrief import __version__
from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import Endpoint
from fairbrief.chat.replies import Question, Reply, Tally
from fairbrief.chat.spending import Budget
from fairbrief.kept_files import locked, replacing
from fairbrief.serialization import line_of, record_line, summary_fields
from fairbrief.types import Record, Summarizer, Summary
from fairbrief.workbench.requests.answering import NOT_ASKED, Answer, Batches, Count, gather
from fairbrief.workbench.requests.journal import Journal, journal_of, open_journal

Wanted = tuple[str, Record, int]
Records = Callable[[], Iterable[Record]]
Watch = Callable[[Count], None]
AT_ONCE = 64
"""Records that a summarizer without keys of its own writes before they are synchronised to disk."""


@runtime_checkable
class Drafting(Protocol):
    """A summarizer whose summaries are dear: it names each by what decides it, and writes them in any order."""

    name: str

    def keys(self, record: Record) -> Sequence[str]:
        """One key per summary that is wanted of the record; equal keys mean the same text may be used."""
        ...

    def drafts(self, tasks: Iterable[Wanted]) -> Iterator[list[tuple[str, Summary]]]:
        """Summaries under their tasks' keys, in batches, in any order."""
        ...


@runtime_checkable
class Asking(Protocol):
    """A summarizer that asks a chat model one question per summary, which may be asked beside those of others."""

    def keys(self, record: Record) -> Sequence[str]: ...

    def endpoint(self) -> Endpoint: ...

    def question(self, record: Record, sample: int) -> Question:
        """What is asked for one summary."""
        ...

    def summary(self, record: Record, sample: int, reply: Reply) -> Summary:
        """The summary that a reply holds, or why it holds none."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """One file of summaries: who writes them, where they go, and under which system's name (empty: its own)."""

    summarizer: Summarizer | Drafting
    out: Path
    system: str = ""

    @property
    def writer(self) -> Drafting:
        """The summarizer as one that names what it writes."""
        return self.summarizer if isinstance(self.summarizer, Drafting) else _InOrder(self.summarizer)


@dataclass(slots=True)
class Spending:
    """What a command may spend, and what it has sent."""

    budget: Budget = field(default_factory=Budget)
    tally: Tally = field(default_factory=Tally)


def summarize(
    summarizer: Summarizer | Drafting,
    records: Records,
    out: Path,
    watch: Watch = lambda _: None,
    spending: Spending | None = None,
    *,
    system: str = "",
) -> Count:
    """Write the summaries of all records to ``out``, in their order; see `summarize_all`."""
    (count,) = summarize_all([Job(summarizer, out, system)], records, journal_of(out), watch, spending)
    return count


def summarize_all(
    jobs: Sequence[Job],
    records: Records,
    journal: Path,
    watch: Watch = lambda _: None,
    spending: Spending | None = None,
) -> list[Count]:
    """Write the summaries of all records by all jobs, each job's to its file, in the order of the records.

    ``records`` is called several times. Jobs that ask the same endpoint are asked together, record by record,
    so that one bound of concurrency holds for all, and a budget that ends leaves them the same records.
    Answers go to ``journal`` as they come. Whenever the process ends, the next run asks only for what
    the journal lacks, and each file is either as it was before or whole. A line holds the record's fields, and
    ``summary``, ``system``, ``reason`` and ``made``: `fairbrief.readers.read` reads it without being told how.
    A summary that did not come stands as null with the reason "no answer", one that the budget left over with
    "not asked"; the next run asks for them.

    Returns one count per job. Raises RequestError where another process writes one of the files.
    """
    spending = spending or Spending()
    total = Count()
    without: dict[str, Answer] = {}
    with ExitStack() as held:
        for job in jobs:
            held.enter_context(locked(job.out))
        kept = held.enter_context(open_journal(journal))
        for group in _groups(jobs):
            ask = partial(_answers, group, spending)
            without |= gather(_tasks(group, records), ask, kept, total, watch)
            if total.stopped:
                break
        return [_written(job, records, kept, without, total.stopped) for job in jobs]


# ------------------------------------------------------------------------------------- asking

Task = tuple[str, Record, int, int]
"""Key, record, sample, and the job's place in its group."""


def _groups(jobs: Sequence[Job]) -> list[list[Job]]:
    """The jobs that are asked together: those of one endpoint; every other alone."""
    found: dict[object, list[Job]] = {}
    for i, job in enumerate(jobs):
        asks = job.summarizer
        found.setdefault(asks.endpoint() if isinstance(asks, Asking) else i, []).append(job)
    return list(found.values())


def _tasks(group: Sequence[Job], records: Records) -> Iterator[Task]:
    """All that a group wants, record by record; what several jobs want alike, once."""
    writers = [job.writer for job in group]
    for record in records():
        seen: set[str] = set()
        for i, writer in enumerate(writers):
            for sample, key in enumerate(writer.keys(record)):
                if key not in seen:
                    seen.add(key)
                    yield key, record, sample, i


def _answers(group: Sequence[Job], spending: Spending, tasks: Iterator[Task]) -> Batches:
    first = group[0].summarizer
    if isinstance(first, Asking):
        return _asked([job.summarizer for job in group], first.endpoint(), spending, tasks)  # type: ignore[misc]  # all of a group ask
    return _drafted(group[0].writer, tasks)


def _asked(
    askers: Sequence[Asking], endpoint: Endpoint, spending: Spending, tasks: Iterator[Task]
) -> Batches:
    questions = ((task, askers[task[3]].question(task[1], task[2])) for task in tasks)
    for batch in replies(endpoint, questions, spending.tally, spending.budget):
        yield [
            (key, summary_fields(askers[i].summary(record, sample, reply)))
            for (key, record, sample, i), reply in batch
        ]


def _drafted(writer: Drafting, tasks: Iterator[Task]) -> Batches:
    for batch in writer.drafts(task[:3] for task in tasks):
        yield [(key, summary_fields(summary)) for key, summary in batch]


# ------------------------------------------------------------------------------------- writing


def _written(job: Job, records: Records, journal: Journal, without: dict[str, Answer], stopped: str) -> Count:
    """Write one job's file from the answers that there are; what became of its summaries."""
    count = Count(stopped=stopped)
    writer = job.writer
    with replacing(job.out) as stream:
        for record in records():
            names = _names(job, len(keys := writer.keys(record)))
            for name, key in zip(names, keys, strict=True):
                answer = journal[key] if key in journal else without.get(key) or _not_asked(job)
                count.wanted += 1
                count.from_journal += journal.held_before(key)
                count.tell(answer)
                stream.write(line_of(record, {**answer, "system": name} if name else answer))
    count.asked = count.wanted - count.from_journal - count.not_asked
    return count


def _names(job: Job, samples: int) -> list[str]:
    """The system's name of each sample of a record; empty for the summarizer's own."""
    if not job.system or samples == 1:
        return [job.system] * samples
    return [f"{job.system}#{i}" for i in range(1, samples + 1)]


def _not_asked(job: Job) -> Answer:
    name = str(
        getattr(job.summarizer, "system", "") or getattr(job.summarizer, "model", "") or job.writer.name
    )
    return {"summary": None, "system": name, "reason": NOT_ASKED}


class _InOrder:
    """A summarizer of one summary a record, in order, as one that names what it wrote."""

    def __init__(self, summarizer: Summarizer) -> None:
        self.summarizer = summarizer
        self.name = summarizer.name

    def keys(self, record: Record) -> Sequence[str]:
        """A hash of the summarizer's spec, our version and the record."""
        told = json.dumps([repr(self.summarizer), __version__, record_line(record)], sort_keys=True)
        return [hashlib.sha256(told.encode()).hexdigest()[:32]]

    def drafts(self, tasks: Iterable[Wanted]) -> Iterator[list[tuple[str, Summary]]]:
        """Some records at once, in order."""
        waiting = iter(tasks)
        while batch := list(itertools.islice(waiting, AT_ONCE)):
            written = self.summarizer.summarize([record for _, record, _ in batch])
            yield [(key, summary) for (key, _, _), summary in zip(batch, written, strict=True)]
