"""Summarizers that copy sentences and need no model: the first, the last, the most central."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.nouns import Floats, Record, Summary
from fairbrief.spelling import spell
from fairbrief.text.function_words import FUNCTION_WORDS
from fairbrief.text.sentences import split


@dataclass(frozen=True, repr=False)
class Lead:
    """The first ``sentences`` sentences of the record, in their order."""

    name: ClassVar[str] = "lead"
    sentences: int = 3

    def __post_init__(self) -> None:
        check_positive("sentences", self.sentences)

    def __repr__(self) -> str:
        return spell(self)

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        for record in records:
            yield extract(self, record, range(self.sentences))


@dataclass(frozen=True, repr=False)
class Tail:
    """The last ``sentences`` sentences of the record, in their order."""

    name: ClassVar[str] = "tail"
    sentences: int = 3

    def __post_init__(self) -> None:
        check_positive("sentences", self.sentences)

    def __repr__(self) -> str:
        return spell(self)

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        for record in records:
            n = len(sentences_of(record))
            yield extract(self, record, range(max(0, n - self.sentences), n))


@dataclass(frozen=True, repr=False)
class LexRank:
    """The ``sentences`` most central sentences, in the order of the record.

    Sentences are nodes; an edge's weight is the cosine of their TF-IDF vectors (fitted on the record alone) if
    it exceeds ``threshold``; centrality is the stationary distribution of a walk that follows edges by weight
    and jumps anywhere with probability ``damping``. Ties: the earlier sentence.

    Source: Erkan & Radev, LexRank, 2004 (continuous variant, Eq. 8).
    """

    name: ClassVar[str] = "lexrank"
    sentences: int = 3
    threshold: float = 0.1
    damping: float = 0.15

    def __post_init__(self) -> None:
        check_positive("sentences", self.sentences)
        if not 0 < self.damping < 1:
            raise ValueError(f"damping={self.damping} is not between 0 and 1")

    def __repr__(self) -> str:
        return spell(self)

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order."""
        for record in records:
            scores = centrality(sentences_of(record), self.threshold, self.damping)
            # Rounded, so that ties are ties: the last bits of a power iteration decide nothing.
            best = sorted(range(len(scores)), key=lambda i: (-round(float(scores[i]), 12), i))
            yield extract(self, record, sorted(best[: self.sentences]))


def sentences_of(record: Record) -> list[str]:
    """The sentences of all documents of a record, in order."""
    return [sentence for document in record.documents for sentence in split(document.text)]


def extract(summarizer: object, record: Record, chosen: Iterable[int]) -> Summary:
    """The chosen sentences, joined by blanks, as a system's summary; without any the reason is ``empty``."""
    sentences = sentences_of(record)
    text = " ".join(sentences[i] for i in chosen if i < len(sentences))
    return Summary(
        record.id,
        repr(summarizer),
        text,
        reason="" if text else "empty",
        made={"summarizer": repr(summarizer)},
    )


def check_positive(setting: str, value: int) -> None:
    """Raise ValueError unless a number of sentences is at least one."""
    if value < 1:
        raise ValueError(f"{setting}={value} is not a positive number")


def centrality(sentences: Sequence[str], threshold: float, damping: float) -> Floats:
    """The stationary distribution of the walk over sentences. Shape (n,); sums to one."""
    n = len(sentences)
    if not n:
        return np.zeros(0)
    similarity = _tfidf_cosine(sentences)
    weights = np.where(similarity > threshold, similarity, 0.0)
    weights[np.diag_indices(n)] = 1.0
    walk = (1 - damping) * weights / weights.sum(axis=1, keepdims=True) + damping / n
    rank = np.full(n, 1 / n)
    # The walk forgets its start by a factor (1 − damping) a step: 1e-14 is reached in a few hundred.
    for _ in range(math.ceil(math.log(1e-14) / math.log(1 - damping))):
        rank = rank @ walk
    return rank


def _tfidf_cosine(sentences: Sequence[str]) -> Floats:
    bags = [
        Counter(w for w in re.findall(r"\w+", sentence.lower()) if w not in FUNCTION_WORDS)
        for sentence in sentences
    ]
    vocabulary = {word: i for i, word in enumerate(dict.fromkeys(w for bag in bags for w in bag))}
    counts = np.zeros((len(bags), len(vocabulary)))
    for i, bag in enumerate(bags):
        for word, count in bag.items():
            counts[i, vocabulary[word]] = count
    holds = (counts > 0).sum(axis=0)
    vectors = counts * (np.log((1 + len(bags)) / (1 + holds)) + 1)
    norms = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    vectors = vectors / np.where(norms == 0, 1, norms)
    cosine: Floats = vectors @ vectors.T
    return cosine
