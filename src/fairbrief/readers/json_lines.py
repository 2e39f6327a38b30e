"""JSON: one object per line, one array of objects, or one document."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from fairbrief.errors import DataError
from fairbrief.readers.files import File, Range
from fairbrief.readers.messages import fault, not_utf8, show

Row = tuple[int, Any]
"""A row's number (of its line, if the source has lines), and its object or its error."""


PART = 8 << 20
"""Fewest bytes of a part of a large file: about ten thousand records."""
SMALL_PART = 1 << 20
"""Fewest bytes of a part of a file with few parts."""
FEW_PARTS = 64
"""Fewest parts of a file, so that workers finish at about the same time; unless they would be too small."""
PARTS = 512
"""Most parts of a file."""

_decode = msgspec.json.Decoder().decode
_decode_array = msgspec.json.Decoder(list[msgspec.Raw]).decode

CHUNK = 1 << 20


def line_ranges(file: File) -> list[Range]:
    """The parts of a file, whose lines are counted; a line belongs to the part with its first byte."""
    ranges, count, size = [], 1, file.size
    step = max(-(-size // PARTS), min(PART, max(SMALL_PART, size // FEW_PARTS)))
    with file.opened() as raw:
        for start, stop in pairwise([*range(0, size, step), size]):
            left = start - 1 - raw.tell()
            while left > 0 and (chunk := raw.read(min(left, CHUNK))):
                count += chunk.count(b"\n")
                left -= len(chunk)
            ranges.append(Range(start, stop, count if start else 0))
    return ranges


def read_lines(file: File) -> Iterator[Row]:
    """The objects of a JSON Lines file, or of a part of it, with the numbers of their lines. Blank lines are skipped."""
    part = file.part
    before = 0 if part is None else part.lines_before
    with file.text() as (raw, content):
        if part is not None and part.start:
            content.seek(part.start - 1)
            content.readline()  # the rest of a line that begins before the part
        start = content.tell() if content is raw else 0
        for number, line in enumerate(content, before + 1):
            if part is not None and start >= part.stop:
                break
            if not line.isspace():
                yield number, parse_line(line, start)
            start += len(line)


def decode(text: bytes) -> Any:
    """The value in a JSON text. Python's parser is slower, accepts more (lone surrogates, NaN), and explains errors."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return json.loads(text.decode())


def parse_line(line: bytes, start: int | None = None) -> Any:
    """The object in a line, or the DataError of an invalid line. ``start`` is the line's byte offset, if it is known."""
    try:
        return _checked(decode(line))
    except UnicodeDecodeError as error:
        whole = "object" if start is None else "file"
        return not_utf8(line[error.start], f"at byte offset {(start or 0) + error.start} of the {whole}")
    except json.JSONDecodeError as error:
        found = f"invalid JSON ({error.msg.removesuffix(' at')} at character {error.pos + 1})"
        remedy = "correct the line; if the file is one array, end its name in .json; if it is one document, give --format json-list"
        return fault(found, "one complete JSON object per line", remedy)
    except (RecursionError, ValueError):
        return fault("JSON nested too deeply, or a number of too many digits", "a record", "correct the line")


def read_json(file: File) -> Iterator[Row]:
    """The objects of a .json file: of its array if it begins with one, otherwise of its lines."""
    with file.text() as (_, content):
        is_array = content.peek(CHUNK).lstrip()[:1] == b"["
    return (read_array if is_array else read_lines)(file)


def read_array(file: File) -> Iterator[Row]:
    """The objects of one JSON array, numbered from 1. Memory holds one at a time, and the content of packed files.

    Raises DataError for a broken array, on any setting, since its objects cannot be told apart.
    """
    with file.text() as (raw, content):
        if content is raw and isinstance(file.path, Path):
            data: Any = memoryview(mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ))[raw.tell() :]
        else:
            data = content.read()
    try:
        parts: list[Any] = _decode_array(data)
        rows: Iterator[Any] = (parse_line(bytes(part)) for part in parts)
    except (msgspec.DecodeError, RecursionError):
        try:  # Python's parser is slower, accepts more, and explains errors
            parts = json.loads(bytes(data))
        except (ValueError, RecursionError) as error:
            raise DataError(f"{file.name}: found invalid JSON ({error}); correct the array.") from None
        rows = map(_checked, parts)
    yield from file.metered(enumerate(rows, 1), len(parts))


def load(file: File) -> Mapping[str, Any]:
    """The JSON document; DataError if it is not an object."""
    with file.text() as (_, content):
        try:
            result = json.load(content)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{file.name}: found invalid JSON ({error}); copy the document again.") from error
    if not isinstance(result, Mapping):
        raise DataError(f"{file.name}: found {show(result)}; expected an object; give another --format.")
    return result


def _checked(row: Any) -> Any:
    """The row, or its error if it is not an object."""
    if isinstance(row, dict):
        return row
    other = ", or end the file's name in .json if it is one array" if isinstance(row, list) else ""
    return fault(show(row), 'an object like {"id": …, "documents": […]}', f"write one object per line{other}")
