"""Files as streams of bytes: which format, compressed or not, how far read."""

from __future__ import annotations

import codecs
import difflib
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.places import names

FORMATS = {
    "jsonl": "jsonl", "ndjson": "jsonl", "json": "json", "csv": "csv", "tsv": "tsv", "ssv": "ssv",
    "parquet": "parquet", "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
"""A file's ending, or what the caller says, to the format that it is read as."""
COMPRESSED = ("gz", "zst")
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(slots=True)
class Meter:
    """How many bytes of the input have been read, for a progress bar."""

    bytes_read: int = 0
    before: int = 0
    """Bytes of the files that are done."""

    def at(self, position: int) -> None:
        """Note the position in the current file."""
        self.bytes_read = self.before + position


def endings(path: Path) -> tuple[str, str]:
    """A file's format ending and compression ending, lower case; empty where it has none."""
    parts = path.name.lower().split(".")[1:]
    packed = parts.pop() if parts and parts[-1] in COMPRESSED else ""
    return (parts[-1] if parts else ""), packed


def stem(path: Path) -> str:
    """A file's name without the endings that say its format."""
    ending, packed = endings(path)
    name = path.name[: len(path.name) - len(packed) - bool(packed)]
    return name[: len(name) - len(ending) - 1] if ending and name[: -len(ending) - 1] else name


def printable(path: Path | str) -> str:
    """A path as a message can show it, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "replace")


def check(path: Path) -> None:
    """RequestError unless there is a file to read; it names what is near."""
    shown = printable(path)
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir() if p.is_file() and endings(p)[0] in FORMATS)
        found = f"It holds {names(inside)}: name those." if inside else "It holds no file that can be read."
        raise RequestError(f"{shown} is a folder, and not one that the library 'datasets' saved. {found}")
    if not path.exists():
        parent = path.parent
        beside = [p.name for p in parent.iterdir()] if parent.is_dir() else []
        near = difflib.get_close_matches(path.name, beside, n=3)
        guess = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise RequestError(f"There is no file {shown}.{guess}")
    if not os.access(path, os.R_OK):
        raise RequestError(f"{shown} may not be read by you: change its permissions.")


def format_of(path: Path, said: str | None = None) -> str:
    """The format to read a file as: what the caller says, else its ending."""
    name = said.lower().lstrip(".") if said else endings(path)[0]
    if name not in FORMATS:
        what = f"'{said}' is no format" if said else f"{printable(path)} has no ending that tells its format"
        raise RequestError(
            f"{what}. Formats: {', '.join(FORMATS)} (text also as .gz, .zst); say one with --format."
        )
    return FORMATS[name]


@contextmanager
def open_text(path: Path, name: str) -> Iterator[tuple[io.BufferedReader, io.BufferedReader[Any]]]:
    """The file itself and its content, unpacked, without a byte order mark.

    A file that is damaged so that nothing after the damage can be read stops the reading, on every setting.
    """
    with path.open("rb") as raw, unreadable(name), _unpack(raw, endings(path)[1]) as content:
        head = content.peek(3)
        if head.startswith(codecs.BOM_UTF8):
            content.read(len(codecs.BOM_UTF8))
        elif head.startswith(WIDE):
            raise DataError(f"{name}: found UTF-16; wanted UTF-8; save the file with that encoding.")
        yield raw, content


@contextmanager
def unreadable(name: str) -> Iterator[None]:
    """Say which file it is that the system, zlib or Arrow cannot read on."""
    import pyarrow as pa

    try:
        yield
    except (OSError, EOFError, zlib.error, pa.ArrowException, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(
            f"{name}: found damage ({reason}); wanted a whole file; make or copy the file again."
        ) from error


@contextmanager
def _unpack(raw: io.BufferedReader, packed: str) -> Iterator[io.BufferedReader[Any]]:
    if packed == "gz":
        with gzip.GzipFile(fileobj=raw) as inner, io.BufferedReader(inner, 1 << 20) as content:
            yield content
    elif packed == "zst":
        import pyarrow as pa

        with io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"), 1 << 20) as content:
            yield content
    else:
        yield raw
