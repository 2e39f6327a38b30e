"""Files as streams of UTF-8 bytes: encoding, compression, progress. `formats` has their formats."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.messages import at, not_utf8
from fairbrief.readers.object_stores import StoredFile, fault

UTF8 = "utf-8"
SAMPLE = 1 << 20
"""Bytes at the start of a file that are used for detection."""
BINARY = {b"PK\3\4": "xlsx", b"\xd0\xcf\x11\xe0": "xls", b"PAR1": "parquet", b"ARROW1": "arrow"}
"""The first bytes of files that are not text, and the ending by which such a file is read."""
MARKS = (
    (codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
CANDIDATES = ["cp1252"], [
    "cp1251", "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1250", "cp1253", "cp1254", "cp1256",
    "cp1255",
]  # fmt: skip
"""Candidates for files that are not UTF-8: the encodings of Windows and of East Asia. Western text, which is tried first, would also
match Central European."""
NOT_UTF8 = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python decodes it with ``surrogateescape``."""
BEYOND_ASCII = re.compile("[^\x00-\x7f]")


def detect_encoding(sample: bytes, *, is_whole: bool) -> str:
    """The most likely encoding of a text with this beginning.

    Text whose other than ASCII bytes are mostly UTF-8 counts as damaged UTF-8; its reader reports the damage.
    """
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample[:2]:  # the first character of UTF-16 without a mark is mostly ASCII
        return "utf-16-le" if sample[:1] != b"\0" else "utf-16-be"
    text = codecs.getincrementaldecoder(UTF8)("surrogateescape").decode(sample, final=is_whole)
    bad = len(NOT_UTF8.findall(text))
    if 2 * bad > len(BEYOND_ASCII.findall(text)):
        from charset_normalizer import from_bytes

        for candidates in CANDIDATES:
            if (best := from_bytes(sample, cp_isolation=candidates).best()) is not None:
                return best.encoding
    return UTF8


InputFile = Path | StoredFile
"""A file on this machine or in an object store."""
COMPRESSED = ("gz", "zst")
EVERY = 64
"""Rows between two updates of the progress."""
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/")
"""The start of an address; a path keeps only one of its slashes."""
LONGEST_PACKED = 1 << 25
"""Most unpacked bytes of one line, or of a document that is read whole; a small file could otherwise fill the memory."""


@dataclass(slots=True)
class Meter:
    """The progress of reading, for a progress bar: the position in the file that is open."""

    before: int = 0
    """Bytes of the finished files."""
    _position: int = 0
    _open: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without the open file."""
        return Meter, (self.before,)

    def follow(self, file: Any) -> Any:
        """Take the position from an open file, which is returned."""
        self._open = file
        return file

    def at(self, position: int) -> None:
        """Set the position in the current file, for readers that do not read from beginning to end."""
        self._position, self._open = position, None

    @property
    def bytes_read(self) -> int:
        """Bytes of the finished files and of the current one."""
        is_open = self._open is not None and not self._open.closed
        return self.before + (self._open.tell() if is_open else self._position)


def endings(path: InputFile) -> tuple[str, str]:
    """A file's endings of format and compression, in lower case; empty if it has none."""
    parts = path.name.lower().split(".")[1:]
    packed = parts.pop() if parts and parts[-1] in COMPRESSED else ""
    return (parts[-1] if parts else ""), packed


def stem(path: InputFile) -> str:
    """A file's name without the endings of format and compression."""
    name = PurePath(path.name)
    return (PurePath(name.stem) if endings(path)[1] else name).stem


def printable(path: InputFile | str) -> str:
    """A path for messages, whatever its bytes."""
    return os.fsencode(str(path)).decode("utf-8", "replace")


