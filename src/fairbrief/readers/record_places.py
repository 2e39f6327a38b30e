"""Where the records of an input stand, by their ids."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import changes
from fairbrief.text.hashes import hash_of_name


@dataclass(frozen=True, slots=True)
class RecordPlaces:
    """The places of records, ascending by the hashes of their ids.

    Shapes: (places,) each. ``ids`` are these hashes; ``sources`` says in which file of the input a record stands, and
    ``starts`` at which byte or row group: ``reading.part(source, (start, start + 1))`` reads it.
    """

    ids: NDArray[np.int64]
    sources: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def found(cls, places: Iterable[tuple[int, str, int]]) -> RecordPlaces:
        """Source, id and start of every record, in the order of the input."""
        ids, sources, starts = array("q"), array("i"), array("q")
        for source, ident, start in places:
            ids.append(hash_of_name(ident))
            sources.append(source)
            starts.append(start)
        return cls.in_order(np.array(ids), np.array(sources), np.array(starts))

    @classmethod
    def in_order(
        cls, ids: NDArray[np.int64], sources: NDArray[np.int32], starts: NDArray[np.int64]
    ) -> RecordPlaces:
        """Places that stand in the order of the input, each once. Shapes: (rows,) each."""
        order = np.argsort(ids, kind="stable")
        ids, sources, starts = ids[order], sources[order], starts[order]
        is_new = changes(ids) | changes(sources) | changes(starts)
        return cls(ids[is_new], sources[is_new], starts[is_new])

    def of(self, ident: str) -> list[tuple[int, int]]:
        """Source and start of each place that may hold the record; of another id with the same hash, too."""
        own = hash_of_name(ident)
        first, last = np.searchsorted(self.ids, own, "left"), np.searchsorted(self.ids, own, "right")
        return [(int(self.sources[i]), int(self.starts[i])) for i in range(first, last)]
