"""Words that imply a group (she, father, boys): lists of them, counting them, and the gender coefficient."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from fairbrief.text.segmentation import ascii_table, ascii_words
from fairbrief.text.vocabulary import vocabulary

HELM, _MORE = (
    tuple((f, m) for f, m in map(str.split, vocabulary("group_words")[name])) for name in ("helm", "more")
)
EXTENDED = (*(pair for pair in HELM if pair[0] != "femen"), *_MORE)
"""HELM's (female, male) pairs as they are (with ``femen``); and with ``females``, family, roles and offices beside them."""


@lru_cache(maxsize=64)
def word_lists(name: str) -> dict[str, frozenset[str]]:
    """Group → its words: ``helm``, ``extended``, or one's own, written ``group: word word; group: word``.

    Raises ValueError where the text is none of these.

    >>> sorted(word_lists("old: aged elderly; young: youthful")["old"])
    ['aged', 'elderly']
    """
    if name in ("helm", "extended"):
        pairs = HELM if name == "helm" else EXTENDED
        return {"female": frozenset(f for f, _ in pairs), "male": frozenset(m for _, m in pairs)}
    lists = {}
    for part in filter(str.strip, name.split(";")):
        group, colon, words = part.partition(":")
        if not colon or not words.split():
            raise ValueError(
                f"'{name}' names no word lists. Write helm, extended, or lists='group: word word; group: word'."
            )
        lists[group.strip()] = frozenset(words.replace(",", " ").lower().split())
    if len(lists) < 2:
        raise ValueError(f"'{name}' has fewer than two groups. Write 'group: word word; group: word word'.")
    return dict(sorted(lists.items()))


_LOOSE = {ord(c): " " for c in ".,;:!?\"'()[]{}<>/|*_=+~`…“”«»—–\n\t"}
_TIGHT = {code: space for code, space in _LOOSE.items() if chr(code) not in "/_=+*~<>|"}
_ASCII_LOOSE = ascii_table(lambda c: ord(c) not in _LOOSE)
_ASCII_TIGHT = ascii_table(lambda c: ord(c) not in _TIGHT)


def count_identifiers(
    text: str, lists: str, variant: str = "recommended", among: frozenset[str] | None = None
) -> tuple[int, ...]:
    """How often each group's words occur in a text, in the order of `word_lists`; only those ``among`` some, if given.

    Whole words of the lower-cased text; a possessive (``woman's``) counts as its word. In the variant
    ``published`` words joined by a slash are one token, as the tokenizers of the release have it, so
    that ``himself/herself`` counts for nobody.

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
    """The listed words of a text's variants at places where the variants differ.

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
    table, ascii_only = (_TIGHT, _ASCII_TIGHT) if variant == "published" else (_LOOSE, _ASCII_LOOSE)
    text = text.replace("’", "'").replace("‘", "'").lower()
    words = ascii_words(text, ascii_only) if text.isascii() else text.translate(table).split()
    return tuple(filter(_all_words(lists).__contains__, words))


@lru_cache(maxsize=64)
def _all_words(lists: str) -> frozenset[str]:
    return frozenset().union(*word_lists(lists).values())


@lru_cache(maxsize=8)
def pair_markers(name: str = "helm") -> dict[str, str]:
    """Word → the marker ``male/female`` of its pair, so that both members count as one word."""
    pairs = HELM if name == "helm" else EXTENDED
    return {word: f"{m}/{f}" for f, m in pairs for word in (f, m)}


WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
"""A word, with apostrophes and hyphens inside it."""


FEMALE_WORDS = frozenset({"she", "her", "hers"})
MALE_WORDS = frozenset({"he", "him", "his"})
FEMALE, MALE = "female", "male"

_ALL = FEMALE_WORDS | MALE_WORDS
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(_ALL, key=len, reverse=True))})\b", re.IGNORECASE)
_PLAIN = ascii_table(lambda c: c.isalnum() or c == "_")
"""What `_WORDS` takes for parts of a word in an ASCII text, which is cut faster than it is searched."""


def count_gender_words(text: str) -> tuple[int, int]:
    """How often she, her, hers occur in a text, and how often he, him, his; in any case, whole words.

    A word before an apostrophe counts: *she's* is one *she*.

    >>> count_gender_words("She said he'd lost her keys, here or there.")
    (2, 1)
    """
    if text.isascii():
        found = list(filter(_ALL.__contains__, ascii_words(text.lower(), _PLAIN)))
    else:
        found = [word.lower() for word in _WORDS.findall(text)]
    female = sum(map(FEMALE_WORDS.__contains__, found))
    return female, len(found) - female


def gender_coefficient(text: str) -> float | None:
    """(female words − male words) / all of them, in [−1, 1]; None for a text without any.

    1: only she, her, hers; −1: only he, him, his. Source: Chau & Kim.

    >>> gender_coefficient("He gave her his word.")
    -0.3333333333333333
    """
    female, male = count_gender_words(text)
    return (female - male) / (female + male) if female + male else None


def subject_group(coefficient: float, threshold: float = 1.0) -> str | None:
    """``female`` at or above the threshold, ``male`` at or below its negative, else None: a mixed text.

    ``threshold`` in (0, 1]; 1 keeps texts whose gender words all agree.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold must be in (0, 1], not {threshold}")
    if coefficient >= threshold:
        return FEMALE
    return MALE if coefficient <= -threshold else None
