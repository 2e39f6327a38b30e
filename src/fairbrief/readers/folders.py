"""A file, or the files of a folder."""

from __future__ import annotations

from pathlib import Path

from fairbrief.errors import DataError


def files_of(source: Path, *endings: str) -> list[Path]:
    """``source`` itself, or all files below it with one of the endings, sorted by path."""
    if source.is_file():
        return [source]
    wanted = " or ".join(endings)
    if not source.exists():
        raise DataError(
            f"{source}: there is no such file or folder. Wanted a {wanted} file, or a folder of them."
        )
    found = sorted(p for p in source.rglob("*") if p.is_file() and p.name.endswith(endings))
    if not found:
        raise DataError(f"{source}: the folder holds no {wanted} file.")
    return found
