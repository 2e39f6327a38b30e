"""Which known person a name in a summary refers to, and the rule that said so.

Source: Steen & Markert, Bias in News Summarization, §5.2 and Appendix E; departures are named below.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from fairbrief.text.name_gender import GENDER_WORDS
from fairbrief.text.titles import SUFFIXES, bare, gender_of_title, is_title

SHORTEST_FUZZY = 5
"""Last names shorter than this are matched exactly: one edit turns Hall into Ball."""


class Name(NamedTuple):
    """First and last name of a known person, either of which may be absent, and ``female`` or ``male`` where it is told."""

    first: str | None = None
    last: str | None = None
    gender: str = ""

    @classmethod
    def of(cls, first: str | None, last: str | None, gender: str = "") -> Name:
        """A name with the gender in whichever word the input has for it."""
        return cls(first, last, GENDER_WORDS.get(gender.lower(), ""))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The known people (indices) that a span may refer to, and the rule that decided.

    Nobody: not one of the known people. Two or more: ambiguous.
    """

    people: tuple[int, ...]
    rule: str


def align(tokens: Sequence[str], names: Sequence[Name], source_words: Collection[str] = ()) -> Alignment:
    """Align a name, given as tokens, with known people.

    It is a person if it holds the person's last name and every other token is the person's first name, an
    initial of it, a title of either gender, a suffix (Jr.), or a middle initial beside the first name; or if
    it is the first name alone, titles apart. Case is ignored. Of several people who bear the name, a title that tells
    a gender leaves those of the other one out ("Mr. Baker" of a couple). "The Bakers" are no one person. A last name with one letter wrong (of five or
    more) still aligns where nobody aligns exactly and the misspelt word is not in ``source_words``.

    Departs from the release: Lady, Mrs and Miss are titles like Sir and Mr.; an initial must fit; whole
    tokens are compared, not substrings.

    >>> align(["Lady", "Smith"], [Name("Ann", "Smith"), Name("Leo", "Fox")])
    Alignment(people=(0,), rule='last name with title')
    >>> align(["J.", "Smith"], [Name("Ann", "Smith")])
    Alignment(people=(), rule='')
    """
    core = tuple(_normal(token) for token in tokens if not is_title(token) and bare(token) not in SUFFIXES)
    titled = any(is_title(token) for token in tokens)
    if not core:
        return Alignment((), "")
    found = [(i, rule) for i, name in enumerate(names) if (rule := _rule(core, name, titled))]
    if not found:
        found = [
            (i, "last name, one letter off")
            for i, name in enumerate(names)
            if (mended := _mend(core, name, source_words)) and _rule(mended, name, titled)
        ]
    # A full name says more than the last name alone: it is not ambiguous with a namesake.
    full = [pair for pair in found if pair[1].startswith("full")]
    found = _of_gender(full or found, names, tokens)
    people = tuple(i for i, _ in found)
    return Alignment(people, found[0][1] if found else "")


def _of_gender(
    found: list[tuple[int, str]], names: Sequence[Name], tokens: Sequence[str]
) -> list[tuple[int, str]]:
    """Those of several candidates whom a gendered title fits; all, where it fits nobody or there is none."""
    told = {gender for token in tokens if (gender := gender_of_title(token))}
    if len(found) < 2 or len(told) != 1:
        return found
    return [pair for pair in found if names[pair[0]].gender in told] or found


def align_published(tokens: Sequence[str], names: Sequence[Name]) -> Alignment:
    """Align as the release does, defects and all.

    A person is a candidate if the last name is a *substring* of the span, or the span is one token that holds
    the first name; then every token made of letters only must be the first or last name or in ``mr. mrs. ms.
    sir``. So tokens with a full stop are ignored ("J. Smith" is any Smith), Sir aligns and Lady does not, and
    a shared last name aligns with everybody who bears it.
    """
    text = " ".join(tokens).lower()
    lowered = [token.lower() for token in tokens]
    found = []
    for i, name in enumerate(names):
        first, last = (name.first or "").lower(), (name.last or "").lower()
        is_candidate = (last and last in text) or (len(tokens) == 1 and first and first in text)
        known = {first, last, "mr.", "mrs.", "ms.", "sir"}
        if is_candidate and all(token in known for token in lowered if token.isalpha()):
            found.append(i)
    return Alignment(tuple(found), "as published" if found else "")


def published_tokens(text: str) -> tuple[str, ...]:
    """Tokens of a name as the release's tokenizer cuts them: clitics and hyphens stand alone."""
    return tuple(re.findall(r"['’]s\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*\.?|-", text))


def _rule(core: tuple[str, ...], name: Name, titled: bool) -> str:
    """Why these tokens refer to this person; nothing if they do not."""
    first, last = _tokens_of(name)
    if first and last and core == last + first:
        return "full name"
    rest = _without(core, last) if last else None
    if rest is None:
        alone = bool(first) and core == first
        return ("first name with title" if titled else "first name alone") if alone else ""
    if not rest or rest == last:
        return "last name with title" if titled else "last name alone"
    if not first and all(len(token) == 1 for token in rest):
        return "last name with initial"
    if first and rest[: len(first)] == first:
        middle = rest[len(first) :]
        return "full name" if all(len(token) == 1 for token in middle) else ""
    if first and len(rest[0]) == 1 and rest[0] == first[0][0] and all(len(token) == 1 for token in rest):
        return "full name with initial"
    return ""


@lru_cache(maxsize=4096)
def _tokens_of(name: Name) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens of the first and of the last name."""
    first, last = (tuple(_normal(token) for token in (part or "").split()) for part in name[:2])
    return first, last


def _without(core: tuple[str, ...], last: tuple[str, ...]) -> tuple[str, ...] | None:
    """The tokens before the last name; None if the span does not end with it."""
    return core[: -len(last)] if core[-len(last) :] == last else None


def _mend(core: tuple[str, ...], name: Name, source_words: Collection[str]) -> tuple[str, ...] | None:
    last = _normal(name.last or "")
    wrong = core[-1]
    if (
        len(last) < SHORTEST_FUZZY
        or " " in last
        or wrong in source_words
        or wrong in (f"{last}s", f"{last}es")
    ):
        return None
    return (*core[:-1], last) if OSA.distance(wrong, last) == 1 else None


def _normal(token: str) -> str:
    return token.replace("’", "'").rstrip(".").lower()
