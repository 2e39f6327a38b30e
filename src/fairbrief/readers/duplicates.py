"""Which ids have been read, and where: the only thing about a record that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairbrief.types import Document

BITS = (1 << 60) - 1
"""Sixty bits: as many as a Python integer holds in two digits. Among a million ids, the chance that
any two share them is under one in a million."""
TEXT_BITS = 24
"""Bits kept of a record's texts: other texts are taken for the same once in sixteen million records."""


def hash_of(ident: str, system: str) -> int:
    """A number that stands for an id of one system, in this process."""
    return hash((ident, system)) & BITS


class Before(NamedTuple):
    """Where an id was read before: its source and row, and whether its documents were the same."""

    source: int
    number: int
    is_same: bool


class Seen:
    """The ids of each system, by hash, with the source and the row where each was first read, and a hash of its texts."""

    def __init__(self, sources: int) -> None:
        self.sources = sources
        self.systems: dict[str, None] = {}
        self.places: dict[int, int] = {}

    def first(
        self, ident: str, system: str, source: int, number: int, documents: Sequence[Document]
    ) -> Before | None:
        """Remember an id; where the system had it before, or None if it is new to it."""
        key = hash_of(ident, system)
        known = self.places.get(key)
        texts = _hash_of_texts(documents)
        if known is None:
            self.systems.setdefault(system)
            self.places[key] = (number * self.sources + source) << TEXT_BITS | texts
            return None
        return self._before(known, texts)

    def of_another_system(
        self, ident: str, system: str, documents: Sequence[Document]
    ) -> tuple[str, Before] | None:
        """The first system, if any, that had the id before, and where."""
        for other in self.systems:
            if other != system and (known := self.places.get(hash_of(ident, other))) is not None:
                return other, self._before(known, _hash_of_texts(documents))
        return None

    def _before(self, known: int, texts: int) -> Before:
        place = known >> TEXT_BITS
        is_same = known & ((1 << TEXT_BITS) - 1) == texts
        return Before(place % self.sources, place // self.sources, is_same)


def _hash_of_texts(documents: Sequence[Document]) -> int:
    return hash(tuple([d.text for d in documents])) & ((1 << TEXT_BITS) - 1)
