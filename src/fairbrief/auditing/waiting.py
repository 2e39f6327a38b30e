"""Cases that wait until all of their clusters were read: in memory while they are few, on the disk where they are many."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from fairbrief.auditing.origins import Origin
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.types import Case

HELD = 64_000_000
"""Bytes of cases that wait in memory, as `size_of` reckons them."""
LOTS = 256
"""Those on the disk come back in so many lots, each of some clusters."""
PER_CASE, PER_TEXT = 1_000, 300
"""Bytes that a case takes, and each of its texts beside its letters."""

Placed = tuple[Case, Origin]


class Waiting:
    """Cases that wait, and where they come from."""

    def __init__(self) -> None:
        self._held: list[Placed] = []
        self._size = 0
        self._laid: RowsOnDisk | None = None

    def put(self, case: Case, origin: Origin) -> None:
        """One more. Raises OSError where the disk is full."""
        self._held.append((case, origin))
        self._size += size_of(case)
        if self._size > HELD:
            self._lay()

    def take(self) -> Iterator[list[Placed]]:
        """All that wait, some clusters at a time, all cases of each together; then nothing waits."""
        if self._laid is None:
            held, self._held, self._size = self._held, [], 0
            yield held
            return
        self._lay()
        with self._laid as laid:
            self._laid = None
            for lot in laid:
                yield [placed for some in laid.take(lot) for placed in some]

    def _lay(self) -> None:
        """What is in memory onto the disk."""
        if self._laid is None:
            self._laid = RowsOnDisk()
        lots: dict[int, list[Placed]] = {}
        for placed in self._held:
            cluster = placed[1].cluster.encode("utf-8", "surrogatepass")
            lots.setdefault(zlib.crc32(cluster) % LOTS, []).append(placed)
        for lot, some in lots.items():
            self._laid.add(lot, some)
        self._held, self._size = [], 0


def size_of(case: Case) -> int:
    """About how many bytes a case takes in memory."""
    texts = (case.summary.text, *case.record.references, *(d.text for d in case.record.documents))
    return PER_CASE + sum(PER_TEXT + len(text) for text in texts)
