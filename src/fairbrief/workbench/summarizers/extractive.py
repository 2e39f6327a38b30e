"""Summarizers that copy sentences and need no model: the first, the last, the most central."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.specs import spell
from fairbrief.text.function_words import FUNCTION_WORDS
from fairbrief.text.sentences import split
from fairbrief.types import Floats, Record, Summary


class Extractive(ABC):
    """Copies sentences of a record; which, and in which order, `chosen` says."""

    __repr__ = spell

    @abstractmethod
    def chosen(self, record: Record) -> Iterable[int]:
        """The numbers of the sentences; one beyond the last is left out."""

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order; without any sentence the reason is ``empty``."""
        for record in records:
            sentences = sentences_of(record)
            text = " ".join(sentences[i] for i in self.chosen(record) if i < len(sentences))
            yield Summary(
                record.id, repr(self), text, reason="" if text else "empty", made={"summarizer": repr(self)}
            )


@dataclass(frozen=True, repr=False)
class OfSentences(Extractive):
    """Copies so many sentences."""

    sentences: int = 3

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise ValueError(f"sentences={self.sentences} is not a positive number")


@dataclass(frozen=True, repr=False)
class Lead(OfSentences):
    """The first ``sentences`` sentences of the record, in their order."""

    name: ClassVar[str] = "lead"

    def chosen(self, record: Record) -> Iterable[int]:  # noqa: ARG002 - the first, whatever they say
        return range(self.sentences)


@dataclass(frozen=True, repr=False)
class Tail(OfSentences):
    """The last ``sentences`` sentences of the record, in their order."""

    name: ClassVar[str] = "tail"

    def chosen(self, record: Record) -> Iterable[int]:
        n = len(sentences_of(record))
        return range(max(0, n - self.sentences), n)


@dataclass(frozen=True, repr=False)
class LexRank(OfSentences):
    """The ``sentences`` most central sentences, in the order of the record.

    Sentences are nodes; an edge's weight is the cosine of their TF-IDF vectors (fitted on the record alone) if
    it exceeds ``threshold``; centrality is the stationary distribution of a walk that follows edges by weight
    and jumps anywhere with probability ``damping``. Ties: the earlier sentence.

    Source: Erkan & Radev, LexRank, 2004 (continuous variant, Eq. 8).
    """

    name: ClassVar[str] = "lexrank"
    threshold: float = 0.1
    damping: float = 0.15

    def __post_init__(self) -> None:
        OfSentences.__post_init__(self)
        if not 0 < self.damping < 1:
            raise ValueError(f"damping={self.damping} is not between 0 and 1")

    def chosen(self, record: Record) -> Iterable[int]:
        scores = centrality(sentences_of(record), self.threshold, self.damping)
        # Rounded, so that ties are ties: the last bits of a power iteration decide nothing.
        best = sorted(range(len(scores)), key=lambda i: (-round(float(scores[i]), 12), i))
        return sorted(best[: self.sentences])


def sentences_of(record: Record) -> list[str]:
    """The sentences of all documents of a record, in order."""
    return [sentence for document in record.documents for sentence in split(document.text)]


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
