"""Templates: which words of a record change when its people change."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fairbrief.corpora.people.words import Words
from fairbrief.errors import DataError
from fairbrief.nouns import Entity, Mention, Record
from fairbrief.text import address, pronouns
from fairbrief.text.names import Piece, divide

_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slot:
    """Characters ``start`` to ``end`` of a document, which follow ``people`` (indices; several for a shared noun).

    ``role`` is ``first``, ``last`` or ``initial`` for a name, ``title``, a pronoun's place, ``content``, or
    ``article`` for the "a" or "an" right before another slot.
    """

    document: int
    start: int
    end: int
    role: str
    people: tuple[int, ...]
    surface: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person of a template: the original's names, and the gender that pronouns and titles give (or None).

    ``genders`` holds all genders that the words about the person show: more than one is a contradiction.
    """

    entity: Entity
    first: str | None
    last: str | None
    gender: str | None
    genders: frozenset[str]
    middle: frozenset[str] = frozenset()
    """The given names that stand between the first and the last, in lower case."""

    @property
    def is_named(self) -> bool:
        return self.first is not None or self.last is not None


@dataclass(frozen=True, slots=True)
class Template:
    """A record with the people in it, and the slots that follow them, in order of document and place."""

    record: Record
    people: tuple[Person, ...]
    slots: tuple[Slot, ...]


def make_template(
    record: Record, words: Words | None = None, is_given: Callable[[str], bool] = lambda _: False
) -> Template:
    """The template of a record with people.

    ``words`` is the table of content words (wife, husband) that may change, None if none may.
    ``is_given`` says of a single word that stands for a person whether it is a first name: annotation
    does not tell, and a last name is assumed otherwise. Only people who are named have slots: a person whom only
    pronouns and nouns speak of ("the lawyer … she") stays as they are.
    Raises `DataError` if a mention lies outside of its document or two people's mentions overlap.
    """
    people: list[Person] = []
    slots: list[Slot] = []
    for entity in record.entities:
        person = _person(record, entity, is_given)
        index = len(people)
        people.append(person)
        if person.is_named:
            for mention in entity.mentions:
                slots += _slots(record, person, index, mention, words)
    slots += _unmarked(record, people, slots)
    return Template(record, tuple(people), tuple(in_order(record, slots)))


def _person(record: Record, entity: Entity, is_given: Callable[[str], bool]) -> Person:
    first, last = entity.first_name, entity.last_name
    genders = set()
    titled = False
    for mention in entity.mentions:
        surface = _surface(record, entity, mention)
        if mention.kind in pronouns.PLACES:
            genders.add(pronouns.gender(surface))
        elif mention.kind == "title":
            genders.add(address.gender(surface))
            titled = titled or address.is_courtesy(surface)
    known = frozenset(g for g in genders if g)
    gender = entity.attributes.get("gender") or (next(iter(known)) if len(known) == 1 else None)
    if gender not in ("male", "female") or len(known) > 1:
        gender = None
    if first is None and last is not None and not titled and len(last.split()) == 1 and is_given(last):
        first, last = last, None
    middle = {
        surface[p.start : p.end].lower()
        for mention in entity.mentions
        if mention.kind == "full"
        for surface in [_surface(record, entity, mention)]
        if last is not None and surface.lower().endswith(last.lower())
        for p in divide(surface, last)
        if p.part == "given"
    }
    return Person(entity, first, last, gender, known, frozenset(middle))


def _slots(
    record: Record, person: Person, index: int, mention: Mention, words: Words | None
) -> Iterator[Slot]:
    surface = _surface(record, person.entity, mention)
    here = Slot(mention.document, mention.start, mention.end, mention.kind, (index,), surface)
    if mention.kind == "title":
        if address.gender(surface) is not None:
            yield here
    elif mention.kind in pronouns.PLACES:
        if pronouns.gender(surface) is not None:
            yield here
    elif mention.kind == "content":
        if words is not None and surface.lower() in words:
            yield here
    elif mention.kind == "first" or (mention.kind == "last" and person.last is None):
        pieces = [p for p in divide(surface, alone="given") if p.part != "suffix"]
        yield _part(here, pieces or list(divide(surface, alone="given")), "first")
    elif mention.kind in ("last", "full"):
        yield from _name_slots(here, person)
    else:
        raise DataError(
            f"{record.where or record.id}: a mention of entity '{person.entity.id}' is of kind '{mention.kind}'. "
            f"Wanted first, last, full, title, content, {', '.join(pronouns.PLACES)}."
        )


