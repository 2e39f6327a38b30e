"""Cosine of word counts: how alike two texts are, words being equal or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from fairbrief.errors import MissingExtra
from fairbrief.specs import spell
from fairbrief.text.vocabulary import FUNCTION_WORDS
from fairbrief.types import Ask, Floats, Scores

_WORD = re.compile(r"\w+")
SEPARATOR = "\x1f"
"""Stands between texts that are read together; ASCII's own, which no writer uses."""
_SPACED = {code: chr(code).lower() if re.match(rf"\w|{SEPARATOR}", chr(code)) else " " for code in range(128)}


@dataclass(frozen=True, repr=False)
class Counts:
    """Cosine of count vectors of lower-cased words of two letters or more, without stop words.

    Matrix (rows, columns) in [0, 1]; 0 where a text has no counted word. The vocabulary is that of each question, so nothing
    is learned from other records. ``sizes`` counts the words of the rows. ``stop_words``: ``own`` (English function words),
    ``none``, or ``sklearn`` (that library's English list, which the release of Steen & Markert uses).
    """

    name: ClassVar[str] = "counts"
    stop_words: str = "own"

    def __post_init__(self) -> None:
        if self.stop_words not in ("own", "none", "sklearn"):
            raise ValueError(f"stop_words={self.stop_words} is not one of own, none, sklearn")

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        return f"{self!r} version=1"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """The cosines of each ask's rows with its columns."""
        stop = _stop_words(self.stop_words)
        for ask in asks:
            is_square = ask.columns == ask.rows
            counts = _counted(ask.rows if is_square else ask.rows + ask.columns, stop)
            vectors = _unit(counts)
            size = len(ask.rows)
            left, right = vectors[:size], vectors if is_square else vectors[size:]
            yield Scores(left @ right.T, np.arange(len(ask.columns)), counts[:size].sum(axis=1))


def _counted(texts: Sequence[str], stop: frozenset[str]) -> Floats:
    """Occurrences of each word that counts in each text. Shape (texts, words)."""
    import pyarrow as pa
    from pyarrow import compute

    words = compute.ascii_split_whitespace(pa.array(_spaced(texts), pa.string()))
    numbered = words.values.dictionary_encode()
    vocabulary, size = numbered.dictionary.to_pylist(), (len(texts), len(numbered.dictionary))
    owner = np.repeat(np.arange(len(texts)) * size[1], np.diff(words.offsets))
    counts = np.bincount(owner + numbered.indices.to_numpy(), minlength=size[0] * size[1]).reshape(size)
    kept = [number for number, word in enumerate(vocabulary) if len(word) > 1 and word not in stop]
    return counts[:, kept].astype(float)


def _spaced(texts: Sequence[str]) -> list[str]:
    """The runs of letters, digits and underscores of each text, in lower case, with spaces between.

    Texts of ASCII alone, most summaries, are read together: a table is faster than a search.
    """
    whole = SEPARATOR.join(texts)
    if whole.isascii() and whole.count(SEPARATOR) == len(texts) - 1:
        return whole.translate(_SPACED).split(SEPARATOR)
    return [" ".join(_WORD.findall(text.lower())) for text in texts]


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
