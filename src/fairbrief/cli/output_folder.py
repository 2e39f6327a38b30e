"""Whether what a command is to write can stand where it is wanted: asked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fairbrief.errors import RequestError


def refuse_overwriting(out: Path | None, files: Iterable[object], option: str = "--out") -> None:
    """RequestError where the output is one of the inputs, or no file can stand there."""
    if out is None:
        return
    if out.is_dir():
        raise RequestError(f"{option} {out} is a folder: give the name of a file in it.")
    if any(out.resolve() == Path(str(file)).resolve() for file in files):
        raise RequestError(f"{option} {out} is also read from: write to another file.")
    _check_reachable(out.parent, f"{option} {out}")


@contextmanager
def held(out: Path | None) -> Iterator[Path | None]:
    """Hold a folder of results for this process while the work goes on; what it yields is to be written to."""
    from fairbrief.reports.audit_folder import claimed

    if out is None:
        yield None
        return
    with claimed(out) as folder:
        yield folder


def refuse_no_folder(out: Path | None, option: str = "--out") -> None:
    """RequestError where no folder can stand."""
    if out is None:
        return
    if out.exists() and not out.is_dir():
        raise RequestError(f"{option} {out} is a file: give the name of a folder.")
    _check_reachable(out, f"{option} {out}")


def _check_reachable(folder: Path, wanted: str) -> None:
    """Whether the folder is there and can be written to, or could be made."""
    there = next((place for place in (folder, *folder.absolute().parents) if place.exists()), Path.cwd())
    if not there.is_dir():
        raise RequestError(
            f"{wanted}: {there} is a file, so that nothing can stand in it: name another place."
        )
    if not os.access(there, os.W_OK | os.X_OK):
        raise RequestError(f"{wanted}: the folder {there} cannot be written to: name another place.")
