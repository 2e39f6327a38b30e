"""The people of a text that nobody annotated: who they are called, how the text presents their gender, and how often such a recogniser errs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from fairbrief.text.group_words import count_gender_words
from fairbrief.text.name_words import bare, gender_of_title, without_titles
from fairbrief.text.recognition import Span, choose, propose

REACH = 200
"""Characters after a name in which he and she are taken to refer to the person, up to the next name."""
CLEAR = 0.75
"""Share of one gender among these pronouns from which it is the person's."""


@dataclass(slots=True)
class FoundPerson:
    """A person named in a text: first and last name as far as they are known, and ``female``, ``male`` or ``unknown``."""

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
    """The text after a name, up to the next one, the end of the paragraph or so many characters."""
    return re.split(r"\n", text[start : min(following, start + REACH)], maxsplit=1)[0]


def _bearer(span: Span, people: list[FoundPerson], genders: Collection[str]) -> FoundPerson | None:
    """The person whom a span names: one already known, or a new one; None where it holds no name."""
    core = without_titles(span.tokens)
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


GROUPS = ("female", "male")
READ = (*GROUPS, "unknown")
TRUE = (*GROUPS, "nobody")
BUILTIN = (
    "read female: 14 female 2 male 12 nobody; read male: 2 female 32 male 16 nobody; "
    "read unknown: 3 female 3 male 5 nobody; found: 11 of 12 female, 32 of 39 male"
)
"""The built-in recogniser on 29 GUM documents that were held back (``fairbrief recogniser``, both halves apart)."""
_READ = re.compile(r"read (\w{1,20}): (\d{1,9}) female (\d{1,9}) male (\d{1,9}) nobody")
_FOUND = re.compile(r"(?<!\d)(\d{1,9}) of (\d{1,9}) (female|male)")


@dataclass(frozen=True, slots=True)
class RecogniserErrors:
    """Counts on annotated documents: of those read as each, how many are who (`TRUE`); and of each gender, how many are found."""

    read: dict[str, tuple[int, int, int]]
    found: dict[str, tuple[int, int]]

    def recall(self, group: str) -> float:
        """Share of a gender's people who are found."""
        hit, many = self.found[group]
        return hit / many

    def redrawn(self, read: str, key: str) -> str:
        """Who somebody read as ``read`` is, drawn in proportion to the counts; the same key draws the same.

        Half a person is added to each count, so that what was never seen stays possible.
        """
        weights = [count + 0.5 for count in self.read[read]]
        digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
        left = int.from_bytes(digest, "big") / 2**64 * sum(weights)
        for who, weight in zip(TRUE, weights, strict=True):
            left -= weight
            if left < 0:
                return who
        return TRUE[-1]


@lru_cache(maxsize=16)
def read_errors(text: str) -> RecogniserErrors:
    """Errors from a line as `spell_errors` writes it. Raises ValueError where it lacks something.

    >>> read_errors(BUILTIN).read["male"]
    (2, 32, 16)
    """
    read = {m[1]: (int(m[2]), int(m[3]), int(m[4])) for m in _READ.finditer(text)}
    found = {m[3]: (int(m[1]), int(m[2])) for m in _FOUND.finditer(text)}
    if set(read) != set(READ) or set(found) != set(GROUPS) or not all(many for _, many in found.values()):
        raise ValueError(
            f"errors='{text}' does not say how a recogniser errs. Write what 'fairbrief recogniser ANNOTATED' prints: {BUILTIN}"
        )
    return RecogniserErrors(read, found)


def spell_errors(errors: RecogniserErrors) -> str:
    """The line that `read_errors` reads back."""
    read = [
        f"read {group}: " + " ".join(f"{n} {who}" for n, who in zip(errors.read[group], TRUE, strict=True))
        for group in READ
    ]
    found = ", ".join(f"{hit} of {many} {group}" for group, (hit, many) in errors.found.items())
    return "; ".join([*read, f"found: {found}"])
