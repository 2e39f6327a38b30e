"""JSON: one object per line, or one array of objects, read object by object."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import IO, Any, NamedTuple

import msgspec

from fairbrief.errors import DataError
from fairbrief.readers.files import UTF8, InputFile, Meter, open_text, opened, size_of
from fairbrief.readers.messages import fault, not_utf8, show

Row = tuple[int, Any]
"""A row's number (of its line, if the source has lines), and its object or its error."""


class Range(NamedTuple):
    """Start and end (exclusive) of a part of a file: bytes, or row groups of a Parquet file."""

    start: int
    stop: int
    lines_before: int = 0
    """The number of lines of the file that begin before the part."""


PART = 8 << 20
"""Fewest bytes of a part of a large file: about ten thousand records."""
SMALL_PART = 1 << 20
"""Fewest bytes of a part of a file with few parts."""
FEW_PARTS = 16
"""Fewest parts of a file, unless they would be too small."""
LATE = 4
"""The last 1/LATE of a file has parts 1/LATE as large, so that workers finish at about the same time."""
PARTS = 512
"""Most parts of a file."""

_decode = msgspec.json.Decoder().decode

EVERY = 64
"""Rows between two updates of the progress."""
CHUNK = 1 << 20
LONGEST = 1 << 25
"""Most characters of one object of an array; longer ones count as broken."""


def line_ranges(path: InputFile) -> list[Range]:
    """The parts of a file, whose lines are counted; a line belongs to the part with its first byte."""
    ranges, count = [], 1
    with opened(path) as file:
        for start, stop in byte_ranges(size_of(path)):
            left = start - 1 - file.tell()
            while left > 0 and (chunk := file.read(min(left, CHUNK))):
                count += chunk.count(b"\n")
                left -= len(chunk)
            ranges.append(Range(start, stop, count if start else 0))
    return ranges


