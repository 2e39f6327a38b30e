"""From records to files of summaries; an interrupted run leaves no damaged file."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from fairbrief import __version__
from fairbrief.atomic_files import atomic_stream, locked
from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import (
    EMPTY,
    REFUSED,
    UNANSWERED,
    Endpoint,
    LimitReached,
    Question,
    Reply,
    Tally,
)
from fairbrief.chat.journal import Journal, open_journal
from fairbrief.serialization import line_of, record_line, summary_fields
from fairbrief.text.counted import counted
from fairbrief.types import Record, Summarizer, Summary

Answer = Mapping[str, Any]
Keyed = TypeVar("Keyed", bound=tuple[Any, ...])
"""A requested answer; the first item is its key."""
Batches = Iterator[list[tuple[str, Answer]]]


NOT_ASKED = "not asked"
"""The reason of a summary beyond the most requests: the next run requests it."""


@dataclass(slots=True)
class Count:
    """The outcome of requests. ``refused`` and ``empty`` include answers of earlier runs.

    ``not_asked`` is the number of answers beyond the most requests; ``stopped`` then names the limit.
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
        """The number of missing answers: the same command, run again, requests only those."""
        return self.unanswered + self.not_asked

    @classmethod
    def of_all(cls, counts: Iterable[Count]) -> Count:
        """The sum of several counts; ``stopped`` is that of the first stopped one."""
        numbers = [asdict(count) for count in counts]
        sums = {f.name: sum(one[f.name] for one in numbers) for f in fields(cls) if f.name != "stopped"}
        return cls(**sums, stopped=next((one["stopped"] for one in numbers if one["stopped"]), ""))

    def add_reason(self, answer: Answer) -> None:
        """Count an answer's reason, if it has one."""
        reason = answer.get("reason", "")
        self.refused += reason == REFUSED
        self.empty += reason == EMPTY
        self.unanswered += reason == UNANSWERED
        self.not_asked += reason == NOT_ASKED


def gather(
    tasks: Iterable[Keyed],
    ask: Callable[[Iterator[Keyed]], Batches],
    journal: Journal,
    count: Count,
    watch: Callable[[Count], None] = lambda _: None,
) -> dict[str, Answer]:
    """Write an answer to every task into the journal; return, by key, the reasons of missing answers.

    ``ask`` gets the tasks that the journal lacks and yields answers in batches, in any order. Each batch is on disk
    before it is counted and before the next is requested. Answers with the reason "no answer" are not stored, so that
    the next run requests them again. When the most requests are sent, ``count.stopped`` names the limit. All other
    exceptions of ``ask`` propagate; earlier answers stay in the journal. The last answer under a key counts.
    """
    without: dict[str, Answer] = {}

    def missing() -> Iterator[Keyed]:
        for task in tasks:
            count.wanted += 1
            if task[0] in journal:
                count.from_journal += 1
                count.add_reason(journal[task[0]])
            else:
                yield task

    try:
        for batch in ask(missing()):
            journal.append([(key, answer) for key, answer in batch if answer.get("reason") != UNANSWERED])
            for key, answer in batch:
                count.asked += 1
                count.add_reason(answer)
                if answer.get("reason") == UNANSWERED:
                    without[key] = answer
            watch(count)
    except LimitReached as error:
        count.stopped = str(error)
    return without


Wanted = tuple[str, Record, int]
Records = Callable[[], Iterable[Record]]
Watch = Callable[[Count], None]
AT_ONCE = 64
"""Number of records that a summarizer without keys writes before they are synchronised to disk."""


@runtime_checkable
class Drafting(Protocol):
    """A summarizer with expensive summaries: each has a key that identifies its inputs, and the order of writing is free."""

    name: str

    def keys(self, record: Record) -> Sequence[str]:
        """One key per requested summary of the record; summaries with equal keys may share a text."""
        ...

    def drafts(self, tasks: Iterable[Wanted]) -> Iterator[list[tuple[str, Summary]]]:
        """Summaries under their tasks' keys, in batches, in any order."""
        ...


