"""A journal of answers, one line each, synchronised to disk, each complete or absent."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairbrief.atomic_files import PRIVATE, exclusive, sync_folder, write_all
from fairbrief.errors import BackendError, RequestError

HEAD = b"fairbrief journal 1\n"


def journal_of(out: Path) -> Path:
    """The journal of an output; links are followed."""
    out = out.resolve() if out.is_symlink() else out
    return out.with_name(out.name + ".journal")


@dataclass(slots=True)
class Journal:
    """Answers by key in one append-only file: lines of ``checksum key json``, after a header line.

    `append` synchronises its lines to disk, so that they survive a kill and a power cut. An incomplete last line is
    removed when the journal is opened; other damaged lines are skipped. Of equal keys the last answer counts. Only
    places are in memory. Use as a context: `open_journal`.
    """

    path: Path
    _file: int
    _opened_at: int
    places: dict[str, tuple[int, int]]

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def __getitem__(self, key: str) -> Mapping[str, Any]:
        """The last answer of a key; KeyError if there is none."""
        start, length = self.places[key]
        result = _read(os.pread(self._file, length, start))
        if result is None:
            raise BackendError(f"{self.path} was changed at byte {start} meanwhile. Run the command again.")
        return result[1]

    def held_before(self, key: str) -> bool:
        """Whether the key had an answer when the journal was opened."""
        return key in self.places and self.places[key][0] < self._opened_at

    def append(self, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append entries and synchronise them to disk."""
        lines = [(key, _line(key, value)) for key, value in entries]
        try:
            start = os.lseek(self._file, 0, os.SEEK_END)
            write_all(self._file, b"".join(line for _, line in lines))
            os.fsync(self._file)
        except OSError as error:
            again = "Free disk space, then run the same command again; the answers so far are stored."
            raise BackendError(f"The journal {self.path} cannot be written: {error}. {again}") from error
        for key, line in lines:
            self.places[key] = (start, len(line))
            start += len(line)


@contextlib.contextmanager
def open_journal(path: Path) -> Iterator[Journal]:
    """The journal in a file, created if absent and removed if it stays empty.

    Raises RequestError if the file is not a journal, or if another process has opened it.
    """
    busy = f"Another process is writing {path}. Wait for it, or give another --out."
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(exclusive(path, busy, PRIVATE))
        except OSError as error:
            remedy = "Give another --out, or change the permissions."
            raise BackendError(f"The journal {path} cannot be written: {error}. {remedy}") from error
        places, end = _places(path)
        os.ftruncate(file, end)
        if not end:  # new, or cut off in its first line
            write_all(file, HEAD)
            os.fsync(file)
        sync_folder(path.parent)
        try:
            yield Journal(path, file, end, places)
        finally:
            if os.fstat(file).st_size <= len(HEAD):
                path.unlink(missing_ok=True)


def _places(path: Path) -> tuple[dict[str, tuple[int, int]], int]:
    """The start and length of each entry by key, and the end of the last complete line; 0 without a complete first line."""
    places: dict[str, tuple[int, int]] = {}
    with path.open("rb") as stream:
        head = stream.readline()
        if head != HEAD and HEAD.startswith(head):
            return places, 0
        if head != HEAD:
            raise RequestError(f"{path} is not a journal of Fairbrief. Give another --out, or move it.")
        end = len(HEAD)
        for line in stream:
            if not line.endswith(b"\n"):
                break
            if (result := _read(line)) is not None:
                places[result[0]] = (end, len(line))
            end += len(line)
    return places, end


def keys_in(path: Path) -> Collection[str]:
    """The keys in a journal, which is not changed; empty if the file does not exist."""
    return _places(path)[0] if path.is_file() else ()


def key_of(*parts: object) -> str:
    """The key of an answer: a hash of everything that determines it."""
    inputs = json.dumps(parts, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(inputs.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _line(key: str, value: Mapping[str, Any]) -> bytes:
    # ASCII: lone surrogates become escapes, and no line separator can occur
    content = f"{key} {json.dumps(value, ensure_ascii=True, separators=(',', ':'))}".encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(content), content)


def _read(line: bytes) -> tuple[str, Mapping[str, Any]] | None:
    """Key and answer of a line; None if it is damaged."""
    content = line[9:-1]
    if line[:9] != b"%08x " % zlib.crc32(content) or not line.endswith(b"\n"):
        return None
    key, _, value = content.partition(b" ")
    try:
        result = json.loads(value)
        return (key.decode("ascii"), result) if isinstance(result, dict) else None
    except (ValueError, RecursionError):  # the checksum is right, but the content is not ours
        return None
