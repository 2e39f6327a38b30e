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


def _table(name: str) -> list[dict[str, str]]:
    """The rows of a table that comes with the package."""
    text = files("fairbrief.people").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def content_words() -> Mapping[str, Mapping[str, str]]:
    """The words of words.csv in lower case → ``male``, ``female`` and ``neutral`` → the word for such a person, and ``is`` →
    the word's gender. If a word is in several rows (``lady``), the first one counts.
    """
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


def word_for(surface: str, gender: str) -> str:
    """The word for a ``male``, ``female`` or ``neutral`` person in place of ``surface``, in its case."""
    entry = content_words()[surface.lower()]
    return surface if entry["is"] == gender else like(surface, entry[gender])


# ---- Templates: the words of a record that depend on its people


@dataclass(frozen=True, slots=True)
class Slot:
    """Characters ``start`` to ``end`` of a document, which depend on ``people`` (indices; several for a shared noun).

    ``role`` is ``first``, ``last`` or ``initial`` for a name, ``title``, a pronoun's place, ``content``, ``age``, or
    ``article`` for the "a" or "an" right before another slot; for a whole mention it is its kind.
    """

    document: int
    start: int
    end: int
    role: str
    people: tuple[int, ...]
    surface: str

    def before(self, record: Record, pattern: re.Pattern[str], reach: int = 20) -> re.Match[str] | None:
        """What matches among the characters right before it."""
        return pattern.search(record.documents[self.document].text, max(0, self.start - reach), self.start)

    def after(self, record: Record, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What matches right after it."""
        return pattern.match(record.documents[self.document].text, self.end)


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
    record: Record, is_given: Callable[[str], bool] = lambda _: False, *, content: bool = False
) -> Template:
    """The template of a record with people.

    ``is_given`` decides whether a single word for a person is a first name: annotations do not mark this, and otherwise
    a last name is assumed. ``content``: whether content words (wife, husband) may change. Only named people have slots: a
    person described only by pronouns and nouns ("the lawyer … she") does not change. Raises `DataError` if two people's
    mentions overlap.
    """
    people: list[Person] = []
    slots: list[Slot] = []
    for index, entity in enumerate(record.entities):
        marks = [_mark(record, index, mention) for mention in entity.mentions]
        person = _person(record, entity, marks, is_given)
        people.append(person)
        if person.is_named:
            slots += [slot for mark in marks for slot in _slots(record, person, mark, content=content)]
    slots += _unmarked(record, people, tuple(slots))
    return Template(record, tuple(people), tuple(in_order(record, slots)))


def _mark(record: Record, index: int, mention: Mention) -> Slot:
    """A mention with its words."""
    words = record.documents[mention.document].text[mention.start : mention.end]
    return Slot(mention.document, mention.start, mention.end, mention.kind, (index,), words)


def _person(record: Record, entity: Entity, marks: Sequence[Slot], is_given: Callable[[str], bool]) -> Person:
    """A person, from the mentions and the words around them.

    No other name can replace that of a sovereign (Louis XV), a saint or a god, so such a person has no name that could
    change. A name after St. or Saint may also be that of a painting, a church or a day.
    """
    first, last = entity.first_name, entity.last_name
    is_one_name = first is None or last is None
    known = frozenset(filter(None, (gendered_words.gender_of(mark.surface, mark.role) for mark in marks)))
    is_kept = entity.attributes.get("pronouns") == "they" and not known
    is_surely_last = is_partner = False
    for mark in marks:
        if mark.role == "title":
            is_surely_last |= bare(mark.surface) in gendered_words.COURTESY
        if mark.role in NAMED or mark.role in gendered_words.PLACES:
            is_kept |= mark.after(record, _TOLD_AFTER) is not None
        if mark.role not in NAMED:
            continue
        found = mark.before(record, _BEFORE)
        before = found[1] if found else ""
        rank = bare(before) if before[:1].isupper() else ""
        is_sacred = is_one_name and (
            rank in gendered_words.SOVEREIGNS
            or mark.surface.lower() in gendered_words.DIVINE
            or mark.after(record, _NUMBERED)
            or _NUMBERED.search(mark.surface)
            or mark.before(record, _SCRIPTURE)
        )
        if is_sacred or before.lower() in ("st", "saint"):
            return Person(entity, None, None, None, frozenset())
        # A rank or an office precedes a last name, and in a bibliography a first name follows it.
        is_surely_last |= rank in gendered_words.BEFORE_LAST_NAMES
        is_surely_last |= mark.after(record, _INVERTED) is not None
        # "Tiffany and Bosco" is a firm: another single name follows that is no given name.
        firm = mark.after(record, _FIRM)
        is_partner |= firm is not None and not is_given(firm[1])
        is_kept |= mark.before(record, _TOLD_BEFORE, 120) is not None
        is_kept |= _is_half_of_couple(record, mark, is_given)
    gender = entity.attributes.get("gender") or next(iter(known), None)
    if is_kept or gender not in ("male", "female") or len(known) > 1:
        gender = None
    is_alone = first is None and last is not None and not is_surely_last and len(last.split()) == 1
    if is_alone and last is not None and all(map(is_given, last.split("-"))) and (known or not is_partner):
        first, last = last, None
    full = [mark.surface for mark in marks if mark.role == "full" and last is not None]
    whole = [name for name in full if name.lower().endswith((last or "").lower())]
    middle = {p.word.lower() for name in whole for p in divide(name, last) if p.part == "given"}
    return Person(entity, first, last, gender, known, frozenset(middle), is_kept)


NAMED = frozenset(("first", "last", "full"))
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


def _is_half_of_couple(record: Record, mark: Slot, is_given: Callable[[str], bool]) -> bool:
    """Whether a full name also gives the last name of an unannotated person: "Mary-Kate and Ashley Olsen"."""
    other = mark.before(record, _PAIRED, 40)
    if mark.role != "full" or other is None or not is_given(other[1]):
        return False
    others = (m for e in record.entities for m in e.mentions if m.document == mark.document)
    return not any(m.start <= other.start() < m.end for m in others)


def _slots(record: Record, person: Person, mark: Slot, *, content: bool) -> Iterator[Slot]:
    """The slots of a mention."""
    where, words = record.where or record.id, content_words() if content else {}
    surface, kind = mark.surface, mark.role
    if kind in NAMED:
        noun = mark.before(record, _RIGHT_BEFORE)
        if noun is not None and noun[1] in words:  # the woman Eva
            yield replace(mark, start=noun.start(1), end=noun.end(1), role="content", surface=noun[1])
        if kind == "first" or (kind == "last" and person.last is None):
            yield _part(mark, [p for p in divide(surface, alone="given") if p.part != "suffix"], "first")
        else:
            yield from _name_slots(mark, person)
    elif kind == "age":
        if re.search(r"\d", surface) is None and surface.lower() not in _age_words():
            raise DataError(
                f"{where}: '{surface}', a mention of kind age, has no number and is not in the list of words "
                f"about age. Mark a number, or one of: {', '.join(_age_words())}."
            )
        yield mark
    elif kind not in ("title", "content", *gendered_words.PLACES):
        raise DataError(
            f"{where}: a mention of entity '{person.entity.id}' is of kind '{kind}'. "
            f"Wanted first, last, full, title, content, age, {', '.join(gendered_words.PLACES)}."
        )
    elif kind == "content":
        if surface.lower() in words:
            yield mark
    elif gendered_words.gender_of(surface, kind) is not None:
        yield mark


def _name_slots(name: Slot, person: Person) -> Iterator[Slot]:
    """The parts of a longer name: everything before the last name is replaced as one first name; initials in between stay.

    "J. Smith" for a person called John gets the new first name's initial.
    """
    words = re.findall(r"\s*\S+\s*", name.surface)
    skip = sum(map(len, takewhile(lambda word: gendered_words.is_title(word.strip()), words[:-1])))
    title = name.surface[:skip].rstrip()
    if gendered_words.title_gender(title) is not None:
        yield replace(name, end=name.start + len(title), role="title", surface=title)
    rest = replace(name, start=name.start + skip, surface=name.surface[skip:])
    pieces = divide(rest.surface, person.last, alone="last" if name.role == "last" else "given")
    last = [p for p in pieces if p.part in ("particle", "last")]
    final = next((p.word.lower() for p in pieces if p.part == "last"), None)
    given = [p for p in pieces if p.part == "given"]
    # The last word of "Pierre Charles" is no last name if the person is Pierre Charles L'Enfant elsewhere.
    if person.last is not None and final in person.middle and final != person.last.split()[-1].lower():
        given = [p for p in pieces if p.part in ("given", "last")]
        last = [p for p in last if p.part == "particle"]
    if given and person.first is not None:
        yield _part(rest, given, "first")
    elif person.first is not None and pieces[0].part == "initial" and pieces[0].word[0] == person.first[0]:
        yield _part(rest, [pieces[0]._replace(word=person.first[0])], "initial")
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


_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


def in_order(record: Record, slots: list[Slot]) -> Iterator[Slot]:
    """The distinct slots in order, with the articles before them; a noun shared by several people is one slot."""
    at: dict[tuple[int, int, int], set[Slot]] = defaultdict(set)
    for slot in slots:
        at[slot.document, slot.start, slot.end].add(slot)
    end = (0, 0)
    for (number, start, stop), same in sorted(at.items()):
        slot = next(iter(same))
        if (len(same) > 1 and any(s.role != "content" for s in same)) or (number, start) < end:
            raise DataError(
                f"{record.where or record.id}: the words '{slot.surface}' at characters {start} to {stop} of document "
                f"{number} belong to two people. Keep the mention only for the person it names."
            )
        slot = replace(slot, people=tuple(sorted({i for s in same for i in s.people})))
        is_after_article = slot.role in ("first", "last", "content", "age")
        found = slot.before(record, _ARTICLE, 4) if is_after_article else None
        # "An" may also be the given name right before this slot.
        if found and (number, found.start()) >= end:
            yield Slot(number, *found.span(1), "article", slot.people, found[1])
        yield slot
        end = (number, stop)
