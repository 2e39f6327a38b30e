"""NLTK's cutting of words and sentences as the published numbers were made with it (by the rules of NLTK 3.9.1), on any NLTK.

Three later changes move published figures: words are also cut at long dashes (since 3.9.3) and at every opening
apostrophe (since 3.10.1), and Punkt closes sentences with curly quotes (since 3.10.2). The rules of before are put
in their place, and a few texts whose pieces are known show that no other rule has changed since.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any

from fairbrief.errors import MissingExtra, RequestError

RULES = "3.9.1"
"""The edition of NLTK whose rules these are."""
PUNKT = "tokenizers/punkt_tab/english/"

_OPENING_APOSTROPHE = re.compile(r"(?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b")
"""Parted only from a single letter, anywhere in a word."""
_LONG_DASH = "\u2014"
_CLOSERS = re.compile(r"[\"')\]}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
"""What stands behind a sentence's end and belongs to it: no curly quotes."""
_NOT_IN_WORDS = r"(?:[)\";}\]*:@'({\[?!])"

KNOWN_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "'twas an 'x' in o'clock": "'t was an ' x ' in o'clock",
        "well \u2014 a\u2014b can't, \"won't\" (gonna).": "well \u2014 a\u2014b ca n't , `` wo n't '' ( gon na ) .",
        "$3,000: it's 5%... @you #tag; <b> a--b": "$ 3,000 : it 's 5 % ... @ you # tag ; < b > a -- b",
        "«q» “r” ‘s’ the dogs' u.s. he'd 're": "« q » “ r ” ‘ s ’ the dogs ' u.s. he 'd 're",
    }
)
"""Sentences and their words, joined by blanks, as NLTK 3.9.1 cuts them."""
KNOWN_SENTENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "“He left.” She stayed.": ("“He left.” She stayed.",),
        '"He left." She stayed.': ('"He left."', "She stayed."),
        "Mr. Lee paid $3.50. “Fine!” he said? Yes.": ("Mr. Lee paid $3.50.", "“Fine!” he said?", "Yes."),
    }
)
"""Texts and their sentences, as NLTK 3.9.1 cuts them."""


def edition() -> str:
    """Whose rules cut, and which NLTK is at work."""
    try:
        return f"nltk {version('nltk')}, rules of {RULES}"
    except PackageNotFoundError:
        return "nltk absent"


@cache
def word_cutter() -> Callable[[str], list[str]]:
    """``NLTKWordTokenizer().tokenize`` by the older rules. Raises MissingExtra, or RequestError on a later NLTK."""
    library = _nltk("Cutting words as published")

    class Older(library.tokenize.NLTKWordTokenizer):  # type: ignore[misc, name-defined] # NLTK is untyped
        STARTING_QUOTES = (
            *library.tokenize.NLTKWordTokenizer.STARTING_QUOTES[:-1],
            (_OPENING_APOSTROPHE, r"\1 \2"),
        )
        PUNCTUATION = tuple(
            rule for rule in library.tokenize.NLTKWordTokenizer.PUNCTUATION if not rule[0].search(_LONG_DASH)
        )

    cut: Callable[[str], list[str]] = Older().tokenize
    _check(KNOWN_WORDS, lambda text: " ".join(cut(text)))
    return cut


def punkt() -> Any:
    """NLTK's English Punkt by the older rules. Raises MissingExtra, or RequestError without its data."""
    library = _nltk("Cutting sentences with Punkt")
    try:
        folder = str(library.data.find(PUNKT))
    except LookupError:
        raise RequestError(
            f"Punkt's model '{PUNKT}' is in none of the folders that NLTK looks in. Set NLTK_DATA to a folder "
            "that holds it (python -m nltk.downloader punkt_tab), or cut sentences with sentences=builtin."
        ) from None
    return _punkt(folder)


@cache
def _punkt(folder: str) -> Any:  # noqa: ARG001 - the folder is the key of the cache: another one, another model
    from nltk.tokenize.punkt import PunktLanguageVars, PunktTokenizer

    class Older(PunktLanguageVars):  # type: ignore[misc] # NLTK is untyped
        re_boundary_realignment = _CLOSERS
        _re_non_word_chars = _NOT_IN_WORDS

    tokenizer = PunktTokenizer("english")
    tokenizer._lang_vars = Older()
    _check(KNOWN_SENTENCES, lambda text: tuple(tokenizer.tokenize(text)))
    return tokenizer


def _check(known: Mapping[str, Any], cut: Callable[[str], Any]) -> None:
    """Raise RequestError where this NLTK cuts a known text otherwise."""
    for text, wanted in known.items():
        if (found := cut(text)) != wanted:
            raise RequestError(
                f"NLTK {version('nltk')} cuts {text!r} into {found!r}, where the published numbers were made with "
                f"{wanted!r}. Install an edition that is known: pip install 'nltk>=3.9.1,<=3.10.4'."
            )


def _nltk(reader: str) -> Any:
    try:
        import nltk
        import nltk.data
        import nltk.tokenize
    except ImportError:
        raise MissingExtra("nltk", "nltk", reader) from None
    return nltk
