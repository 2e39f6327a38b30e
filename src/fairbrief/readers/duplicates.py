"""Which ids have been read, and where: the only thing about a record that is kept; and what is wrong where one comes again."""

from __future__ import annotations

from typing import NamedTuple

from fairbrief.errors import DataError
from fairbrief.readers.messages import fault

BITS = (1 << 60) - 1
"""Sixty bits: as many as a Python integer holds in two digits. Among a million ids, the chance that
any two share them is under one in a million."""
TEXT_BITS = 24
"""Bits kept of a record's texts: other texts are taken for the same once in sixteen million records."""
TEXTS = (1 << TEXT_BITS) - 1


def hash_of(ident: str, system: str) -> int:
    """A number that stands for an id of one system, in this process."""
    return hash((ident, system)) & BITS


class EarlierPlace(NamedTuple):
    """Where an id was read before: its source and row, and whether its documents were the same."""

    source: int
    number: int
    is_same: bool


class KnownIds:
    """The ids of each system, by hash, with the source and the row where each was first read, and a hash of its texts."""

    def __init__(self, sources: int) -> None:
        self.sources = sources
        self.systems: dict[str, None] = {}
        self.places: dict[int, int] = {}

    def first(
        self, ident: str, system: str, source: int, number: int, texts: tuple[str, ...]
    ) -> EarlierPlace | None:
        """Remember an id; where the system had it before, or None if it is new to it. ``texts`` are of its documents."""
        key = hash((ident, system)) & BITS
        known = self.places.get(key)
        if known is not None:
            return self._before(known, texts)
        if system not in self.systems:
            self.systems[system] = None
        self.places[key] = (number * self.sources + source) << TEXT_BITS | hash(texts) & TEXTS
        return None

    def of_another_system(
        self, ident: str, system: str, texts: tuple[str, ...]
    ) -> tuple[str, EarlierPlace] | None:
        """The first system, if any, that had the id before, and where."""
        for other in self.systems:
            if other != system and (known := self.places.get(hash_of(ident, other))) is not None:
                return other, self._before(known, texts)
        return None

    def _before(self, known: int, texts: tuple[str, ...]) -> EarlierPlace:
        place = known >> TEXT_BITS
        return EarlierPlace(place % self.sources, place // self.sources, known & TEXTS == hash(texts) & TEXTS)


WANTED = "each record once for a system"


def repeated_id(system: str, place: str, *, is_same: bool, absent: str = "") -> DataError:
    """A second summary by a system of the record at ``place``, of the same documents or of others.

    ``absent`` is the field that names systems, where no row has it.
    """
    found = f"this id of the system {system!r} a second time, after {place}"
    if not is_same:
        return fault(
            f"{found}, with other documents",
            WANTED,
            "where each row is one document of its record, say --group-by with the field of the record's id; else "
            "name the field that tells the records apart with --id-field ('' numbers the rows)",
        )
    if absent:
        return fault(
            f"{found}; no row has the field {absent!r}",
            WANTED,
            "name the field that says which system wrote a summary with --system-field, or remove one",
        )
    return fault(found, WANTED, "name the system of one of them, or remove it")


def other_documents(system: str, place: str) -> DataError:
    """Documents that differ from those that another system has under this id at ``place``."""
    return fault(
        f"other documents than at {place}, where the system {system!r} has this id",
        "the same documents under an id, whichever system summarized them",
        "name the field that tells the records apart with --id-field, or audit the files apart",
    )