@runtime_checkable
class Asking(Protocol):
    """A summarizer that asks a chat model one question per summary, concurrently with others."""

    def keys(self, record: Record) -> Sequence[str]: ...

    def endpoint(self) -> Endpoint: ...

    def question(self, record: Record, sample: int) -> Question:
        """The question for one summary."""
        ...

    def summary(self, record: Record, sample: int, reply: Reply) -> Summary:
        """The summary in a reply, or the reason why it has none."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """One file of summaries: the summarizer, the path, and the system's name (empty: the summarizer's)."""

    summarizer: Summarizer | Drafting
    out: Path
    system: str = ""

    @property
    def writer(self) -> Drafting:
        """The summarizer as one with keys."""
        return self.summarizer if isinstance(self.summarizer, Drafting) else _InOrder(self.summarizer)


def summarize_all(
    jobs: Sequence[Job],
    records: Records,
    journal: Path,
    watch: Watch = lambda _: None,
    tally: Tally | None = None,
) -> list[Count]:
    """Write the summaries of all records by all jobs, each job to its file, in the order of the records.

    ``records`` is called several times. Jobs with the same endpoint run together, record by record, so that one
    concurrency limit applies to all, and a limit of requests leaves them the same records. Answers are written to
    ``journal`` as they arrive. After an interruption the next run requests only the missing answers, and each file is
    either unchanged or complete. A line has the record's fields, and ``summary``, ``system``, ``reason`` and
    ``made``: `fairbrief.readers.read` reads it without further settings. A missing summary is null with the reason
    "no answer", or "not asked" if the most requests were sent; the next run requests it.

    Returns one count per job. Raises RequestError if another process is writing one of the files.
    """
    tally = tally or Tally()
    total = Count()
    without: dict[str, Answer] = {}
    with ExitStack() as stack:
        for job in jobs:
            stack.enter_context(locked(job.out))
        answers = stack.enter_context(open_journal(journal))
        for group in _groups(jobs):
            ask = partial(_answers, group, tally)
            without |= gather(_tasks(group, records), ask, answers, total, watch)
            if total.stopped:
                break
        return [_written(job, records, answers, without, total.stopped) for job in jobs]


# ------------------------------------------------------------------------------------- requests

Task = tuple[str, Record, int, int]
"""Key, record, sample, and the job's index in its group."""


def _groups(jobs: Sequence[Job]) -> list[list[Job]]:
    """The groups of jobs that run together: those of one endpoint; every other job separately."""
    found: dict[object, list[Job]] = {}
    for i, job in enumerate(jobs):
        asks = job.summarizer
        found.setdefault(asks.endpoint() if isinstance(asks, Asking) else i, []).append(job)
    return list(found.values())


def _tasks(group: Sequence[Job], records: Records) -> Iterator[Task]:
    """All tasks of a group, record by record; equal tasks of several jobs once."""
    writers = [job.writer for job in group]
    for record in records():
        seen: set[str] = set()
        for i, writer in enumerate(writers):
            for sample, key in enumerate(writer.keys(record)):
                if key not in seen:
                    seen.add(key)
                    yield key, record, sample, i


def _answers(group: Sequence[Job], tally: Tally, tasks: Iterator[Task]) -> Batches:
    askers = [job.summarizer for job in group if isinstance(job.summarizer, Asking)]
    if not askers:
        for written in group[0].writer.drafts(task[:3] for task in tasks):
            yield [(key, summary_fields(summary)) for key, summary in written]
        return
    questions = ((task, askers[task[3]].question(task[1], task[2])) for task in tasks)
    for batch in replies(askers[0].endpoint(), questions, tally):
        yield [
            (key, summary_fields(askers[i].summary(record, sample, reply)))
            for (key, record, sample, i), reply in batch
        ]


# ------------------------------------------------------------------------------------- writing


def _written(job: Job, records: Records, journal: Journal, without: dict[str, Answer], stopped: str) -> Count:
    """Write one job's file from the stored answers; return the outcome of its summaries."""
    count = Count(stopped=stopped)
    writer = job.writer
    with atomic_stream(job.out) as stream:
        for record in records():
            names = _names(job, len(keys := writer.keys(record)))
            for name, key in zip(names, keys, strict=True):
                answer = journal[key] if key in journal else without.get(key) or _not_asked(job)
                count.wanted += 1
                count.from_journal += journal.held_before(key)
                count.add_reason(answer)
                stream.write(line_of(record, {**answer, "system": name} if name else answer))
    count.asked = count.wanted - count.from_journal - count.not_asked
    return count


def _names(job: Job, samples: int) -> list[str]:
    """The system's name of each sample of a record; empty for the summarizer's name."""
    if not job.system or samples == 1:
        return [job.system] * samples
    return [f"{job.system}#{i}" for i in range(1, samples + 1)]


def _not_asked(job: Job) -> Answer:
    name = str(
        getattr(job.summarizer, "system", "") or getattr(job.summarizer, "model", "") or job.writer.name
    )
    return {"summary": None, "system": name, "reason": NOT_ASKED}


