"""The parts in which several readers can read a file at once: where they begin, and the counts of each.

The parts depend only on the file.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import DataError
from fairbrief.readers import json_lines, tables
from fairbrief.readers.field_values import id_of
from fairbrief.readers.fields import ID, find
from fairbrief.readers.files import UTF8, InputFile, Meter, opened
from fairbrief.readers.input_sources import Source
from fairbrief.readers.json_lines import Range
from fairbrief.text.hashes import hash_of_documents, hash_of_name
from fairbrief.types import Record


class RecordPlaces:
    """The places of records, sorted by the hashes of their ids: the number of the file, and the byte or row group.

    ``reading.part(source, (start, start + 1))`` reads a place.
    """

    def __init__(self, places: Iterable[tuple[int, str, int]]) -> None:
        """Source, id and start of every record."""
        numbers = array("q")
        for source, ident, start in places:
            numbers.extend((hash_of_name(ident), source, start))
        rows = np.unique(np.frombuffer(numbers, dtype=np.int64).reshape(-1, 3), axis=0)
        self._ids, self._places = rows[:, 0].copy(), rows[:, 1:]

    def of(self, ident: str) -> list[tuple[int, int]]:
        """Source and start of each place that may have the record; a different id may have the same hash."""
        key = hash_of_name(ident)
        first, last = np.searchsorted(self._ids, key, "left"), np.searchsorted(self._ids, key, "right")
        return [(source, start) for source, start in self._places[first:last].tolist()]


KEPT = 1_000
"""Most messages about excluded rows that are stored; all are counted."""
MIXED = np.uint64(0x9E3779B97F4A7C15)
"""An odd multiplier, so that different ids stay different."""


@dataclass(slots=True)
class PartTally:
    """Counts and messages of a part; per summary three hashes."""

    rows: int = 0
    summaries: int = 0
    wanted: int = 0
    unwanted: int = 0
    skipped_count: int = 0
    skipped: list[str] = field(default_factory=list)
    keys: array[int] = field(default_factory=lambda: array("q"))
    """Three numbers per summary: hashes of the system, of the id and of the texts."""
    clusters: array[int] = field(default_factory=lambda: array("q"))
    """Two hashes per counterfactual that names its cluster: of the seed document, of the cluster."""
    blank: int = 0
    """Number of documents without text, which were excluded."""
    lines: int = 0
    """Number of lines of one part; 0 for several parts."""

    def add(self, other: PartTally) -> None:
        """Add the tally of another part."""
        self.rows += other.rows
        self.summaries += other.summaries
        self.wanted += other.wanted
        self.unwanted += other.unwanted
        self.skipped_count += other.skipped_count
        self.skipped += other.skipped[: KEPT - len(self.skipped)]
        self.blank += other.blank
        self.keys += other.keys
        self.clusters += other.clusters

    def note(self, record: Record, system: str, texts: Sequence[str]) -> None:
        """Add a summary; ``texts`` are those of the record's documents. Equal in every process."""
        self.keys.extend((hash_of_name(system), hash_of_name(record.id), hash_of_documents(*texts)))
        if record.cluster_by is not None and record.seed_document is not None:
            self.clusters.extend((hash_of_name(record.seed_document), hash_of_name(record.cluster)))

    def has_repeats(self) -> bool:
        """Whether the input is inconsistent: a system has an id twice, an id several texts, or a seed document several clusters."""
        systems, ids, texts = np.frombuffer(self.keys, dtype=np.uint64).reshape(-1, 3).T
        clusters = np.frombuffer(self.clusters, dtype=np.uint64).reshape(-1, 2)
        is_twice = _alike(np.sort(systems + ids * MIXED)).any()
        return bool(is_twice) or _has_several(ids, texts) or _has_several(*clusters.T)


def _has_several(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> bool:
    """Whether a first number occurs with several second numbers."""
    order = np.argsort(first)
    is_same, second = _alike(first[order]), second[order]
    return bool((is_same & ~_alike(second)).any())


def _alike(numbers: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each number, from the second, equals its predecessor."""
    return np.asarray(numbers[1:] == numbers[:-1])


def ranges_of(source: Source, id_field: str) -> list[Range] | None:
    """The ranges in which a source can be read; None if it must be read from its beginning, e.g. to number its rows."""
    if source.path is None or source.is_compressed or source.kind not in ("jsonl", "parquet"):
        return None
    if source.encoding != UTF8:
        return None
    first = next((row for _, row in source.rows(Meter()) if isinstance(row, Mapping)), None)
    if first is not None and id_field == ID and ID not in first:
        return None
    if source.kind == "parquet":
        return tables.row_group_ranges(source.path, source.name)
    return json_lines.line_ranges(source.size)


def places_of(source: Source, id_field: str) -> Iterator[tuple[str, int]]:
    """Each row's id with the start of a part that contains it: the first byte of its line, or its row group.

    The source must have ranges. Rows without a readable id are skipped.
    """
    assert source.path is not None
    if source.kind == "parquet":
        yield from _places_in_groups(source.path, id_field)
        return
    is_plain = id_field.isidentifier()
    line: Any = msgspec.defstruct("Id", [("id", Any, msgspec.field(name=id_field))]) if is_plain else Any
    decode = msgspec.json.Decoder(line).decode
    with opened(source.path) as file:
        start = 0
        for content in file:
            try:
                result = decode(content)
                ident = id_of(result.id if is_plain else find(result, id_field))
            except (msgspec.DecodeError, DataError, AttributeError, TypeError, RecursionError):
                pass
            else:
                yield ident, start
            start += len(content)


def _places_in_groups(path: InputFile, id_field: str) -> Iterator[tuple[str, int]]:
    with tables.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            for ident in file.read_row_group(group, columns=[id_field])[id_field].to_pylist():
                with suppress(DataError):
                    yield id_of(ident), group


def part_of(source: Source, part: Range) -> Source:
    """One range of a source, as a source.

    Lines are numbered from the start of the part. The name contains the first byte of the part, from which
    `with_line_numbers` computes the number of the line for messages.
    """
    assert source.path is not None
    if source.kind == "parquet":
        rows = partial(tables.read_parquet, source.path, source.name, part=part)
        return replace(source, rows=rows)
    rows = partial(json_lines.read_lines, source.path, source.name, part=part)
    return replace(source, name=f"{source.name}@{part[0]}" if part[0] else source.name, rows=rows)


def with_line_numbers(message: str, files: Sequence[InputFile]) -> str:
    """The message with places such as ``reviews.jsonl@8388608:12`` as ``reviews.jsonl:4711``.

    ``files`` are the input's. Reads the file up to that byte, and is for errors only.
    """

    def place(found: re.Match[str]) -> str:
        before = json_lines.count_lines(of_name[found[1]], int(found[2]))
        return f"{found[1]}:{before + int(found[3])}"

    of_name = {name: path for path in files for name in (str(path), path.name)}
    known = "|".join(re.escape(name) for name in sorted(of_name, key=len, reverse=True))
    return re.sub(rf"({known})@(\d+):(\d+)", place, message) if known else message
