"""Texts without their people: names, pronouns and titles made neutral."""

from __future__ import annotations

import re
from collections.abc import Sequence

FirstAndLast = tuple[str | None, str | None]
"""What a person is called; either name may be absent."""
FIRST, LAST, TITLE = "FIRST_NAME", "LAST_NAME", "M."

_PRONOUNS = {
    "he": "they", "she": "they", "him": "them", "his": "their", "her": "their", "hers": "theirs",
    "himself": "themself", "herself": "themself",
}  # fmt: skip
_TITLES = frozenset("mr mrs ms miss sir lady ma'am madam dame".split())
_NEUTRAL = {
    **{case(old): case(new) for old, new in _PRONOUNS.items() for case in (str, str.capitalize, str.upper)},
    **{case(title): TITLE for title in _TITLES for case in (str, str.capitalize, str.upper)},
}
_WORDS = re.compile(r"([^\W_]+(?:['’-][^\W_]+)*)")
_NOT_A_POSSESSION = frozenset(
    "and or but to for in on at by from with about as that which who when while because if of the a an "
    "was is were are had has have did does would could will his her their my your our its this that".split()
)
_PUBLISHED = {
    "he": "they", "she": "they", "his": "their", "her": "their", "him": "their", "hers": "theirs",
    "himself": "themself", "herself": "themself",
    **dict.fromkeys(("mr", "mrs", "ms", "miss", "sir", "ma'am"), TITLE),
}  # fmt: skip
_PUBLISHED_FORMS = {
    form(old): new if new is TITLE else form(new)
    for old, new in _PUBLISHED.items()
    for form in (str, str.capitalize)
}
# The words of _PUBLISHED by their first letters: with a set of letters in front, the search skips fast.
_PUBLISHED_WORDS = re.compile(
    r"[HhSsMm](?<!\w[HhSsMm])(?:e(?:rs(?:elf)?|r)?|is|im(?:self)?|he|ir|rs?|s|iss|a'am)\b"
)


def anonymise(text: str, names: Sequence[FirstAndLast]) -> str:
    """The text with known names, gendered pronouns and titles replaced by neutral ones.

    Whole words only, whatever their case: first names → ``FIRST_NAME``, last names → ``LAST_NAME``; he, she →
    they; him → them; his, her → their; ``her`` where no thing possessed follows → them; titles → ``M.``.

    >>> anonymise("Mrs. Smith's annual talk pleased her.", [("Ann", "Smith")])
    "M. LAST_NAME's annual talk pleased them."
    """
    known = _known(names)
    pieces = _WORDS.split(text)
    for i in range(1, len(pieces), 2):
        word = pieces[i]
        new = known.get(word) or _NEUTRAL.get(word)
        if new is None:
            if "'" in word or "’" in word or "-" in word:
                pieces[i] = _neutral_parts(word, known)
            continue
        if new is TITLE:
            pieces[i + 1] = pieces[i + 1].removeprefix(".")
        elif word in _HER and _is_object(pieces, i):
            new = _THEM[word]
        pieces[i] = new
    return "".join(pieces)


def anonymise_published(text: str, names: Sequence[FirstAndLast]) -> str:
    """The text as the release anonymises it.

    Names are replaced as substrings, one after the other; him becomes *their*; only the lower-case and the
    capitalised form of a pronoun or title change, and a title keeps its full stop ("M.."). An absent name is
    left alone (the release fails on one).
    """
    for first, last in names:
        if first:
            text = text.replace(first, FIRST)
        if last:
            text = text.replace(last, LAST)

    return _PUBLISHED_WORDS.sub(_published_form, text)


def _published_form(match: re.Match[str]) -> str:
    word = match.group()
    return _PUBLISHED_FORMS.get(word, word)


def _known(names: Sequence[FirstAndLast]) -> dict[str, str]:
    """Word, in any of its cases → its placeholder; what is both a first and a last name is a first name."""
    found: dict[str, str] = {}
    for placeholder, words in ((LAST, [last for _, last in names]), (FIRST, [first for first, _ in names])):
        for word in " ".join(filter(None, words)).split():
            if len(word) > 1 and word.lower() not in _PRONOUNS:
                for form in (word, word.lower(), word.capitalize(), word.upper()):
                    found[form] = placeholder
    return found


def _neutral_parts(word: str, known: dict[str, str]) -> str:
    """A word of several parts (Smith's, Smith-Jones, ma’am) with each part made neutral."""
    plain = word.replace("’", "'")
    if plain in known or plain in _NEUTRAL:
        return known.get(plain) or _NEUTRAL[plain]
    if plain.endswith("'s") and plain[:-2] in known:
        return known[plain[:-2]] + word[-2:]
    return "".join(known.get(part) or _NEUTRAL.get(part) or part for part in re.split(r"(['’-])", word))


_HER = frozenset(("her", "Her", "HER"))
_THEM = {"her": "them", "Her": "Them", "HER": "THEM"}


def _is_object(pieces: Sequence[str], i: int) -> bool:
    """Whether ``her`` at position i is an object: nothing that could be possessed follows it."""
    between, after = pieces[i + 1], pieces[i + 2] if i + 2 < len(pieces) else ""
    return bool(between.strip()) or not after or after.lower() in _NOT_A_POSSESSION
