"""Groups as people order and name them: 2 stars before 10 stars, low before high, unknown last."""

from __future__ import annotations

import re
from collections.abc import Iterable

SCALES = (
    ("very negative", "negative", "mixed", "neutral", "positive", "very positive"),
    ("neg", "neu", "pos"),
    ("very low", "low", "medium", "high", "very high"),
    ("small", "medium", "large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "excellent"),
)
"""Words that have an order of their own."""
LAST = frozenset(("unknown", "other", "others", "none", "n/a", "not stated", "mixed or unknown"))
NUMBER = re.compile(r"[-−+]?\d+(?:[.,]\d+)?")


def ordered(groups: Iterable[str]) -> list[str]:
    """The groups in natural order, each once.

    >>> ordered(["10", "9", "unknown", "1"]), ordered(["positive", "neutral", "negative"])
    (['1', '9', '10', 'unknown'], ['negative', 'neutral', 'positive'])
    """
    distinct = list(dict.fromkeys(groups))
    plain = {group.strip().lower() for group in distinct} - LAST
    scale = next((s for s in SCALES if plain <= set(s)), ())
    return sorted(distinct, key=lambda group: _key(group, scale))


def named(attribute: str, group: str) -> str:
    """A group as a table calls it: a number takes its attribute's name, ``2 stars``; words stand alone.

    >>> named("stars", "2"), named("stars", "1"), named("rating", "5"), named("party", "Green")
    ('2 stars', '1 star', 'rating 5', 'Green')
    """
    if not NUMBER.fullmatch(group.strip()):
        return group
    if not (attribute.isalpha() and attribute.endswith("s")):
        return f"{attribute} {group}"
    return f"{group} {attribute.removesuffix('s') if group.strip() == '1' else attribute}"


def _key(group: str, scale: tuple[str, ...]) -> tuple[bool, int, list[tuple[int, float, str]]]:
    word = group.strip().lower()
    place = scale.index(word) if word in scale else 0
    return word in LAST, place, [_piece(part) for part in re.findall(r"\d+(?:\.\d+)?|\D+", word)]


def _piece(part: str) -> tuple[int, float, str]:
    return (0, float(part), "") if part[0].isdigit() else (1, 0.0, part)
