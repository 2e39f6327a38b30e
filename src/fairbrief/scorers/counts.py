"""Cosine of word counts: how alike two texts are, words being equal or not."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from fairbrief.errors import MissingExtra
from fairbrief.nouns import Ask, Floats, Integers, Scores
from fairbrief.spelling import spell
from fairbrief.text.function_words import FUNCTION_WORDS

_WORD = re.compile(r"\w+")
SEPARATOR = "\x1f"
"""Stands between texts that are read together; ASCII's own, which no writer uses."""
_SPACED = {
    code: " "
    for code in range(128)
    if not (chr(code).isalnum() or chr(code) == "_" or chr(code) == SEPARATOR)
}

Numbered = tuple[Integers, Integers]
"""The words of several texts by number, one text after the other, and how many each text has."""


@dataclass(frozen=True, repr=False)
class Counts:
    """Cosine of count vectors of lower-cased words of two letters or more, stop words left out.

    The vocabulary is each ask's own, so nothing is learned from other records. In [0, 1]; 0 where a text
    has no counted word. ``sizes`` are the counted words of the rows.
    ``stop_words``: ``own`` (English function words), ``none``, or ``sklearn`` (that library's English list, which
    the release of Steen & Markert counts with).
    """

    name: ClassVar[str] = "counts"
    stop_words: str = "own"

    def __post_init__(self) -> None:
        if self.stop_words not in ("own", "none", "sklearn"):
            raise ValueError(f"stop_words={self.stop_words} is not one of own, none, sklearn")

    def __repr__(self) -> str:
        return spell(self)

    @property
    def fingerprint(self) -> str:
        return f"{self!r} version=1"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """The cosines of each ask's rows with its columns."""
        stop = _stop_words(self.stop_words)
        for ask in asks:
            # The vocabulary numbers words as they come: looking one up that is not there adds it.
            vocabulary: defaultdict[str, int] = defaultdict()
            vocabulary.default_factory = vocabulary.__len__
            is_square = ask.columns == ask.rows
            rows = _numbered(ask.rows, vocabulary)
            columns = rows if is_square else _numbered(ask.columns, vocabulary)
            left_out = [number for word, number in vocabulary.items() if word in stop or len(word) < 2]
            counts = _dense(rows, len(vocabulary), left_out)
            left = _unit(counts)
            right = left if is_square else _unit(_dense(columns, len(vocabulary), left_out))
            yield Scores(left @ right.T, np.arange(len(ask.columns)), counts.sum(axis=1))


def _numbered(texts: Sequence[str], vocabulary: defaultdict[str, int]) -> Numbered:
    words = list(_words(texts))
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    flat = map(vocabulary.__getitem__, itertools.chain.from_iterable(words))
    return np.fromiter(flat, np.int64, int(lengths.sum())), lengths


def _words(texts: Sequence[str]) -> Iterable[list[str]]:
    """The runs of letters, digits and underscores of each text, in lower case.

    Texts of ASCII alone, most summaries, are read together: a table and a split are faster than a search.
    """
    whole = SEPARATOR.join(texts)
    if whole.isascii() and whole.count(SEPARATOR) == len(texts) - 1:
        return map(str.split, whole.lower().translate(_SPACED).split(SEPARATOR))
    return (_WORD.findall(text.lower()) for text in texts)


def _dense(texts: Numbered, width: int, left_out: Sequence[int]) -> Floats:
    """Occurrences of each word in each text, those left out at zero. Shape (texts, width)."""
    numbers, lengths = texts
    owner = np.repeat(np.arange(len(lengths)) * width, lengths)
    counts = np.bincount(owner + numbers, minlength=len(lengths) * width).reshape(len(lengths), width)
    counts[:, left_out] = 0
    return counts.astype(float)


def _unit(vectors: Floats) -> Floats:
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    norms[norms == 0] = 1
    scaled: Floats = vectors / norms[:, None]
    return scaled


@cache
def _stop_words(name: str) -> frozenset[str]:
    if name == "own":
        return FUNCTION_WORDS
    if name == "none":
        return frozenset()
    try:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
    except ImportError as error:
        raise MissingExtra("scikit-learn", "people", "counts(stop_words=sklearn)") from error
    return frozenset(ENGLISH_STOP_WORDS)
