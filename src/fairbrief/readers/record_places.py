"""Where the records of an input stand, by their ids."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_NOTHING = hashlib.blake2b(digest_size=8)


@dataclass(frozen=True, slots=True)
class RecordPlaces:
    """The places of records, ascending by the hashes of their ids.

    Shapes: (places,) each. ``keys`` are these hashes; ``sources`` says in which file of the input a record stands, and
    ``starts`` at which byte or row group: ``reading.part(source, (start, start + 1))`` reads it.
    """

    keys: NDArray[np.uint64]
    sources: NDArray[np.int16]
    starts: NDArray[np.int64]

    @classmethod
    def found(cls, places: Iterable[tuple[int, str, int]]) -> RecordPlaces:
        """Source, id and start of every record, in any order."""
        keys, sources, starts = array("Q"), array("h"), array("q")
        for source, ident, start in places:
            keys.append(_key_of(ident))
            sources.append(source)
            starts.append(start)
        order = np.argsort(np.frombuffer(keys, dtype=np.uint64), kind="stable")
        return cls(np.array(keys)[order], np.array(sources)[order], np.array(starts)[order])

    def of(self, ident: str) -> list[tuple[int, int]]:
        """Source and start of each place that may hold the record; of another id with the same hash, too."""
        key = np.uint64(_key_of(ident))
        first, last = np.searchsorted(self.keys, key, "left"), np.searchsorted(self.keys, key, "right")
        return [(int(self.sources[i]), int(self.starts[i])) for i in range(first, last)]


def _key_of(ident: str) -> int:
    made = _NOTHING.copy()  # which is faster than to make one
    made.update(ident.encode("utf-8", "surrogatepass"))
    return int.from_bytes(made.digest(), "little")
