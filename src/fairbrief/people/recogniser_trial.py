"""A recogniser held against annotated documents: whom it finds, misses and misreads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from fairbrief.errors import DataError
from fairbrief.text.census_names import genders
from fairbrief.text.found_people import FoundPerson, found_people
from fairbrief.text.recogniser_errors import GROUPS, READ, TRUE, RecogniserErrors
from fairbrief.types import Entity, Record

_NAMES = ("first", "last", "full")


def try_recogniser(records: Iterable[Record], accepted: Callable[[str], Iterable[str]]) -> RecogniserErrors:
    """The errors of a recogniser on records whose people are annotated with mentions and genders.

    ``accepted`` says of a text which strings in it name people. Somebody found is whoever of the annotated people has
    most mentions in common; nobody, if none has any. People whose gender the annotation does not tell are left out.
    Raises `DataError` where the records have no women or no men.
    """
    read: Counter[tuple[str, str]] = Counter()
    found: Counter[str] = Counter()
    many: Counter[str] = Counter()
    for record in records:
        for number, document in enumerate(record.documents):
            people = [
                e
                for e in record.entities
                if any(m.document == number and m.kind in _NAMES for m in e.mentions)
            ]
            seen: set[str] = set()
            for person in found_people(document.text, set(accepted(document.text)), genders()):
                true = _who(person, people, number)
                if true is not None:
                    seen.add(true.id)
                group = "nobody" if true is None else true.attributes.get("gender", "")
                read[person.gender, group] += 1
            told = [e for e in people if e.attributes.get("gender") in GROUPS]
            many.update(e.attributes["gender"] for e in told)
            found.update(e.attributes["gender"] for e in told if e.id in seen)
    if missing := [group for group in GROUPS if not many[group]]:
        raise DataError(
            f"No annotated person is {' or '.join(missing)}: a recogniser's errors are measured on records whose people "
            "have mentions and the attribute gender (female, male), or on annotated documents with pronouns."
        )
    counts = {r: (read[r, TRUE[0]], read[r, TRUE[1]], read[r, TRUE[2]]) for r in READ}
    return RecogniserErrors(counts, {group: (found[group], many[group]) for group in GROUPS})


def _who(person: FoundPerson, people: Sequence[Entity], document: int) -> Entity | None:
    """The annotated person with most mentions under the spans of the one found; None if nobody has any."""
    shared = {
        e.id: sum(
            any(
                m.document == document and m.kind in _NAMES and m.start < s.end and s.start < m.end
                for m in e.mentions
            )
            for s in person.spans
        )
        for e in people
    }
    best = max(people, key=lambda e: shared[e.id], default=None)
    return best if best is not None and shared[best.id] else None
