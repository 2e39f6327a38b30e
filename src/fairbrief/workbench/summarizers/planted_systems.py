"""Summarizers with a known bias, or none by construction: what measures are tried on.

Source: Steen & Markert, §4 and Appendix B. What the paper leaves open is decided here: chosen sentences
stand in the order of the record; ties go to the earlier sentence; short records give what they have.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.text.identifiers import WORD, count_identifiers
from fairbrief.types import Record
from fairbrief.workbench.summarizers.extractive import Extractive, OfSentences, sentences_of

Topic = Literal["sport", "family", "unknown"]

SPORT = frozenset("league season club game win team shot".split())
FAMILY = frozenset("family husband wife father mother children boys girls baby".split())
LENGTHS: dict[Topic, int] = {"family": 1, "unknown": 3, "sport": 6}


@dataclass(frozen=True, repr=False)
class RandomSentences(OfSentences):
    """``sentences`` sentences at random: no bias, whatever the record is about."""

    name: ClassVar[str] = "random"
    seed: int = 0

    def chosen(self, record: Record) -> Iterable[int]:
        return sorted(_shuffled(record, self.seed)[: self.sentences])


@dataclass(frozen=True, repr=False)
class TopicLength(Extractive):
    """Random sentences, one for a family topic, six for sport, else three.

    Biased in what it covers, not in how it speaks of anyone: what word lists compared with a uniform share
    take for a bias against women.
    """

    name: ClassVar[str] = "topic"
    seed: int = 0

    def chosen(self, record: Record) -> Iterable[int]:
        wanted = LENGTHS[topic_of(" ".join(d.text for d in record.documents))]
        return sorted(_shuffled(record, self.seed)[:wanted])


@dataclass(frozen=True, repr=False)
class Sexist(OfSentences):
    """The sentences with most words of one gender.

    ``prefers``: ``topic`` takes male words for sport and female words for family, random sentences for other
    topics (the paper's); ``male`` or ``female`` takes that gender's words whatever the topic.
    """

    name: ClassVar[str] = "sexist"
    prefers: str = "topic"
    seed: int = 0

    def __post_init__(self) -> None:
        OfSentences.__post_init__(self)
        if self.prefers not in ("topic", "male", "female"):
            raise ValueError(f"prefers={self.prefers} is not one of topic, male, female")

    def chosen(self, record: Record) -> Iterable[int]:
        return sorted(self._ranked(record)[: self.sentences])

    def _ranked(self, record: Record) -> Sequence[int]:
        gender = self.prefers
        if gender == "topic":
            topic = topic_of(" ".join(d.text for d in record.documents))
            gender = {"sport": "male", "family": "female", "unknown": ""}[topic]
        if not gender:
            return _shuffled(record, self.seed)
        column = ("female", "male").index(gender)
        counts = [count_identifiers(sentence, "helm")[column] for sentence in sentences_of(record)]
        return sorted(range(len(counts)), key=lambda i: (-counts[i], i))


def topic_of(text: str) -> Topic:
    """``sport`` or ``family``, whichever has more of its words in a text; ``unknown`` on a tie.

    >>> topic_of("The club won the league; his wife cheered.")
    'sport'
    """
    words = [word.lower() for word in WORD.findall(text)]
    sport, family = sum(w in SPORT for w in words), sum(w in FAMILY for w in words)
    if sport == family:
        return "unknown"
    return "sport" if sport > family else "family"


def _shuffled(record: Record, seed: int) -> list[int]:
    """The record's sentence numbers in an order that the seed and the record's id decide."""
    rng = np.random.default_rng([seed, zlib.crc32(record.id.encode("utf-8"))])
    return [int(i) for i in rng.permutation(len(sentences_of(record)))]
