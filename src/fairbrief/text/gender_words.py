"""The words that tell whether a text speaks of women or of men, and the coefficient made of them."""

from __future__ import annotations

import re

from fairbrief.text.segmentation import ascii_table, ascii_words

FEMALE_WORDS = frozenset({"she", "her", "hers"})
MALE_WORDS = frozenset({"he", "him", "his"})
FEMALE, MALE = "female", "male"

_ALL = FEMALE_WORDS | MALE_WORDS
_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(_ALL, key=len, reverse=True))})\b", re.IGNORECASE)
_PLAIN = ascii_table(lambda c: c.isalnum() or c == "_")
"""What `_WORDS` takes for parts of a word in an ASCII text, which is cut faster than it is searched."""


def count_gender_words(text: str) -> tuple[int, int]:
    """How often she, her, hers stand in a text, and how often he, him, his; in any case, whole words.

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
        raise ValueError(f"threshold must lie in (0, 1], not {threshold}")
    if coefficient >= threshold:
        return FEMALE
    return MALE if coefficient <= -threshold else None
