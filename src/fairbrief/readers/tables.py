"""Tables: CSV and similar line by line, Parquet and Arrow batch by batch, data frames slice by slice."""

from __future__ import annotations

import csv
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, MissingExtra, RequestError, first_line
from fairbrief.readers.files import File
from fairbrief.readers.json_lines import EVERY, PART, Range, Row
from fairbrief.readers.messages import did_you_mean, fault, names, not_utf8
from fairbrief.readers.object_stores import StoredFile
from fairbrief.text.counted import counted

NOT_UTF8 = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python decodes it with ``surrogateescape``."""
LARGEST = 1 << 26
"""Most bytes of one CSV field; a longer one indicates an open quotation mark."""


def read_csv(file: File, *, delimiter: str = ",", has_index: bool = False) -> Iterator[Row]:
    """The rows of a CSV file, or of one with another delimiter, as objects; the first line has the columns.

    If the first line does not contain the delimiter, but semicolons, tabs or bars, these separate the columns. ``has_index``: the first column may repeat another one, as the index of a data frame does.
    """
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST))
    with file.text() as (_, content):
        first = content.peek(1).partition(b"\n")[0]
        if delimiter.encode() not in first and first[:1] != b'"':  # a quoted name may contain any delimiter
            delimiter = max((delimiter, ",", ";", "\t", "|"), key=lambda mark: first.count(mark.encode()))
        lines = (line.decode(errors="surrogateescape") for line in content)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        _, cells = next(_records(reader), (1, []))
        if isinstance(cells, DataError):
            raise DataError(f"{file.name}:1: {cells}")
        header = [cell.strip() for cell in cells]
        check_columns(header[int(has_index) :], file.name)
        for number, cells in _records(reader):
            if isinstance(cells, DataError):
                yield number, cells
            elif len(cells) == len(header):
                yield number, {c: v for c, v in zip(header, cells, strict=True) if c}
            elif any(cell.strip() for cell in cells):
                wanted = f"{len(header)}, one per column"
                found = counted(len(cells), "field")
                yield number, fault(found, wanted, "quote fields that contain the delimiter")


def read_parquet(file: File, part: Range | None = None) -> Iterator[Row]:
    """The rows of a Parquet file, or of some of its row groups, as objects, numbered from 1 in the file."""
    with open_parquet(file) as table:
        growth = Growth(file.name, file.size)
        growth.columns(table.metadata.num_columns)
        check_columns(table.schema_arrow.names, file.name)
        first, stop = (0, table.num_row_groups) if part is None else part[:2]
        before = sum(table.metadata.row_group(i).num_rows for i in range(first))
        bytes_per_row = file.size / max(1, table.metadata.num_rows)
        for number, row in _rows_of(_batches(table, range(first, stop), growth), before):
            if number % EVERY == 0:
                file.at(int(number * bytes_per_row))
            yield number, row


def _batches(table: Any, groups: Iterable[int], growth: Growth) -> Iterator[Any]:
    """The batches, one row group at a time, since named row groups of remote files are fetched at once."""
    for group in groups:
        rows = growth.row_group(table.metadata.row_group(group))
        for batch in table.iter_batches(rows, row_groups=[group]):
            yield from _parts(batch, growth)


@contextmanager
def open_parquet(file: File) -> Iterator[Any]:
    """A Parquet file; of a remote one, only what is read is requested."""
    import pyarrow.parquet as pq

    is_stored = isinstance(file.path, StoredFile)
    with file.native() as source, pq.ParquetFile(source, pre_buffer=is_stored) as table:
        yield table


def row_group_ranges(file: File) -> list[Range]:
    """The parts of a Parquet file: row groups, joined up to `PART` bytes."""
    with open_parquet(file) as table:
        sizes = [table.metadata.row_group(i).total_byte_size for i in range(table.num_row_groups)]
    result, first, total = [], 0, 0
    for i, size in enumerate(sizes):
        if total and total + size > PART:
            result.append(Range(first, i))
            first, total = i, 0
        total += size
    return [*result, Range(first, len(sizes))] if sizes else []


def read_arrow(file: File) -> Iterator[Row]:
    """The rows of an Arrow IPC file or stream (Feather, version 2) as objects, numbered from 1."""
    import pyarrow as pa

    with file.native() as source:
        growth, start, many = Growth(file.name, file.size), 0, None
        if source.read(6) == b"ARROW1":  # then a stream and a footer follow
            start, many = 8, pa.ipc.open_file(source).num_record_batches
        try:
            for unpacked in arrow_messages(source, start):
                growth.add(unpacked)
        except struct.error as error:
            raise OSError(f"invalid message: {error}") from error
        source.seek(start)
        stream = pa.ipc.open_stream(source)
        growth.columns(len(stream.schema.names))
        check_columns(stream.schema.names, file.name)
        yield from _rows_of(_arrow_batches(stream, many, growth))


def _arrow_batches(stream: Any, many: int | None, growth: Growth) -> Iterator[Any]:
    """The batches of a stream in parts; OSError unless they are as ``many`` as the file's footer has."""
    count = 0
    for batch in stream:
        count += 1
        batch.validate(full=True)  # its offsets, which Arrow does not check by default
        yield from _parts(batch, growth)
    if many not in (None, count):
        raise OSError(f"{count} batches of {many}")


