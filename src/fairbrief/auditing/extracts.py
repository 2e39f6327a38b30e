"""Random extracts: sentences drawn at random from the sources, up to the length of the summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import RequestError
from fairbrief.measures.record_texts import source_sentences
from fairbrief.statistics.arrays import weight_before
from fairbrief.statistics.keyed_random import keys_of, random_fractions
from fairbrief.types import Cases, Extracts, Floats, Integers, Reason, Record

N_EXTRACTS = 200
"""Extracts of each record and length, where the scorer holds no model."""
AT_ONCE = 1 << 18
"""Random numbers that are drawn together."""
COMPARED = 6
"""Up to this many sentences, pairwise comparison is faster than sorting."""
MOST_PAIRS = 1 << 24
"""Pairs of a sentence and a document of one record that are scored for its random extracts without being asked for."""
AS_LONG = Reason("the summary is as long as its source")
NO_SENTENCE = Reason("the source has no sentence")


def refuse_too_large(records: Iterable[Record]) -> None:
    """RequestError for a very large record: each of its sentences would be scored with each document."""
    for record in records:
        # About twenty words a sentence, or fewer in short texts: the order of magnitude, without reading them.
        pairs = sum(max(1, len(d.text) // 80) for d in record.documents) * len(record.documents)
        if pairs > MOST_PAIRS:
            raise RequestError(
                f"{record.where or 'input'} (id '{record.id}', {len(record.documents):,} documents): its random sentences would be "
                f"scored in about {pairs:,.0f} pairs of a sentence and a document, and no more than {MOST_PAIRS:,} are without "
                f"being asked for. Leave extracts out (--extracts 0), ask for them (--extracts {N_EXTRACTS}), or cut the record "
                "into several."
            )


@dataclass
class ExtractDraws:
    """The random extracts of records. They depend only on the record's id, the seed and the length.

    Sentences are taken in random order until the summary's number of words is reached. The sentence that
    crosses it is taken with probability (words still missing) / (its words), so that extracts have the
    length of the summary on average. At least one sentence is taken. Systems share the orders.
    """

    n: int
    seed: int
    _known: dict[str, tuple[tuple[str, ...], list[int]]] = field(default_factory=dict)
    """By record its sentences, and how many words each has."""
    _drawn: dict[tuple[str, int], Extracts | Reason] = field(default_factory=dict)

    def extracts_of(self, units: Sequence[Cases]) -> list[Sequence[Extracts] | Reason]:
        """The extracts of each unit's records, as long as its summaries; records of as many sentences are drawn together."""
        keys, waiting = list[list[tuple[str, int]]](), dict[int, dict[tuple[str, int], None]]()
        for cases in units:
            keys.append([(case.record.id, len(case.summary.text.split())) for case in cases])
            for case, key in zip(cases, keys[-1], strict=True):
                if key in self._drawn:
                    continue
                if key[0] not in self._known:
                    sentences = source_sentences(case.record)
                    self._known[key[0]] = sentences, [len(sentence.split()) for sentence in sentences]
                _, lengths = self._known[key[0]]
                if key[1] >= sum(lengths):
                    self._drawn[key] = AS_LONG if lengths else NO_SENTENCE
                else:
                    waiting.setdefault(len(lengths), {})[key] = None
        for alike in waiting.values():
            self._draw(list(alike))
        found: list[Sequence[Extracts] | Reason] = []
        for own in keys:
            drawn = [self._drawn[key] for key in own]
            reasons = [extracts for extracts in drawn if isinstance(extracts, Reason)]
            found.append(reasons[0] if reasons else [e for e in drawn if isinstance(e, Extracts)])
        return found

    def _draw(self, keys: Sequence[tuple[str, int]]) -> None:
        """Draw the extracts of records with equal numbers of sentences, for given numbers of words."""
        sentences = len(self._known[keys[0][0]][0])
        step = max(1, AT_ONCE // (self.n * (sentences + 1)))
        for start in range(0, len(keys), step):
            part = keys[start : start + step]
            numbers = random_fractions(
                keys_of([record for record, _ in part], self.seed, "extracts"), self.n * (sentences + 1)
            )
            kept = kept_sentences(
                numbers.reshape(len(part), self.n, -1),
                np.array([self._known[record][1] for record, _ in part])[:, np.newaxis],
                np.array([words for _, words in part])[:, np.newaxis, np.newaxis],
            )
            for key, own in zip(part, kept, strict=True):
                self._drawn[key] = Extracts(self._known[key[0]][0], own)


def kept_sentences(numbers: Floats, lengths: Integers, words: Integers | int) -> Floats:
    """Which sentences each extract keeps, 0 or 1. Shape (…, S).

    Shapes: ``numbers`` (…, S + 1), an order and a coin; ``lengths`` (…, S), all above 0, and ``words`` (…, 1) broadcast to it.
    """
    order, coin = numbers[..., :-1], numbers[..., -1:]
    own = np.broadcast_to(lengths, order.shape)
    if order.shape[-1] <= COMPARED:
        place = np.ascontiguousarray(np.moveaxis(order, -1, 0))
        before = np.moveaxis(weight_before(place, np.moveaxis(own, -1, 0)), 0, -1)
        return np.asarray(_fits(before, own, words, coin), dtype=np.float64, order="C")
    most = 1 + (np.cumsum(np.sort(lengths, axis=-1), axis=-1) <= words).sum(axis=-1).max()  # of the shortest
    places = np.argsort(order, axis=-1)[..., :most]
    own = np.take_along_axis(own, places, axis=-1)
    n = _fits(np.cumsum(own, axis=-1) - own, own, words, coin).sum(axis=-1, keepdims=True)
    last = np.take_along_axis(order, np.take_along_axis(places, n - 1, axis=-1), axis=-1)
    return np.asarray(order <= last, dtype=np.float64)


def _fits(before: Integers, own: Integers, words: Integers | int, coin: Floats) -> NDArray[np.bool_]:
    """Whether a sentence is taken after ``before`` words of others. A sentence that fits is always taken."""
    return np.asarray((words - before > coin * own) | (before == 0))
