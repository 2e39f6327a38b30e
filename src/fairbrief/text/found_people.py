"""The people of a text that nobody annotated: who they are called, and how the text presents their gender."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fairbrief.text.gender_words import count_gender_words
from fairbrief.text.recognition import Span, choose, propose
from fairbrief.text.titles import SUFFIXES, bare, gender_of_title, is_title

REACH = 200
"""Characters after a name in which he and she are taken to speak of who was named, up to the next name."""
CLEAR = 0.75
"""Share of one gender among these pronouns from which they tell it."""
READ = ("female", "male", "unknown")


@dataclass(slots=True)
class FoundPerson:
    """Somebody whom a text names: first and last name as far as they are told, and ``female``, ``male`` or ``unknown``."""

    first: str | None
    last: str | None
    gender: str = "unknown"
    spans: list[Span] = field(default_factory=list)
    votes: Counter[str] = field(default_factory=Counter)


def found_people(text: str, accepted: Collection[str], genders: Mapping[str, str]) -> list[FoundPerson]:
    """The people whom the accepted strings of a text name, in the order of their first mention.

    A single name is that of the person last named in full with it. The gender is that of a title; else of the he- or
    she-words between the person's names and the next name, where they agree; else the first name's in ``genders``
    (lower-case name → gender).
    """
    spans = choose(propose(text), accepted)
    people: list[FoundPerson] = []
    for i, span in enumerate(spans):
        person = _bearer(span, people, genders)
        if person is None:
            continue
        person.spans.append(span)
        for token in span.tokens:
            if gender := gender_of_title(token):
                person.votes[f"title {gender}"] += 1
        following = spans[i + 1].start if i + 1 < len(spans) else len(text)
        female, male = count_gender_words(_after(text, span.end, following))
        person.votes["female"] += female
        person.votes["male"] += male
    for person in people:
        person.gender = _gender(person, genders)
    return people


def _after(text: str, start: int, following: int) -> str:
    """What stands after a name, up to the next one, the end of the paragraph or so many characters."""
    return re.split(r"\n", text[start : min(following, start + REACH)], maxsplit=1)[0]


def _bearer(span: Span, people: list[FoundPerson], genders: Collection[str]) -> FoundPerson | None:
    """The person whom a span names: one already known, or a new one; None where it holds no name."""
    core = [t for t in span.tokens if not is_title(t) and bare(t) not in SUFFIXES]
    if not core:
        return None
    names = [t for t in core if len(bare(t)) > 1] or core
    if len(names) > 1:
        first, last = names[0], names[-1]
        known = next((p for p in people if p.last == last and p.first in (first, None)), None)
        if known is not None:
            known.first = known.first or first
            return known
        people.append(FoundPerson(first, last))
        return people[-1]
    alone = names[0]
    known = next((p for p in reversed(people) if alone in (p.last, p.first)), None)
    if known is None:
        is_first = len(core) == len(span.tokens) and alone.lower() in genders
        known = FoundPerson(alone if is_first else None, None if is_first else alone)
        people.append(known)
    return known


def _gender(person: FoundPerson, genders: Mapping[str, str]) -> str:
    for kind in ("title ", ""):
        female, male = person.votes[f"{kind}female"], person.votes[f"{kind}male"]
        if female + male and max(female, male) / (female + male) >= CLEAR:
            return "female" if female > male else "male"
    return genders.get((person.first or "").lower(), "unknown")
