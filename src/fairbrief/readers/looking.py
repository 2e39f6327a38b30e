"""A look at files: their first rows, read as name and beginning suggest, and what their fields hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import files
from fairbrief.readers.columns import Column, columns_of
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import Said, Source, find_sources, no_record, not_a_row
from fairbrief.readers.layouts import LAYOUTS
from fairbrief.readers.messages import at
from fairbrief.readers.wrapped_records import held_in

HEAD = 1_000
"""Rows of a file that are looked at."""
DELIMITED = ("ssv", "tsv")


@dataclass(slots=True)
class Looked:
    """A file that was looked at."""

    path: str
    source: Source
    said: dict[str, str]
    rows: list[Mapping[str, Any]]
    holds: str = ""
    """Where the records stand, if the file is one object around them."""
    columns: dict[str, Column] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = columns_of(self.rows)

    @property
    def is_of_a_tool(self) -> bool:
        """Whether another tool wrote it, so that its rows are as ours."""
        return self.source.kind in LAYOUTS and self.source.kind != "json-list"

    @property
    def is_bare(self) -> bool:
        """Whether another tool wrote it, and wrote no documents."""
        return self.is_of_a_tool and not any(name.startswith("documents") for name in self.columns)


def look_at(path: str) -> list[Looked]:
    """The first rows of a file; of each sheet of a spreadsheet.

    Raises as an audit does where there is no row, or none that can be read, and RequestError for a document of JSON
    that holds records in a way that is not read.
    """
    said: dict[str, str] = {}
    source = find_sources(path)[0]
    try:
        rows = _head(source)
    except RequestError as error:
        if "--sheet" in str(error) and (sheets := _sheets(Path(path))):
            return [one for sheet in sheets for one in look_at(f"{path}#{sheet}")]
        said = {"format": _delimited(str(error))}
        if not said["format"]:
            raise
        source = find_sources(path, Said(**said))[0]
        rows = _head(source)
    if (holds := held_in(source, rows)) is not None:
        said = {"format": "json-list"}
        source = find_sources(path, Said(**said))[0]
        rows = _head(source)
    return [Looked(path, source, said, _objects(rows, source), holds or "")]


def is_plain(path: str) -> bool:
    """Whether a file holds a summary a line and no fields."""
    ending = files.endings(Path(path))[0]
    return Path(path).is_file() and ending in ("txt", "out", "hyp", "pred") and ending not in files.FORMATS


def _head(source: Source) -> list[tuple[int, Any]]:
    return list(islice(source.rows(Meter()), HEAD))


def _objects(rows: list[tuple[int, Any]], source: Source) -> list[Mapping[str, Any]]:
    """The rows that could be read; DataError where there is none."""
    found = [row for _, row in rows if isinstance(row, Mapping)]
    if found:
        return found
    if not rows:
        raise no_record(source.name)
    number, error = rows[0]
    raise at(f"{source.name}:{number}", error if isinstance(error, DataError) else not_a_row(error))


def _delimited(message: str) -> str:
    """The format that reads a table of another delimiter, as the message says."""
    return next((name for name in DELIMITED if f"say --format {name}" in message), "")


def _sheets(path: Path) -> list[str]:
    """The sheets of a spreadsheet that hold a table: two rows and two columns at least."""
    from fairbrief.readers.spreadsheets import sheets_of

    return [title for title, (rows, columns) in sheets_of(path).items() if rows > 1 and columns > 1]
