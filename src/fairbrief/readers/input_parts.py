"""The ids that were read, with their places; and the parts in which several readers can read a file at once.

The parts depend only on the file.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import DataError
from fairbrief.ranges import distinct
from fairbrief.readers import tables
from fairbrief.readers.field_values import id_of
from fairbrief.readers.fields import ID, find
from fairbrief.readers.files import UTF8, File, Range, endings
from fairbrief.readers.formats import BY_NAME
from fairbrief.readers.input_sources import Source
from fairbrief.readers.messages import fault
from fairbrief.text.hashes import hash_of_name, hash_of_texts
from fairbrief.types import Record

BITS = (1 << 60) - 1
"""Sixty bits, the size of a Python integer of two digits. Among a million ids, the chance of any
collision is below one in a million."""
TEXT_BITS = 24
"""Bits of the hash of a record's texts: different texts collide once in sixteen million records."""
TEXTS = (1 << TEXT_BITS) - 1


def hash_of(ident: str, system: str) -> int:
    """A hash of an id and a system, valid in this process."""
    return hash((ident, system)) & BITS


class KnownIds:
    """The ids of each system, by hash, with the source and row of the first occurrence and a hash of its texts."""

    def __init__(self, sources: Sequence[str]) -> None:
        """``sources`` are the names of the sources."""
        self.sources = sources
        self.systems: dict[str, None] = {}
        self.places: dict[int, int] = {}

    def add(self, ident: str, system: str, texts: tuple[str, ...], source: int, row: int) -> DataError | None:
        """Add a summary of a record. An error if the system has one already, or another system one of other documents.

        ``texts`` are those of the documents, ``source`` and ``row`` are numbers.
        """
        key, hashed = hash_of(ident, system), hash(texts) & TEXTS
        if (known := self.places.get(key)) is not None:
            what = f"this id a second time for the system {system!r}, after {self._place(known)}"
            remedy = "remove one, or give --system-field, another --id-field, or --group-by if each row is one document"
            return fault(what, "one summary per record and system", remedy)
        self.systems.setdefault(system)
        self.places[key] = (row * len(self.sources) + source) << TEXT_BITS | hashed
        for other in self.systems:
            if other != system and (known := self.places.get(hash_of(ident, other))) is not None:
                if known & TEXTS == hashed:
                    break
                what = f"other documents than at {self._place(known)}, where the system {other!r} has this id"
                advice = "give --id-field FIELD with a unique id, or audit the files separately"
                return fault(what, "the same documents for all systems of one id", advice)
        return None

    def _place(self, known: int) -> str:
        number, source = divmod(known >> TEXT_BITS, len(self.sources))
        return f"{self.sources[source]}:{number}"


# ---- Parts of an input.


KEPT = 1_000
"""Most messages about excluded rows that are stored; all are counted."""
MIXED = np.uint64(0x9E3779B97F4A7C15)
"""An odd multiplier, so that different ids stay different."""


@dataclass(slots=True)
class PartTally:
    """What was counted in a part of an input, or in all of it."""

    counts: Counter[str] = field(default_factory=Counter)
    """Numbers of ``rows`` and ``summaries`` that were read, of ``skipped`` ones, and of ``blank`` documents."""
    excluded_by: Counter[str] = field(default_factory=Counter)
    """Option → how many of the skipped rows the user excludes by it."""
    skipped: list[str] = field(default_factory=list)
    """The first messages about skipped rows."""
    keys: array[int] = field(default_factory=lambda: array("q"))
    """Three numbers per summary of a part: hashes of the system, of the id and of the texts."""

    def add(self, other: PartTally) -> None:
        """Add the tally of another part."""
        self.counts.update(other.counts)
        self.excluded_by.update(other.excluded_by)
        self.skipped += other.skipped[: KEPT - len(self.skipped)]
        self.keys += other.keys

    def skip(self, message: str) -> None:
        """Count a skipped row, and store the message if it is among the first."""
        self.counts["skipped"] += 1
        if len(self.skipped) < KEPT:
            self.skipped.append(message)

    def note(self, record: Record, system: str, texts: Sequence[str]) -> None:
        """Add a summary; ``texts`` are those of the record's documents. Equal in every process."""
        self.keys.extend((hash_of_name(system), hash_of_name(record.id), hash_of_texts(*texts)))

    def has_repeats(self) -> bool:
        """Whether the input is inconsistent: a system has an id twice, or an id several texts."""
        systems, ids, texts = np.frombuffer(self.keys, dtype=np.uint64).reshape(-1, 3).T
        summaries, versions = systems + ids * MIXED, texts + ids * MIXED
        return len(distinct(summaries)) < len(ids) or len(distinct(versions)) > len(distinct(ids))


def can_be_divided(source: Source, id_field: str) -> bool:
    """Whether a source can be read from several positions, not only from its beginning, e.g. to number its rows."""
    file, form = source.file, source.format
    if file is None or form is None or form.ranges is None or endings(file.path)[1] or file.encoding != UTF8:
        return False
    first = next((row for _, row in source.read() if isinstance(row, Mapping)), None)
    return first is None or id_field != ID or ID in first


def ranges_of(source: Source) -> list[Range]:
    """The ranges in which a source that can be divided is read."""
    file, form = source.file, source.format
    return [] if file is None or form is None or form.ranges is None else form.ranges(file)


def places_of(sources: Sequence[Source], id_field: str) -> NDArray[np.int64]:
    """The place of each record, with this process's hash of its id: hash, number of the source, and start of its line or row group."""
    numbers = array("q")
    for number, source in enumerate(sources):
        for ident, start in _ids(source, id_field):
            numbers.extend((hash(ident), number, start))
    return np.frombuffer(numbers, dtype=np.int64).reshape(-1, 3)


def _ids(source: Source, id_field: str) -> Iterator[tuple[str, int]]:
    """Each row's id with the start of a part that contains it: the first byte of its line, or its row group.

    The source must have ranges. Rows without a readable id are skipped.
    """
    assert source.file is not None
    if source.format is BY_NAME["parquet"]:
        yield from _ids_in_groups(source.file, id_field)
        return
    is_plain = id_field.isidentifier()
    line: Any = msgspec.defstruct("Id", [("id", Any, msgspec.field(name=id_field))]) if is_plain else Any
    decode = msgspec.json.Decoder(line).decode
    with source.file.opened() as lines:
        start = 0
        for content in lines:
            with suppress(msgspec.DecodeError, DataError, AttributeError, TypeError, RecursionError):
                result = decode(content)
                yield id_of(result.id if is_plain else find(result, id_field)), start
            start += len(content)


def _ids_in_groups(file: File, id_field: str) -> Iterator[tuple[str, int]]:
    with tables.open_parquet(file) as table:
        for group in range(table.num_row_groups):
            for ident in table.read_row_group(group, columns=[id_field])[id_field].to_pylist():
                with suppress(DataError):
                    yield id_of(ident), group
