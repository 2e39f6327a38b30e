"""The language of a text: by its script, and for Latin and Cyrillic script by its function words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from fairbrief.errors import RequestError
from fairbrief.ranges import grouped
from fairbrief.text.segmentation import runs_of
from fairbrief.text.vocabulary import CLOSED_CLASSES, vocabulary

ENGLISH = "en"
_LISTS = vocabulary("languages")
NAMES: Mapping[str, str] = _LISTS["names"]
"""ISO 639-1 codes of known languages → the language's name in English."""
LATIN, CYRILLIC = (tuple(_LISTS[script].split()) for script in ("latin", "cyrillic"))


def _patterns(letters: Mapping[str, str]) -> Mapping[str, re.Pattern[str]]:
    return {code: re.compile(f"[{own}]") for code, own in letters.items()}


SCRIPTS = _patterns(_LISTS["scripts"])
"""Scripts that identify a language."""
SHARED = {code: _patterns(letters) for code, letters in _LISTS["shared"].items()}
"""Languages that share a script, with letters that only they use."""
LOOKED_AT = 4_000
"""Number of leading characters of a text that decide."""
ENOUGH = 0.2
"""Share of a text's letters above which a script decides; this excludes single foreign words."""
SURELY_ENGLISH = 0.3
"""Share of English function words from which no other language is tried."""
MARGIN = 0.1
"""Minimum excess of another language's share of function words over English's."""
FEWEST = 3
"""Minimum number of different function words for a language other than English: names do not identify one."""
OWN_LETTERS = 200
"""Number of letters from which a text is identified by itself; a shorter one gets the language of its input."""
FEWEST_LETTERS = 20
"""Number of letters below which function words are ignored."""
SHORT_MARGIN = 0.3
"""`MARGIN` from which a short text is identified by itself nevertheless; its stop words may have any length."""
ENGLISH_ALONE = (" the ", " and ", " was ", " this ", " with ", " that ", " have ", " they ")
"""Two of these words identify English where it is usual: searching for them takes a tenth of the time of searching for all words."""
OWN_SCRIPT = 5
"""`OWN_LETTERS` for letters of a script that identifies a language."""

