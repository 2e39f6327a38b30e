"""English words that show gender (pronouns, titles) or imply a group (she, father, boys): forms, lists, counts."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, Literal

from fairbrief.text.names import bare
from fairbrief.text.segmentation import plain_words
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

_GENDERS: Final = {word: gender for gender in ("male", "female") for word in FORMS[gender].values()}
_PLACE_OF: Final = {FORMS[gender][place]: place for gender in ("male", "female") for place in PLACES}
_BY_TAG: Final[dict[str, dict[str, Place]]] = {
    "his": {"PRP$": "his", "PRP": "his_own"},
    "her": {"PRP$": "his", "PRP": "him"},
}


def place(word: str, tag: str = "") -> Place | None:
    """The place of a he- or she-pronoun; None for any other word.

    ``her`` and ``his`` have two places, which the Penn tag distinguishes: ``PRP$`` before a noun,
    ``PRP`` otherwise. Without a tag the result for them is None.
    """
    low = word.lower()
    return _BY_TAG[low].get(tag) if low in _BY_TAG else _PLACE_OF.get(low)


def guess_place(word: str, following: str) -> Place | None:
    """`place` of a pronoun in a text without tags: ``her`` and ``his`` by the following words.

    ``following`` is the text right after the pronoun. If a word that could be possessed follows, the pronoun is
    before a noun; before a function word, a punctuation mark or nothing, ``her`` is an object and ``his`` is without
    a noun. Correct for 345 of the 349 in annotated English documents (GUM).

    >>> guess_place("her", " own two sons"), guess_place("her", " to the door")
    ('his', 'him')
    """
    after = _NEXT_WORD.match(following)
    is_before_noun = after is not None and after[1].lower() not in FUNCTION_WORDS - _POSSESSED
    return place(word, "PRP$" if is_before_noun else "PRP")


_NEXT_WORD = re.compile(r"""\s+["“‘'(\[]?([^\W_]+)""")
_POSSESSED: Final = words("function_words", "before_possessions")
"""Function words that a noun may still follow: her many friends, his then wife."""


def pronoun_gender(word: str) -> str | None:
    """``male`` or ``female`` for a he- or she-pronoun, None for any other word."""
    return _GENDERS.get(word.lower())


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


# ---- Titles before a name: their gender, and the corresponding titles of the other gender


COURTESY, RANK = (
    {title: gender for gender in ("male", "female") for title in words("titles", f"{kind}_{gender}")}
    for kind in ("courtesy", "rank")
)
NEUTRAL: Final = words("titles", "unchanged")
"""Words before a name that are not part of it and do not change."""
BEFORE_LAST_NAMES: Final = COURTESY.keys() | (NEUTRAL - words("titles", "before_given"))
"""Titles after which a single name is a last name: President Clinton, Mr. Long; but King Louis, Sister Agnes."""
ENDING: Final = words("titles", "ends_titles")
"""Words that end a run of titles inside a name ("Emeritus Professor John", "US President Barack")."""
SOVEREIGNS: Final = words("titles", "sovereigns")
"""Titles of people with irreplaceable names."""
DIVINE: Final = words("titles", "divine")
"""Single names of gods, prophets and historical figures, which cannot be replaced."""


def title_gender(word: str) -> str | None:
    """``male`` or ``female`` for a gendered title, with or without its full stop; None for other words."""
    low = bare(word)
    return COURTESY.get(low) or RANK.get(low)


def gender_of(word: str, role: str) -> str | None:
    """``male`` or ``female`` for a word that shows it as a title, or in the place of a pronoun; None in other roles."""
    if role == "title":
        return title_gender(word)
    return pronoun_gender(word) if role in PLACES else None


def is_title(word: str) -> bool:
    """Whether a word can be a title of any kind before a name."""
    return title_gender(word) is not None or bare(word) in NEUTRAL


def exchange_title(title: str, to: str, woman: str = "Ms.") -> str:
    """The title for a person of gender ``to``; the same title if it fits already.

    Mr. becomes ``woman`` (by default Ms., which does not show marital status; the published code uses Mrs.), a
    woman's courtesy title becomes Mr.; Sir and Lord become Lady, Lady and Dame become Sir, Madame becomes Monsieur. A
    title without a full stop gets none; case is kept.
    """
    if title_gender(title) == to:
        return title
    new = vocabulary("titles")["instead"].get(bare(title))
    if new is None:
        new = "Mr." if to == "male" else woman
        if not title.endswith(".") and bare(title) != "miss":
            new = new.rstrip(".")
    return like(title, new if title[:1].isupper() else new.lower())


HELM, _MORE = (
    tuple((f, m) for f, m in map(str.split, vocabulary("group_words")[name])) for name in ("helm", "more")
)
EXTENDED = (*(pair for pair in HELM if pair[0] != "femen"), *_MORE)
"""``helm``: HELM's (female, male) pairs unchanged (with ``femen``); ``extended``: also ``females``, family, roles and
offices.
"""


