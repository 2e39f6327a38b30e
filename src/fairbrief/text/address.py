"""Words of address before a name: which tell a gender, and how one is exchanged for the other."""

from __future__ import annotations

from typing import Final

from fairbrief.text.pronouns import like

COURTESY: Final[dict[str, str]] = {
    "mr": "male",
    "mister": "male",
    "mrs": "female",
    "ms": "female",
    "miss": "female",
    "mlle": "female",
    "mme": "female",
    "mademoiselle": "female",
    "madame": "female",
    "monsieur": "male",
}
RANK: Final[dict[str, str]] = {"sir": "male", "lord": "male", "lady": "female", "dame": "female"}
_OTHER: Final[dict[str, str]] = {
    "sir": "Lady",
    "lord": "Lady",
    "lady": "Sir",
    "dame": "Sir",
    "monsieur": "Madame",
    "madame": "Monsieur",
    "mademoiselle": "Monsieur",
    "mlle": "Monsieur",
    "mme": "Monsieur",
}

NEUTRAL: Final[frozenset[str]] = frozenset((
    "dr", "doctor", "prof", "professor", "president", "senator", "sen", "representative", "rep",
    "governor", "gov", "mayor", "judge", "justice", "secretary", "minister", "premier",
    "chancellor", "general", "gen", "colonel", "col", "major", "maj", "captain", "capt",
    "lieutenant", "lt", "sergeant", "sgt", "admiral", "commander", "officer", "detective", "rev",
    "reverend", "pastor", "father", "sister", "pope", "bishop", "archbishop", "cardinal", "rabbi",
    "imam", "king", "queen", "prince", "princess", "emperor", "empress", "duke", "duchess", "count",
    "countess", "baron", "baroness", "marquis", "chairman", "chairwoman", "chief", "coach",
    "ambassador", "attorney", "congressman", "congresswoman", "director", "dean", "mathematician",
    "author", "sheriff", "saint", "st", "mx", "fellow", "engineer", "vice", "counsel", "counselor",
    "counsellor",
))  # fmt: skip
"""Words that stand before a name and are no part of it. A woman and a man may both bear them, or
(king, father) exchanging them would make another story: they are left as they are."""


GIVEN_AFTER: Final = frozenset(
    "king queen prince princess emperor empress tsar tsarina czar sultan caliph pope saint st father sister brother aunt uncle "
    "count countess imam rabbi fellow mx".split()
)
"""Titles after which a single name is a given name: King Louis, Sister Agnes."""
SOVEREIGNS: Final = frozenset(
    "king queen emperor empress tsar tsarina czar sultan caliph pope saint st".split()
)
"""Titles of those whom no other name can stand for."""


DIVINE: Final = frozenset(
    "allah aphrodite apollo ares artemis athena buddha christ cleopatra dionysus god hades hera hermes jehovah jesus jupiter "
    "krishna lucifer mars mercury moses neptune odin poseidon satan shiva thor venus vishnu yahweh zeus".split()
)
"""Single names of gods, prophets and figures of old, for whom no other name can stand."""


def has_last_name(word: str) -> bool:
    """Whether the single name right after this title is a last name: President Clinton, Judge Hoffman, Mr. Long."""
    low = _bare(word)
    return low in COURTESY or (low in NEUTRAL and low not in GIVEN_AFTER)


def is_sovereign(word: str) -> bool:
    """Whether a title says of the name after it that it is a sovereign's or a saint's."""
    return _bare(word) in SOVEREIGNS


def gender(word: str) -> str | None:
    """``male`` or ``female`` for a gendered title, with or without its full stop; None for other words."""
    low = _bare(word)
    return COURTESY.get(low) or RANK.get(low)


def is_title(word: str) -> bool:
    """Whether a word can stand before a name as a title of any kind."""
    return gender(word) is not None or _bare(word) in NEUTRAL


def is_courtesy(word: str) -> bool:
    """Whether the name right after this title is a last name, as after Mr. (and not as after Sir)."""
    return _bare(word) in COURTESY


def exchange(title: str, to: str, woman: str = "Ms.") -> str:
    """The title for a person of gender ``to``; the same title where it fits already.

    Mr. becomes ``woman`` (Ms., which says nothing of marriage; the published code says Mrs.), a
    woman's courtesy title becomes Mr.; Sir and Lord become Lady, Lady and Dame become Sir, Madame becomes
    Monsieur. A title written without its full stop stays without; case is kept.
    """
    if gender(title) == to:
        return title
    low = _bare(title)
    if low in _OTHER:
        return like(title, _OTHER[low] if title[:1].isupper() else _OTHER[low].lower())
    new = "Mr." if to == "male" else woman
    if not title.endswith(".") and low != "miss":
        new = new.rstrip(".")
    if title.isupper():
        return new.upper()
    return new if title[:1].isupper() else new.lower()


def ends_titles(word: str) -> bool:
    """Whether a word inside a name ends a run of titles ("Emeritus Professor John", "US President Barack")."""
    return _bare(word) in _OFFICES


_OFFICES: Final = frozenset(
    [
        "president",
        "professor",
        "prof",
        "dr",
        "doctor",
        "senator",
        "secretary",
        "minister",
        "governor",
        "mayor",
    ]
)


def _bare(word: str) -> str:
    return word.lower().removesuffix(".")