_CYRILLIC = re.compile("[\u0400-\u04ff]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_words = runs_of(r"[^\W\d_]")


class Setting(NamedTuple):
    """The language given for every text, and the language of short texts, detected from the input."""

    given: str = ""
    usual: str = ""


_setting: ContextVar[Setting] = ContextVar("language", default=Setting())  # noqa: B039 # which never changes


@contextmanager
def using(language: str | Setting) -> Iterator[None]:
    """Use the language with this code for every text inside the block; "" detects it for each text.

    Raises: RequestError for an unknown code.
    """
    token = _setting.set(language if isinstance(language, Setting) else Setting(known(language)))
    try:
        yield
    finally:
        _setting.reset(token)


def suppose(code: str) -> None:
    """Use this language for short texts from now on, to the end of the block of `using`."""
    _setting.set(_setting.get()._replace(usual=known(code)))


def setting() -> Setting:
    """The current setting, for use in another process."""
    return _setting.get()


def given() -> str:
    """The given language, or ""."""
    return _setting.get().given


def usual() -> str:
    """The usual language of the texts: the given one, or the one detected from the input; else English."""
    return given() or _setting.get().usual or ENGLISH


def described() -> str:
    """The current setting in a word or two: answers of scorers that use the language depend on it."""
    stated, usual = _setting.get()
    return stated or f"detected {usual}".rstrip()


def known(code: str) -> str:
    """The code, if it is one of `NAMES` (or empty). Raises RequestError otherwise."""
    if code and code not in NAMES:
        listed = ", ".join(f"{code} ({name})" for code, name in NAMES.items())
        raise RequestError(f"Unknown language '{code}'. Known: {listed}.")
    return code


def language_of(*texts: str) -> str:
    """The language of texts that belong together: the given one, or the detected one.

    Texts that are too short get the language of the input (`suppose`). The default is English.

    >>> language_of("Das Essen war gut, und die Bedienung war freundlich."), language_of("Good soup!")
    ('de', 'en')
    """
    stated, usual = _setting.get()
    return stated or _detected(" ".join(texts)[:LOOKED_AT], usual)


def language_of_input(texts: Iterable[str]) -> str:
    """The given language, or the most frequent one of an input: short texts are combined; English for an empty input."""
    if stated := given():
        return stated
    votes = Counter[str]()
    waiting: list[str] = []
    for text in texts:
        waiting.append(text[:LOOKED_AT])
        if sum(map(len, waiting)) >= 2 * OWN_LETTERS:
            votes[_detected(" ".join(waiting)[:LOOKED_AT])] += 1
            waiting.clear()
    if waiting and not votes:
        return _detected(" ".join(waiting), ENGLISH)
    return max(votes, key=votes.__getitem__, default=ENGLISH)


def is_foreign(text: str) -> str:
    """The language's name if a text is surely not English; else empty."""
    stated, usual = _setting.get()
    code = stated or _detected(text[:LOOKED_AT], usual or ENGLISH)
    return "" if code == ENGLISH else name_of(code)


def other_language(text: str, usual: str) -> str:
    """The language of a text if it is surely not the usual one; else, and for short texts, empty.

    >>> other_language("Le service est bon, mais la soupe est froide et pas chaude.", "en"), other_language("Bon!", "en")
    ('fr', '')
    """
    found = _detect(text[:LOOKED_AT], usual)
    return "" if found == usual else found


def _detect(text: str, usual: str = "") -> str:
    """The language of a text; ``usual``, if given, for a text too short to be identified by itself."""
    if usual == ENGLISH and _is_plain_english(text):
        return ENGLISH
    words = _words(text.lower())
    letters = sum(map(len, words))
    beyond = "" if text.isascii() else "".join(_BEYOND_ASCII.findall(text))
    if len(beyond) > ENOUGH * letters and not (usual and letters < OWN_SCRIPT):
        for code, script in SCRIPTS.items():
            if len(script.findall(beyond)) > ENOUGH * letters:
                return next(
                    (other for other, own in SHARED.get(code, {}).items() if own.search(beyond)), code
                )
    is_latin = len(beyond) <= ENOUGH * letters or len(_CYRILLIC.findall(beyond)) <= ENOUGH * letters
    if letters < FEWEST_LETTERS and (usual or is_latin):
        return usual or ENGLISH
    is_short = bool(usual) and letters < OWN_LETTERS
    if is_latin:
        candidates, default = LATIN, usual if is_short or usual in LATIN else ENGLISH
    else:
        candidates, default = CYRILLIC, usual if usual in CYRILLIC else CYRILLIC[0]
    return _by_function_words(words, candidates, default, is_short=is_short)


def _is_plain_english(text: str) -> bool:
    """Whether two of `ENGLISH_ALONE` occur; a loop that ends at the second, since every document is asked."""
    hits = 0
    for word in ENGLISH_ALONE:
        hits += word in text
        if hits == 2:
            return True
    return False


_detected = lru_cache(maxsize=4096)(_detect)
"""`_detect`, cached for repeated texts."""


def _by_function_words(words: list[str], candidates: tuple[str, ...], default: str, *, is_short: bool) -> str:
    """The candidate with clearly the largest share of function words in a text (lower-cased words); else the default."""
    may_be_english = ENGLISH in candidates and not (is_short and default != ENGLISH)
    if may_be_english and sum(map(CLOSED_CLASSES.__contains__, words)) >= SURELY_ENGLISH * len(words):
        return ENGLISH
    listed = stop_words if is_short else function_words
    having = _languages_with(candidates, listed)
    hits = Counter(chain.from_iterable(having.get(word, ()) for word in words))
    best = max(candidates, key=hits.__getitem__)
    least = hits[default] + (SHORT_MARGIN if is_short else MARGIN) * len(words)
    is_clear = hits[best] >= least and len(listed(best).intersection(words)) >= FEWEST
    return best if is_clear else default


@cache
def _languages_with(
    candidates: tuple[str, ...], listed: Callable[[str], Collection[str]]
) -> Mapping[str, Sequence[str]]:
    """The languages by word of their lists."""
    return grouped((word, code) for code in candidates for word in listed(code))


@cache
def function_words(code: str) -> frozenset[str]:
    """The words that identify a language: its stop words of at most four letters."""
    return frozenset(word for word in stop_words(code) if len(word) <= 4)


@cache
def stop_words(code: str) -> frozenset[str]:
    """Stop words of a language, lower-cased; none if it has no list.

    Source: stopwords-iso, by ISO 639-1 code.
    """
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(code)) if stopwordsiso.has_lang(code) else frozenset()


def name_of(code: str) -> str:
    """The language's name in English."""
    return NAMES.get(code, code)
