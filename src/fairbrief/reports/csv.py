"""Tables and estimates as CSV, in which no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby, repeat
from typing import Any, TextIO

from fairbrief.reports.frames import TYPES, Estimates
from fairbrief.reports.number_format import MINUS
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Table

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20|%]")
LINES = 1_000
"""Lines that are written together."""
NUMBER = re.compile(r"[+-]?(\d[\d,]*)?(\.\d+)?(e[+-]?\d+)?%?", re.IGNORECASE)


def render(shown: Result | Table | Iterable[Estimate]) -> str:
    """One printed table, or estimates (of a result: then its differences) with all fields at full precision."""
    out = io.StringIO()
    write(shown, out)
    return out.getvalue()


def write(shown: Result | Table | Iterable[Estimate], out: TextIO) -> None:
    """`render` into an open text file, row by row."""
    if isinstance(shown, Result):
        shown = Estimates((*shown.estimates, *shown.differences))
    if isinstance(shown, Table):
        rows = (shown.header, *([cell.replace(MINUS, "-") for cell in row] for row in shown.rows))
        csv.writer(out, lineterminator="\n").writerows(map(cell, row) for row in rows)
        return
    found = Estimates(shown)
    names = found.columns
    out.write(_lines(map(_quoted, names), 1))
    out.writelines(_lines(map(_cells, names, columns), len(columns[0])) for columns in found.blocks(LINES))


def _lines(columns: Iterable[list[str] | str], lines: int) -> str:
    """What `csv.writer` writes, in a tenth of the time: the texts of estimates are long and few.

    A column is a cell for each line, or one for all; neighbours that are one for all are joined once.
    """
    joined: list[Iterable[str]] = []
    for kind, several in groupby(columns, key=type):
        members = list(several)
        joined += [repeat(",".join(map(str, members)), lines)] if kind is str else members
    return "".join([",".join(row) + "\n" for row in zip(*joined, strict=True)])


def _cells(name: str, column: Sequence[Any]) -> list[str] | str:
    """A column of estimates as its cells stand in lines; the cell alone where it is the same in all."""
    write = str if name in TYPES else _quoted
    first = column[0]
    if (first is None or write is _quoted) and first == column[-1] and column.count(first) == len(column):
        return "" if first is None else write(first)
    if write is str:
        return ["" if v is None else str(v) for v in column]
    known = {v: "" if v is None else _quoted(v) for v in set(column)}
    return [known[v] for v in column]


def cell(value: Any) -> str | float | None:
    """A number or nothing as it is; a text that a spreadsheet could run stands behind an apostrophe."""
    if value is None or isinstance(value, (int, float)):
        return value
    return _text(str(value))


@lru_cache(maxsize=1 << 12)
def _text(value: str) -> str:
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


@lru_cache(maxsize=1 << 12)
def _quoted(value: str) -> str:
    """The cell of a text, in which no line breaks, as it stands in a line."""
    text = _text(value)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text
