"""What a model's verdict says: a score of a scale, or a probability. None where it says neither."""

from __future__ import annotations

import re

_NUMBER_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_VALUE = r"(\d+(?:\.\d+)?|one|two|three|four|five)\b(?!\s*%)"
# What may stand between two words is bounded, so that a reply of blanks or dashes takes no longer than another.
_NAMED = re.compile(
    rf"\b(?:score|rating)\b\W{{0,30}}(?:is|of|would be|:|=|-|—)?\W{{0,30}}{_VALUE}", re.IGNORECASE
)
_OF_FIVE = re.compile(rf"\b{_VALUE}\s{{0,9}}(?:/|out of)\s{{0,9}}(?:5|five)\b", re.IGNORECASE)
_GIVEN = re.compile(
    rf"\b(?:give|rate|assign|award)\b\s{{1,9}}(?:it|this|them|the summary)?\s{{0,9}}(?:an?|at|as|with)?\s{{0,9}}{_VALUE}",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(rf"\W*{_VALUE}\W*", re.IGNORECASE)

_PERCENT = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s{0,9}(?:%|percent\b|per cent\b)", re.IGNORECASE)
_PROBABILITY = re.compile(r"(?<![\d.])(?:\d+(?:\.\d+)?|\.\d+)")
_YES_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_NAMED_YES_NO = re.compile(r"\b(?:answer|verdict)\b\W*(?:is\W*)?(yes|no)\b", re.IGNORECASE)


def score(reply: str, low: int = 1, high: int = 5) -> float | None:
    r"""The score that a reply ends on: the last "score: 4", "4/5" or "I give it a 4", else a last line that is a number.

    None if there is none, or if it lies outside the scale. A scale of one to five may be told in words.

    >>> score("It keeps the main point.\nScore: 4"), score("4 of the 7 claims are kept. 3/5"), score("Good.")
    (4.0, 3.0, None)
    """
    reply = reply.replace("*", "").replace("_", " ")
    said = (match for pattern in (_NAMED, _OF_FIVE, _GIVEN) for match in pattern.finditer(reply))
    named = max(said, key=lambda match: match.end(1), default=None)
    lines = [line for line in reply.splitlines() if line.strip()]
    found = named or (_LAST_LINE.fullmatch(lines[-1]) if lines else None)
    if found is None:
        return None
    word = found[1].lower()
    value = float(_NUMBER_WORDS.get(word, 0) or word)
    return value if low <= value <= high else None


def probability(reply: str) -> float | None:
    """The probability that a reply states, in [0, 1]: yes and no, a percentage, or a number from 0 to 1.

    Of several numbers the last holds. None if there is none, or if it lies outside.

    >>> probability("Yes."), probability("85%"), probability("I would say 0.3"), probability("perhaps")
    (1.0, 0.85, 0.3, None)
    """
    text = reply.replace("*", "").strip()
    if percents := _PERCENT.findall(text):
        value = float(percents[-1]) / 100
        return value if value <= 1 else None
    if numbers := _PROBABILITY.findall(text):
        value = float(numbers[-1])
        return value if value <= 1 else None
    said = _YES_NO.match(text) or _NAMED_YES_NO.search(text)
    return None if said is None else float(said[1].lower() == "yes")
