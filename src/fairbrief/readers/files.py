"""Files as streams of bytes in UTF-8: which format, which encoding, compressed or not, how far read."""

from __future__ import annotations

import codecs
import difflib
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.messages import names
from fairbrief.readers.object_stores import StoredFile, fault
from fairbrief.text.addresses import COPYING

UTF8 = "utf-8"
SAMPLE = 1 << 20
"""Bytes at a file's beginning that are looked at."""
CHUNK = 1 << 16
MARKS = (
    (codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
WESTERN = "cp1252"
CANDIDATES = (
    "cp1251", "koi8_r", "cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp1250", "cp1253", "cp1254", "cp1256",
    "cp1255",
)  # fmt: skip
"""What files are written in that are not in UTF-8: the encodings of Windows, and those of East Asia."""


def known_encoding(encoding: str) -> str:
    """The encoding under the name that Python has for it; RequestError for one that it has not."""
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except LookupError as error:
        raise RequestError(
            f"There is no encoding '{encoding}' (--encoding). Write one as in utf-8, cp1252, latin-1, utf-16, gb18030."
        ) from error
    return found.name


def detect_encoding(sample: bytes, *, is_whole: bool) -> str:
    """The likeliest encoding of a text that begins so.

    Text in which most of what is not ASCII is UTF-8 is damaged UTF-8: whoever reads it names the damage.
    """
    for mark, encoding in MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample[:CHUNK] and (wide := _without_mark(sample)):
        return wide
    decoder = codecs.getincrementaldecoder(UTF8)
    try:
        decoder().decode(sample, final=is_whole)
    except UnicodeDecodeError:
        pass
    else:
        return UTF8
    text = decoder("surrogateescape").decode(sample, final=is_whole)
    bad = sum("\udc80" <= character <= "\udcff" for character in text)
    good = sum(character > "\x7f" for character in text) - bad
    return UTF8 if good >= bad else _other(sample)


def _without_mark(sample: bytes) -> str:
    """UTF-16 without a byte order mark: every other byte of a text in Latin letters is zero."""
    even, odd = sample[:CHUNK:2], sample[1:CHUNK:2]
    if odd.count(0) > len(odd) / 2:
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > len(even) / 2 else ""


def _other(sample: bytes) -> str:
    from charset_normalizer import from_bytes

    for candidates in ([WESTERN], list(CANDIDATES)):  # Western text would pass for Central European, too
        if (best := from_bytes(sample, cp_isolation=candidates).best()) is not None:
            return best.encoding
    return UTF8


class Recoded(io.RawIOBase):
    """The bytes of a text in another encoding, as UTF-8."""

    def __init__(self, source: IO[bytes], encoding: str, name: str) -> None:
        self.source = source
        self.encoding = encoding
        self.name = name
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.held = b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; 0 at the end."""
        view = memoryview(buffer)
        while not self.held:
            data = self.source.read(CHUNK)
            self.held = self._decoded(data).encode(UTF8, "surrogatepass")
            if not data:
                break
        many = min(len(view), len(self.held))
        view[:many], self.held = self.held[:many], self.held[many:]
        return many

    def _decoded(self, data: bytes) -> str:
        try:
            return self.decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise DataError(
                f"{self.name}: found the byte 0x{byte:02x}, which is nothing in the encoding {self.encoding}; wanted text "
                "in one encoding; say another one with --encoding, or save the file anew."
            ) from error


FORMATS = {
    "jsonl": "jsonl", "ndjson": "jsonl", "json": "json", "csv": "csv", "tsv": "tsv", "ssv": "ssv",
    "xlsx": "excel", "xlsm": "excel", "xls": "excel", "xlsb": "excel", "ods": "excel",
    "eval": "inspect", "parquet": "parquet", "pq": "parquet", "arrow": "arrow", "feather": "arrow", "ipc": "arrow",
}  # fmt: skip
"""A file's ending, or what the caller says, to the format that it is read as."""
InputFile = Path | StoredFile
"""Where bytes are read from: on this machine, or in an object store."""
COMPRESSED = ("gz", "zst")
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/")
"""What an address begins with, of which a path has kept one stroke."""
LONGEST_PACKED = 1 << 25
"""Bytes that one line, or a document that is read whole, may unpack to: beyond, a small file could fill the memory."""


@dataclass(slots=True)
class Meter:
    """How far the input has been read, for a progress bar, and where the row stands that was read last."""

    bytes_read: int = 0
    before: int = 0
    """Bytes of the files that are done."""
    lines: int = 0
    """Lines of the last file, or of the part of it, that was read to its end."""
    row: int = 0
    """Where the row stands that was read last, in a file that has parts: the first byte of its line, or its row group."""

    def at(self, position: int) -> None:
        """Note the position in the current file."""
        self.bytes_read = self.before + position


def endings(path: InputFile) -> tuple[str, str]:
    """A file's format ending and compression ending, lower case; empty where it has none."""
    parts = path.name.lower().split(".")[1:]
    packed = parts.pop() if parts and parts[-1] in COMPRESSED else ""
    return (parts[-1] if parts else ""), packed


def stem(path: InputFile) -> str:
    """A file's name without the endings that say its format."""
    ending, packed = endings(path)
    name = path.name[: len(path.name) - len(packed) - bool(packed)]
    return name[: len(name) - len(ending) - 1] if ending and name[: -len(ending) - 1] else name


def size_of(path: InputFile) -> int:
    """How many bytes a file has."""
    return path.size if isinstance(path, StoredFile) else path.stat().st_size


def printable(path: InputFile | str) -> str:
    """A path as a message can show it, whatever bytes it is made of."""
    return os.fsencode(str(path)).decode("utf-8", "replace")


def parted(path: Path) -> tuple[Path, str | None]:
    """A spreadsheet and the sheet of it that is named behind a #; other paths as they are."""
    file, mark, sheet = str(path).rpartition("#")
    if mark and not path.exists() and FORMATS.get(endings(Path(file))[0]) == "excel":
        return Path(file), sheet
    return path, None


def check(path: Path) -> None:
    """RequestError unless there is a file to read; it names what is near."""
    shown = printable(path)
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir() if p.is_file() and endings(p)[0] in FORMATS)
        found = f"It holds {names(inside)}: name those." if inside else "It holds no file that can be read."
        raise RequestError(f"{shown} is a folder, and not one that the library 'datasets' saved. {found}")
    if not path.exists():
        if scheme := ADDRESS.match(shown):
            raise RequestError(
                f"{shown} is not read: addresses are of {', '.join(f'{store}://' for store in COPYING)}, not of {scheme[1]}. Of a "
                "file of this machine give the path."
            )
        parent = path.parent
        beside = [p.name for p in parent.iterdir()] if parent.is_dir() else []
        near = difflib.get_close_matches(path.name, beside, n=3)
        guess = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise RequestError(f"There is no file {shown}.{guess}")
    if not os.access(path, os.R_OK):
        raise RequestError(f"{shown} may not be read by you: change its permissions.")


def format_of(path: InputFile, said: str | None = None, others: Iterable[str] = ()) -> str:
    """The format to read a file as: what the caller says, else its ending; ``others`` may be said, too."""
    name = said.lower().lstrip(".") if said else endings(path)[0]
    if name not in FORMATS:
        what = f"'{said}' is no format" if said else f"{printable(path)} has no ending that tells its format"
        raise RequestError(
            f"{what}. Formats: {', '.join((*FORMATS, *others))} (text also as .gz, .zst); say one with --format."
        )
    return FORMATS[name]


@contextmanager
def opened(path: InputFile) -> Iterator[io.BufferedReader]:
    """A file's bytes; DataError at the end where it lies in an object store and was changed meanwhile."""
    with unchanged(path), path.open("rb") as raw:
        yield raw


@contextmanager
def unchanged(path: InputFile) -> Iterator[None]:
    """DataError, once the file was read, where it lies in an object store and was changed meanwhile; also what the store cannot do."""
    try:
        yield
    except OSError as error:
        if _is_of_store(path, error):
            raise fault(str(path), error) from None  # what it was raised from may say more than may be shown
        raise
    if isinstance(path, StoredFile):
        path.check()


def _is_of_store(path: InputFile | None, error: Exception) -> bool:
    """Whether an error is one of reading from an object store, and not of what was read."""
    return (
        isinstance(path, StoredFile)
        and isinstance(error, OSError)
        and not isinstance(error, gzip.BadGzipFile)
    )


@contextmanager
def open_text(
    path: InputFile, name: str, encoding: str = UTF8
) -> Iterator[tuple[io.BufferedReader, io.BufferedReader[Any]]]:
    """The file itself and its content, unpacked, in UTF-8, without a byte order mark.

    A file that is damaged so that nothing after the damage can be read stops the reading, on every setting.
    """
    with opened(path) as raw, unreadable(name, path), _unpack(raw, endings(path)[1], name) as content:
        if encoding != UTF8:
            with _Unpacked(Recoded(content, encoding, name), 1 << 20) as recoded:
                recoded.of = name
                yield raw, recoded
            return
        if content.peek(3).startswith(codecs.BOM_UTF8):
            content.read(len(codecs.BOM_UTF8))
        yield raw, content


def encoding_of(path: InputFile) -> str:
    """The encoding that a text file's first bytes tell; UTF-8 where they cannot be read."""
    try:
        with path.open("rb") as raw, _unpack(raw, endings(path)[1]) as content:
            sample = content.read(SAMPLE)
    except (OSError, EOFError, zlib.error):
        return UTF8  # whoever reads it says what is wrong
    return detect_encoding(sample, is_whole=len(sample) < SAMPLE)


@contextmanager
def unreadable(name: str, path: InputFile | None = None) -> Iterator[None]:
    """Say which file it is that the system, zlib or Arrow cannot read on; what a store cannot do is told by `unchanged`."""
    import pyarrow as pa

    try:
        yield
    except (OSError, EOFError, zlib.error, pa.ArrowException, UnicodeDecodeError) as error:
        if _is_of_store(path, error):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(
            f"{name}: found damage ({reason}); wanted a whole file; make or copy the file again."
        ) from error


class _Unpacked(io.BufferedReader):
    """The content of a packed file, or one in another encoding, of which no line, and no document, is longer than `LONGEST_PACKED`."""

    of = ""

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
            raise DataError(
                f"{self.of}: found a line (or one document) of more than {LONGEST_PACKED >> 20} MiB in what is packed, or not in UTF-8; "
                "wanted shorter ones, which cannot fill the memory; unpack it, and save it as UTF-8, if it is to be read nevertheless."
            )
        return content


@contextmanager
def _unpack(raw: io.BufferedReader, packed: str, name: str = "") -> Iterator[io.BufferedReader[Any]]:
    if packed == "gz":
        with gzip.GzipFile(fileobj=raw) as inner, _Unpacked(inner, 1 << 20) as content:
            content.of = name
            yield content
    elif packed == "zst":
        import pyarrow as pa

        with _Unpacked(pa.CompressedInputStream(pa.PythonFile(raw, "r"), "zstd"), 1 << 20) as content:
            content.of = name
            yield content
    else:
        yield raw