def _parts(batch: Any, growth: Growth) -> Iterator[Any]:
    """A batch in parts of few rows, fewer if they may repeat a long text of a dictionary."""
    has_dictionary = "dictionary<" in str(batch.schema)
    rows = max(1, min(ROWS, FREE // max(1, batch.get_total_buffer_size()))) if has_dictionary else ROWS
    for start in range(0, batch.num_rows, rows):
        part = batch.slice(start, rows)
        growth.add(_characters(list(_objects(part))) if has_dictionary else part.nbytes)
        yield part


def _characters(value: Any) -> int:
    """The characters of all texts in a value."""
    if isinstance(value, (list, dict)):
        return sum(map(_characters, value.values() if isinstance(value, dict) else value))
    return len(value) if isinstance(value, (str, bytes)) else 0


def read_frame(frame: Any, library: str) -> Iterator[Row]:
    """The rows of a pandas, polars or pyarrow table (or batch) as objects, numbered from 1."""
    if library == "pyarrow":
        batches = frame.to_batches(max_chunksize=ROWS) if hasattr(frame, "to_batches") else [frame]
        yield from _rows_of(batches)
        return
    slices = _pandas_slices(frame) if library == "pandas" else (s.to_dicts() for s in frame.iter_slices(ROWS))
    yield from enumerate((row for rows in slices for row in rows), 1)


def _pandas_slices(frame: Any) -> Iterator[list[dict[str, Any]]]:
    columns = [str(column) for column in frame.columns]
    for start in range(0, len(frame), ROWS):
        part = frame.iloc[start : start + ROWS].astype(object)
        part.columns = columns
        yield part.where(part.notna(), None).to_dict("records")


def _rows_of(batches: Iterable[Any], before: int = 0) -> Iterator[Row]:
    yield from enumerate((row for batch in batches for row in _objects(batch)), before + 1)


def _objects(batch: Any) -> Sequence[Any]:
    """The rows of a batch; an unreadable row is replaced by its error."""
    try:
        rows: list[Any] = batch.to_pylist()
    except ValueError as error:
        if batch.num_rows == 1:
            return [
                fault(f"an unreadable value ({error})", "UTF-8 text, numbers or lists", "correct the row")
            ]
        return [row for i in range(batch.num_rows) for row in _objects(batch.slice(i, 1))]
    return rows


def check_columns(columns: Sequence[str], where: str) -> None:
    """DataError for a repeated name of a column."""
    twice = [column for column, count in Counter(columns).items() if count > 1 and column]
    if twice:
        raise DataError(
            f"{where}: found the column {names(twice)} more than once; expected unique names; rename one."
        )


def _records(reader: Any) -> Iterator[tuple[int, list[str] | DataError]]:
    """Rows with the line on which each begins; an unreadable row is replaced by its error."""
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            found = f"invalid CSV in {_lines_from(start, reader)} ({error})"
            yield (
                start,
                fault(found, "closed quotation marks, doubled inside a field", "correct the quotation marks"),
            )
            continue
        if bad := next(filter(None, map(NOT_UTF8.search, cells)), None):
            yield start, not_utf8(ord(bad[0]) - 0xDC00, f"in {_lines_from(start, reader)}")
        elif cells:
            yield start, cells


def _lines_from(start: int, reader: Any) -> str:
    return f"line {start}" if start == reader.line_num else f"lines {start} to {reader.line_num}"


# ---- Limits of the memory that the values of a Parquet or Arrow file may take, checked before they are unpacked.


FREE = 1 << 28
"""Bytes that the values of any file may take."""
MOST_TIMES = 1_000
"""Above `FREE`, how many times the bytes of the file they may take; tables of texts take less than a hundred times."""
VALUE = 32
"""Bytes of a value in Python, without those of a text."""
MOST_COLUMNS = 10_000
SUSPECT = 1 << 21
"""Bytes of a column from which its dictionary may hold a long text that many rows repeat."""
ROWS = 256
"""Rows in memory at a time."""


@dataclass(slots=True)
class Growth:
    """The bytes that the values of a file take, so far."""

    name: str
    size: int
    unpacked: int = 0

    def add(self, unpacked: int) -> None:
        """Add values; DataError if they are too many for the file."""
        self.unpacked += unpacked
        if self.unpacked > max(FREE, MOST_TIMES * self.size):
            raise DataError(
                f"{self.name}: found values of {self.unpacked >> 20:,} MiB or more in a file of {self.size:,} bytes; expected at "
                f"most {MOST_TIMES:,} times the file, since this one could fill the memory; write it as JSON Lines."
            )

    def columns(self, many: int) -> None:
        """DataError for too many columns; nested fields count, too."""
        if many > MOST_COLUMNS:
            raise DataError(
                f"{self.name}: found {many:,} columns; expected at most {MOST_COLUMNS:,}; write only those that the audit needs, or one "
                "row per value."
            )

    def row_group(self, group: Any) -> int:
        """Add a row group of a Parquet file by its metadata; returns how many rows may be in memory at a time."""
        self.add(group.num_rows * VALUE)
        rows = ROWS
        for i in range(group.num_columns):
            column = group.column(i)
            packed, unpacked = column.total_compressed_size, column.total_uncompressed_size
            self.add(unpacked + column.num_values * VALUE)
            start = column.dictionary_page_offset
            is_long = start is not None and column.data_page_offset - start > SUSPECT
            if start is not None and unpacked > SUSPECT and (is_long or unpacked > 100 * packed):
                rows = min(rows, max(1, FREE // unpacked))
        return rows


def arrow_messages(source: Any, start: int) -> Iterator[int]:
    """The bytes that the values of each message of an Arrow stream take, from its header and the sizes before its buffers.

    Raises struct.error for invalid headers.
    """
    source.seek(start)
    while len(mark := source.read(4)) == 4:
        if mark == b"\xff\xff\xff\xff":  # absent before Arrow 0.15
            mark = source.read(4)
        if not (length := _u32(mark, 0)):
            return
        metadata, body = source.read(length), source.tell()
        message = _Table(metadata, _u32(metadata, 0))
        kind = message.number("<B", 1)
        if kind in (DICTIONARY, BATCH):
            batch = message.table(2)
            yield _unpacked(source, body, batch.table(1) if kind == DICTIONARY else batch)
        source.seek(body + message.number("<q", 3))


DICTIONARY, BATCH = 2, 3
"""The kinds of messages with values, in Arrow's format."""


def _unpacked(source: Any, body: int, batch: _Table) -> int:
    """The bytes of a batch: of its values in Python, and of its buffers, each of which begins with its size if it is packed."""
    total = VALUE * (batch.number("<q", 0) + sum(many for many, _ in batch.pairs(1)))
    is_packed = batch.place(3) is not None
    for offset, size in batch.pairs(2):
        total += size
        if is_packed and size >= 8:
            source.seek(body + offset)
            total += max(0, struct.unpack("<q", source.read(8))[0])
    return total


@dataclass(frozen=True, slots=True)
class _Table:
    """A table in the format of flatbuffers."""

    data: bytes
    at: int

    def place(self, field: int) -> int | None:
        """The place of a field; None if it is absent."""
        (back,) = struct.unpack_from("<i", self.data, self.at)
        entries = self.at - back
        (size,) = struct.unpack_from("<H", self.data, entries)
        if 4 + 2 * field >= size:
            return None
        (offset,) = struct.unpack_from("<H", self.data, entries + 4 + 2 * field)
        return self.at + offset if offset else None

    def number(self, kind: str, field: int) -> int:
        """A number; 0 if it is absent."""
        place = self.place(field)
        return 0 if place is None else int(struct.unpack_from(kind, self.data, place)[0])

    def table(self, field: int) -> _Table:
        """A table inside this one."""
        place = self.place(field)
        if place is None:
            raise struct.error("a table is absent")
        return _Table(self.data, place + _u32(self.data, place))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """A list of pairs of numbers."""
        if (place := self.place(field)) is not None:
            start = place + _u32(self.data, place)
            for i in range(_u32(self.data, start)):
                first, second = struct.unpack_from("<qq", self.data, start + 4 + 16 * i)
                yield first, second


def _u32(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])


# ---- Spreadsheets: the rows of one sheet as objects; its first row that is not empty has the columns.


EXTRA = "excel"
CELL = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
MOST_UNPACKED, MOST_CELLS = 1 << 26, 1 << 22
"""Bytes and cells up to which any sheet is read; larger ones must not be mostly empty."""


def read_sheet(file: File, *, sheet: str | None = None) -> Iterator[Row]:
    """The rows of a sheet, numbered as in the spreadsheet; empty cells are null, empty rows are skipped."""
    header: list[str] | None = None
    for number, cells in enumerate(_sheet(file, sheet), 1):
        values = [_cell_value(cell) for cell in cells]
        if all(value is None for value in values):
            continue
        if header is None:
            header = ["" if value is None else str(value).strip() for value in values]
            check_columns(header, f"{file.name}:{number}")
            continue
        yield number, {column: value for column, value in zip(header, values, strict=False) if column}


def _sheet(file: File, wanted: str | None) -> Iterator[Sequence[Any]]:
    """The rows of the named sheet, or of the only one that is not empty.

    Errors of the library, which may also panic, become DataError with the file's name.
    """
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtra("python-calamine", EXTRA, "Reading a spreadsheet") from error
    _check_size(file)
    try:
        with file.opened() as raw:
            book = calamine.load_workbook(str(file.path) if isinstance(file.path, Path) else raw)
        sheets = {title: book.get_sheet_by_name(title) for title in book.sheet_names}
        if title := _title(sheets, file.name, wanted):
            yield from sheets[title].to_python(skip_empty_area=False)
    except BaseException as error:
        if not isinstance(error, calamine.CalamineError) and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"{file.name}: found damage ({first_line(error)}); expected a complete spreadsheet without a password; save the file again."
        ) from error


def _title(sheets: Mapping[str, Any], name: str, wanted: str | None) -> str | None:
    """The title of the wanted sheet, or of the only one that is not empty; None if all are empty."""
    if wanted is not None and wanted not in sheets:
        raise RequestError(
            f"{name} has no sheet {wanted!r}. Its sheets: {names(sheets)}.{did_you_mean(wanted, sheets)}"
        )
    filled = [title for title, result in sheets.items() if result.width and result.height]
    if wanted is None and len(filled) > 1:
        raise RequestError(f"{name} has the sheets {names(filled)}: choose one, as {name}#{filled[0]}.")
    return wanted or next(iter(filled), None)


def _check_size(file: File) -> None:
    """DataError for a small file that would fill the memory, since one distant cell makes a sheet large."""
    with file.opened() as raw:
        if not zipfile.is_zipfile(raw):
            return
        try:
            with zipfile.ZipFile(raw) as book:
                for info in book.infolist():
                    _check_part(book, info, file.name)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
            return  # its reader reports the error


def _check_part(book: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> None:
    most = max(MOST_UNPACKED, 50 * info.compress_size)
    with book.open(info) as part:
        content = part.read(most + 1)
    if len(content) > most:
        raise DataError(
            f"{name}: found {info.filename}, which unpacks to over {most >> 20} MiB; expected a smaller sheet, "
            "since this one could fill the memory; save it as CSV."
        )
    cells = rows = columns = 0
    for cell in CELL.finditer(content) if "/worksheets/" in info.filename else ():
        cells += 1
        rows, columns = max(rows, int(cell[2])), max(columns, _column_number(cell[1]))
    if rows * columns > MOST_CELLS and rows * columns > 16 * cells:
        raise DataError(
            f"{name}: found {counted(cells, 'cell')} in a sheet of {rows:,} rows and {columns:,} columns; expected a sheet "
            "that is not mostly empty; delete the cells far from the table, or save it as CSV."
        )


def _column_number(column: bytes) -> int:
    result = 0
    for letter in column:
        result = 26 * result + letter - 64
    return result


def _cell_value(cell: Any) -> Any:
    """A cell as text, a number, a truth value or a date in ISO form; null if it is empty."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell
