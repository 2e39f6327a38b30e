"""Anonymise texts: names, pronouns and titles replaced by neutral forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from fairbrief.text.vocabulary import words

FirstAndLast = tuple[str | None, str | None]
"""First and last name of a person; either may be absent."""
FIRST, LAST, TITLE = "FIRST_NAME", "LAST_NAME", "M."

_PRONOUNS = {
    "he": "they", "she": "they", "him": "them", "his": "their", "her": "their", "hers": "theirs",
    "himself": "themself", "herself": "themself",
}  # fmt: skip
_TITLES = dict.fromkeys("mr mrs ms miss sir lady ma'am madam dame".split(), TITLE)


def _in_cases(words: Mapping[str, str], *cases: Callable[[str], str]) -> dict[str, str]:
    return {case(old): new if new is TITLE else case(new) for old, new in words.items() for case in cases}


_NEUTRAL = _in_cases(_PRONOUNS | _TITLES, str, str.capitalize, str.upper)
_WORDS = re.compile(r"([^\W_]++(?:['’-][^\W_]++)*+)")
# The same words; the search looks characters up in a table where it need not test for letters.
_WORDS_OF_ASCII = re.compile(r"([A-Za-z0-9]++(?:['-][A-Za-z0-9]++)*+)")
_NOT_A_POSSESSION = words("function_words", "not_possessed")
_PUBLISHED = _PRONOUNS | {"him": "their"} | dict.fromkeys(("mr", "mrs", "ms", "miss", "sir", "ma'am"), TITLE)
_PUBLISHED_FORMS = _in_cases(_PUBLISHED, str, str.capitalize)
_PUBLISHED_WORDS = re.compile(rf"\b(?:{'|'.join(_PUBLISHED_FORMS)})\b")


def anonymise(text: str, names: Sequence[FirstAndLast]) -> str:
    """The text with known names, gendered pronouns and titles replaced by neutral ones.

    Whole words only, whatever their case: first names → ``FIRST_NAME``, last names → ``LAST_NAME``; he, she →
    they; him → them; his, her → their; ``her`` where no thing possessed follows → them; titles → ``M.``.

    >>> anonymise("Mrs. Smith's annual talk pleased her.", [("Ann", "Smith")])
    "M. LAST_NAME's annual talk pleased them."
    """
    neutral = dict(_NEUTRAL)
    # A word that is both a first and a last name counts as a first name.
    for placeholder, part in ((LAST, 1), (FIRST, 0)):
        for own in filter(None, (name[part] for name in names)):
            neutral.update(_placeholders(own, placeholder))
    pieces = (_WORDS_OF_ASCII if text.isascii() else _WORDS).split(text)
    for i in range(1, len(pieces), 2):
        word, between = pieces[i], pieces[i + 1]
        new = neutral.get(word)
        if new is None:
            if not word.isalnum():
                pieces[i] = _neutral_parts(word, neutral)
            continue
        if new is TITLE:
            pieces[i + 1] = between.removeprefix(".")
        elif word in _THEM:
            after = pieces[i + 2] if i + 2 < len(pieces) else ""
            # An object, unless something that could be possessed follows.
            if between.strip() or not after or after.lower() in _NOT_A_POSSESSION:
                new = _THEM[word]
        pieces[i] = new
    return "".join(pieces)


def anonymise_published(text: str, names: Sequence[FirstAndLast]) -> str:
    """The text as the paper's release anonymises it.

    Names are replaced as substrings, one after the other; him becomes *their*; only the lower-case and the
    capitalised form of a pronoun or title change, and a title keeps its full stop ("M.."). An absent name is ignored
    (the release fails on one).
    """
    for first, last, *_ in names:
        if first:
            text = text.replace(first, FIRST)
        if last:
            text = text.replace(last, LAST)

    return _PUBLISHED_WORDS.sub(lambda match: _PUBLISHED_FORMS[match[0]], text)


@lru_cache(maxsize=4096)
def _placeholders(name: str, placeholder: str) -> dict[str, str]:
    """The words of a name, in any case → its placeholder."""
    kept = [word for word in name.split() if len(word) > 1 and word.lower() not in _PRONOUNS]
    return {form(word): placeholder for word in kept for form in (str, str.lower, str.capitalize, str.upper)}


def _neutral_parts(word: str, neutral: Mapping[str, str]) -> str:
    """A word of several parts (Smith's, Smith-Jones, ma’am) with each part made neutral."""
    plain = word.replace("’", "'")
    if plain in neutral:
        return neutral[plain]
    name = neutral.get(plain.removesuffix("'s"))
    if name in (FIRST, LAST):
        return name + word[-2:]
    return "".join(neutral.get(part, part) for part in re.split(r"(['’-])", word))


_THEM = {"her": "them", "Her": "Them", "HER": "THEM"}
