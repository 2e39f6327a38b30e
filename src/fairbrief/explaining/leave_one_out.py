"""Cases with something left out: a document of the record, a sentence or a unit of the summary.

What is left stays as it was, letter by letter: so the pieces that a scorer is asked about are among those
of the whole case, and a scorer of pairs has nothing new to score.
"""

from __future__ import annotations

from dataclasses import replace

from fairbrief.serialization import EMPTY
from fairbrief.text.sentences import sentence_spans, split
from fairbrief.types import Case, Entity


def without_document(case: Case, number: int) -> Case:
    """The case without one document (from 0) of its record.

    Mentions in it go, those in later documents move up by one; a person whom only this document mentions
    goes too. Someone who had no mention before was known otherwise, and stays.
    """
    record = case.record
    people = (_without_mentions(person, number) for person in record.entities)
    reduced = replace(
        record,
        documents=record.documents[:number] + record.documents[number + 1 :],
        entities=tuple(person for person in people if person is not None),
    )
    return replace(case, record=reduced)


def without_sentence(case: Case, number: int) -> Case:
    """The case without one sentence (from 0) of its summary; units that were given stay.

    Without the only sentence the summary is empty, with that reason.
    """
    text = case.summary.text
    spans = sentence_spans(text)
    start, end = spans[number]
    # With the gap behind it, or before it if it is the last: the others keep theirs.
    if number + 1 < len(spans):
        left = text[:start] + text[spans[number + 1][0] :]
    else:
        left = text[: spans[number - 1][1] if number else start] + text[end:]
    kept = [text[a:b] for i, (a, b) in enumerate(spans) if i != number]
    if split(left) != kept:  # where a sentence ends can depend on what follows it; an empty line ends any
        left = "\n\n".join(kept)
    reason = "" if left.strip() else EMPTY
    return replace(case, summary=replace(case.summary, text=left, reason=reason))


def without_unit(case: Case, number: int) -> Case:
    """The case without one unit (from 0) of its summary; the text stays."""
    units = case.summary.units or ()
    return replace(case, summary=replace(case.summary, units=units[:number] + units[number + 1 :]))


def _without_mentions(person: Entity, document: int) -> Entity | None:
    left = tuple(
        replace(m, document=m.document - (m.document > document))
        for m in person.mentions
        if m.document != document
    )
    return None if person.mentions and not left else replace(person, mentions=left)
