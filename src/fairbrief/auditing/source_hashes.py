"""A hash of every record's documents: by it a later comparison sees that a text changed under the same id."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from fairbrief.reports.frames import numbers
from fairbrief.types import Case, Record

MANY = 1 << 20
"""Pairs that are held before those of one record are made one."""


def hash_of(*texts: str) -> int:
    """Eight bytes of a hash, as a signed number: the same in every process."""
    found = hashlib.blake2b(digest_size=8)
    for text in texts:
        found.update(text.encode("utf-8", "surrogatepass"))
        found.update(b"\0")
    return int.from_bytes(found.digest(), "big", signed=True)


@dataclass(slots=True)
class SourceHashes:
    """Pairs of hashes, of a record's id and of its documents; sixteen bytes a record."""

    _pairs: array[int] = field(default_factory=lambda: array("q"))

    def watch(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases as they come, each record noted."""
        for case in cases:
            self._note(case.record)
            yield case

    def merge(self, other: SourceHashes) -> None:
        """Take in the pairs of other records."""
        self._pairs.extend(other._pairs)

    def table(self) -> pa.Table:
        """Columns ``record`` and ``documents`` (int64), one row per record."""
        self._tidy()
        found = np.frombuffer(self._pairs, dtype=np.int64).reshape(-1, 2)
        return pa.table({"record": numbers(found[:, 0].copy()), "documents": numbers(found[:, 1].copy())})

    def _note(self, record: Record) -> None:
        self._pairs.extend((hash_of(record.id), hash_of(*(d.text for d in record.documents))))
        if len(self._pairs) % (2 * MANY) == 0:
            self._tidy()

    def _tidy(self) -> None:
        found = np.frombuffer(self._pairs, dtype=np.int64).reshape(-1, 2)
        unique = np.unique(found, axis=0)
        del found  # an array that is looked at cannot be resized
        self._pairs = array("q", unique.tobytes())
