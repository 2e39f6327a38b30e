"""Spreadsheets: the rows of one sheet as objects; its first row that holds anything names the columns."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, MissingExtra, RequestError, first_line
from fairbrief.readers.files import Meter, unreadable
from fairbrief.readers.json_lines import Row
from fairbrief.readers.messages import did_you_mean, names
from fairbrief.readers.tables import check_columns
from fairbrief.text.counted import counted

EXTRA = "excel"
CELL = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
MOST_UNPACKED, MOST_CELLS = 1 << 26, 1 << 22
"""Bytes and cells of a sheet below which it is read in any case: beyond, it must not be mostly nothing."""


def read_sheet(path: Path, name: str, meter: Meter, sheet: str | None) -> Iterator[Row]:  # noqa: ARG001 # read at once
    """The rows of a sheet, numbered as the spreadsheet shows them; empty cells are null, empty rows none."""
    header: list[str] | None = None
    for number, cells in enumerate(_sheet(path, name, sheet), 1):
        values = [_value(cell) for cell in cells]
        if all(value is None for value in values):
            continue
        if header is None:
            header = _header(values, name, number)
            continue
        yield number, {column: value for column, value in zip(header, values, strict=False) if column}


def _sheet(path: Path, name: str, wanted: str | None) -> Iterator[Sequence[Any]]:
    """The rows of the sheet that is wanted, or of the only one that holds something."""
    calamine = _library()
    _refuse_mostly_nothing(path, name)
    with _whole(name, calamine):
        book = calamine.load_workbook(str(path))
        sheets = {title: book.get_sheet_by_name(title) for title in book.sheet_names}
        filled = [title for title, found in sheets.items() if found.width and found.height]
        if wanted is not None and wanted not in sheets:
            raise RequestError(
                f"{name} has no sheet {wanted!r}. Its sheets: {names(sheets)}.{did_you_mean(wanted, sheets)}"
            )
        if wanted is None and len(filled) > 1:
            raise RequestError(
                f"{name} has the sheets {names(filled)}: say which with --sheet, or as {name}#{filled[0]}."
            )
        if wanted is None and not filled:
            return
        yield from sheets[wanted or filled[0]].to_python(skip_empty_area=False)


@contextmanager
def _whole(name: str, calamine: Any) -> Iterator[None]:
    """Say which file it is that cannot be read; the library may also fall over one ("PanicException")."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, calamine.CalamineError) and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"{name}: found damage ({first_line(error)}); wanted a whole spreadsheet without a password; save the file again."
        ) from error


def _refuse_mostly_nothing(path: Path, name: str) -> None:
    """DataError for a small file that would fill the memory: one far cell makes a sheet as large as it is far."""
    if not zipfile.is_zipfile(path):
        return
    with unreadable(name):
        try:
            with zipfile.ZipFile(path) as book:
                for info in book.infolist():
                    _look_through(book, info, name)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
            return  # whoever reads it says what is wrong


def _look_through(book: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> None:
    unpacked = cells = rows = columns = 0
    rest = b""
    with book.open(info) as part:
        while chunk := part.read(1 << 20):
            unpacked += len(chunk)
            if unpacked > MOST_UNPACKED and unpacked > 50 * info.compress_size:
                raise DataError(
                    f"{name}: found {info.filename}, which unpacks to over {unpacked >> 20} MiB; wanted a sheet that cannot "
                    "fill the memory; save it as CSV if it is to be read nevertheless."
                )
            if "/worksheets/" in info.filename:
                text = rest + chunk
                for column, row in CELL.findall(text):
                    cells += 1
                    rows, columns = max(rows, int(row)), max(columns, _number(column))
                rest = text[-16:] if not CELL.search(text[-16:]) else b""
    if rows * columns > MOST_CELLS and rows * columns > 16 * cells:
        raise DataError(
            f"{name}: found {counted(cells, 'cell')} in a sheet of {rows:,} rows and {columns:,} columns; wanted a sheet that is "
            "not mostly empty; delete what stands far from the table, or save it as CSV."
        )


def _number(column: bytes) -> int:
    found = 0
    for letter in column:
        found = 26 * found + letter - 64
    return found


def _header(cells: Sequence[Any], name: str, number: int) -> list[str]:
    header = ["" if cell is None else str(cell).strip() for cell in cells]
    check_columns(header, f"{name}:{number}")
    return header


def _value(cell: Any) -> Any:
    """A cell as other tables have it: text, a number, a truth value, a date in ISO form; null if it is empty."""
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell


def _library() -> Any:
    try:
        import python_calamine
    except ImportError as error:
        raise MissingExtra("python-calamine", EXTRA, "Reading a spreadsheet") from error
    return python_calamine


def sheets_of(path: Path) -> dict[str, tuple[int, int]]:
    """The sheets that hold something, with their numbers of rows and columns."""
    _refuse_mostly_nothing(path, path.name)
    book = _library().load_workbook(str(path))
    sheets = {title: book.get_sheet_by_name(title) for title in book.sheet_names}
    return {
        title: (sheet.height, sheet.width) for title, sheet in sheets.items() if sheet.width and sheet.height
    }
