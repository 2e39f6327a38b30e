"""What several observations ask of one record, computed once; and whether English rules can read it."""

from __future__ import annotations

import msgspec

from fairbrief.data import Data
from fairbrief.text.languages import is_foreign
from fairbrief.types import Cases, Integers, PermutationScheme, Reason, Record

KEPT = 1024
"""Records of which something is remembered; of more the older half is forgotten."""


class Groups(Data, frozen=True):
    """The distinct values of an attribute, sorted; which of them each document has (documents,), read-only; their exchange."""

    names: tuple[str, ...]
    codes: Integers
    scheme: PermutationScheme


class KnownRecord(Data, frozen=True):
    """A record, its documents' texts, these as one with line breaks between, the references that have words, and what was found since."""

    record: Record
    texts: tuple[str, ...]
    source: str
    references: tuple[str, ...]
    groups: dict[str, Groups] = msgspec.field(default_factory=dict)


_known: dict[int, KnownRecord] = {}


def known(record: Record) -> KnownRecord:
    """What is known of a record. Records are asked about, and observed, some hundred at a time."""
    found = _known.get(id(record))  # no other has it: what is known holds the record
    if found is None:
        if len(_known) >= KEPT:
            for older in list(_known)[: KEPT // 2]:
                _known.pop(older, None)
        texts = tuple([document.text for document in record.documents])
        references = tuple([text for text in record.references if not is_blank(text)])
        found = _known[id(record)] = KnownRecord(record, texts, "\n".join(texts), references)
    return found


def is_blank(text: str) -> bool:
    """Whether a text is empty or nothing but white space."""
    return not text or text.isspace()


def needs_english(cases: Cases, what: str) -> Reason | None:
    """Why ``what`` reads nothing in these cases: they are in another language, which is named; None in English ones."""
    language = is_foreign(known(cases[0].record).source) if cases else ""
    return Reason(f"the text is {language}, and {what} are English") if language else None
