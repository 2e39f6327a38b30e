"""A file that is one JSON object around its records: they stand in a list under one key, or under a key each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.columns import Column, columns_of
from fairbrief.readers.input_sources import Source
from fairbrief.readers.json_lines import Row
from fairbrief.readers.layouts.evaluation_documents import lists_of, load
from fairbrief.readers.messages import names
from fairbrief.text.counted import counted


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
