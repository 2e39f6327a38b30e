"""Tables and estimates as CSV, in which no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TextIO

from fairbrief.reports.frames import TYPES, Estimates
from fairbrief.reports.number_format import MINUS
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Table

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20|%]")
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
    written = csv.writer(out, lineterminator="\n")
    if isinstance(shown, Table):
        rows = (shown.header, *([cell.replace(MINUS, "-") for cell in row] for row in shown.rows))
        written.writerows(map(cell, row) for row in rows)
        return
    found = Estimates(shown)
    written.writerow(map(cell, found.columns))
    texts = [i for i, name in enumerate(found.columns) if name not in TYPES]
    for row in found.rows():
        for i in texts:
            row[i] = cell(row[i])
        written.writerow(row)


def cell(value: Any) -> str | float | None:
    """A number or nothing as it is; a text that a spreadsheet could run stands behind an apostrophe."""
    if value is None or isinstance(value, (int, float)):
        return value
    return _text(str(value))


@lru_cache(maxsize=1 << 12)
def _text(value: str) -> str:
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
