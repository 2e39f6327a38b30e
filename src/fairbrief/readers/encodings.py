"""In which encoding a text file is written: told by its marks, by its bytes, or by whoever reads it."""

from __future__ import annotations

import codecs
import io
from typing import IO, Any

from fairbrief.errors import DataError, RequestError

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


def known(encoding: str) -> str:
    """The encoding under the name that Python has for it; RequestError for one that it has not."""
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except LookupError as error:
        raise RequestError(
            f"There is no encoding '{encoding}' (--encoding). Write one as in utf-8, cp1252, latin-1, utf-16, gb18030."
        ) from error
    return found.name


def detect(sample: bytes, *, is_whole: bool) -> str:
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
