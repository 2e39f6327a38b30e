"""What a summary is of: the record's documents as one text."""

from __future__ import annotations

from fairbrief.measures.known_records import known
from fairbrief.text.languages import is_foreign
from fairbrief.types import Cases, Reason, Record


def source_of(record: Record) -> str:
    """The text of all documents of a record, in their order, a line break between them.

    Several observations read one source; the same text is also hashed once where sentences are looked up by it.
    """
    return known(record).source


def needs_english(cases: Cases, what: str) -> Reason | None:
    """Why ``what`` reads nothing in these cases: they are in another language, which is named; None in English ones."""
    language = is_foreign(source_of(cases[0].record)) if cases else ""
    return Reason(f"the text is {language}, and {what} are English") if language else None
