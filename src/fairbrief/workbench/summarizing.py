"""From records to files of summaries that a kill cannot spoil."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

from fairbrief import __version__
from fairbrief.atomic_files import atomic_stream, locked
from fairbrief.chat.client import replies
from fairbrief.chat.endpoint import EMPTY, REFUSED, UNANSWERED, Endpoint, Question, Reply, Tally
from fairbrief.chat.journal import Journal, journal_of, open_journal
from fairbrief.chat.spending import Budget, BudgetSpent, Price
from fairbrief.errors import RequestError
from fairbrief.serialization import line_of, record_line, summary_fields
from fairbrief.text.counted import counted
from fairbrief.types import Record, Summarizer, Summary

Answer = Mapping[str, Any]
Keyed = TypeVar("Keyed", bound=tuple[Any, ...])
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

    def missing() -> Iterator[Keyed]:
        for task in tasks:
            count.wanted += 1
            if task[0] in journal and (has is None or has(task[0])):
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
    except BudgetSpent as spent:
        count.stopped = str(spent)
    return without


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


# ---- What a run would ask, found out by filling every prompt of every record, before anything is sent


BYTES_PER_TOKEN = 4
"""About what English text takes per token; the count that is charged is the server's."""


@dataclass(frozen=True, slots=True)
class Example:
    """One filled prompt, and who would be asked with it."""

    asked_by: str
    text: str


@dataclass(slots=True)
class Forecast:
    """What a run would ask. Tokens are estimated; ``answer_tokens`` is the most, None where answers have no bound."""

    wanted: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: int | None = 0
    examples: list[Example] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    """What will be asked beside, whose prompts nobody can fill yet."""

    def ask(self, question: Question) -> None:
        """Count a question that would be sent."""
        self.calls += 1
        self.prompt_tokens += _tokens(question)
        decoding = dict(question.decoding)
        longest = decoding.get("max_completion_tokens", decoding.get("max_tokens"))
        bounded = None if longest is None or self.answer_tokens is None else self.answer_tokens + int(longest)
        self.answer_tokens = bounded

    def show(self, asked_by: str, question: Question) -> None:
        """Keep a filled prompt as an example, unless one with the same words is kept."""
        text = "\n\n".join(f"[{role}]\n{text}" for role, text in question.messages)
        if all(text != example.text for example in self.examples):
            self.examples.append(Example(asked_by, text))

    def lines(self, price: Price | None = None) -> list[str]:
        """The forecast for a person, without the examples."""
        most = "any number of" if self.answer_tokens is None else f"at most {self.answer_tokens:,}"
        said = [
            f"{self.wanted:,} wanted, {self.wanted - self.calls:,} answered already, {counted(self.calls, 'call')} to make",
            f"about {counted(self.prompt_tokens, 'token')} of prompts ({BYTES_PER_TOKEN} bytes per token), {most} tokens of answers",
        ]
        if price is not None:
            cost = price.of(self.prompt_tokens, self.answer_tokens or 0)
            more = (
                " for the prompts alone: max_tokens (a setting, or --max-tokens) bounds the answers"
                if self.answer_tokens is None
                else ""
            )
            said.append(f"cost {'at least' if more else 'at most about'} {cost:,.4f}{more}")
        return said + self.later


def foresee(
    jobs: Sequence[Job],
    records: Records,
    known: Collection[str],
    budget: Budget,
    names: Sequence[str] = (),
) -> Forecast:
    """Fill every prompt of every job for every record; what would be asked of chat models.

    ``known`` holds the keys that are answered. ``names`` are what the jobs are called in messages. Raises what
    filling raises (DataError for a record that lacks what a prompt speaks of, RequestError for a prompt without
    a place for a wish), RequestError where two jobs ask the same of every record, and where ``budget`` cannot
    bound the cost of an answer.
    """
    found = Forecast()
    drafting = [
        (name, job.summarizer, hashlib.sha256())
        for name, job in zip(names or [job.system or repr(job.summarizer) for job in jobs], jobs, strict=True)
        if isinstance(job.summarizer, Drafting)
    ]
    is_first = True
    for record in records():
        for name, writer, digest in drafting:
            keys = writer.keys(record)
            questions = _questions(writer, record, len(keys))
            digest.update(_digest(writer, questions, keys))
            found.wanted += len(keys)
            if is_first and questions:
                found.show(name, questions[0])
            for key, question in zip(keys, questions, strict=False):
                if key not in known:
                    found.ask(question)
                    budget.most(question)
        is_first = False
    if not is_first:
        _refuse_twins([(name, digest.digest()) for name, _, digest in drafting])
    return found


def _questions(writer: object, record: object, samples: int) -> list[Question]:
    if not isinstance(writer, Asking):
        return []
    return [writer.question(record, sample) for sample in range(samples)]  # type: ignore[arg-type]  # a record


def _digest(writer: object, questions: Sequence[Question], keys: Iterable[str]) -> bytes:
    """What decides the texts of one record; at temperature 0 no seed does."""
    if not isinstance(writer, Asking):
        return "\0".join(keys).encode()
    endpoint = writer.endpoint()
    asked = [
        (
            q.messages,
            [pair for pair in q.decoding if pair[0] != "seed" or dict(q.decoding).get("temperature") != 0],
        )
        for q in questions
    ]
    return json.dumps([endpoint.model, endpoint.shown, asked]).encode("ascii")


def _refuse_twins(digests: Sequence[tuple[str, bytes]]) -> None:
    first: dict[bytes, str] = {}
    for name, digest in digests:
        if digest in first:
            raise RequestError(
                f"'{first[digest]}' and '{name}' ask the same of every record: their answers would be paid twice and "
                "differ by chance alone. Drop one of them; for several runs of one setting, sweep the seed at a "
                "temperature above 0."
            )
        first[digest] = name


def _tokens(question: Question) -> int:
    size = sum(len(text.encode("utf-8", "replace")) for _, text in question.messages)
    return -(-size // BYTES_PER_TOKEN)
