"""Who an article is about: its group by gender words, or by an attribute of the record."""

from __future__ import annotations

from functools import lru_cache

from fairbrief.text.group_words import gender_coefficient, subject_group
from fairbrief.types import Reason, Record

NO_GENDER_WORD = Reason("no gender word in the article")
MIXED = Reason("the article's gender words are mixed")
NO_ATTRIBUTE = Reason("the record lacks the attribute")
SEVERAL = Reason("the record's documents or people differ in the attribute")


def article_of(record: Record) -> str:
    """The text that is summarized: all documents, a blank line between them."""
    return "\n\n".join(d.text for d in record.documents)


def subject_of(record: Record, over: str, threshold: float) -> str | Reason:
    """The group of an article's subject, or why it has none.

    Without ``over``: female or male where the article's gender coefficient reaches ±threshold. With it:
    the record's attribute; if the record has none, the value that all documents, or else all people,
    share.
    """
    if not over:
        coefficient = coefficient_of(article_of(record))
        if coefficient is None:
            return NO_GENDER_WORD
        return subject_group(coefficient, threshold) or MIXED
    if over in record.attributes:
        return record.attributes[over]
    for holders in (record.documents, record.entities):
        values = {holder.attributes.get(over) for holder in holders} - {None}
        if values:
            return str(values.pop()) if len(values) == 1 else SEVERAL
    return NO_ATTRIBUTE


@lru_cache(maxsize=4096)
def coefficient_of(text: str) -> float | None:
    """The gender coefficient; an article comes again with every system's summary of it."""
    return gender_coefficient(text)