@lru_cache(maxsize=64)
def word_lists(name: str) -> dict[str, frozenset[str]]:
    """Group → its words: ``helm``, ``extended``, or user-defined lists, ``group: word word; group: word``.

    Raises ValueError for any other text.

    >>> sorted(word_lists("old: aged elderly; young: youthful")["old"])
    ['aged', 'elderly']
    """
    if pairs := {"helm": HELM, "extended": EXTENDED}.get(name):
        female, male = map(frozenset, zip(*pairs, strict=True))
        return {"female": female, "male": male}
    parts = (part.partition(":") for part in name.split(";") if part.strip())
    lists = {group.strip(): frozenset(words.replace(",", " ").lower().split()) for group, _, words in parts}
    if len(lists) < 2 or not all(lists.values()):
        raise ValueError(
            f"'{name}' names no word lists, or only one. Write helm, extended, or lists='group: word word; group: word'."
        )
    return dict(sorted(lists.items()))


_LOOSE = {ord(c): " " for c in ".,;:!?\"'()[]{}<>/|*_=+~`…“”«»—–\n\t"}
_TIGHT = {code: space for code, space in _LOOSE.items() if chr(code) not in "/_=+*~<>|"}


def count_identifiers(
    text: str, lists: str, variant: str = "recommended", among: frozenset[str] | None = None
) -> tuple[int, ...]:
    """The number of each group's words in a text, in the order of `word_lists`; only those in ``among``, if given.

    Whole words of the lower-cased text; a possessive (``woman's``) counts as its word. In the version ``published``
    words joined by a slash are one token, as with the release's tokenizers, so that ``himself/herself`` counts for
    neither group.

    >>> count_identifiers("A woman's boys' himself/herself.", "helm")
    (2, 2)
    >>> count_identifiers("A woman's boys' himself/herself.", "helm", "published")
    (1, 1)
    """
    found = _identifiers(text, lists, variant)
    if among is not None:
        found = tuple(filter(among.__contains__, found))
    return tuple([sum(map(group.__contains__, found)) for group in word_lists(lists).values()])


@lru_cache(maxsize=64)
def varying_identifiers(texts: tuple[str, ...], lists: str, variant: str = "recommended") -> frozenset[str]:
    """The listed words of a text's counterfactuals at positions where the counterfactuals differ.

    >>> sorted(varying_identifiers(("His mother left him.", "Her mother left her."), "helm"))
    ['her', 'him', 'his']
    """
    first, *others = (_identifiers(text, lists, variant) for text in texts)
    found: set[str] = set()
    for other in others:
        for tag, a, b, c, d in SequenceMatcher(None, first, other, autojunk=False).get_opcodes():
            if tag != "equal":
                found.update(first[a:b], other[c:d])
    return frozenset(found)


@lru_cache(maxsize=1024)
def _identifiers(text: str, lists: str, variant: str) -> tuple[str, ...]:
    """The listed words of a text, in its order."""
    text = text.replace("’", "'").replace("‘", "'").lower()
    words = text.translate(_TIGHT if variant == "published" else _LOOSE).split()
    listed = _all_words(lists)
    return tuple(word for word in words if word in listed)


@lru_cache(maxsize=64)
def _all_words(lists: str) -> frozenset[str]:
    return frozenset().union(*word_lists(lists).values())


def pair_markers() -> dict[str, str]:
    """Word → the marker ``male/female`` of its pair of HELM's, so that both members count as one word."""
    return {word: f"{m}/{f}" for f, m in HELM for word in (f, m)}


WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
"""A word, with apostrophes and hyphens inside it."""


FEMALE_WORDS = frozenset({"she", "her", "hers"})
MALE_WORDS = frozenset({"he", "him", "his"})


def count_gender_words(text: str) -> tuple[int, int]:
    """The number of she, her, hers in a text, and of he, him, his; in any case, whole words.

    A word before an apostrophe counts: *she's* is one *she*.

    >>> count_gender_words("She said he'd lost her keys, here or there.")
    (2, 1)
    """
    found = list(filter((FEMALE_WORDS | MALE_WORDS).__contains__, plain_words(text.lower())))
    female = sum(map(FEMALE_WORDS.__contains__, found))
    return female, len(found) - female


@lru_cache(maxsize=4096)
def gender_coefficient(text: str) -> float | None:
    """(female words − male words) / all of them, in [−1, 1]; None for a text without such words.

    1: only she, her, hers; −1: only he, him, his. Source: Chau & Kim.

    >>> gender_coefficient("He gave her his word.")
    -0.3333333333333333
    """
    female, male = count_gender_words(text)
    return (female - male) / (female + male) if female + male else None


def subject_group(coefficient: float, threshold: float = 1.0) -> str | None:
    """``female`` at or above the threshold, ``male`` at or below its negative, else None: a mixed text.

    ``threshold`` in (0, 1]; 1 accepts only texts with gender words of one gender.
    """
    if coefficient >= threshold:
        return "female"
    return "male" if coefficient <= -threshold else None
