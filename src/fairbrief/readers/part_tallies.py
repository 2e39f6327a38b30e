"""What a reading of a part tells of it, for whoever puts the parts together."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from fairbrief.types import Record

KEPT = 1_000
"""Messages about what was left out that are kept; all are counted."""


@dataclass(slots=True)
class PartTally:
    """Counts of a part, its messages, and three hashes of each summary: of id and system, of the id, of the texts."""

    rows: int = 0
    summaries: int = 0
    wanted: int = 0
    unwanted: int = 0
    skipped_count: int = 0
    skipped: list[str] = field(default_factory=list)
    keys: array[int] = field(default_factory=lambda: array("Q"))
    clusters: array[int] = field(default_factory=lambda: array("Q"))
    """Two hashes of each record that varies one and names its cluster: of the original, of the cluster."""
    blank: int = 0
    """Documents that had no text and were left out."""
    lines: int = 0
    """Lines of the part itself, where it has lines; of several parts none."""

    def add(self, other: PartTally) -> None:
        """Take in what was told of the next part."""
        self.rows += other.rows
        self.summaries += other.summaries
        self.wanted += other.wanted
        self.unwanted += other.unwanted
        self.skipped_count += other.skipped_count
        self.skipped += other.skipped[: KEPT - len(self.skipped)]
        self.blank += other.blank
        self.keys += other.keys
        self.clusters += other.clusters

    def note(self, record: Record, system: str) -> None:
        """Note a summary; alike in every process."""
        texts = "\0".join([d.text for d in record.documents])
        self.keys.extend(map(_hash_of, (f"{record.id}\0{system}", record.id, texts)))
        if record.cluster_by is not None and record.original is not None:
            self.clusters.extend(map(_hash_of, (record.original, record.cluster)))

    def has_repeats(self) -> bool:
        """Whether the input is wrong: a system has an id twice, an id several texts, or an original several clusters."""
        keys = np.frombuffer(self.keys, dtype=np.uint64).reshape(-1, 3)
        clusters = np.frombuffer(self.clusters, dtype=np.uint64).reshape(-1, 2)
        return _has_equal(keys[:, 0]) or _has_several(*keys.T[1:]) or _has_several(*clusters.T)


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


def _hash_of(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
