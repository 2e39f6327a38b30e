"""A file, or the files of a folder, and their lines."""

from __future__ import annotations

from collections.abc import Iterator
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


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text in UTF-8 with their numbers; DataError names the line that is not in it."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").replace("\r\n", "\n")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{path}:{number}: found the byte 0x{line[error.start]:02x}, {error.start + 1} bytes from the line's start, "
                    "which is not UTF-8; wanted UTF-8 text; save the file with that encoding."
                ) from None