class Range(NamedTuple):
    """Start and end (exclusive) of a part of a file: bytes, or row groups of a Parquet file."""

    start: int
    stop: int
    lines_before: int = 0
    """The number of lines of the file that begin before the part."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: its path, its name in messages, the encoding of its text, and who watches the progress."""

    path: InputFile
    name: str
    encoding: str = UTF8
    sheet: str | None = None
    """The sheet of a spreadsheet to read; None for the only one."""
    part: Range | None = None
    """The part to read, of formats that have parts; None for the whole file."""
    meter: Meter = field(default_factory=Meter)

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.path.size if isinstance(self.path, StoredFile) else self.path.stat().st_size

    def metered(self, rows: Iterable[tuple[int, Any]], many: int) -> Iterator[tuple[int, Any]]:
        """Its rows, numbered from 1 to ``many``, which set the progress."""
        for number, row in rows:
            if number % EVERY == 0:
                self.meter.at(self.size * number // many)
            yield number, row

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn errors of the system, of unpacking, of Arrow and of object stores into ours, with the file's name.

        Raises DataError at the end if the file is in an object store and changed meanwhile.
        """
        import pyarrow as pa

        try:
            yield
        except UnicodeDecodeError as error:
            found = f"the byte 0x{error.object[error.start]:02x}, which is invalid in the encoding {error.encoding}"
            raise DataError(f"{self.name}: found {found}; give another --encoding.") from error
        except (OSError, EOFError, zlib.error, struct.error, pa.ArrowException) as error:
            is_of_store = isinstance(self.path, StoredFile) and isinstance(error, OSError)
            if is_of_store and not isinstance(error, gzip.BadGzipFile):
                raise fault(str(self.path), error) from None  # the cause may contain secrets
            reason = " ".join(str(error).split()) or type(error).__name__
            raise DataError(f"{self.name}: found damage ({reason}); copy the file again.") from error
        if isinstance(self.path, StoredFile):
            self.path.native().close()  # DataError if it has changed

    @contextmanager
    def opened(self) -> Iterator[io.BufferedReader]:
        """Its bytes."""
        with self.guarded(), self.path.open("rb") as raw:
            yield self.meter.follow(raw)

    @contextmanager
    def native(self) -> Iterator[Any]:
        """The same as a file of Arrow."""
        import pyarrow as pa

        path = self.path
        with (
            self.guarded(),
            path.native() if isinstance(path, StoredFile) else pa.OSFile(str(path)) as source,
        ):
            yield self.meter.follow(source)

    @contextmanager
    def text(self) -> Iterator[tuple[io.BufferedReader, io.BufferedReader[Any]]]:
        """The file itself, and its content: unpacked, in UTF-8, without a byte order mark.

        Raises DataError on any setting if nothing can be read after some damage.
        """
        with self.opened() as raw, _unpack(raw, endings(self.path)[1], self.name) as content:
            if self.encoding != UTF8:
                import pyarrow as pa

                source = pa.transcoding_input_stream(pa.PythonFile(content, "r"), self.encoding, UTF8)
                with _Unpacked(source, self.name) as recoded:
                    yield raw, recoded
                return
            if content.peek(3).startswith(codecs.BOM_UTF8):
                content.read(len(codecs.BOM_UTF8))
            yield raw, content

    def byte_lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines of its text with their numbers."""
        with self.text() as (_, content):
            yield from enumerate(content, 1)

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines of its text with their numbers, without their ends; DataError names a line that is not UTF-8."""
        for number, line in self.byte_lines():
            try:
                yield number, text_of_line(line)
            except DataError as error:
                raise at(f"{self.name}:{number}", error) from None


def text_of_line(line: bytes) -> str:
    """The text of a line without its end; DataError if it is not UTF-8."""
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise not_utf8(line[error.start], f"{error.start + 1} bytes from the line's start") from None


def encoding_of(path: InputFile, given: str | None = None) -> str:
    """Python's name of the given encoding (RequestError if it is unknown), or of the one that the file's first bytes suggest."""
    if given is not None:
        try:
            "".encode(given)
        except LookupError as error:
            raise RequestError(f"--encoding {given} is unknown. Examples: utf-8, cp1252, utf-16.") from error
        return codecs.lookup(given).name
    with suppress(OSError, EOFError, zlib.error):  # its reader reports the error
        with path.open("rb") as raw, _unpack(raw, endings(path)[1]) as content:
            sample = content.read(SAMPLE)
        if ending := next((BINARY[first] for first in BINARY if sample.startswith(first)), ""):
            more = " Unpack it if it is another ZIP archive." if ending == "xlsx" else ""
            raise RequestError(f"{printable(path)} is not a text file. Rename it to end in .{ending}.{more}")
        return detect_encoding(sample, is_whole=len(sample) < SAMPLE)
    return UTF8


class _Unpacked(io.BufferedReader):
    """The content of a packed file, or of one in another encoding. Lines and documents are limited to `LONGEST_PACKED`."""

    def __init__(self, source: Any, name: str = "") -> None:
        super().__init__(source, 1 << 20)
        self._of = name

    def __next__(self) -> bytes:
        if not (line := self.readline(LONGEST_PACKED + 1)):
            raise StopIteration
        return self._checked(line)

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size >= 0:
            return super().read(size)
        return self._checked(super().read(LONGEST_PACKED + 1))

    def _checked(self, content: bytes) -> bytes:
        if len(content) > LONGEST_PACKED:
            found = f"found a line, or one document, of over {LONGEST_PACKED >> 20} MiB"
            raise DataError(f"{self._of}: {found}; unpack the file, and save it as UTF-8.")
        return content


@contextmanager
def _unpack(raw: io.BufferedReader, packed: str, name: str = "") -> Iterator[io.BufferedReader[Any]]:
    if packed == "gz":
        with gzip.GzipFile(fileobj=raw) as inner, _Unpacked(inner, name) as content:
            yield content
    elif packed == "zst":
        import pyarrow as pa

        with _Unpacked(pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"), name) as content:
            yield content
    else:
        yield raw
