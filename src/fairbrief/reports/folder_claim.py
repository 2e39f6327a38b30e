"""Who writes a folder of an audit: one process at a time, and what it did not finish is known afterwards."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from fairbrief.errors import DataError, RequestError
from fairbrief.kept_files import clear_unfinished, held
from fairbrief.text.addresses import refuse_stored

UNFINISHED = "unfinished"
"""The file that stands in the folder while an audit is made for it, and after one that did not come to its end."""
RESULTS = "results.json"
OURS = b'"schema": "fairbrief.'
"""What our results begin with."""
WRITTEN = (
    "report.html",
    "report.md",
    "estimates.csv",
    "evidence",
    "examples.json",
    "sources.parquet",
    RESULTS,
)
"""What an audit writes over in its folder."""
STAGE = ".new"
"""Where the files of an audit are written before they take the place of the old ones."""


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[Path]:
    """Hold the folder for this process, from before the work begins until its files stand; made if absent.

    The lock is the kernel's and goes with the process. Where the work fails or the process is killed the file
    `UNFINISHED` stays beside an older audit, so that nobody takes that for the new one; a folder that holds none
    is left as it was. RequestError where another process holds the folder, and where it holds files that have the names
    of an audit's and are not. A link is followed.
    """
    refuse_stored(folder)
    folder = folder.resolve()
    _refuse_strangers(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / UNFINISHED
    busy = f"Another process is making an audit for {folder}. Wait for it, or name another folder."
    with held(mark, busy):
        clear(folder)
        try:
            yield folder
        except BaseException:
            clear(folder)
            if not any((folder / name).exists() for name in WRITTEN):
                mark.unlink(missing_ok=True)
                if is_new:
                    with contextlib.suppress(OSError):  # an answer or a cache may stand in it
                        folder.rmdir()
            raise
        mark.unlink(missing_ok=True)


def _refuse_strangers(folder: Path) -> None:
    there = [name for name in WRITTEN if (folder / name).exists()]
    if not there or (folder / UNFINISHED).exists():
        return
    if RESULTS in there:
        with (folder / RESULTS).open("rb") as results:
            if OURS in results.read(100):
                return
    them = "it" if len(there) == 1 else "them"
    raise RequestError(
        f"{folder} holds {', '.join(there)}, which no audit wrote there, and an audit would write over {them}. Name another "
        f"folder, or move {them} away."
    )


def clear(folder: Path) -> None:
    """Take away what a killed run left half written."""
    shutil.rmtree(folder / STAGE, ignore_errors=True)
    clear_unfinished(folder)


def refuse_unfinished(folder: Path) -> None:
    """DataError where an audit is being made for the folder, or the last one did not come to its end."""
    mark = folder / UNFINISHED
    try:
        descriptor = os.open(mark, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataError(
            f"{folder}: an audit is being made for this folder. Wait until it has ended."
        ) from None
    finally:
        os.close(descriptor)
    raise DataError(
        f"{folder}: the last audit for this folder did not come to its end, so that what is in it is older. "
        f"Run it again; or, to take the older one for what it is, delete {mark}."
    )
