"""A hash of every record's documents: by it a later comparison sees that a text changed under the same id."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from fairbrief.reports.frames import numbers
from fairbrief.text.hashes import hash_of_documents, hash_of_name
from fairbrief.types import Case, Integers

MANY = 1 << 21
"""Numbers that are held before the pairs of one record are made one."""


@dataclass(slots=True)
class SourceHashes:
    """Pairs of hashes, of a record's id and of its documents; sixteen bytes a record."""

    _pairs: array[int] = field(default_factory=lambda: array("q"))

    def note(self, cases: Sequence[Case]) -> None:
        """Note the records of some cases."""
        before = len(self._pairs) // MANY
        for case in cases:
            record = case.record
            documents = hash_of_documents(*[d.text for d in record.documents])
            self._pairs.extend((hash_of_name(record.id), documents))
        if len(self._pairs) // MANY > before:
            self._tidy()

    def merge(self, other: SourceHashes) -> None:
        """Take in the pairs of other records."""
        self._pairs.extend(other._pairs)

    def table(self) -> pa.Table:
        """Columns ``record`` and ``documents`` (int64), one row per record."""
        self._tidy()
        found = np.frombuffer(self._pairs, dtype=np.int64).reshape(-1, 2)
        return pa.table({"record": numbers(found[:, 0].copy()), "documents": numbers(found[:, 1].copy())})

    def _tidy(self) -> None:
        self._pairs = array("q", distinct_pairs(self._pairs).tobytes())


def distinct_pairs(pairs: array[int]) -> Integers:
    """Pairs that lie one after another, each once and in order. Shape (distinct, 2)."""
    found = np.frombuffer(pairs, dtype=np.int64).reshape(-1, 2)
    # A copy: an array that is looked at cannot be resized.
    found = found[np.lexsort((found[:, 1], found[:, 0]))]
    is_new = np.ones(len(found), dtype=np.bool_)
    is_new[1:] = (found[1:] != found[:-1]).any(axis=1)
    return found[is_new]