def byte_ranges(size: int) -> list[tuple[int, int]]:
    """Start and end of each part of a file of ``size`` bytes."""
    least = -(-size // PARTS)
    step = max(least, min(PART, max(SMALL_PART, size // FEW_PARTS)))
    late = size // step * (LATE - 1) // LATE * step
    starts = [*range(0, late, step), *range(late, size, min(step, max(step // LATE, least, SMALL_PART)))]
    return list(pairwise([*starts, size]))


def read_lines(
    path: InputFile,
    name: str,
    meter: Meter,
    part: Range | None = None,
    encoding: str = UTF8,
) -> Iterator[Row]:
    """The objects of a JSON Lines file, or of a part of it, with the numbers of their lines. Blank lines are skipped."""
    before = 0 if part is None else part.lines_before
    with open_text(path, name, encoding) as (raw, content):
        if part is not None and part.start:
            content.seek(part.start - 1)
            content.readline()  # the rest of a line that begins before the part
        start = content.tell() if content is raw else 0
        for number, line in enumerate(content, before + 1):
            if part is not None and start >= part.stop:
                break
            if number % EVERY == 0:
                meter.at(raw.tell())
            if not line.isspace():
                yield number, parse_line(line, start)
            start += len(line)


def parse_line(line: bytes, start: int = 0) -> Any:
    """The object in a line, or the DataError of an invalid line. ``start`` is the line's byte offset."""
    try:
        row = _decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _parse_with_care(line, start)
    return row if isinstance(row, dict) else _not_object(row)


def _parse_with_care(line: bytes, start: int) -> Any:
    """The same with Python's parser, which is slower, accepts more (lone surrogates, NaN) and explains errors."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(error, start)
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        return _not_json(error, text)
    except RecursionError:
        return fault("JSON that is nested too deeply", 'an object like {"id": …}', "flatten the record")
    except ValueError:
        return fault("a number of too many digits", "a number or text", "write it in quotation marks")
    return row if isinstance(row, dict) else _not_object(row)


def read_json(path: InputFile, name: str, meter: Meter, encoding: str = UTF8) -> Iterator[Row]:
    """The objects of a .json file: of its array if it begins with one, otherwise of its lines."""
    with open_text(path, name, encoding) as (_, content):
        is_array = content.peek(CHUNK).lstrip()[:1] == b"["
    return (read_array if is_array else read_lines)(path, name, meter, encoding=encoding)


def read_array(path: InputFile, name: str, meter: Meter, encoding: str = UTF8) -> Iterator[Row]:
    """The objects of one JSON array, streamed; each is numbered by the line it begins on.

    Raises DataError for a broken array, on any setting, since the rest cannot be read.
    """
    with open_text(path, name, encoding) as (raw, content):
        window = _Window(content, name, content.tell() if content is raw else 0)
        window.skip("[")
        first = True
        while True:
            if window.next_is("]"):
                break
            if not first and not window.next_is(","):
                raise window.broken("no comma between two objects")
            yield window.line, window.take()
            meter.at(raw.tell())
            first = False
        if window.peek():
            raise window.broken("more after the array's end")


class _Window:
    """The part of an array's text in memory: from the next object to the last byte read."""

    def __init__(self, content: IO[bytes], name: str, start: int) -> None:
        self.content = content
        self.name = name
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.text = ""
        self.position = 0
        self.line = 1
        self.read = start
        self.at_end = False

    def peek(self) -> str:
        """Move to the next character that is not a space and return it; empty at the end."""
        while True:
            text, position = self.text, self.position
            while position < len(text) and text[position] in " \t\r\n":
                position += 1
            self._move(position)
            if position < len(text) or self.at_end:
                return text[position : position + 1]
            self._fill(CHUNK)

    def skip(self, character: str) -> None:
        assert self.peek() == character
        self._move(self.position + 1)

    def next_is(self, character: str) -> bool:
        """Whether the next character is this one; skips it if so."""
        if self.peek() == character:
            self._move(self.position + 1)
            return True
        return False

    def take(self) -> Any:
        """The next object."""
        if (character := self.peek()) != "{":
            raise self.broken(show(character) if character else "the end of the file inside the array")
        decoder = json.JSONDecoder()
        while True:
            try:
                row, end = decoder.raw_decode(self.text, self.position)
            except json.JSONDecodeError as error:
                held = len(self.text) - self.position
                if self.at_end or held > LONGEST or not self._is_cut(error):
                    raise self.broken(
                        f"JSON that cannot be read ({error.msg}), or an object over {LONGEST:,} characters"
                    ) from None
                self._fill(max(CHUNK, held))
            except (RecursionError, ValueError):
                raise self.broken("JSON that is nested too deeply, or a number of too many digits") from None
            else:
                self._move(end)
                return row

    def broken(self, found: str) -> DataError:
        return DataError(
            f"{self.name}:{self.line}: found {found}; expected an array of objects, [{{…}}, {{…}}]; "
            "correct it, or write one object per line, so that one error does not affect the rest. The rest was not read."
        )

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        """Whether the object may be complete after more of the file is read."""
        return error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - 16

    def _move(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def _fill(self, size: int) -> None:
        data = self.content.read(size)
        self.at_end = not data
        try:
            more = self.decoder.decode(data, final=self.at_end)
        except UnicodeDecodeError as error:
            raise DataError(f"{self.name}: {_not_utf8(error, self.read)} The rest was not read.") from None
        self.read += len(data)
        self.text = self.text[self.position :] + more
        self.position = 0


def _not_utf8(error: UnicodeDecodeError, start: int) -> DataError:
    return not_utf8(error.object[error.start], f"at byte offset {start + error.start} of the file")


def _not_json(error: json.JSONDecodeError, text: str) -> DataError:
    where = f"at character {error.pos + 1}"
    if "\0" in text:
        return fault(f"a NUL byte at character {text.index(chr(0)) + 1}", "a JSON object", "remove the byte")
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return fault(
            f"JSON that ends too early ({error.msg} {where})",
            "a complete object on one line",
            "complete the line, or join it with the next if the object continues there",
        )
    return fault(f"invalid JSON ({error.msg} {where})", "one JSON object per line", "correct the line")


def _not_object(row: Any) -> DataError:
    return fault(show(row), 'an object like {"id": …, "documents": […]}', "write one object per line")
