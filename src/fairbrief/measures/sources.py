"""What a summary is of: the record's documents as one text."""

from __future__ import annotations

from fairbrief.nouns import Record


def source_of(record: Record) -> str:
    """The text of all documents of a record, in their order, a line break between them."""
    return "\n".join(document.text for document in record.documents)
