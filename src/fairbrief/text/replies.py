"""Parse a model's reply: the items of a list, a score on a scale, a probability."""

from __future__ import annotations

import json
import re

FENCED = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)
NUMBERED = r"""(?x:\s*(?:[*_]{2})?     # bold numbers: **1.** x
    (?:\(\s*\d{1,3}\s*\)            # (1) x
    |\d{1,3}\s*\)                    # 1) x
    |\d{1,3}\s*[.:,](?!\d)           # 1. x, 1.The …, 1: x; no decimal: 2.5 percent, 1,000 people
    )(?:[*_]{2})?\s*)"""
BULLET = r"(?:\s*(?:[-–—•‣▪◦·]|\*(?!\*))\s+(?=\S)|\s*[-•‣▪◦](?=[^\W\d]))"
MARK = re.compile(rf"{NUMBERED}|{BULLET}(?:{NUMBERED})?")
NUMBER = re.compile(r"[-−]?\d")


def items(reply: str) -> tuple[str, ...]:
    r"""The items of the list in a reply, without their marks; empty if there is no list.

    Marks are ``1.``, ``1)``, ``(1)``, ``1:`` and bullets. A number that is part of the sentence is not a mark:
    not ``2.5 percent …`` and not ``2020 saw …``. Among marked lines, one without a mark is a separate item if it
    begins with a number or is between two items; it continues the item before it if it is indented; and it is ignored
    before the first and after the last mark, where it introduces or closes the list. A reply without any mark is a
    list only if it has several lines, each of which is then an item.

    >>> items("Here are the claims:\n1. It is red.\n2.The strap broke.\n(3) 2.5 percent liked it.")
    ('It is red.', 'The strap broke.', '2.5 percent liked it.')
    """
    lines = [line.rstrip() for line in reply.splitlines() if line.strip()]
    marks = [MARK.match(line) for line in lines]
    if not any(marks):
        return tuple(_clean(line) for line in lines) if len(lines) > 1 else ()
    last = max(i for i, mark in enumerate(marks) if mark)
    found: list[str] = []
    for i, (line, mark) in enumerate(zip(lines, marks, strict=True)):
        if mark or NUMBER.match(line):
            found.append(line[mark.end() if mark else 0 :])
        elif found and line[0].isspace():
            found[-1] = f"{found[-1]} {line.strip()}"
        elif found and i < last:
            found.append(line)
    return tuple(text for item in found if (text := _clean(item)))


def json_items(reply: str) -> tuple[str, ...]:
    r"""The texts of the JSON list in a reply, with or without surrounding words or a code fence; empty if there is none.

    >>> json_items('Sure:\n```json\n{"units": ["It is red.", "It broke."]}\n```')
    ('It is red.', 'It broke.')
    """
    fenced = FENCED.search(reply)
    text = fenced[1] if fenced else reply
    try:
        found = json.loads(text[text.find("[") : text.rfind("]") + 1])
    except (ValueError, RecursionError):
        return ()
    is_list = isinstance(found, list) and all(isinstance(item, str) for item in found)
    return tuple(filter(None, map(_clean, found))) if is_list else ()


