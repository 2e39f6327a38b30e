"""Files that survive kills and full disks: locked by one process, replaced atomically, synchronised to disk.

Used by the cache of scores, the journals of answers, the parts of audits and all outputs.
"""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from fairbrief.errors import RequestError

PRIVATE = 0o600
"""The mode of files with prompts and replies, which only the user may read unless the user changes it."""
TEMPORARY = ".unfinished"
"""The ending of temporary files that replace another; they are hidden and begin with its name."""


@contextlib.contextmanager
def exclusive(path: Path, busy: str, mode: int = 0o666) -> Iterator[int]:
    """Open a file to read it and append to it, for this process only; RequestError(``busy``) at once if another has it.

    An absent file is created with ``mode``, less the user's mask. The kernel releases the lock when the process ends. The
    holder may remove the file before the release.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, mode)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RequestError(busy) from None
            if _is_at(descriptor, path):  # otherwise it was removed between opening and locking
                yield descriptor
                return
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def atomic_path(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """A temporary path for a file that replaces ``path`` atomically at the end, and never after an error.

    The file is synchronised to disk at the end. Several processes may do this at once: each writes a separate file, and
    the last one remains. Leftovers of killed processes are removed. Links are followed. A new file has ``mode``, less the
    user's mask; a replaced file's mode is preserved.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_unfinished(path.parent, glob.escape(path.name))
    descriptor, unfinished = _temporary_file(path, mode)
    try:
        yield unfinished
        os.fsync(descriptor)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
        os.close(descriptor)
    sync_folder(path.parent)


def write_text(path: Path, text: str) -> None:
    """Replace a file atomically by one with this text."""
    with atomic_path(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_all(descriptor: int, data: bytes) -> None:
    """Write all data to an open file, also if the system accepts only parts."""
    while data:
        data = data[os.write(descriptor, data) :]


def sync_folder(folder: Path) -> None:
    """Synchronise a folder to disk, without which a new name in it may be lost."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _temporary_file(path: Path, mode: int) -> tuple[int, Path]:
    """A new file in the same folder, locked if possible, with the same permissions."""
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
        try:
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        except OSError as error:
            error.filename = os.fspath(path)  # the user did not choose the temporary name
            raise
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(descriptor, temporary):
            break
        os.close(descriptor)  # it was removed before it was locked
    if path.exists():
        os.fchmod(descriptor, stat.S_IMODE(path.stat().st_mode))
    return descriptor, temporary


def clear_unfinished(folder: Path, name: str = "*") -> None:
    """Remove leftovers of killed processes, except files that are locked or cannot be locked."""
    for left in folder.glob(f".{name}.*{TEMPORARY}"):
        with contextlib.suppress(OSError), left.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file has this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
