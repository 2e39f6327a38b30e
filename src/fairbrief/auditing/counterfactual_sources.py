"""A sample of the sources that an audit reads, kept while they pass."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate

from fairbrief.types import Case, Record

SOURCES = 200
"""Originals that are sampled: enough to see, four times in five, a difference of a fifth of its standard deviation over sources."""
CHARACTERS = 500_000
"""Of these sources, so that a check that was not asked for takes a second or two."""


@dataclass(slots=True)
class Sources:
    """A uniform sample of at most ``most`` originals, one record of each; the same in any order of the input."""

    most: int
    seed: int
    characters: float = math.inf
    _kept: dict[str, Record] = field(default_factory=dict)
    _ranks: list[tuple[int, str]] = field(default_factory=list)

    def watch(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases as they come, their records considered."""
        for case in cases:
            self.consider(case.record)
            yield case

    def consider(self, record: Record) -> None:
        """Keep the record if its original has one of the smallest ranks so far."""
        original = record.original_id
        known = self._kept.get(original)
        if known is not None:
            if record.id < known.id:
                self._kept[original] = record
            return
        digest = blake2b(f"{self.seed}|{original}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        rank = -int.from_bytes(digest, "big")
        if len(self._ranks) < self.most:
            heapq.heappush(self._ranks, (rank, original))
        elif rank > self._ranks[0][0]:
            del self._kept[heapq.heapreplace(self._ranks, (rank, original))[1]]
        else:
            return
        self._kept[original] = record

    def empty(self) -> Sources:
        """A sample of the same kind that holds nothing yet."""
        return Sources(self.most, self.seed, self.characters)

    def merge(self, other: Sources) -> None:
        """Consider what was sampled of other records."""
        for record in other._kept.values():
            self.consider(record)

    def records(self) -> list[Record]:
        """The kept records in the order of their ranks, up to ``characters`` of text."""
        ranked = [self._kept[original] for _, original in sorted(self._ranks, reverse=True)]
        lengths = accumulate(sum(len(d.text) for d in record.documents) for record in ranked)
        return [
            r
            for r, length in zip(ranked, lengths, strict=True)
            if length <= self.characters or r is ranked[0]
        ]


def sample(seed: int, *, wanted: bool | None) -> Sources:
    """An empty sample; one for a check that was not asked for is limited in its characters, too."""
    return Sources(SOURCES, seed, math.inf if wanted else CHARACTERS)
