"""What a reading of a part tells of it, for whoever puts the parts together."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairbrief.readers.record_places import RecordPlaces
from fairbrief.text.hashes import hash_of_documents, hash_of_name
from fairbrief.types import Record

KEPT = 1_000
"""Messages about what was left out that are kept; all are counted."""
OF_EACH = 4
"""Numbers that are noted of each summary."""
MIXED = np.uint64(0x9E3779B97F4A7C15)
"""Odd, so that ids of one system stay as far apart as they are when each is multiplied by it."""


@dataclass(slots=True)
class PartTally:
    """Counts of a part, its messages, and of each summary three hashes and its place."""

    rows: int = 0
    summaries: int = 0
    wanted: int = 0
    unwanted: int = 0
    skipped_count: int = 0
    skipped: list[str] = field(default_factory=list)
    keys: array[int] = field(default_factory=lambda: array("q"))
    """Of each summary four numbers: hashes of the system, of the id, of the texts; where its row begins (`Meter.row`)."""
    sources: array[int] = field(default_factory=lambda: array("i"))
    """Of several parts, the source that each summary's row stands in."""
    clusters: array[int] = field(default_factory=lambda: array("q"))
    """Two hashes of each record that varies one and names its cluster: of the original, of the cluster."""
    blank: int = 0
    """Documents that had no text and were left out."""
    lines: int = 0
    """Lines of the part itself, where it has lines; of several parts none."""

    def add(self, other: PartTally, source: int) -> None:
        """Take in what was told of the next part, which is one of this source."""
        self.rows += other.rows
        self.summaries += other.summaries
        self.wanted += other.wanted
        self.unwanted += other.unwanted
        self.skipped_count += other.skipped_count
        self.skipped += other.skipped[: KEPT - len(self.skipped)]
        self.blank += other.blank
        self.keys += other.keys
        self.sources += array("i", [source]) * (len(other.keys) // OF_EACH)
        self.clusters += other.clusters

    def note(self, record: Record, system: str, texts: Sequence[str], start: int) -> None:
        """Note a summary and where its row begins; ``texts`` are those of the record's documents. Alike in every process."""
        self.keys.extend((hash_of_name(system), hash_of_name(record.id), hash_of_documents(*texts), start))
        if record.cluster_by is not None and record.original is not None:
            self.clusters.extend((hash_of_name(record.original), hash_of_name(record.cluster)))

    def has_repeats(self) -> bool:
        """Whether the input is wrong: a system has an id twice, an id several texts, or an original several clusters."""
        systems, ids, texts, _ = np.frombuffer(self.keys, dtype=np.uint64).reshape(-1, OF_EACH).T
        clusters = np.frombuffer(self.clusters, dtype=np.uint64).reshape(-1, 2)
        return _has_equal(systems + ids * MIXED) or _has_several(ids, texts) or _has_several(*clusters.T)

    def places(self) -> RecordPlaces:
        """Where the records stand that were noted, of parts that were added in the order of the input."""
        _, ids, _, starts = np.frombuffer(self.keys, dtype=np.int64).reshape(-1, OF_EACH).T
        return RecordPlaces.in_order(ids, np.frombuffer(self.sources, dtype=np.int32), starts)


def _has_equal(numbers: NDArray[np.uint64]) -> bool:
    return bool(_alike(np.sort(numbers)).any())


def _has_several(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> bool:
    """Whether a first number has several second ones."""
    order = np.argsort(first)
    is_same, second = _alike(first[order]), second[order]
    return bool((is_same & ~_alike(second)).any())


def _alike(numbers: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each is as the one before it, but for the first."""
    return np.asarray(numbers[1:] == numbers[:-1])