class _InOrder:
    """A summarizer of one summary per record, in order, with keys added."""

    def __init__(self, summarizer: Summarizer) -> None:
        self.summarizer = summarizer
        self.name = summarizer.name

    def keys(self, record: Record) -> Sequence[str]:
        """A hash of the summarizer's spec, Fairbrief's version and the record."""
        inputs = json.dumps([repr(self.summarizer), __version__, record_line(record)], sort_keys=True)
        return [hashlib.sha256(inputs.encode()).hexdigest()[:32]]

    def drafts(self, tasks: Iterable[Wanted]) -> Iterator[list[tuple[str, Summary]]]:
        """Summaries of several records at once, in order."""
        waiting = iter(tasks)
        while batch := list(itertools.islice(waiting, AT_ONCE)):
            written = self.summarizer.summarize([record for _, record, _ in batch])
            yield [(key, summary) for (key, _, _), summary in zip(batch, written, strict=True)]


# ---- Forecast: the requests of a run, determined by filling every prompt of every record before the first request


BYTES_PER_TOKEN = 4
"""Approximate bytes of English text per token; the server's count is what is charged."""


class Price(NamedTuple):
    """Money per million tokens of the prompt and of the answer."""

    prompt: float
    answer: float

    def of(self, prompt_tokens: float, answer_tokens: float) -> float:
        """The cost of these tokens."""
        return (prompt_tokens * self.prompt + answer_tokens * self.answer) / 1e6


@dataclass(slots=True)
class Forecast:
    """The requests of a run. Tokens are estimates; ``answer_tokens`` is the maximum, None if answers have no bound."""

    wanted: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int | None = 0
    examples: list[tuple[str, str]] = field(default_factory=list)
    """Filled prompts, each after the name of the model or system to ask."""

    def ask(self, question: Question) -> None:
        """Count a question that would be sent."""
        self.calls += 1
        self.prompt_tokens += _tokens(question)
        decoding = dict(question.decoding)
        longest = decoding.get("max_completion_tokens", decoding.get("max_tokens"))
        bounded = None if longest is None or self.answer_tokens is None else self.answer_tokens + int(longest)
        self.answer_tokens = bounded

    def show(self, asked_by: str, question: Question) -> None:
        """Store a filled prompt as an example, unless an equal one is stored."""
        text = "\n\n".join(f"[{role}]\n{text}" for role, text in question.messages)
        if all(text != shown for _, shown in self.examples):
            self.examples.append((asked_by, text))

    def lines(self, price: Price | None = None) -> list[str]:
        """The forecast as lines of text, without the examples."""
        most = "any number of" if self.answer_tokens is None else f"at most {self.answer_tokens:,}"
        lines = [
            f"{self.wanted:,} wanted, {self.wanted - self.calls:,} already answered, {counted(self.calls, 'call')} to make",
            f"about {counted(self.prompt_tokens, 'token')} of prompts ({BYTES_PER_TOKEN} bytes per token), {most} tokens of answers",
        ]
        if price is not None:
            cost = price.of(self.prompt_tokens, self.answer_tokens or 0)
            more = (
                " for the prompts only: max_tokens (a setting, or --max-tokens) bounds the answers"
                if self.answer_tokens is None
                else ""
            )
            lines.append(f"cost {'at least' if more else 'at most about'} {cost:,.4f}{more}")
        return lines


def foresee(jobs: Sequence[Job], records: Records, known: Collection[str]) -> Forecast:
    """Fill every prompt of every job for every record; return the requests that chat models would get.

    ``known`` has the keys of stored answers. Raises the errors of filling (DataError for a record without an attribute
    that the prompt uses, RequestError for a prompt without a place for a requested clause).
    """
    found = Forecast()
    drafting = [(job, job.summarizer) for job in jobs if isinstance(job.summarizer, Drafting)]
    for number, record in enumerate(records()):
        for job, writer in drafting:
            keys = writer.keys(record)
            found.wanted += len(keys)
            if not isinstance(writer, Asking):
                continue
            for sample, key in enumerate(keys):
                question = writer.question(record, sample)
                if number == sample == 0:
                    found.show(job.system or writer.endpoint().model, question)
                if key not in known:
                    found.ask(question)
    return found


def _tokens(question: Question) -> int:
    size = sum(len(text.encode("utf-8", "replace")) for _, text in question.messages)
    return -(-size // BYTES_PER_TOKEN)
