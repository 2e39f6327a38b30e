"""Templates of texts that nobody annotated: the words that tell a gender, whoever they speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fairbrief.corpora.people.content_words import Words
from fairbrief.corpora.people.template import Person, Slot, Template, in_order
from fairbrief.text import address, pronouns
from fairbrief.text.recognition import Span, accept, choose, propose
from fairbrief.text.titles import SUFFIXES, bare, is_title
from fairbrief.types import Entity, Record

_WORD = re.compile(r"[^\W\d_]+")
_TITLE = re.compile(
    r"\b(?:M(?:r|rs|s)\b\.?|(?:Miss|Mister|Madame|Monsieur|Mademoiselle)\b)(?=\s+[^\W\d_a-z])"
)
NOBODY = "nobody"
"""Id of the person whom pronouns, titles and gendered nouns stand for."""


def find_template(record: Record, genders: Mapping[str, str], words: Words) -> Template:
    """The template of a record without mentions, for inputs in which everybody becomes of one gender.

    Slots: pronouns (``her`` and ``his`` by what follows them), courtesy titles, the nouns of ``words`` (in
    lower case: the King stays), and first names: those of the record's people, and of other names of people
    whose first word ``genders`` (first name in lower case → gender) knows. One person stands for each first
    name; since all get one gender, it does not matter whom a pronoun means, and the person `NOBODY` has them
    all. Last names stay.
    """
    given = {p.first_name: p for p in record.entities if p.first_name}
    people = [Person(Entity(NOBODY), None, None, None, frozenset())]
    place: dict[str, int] = {}
    slots: list[Slot] = []
    for number, document in enumerate(record.documents):
        names = list(_first_names(document.text, genders, given))
        for start, end in names:
            first = document.text[start:end]
            if first not in place:
                place[first] = len(people)
                entity = given.get(first) or Entity(f"{NOBODY}:{first}", first)
                people.append(Person(entity, first, entity.last_name, None, frozenset()))
            slots.append(Slot(number, start, end, "first", (place[first],), first))
        slots += _words(number, document.text, names, words)
    return Template(record, tuple(people), tuple(in_order(record, slots)))


def _first_names(
    text: str, genders: Mapping[str, str], given: Mapping[str, Entity]
) -> Iterator[tuple[int, int]]:
    """Where first names stand."""
    spans = propose(text)
    accepted = set(accept(text, spans, genders.keys()))
    people = choose(spans, accepted)
    known = {first for span in people if (first := _first(span, genders)) is not None} | given.keys()
    # At the start of a sentence a first name alone is not accepted by itself; borne elsewhere, it is.
    for span in choose(spans, accepted | {s.text for s in spans if s.text in known}):
        for token, (start, end) in zip(span.tokens, span.places, strict=True):
            if not is_title(token):
                if token in known and (token in given or _first(span, genders) == token):
                    yield start, end
                break


def _first(span: Span, genders: Mapping[str, str]) -> str | None:
    """The first name in a person's name; None after a title with one name, which is a last name."""
    core = [t for t in span.tokens if not is_title(t) and bare(t) not in SUFFIXES]
    titled = len(core) < len(span.tokens)
    return core[0] if core and core[0].lower() in genders and not (titled and len(core) == 1) else None


def _words(document: int, text: str, names: Sequence[tuple[int, int]], words: Words) -> Iterator[Slot]:
    """Titles, pronouns and gendered nouns."""
    taken = {found.start() for start, end in names for found in _WORD.finditer(text, start, end)}
    for found in _TITLE.finditer(text):
        if address.gender(found[0]) is not None:
            taken.add(found.start())
            yield Slot(document, found.start(), found.end(), "title", (0,), found[0])
    for found in _WORD.finditer(text):
        if found.start() in taken:
            continue
        word = found[0]
        role: str | None = None
        if pronouns.gender(word) is not None:
            role = pronouns.guess_place(word, text[found.end() : found.end() + 40])
        elif word in words and word.islower():
            role = "content"
        if role is not None:
            yield Slot(document, found.start(), found.end(), role, (0,), word)
