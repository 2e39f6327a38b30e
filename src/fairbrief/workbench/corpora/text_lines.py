"""The lines of a published text file, in the encoding it was made in."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

from fairbrief.errors import DataError, RequestError

Encoding = Literal["utf-8", "latin-1", "mixed"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "latin-1", "mixed")
PEEK = 1 << 18
"""Characters of the beginning that tell a format; the first debate of IQ2's single line fits."""


def fault(path: Path, line: int, found: str, wanted: str, remedy: str) -> DataError:
    """What is wrong with a line: where, found, wanted, what to do."""
    return DataError(f"{path.name}:{line}: found {found}; wanted {wanted}; {remedy}.")


def text_lines(path: Path, encoding: Encoding) -> Iterator[tuple[int, str]]:
    """Each line that is not blank, with its number, without its end; a file's byte order mark is no text.

    Lines end at a line feed alone (a carriage return before it goes too): the other signs at which Python
    ends lines occur inside published texts.
    """
    if encoding not in ENCODINGS:
        raise RequestError(f"There is no encoding '{encoding}' here. Known: {', '.join(ENCODINGS)}.")
    with _open(path) as lines:
        for number, raw in enumerate(lines, 1):
            data = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
            text = _decode(path, number, data.rstrip(b"\r\n"), encoding)
            if text.strip():
                yield number, text


def objects(path: Path, encoding: Encoding) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a JSON Lines file, with their lines."""
    for number, text in text_lines(path, encoding):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            remedy = "mend the line (single quotation marks are Python's, not JSON's)"
            raise fault(path, number, f"what is not JSON ({error})", "one JSON object", remedy) from None
        if not isinstance(row, dict):
            raise fault(path, number, f"a {type(row).__name__}", "one JSON object", "mend the line")
        yield number, row


def field(path: Path, number: int, row: Mapping[str, Any], name: str) -> Any:
    """A field that must be there."""
    if name not in row:
        known = ", ".join(map(repr, row)) or "none"
        raise fault(
            path, number, f"the fields {known}", f"a field {name!r}", "add it, or name another format"
        )
    return row[name]


def whole(path: Path, encoding: Encoding) -> str:
    """A file's whole text."""
    with _open(path) as content:
        return _decode(path, 1, content.read().removeprefix(codecs.BOM_UTF8), encoding)


def first_line(path: Path) -> str:
    """How a file begins, whatever it holds."""
    with _open(path) as content:
        return content.readline(PEEK).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as content:
            yield content  # type: ignore[misc] # a GzipFile reads like any binary file
    except (OSError, EOFError, zlib.error) as error:
        if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError)):
            raise RequestError(f"'{path}' cannot be read: {error.strerror}.") from error
        raise DataError(
            f"{path.name}: found damage ({error}); wanted a whole file; copy it again."
        ) from error


def _decode(path: Path, number: int, data: bytes, encoding: Encoding) -> str:
    if encoding == "latin-1":
        return data.decode("latin-1")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if encoding == "mixed":
            return data.decode("latin-1")
        raise fault(
            path,
            number,
            f"the byte 0x{data[error.start]:02x} at byte {error.start + 1}, which is not UTF-8",
            "UTF-8",
            "read it with --encoding latin-1 or mixed",
        ) from None
