"""Summarizers that copy sentences without a model: the first, the last, the most central; some with a known bias.

The planted biases are those of Steen & Markert, §4 and Appendix B. Details that the paper leaves open: chosen
sentences are in the order of the record; ties go to the earlier sentence; short records give all of their sentences.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np

from fairbrief.measures.bases import Count
from fairbrief.scorers.word_counts import Entries, Texts, cosines
from fairbrief.specs import CheckedSettings
from fairbrief.text.gendered_words import count_identifiers
from fairbrief.text.segmentation import Rule, plain_words
from fairbrief.text.sentences import split
from fairbrief.text.themes import topic_of
from fairbrief.text.vocabulary import FUNCTION_WORDS
from fairbrief.types import Ask, Floats, Record, Summary


class Extractive(CheckedSettings, ABC):
    """Copies the sentences of a record that `chosen` selects, in the record's order."""

    @abstractmethod
    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:
        """The indices of some of the record's sentences."""

    def summarize(self, records: Iterable[Record]) -> Iterator[Summary]:
        """One summary per record, in order; a record without sentences has the reason ``empty``."""
        for record in records:
            sentences = [sentence for document in record.documents for sentence in split(document.text)]
            text = " ".join(sentences[i] for i in sorted(self.chosen(record, sentences)))
            reason, made = "" if text else "empty", {"summarizer": repr(self)}
            yield Summary(record.id, repr(self), text, reason=reason, made=made)


class OfSentences(Extractive):
    """Copies a fixed number of sentences."""

    sentences: Count = 3


class Lead(OfSentences):
    """The first sentences of the record, in their order; ``sentences`` is their number."""

    name: ClassVar[str] = "lead"

    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:  # noqa: ARG002 - of any record
        return range(len(sentences))[: self.sentences]


class Tail(OfSentences):
    """The last sentences of the record, in their order; ``sentences`` is their number."""

    name: ClassVar[str] = "tail"

    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:  # noqa: ARG002 - of any record
        return range(len(sentences))[-self.sentences :]


class LexRank(OfSentences):
    """The ``sentences`` most central sentences, in the order of the record.

    Sentences are nodes. An edge's weight is the cosine of their TF-IDF vectors (fitted on the record) if it exceeds
    ``threshold``. Centrality is the stationary distribution of a walk that follows edges by weight and jumps anywhere
    with probability ``damping``. Ties: the earlier sentence.

    Source: Erkan & Radev, LexRank, 2004 (continuous variant, Eq. 8).
    """

    name: ClassVar[str] = "lexrank"
    threshold: float = 0.1
    damping: Annotated[float, "(0, 1)"] = 0.15

    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:  # noqa: ARG002 - of any record
        scores = centrality(sentences, self.threshold, self.damping)
        # Rounded, so that rounding errors do not break ties.
        best: list[int] = np.argsort(-scores.round(12), kind="stable").tolist()
        return best[: self.sentences]


def centrality(sentences: Sequence[str], threshold: float, damping: float) -> Floats:
    """The stationary distribution of the walk over sentences. Shape (n,); sums to one."""
    n = len(sentences)
    asked = Texts([Ask("tfidf", tuple(sentences), tuple(sentences))])
    similarity = cosines(Entries(asked, "given", CONTENT)).reshape(n, n)
    weights = np.where(similarity > threshold, similarity, 0.0)
    np.fill_diagonal(weights, 1.0)
    walk = weights / weights.sum(axis=1, keepdims=True)
    return np.linalg.solve(np.eye(n) - (1 - damping) * walk.T, np.full(n, damping / max(n, 1)))


def _content_words(text: str) -> list[str]:
    return [word for word in plain_words(text.lower()) if word not in FUNCTION_WORDS]


CONTENT = Rule(_content_words)


# ---- Summarizers with a known bias, or none by construction, for trying measures


LENGTHS = {"family": 1, "unknown": 3, "sport": 6}


class RandomSentences(OfSentences):
    """``sentences`` random sentences: unbiased, whatever the record's topic."""

    name: ClassVar[str] = "random"
    seed: int = 0

    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:
        return _shuffled(record, sentences, self.seed)[: self.sentences]


class TopicLength(Extractive):
    """Random sentences: one for a family topic, six for sport, otherwise three.

    Its bias is in the topics that it covers, not in its words about anyone. Word lists compared with a uniform share
    report it as a bias against women.
    """

    name: ClassVar[str] = "topic"
    seed: int = 0

    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:
        return _shuffled(record, sentences, self.seed)[: LENGTHS[_topic(record)]]


class Sexist(OfSentences):
    """The sentences with the most words of one gender.

    ``prefers=topic`` takes male words for sport, female words for family, and random sentences for other topics (as
    in the paper). ``male`` or ``female`` takes that gender's words whatever the topic.
    """

    name: ClassVar[str] = "sexist"
    prefers: Literal["topic", "male", "female"] = "topic"
    seed: int = 0

    def chosen(self, record: Record, sentences: Sequence[str]) -> Iterable[int]:
        gender: str = self.prefers
        if gender == "topic":
            gender = {"sport": "male", "family": "female", "unknown": ""}[_topic(record)]
        if not gender:
            return _shuffled(record, sentences, self.seed)[: self.sentences]
        column = ("female", "male").index(gender)
        counts = [count_identifiers(sentence, "helm")[column] for sentence in sentences]
        return sorted(range(len(counts)), key=lambda i: -counts[i])[: self.sentences]


def _topic(record: Record) -> str:
    return topic_of(" ".join(document.text for document in record.documents))


def _shuffled(record: Record, sentences: Sequence[str], seed: int) -> list[int]:
    """The record's sentence indices in an order determined by the seed and the record's id."""
    rng = np.random.default_rng([seed, zlib.crc32(record.id.encode("utf-8"))])
    return [int(i) for i in rng.permutation(len(sentences))]
