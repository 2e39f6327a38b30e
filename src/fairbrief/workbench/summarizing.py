"""From records to files of summaries; an interrupted run leaves no damaged file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from fairbrief import __version__
from fairbrief.atomic_files import PRIVATE, atomic_path
from fairbrief.chat.client import Asker
from fairbrief.chat.endpoint import UNANSWERED, LimitReached, Question, Tally
from fairbrief.chat.journal import Journal, key_of, open_journal
from fairbrief.engines import score_cache
from fairbrief.ranges import grouped
from fairbrief.score_tables import ScorerAround
from fairbrief.serialization import line_of, record_line, summary_fields
from fairbrief.text.counted import counted
from fairbrief.types import Ask, Record, ScoreArrays, ScoreKey, Scores, Summarizer
from fairbrief.workbench.summarizers.prompts import Task

Answer = Mapping[str, Any]
Items = Callable[[], Iterable[Any]]
"""The records (or cases), from the beginning at each call."""
AT_ONCE = 64
"""Number of records that a summarizer without keys writes before they are synchronised to disk."""
NOT_ASKED = "not asked"
"""The reason of a summary beyond the most requests: the next run requests it."""


@dataclass(slots=True)
class Count:
    """The outcome of requests. ``reasons`` counts answers by the reason of a missing text (empty: it is there), also of
    earlier runs, which are ``from_journal``.

    `NOT_ASKED` is the reason of answers beyond the most requests; ``stopped`` then names the limit.
    """

    from_journal: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    stopped: str = ""

    def add(self, answer: Answer, *, is_stored: bool) -> None:
        """Count an answer, which may have been stored by an earlier run."""
        self.from_journal += is_stored
        self.reasons[answer.get("reason", "")] += 1

    @property
    def wanted(self) -> int:
        """All answers."""
        return self.reasons.total()

    @property
    def asked(self) -> int:
        """The answers that this run asked for."""
        return self.wanted - self.from_journal - self.reasons[NOT_ASKED]


Watch = Callable[[Count], None]


@runtime_checkable
class Writer(Protocol):
    """Writes answers: each has a key that identifies its inputs, and the order of writing is free."""

    def wanted(self, item: Any) -> Iterable[Any]:
        """The answers about a record (or case), each with a ``key``; those with equal keys may be written once."""

    def answers(self, wanted: Iterable[Any], tally: Tally) -> Iterator[list[tuple[str, Answer]]]:
        """The answers under their keys, in batches, in any order."""


def _wanted(writers: Iterable[Writer], items: Items) -> Iterator[tuple[Writer, Any]]:
    """Every wanted answer about the items with its writer; of equal keys the first."""
    seen = set[str]()
    for item in items():
        for writer in writers:
            for one in writer.wanted(item):
                if one.key not in seen:
                    seen.add(one.key)
                    yield writer, one


@dataclass(frozen=True, slots=True)
class Job:
    """One file of summaries: the summarizer, the path, and the system's name (empty: the summarizer's)."""

    summarizer: Summarizer | Writer
    out: Path
    system: str = ""

    @property
    def writer(self) -> Writer:
        """The summarizer as one with keys."""
        return self.summarizer if isinstance(self.summarizer, Writer) else _InOrder(self.summarizer)

    def lines(self, item: Any, answers: Sequence[Answer]) -> Iterator[bytes]:
        """The lines of the file about a record: one per answer, which is null if it was not asked for."""
        names = (getattr(self.summarizer, name, "") for name in ("system", "model", "name"))
        usual = {"summary": None, "system": str(next(filter(None, names)))}
        for i, answer in enumerate(answers, 1):
            system = f"{self.system}#{i}" if self.system and len(answers) > 1 else self.system
            yield line_of(item, {**usual, **answer, **({"system": system} if system else {})})


def summarize_all(
    jobs: Sequence[Job],
    items: Items,
    journal: Path,
    watch: Watch = lambda _: None,
    tally: Tally | None = None,
) -> list[Count]:
    """Write the summaries of all records (or the claims of all cases) by all jobs, each job to its file, in their order.

    ``items`` is called several times. Jobs with the same endpoint run together, record by record, so that one
    concurrency limit applies to all, and a limit of requests leaves them the same records. Answers are written to
    ``journal`` as they arrive. After an interruption the next run requests only the missing answers, and each file is
    either unchanged or complete. A line has the record's fields, and ``summary``, ``system``, ``reason`` and
    ``made``: `fairbrief.readers.read` reads it without further settings. A missing summary is null with the reason
    "no answer", or "not asked" if the most requests were sent; the next run requests it.

    Returns one count per job. Raises RequestError if another process is writing to the journal.
    """
    each = enumerate(job.writer for job in jobs)
    by_endpoint = grouped((w.endpoint() if isinstance(w, Asker) else i, w) for i, w in each)
    tally, total = tally or Tally(), Count()
    unanswered: dict[str, Answer] = {}
    with open_journal(journal) as answers:
        try:
            for writers in by_endpoint.values():
                for batch in writers[0].answers(_missing(writers, items, answers, total), tally):
                    # On disk before it is counted, and before the next batch is requested.
                    unanswered |= {key: one for key, one in batch if one.get("reason") == UNANSWERED}
                    answers.append([(key, one) for key, one in batch if one.get("reason") != UNANSWERED])
                    for _, one in batch:
                        total.add(one, is_stored=False)
                    watch(total)
        except LimitReached as error:
            total.stopped = str(error)
        return [_written(job, items, answers, unanswered, total.stopped) for job in jobs]


def _missing(writers: Sequence[Writer], items: Items, answers: Journal, count: Count) -> Iterator[Any]:
    """Every wanted answer about the items that the journal lacks; the others are counted."""
    for _, one in _wanted(writers, items):
        if one.key in answers:
            count.add(answers[one.key], is_stored=True)
        else:
            yield one


def _written(job: Job, items: Items, journal: Journal, without: Mapping[str, Answer], stopped: str) -> Count:
    """Write one job's file from the stored answers; return their outcome, that of equal keys once."""
    count, writer, seen = Count(stopped=stopped), job.writer, set[str]()
    with atomic_path(job.out, PRIVATE) as part, part.open("wb") as stream:
        for item in items():
            answers = []
            for one in writer.wanted(item):
                key = one.key
                answer = journal[key] if key in journal else without.get(key, {"reason": NOT_ASKED})
                answers.append(answer)
                if key not in seen:
                    seen.add(key)
                    count.add(answer, is_stored=journal.held_before(key))
            stream.writelines(job.lines(item, answers))
    return count


