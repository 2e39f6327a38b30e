"""The lines of a published text file, in the encoding it was made in."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from fairbrief.errors import DataError, RequestError
from fairbrief.text.counted import counted

Encoding = Literal["utf-8", "latin-1", "mixed"]
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "latin-1", "mixed")
PEEK = 1 << 18
"""Characters of the beginning that tell a format; the first debate of IQ2's single line fits."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file that is not blank: its number, from 1, and its text without its end."""

    path: Path
    number: int
    text: str

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.path.name}:{self.number}"

    def fault(self, found: str, wanted: str, remedy: str = "mend the line") -> DataError:
        """What is wrong with the line: where, found, wanted, what to do."""
        return DataError(f"{self.where}: found {found}; wanted {wanted}; {remedy}.")

    def row(self) -> Mapping[str, Any]:
        """The JSON object in the line."""
        try:
            row = json.loads(self.text)
        except (ValueError, RecursionError) as error:
            remedy = "mend the line (single quotation marks are Python's, not JSON's)"
            raise self.fault(f"what is not JSON ({error})", "one JSON object", remedy) from None
        if not isinstance(row, dict):
            raise self.fault(f"a {type(row).__name__}", "one JSON object")
        return row

    def field(self, row: Mapping[str, Any], name: str) -> Any:
        """A field that must be there."""
        if name not in row:
            known = ", ".join(map(repr, row)) or "none"
            raise self.fault(f"the fields {known}", f"a field {name!r}", "add it, or name another format")
        return row[name]


def text_lines(path: Path, encoding: Encoding) -> Iterator[Line]:
    """Each line that is not blank; a file's byte order mark is no text.

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
                yield Line(path, number, text)


def table_rows(path: Path, encoding: Encoding) -> Iterator[tuple[Line, dict[str, str]]]:
    """The rows of a table by tabs, without quotation, by the names in its first line: stripped, in their case."""
    columns: list[str] = []
    for line in text_lines(path, encoding):
        cells = line.text.split("\t")
        if not columns:
            columns = [cell.strip() for cell in cells]
        elif len(cells) != len(columns):
            wanted = f"{len(columns)}, as many as the columns"
            raise line.fault(
                counted(len(cells), "field"), wanted, "mend the line (fields are separated by tabs)"
            )
        else:
            yield line, dict(zip(columns, cells, strict=True))


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
        raise Line(path, number, "").fault(
            f"the byte 0x{data[error.start]:02x} at byte {error.start + 1}, which is not UTF-8",
            "UTF-8",
            "read it with --encoding latin-1 or mixed",
        ) from None
