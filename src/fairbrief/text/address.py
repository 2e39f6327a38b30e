"""Titles before a name: their gender, and how one is exchanged for the other."""

from __future__ import annotations

from typing import Final

from fairbrief.text.pronouns import like
from fairbrief.text.vocabulary import vocabulary, words

COURTESY: Final[dict[str, str]] = dict.fromkeys(words("titles", "courtesy_male"), "male") | dict.fromkeys(
    words("titles", "courtesy_female"), "female"
)
RANK: Final[dict[str, str]] = dict.fromkeys(words("titles", "rank_male"), "male") | dict.fromkeys(
    words("titles", "rank_female"), "female"
)
NEUTRAL: Final = words("titles", "unchanged")
"""Words before a name that are no part of it, and are not exchanged."""
GIVEN_AFTER: Final = words("titles", "before_given")
"""Titles after which a single name is a given name: King Louis, Sister Agnes."""
SOVEREIGNS: Final = words("titles", "sovereigns")
"""Titles of people whose name cannot be replaced."""
DIVINE: Final = words("titles", "divine")
"""Single names of gods, prophets and figures of old, which cannot be replaced."""


def has_last_name(word: str) -> bool:
    """Whether the single name right after this title is a last name: President Clinton, Judge Hoffman, Mr. Long."""
    low = _bare(word)
    return low in COURTESY or (low in NEUTRAL and low not in GIVEN_AFTER)


def is_sovereign(word: str) -> bool:
    """Whether the name after this title is a sovereign's or a saint's."""
    return _bare(word) in SOVEREIGNS


def gender(word: str) -> str | None:
    """``male`` or ``female`` for a gendered title, with or without its full stop; None for other words."""
    low = _bare(word)
    return COURTESY.get(low) or RANK.get(low)


def is_title(word: str) -> bool:
    """Whether a word can be a title of any kind before a name."""
    return gender(word) is not None or _bare(word) in NEUTRAL


def is_courtesy(word: str) -> bool:
    """Whether the name right after this title is a last name, as after Mr. (and not as after Sir)."""
    return _bare(word) in COURTESY


def exchange(title: str, to: str, woman: str = "Ms.") -> str:
    """The title for a person of gender ``to``; the same title where it fits already.

    Mr. becomes ``woman`` (Ms., which is neutral about marriage; the published code has Mrs.), a
    woman's courtesy title becomes Mr.; Sir and Lord become Lady, Lady and Dame become Sir, Madame becomes
    Monsieur. A title written without its full stop stays without; case is kept.
    """
    if gender(title) == to:
        return title
    low = _bare(title)
    if other := vocabulary("titles")["instead"].get(low):
        return like(title, other if title[:1].isupper() else other.lower())
    new = "Mr." if to == "male" else woman
    if not title.endswith(".") and low != "miss":
        new = new.rstrip(".")
    if title.isupper():
        return new.upper()
    return new if title[:1].isupper() else new.lower()


def ends_titles(word: str) -> bool:
    """Whether a word inside a name ends a run of titles ("Emeritus Professor John", "US President Barack")."""
    return _bare(word) in words("titles", "ends_titles")


def _bare(word: str) -> str:
    return word.lower().removesuffix(".")
