"""English words that show gender: third-person pronouns by grammatical place, and titles before a name."""

from __future__ import annotations

import re
from typing import Final, Literal

from fairbrief.text.vocabulary import FUNCTION_WORDS, vocabulary, words

Place = Literal["he", "him", "his", "his_own", "himself"]
"""The place of a pronoun: subject, object, before a noun, without a noun, reflexive; named by the male form
(``his_own`` is the ``his`` of "the seat was his", female ``hers``)."""

PLACES: Final[tuple[Place, ...]] = ("he", "him", "his", "his_own", "himself")

FORMS: Final[dict[str, dict[Place, str]]] = {
    "male": {"he": "he", "him": "him", "his": "his", "his_own": "his", "himself": "himself"},
    "female": {"he": "she", "him": "her", "his": "her", "his_own": "hers", "himself": "herself"},
    "neutral": {"he": "they", "him": "them", "his": "their", "his_own": "theirs", "himself": "themself"},
}

THEY: Final = frozenset("they them their theirs themself themselves".split())
"""The pronouns of one person referred to as they, or of several people."""

_CERTAIN: Final[dict[str, tuple[Place, str]]] = {
    word: (place, gender)
    for gender in ("male", "female")
    for place, word in FORMS[gender].items()
    if word not in ("his", "her")
}
_BY_TAG: Final[dict[str, dict[str, tuple[Place, str]]]] = {
    "his": {"PRP$": ("his", "male"), "PRP": ("his_own", "male")},
    "her": {"PRP$": ("his", "female"), "PRP": ("him", "female")},
}


def place(word: str, tag: str = "") -> Place | None:
    """The place of a he- or she-pronoun; None for any other word.

    ``her`` and ``his`` have two places, which the Penn tag distinguishes: ``PRP$`` before a noun,
    ``PRP`` otherwise. Without a tag the result for them is None.
    """
    found = _look(word, tag)
    return found[0] if found else None


def guess_place(word: str, following: str) -> Place | None:
    """`place` of a pronoun in a text without tags: ``her`` and ``his`` by the following words.

    ``following`` is the text right after the pronoun. If a word that could be possessed follows, the pronoun is
    before a noun; before a function word, a punctuation mark or nothing, ``her`` is an object and ``his`` is without
    a noun. Correct for 345 of the 349 in annotated English documents (GUM).

    >>> guess_place("her", " own two sons"), guess_place("her", " to the door")
    ('his', 'him')
    """
    if word.lower() not in _BY_TAG:
        return place(word)
    after = _NEXT_WORD.match(following)
    before_noun = after is not None and (
        after[1].lower() in _POSSESSED or after[1].lower() not in FUNCTION_WORDS
    )
    return place(word, "PRP$" if before_noun else "PRP")


_NEXT_WORD = re.compile(r"""\s+["“‘'(\[]?([^\W_]+)""")
_POSSESSED: Final = frozenset(
    "own every other most more less few many several very well now then once often ever".split()
)
"""Function words that a noun may still follow: her many friends, his then wife."""


def pronoun_gender(word: str) -> str | None:
    """``male`` or ``female`` for a he- or she-pronoun, None for any other word."""
    low = word.lower()
    if low in _BY_TAG:
        return _BY_TAG[low]["PRP"][1]
    return _CERTAIN[low][1] if low in _CERTAIN else None


def form(where: Place, of: str) -> str:
    """The pronoun of a ``male``, ``female`` or ``neutral`` person in a place, in lower case."""
    return FORMS[of][where]


def like(pattern: str, word: str) -> str:
    """``word`` in the case of ``pattern``: ALL CAPITALS, Capitalised, or unchanged.

    A single capital letter does not imply all capitals, so it only capitalises.
    """
    letters = [c for c in pattern if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return word.upper()
    if letters and letters[0].isupper():
        return word[:1].upper() + word[1:]
    return word


def _look(word: str, tag: str) -> tuple[Place, str] | None:
    low = word.lower()
    if low in _BY_TAG:
        return _BY_TAG[low].get(tag)
    return _CERTAIN.get(low)


# ---- Titles before a name: their gender, and the corresponding titles of the other gender


COURTESY: Final[dict[str, str]] = dict.fromkeys(words("titles", "courtesy_male"), "male") | dict.fromkeys(
    words("titles", "courtesy_female"), "female"
)
RANK: Final[dict[str, str]] = dict.fromkeys(words("titles", "rank_male"), "male") | dict.fromkeys(
    words("titles", "rank_female"), "female"
)
NEUTRAL: Final = words("titles", "unchanged")
"""Words before a name that are not part of it and do not change."""
GIVEN_AFTER: Final = words("titles", "before_given")
"""Titles after which a single name is a given name: King Louis, Sister Agnes."""
SOVEREIGNS: Final = words("titles", "sovereigns")
"""Titles of people with irreplaceable names."""
DIVINE: Final = words("titles", "divine")
"""Single names of gods, prophets and historical figures, which cannot be replaced."""


def has_last_name(word: str) -> bool:
    """Whether the single name right after this title is a last name: President Clinton, Judge Hoffman, Mr. Long."""
    low = _bare(word)
    return low in COURTESY or (low in NEUTRAL and low not in GIVEN_AFTER)


def is_sovereign(word: str) -> bool:
    """Whether the name after this title is a sovereign's or a saint's."""
    return _bare(word) in SOVEREIGNS


def title_gender(word: str) -> str | None:
    """``male`` or ``female`` for a gendered title, with or without its full stop; None for other words."""
    low = _bare(word)
    return COURTESY.get(low) or RANK.get(low)


def is_title(word: str) -> bool:
    """Whether a word can be a title of any kind before a name."""
    return title_gender(word) is not None or _bare(word) in NEUTRAL


def is_courtesy(word: str) -> bool:
    """Whether this is a courtesy title that last names follow, such as Mr. (and unlike Sir)."""
    return _bare(word) in COURTESY


def exchange_title(title: str, to: str, woman: str = "Ms.") -> str:
    """The title for a person of gender ``to``; the same title if it fits already.

    Mr. becomes ``woman`` (by default Ms., which does not show marital status; the published code uses Mrs.), a
    woman's courtesy title becomes Mr.; Sir and Lord become Lady, Lady and Dame become Sir, Madame becomes Monsieur. A
    title without a full stop gets none; case is kept.
    """
    if title_gender(title) == to:
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