def _clean(item: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\*\*(.+?)\*\*", r"\1", item)).strip()


_NUMBER_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
# Neither a percentage, nor a range (3-4), nor on another scale (4/10).
_VALUE = (
    r"(\d++(?:\.\d++)?+|one|two|three|four|five)\b(?!\s{0,9}(?:%|[-–]\s{0,9}\d|(?:/|out of)\s{0,9}(?!5\b)\d))"
)
# The characters between two words are bounded, so that replies of blanks or dashes take no longer than others.
_NAMED = re.compile(rf"(?i)\b(?:score|rating)\b\W{{0,30}}(?:is|of|would be|:|=|-|—)?\W{{0,30}}{_VALUE}")
_OF_FIVE = re.compile(rf"(?i)\b{_VALUE}\s{{0,9}}(?:/|out of)\s{{0,9}}(?:5|five)\b")
_GIVEN = re.compile(
    rf"(?i)\b(?:give|rate|assign|award)\b\s{{1,9}}(?:it|this|them|the summary)?\s{{0,9}}(?:an?|at|as|with)?\s{{0,9}}{_VALUE}"
)
_LAST_LINE = re.compile(rf"(?i)\W*{_VALUE}\W*")
_NOTE = r"(?:\s?\([^()\n]{0,40}\))?"
_SCALE = re.compile(
    rf"(?i)(?:\bon a scale\s)?(?:\b(?:of|from)\s)?\b1{_NOTE}\s?(?:-|–|—|\bto\b)\s?5\b{_NOTE}|\((?:out )?of 5\)"
)
"""The scale of a score, in the reply: "(1-5)", "on a scale from 1 (worst) to 5 (best)"."""

_PERCENT = re.compile(r"(?<!\d)(\d+(?:\.\d+)?)\s{0,9}(?:%|percent\b|per cent\b)", re.IGNORECASE)
_PROBABILITY = re.compile(r"(?<![\d.])(?:\d+(?:\.\d+)?|\.\d+)")
_ONE = r"1(?:\.0)?\b(?!\.\d)"
_SCALE_TO_ONE = re.compile(
    rf"(?i)\b0(?:\.0)?{_NOTE}\s?(?:-|–|—|\bto\b|\band\b)\s?{_ONE}{_NOTE}|(?:/|\bout of)\s?{_ONE}|\b[01]\s?="
)
_YES_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)
_NAMED_YES_NO = re.compile(r"\b(?:answer|verdict)\b\W*(?:is\W*)?(yes|no)\b", re.IGNORECASE)


def score(reply: str, low: int = 1, high: int = 5) -> float | None:
    r"""The final score of a reply: the last "score: 4", "4/5" or "I give it a 4", else a last line that is a number.

    None if there is none, or if it is outside the scale. Scores from one to five may be words. Ranges ("3-4") and scores on
    another scale ("4/10") are none, and a scale that the reply repeats ("Score (1-5): 4") is ignored.

    >>> score("It keeps the main point.\nScore: 4"), score("4 of the 7 claims are kept. 3/5"), score("Good.")
    (4.0, 3.0, None)
    """
    reply = _SCALE.sub("", reply.replace("*", "").replace("_", " "))
    matches = (match for pattern in (_NAMED, _OF_FIVE, _GIVEN) for match in pattern.finditer(reply))
    named = max(matches, key=lambda match: match.end(1), default=None)
    lines = [line for line in reply.splitlines() if line.strip()]
    found = named or (_LAST_LINE.fullmatch(lines[-1]) if lines else None)
    if found is None:
        return None
    word = found[1].lower()
    value = float(_NUMBER_WORDS.get(word, 0) or word)
    return value if low <= value <= high else None


def probability(reply: str) -> float | None:
    """The probability in a reply, in [0, 1]: a percentage, a number from 0 to 1, or yes and no.

    The last of several numbers counts. Beside yes or no, whole numbers do not ("No, claim 1 is missing"); a scale that the
    reply repeats ("0.2 out of 1") never does. None if there is none, or if it is outside [0, 1].

    >>> probability("Yes."), probability("85%"), probability("I would say 0.3"), probability("perhaps")
    (1.0, 0.85, 0.3, None)
    """
    text = _SCALE_TO_ONE.sub(" ", reply.replace("*", "").strip())
    verdict = _YES_NO.match(text) or _NAMED_YES_NO.search(text)
    percents = [float(number) / 100 for number in _PERCENT.findall(text)]
    numbers = [number for number in _PROBABILITY.findall(text) if verdict is None or "." in number]
    if values := percents or list(map(float, numbers)):
        return values[-1] if values[-1] <= 1 else None
    return None if verdict is None else float(verdict[1].lower() == "yes")
