"""Which ids have been read, and where: the only thing about a record that is kept."""

from __future__ import annotations

BITS = (1 << 60) - 1
"""Sixty bits: as many as a Python integer holds in two digits. Among a million ids, the chance that
any two share them is under one in a million."""


def hash_of(ident: str, system: str) -> int:
    """A number that stands for an id of one system, in this process."""
    return hash((ident, system)) & BITS


class Seen:
    """The ids of each system, by hash, with the source and the row where each was first read."""

    def __init__(self, sources: int) -> None:
        self.sources = sources
        self.places: dict[int, int] = {}

    def first(self, ident: str, system: str, source: int, number: int) -> tuple[int, int] | None:
        """Remember an id; the (source, row) that it was read at before, or None if it is new."""
        key = hash_of(ident, system)
        known = self.places.get(key)
        if known is None:
            self.places[key] = number * self.sources + source
            return None
        return known % self.sources, known // self.sources
