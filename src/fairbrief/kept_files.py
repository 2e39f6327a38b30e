"""Files that survive kills and full disks: held by one process, replaced in one step, on disk when that is reported.

What the cache of scores, the journals of answers, the parts of audits and all that is written share.
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
from typing import BinaryIO

from fairbrief.errors import RequestError

PRIVATE = 0o600
"""The mode of files with prompts and replies: others may not read them, unless the user has let them."""
TEMPORARY = ".unfinished"
"""How the names of files end that will take another's place; they are hidden, and begin with its name."""


@contextlib.contextmanager
def held(lock: Path, busy: str) -> Iterator[None]:
    """Hold the file, made if absent, for this process alone; RequestError(``busy``) at once if another holds it.

    The lock is the kernel's: it goes with its process, however that ends. The holder may take the file away before
    it lets go.
    """
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RequestError(busy) from None
            if not _is_at(descriptor, lock):
                continue  # it was taken away between the opening and the locking: another may hold its successor
            yield
            return
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an output for this process alone, by ``PATH.lock``; RequestError at once if another holds it.

    The lock's file is removed when done; one that a dead process has left blocks nobody.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(path.name + ".lock")
    with held(lock, f"Another process is writing {path}. Wait for it, or write to another file."):
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


@contextlib.contextmanager
def taking_place(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Where to write a file that takes the place of ``path`` in one step when it is whole, and never if that fails.

    It is on disk when this ends. Several processes may do so at once: each writes a file of its own, and the last to
    finish stays. What killed ones left is taken away. A link is followed: what it leads to is replaced. A new file has
    ``mode``, less what the user's mask takes away; one that takes another's place has the other's.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    clear_unfinished(path.parent, glob.escape(path.name))
    descriptor, unfinished = _beside(path, mode)
    try:
        yield unfinished
        os.fsync(descriptor)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
        os.close(descriptor)
    sync_folder(path.parent)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A binary stream whose content takes the file's place as by `taking_place`; a new file is the user's alone."""
    with taking_place(path, PRIVATE) as unfinished, unfinished.open("wb") as stream:
        yield stream


def write_all(descriptor: int, data: bytes) -> None:
    """Write to an open file, however often the system takes only some of it."""
    while data:
        data = data[os.write(descriptor, data) :]


def sync_folder(folder: Path) -> None:
    """A new name in a folder is on disk only when the folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _beside(path: Path, mode: int) -> tuple[int, Path]:
    """A new file beside this one, locked where files can be locked, with the same permissions."""
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_at(descriptor, beside):
            break
        os.close(descriptor)  # it was taken away before it was held
    if path.exists():
        os.fchmod(descriptor, stat.S_IMODE(path.stat().st_mode))
    return descriptor, beside


def clear_unfinished(folder: Path, name: str = "*") -> None:
    """Remove what killed processes left, except files that are locked or cannot be locked."""
    for left in folder.glob(f".{name}.*{TEMPORARY}"):
        with contextlib.suppress(OSError):
            descriptor = os.open(left, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()
            finally:
                os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one with this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
