"""A look at files: their first rows, read as name and beginning suggest, and what their fields hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import files
from fairbrief.readers.columns import Column, columns_of
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import Said, Source, find_sources, no_record, not_a_row
from fairbrief.readers.json_lines import Row
from fairbrief.readers.layouts import LAYOUTS, lists_of, load
from fairbrief.readers.messages import at, names
from fairbrief.text.counted import counted

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


# -------------------------------------------------------------------- one object around the records


def held_in(source: Source, rows: Sequence[Row]) -> str | None:
    """Where the records of a file stand that the format json-list reads, in words; None for any other file.

    ``rows`` are the file's first. RequestError for columns under their names, which no format reads.
    """
    whole = _whole(source, rows)
    if whole is None:
        return None
    objects = [value for value in whole.values() if isinstance(value, Mapping)]
    if len(objects) == len(whole) > 1:
        shared = set.intersection(*(set(value) for value in objects))
        if _has("documents", shared):
            return (
                f"one object that holds {counted(len(whole), 'record')} under their names: {names(whole, 3)}"
            )
        if _has("documents", whole) and all(len(value) == len(shared) for value in objects):
            raise RequestError(
                f"{source.name} holds a table by its columns ({names(whole, 5)}), as pandas writes it. Write an object "
                "for each row: table.to_json(FILE, orient='records')."
            )
    for key, listed in lists_of(whole).items():
        fields = columns_of([value for value in listed if isinstance(value, Mapping)])
        is_alone = len(whole) == 1
        if not _is_record(whole) and _has("documents", fields) and (is_alone or _has("summary", fields)):
            return f"one object that holds {counted(len(listed), 'record')} under {key!r}"
    return None


def _whole(source: Source, rows: Sequence[Row]) -> Mapping[str, Any] | None:
    """The object that a file is, on one line or on several; None where it is none."""
    if source.kind in ("json", "jsonl") and len(rows) == 1 and isinstance(rows[0][1], Mapping):
        return rows[0][1]
    if source.kind != "json" or source.path is None or any(isinstance(row, Mapping) for _, row in rows):
        return None
    try:
        return load(source.path, source.name, source.encoding)
    except DataError:
        return None  # what is wrong with its lines is said


def _is_record(whole: Mapping[str, Any]) -> bool:
    """Whether the object is a record itself, which has documents or a summary."""
    fields = [Column(str(name), [value]) for name, value in whole.items()]
    return any(f.name in ("documents", "summary") or (f.is_called("summary") and f.is_text) for f in fields)


def _has(what: str, fields: Any) -> bool:
    return any(Column(str(name)).is_called(what) for name in fields)
