"""Filled records looked over: what a reader would notice as broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from fairbrief.people.content_words import content_words
from fairbrief.people.template import Template
from fairbrief.people.template_filling import PLAIN, Assignment, Manner
from fairbrief.text import address, pronouns
from fairbrief.types import Record

LEFT: Final = "an original name is left"

_NEXT: Final = re.compile(r"\s+([^\W\d_]+)")
_CAPITAL: Final = re.compile(r",? ([A-Z][^\W\d_]+)")
_TAG: Final = re.compile(r"[#@]\w+")
_OWNED: Final = frozenset((
    "job", "career", "life", "own", "office", "house", "home", "car", "desk", "room", "body",
    "eyes", "hair", "childhood", "youth", "lawyer", "attorney", "client", "boss", "colleague",
    "team", "party", "family", "parents", "kids", "album", "novel", "theory", "name", "age",
    "death", "birth",
))  # fmt: skip
"""Nouns that are somebody's: after ``him`` they are a possessive gone wrong ("him job")."""
_AFTER_HERS: Final = frozenset((
    "and", "or", "but", "nor", "so", "as", "than", "that", "which", "who", "if", "when", "while",
    "because", "though", "although", "until", "since", "before", "after", "is", "was", "are",
    "were", "be", "been", "has", "have", "had", "will", "would", "can", "could", "may", "might",
    "must", "shall", "should", "do", "does", "did", "not", "alone", "too", "also", "now", "then",
    "there", "here", "again", "to", "in", "on", "at", "by", "for", "from", "with", "of", "about",
    "into", "over", "under", "only", "all", "instead", "already", "still", "ever", "never", "alike",
    "either", "just", "long", "forever",
))  # fmt: skip
"""Words that may follow ``hers`` and ``theirs``; a noun may not ("hers job")."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a filled record is no good: a constant ``reason``, and the words in ``detail``."""

    reason: str
    detail: str


def lint(
    template: Template, filled: Record, assigned: Mapping[str, Assignment], manner: Manner = PLAIN
) -> list[Fault]:
    """The faults of a filled record, empty if it is sound.

    An original name is left; a possessive form stands where it cannot ("hers job", "him son"); a person is
    spoken of in two genders; two people have one full name.
    """
    return [
        *_names_left(template, filled, assigned),
        *_forms(template, filled),
        *(_two_genders(template, filled, assigned) if manner.pronouns else ()),
        *_namesakes(template, filled, assigned),
    ]


def _names_left(template: Template, filled: Record, assigned: Mapping[str, Assignment]) -> Iterator[Fault]:
    """Words of names that were replaced and still stand, unless another person's name begins there."""
    gone: dict[str, set[str]] = {}
    families: set[str] = set()
    for slot in template.slots:
        person = template.people[slot.people[0]]
        given = assigned.get(person.entity.id)
        if given is None or slot.role not in ("first", "last"):
            continue
        new, old = (given.first, person.first) if slot.role == "first" else (given.last, person.last)
        if new is not None and new != old:
            words = {w for w in _words(slot.surface) if not w.islower()}
            own = _words(f"{person.first or ''} {person.last or ''}")
            for word in words:
                gone.setdefault(word, set()).update(own)
            families |= words if slot.role == "last" else set()
    kept = {
        word
        for entity in filled.entities
        for name in (entity.first_name, entity.last_name)
        for word in _words(name or "")
    }
    remaining = frozenset(gone) - kept
    if not remaining:
        return
    pattern = _alternation(remaining, frozenset(families) - kept)
    for document in filled.documents:
        for found in pattern.finditer(document.text):
            following = _CAPITAL.match(document.text, found.end())
            own = gone.get(found[0], set())
            if following and own and following[1] not in own:
                continue  # "Jean Cocteau" is not Jean Gabin
            place = _around(document.text, found.start(), found.end())
            yield Fault(LEFT, f"'{found[0]}' in {place}")
        yield from _names_in_tags(document.text, remaining)


def _names_in_tags(text: str, names: Iterable[str]) -> Iterator[Fault]:
    """Names inside of what stands after # and @."""
    for found in _TAG.finditer(text):
        if any(len(name) > 3 and name in found[0] for name in names):
            yield Fault(LEFT, f"'{found[0]}' in {_around(text, found.start(), found.end())}")


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}(?:-[^\W\d_]+)*", name))


@cache
def _alternation(words: frozenset[str], families: frozenset[str]) -> re.Pattern[str]:
    """Any of the words, or the plural of a family name."""
    plural = [f"{re.escape(w)}(?:s|es)" for w in sorted(families)]
    return re.compile(r"\b(?:" + "|".join([*map(re.escape, sorted(words)), *plural]) + r")\b")


def _forms(template: Template, filled: Record) -> Iterator[Fault]:
    owned = _OWNED | set(content_words())
    for entity in filled.entities:
        for mention in entity.mentions:
            if mention.kind not in pronouns.PLACES:
                continue
            text = filled.documents[mention.document].text
            word = text[mention.start : mention.end].lower()
            after = _NEXT.match(text, mention.end)
            following = after[1] if after else ""
            wrong = (word == "him" and following in owned) or (
                word in ("hers", "theirs") and following.islower() and following not in _AFTER_HERS
            )
            if wrong and _was_changed(template, entity.id, word):
                yield Fault("a pronoun stands in the wrong form", _around(text, mention.start, mention.end))


def _was_changed(template: Template, id_: str, word: str) -> bool:
    """Whether the person's own pronouns were of another gender, so that the form is ours."""
    person = next(p for p in template.people if p.entity.id == id_)
    return pronouns.gender(word) not in person.genders


def _two_genders(template: Template, filled: Record, assigned: Mapping[str, Assignment]) -> Iterator[Fault]:
    originals = {p.entity.id: p for p in template.people}
    for entity in filled.entities:
        given = assigned.get(entity.id)
        if given is None or given.gender is None or not originals[entity.id].is_named:
            continue
        for mention in entity.mentions:
            text = filled.documents[mention.document].text
            word = text[mention.start : mention.end]
            if mention.kind in pronouns.PLACES:
                shown = pronouns.gender(word)
            elif mention.kind == "title":
                shown = address.gender(word)
            else:
                continue
            if shown is not None and shown != given.gender:
                yield Fault("a person is spoken of in two genders", _around(text, mention.start, mention.end))


def _namesakes(template: Template, filled: Record, assigned: Mapping[str, Assignment]) -> Iterator[Fault]:
    before = {(p.first, p.last): 0 for p in template.people}
    for person in template.people:
        before[person.first, person.last] += 1
    seen: dict[tuple[str, str], str] = {}
    for entity in filled.entities:
        if not entity.first_name or not entity.last_name or entity.id not in assigned:
            continue
        name = (entity.first_name, entity.last_name)
        if seen.setdefault(name, entity.id) != entity.id and before.get(name, 0) < 2:
            yield Fault("two people have one name", " ".join(name))


def _around(text: str, start: int, end: int) -> str:
    return f"…{text[max(0, start - 30) : end + 30]}…".replace("\n", " ")