def _name_slots(name: Slot, person: Person) -> Iterator[Slot]:
    """The parts of a longer name: what comes before the last name goes as one first name; an initial between stays.

    "J. Smith" of a person whose first name is John gets the new first name's initial.
    """
    skip = 0
    for word in name.surface.split():
        if not address.is_title(word) or word == name.surface.split()[-1]:
            break
        skip = name.surface.index(word, skip) + len(word)
        skip += len(name.surface[skip:]) - len(name.surface[skip:].lstrip())
    if skip and address.gender(title := name.surface[:skip].rstrip()) is not None:
        yield replace(name, end=name.start + len(title), role="title", surface=title)
    rest = replace(name, start=name.start + skip, surface=name.surface[skip:])
    pieces = divide(rest.surface, person.last, alone="last" if name.role == "last" else "given")
    if pieces and _is_given_throughout(rest.surface, pieces, person):
        pieces = tuple(replace(p, part="given") if p.part == "last" else p for p in pieces)
    given = [p for p in pieces if p.part == "given"]
    last = [p for p in pieces if p.part in ("particle", "last")]
    if given and person.first is not None:
        yield _part(rest, given, "first")
    elif person.first is not None and pieces[0].part == "initial":
        letter = Piece(pieces[0].start, pieces[0].start + 1, "initial")
        if rest.surface[letter.start] == person.first[0]:
            yield _part(rest, [letter], "initial")
    if last:
        yield _part(rest, last, "last")


def _is_given_throughout(surface: str, pieces: Sequence[Piece], person: Person) -> bool:
    """Whether the last word of "Pierre Charles" is no last name: the person is Pierre Charles L'Enfant elsewhere."""
    final = next((surface[p.start : p.end] for p in pieces if p.part == "last"), None)
    if final is None or person.last is None or final.lower() == person.last.split()[-1].lower():
        return False
    return final.lower() in person.middle


def _unmarked(record: Record, people: Sequence[Person], slots: Sequence[Slot]) -> Iterator[Slot]:
    """Slots for full names that the annotation has missed: "First Last", which only one of the people is called."""
    taken = [(s.document, s.start, s.end) for s in slots]
    names = Counter((p.first, p.last) for p in people)
    for index, person in enumerate(people):
        if person.first is None or person.last is None or names[person.first, person.last] > 1:
            continue
        pattern = re.compile(rf"\b({re.escape(person.first)}) ({re.escape(person.last)})\b")
        for number, document in enumerate(record.documents):
            for found in pattern.finditer(document.text):
                if not any(d == number and a < found.end() and found.start() < b for d, a, b in taken):
                    yield Slot(number, *found.span(1), "first", (index,), found[1])
                    yield Slot(number, *found.span(2), "last", (index,), found[2])


def _part(name: Slot, pieces: list[Piece], role: str) -> Slot:
    start, end = pieces[0].start, pieces[-1].end
    return replace(
        name, start=name.start + start, end=name.start + end, role=role, surface=name.surface[start:end]
    )


def _surface(record: Record, entity: Entity, mention: Mention) -> str:
    if mention.document < len(record.documents):
        text = record.documents[mention.document].text
        if 0 <= mention.start < mention.end <= len(text):
            return text[mention.start : mention.end]
    raise DataError(
        f"{record.where or record.id}: a mention of entity '{entity.id}' covers characters {mention.start} to "
        f"{mention.end} of document {mention.document}, which do not exist. Mend the places of the mention."
    )


def in_order(record: Record, slots: list[Slot]) -> Iterator[Slot]:
    """The slots without doubles, with the articles before them; a noun that several people share is one slot."""
    at: dict[tuple[int, int, int], list[Slot]] = defaultdict(list)
    for slot in slots:
        at[slot.document, slot.start, slot.end].append(slot)
    end = (0, 0)
    for key in sorted(at):
        same = list(dict.fromkeys(at[key]))
        slot = same[0]
        if len(same) > 1 and all(s.role == "content" for s in same):
            slot = replace(slot, people=tuple(sorted({i for s in same for i in s.people})))
        elif len(same) > 1:
            _claimed_twice(record, slot)
        if (slot.document, slot.start) < end:
            _claimed_twice(record, slot)
        before = record.documents[slot.document].text[max(0, slot.start - 4) : slot.start]
        found = _ARTICLE.search(before) if slot.role in ("first", "last", "content") else None
        start = slot.start - len(found[0]) if found else 0
        # "An" may also be the given name right before this slot.
        if found and (slot.document, start) >= end:
            yield Slot(slot.document, start, start + len(found[1]), "article", slot.people, found[1])
        yield slot
        end = (slot.document, slot.end)


def _claimed_twice(record: Record, slot: Slot) -> None:
    raise DataError(
        f"{record.where or record.id}: the words '{slot.surface}' at characters {slot.start} to {slot.end} of document "
        f"{slot.document} belong to two people. Leave them to the one whom they name."
    )
