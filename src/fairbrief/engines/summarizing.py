"""From records to a file of summaries that a kill cannot spoil."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from fairbrief import __version__
from fairbrief.engines.answering import Batches, Count, gather
from fairbrief.engines.journal import journal_of, locked, open_journal, replacing
from fairbrief.lines import line_of, record_line, summary_fields
from fairbrief.nouns import Record, Summarizer, Summary

Wanted = tuple[str, Record, int]
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


def summarize(
    summarizer: Summarizer | Drafting,
    records: Callable[[], Iterable[Record]],
    out: Path,
    watch: Callable[[Count], None] = lambda _: None,
) -> Count:
    """Write the summaries of all records to ``out``, in their order; ``records`` is called twice.

    Answers go to ``OUT.journal`` as they come. Whenever the process ends, the next run asks only for what
    the journal lacks, and ``out`` is either as it was before or whole. A line holds the record's fields, and
    ``summary``, ``system``, ``reason`` and ``made``: `fairbrief.readers.read` reads it without being told how.
    A summary that did not come stands as null with the reason "no answer"; the next run asks for it again.

    Raises RequestError where another process writes ``out``.
    """
    drafting = summarizer if isinstance(summarizer, Drafting) else _InOrder(summarizer)
    count = Count()
    with locked(out), open_journal(journal_of(out)) as journal:
        tasks = (
            (key, record, sample) for record in records() for sample, key in enumerate(drafting.keys(record))
        )
        without = gather(tasks, lambda missing: _answers(drafting, missing), journal, count, watch)
        with replacing(out) as stream:
            for record in records():
                for key in drafting.keys(record):
                    stream.write(line_of(record, without[key] if key in without else journal[key]))
    return count


def _answers(drafting: Drafting, tasks: Iterator[Wanted]) -> Batches:
    for batch in drafting.drafts(tasks):
        yield [(key, summary_fields(summary)) for key, summary in batch]


class _InOrder:
    """A summarizer of one summary a record, in order, as one that names what it wrote."""

    def __init__(self, summarizer: Summarizer) -> None:
        self.summarizer = summarizer
        self.name = summarizer.name

    def keys(self, record: Record) -> Sequence[str]:
        """A hash of the summarizer's spelling, our version and the record."""
        told = json.dumps([repr(self.summarizer), __version__, record_line(record)], sort_keys=True)
        return [hashlib.sha256(told.encode()).hexdigest()[:32]]

    def drafts(self, tasks: Iterable[Wanted]) -> Iterator[list[tuple[str, Summary]]]:
        """Some records at once, in order."""
        waiting = iter(tasks)
        while batch := list(itertools.islice(waiting, AT_ONCE)):
            written = self.summarizer.summarize([record for _, record, _ in batch])
            yield [(key, summary) for (key, _, _), summary in zip(batch, written, strict=True)]
