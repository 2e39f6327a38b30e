"""Tables and estimates as CSV, in which no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from fairbrief.reports.frames import Estimates
from fairbrief.reports.number_format import MINUS
from fairbrief.reports.plain import printable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Table

FORMULA = re.compile(r"\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20|%]")
NUMBER = re.compile(r"[+-]?(\d[\d,]*)?(\.\d+)?(e[+-]?\d+)?%?", re.IGNORECASE)


def render(shown: Result | Table | Iterable[Estimate]) -> str:
    """One printed table, or estimates (of a result: then its differences) with all fields at full precision."""
    if isinstance(shown, Result):
        shown = (*shown.estimates, *shown.differences)
    if isinstance(shown, Table):
        rows: list[list[Any]] = [
            list(shown.header),
            *([cell.replace(MINUS, "-") for cell in row] for row in shown.rows),
        ]
    else:
        found = Estimates(shown)
        rows = [found.columns, *(list(row.values()) for row in found.to_dicts())]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([map(cell, row) for row in rows])
    return out.getvalue()


def cell(value: Any) -> str:
    """A number as it is; a text that a spreadsheet could run stands behind an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, (bool, int, float)):
        return repr(value)
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text
