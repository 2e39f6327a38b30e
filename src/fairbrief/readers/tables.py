"""Tables: CSV and similar line by line, Parquet and Arrow batch by batch, data frames slice by slice."""

from __future__ import annotations

import csv
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import reduce
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError, first_line, optional_library
from fairbrief.readers.files import NOT_UTF8, File, Range
from fairbrief.readers.json_lines import PART, Row
from fairbrief.readers.messages import fault, names, not_utf8, unknown
from fairbrief.readers.object_stores import StoredFile
from fairbrief.text.counted import counted

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
                is_short = len(cells) < len(header)
                remedy = "add the missing ones" if is_short else "quote fields that contain the delimiter"
                yield number, fault(counted(len(cells), "field"), f"{len(header)}, one per column", remedy)


def read_parquet(file: File) -> Iterator[Row]:
    """The rows of a Parquet file, or of some of its row groups, as objects, numbered from 1 in the file."""
    with open_parquet(file) as table:
        growth = Growth(file.name, file.size)
        check_columns(table.schema_arrow.names, file.name, table.metadata.num_columns)
        first, stop = (0, table.num_row_groups) if file.part is None else file.part[:2]
        before = sum(table.metadata.row_group(i).num_rows for i in range(first))
        rows = _rows_of(_batches(table, range(first, stop), growth), before)
        yield from file.metered(rows, table.metadata.num_rows)


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
    """The parts of a Parquet file: row groups, joined to about `PART` bytes."""
    with open_parquet(file) as table:
        sizes = [table.metadata.row_group(i).total_byte_size for i in range(table.num_row_groups)]
    before = list(accumulate(sizes, initial=0))
    parts = [list(part) for _, part in groupby(range(len(sizes)), lambda i: before[i] // PART)]
    return [Range(part[0], part[-1] + 1) for part in parts]


def read_arrow(file: File) -> Iterator[Row]:
    """The rows of an Arrow IPC file or stream (Feather, version 2) as objects, numbered from 1."""
    import pyarrow as pa

    with file.native() as source:
        growth, start, many = Growth(file.name, file.size), 0, None
        if source.read(6) == b"ARROW1":  # then a stream and a footer follow
            start, many = 8, pa.ipc.open_file(source).num_record_batches
        source.seek(start)
        for message in pa.ipc.MessageReader.open_stream(source):
            growth.add(_unpacked(message))
        source.seek(start)
        stream = pa.ipc.open_stream(source)
        check_columns(stream.schema.names, file.name, len(stream.schema.names))
        yield from _rows_of(_arrow_batches(stream, many, growth))


def _arrow_batches(stream: Any, many: int | None, growth: Growth) -> Iterator[Any]:
    """The batches of a stream in parts; OSError unless they are as ``many`` as the file's footer has."""
    count = 0
    for count, batch in enumerate(stream, 1):  # noqa: B007 # counted
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
    """The rows of a pandas, polars or pyarrow table (or batch) as objects, numbered from 1; DataError for a repeated column."""
    columns = frame.schema.names if library == "pyarrow" else frame.columns
    check_columns([*map(str, columns)], "table")
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
            return [fault(f"an unreadable value ({error})", "text, numbers or lists", "correct the row")]
        return [row for i in range(batch.num_rows) for row in _objects(batch.slice(i, 1))]
    return rows


def check_columns(columns: Sequence[str], where: str, many: int = 0) -> None:
    """DataError for a repeated name of a column, and for too many columns; ``many`` also counts nested fields."""
    if many > MOST_COLUMNS:
        raise DataError(f"{where}: found {many:,} columns; expected at most {MOST_COLUMNS:,}; write fewer.")
    twice = [column for column, count in Counter(columns).items() if count > 1 and column]
    if twice:
        raise DataError(f"{where}: found the column {names(twice)} twice; expected unique names; rename one.")


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
            yield start, fault(found, "closed quotation marks, doubled inside a field", "correct them")
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
            found = f"found values of {self.unpacked >> 20:,} MiB or more in a file of {self.size:,} bytes"
            raise DataError(f"{self.name}: {found}, too many for the memory; write it as JSON Lines.")

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


def _unpacked(message: Any) -> int:
    """The bytes that the values of a message of an Arrow stream take, from its header and the sizes before its buffers.

    Its header is a table in the format of flatbuffers. Raises struct.error if it is invalid.
    """
    if message.type not in ("dictionary", "record batch"):
        return 0
    data = message.metadata.to_pybytes()
    batch = _target(data, _field(data, _target(data, 0), 2))
    if message.type == "dictionary":
        batch = _target(data, _field(data, batch, 1))
    rows, is_packed = _field(data, batch, 0), bool(_field(data, batch, 3))
    total = VALUE * (struct.unpack_from("<q", data, rows)[0] if rows else 0)
    total += VALUE * sum(many for many, _ in _pairs(data, _field(data, batch, 1)))
    for offset, size in _pairs(data, _field(data, batch, 2)):
        total += size
        if is_packed and size >= 8:  # a packed buffer begins with its size
            total += max(0, struct.unpack_from("<q", message.body, offset)[0])
    return total


def _field(data: bytes, table: int, number: int) -> int:
    """The place of a field of a table; 0 if it is absent."""
    entries = table - struct.unpack_from("<i", data, table)[0]
    is_known = 4 + 2 * number < struct.unpack_from("<H", data, entries)[0]
    offset = struct.unpack_from("<H", data, entries + 4 + 2 * number)[0] if is_known else 0
    return table + offset if offset else 0


def _target(data: bytes, place: int) -> int:
    """The place of the table or list to which a field refers."""
    return place + int(struct.unpack_from("<I", data, place)[0])


def _pairs(data: bytes, place: int) -> Iterator[tuple[int, int]]:
    """The list of pairs of numbers to which a field refers; empty without the field."""
    if place:
        start = _target(data, place)
        many = struct.unpack_from("<I", data, start)[0]
        yield from struct.iter_unpack("<qq", data[start + 4 : start + 4 + 16 * many])


# ---- Spreadsheets: the rows of one sheet as objects; its first row that is not empty has the columns.


CELL = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
MOST_UNPACKED, MOST_CELLS = 1 << 26, 1 << 22
"""Bytes and cells up to which any sheet is read; larger ones must not be mostly empty."""


def read_sheet(file: File) -> Iterator[Row]:
    """The rows of a sheet, numbered as in the spreadsheet; empty cells are null, empty rows are skipped."""
    header: list[str] | None = None
    for number, cells in enumerate(_sheet(file), 1):
        values = [_cell_value(cell) for cell in cells]
        if all(value is None for value in values):
            continue
        if header is None:
            header = ["" if value is None else str(value).strip() for value in values]
            check_columns(header, f"{file.name}:{number}")
            continue
        yield number, {column: value for column, value in zip(header, values, strict=False) if column}


def _sheet(file: File) -> Iterator[Sequence[Any]]:
    """The rows of the named sheet, or of the only one that is not empty.

    Errors of the library, which may also panic, become DataError with the file's name.
    """
    calamine = optional_library("python_calamine", "excel", "Reading a spreadsheet")
    _check_size(file)
    try:
        with file.opened() as raw:
            book = calamine.load_workbook(str(file.path) if isinstance(file.path, Path) else raw)
        sheets = {title: book.get_sheet_by_name(title) for title in book.sheet_names}
        if title := _title(sheets, file):
            yield from sheets[title].to_python(skip_empty_area=False)
    except BaseException as error:
        if not isinstance(error, calamine.CalamineError) and type(error).__name__ != "PanicException":
            raise
        found = f"found damage ({first_line(error)})"
        raise DataError(f"{file.name}: {found}; save the file again, without a password.") from error


def _title(sheets: Mapping[str, Any], file: File) -> str | None:
    """The title of the wanted sheet, or of the only one that is not empty; None if all are empty."""
    name, wanted = file.name, file.sheet
    if wanted is not None and wanted not in sheets:
        raise unknown(f"{name} has no sheet {wanted!r}.", wanted, sheets)
    filled = [title for title, result in sheets.items() if result.width and result.height]
    if wanted is None and len(filled) > 1:
        raise RequestError(f"{name} has the sheets {names(filled)}: choose one, as {name}#{filled[0]}.")
    return wanted or next(iter(filled), None)


def _check_size(file: File) -> None:
    """DataError for a small file that would fill the memory, since one distant cell makes a sheet large."""
    with file.opened() as raw:
        if not zipfile.is_zipfile(raw):
            return
        with suppress(zipfile.BadZipFile, RuntimeError, NotImplementedError):  # its reader reports the error
            book = zipfile.ZipFile(raw)
            for info in book.infolist():
                _check_part(book, info, file.name)


def _check_part(book: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> None:
    most = max(MOST_UNPACKED, 50 * info.compress_size)
    with book.open(info) as part:
        content = part.read(most + 1)
    if len(content) > most:
        found = f"found {info.filename} of over {most >> 20} MiB, too much for the memory"
        raise DataError(f"{name}: {found}; save it as CSV.")
    cells = rows = columns = 0
    for cell in CELL.finditer(content) if "/worksheets/" in info.filename else ():
        column = reduce(lambda number, letter: 26 * number + letter - 64, cell[1], 0)
        cells, rows, columns = cells + 1, max(rows, int(cell[2])), max(columns, column)
    if rows * columns > max(MOST_CELLS, 16 * cells):
        found = f"{counted(cells, 'cell')} in {rows:,} rows and {columns:,} columns"
        raise DataError(f"{name}: found {found}; delete those far from the table, or save it as CSV.")


def _cell_value(cell: Any) -> Any:
    """A cell as text, a number, a truth value or a date in ISO form; null if it is empty."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell
