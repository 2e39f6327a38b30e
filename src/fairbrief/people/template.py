"""Gendered content words (wife and husband, chairman and chairwoman, and a neutral word), and templates of records."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from fairbrief.errors import DataError
from fairbrief.text import gendered_words
from fairbrief.text.gendered_words import like
from fairbrief.text.names import Piece, bare, divide
from fairbrief.types import Entity, Mention, Record

Words = Mapping[str, Mapping[str, str]]
"""Word in lower case → ``male``, ``female`` and ``neutral`` → the word for such a person, and ``is`` → the word's gender."""


def _table(name: str) -> list[dict[str, str]]:
    """The rows of a table that comes with the package."""
    text = files("fairbrief.people").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def content_words() -> Words:
    """The words of words.csv; if a word is in several rows (``lady``), the first one counts."""
    rows = [
        (row[kind].lower(), {**row, "is": kind}) for row in _table("words.csv") for kind in ("male", "female")
    ]
    return dict(reversed(rows))


@cache
def _age_words() -> Mapping[str, tuple[str, str]]:
    """Word or phrase of ages.csv in lower case → the words for a young and for an old person."""
    rows = [(row["young"], row["old"]) for row in _table("ages.csv")]
    return {word: row for row in reversed(rows) for word in row}


OLD = 65
"""Years from which words such as pensioner replace words such as employee."""


def aged(surface: str, years: str) -> str:
    """Words about a person's age in the given years: the number, or the word of ages.csv.

    >>> aged("34-year-old", "81"), aged("Employee", "81"), aged("in retirement", "34")
    ('81-year-old', 'Pensioner', 'at work')
    """
    forms = _age_words().get(surface.lower())
    return re.sub(r"\d+", years, surface) if forms is None else like(surface, forms[int(years) >= OLD])


def word_for(words: Words, surface: str, gender: str) -> str:
    """The word for a ``male``, ``female`` or ``neutral`` person in place of ``surface``, in its case."""
    entry = words[surface.lower()]
    return surface if entry["is"] == gender else like(surface, entry[gender])


# ---- Templates: the words of a record that depend on its people


_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slot:
    """Characters ``start`` to ``end`` of a document, which depend on ``people`` (indices; several for a shared noun).

    ``role`` is ``first``, ``last`` or ``initial`` for a name, ``title``, a pronoun's place, ``content``, ``age``, or
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
    """A person of a template: the seed document's names, and the gender shown by pronouns and titles (or None).

    ``genders`` has all genders that the words about the person show: more than one is a contradiction.
    """

    entity: Entity
    first: str | None
    last: str | None
    gender: str | None
    genders: frozenset[str]
    middle: frozenset[str] = frozenset()
    """The given names between the first and the last name, in lower case."""
    is_kept: bool = False
    """Whether name and pronouns cannot change: the person is they, or words outside the slots show the gender."""

    @property
    def is_named(self) -> bool:
        return self.first is not None or self.last is not None


@dataclass(frozen=True, slots=True)
class Template:
    """A record with its people, and the slots that depend on them, in order of document and position."""

    record: Record
    people: tuple[Person, ...]
    slots: tuple[Slot, ...]


def make_template(
    record: Record, words: Words | None = None, is_given: Callable[[str], bool] = lambda _: False
) -> Template:
    """The template of a record with people.

    ``words`` is the table of content words (wife, husband) that may change, None if none may. ``is_given`` decides
    whether a single word for a person is a first name: annotations do not mark this, and otherwise a last name is
    assumed. Only named people have slots: a person described only by pronouns and nouns ("the lawyer … she") does not
    change. Raises `DataError` if a mention is outside its document or two people's mentions overlap.
    """
    people: list[Person] = []
    slots: list[Slot] = []
    for index, entity in enumerate(record.entities):
        person = _person(record, entity, is_given)
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
    is_one_name = first is None or last is None
    if any((is_one_name and _is_sovereign(record, m)) or _is_saint(record, m) for m in entity.mentions):
        # No other name can replace Louis XV, so he does not change.
        return Person(entity, None, None, None, frozenset())
    for mention in entity.mentions:
        surface = _surface(record, entity, mention)
        titled = titled or (mention.kind in _NAMED and _follows_office(record, mention))
        if mention.kind in gendered_words.PLACES:
            genders.add(gendered_words.pronoun_gender(surface))
        elif mention.kind == "title":
            genders.add(gendered_words.title_gender(surface))
            titled = titled or bare(surface) in gendered_words.COURTESY
    known = frozenset(g for g in genders if g)
    gender = entity.attributes.get("gender") or (next(iter(known)) if len(known) == 1 else None)
    if gender not in ("male", "female") or len(known) > 1:
        gender = None
    alone = first is None and last is not None and not titled and len(last.split()) == 1
    partner = not known and any(_is_partner(record, m, is_given) for m in entity.mentions)
    if alone and last is not None and all(map(is_given, last.split("-"))) and not partner:
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
    is_they = entity.attributes.get("pronouns") == "they" and not known
    is_kept = is_they or any(_is_told_otherwise(record, m, is_given) for m in entity.mentions)
    return Person(entity, first, last, None if is_kept else gender, known, frozenset(middle), is_kept)


_NAMED = frozenset(("first", "last", "full"))
_BEFORE = re.compile(r"([^\W\d_]+)\.?\s+$")
_NUMBERED = re.compile(
    r"(?<!\s)\s+(?:[IVX]{2,}|[VX])\b|(?<!\s)\s+the\s+(?:Great|Elder|Younger|First|Second|Third)\b"
)
_SCRIPTURE = re.compile(r"\b(?:Gospel|Book|Epistle)\s+(?:of|to)\s+$")
_FIRM = re.compile(r"\s+(?:and|&)\s+([A-Z][^\W\d_]+)(?!\w|['’]|\s+[A-Z])")
_INVERTED = re.compile(r",\s+[A-Z][^\W\d_]+(?:\s+[A-Z]\.?)*(?:\.|\s+and\b)")
"""After the last name in a bibliography: "Christie, Agatha."."""


def _context(record: Record, mention: Mention) -> tuple[str, str]:
    """The text of a mention's document, and the word right before the mention; empty if there is none."""
    text = record.documents[mention.document].text
    before = _BEFORE.search(text, max(0, mention.start - 20), mention.start)
    return text, before[1] if before else ""


