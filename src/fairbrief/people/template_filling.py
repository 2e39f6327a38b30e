"""A template filled: a record in which its people are others."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import cast

from fairbrief.people.content_words import Words, word_for
from fairbrief.people.template import Person, Slot, Template
from fairbrief.text import address, pronouns
from fairbrief.types import Entity, Mention, Record

_VOWEL = re.compile(r"[aeiouáéíóúAEIOUÁÉÍÓÚ]")
_SOUNDED = re.compile(r"(?:u[bfhjkqrst]?[aeiou]|eu|one\b|ewe)", re.IGNORECASE)
_SILENT = re.compile(r"(?:heir|hon(?:o|e)|hour)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who a person shall be. None leaves that as it is.

    ``race`` is recorded and shows in the names alone.
    """

    first: str | None = None
    last: str | None = None
    gender: str | None = None
    race: str | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How a template is filled.

    ``pronouns``: whether pronouns follow the gender. ``words``: the content words that do, None for
    none; ``neutral`` sets them all to the variant for either gender. ``woman``: the courtesy title that stands for Mr.
    """

    pronouns: bool = True
    words: Words | None = None
    neutral: bool = False
    woman: str = "Ms."


PLAIN = Manner()


def fill(template: Template, assigned: Mapping[str, Assignment], manner: Manner = PLAIN) -> Record:
    """The template's record with people as ``assigned`` (by entity id); its other words are unchanged.

    A slot changes only where what was assigned differs from what was there, so that the original's
    own names and genders give back the original's text. Case is kept. The record's entities have the
    new names, ``gender`` and ``race``, and mentions at their new places; a person to whom nothing was
    assigned is kept if named, without group, and left out otherwise. References tell of the original people and are dropped.
    """
    values = [_value(template, i, assigned, manner) for i in range(len(template.slots))]
    record = template.record
    documents, shifts = [], []
    for number, document in enumerate(record.documents):
        here = [(s, v) for s, v in zip(template.slots, values, strict=True) if s.document == number]
        documents.append(replace(document, text=_write(document.text, here)))
        shifts.append(_Shift(here))
    entities = tuple(_entity(p, assigned.get(p.entity.id), shifts) for p in template.people if p.is_named)
    return replace(record, documents=tuple(documents), entities=entities, references=())


def _value(template: Template, index: int, assigned: Mapping[str, Assignment], manner: Manner) -> str:
    slot = template.slots[index]
    if slot.role == "article":
        following = template.slots[index + 1]
        new = _value(template, index + 1, assigned, manner)
        return slot.surface if new == following.surface else _article(slot.surface, new)
    people = [template.people[i] for i in slot.people]
    given = [assigned.get(p.entity.id) or Assignment() for p in people]
    if slot.role == "content":
        return _content(slot, given, manner)
    person, assignment = people[0], given[0]
    if slot.role in ("first", "initial"):
        first = assignment.first
        if first is None or first == person.first:
            return slot.surface
        return first[0] if slot.role == "initial" else _name_like(slot.surface, first)
    if slot.role == "last":
        last = assignment.last
        return slot.surface if last is None or last == person.last else _name_like(slot.surface, last)
    if assignment.gender is None:
        return slot.surface
    if slot.role == "title":
        return address.exchange(slot.surface, assignment.gender, manner.woman)
    if not manner.pronouns or pronouns.gender(slot.surface) == assignment.gender:
        return slot.surface
    return pronouns.like(slot.surface, pronouns.form(cast("pronouns.Place", slot.role), assignment.gender))


def _content(slot: Slot, given: Sequence[Assignment], manner: Manner) -> str:
    if manner.words is None or slot.surface.lower() not in manner.words:
        return slot.surface
    genders = {a.gender for a in given if a.gender is not None}
    if manner.neutral or len(genders) > 1:
        return word_for(manner.words, slot.surface, "neutral")
    return word_for(manner.words, slot.surface, genders.pop()) if genders else slot.surface


def _name_like(surface: str, name: str) -> str:
    """A name in the case of another: capitals and small letters throughout are kept."""
    letters = [c for c in surface if c.isalpha()]
    if letters and all(c.islower() for c in letters):
        return name.lower()
    return name.upper() if len(letters) > 1 and all(c.isupper() for c in letters) else name


def _article(surface: str, word: str) -> str:
    sounds_open = bool(_SILENT.match(word)) or (bool(_VOWEL.match(word)) and not _SOUNDED.match(word))
    return pronouns.like(surface, "an" if sounds_open else "a")


def _write(text: str, slots: Sequence[tuple[Slot, str]]) -> str:
    pieces, at = [], 0
    for slot, value in slots:
        pieces += [text[at : slot.start], value]
        at = slot.end
    return "".join([*pieces, text[at:]])


class _Shift:
    """Where a place of the old text lies in the new one."""

    def __init__(self, slots: Sequence[tuple[Slot, str]]) -> None:
        self._ends = [s.end for s, _ in slots]
        self._by = [0, *accumulate(len(v) - (s.end - s.start) for s, v in slots)]

    def __call__(self, place: int) -> int:
        return place + self._by[bisect_right(self._ends, place)]


def _entity(person: Person, assigned: Assignment | None, shifts: Sequence[_Shift]) -> Entity:
    entity = person.entity
    given = ("gender", "race") if assigned is None else ("gender", "race", "identity")
    kept = {k: v for k, v in entity.attributes.items() if k not in given}
    mentions = tuple(
        Mention(m.document, shifts[m.document](m.start), shifts[m.document](m.end), m.kind)
        for m in entity.mentions
    )
    if assigned is None:
        return Entity(entity.id, person.first, person.last, kept, mentions)
    groups = {"gender": assigned.gender, "race": assigned.race}
    return Entity(
        entity.id,
        assigned.first if assigned.first and person.first else person.first,
        assigned.last if assigned.last and person.last else person.last,
        kept | {k: v for k, v in groups.items() if v is not None},
        mentions,
    )
