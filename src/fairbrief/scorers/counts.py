"""Cosine of word counts: how alike two texts are, words being equal or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.errors import MissingExtra
from fairbrief.nouns import Ask, Floats, Scores
from fairbrief.spelling import spell
from fairbrief.text.function_words import FUNCTION_WORDS

_WORD = re.compile(r"\b\w\w+\b")


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
            vocabulary: dict[str, int] = {}
            rows = _vectors(ask.rows, vocabulary, stop)
            columns = rows if ask.columns == ask.rows else _vectors(ask.columns, vocabulary, stop)
            width = len(vocabulary)
            left, right = _dense(rows, width), _dense(columns, width)
            yield Scores(_unit(left) @ _unit(right).T, np.arange(len(ask.columns)), left.sum(axis=1))


def _vectors(texts: Sequence[str], vocabulary: dict[str, int], stop: frozenset[str]) -> list[list[int]]:
    return [
        [
            vocabulary.setdefault(word, len(vocabulary))
            for word in _WORD.findall(text.lower())
            if word not in stop
        ]
        for text in texts
    ]


def _dense(rows: Sequence[Sequence[int]], width: int) -> Floats:
    flat = [i * width + word for i, row in enumerate(rows) for word in row]
    counts = np.bincount(np.asarray(flat, dtype=np.int64), minlength=len(rows) * width)
    return counts.reshape(len(rows), width).astype(float)


def _unit(vectors: Floats) -> Floats:
    norms = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    scaled: Floats = vectors / np.where(norms == 0, 1, norms)
    return scaled


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
