"""Summaries as a user gets them: written to a file by a summarizer, and read back."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from fairbrief import readers
from fairbrief.chat.journal import journal_of
from fairbrief.types import Record, Summary
from fairbrief.workbench.summarizing import Job, Writer, summarize_all


class Written:
    """A summarizer that writes in any order, as one that writes in order."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.name = "written"

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """The summaries of each record, one per sample, in order."""
        known = list(records)
        with TemporaryDirectory() as folder:
            out = Path(folder) / "summaries.jsonl"
            summarize_all([Job(self.writer, out)], lambda: known, journal_of(out))
            yield from [case.summary for case in readers.read(out)]