def _is_sovereign(record: Record, mention: Mention) -> bool:
    """Whether a name is a sovereign's, a saint's or a god's: after such a title, or with a number or epithet."""
    if mention.kind not in _NAMED:
        return False
    text, before = _context(record, mention)
    titled = before[:1].isupper() and bare(before) in gendered_words.SOVEREIGNS
    name = text[mention.start : mention.end]
    numbered = _NUMBERED.match(text, mention.end) or _NUMBERED.search(name)
    holy = name.lower() in gendered_words.DIVINE or _SCRIPTURE.search(
        text, max(0, mention.start - 20), mention.start
    )
    return bool(titled or numbered or holy)


_TOLD_AFTER = re.compile(
    r"\s*[(\[]?n[ée]e?\s(?=[A-Z])|,?\s+(?:DBE|GBE|DCB|DCMG|DCVO|KBE|KCB|KCMG|KCVO)\b"
    r"|\s+(?:was|is|has been|had been)\s+(?:knighted\b|(?:made|created|appointed|named)\s+(?:an?\s+)?(?:Dame|Knight|Baron(?:ess)?)\b)"
    r'|\s+["“][A-Z][^\W\d_]+["”]\s+[A-Z]'
)
"""A maiden name, an honour or rank of one gender, a nickname inside the name."""
_TOLD_BEFORE = re.compile(
    r"\b(?:daughters|sons|sisters|brothers|nieces|nephews|wives|husbands)[,:]?\s+"
    r"(?:(?:[A-Z][\w’'-]*|and|\[\d+\]|\([^()]*\)|,)\s*)*$"
)
"""A plural noun of one gender before a list of names."""
_PAIRED = re.compile(r"\b([A-Z][^\W\d_]+)(?:-[A-Z][^\W\d_]+)?\s+and\s+$")


def _is_saint(record: Record, mention: Mention) -> bool:
    """Whether a name follows St. or Saint, and may therefore be that of a painting, a church or a day."""
    return mention.kind in _NAMED and _context(record, mention)[1].lower() in ("st", "saint")


def _is_told_otherwise(record: Record, mention: Mention, is_given: Callable[[str], bool]) -> bool:
    """Whether words around a mention show a gender, or a part of the name, that no fill can change."""
    text = record.documents[mention.document].text
    if _TOLD_AFTER.match(text, mention.end):
        return mention.kind in _NAMED or mention.kind in gendered_words.PLACES
    if mention.kind not in _NAMED:
        return False
    if _TOLD_BEFORE.search(text, max(0, mention.start - 120), mention.start):
        return True
    other = _PAIRED.search(text, max(0, mention.start - 40), mention.start)
    if mention.kind != "full" or other is None or not is_given(other[1]):
        return False
    # "Mary-Kate and Ashley Olsen": half of a couple, and the other half has no annotation.
    others = (m for e in record.entities for m in e.mentions if m.document == mention.document)
    return not any(m.start <= other.start() < m.end for m in others)


