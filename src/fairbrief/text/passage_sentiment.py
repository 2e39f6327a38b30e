"""The sentiment of a passage from the sentiment of its words."""

from __future__ import annotations

import re
from collections.abc import Mapping

WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; an apostrophe or hyphen inside a word belongs to it.

    >>> words_of("It's a well-made film, 10/10!")
    ["it's", 'a', 'well-made', 'film']
    """
    return [word.replace("’", "'") for word in WORD.findall(text.casefold())]


def passage_sentiment(text: str, scores: Mapping[str, float]) -> tuple[float, int]:
    """Mean score of the words that have one, and how many they are; (0.0, 0) if none has: undefined.

    A compound that has no score of its own is read as its parts (*well-made* as *well*, *made*; *it's*
    as *it*, *s*).
    """
    known: list[float] = []
    for word in words_of(text):
        score = scores.get(word)
        if score is not None:
            known.append(score)
        elif "-" in word or "'" in word:
            known += [scores[part] for part in re.split("[-']", word) if part in scores]
    return (sum(known) / len(known), len(known)) if known else (0.0, 0)