class _InOrder:
    """A summarizer of one summary per record, in order, with keys added."""

    def __init__(self, summarizer: Summarizer) -> None:
        self.summarizer = summarizer

    def wanted(self, record: Record) -> Iterable[Task]:
        """One summary. Its key is a hash of the summarizer's spec, Fairbrief's version and the record."""
        return [Task(key_of(repr(self.summarizer), __version__, record_line(record)), record)]

    def answers(self, wanted: Iterable[Task], _: Tally) -> Iterator[list[tuple[str, Answer]]]:
        """Summaries of several records at once, in order."""
        waiting = iter(wanted)
        while batch := list(itertools.islice(waiting, AT_ONCE)):
            written = self.summarizer.summarize([task.record for task in batch])
            yield [(task.key, summary_fields(one)) for task, one in zip(batch, written, strict=True)]


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
    """The requests of a run. Tokens are estimates; ``answer_tokens`` is the maximum, infinite if answers have no bound."""

    wanted: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    answer_tokens: float = 0
    examples: dict[str, str] = field(default_factory=dict)
    """Different filled prompts, each with the name of the model or system to ask: the first of each name."""
    shown: set[str] = field(default_factory=set)

    def add(self, asked_by: str, question: Question, *, is_answered: bool = False) -> None:
        """Count a question that would be sent, unless it is answered.

        The first filled prompt of a model or system is an example, unless an equal one is.
        """
        if asked_by not in self.shown:
            self.shown.add(asked_by)
            prompt = "\n\n".join(f"[{role}]\n{text}" for role, text in question.messages)
            self.examples.setdefault(prompt, asked_by)
        if not is_answered:
            self.calls += 1
            size = sum(len(text.encode("utf-8", "replace")) for _, text in question.messages)
            self.prompt_tokens += -(-size // BYTES_PER_TOKEN)
            sent = question.decoding
            self.answer_tokens += sent.get("max_completion_tokens", sent.get("max_tokens", inf))

    def lines(self, price: Price | None = None) -> list[str]:
        """The forecast as lines of text, without the examples."""
        is_bounded = self.answer_tokens < inf
        most = f"at most {self.answer_tokens:,}" if is_bounded else "any number of"
        lines = [
            f"{self.wanted:,} wanted, {self.wanted - self.calls:,} already answered, {counted(self.calls, 'call')} to make",
            f"about {counted(self.prompt_tokens, 'token')} of prompts ({BYTES_PER_TOKEN} bytes per token), {most} tokens of answers",
        ]
        if price is not None and is_bounded:
            lines.append(f"cost at most about {price.of(self.prompt_tokens, self.answer_tokens):,.4f}")
        elif price is not None:
            more = "for the prompts only: max_tokens (a setting, or --max-tokens) bounds the answers"
            lines.append(f"cost at least {price.of(self.prompt_tokens, 0):,.4f} {more}")
        return lines


def foresee(jobs: Iterable[Job], items: Items, known: Collection[str]) -> Forecast:
    """Fill every prompt of every job for every record (or case); return the requests that chat models would get.

    ``known`` has the keys of stored answers. Raises the errors of filling (DataError for a record without an attribute
    that the prompt uses, RequestError for a prompt without a place for a requested clause).
    """
    result = Forecast()
    names = {job.summarizer: job.system for job in jobs if isinstance(job.summarizer, Writer)}
    for writer, one in _wanted(list(names), items):
        result.wanted += 1
        if isinstance(writer, Asker):
            name = names[writer] or writer.endpoint().model
            result.add(name, one.question, is_answered=one.key in known)
    return result


@dataclass(slots=True, repr=False)
class Foreseen(ScorerAround):
    """A chat judge that asks nothing: its questions are counted in a forecast, with a cache each once, unless the cache has its answer.

    Its scores are zeros.
    """

    scorer: Any
    forecast: Forecast
    cache: Path | None
    seen: set[ScoreKey] = field(default_factory=set)

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """Zeros."""
        keys = list(self.scorer.keys(asks))
        new = [key for key in keys if self.cache is None or key not in self.seen]
        self.seen.update(new)
        self.forecast.wanted += len(new)
        stored: ScoreArrays = {}
        if self.cache is not None:
            stored = score_cache.read(self.cache, self.scorer.computed_by, new)
        for key in new:
            if key not in stored:
                self.forecast.add(self.name, self.scorer.question(key))
        yield from self.scorer.assemble(asks, dict.fromkeys(keys, np.zeros(1)))