def _is_partner(record: Record, mention: Mention, is_given: Callable[[str], bool]) -> bool:
    """Whether a name is part of a firm's, "Tiffany and Bosco": joined to another single name that is no given name."""
    found = _FIRM.match(record.documents[mention.document].text, mention.end)
    return mention.kind in _NAMED and found is not None and not is_given(found[1])


def _follows_office(record: Record, mention: Mention) -> bool:
    """Whether the context shows that a single name is a last name: it follows a rank or office, or precedes a first name."""
    text, before = _context(record, mention)
    has_office = before[:1].isupper() and bare(before) in gendered_words.BEFORE_LAST_NAMES
    return has_office or _INVERTED.match(text, mention.end) is not None


def _check_age(record: Record, surface: str) -> None:
    if not re.search(r"\d", surface) and surface.lower() not in _age_words():
        raise DataError(
            f"{record.where or record.id}: '{surface}', a mention of kind age, has no number and is not in the list of words "
            f"about age. Mark a number, or one of: {', '.join(_age_words())}."
        )


def _slots(
    record: Record, person: Person, index: int, mention: Mention, words: Words | None
) -> Iterator[Slot]:
    surface = _surface(record, person.entity, mention)
    here = Slot(mention.document, mention.start, mention.end, mention.kind, (index,), surface)
    if mention.kind == "age":
        _check_age(record, surface)
        yield here
    elif mention.kind == "title":
        if gendered_words.title_gender(surface) is not None:
            yield here
    elif mention.kind in gendered_words.PLACES:
        if gendered_words.pronoun_gender(surface) is not None:
            yield here
    elif mention.kind == "content":
        if words is not None and surface.lower() in words:
            yield here
    elif mention.kind in _NAMED:
        yield from _calling(record, index, mention, words)
        if mention.kind == "first" or (mention.kind == "last" and person.last is None):
            pieces = [p for p in divide(surface, alone="given") if p.part != "suffix"]
            yield _part(here, pieces or list(divide(surface, alone="given")), "first")
        else:
            yield from _name_slots(here, person)
    else:
        raise DataError(
            f"{record.where or record.id}: a mention of entity '{person.entity.id}' is of kind '{mention.kind}'. "
            f"Wanted first, last, full, title, content, age, {', '.join(gendered_words.PLACES)}."
        )


_RIGHT_BEFORE = re.compile(r"([a-z]+) $")


def _calling(record: Record, index: int, mention: Mention, words: Words | None) -> Iterator[Slot]:
    """The gendered noun right before a name: the woman Eva."""
    text = record.documents[mention.document].text
    found = _RIGHT_BEFORE.search(text, max(0, mention.start - 20), mention.start)
    if words is not None and found is not None and found[1] in words:
        yield Slot(mention.document, found.start(1), found.end(1), "content", (index,), found[1])


def _name_slots(name: Slot, person: Person) -> Iterator[Slot]:
    """The parts of a longer name: everything before the last name is replaced as one first name; initials in between stay.

    "J. Smith" for a person called John gets the new first name's initial.
    """
    skip = 0
    for word in name.surface.split():
        if not gendered_words.is_title(word) or word == name.surface.split()[-1]:
            break
        skip = name.surface.index(word, skip) + len(word)
        skip += len(name.surface[skip:]) - len(name.surface[skip:].lstrip())
    if skip and gendered_words.title_gender(title := name.surface[:skip].rstrip()) is not None:
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
    """Whether the last word of "Pierre Charles" is not a last name, because elsewhere the person is Pierre Charles L'Enfant."""
    final = next((surface[p.start : p.end] for p in pieces if p.part == "last"), None)
    if final is None or person.last is None or final.lower() == person.last.split()[-1].lower():
        return False
    return final.lower() in person.middle


def _unmarked(record: Record, people: Sequence[Person], slots: Sequence[Slot]) -> Iterator[Slot]:
    """Slots for unannotated full names, "First Last", that belong to exactly one person."""
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
        f"{mention.end} of document {mention.document}, which do not exist. Correct the offsets of the mention."
    )


def in_order(record: Record, slots: list[Slot]) -> Iterator[Slot]:
    """The distinct slots in order, with the articles before them; a noun shared by several people is one slot."""
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
        found = _ARTICLE.search(before) if slot.role in ("first", "last", "content", "age") else None
        start = slot.start - len(found[0]) if found else 0
        # "An" may also be the given name right before this slot.
        if found and (slot.document, start) >= end:
            yield Slot(slot.document, start, start + len(found[1]), "article", slot.people, found[1])
        yield slot
        end = (slot.document, slot.end)


def _claimed_twice(record: Record, slot: Slot) -> None:
    raise DataError(
        f"{record.where or record.id}: the words '{slot.surface}' at characters {slot.start} to {slot.end} of document "
        f"{slot.document} belong to two people. Keep the mention only for the person it names."
    )
