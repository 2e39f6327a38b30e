"""A buffer of cases whose clusters are not complete."""

from __future__ import annotations

import errno
import gc
from io import BytesIO

import pytest

from fairbrief.auditing import grouping
from fairbrief.auditing.grouping import ClusterBuffer, Placed, size_of
from fairbrief.auditing.origins import Origin
from fairbrief.readers import rows_on_disk
from fairbrief.types import Case, Document, Record, Summary

CASES: list[Placed] = [
    (
        Case(
            Record(f"r{i}", (Document("a" * i, {"party": "L"}),), ("b",)), Summary(f"r{i}", "s", "\ud800 c")
        ),
        Origin("s", f"r{i}", f"c{i % 7}\udc80", is_shared=True),
    )
    for i in range(50)
]


@pytest.mark.parametrize("held", [0, 5_000, 10**9])
@pytest.mark.parametrize("lots", [1, 3, 100])
def test_clusters_come_back_whole_and_once(held: int, lots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order in which their cases came; then the buffer is empty, and takes others."""
    monkeypatch.setattr(grouping, "HELD", held)
    monkeypatch.setattr(grouping, "LOTS", lots)
    buffer = ClusterBuffer()
    for case, origin in CASES:
        buffer.put(case, origin)
        assert sum(size_of(case) for case, _ in buffer._held) <= held
    for _ in range(2):
        found = list(buffer.take())
        assert (len(found) > 1) == (held < 10**9 and lots > 1)
        met = [{origin.cluster for _, origin in some} for some in found]
        assert sum(map(len, met)) == len({cluster for several in met for cluster in several}) == 7
        for cluster in {origin.cluster for _, origin in CASES}:
            here = [placed for some in found for placed in some if placed[1].cluster == cluster]
            assert here == [placed for placed in CASES if placed[1].cluster == cluster]
        assert [placed for some in buffer.take() for placed in some] == []
        for case, origin in CASES:
            buffer.put(case, origin)


class FullDisk(BytesIO):
    """A file that nothing can be written to any more, nor closed."""

    def write(self, _: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def close(self) -> None:
        super().close()
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told_with_the_folder(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    """Once: closing the file says nothing more."""
    monkeypatch.setattr(rows_on_disk, "TemporaryFile", FullDisk)
    monkeypatch.setattr(rows_on_disk, "gettempdir", lambda: "small-disk")
    monkeypatch.setattr(grouping, "HELD", 0)
    buffer = ClusterBuffer()
    with pytest.raises(OSError, match="No space left") as told:
        buffer.put(*CASES[0])
    assert (told.value.errno, told.value.filename) == (errno.ENOSPC, "small-disk")
    del buffer, told
    gc.collect()
    assert not recwarn.list
