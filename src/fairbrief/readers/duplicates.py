"""The ids that were read, with their places, and the errors for repeated ids."""

from __future__ import annotations

from typing import NamedTuple

from fairbrief.errors import DataError
from fairbrief.readers.messages import fault

BITS = (1 << 60) - 1
"""Sixty bits, the size of a Python integer of two digits. Among a million ids, the chance of any
collision is below one in a million."""
TEXT_BITS = 24
"""Bits of the hash of a record's texts: different texts collide once in sixteen million records."""
TEXTS = (1 << TEXT_BITS) - 1


def hash_of(ident: str, system: str) -> int:
    """A hash of an id and a system, valid in this process."""
    return hash((ident, system)) & BITS


class EarlierPlace(NamedTuple):
    """The earlier place of an id: source and row, and whether the documents were the same."""

    source: int
    number: int
    is_same: bool


class KnownIds:
    """The ids of each system, by hash, with the source and row of the first occurrence and a hash of its texts."""

    def __init__(self, sources: int) -> None:
        self.sources = sources
        self.systems: dict[str, None] = {}
        self.places: dict[int, int] = {}

    def first(
        self, ident: str, system: str, source: int, number: int, texts: tuple[str, ...]
    ) -> EarlierPlace | None:
        """Add an id; its earlier place for this system, or None if it is new. ``texts`` are those of the documents."""
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
        """The first other system with this id, and its place; None if there is none."""
        for other in self.systems:
            if other != system and (known := self.places.get(hash_of(ident, other))) is not None:
                return other, self._before(known, texts)
        return None

    def _before(self, known: int, texts: tuple[str, ...]) -> EarlierPlace:
        place = known >> TEXT_BITS
        return EarlierPlace(place % self.sources, place // self.sources, known & TEXTS == hash(texts) & TEXTS)


ONCE = "one summary per record and system"


def repeated_id(system: str, place: str, *, is_same: bool, absent: str = "") -> DataError:
    """The error for a second summary by a system of the record at ``place``.

    ``is_same``: with the same documents. ``absent``: the field of systems, if no row has it.
    """
    result = f"this id a second time for the system {system!r}, after {place}"
    if not is_same:
        return fault(
            f"{result}, with other documents",
            ONCE,
            "if each row is one document of its record, give --group-by FIELD with the record's id; otherwise give "
            "--id-field FIELD with a unique id ('' numbers the rows)",
        )
    if absent:
        return fault(
            f"{result}; no row has the field {absent!r}",
            ONCE,
            "give --system-field FIELD with the system of each summary, or remove one of the two",
        )
    return fault(result, ONCE, "correct the system of one of the two, or remove one")


def other_documents(system: str, place: str) -> DataError:
    """The error for documents that differ from those of another system under this id, at ``place``."""
    return fault(
        f"other documents than at {place}, where the system {system!r} has this id",
        "the same documents for all systems of one id",
        "give --id-field FIELD with a unique id, or audit the files separately",
    )
