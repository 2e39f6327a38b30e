"""The processes of this machine, as Linux tells of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """A process that has not ended."""

    number: int
    parent: int
    group: int


def running() -> Iterator[Process]:
    """All processes that have not ended."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has gone meanwhile
            state, parent, group = stat.read_text(errors="replace").rpartition(")")[2].split()[:3]
            if state != "Z":
                yield Process(int(stat.parent.name), int(parent), int(group))
