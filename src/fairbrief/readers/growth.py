"""Limits of the memory that the values of a Parquet or Arrow file may take, checked before they are unpacked."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fairbrief.errors import DataError

FREE = 1 << 28
"""Bytes that the values of any file may take."""
MOST_TIMES = 1_000
"""Above `FREE`, how many times the bytes of the file they may take; tables of texts take less than a hundred times."""
VALUE = 32
"""Bytes of a value in Python, without those of a text."""
MOST_COLUMNS = 10_000
SUSPECT = 1 << 21
"""Bytes of a column from which its dictionary may hold a long text that many rows repeat."""
ROWS = 256
"""Rows in memory at a time."""


@dataclass(slots=True)
class Growth:
    """The bytes that the values of a file take, so far."""

    name: str
    size: int
    unpacked: int = 0

    def add(self, unpacked: int) -> None:
        """Add values; DataError if they are too many for the file."""
        self.unpacked += unpacked
        if self.unpacked > max(FREE, MOST_TIMES * self.size):
            raise DataError(
                f"{self.name}: found values of {self.unpacked >> 20:,} MiB or more in a file of {self.size:,} bytes; expected at "
                f"most {MOST_TIMES:,} times the file, since this one could fill the memory; write it as JSON Lines."
            )

    def columns(self, many: int) -> None:
        """DataError for too many columns; nested fields count, too."""
        if many > MOST_COLUMNS:
            raise DataError(
                f"{self.name}: found {many:,} columns; expected at most {MOST_COLUMNS:,}; write only those that the audit needs, or one "
                "row per value."
            )

    def row_group(self, group: Any) -> int:
        """Add a row group of a Parquet file by its metadata; returns how many rows may be in memory at a time."""
        self.add(group.num_rows * VALUE)
        rows = ROWS
        for i in range(group.num_columns):
            column = group.column(i)
            packed, unpacked = column.total_compressed_size, column.total_uncompressed_size
            self.add(unpacked + column.num_values * VALUE)
            start = column.dictionary_page_offset
            is_long = start is not None and column.data_page_offset - start > SUSPECT
            if start is not None and unpacked > SUSPECT and (is_long or unpacked > 100 * packed):
                rows = min(rows, max(1, FREE // unpacked))
        return rows


def arrow_messages(source: Any, start: int) -> Iterator[int]:
    """The bytes that the values of each message of an Arrow stream take, from its header and the sizes before its buffers.

    Raises struct.error for invalid headers.
    """
    source.seek(start)
    while len(mark := source.read(4)) == 4:
        if mark == b"\xff\xff\xff\xff":  # absent before Arrow 0.15
            mark = source.read(4)
        if not (length := _u32(mark, 0)):
            return
        metadata, body = source.read(length), source.tell()
        message = _Table(metadata, _u32(metadata, 0))
        kind = message.number("<B", 1)
        if kind in (DICTIONARY, BATCH):
            batch = message.table(2)
            yield _unpacked(source, body, batch.table(1) if kind == DICTIONARY else batch)
        source.seek(body + message.number("<q", 3))


DICTIONARY, BATCH = 2, 3
"""The kinds of messages with values, in Arrow's format."""


def _unpacked(source: Any, body: int, batch: _Table) -> int:
    """The bytes of a batch: of its values in Python, and of its buffers, each of which begins with its size if it is packed."""
    total = VALUE * (batch.number("<q", 0) + sum(many for many, _ in batch.pairs(1)))
    is_packed = batch.place(3) is not None
    for offset, size in batch.pairs(2):
        total += size
        if is_packed and size >= 8:
            source.seek(body + offset)
            total += max(0, struct.unpack("<q", source.read(8))[0])
    return total


@dataclass(frozen=True, slots=True)
class _Table:
    """A table in the format of flatbuffers."""

    data: bytes
    at: int

    def place(self, field: int) -> int | None:
        """The place of a field; None if it is absent."""
        (back,) = struct.unpack_from("<i", self.data, self.at)
        entries = self.at - back
        (size,) = struct.unpack_from("<H", self.data, entries)
        if 4 + 2 * field >= size:
            return None
        (offset,) = struct.unpack_from("<H", self.data, entries + 4 + 2 * field)
        return self.at + offset if offset else None

    def number(self, kind: str, field: int) -> int:
        """A number; 0 if it is absent."""
        place = self.place(field)
        return 0 if place is None else int(struct.unpack_from(kind, self.data, place)[0])

    def table(self, field: int) -> _Table:
        """A table inside this one."""
        place = self.place(field)
        if place is None:
            raise struct.error("a table is absent")
        return _Table(self.data, place + _u32(self.data, place))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """A list of pairs of numbers."""
        if (place := self.place(field)) is not None:
            start = place + _u32(self.data, place)
            for i in range(_u32(self.data, start)):
                first, second = struct.unpack_from("<qq", self.data, start + 4 + 16 * i)
                yield first, second


def _u32(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])
