"""Fill a template: a record with other people; and the options of such records."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from fairbrief.people.template import Person, Template, aged, word_for
from fairbrief.settings import setting
from fairbrief.text import gendered_words
from fairbrief.text.segmentation import replaced
from fairbrief.types import Entity, Mention, Record

_VOWEL = re.compile(r"[aeiouáéíóúAEIOUÁÉÍÓÚ8]|1[18]\b")
_SOUNDED = re.compile(r"(?:u[bfhjkqrst]?[aeiou]|eu|one\b|ewe)", re.IGNORECASE)
_SILENT = re.compile(r"(?:heir|hon(?:o|e)|hour)", re.IGNORECASE)


people = partial(setting, panel="People")


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleOptions:
    """Which people the inputs show. Each field is an option of ``fairbrief build people``."""

    groups: str = people(
        "gender", "gender, race, race=A+B, gender*race, gender*race=male:A+female:B, age, age=A+B.", "GROUPS"
    )
    design: Literal["balanced", "mono", "original"] = people(
        "balanced",
        "balanced: half of the people in each group, in pairs; mono: one group per input; original: the usable seed documents, unchanged.",
        "DESIGN",
    )
    per_seed_document: int | None = people(None, "Inputs per seed document; by default 20.", "N")
    names: str = people("census", "census, or a table of name, part, gender and group.", "census|FILE")
    last_names: Literal["keep", "replace"] | None = people(
        None, "Last names; by default replaced if --groups includes race.", "keep|replace"
    )
    content_words: Literal["keep", "exchange", "neutral"] = people(
        "keep", "Words such as wife: keep them, exchange them by gender, or make neutral (spouse).", "RULE"
    )
    no_pronouns: bool = people(default=False, help="Leave pronouns as they are.")
    weights: Literal["uniform", "frequency"] = people(
        "uniform", "Draw names uniformly or by frequency.", "uniform|frequency"
    )
    genders: Literal["keep", "random"] = people(
        "keep", "For groups by race: keep genders, or draw them.", "keep|random"
    )
    woman: Literal["Ms.", "Mrs."] = people("Ms.", "Title in place of Mr. for women: Ms. or Mrs.", "TITLE")
    seed: int = people(0, "Seed; the same seed gives the same file.", "N")


@dataclass(frozen=True, slots=True)
class Assignment:
    """The assigned identity of a person. None keeps the original.

    ``race`` is recorded and affects only names; ``age`` is in years.
    """

    first: str | None = None
    last: str | None = None
    gender: str | None = None
    race: str | None = None
    age: str | None = None


USUAL = PeopleOptions()


def fill(template: Template, assigned: Mapping[str, Assignment], options: PeopleOptions = USUAL) -> Record:
    """The template's record with people as ``assigned`` (by entity id); other words do not change.

    Of the options, those about pronouns, content words and titles count.

    A slot changes only if the assignment differs from the original, so that the seed document's names and genders
    reproduce its text. Case is kept. The record's entities have the new names, ``gender`` and ``race``, and mentions
    at their new positions. A person without an assignment is kept without a group if named, and removed otherwise.
    References are dropped, because they describe the original people.
    """
    values = [_value(template, i, assigned, options) for i in range(len(template.slots))]
    record = template.record
    documents, shifts = [], []
    for number, document in enumerate(record.documents):
        here = [(s, v) for s, v in zip(template.slots, values, strict=True) if s.document == number]
        text = replaced(document.text, ((slot.start, slot.end, value) for slot, value in here))
        documents.append(replace(document, text=text))
        longer = accumulate((len(v) - (s.end - s.start) for s, v in here), initial=0)
        shifts.append(([s.end for s, _ in here], list(longer)))

    def moved(mention: Mention) -> Mention:
        """The mention at its new position: later by what the slots before it have become longer."""
        ends, longer = shifts[mention.document]
        start, end = (place + longer[bisect_right(ends, place)] for place in (mention.start, mention.end))
        return Mention(mention.document, start, end, mention.kind)

    named = ((person, assigned.get(person.entity.id)) for person in template.people if person.is_named)
    entities = tuple(_entity(one, new, tuple(map(moved, one.entity.mentions))) for one, new in named)
    return replace(record, documents=tuple(documents), entities=entities, references=())


def _value(template: Template, index: int, assigned: Mapping[str, Assignment], options: PeopleOptions) -> str:
    """The text of a slot, with the new people."""
    slot = template.slots[index]
    surface, role = slot.surface, slot.role
    people = [template.people[i] for i in slot.people]
    given = [assigned.get(p.entity.id) or Assignment() for p in people]
    person, new = people[0], given[0]
    if role == "article":
        word = _value(template, index + 1, assigned, options)
        if word == template.slots[index + 1].surface:
            return surface
        sounds_open = _SILENT.match(word) or (_VOWEL.match(word) and not _SOUNDED.match(word))
        return gendered_words.like(surface, "an" if sounds_open else "a")
    if role == "content":
        genders = {a.gender for a in given if a.gender is not None}
        if options.content_words == "neutral" or len(genders) > 1:
            return word_for(surface, "neutral")
        return word_for(surface, genders.pop()) if genders else surface
    if role in ("first", "initial") and new.first and new.first != person.first:
        return new.first[0] if role == "initial" else _name_like(surface, new.first)
    if role == "last" and new.last and new.last != person.last:
        return _name_like(surface, new.last)
    if role == "age" and new.age is not None:
        return aged(surface, new.age)
    if role == "title" and new.gender is not None:
        return gendered_words.exchange_title(surface, new.gender, options.woman)
    if role in gendered_words.PLACES and new.gender not in (None, gendered_words.pronoun_gender(surface)):
        form = gendered_words.FORMS[new.gender][role]
        return surface if options.no_pronouns else gendered_words.like(surface, form)
    return surface


def _name_like(surface: str, name: str) -> str:
    """A name in the case of another one, if that is all capitals or all lower case."""
    letters = [c for c in surface if c.isalpha()]
    if letters and all(c.islower() for c in letters):
        return name.lower()
    return name.upper() if len(letters) > 1 and all(c.isupper() for c in letters) else name


def _entity(person: Person, assigned: Assignment | None, mentions: tuple[Mention, ...]) -> Entity:
    kept = {k: v for k, v in person.entity.attributes.items() if k not in ("gender", "race")}
    new = assigned or Assignment()
    groups = {"gender": new.gender, "race": new.race, "age": new.age}
    first, last = person.first and (new.first or person.first), person.last and (new.last or person.last)
    attributes = kept | {k: v for k, v in groups.items() if v is not None}
    return Entity(person.entity.id, first, last, attributes, mentions)


# ---- Checks of filled records: faults that a reader would notice


LEFT: Final = "an original name remains"

_CAPITAL: Final = re.compile(r",? ([A-Z][^\W\d_]+)")
_TAG: Final = re.compile(r"[#@]\w+")
"""Hashtags and handles, which may contain a name."""


class Fault(NamedTuple):
    """A fault of a filled record: a constant ``reason``, and the words in ``detail``."""

    reason: str
    detail: str


def lint(template: Template, filled: Record, assigned: Mapping[str, Assignment]) -> list[Fault]:
    """The faults of a filled record, empty if it has none: a remaining original name or age."""
    return [*_names_left(template, filled, assigned), *_ages_left(template, filled, assigned)]


def _names_left(template: Template, filled: Record, assigned: Mapping[str, Assignment]) -> Iterator[Fault]:
    """Remaining words of replaced names, unless another person's name begins there."""
    gone: dict[str, set[str]] = defaultdict(set)
    families: set[str] = set()
    for slot in template.slots:
        person = template.people[slot.people[0]]
        given = assigned.get(person.entity.id) or Assignment()
        changes = {"first": (person.first, given.first), "last": (person.last, given.last)}
        old, new = changes.get(slot.role, (None, None))
        if new not in (None, old):
            words = {w for w in _words(slot.surface) if not w.islower()}
            for word in words:
                gone[word] |= _words(f"{person.first or ''} {person.last or ''}")
            families |= words if slot.role == "last" else set()
    names = (name for entity in filled.entities for name in (entity.first_name, entity.last_name))
    kept = set[str]().union(*(_words(name or "") for name in names))
    remaining = frozenset(gone) - kept
    if not remaining:
        return
    pattern = _alternation(remaining, frozenset(families) - kept)
    for document in filled.documents:
        for found in pattern.finditer(document.text):
            following = _CAPITAL.match(document.text, found.end())
            own = gone.get(found[0])
            if following and own and following[1] not in own:
                continue  # "Jean Cocteau" is not Jean Gabin
            yield Fault(LEFT, f"'{found[0]}' in {_around(document.text, *found.span())}")
        long = [name for name in remaining if len(name) > 3]
        tags = (tag for tag in _TAG.finditer(document.text) if any(name in tag[0] for name in long))
        yield from (Fault(LEFT, f"'{tag[0]}' in {_around(document.text, *tag.span())}") for tag in tags)


def _ages_left(template: Template, filled: Record, assigned: Mapping[str, Assignment]) -> Iterator[Fault]:
    """Remaining numbers of years of people whose age changed."""
    given = {slot: assigned.get(template.people[slot.people[0]].entity.id) for slot in template.slots}
    changed = {slot.surface for slot, a in given.items() if slot.role == "age" and a is not None and a.age}
    new = {a.age for a in given.values() if a is not None}
    for years in sorted({n for surface in changed for n in re.findall(r"\d+", surface)} - new):
        for document in filled.documents:
            for found in re.finditer(rf"\b{years}\b", document.text):
                yield Fault("an original age remains", _around(document.text, *found.span()))


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*", name))


@cache
def _alternation(words: frozenset[str], families: frozenset[str]) -> re.Pattern[str]:
    """A pattern for any of the words, or for the plural of a family name."""
    plural = [f"{re.escape(w)}(?:s|es)" for w in sorted(families)]
    return re.compile(r"\b(?:" + "|".join([*map(re.escape, sorted(words)), *plural]) + r")\b")


def _around(text: str, start: int, end: int) -> str:
    return f"…{text[max(0, start - 30) : end + 30]}…".replace("\n", " ")
