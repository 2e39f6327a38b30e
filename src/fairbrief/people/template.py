"""Gendered content words (wife and husband, chairman and chairwoman, and a neutral word), and templates of records."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import takewhile

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
    slots += _unmarked(record, people, tuple(slots))
    return Template(record, tuple(people), tuple(in_order(record, slots)))


def _person(record: Record, entity: Entity, is_given: Callable[[str], bool]) -> Person:
    """A person, from the mentions and the words around them.

    No other name can replace that of a sovereign (Louis XV), a saint or a god, so such a person has no name that could
    change. A name after St. or Saint may also be that of a painting, a church or a day.
    """
    first, last = entity.first_name, entity.last_name
    is_one_name = first is None or last is None
    genders: set[str | None] = set()
    is_sacred = is_kept = is_surely_last = is_partner = False
    for mention in entity.mentions:
        surface, kind = _surface(record, entity, mention), mention.kind
        start, end = mention.start, mention.end
        text = record.documents[mention.document].text
        if kind in gendered_words.PLACES:
            genders.add(gendered_words.pronoun_gender(surface))
        elif kind == "title":
            genders.add(gendered_words.title_gender(surface))
            is_surely_last |= bare(surface) in gendered_words.COURTESY
        if kind in _NAMED or kind in gendered_words.PLACES:
            is_kept |= _TOLD_AFTER.match(text, end) is not None
        if kind not in _NAMED:
            continue
        found = _BEFORE.search(text, max(0, start - 20), start)
        before = found[1] if found else ""
        is_sacred |= before.lower() in ("st", "saint") or (
            is_one_name
            and bool(
                (before[:1].isupper() and bare(before) in gendered_words.SOVEREIGNS)
                or _NUMBERED.match(text, end)
                or _NUMBERED.search(surface)
                or surface.lower() in gendered_words.DIVINE
                or _SCRIPTURE.search(text, max(0, start - 20), start)
            )
        )
        # A rank or an office precedes a last name, and in a bibliography a first name follows it.
        is_surely_last |= before[:1].isupper() and bare(before) in gendered_words.BEFORE_LAST_NAMES
        is_surely_last |= _INVERTED.match(text, end) is not None
        # "Tiffany and Bosco" is a firm: another single name follows that is no given name.
        firm = _FIRM.match(text, end)
        is_partner |= firm is not None and not is_given(firm[1])
        is_kept |= _TOLD_BEFORE.search(text, max(0, start - 120), start) is not None
        is_kept |= _is_half_of_couple(record, mention, is_given)
    if is_sacred:
        return Person(entity, None, None, None, frozenset())
    known = frozenset(g for g in genders if g)
    gender = entity.attributes.get("gender") or (next(iter(known)) if len(known) == 1 else None)
    if gender not in ("male", "female") or len(known) > 1:
        gender = None
    is_alone = first is None and last is not None and not is_surely_last and len(last.split()) == 1
    if is_alone and last is not None and all(map(is_given, last.split("-"))) and (known or not is_partner):
        first, last = last, None
    full = [_surface(record, entity, m) for m in entity.mentions if m.kind == "full"]
    middle = {
        surface[p.start : p.end].lower()
        for surface in full
        if last is not None and surface.lower().endswith(last.lower())
        for p in divide(surface, last)
        if p.part == "given"
    }
    is_kept |= entity.attributes.get("pronouns") == "they" and not known
    return Person(entity, first, last, None if is_kept else gender, known, frozenset(middle), is_kept)


_NAMED = frozenset(("first", "last", "full"))
_BEFORE = re.compile(r"([^\W\d_]+)\.?\s+$")
_NUMBERED = re.compile(
    r"(?<!\s)\s+(?:[IVX]{2,}|[VX])\b|(?<!\s)\s+the\s+(?:Great|Elder|Younger|First|Second|Third)\b"
)
_SCRIPTURE = re.compile(r"\b(?:Gospel|Book|Epistle)\s+(?:of|to)\s+$")
_RIGHT_BEFORE = re.compile(r"([a-z]+) $")
_FIRM = re.compile(r"\s+(?:and|&)\s+([A-Z][^\W\d_]+)(?!\w|['’]|\s+[A-Z])")
_INVERTED = re.compile(r",\s+[A-Z][^\W\d_]+(?:\s+[A-Z]\.?)*(?:\.|\s+and\b)")
"""After the last name in a bibliography: "Christie, Agatha."."""


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


def _is_half_of_couple(record: Record, mention: Mention, is_given: Callable[[str], bool]) -> bool:
    """Whether a full name also gives the last name of an unannotated person: "Mary-Kate and Ashley Olsen"."""
    text = record.documents[mention.document].text
    other = _PAIRED.search(text, max(0, mention.start - 40), mention.start)
    if mention.kind != "full" or other is None or not is_given(other[1]):
        return False
    others = (m for e in record.entities for m in e.mentions if m.document == mention.document)
    return not any(m.start <= other.start() < m.end for m in others)


def _slots(
    record: Record, person: Person, index: int, mention: Mention, words: Words | None
) -> Iterator[Slot]:
    surface, kind = _surface(record, person.entity, mention), mention.kind
    where = record.where or record.id
    here = Slot(mention.document, mention.start, mention.end, kind, (index,), surface)
    if kind in _NAMED:
        text = record.documents[mention.document].text
        noun = _RIGHT_BEFORE.search(text, max(0, mention.start - 20), mention.start)
        if words is not None and noun is not None and noun[1] in words:  # the woman Eva
            yield Slot(mention.document, noun.start(1), noun.end(1), "content", (index,), noun[1])
        if kind == "first" or (kind == "last" and person.last is None):
            pieces = divide(surface, alone="given")
            yield _part(here, [p for p in pieces if p.part != "suffix"] or pieces, "first")
        else:
            yield from _name_slots(here, person)
        return
    changes: dict[str, bool] = {
        "title": gendered_words.title_gender(surface) is not None,
        "content": words is not None and surface.lower() in words,
        "age": re.search(r"\d", surface) is not None or surface.lower() in _age_words(),
        **dict.fromkeys(gendered_words.PLACES, gendered_words.pronoun_gender(surface) is not None),
    }
    if kind not in changes:
        raise DataError(
            f"{where}: a mention of entity '{person.entity.id}' is of kind '{kind}'. "
            f"Wanted first, last, full, title, content, age, {', '.join(gendered_words.PLACES)}."
        )
    if kind == "age" and not changes[kind]:
        raise DataError(
            f"{where}: '{surface}', a mention of kind age, has no number and is not in the list of words "
            f"about age. Mark a number, or one of: {', '.join(_age_words())}."
        )
    if changes[kind]:
        yield here


def _name_slots(name: Slot, person: Person) -> Iterator[Slot]:
    """The parts of a longer name: everything before the last name is replaced as one first name; initials in between stay.

    "J. Smith" for a person called John gets the new first name's initial.
    """
    words = re.findall(r"\s*\S+\s*", name.surface)
    skip = sum(map(len, takewhile(lambda word: gendered_words.is_title(word.strip()), words[:-1])))
    if skip and gendered_words.title_gender(title := name.surface[:skip].rstrip()) is not None:
        yield replace(name, end=name.start + len(title), role="title", surface=title)
    rest = replace(name, start=name.start + skip, surface=name.surface[skip:])
    pieces = divide(rest.surface, person.last, alone="last" if name.role == "last" else "given")
    final = next((rest.surface[p.start : p.end].lower() for p in pieces if p.part == "last"), None)
    # The last word of "Pierre Charles" is no last name if the person is Pierre Charles L'Enfant elsewhere.
    if person.last is not None and final in person.middle and final != person.last.split()[-1].lower():
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


def _unmarked(record: Record, people: Sequence[Person], slots: Sequence[Slot]) -> Iterator[Slot]:
    """Slots for unannotated full names, "First Last", that belong to exactly one person."""
    names = Counter((p.first, p.last) for p in people)
    for index, person in enumerate(people):
        if person.first is None or person.last is None or names[person.first, person.last] > 1:
            continue
        pattern = re.compile(rf"\b({re.escape(person.first)}) ({re.escape(person.last)})\b")
        for number, document in enumerate(record.documents):
            for found in pattern.finditer(document.text):
                start, end = found.span()
                if not any(s.document == number and s.start < end and start < s.end for s in slots):
                    yield Slot(number, *found.span(1), "first", (index,), found[1])
                    yield Slot(number, *found.span(2), "last", (index,), found[2])


def _part(name: Slot, pieces: Sequence[Piece], role: str) -> Slot:
    start, end = pieces[0].start, pieces[-1].end
    surface = name.surface[start:end]
    return replace(name, start=name.start + start, end=name.start + end, role=role, surface=surface)


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
    at: dict[tuple[int, int, int], set[Slot]] = defaultdict(set)
    for slot in slots:
        at[slot.document, slot.start, slot.end].add(slot)
    end = (0, 0)
    for (number, start, stop), same in sorted(at.items()):
        slot = next(iter(same))
        is_shared = len(same) > 1
        if (is_shared and any(s.role != "content" for s in same)) or (number, start) < end:
            raise DataError(
                f"{record.where or record.id}: the words '{slot.surface}' at characters {start} to {stop} of document "
                f"{number} belong to two people. Keep the mention only for the person it names."
            )
        slot = replace(slot, people=tuple(sorted({i for s in same for i in s.people})))
        before = record.documents[number].text[max(0, start - 4) : start]
        found = _ARTICLE.search(before) if slot.role in ("first", "last", "content", "age") else None
        # "An" may also be the given name right before this slot.
        if found and (number, start - len(found[0])) >= end:
            article = start - len(found[0])
            yield Slot(number, article, article + len(found[1]), "article", slot.people, found[1])
        yield slot
        end = (number, stop)
