"""A JSON document that holds its rows in a list under one of its keys, as in ``{"data": [{…}, …]}``, or each under its id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.errors import DataError
from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.layouts.documents_of_json import load
from fairbrief.readers.messages import names


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each object of the only list of objects; without a list, for each object, its key as its id if it has none."""
    whole = load(path, name, encoding)
    lists = lists_of(whole)
    if not lists and whole and all(isinstance(value, Mapping) for value in whole.values()):
        yield from enumerate(({"id": key, **value} for key, value in whole.items()), 1)
        return
    if len(lists) != 1:
        raise DataError(
            f"{name}: found lists of objects under {names(lists)}; wanted one such list; write it to a file."
        )
    yield from enumerate(next(iter(lists.values())), 1)


def lists_of(whole: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of a document that hold objects, by their keys."""
    return {
        key: value
        for key, value in whole.items()
        if isinstance(value, list) and any(isinstance(v, Mapping) for v in value)
    }
