"""Gender of a person known only by name: by title, then a table of pages, then the census."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fairbrief.text.titles import SUFFIXES, bare, gender_of_title, is_title

GENDER_WORDS = {
    "female": "female", "f": "female", "woman": "female", "women": "female", "girl": "female",
    "male": "male", "m": "male", "man": "male", "men": "male", "boy": "male",
}  # fmt: skip
"""Words that inputs use for a gender, lower-case → ``female`` or ``male``."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``female``, ``male`` or nothing (unknown), and the rule that decided."""

    gender: str
    rule: str


def census_genders(
    male: Mapping[str, float], female: Mapping[str, float], *, strictly: bool = False
) -> dict[str, str]:
    """First name → gender, where one share is at least twice the other; other shared names are left out.

    ``male`` and ``female`` map names to their frequency within the gender. ``strictly`` asks for
    *more* than twice, as the release does (nine names of the 1990 census lie exactly at two).

    >>> census_genders({"lee": 0.4, "jo": 0.1, "val": 0.1}, {"jo": 0.3, "val": 0.2, "ann": 1.0})
    {'lee': 'male', 'jo': 'female', 'val': 'female', 'ann': 'female'}
    """
    genders = {}
    for name in [*male, *(n for n in female if n not in male)]:
        m, f = male.get(name, 0.0), female.get(name, 0.0)
        most, least = max(m, f), min(m, f)
        # Two published decimals are compared: a small slack keeps 0.006 = 2 × 0.003 at exactly twice.
        gap = most - 2 * least
        if gap > 1e-9 or (not strictly and gap > -1e-9):
            genders[name] = "male" if m > f else "female"
    return genders


def gender_of_name(tokens: Sequence[str], pages: Mapping[str, str], census: Mapping[str, str]) -> Verdict:
    """The gender of an unknown person, from the name's tokens.

    A title speaks first. Then ``pages``: full lower-case name → gender; a page that gives neither ``female``
    nor ``male`` leaves the name unknown. Then ``census``, asked for the given name alone: the first token
    of several that is no initial, or the only one.

    >>> gender_of_name(["Mrs.", "Smith"], {}, {})
    Verdict(gender='female', rule='title')
    >>> gender_of_name(["Mary", "James"], {}, {"mary": "female", "james": "male"})
    Verdict(gender='female', rule='census')
    """
    for token in tokens:
        if gender := gender_of_title(token):
            return Verdict(gender, "title")
    core = [token for token in tokens if not is_title(token) and bare(token) not in SUFFIXES]
    full = " ".join(core).lower()
    if full in pages:
        gender = pages[full]
        return Verdict(gender, "page") if gender in ("female", "male") else Verdict("", "page undecided")
    titled = len(core) < len(tokens) and len(core) == 1
    if core and not titled and len(bare(core[0])) > 1:
        gender = census.get(core[0].lower(), "")
        if gender:
            return Verdict(gender, "census")
    return Verdict("", "unknown")


def published_gender(tokens: Sequence[str], pages: Mapping[str, str], census: Mapping[str, str]) -> Verdict:
    """The gender of an unknown person as the release has it.

    Titles are not looked at; an undecided page falls through; *any* token, last names too, is looked up, and
    a name with tokens of both genders is unknown.
    """
    full = " ".join(tokens).lower()
    if pages.get(full) in ("female", "male") and len(tokens) > 1:
        return Verdict(pages[full], "page")
    found = {census[token.lower()] for token in tokens if token.lower() in census}
    return Verdict(found.pop(), "census") if len(found) == 1 else Verdict("", "unknown")


def genders_of(values: Iterable[str]) -> dict[str, str]:
    """The input's words for women and men → ``female`` and ``male``; empty unless there is one of each.

    >>> genders_of(["F", "M", "unknown"])
    {'F': 'female', 'M': 'male'}
    """
    found: dict[str, str] = {}
    for value in values:
        gender = GENDER_WORDS.get(value.lower())
        if gender is not None and gender not in found.values():
            found[value] = gender
    return found if len(found) == 2 else {}
