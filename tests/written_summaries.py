"""Summaries as a user gets them: written to a file by a summarizer, and read back."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from fairbrief import readers
from fairbrief.chat.journal import journal_of
from fairbrief.types import Record, Summary
from fairbrief.workbench.summarizing import Job, Writer, summarize_all


def written_by(writer: Writer, records: Sequence[Record]) -> list[Summary]:
    """The summaries of each record, one per sample, in order."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "summaries.jsonl"
        summarize_all([Job(writer, out)], lambda: records, journal_of(out))
        return [case.summary for case in readers.read(out)]
