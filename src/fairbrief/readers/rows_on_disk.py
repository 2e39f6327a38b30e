"""Rows in a temporary file, read again by key. Of many rows only the places are in memory."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Any

HELD = 64_000_000
"""Bytes that are held in memory; if there are more, all go to the disk."""


class RowsOnDisk:
    """Objects by key, in the order in which the keys first came. The file is deleted with the object.

    Raises OSError with the folder of temporary files if the disk is full.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(HELD)  # noqa: SIM115 # closed by the finalizer
        self._places: dict[Any, list[int]] = {}
        weakref.finalize(self, _close, self._file)

    def add(self, key: Any, row: Any) -> None:
        """Append an object to its key."""
        with _naming_the_folder():
            self._places.setdefault(key, []).append(self._file.seek(0, 2))
            pickle.dump(row, self._file, protocol=pickle.HIGHEST_PROTOCOL)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places)

    def pop(self, key: Any) -> list[Any]:
        """Remove a key and return its objects, in order; empty if it is unknown."""
        return [self._at(place) for place in self._places.pop(key, ())]

    def _at(self, place: int) -> Any:
        with _naming_the_folder():  # what is still to be written is written first
            self._file.seek(place)
        return pickle.load(self._file)  # noqa: S301 # our temporary file, which has no name


@contextmanager
def _naming_the_folder() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, gettempdir()) from error


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # a full disk, already reported
        file.close()
