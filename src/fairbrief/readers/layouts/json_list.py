"""A JSON document that holds its rows in a list under one of its keys, as in ``{"data": [{…}, …]}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fairbrief.errors import DataError
from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.layouts.documents_of_json import load
from fairbrief.readers.messages import names


def read(path: InputFile, name: str, meter: Meter, encoding: str) -> Iterator[tuple[int, Any]]:  # noqa: ARG001 # read at once
    """A row for each object of the only list of objects."""
    whole = load(path, name, encoding)
    lists = [
        key
        for key, value in whole.items()
        if isinstance(value, list) and any(isinstance(v, Mapping) for v in value)
    ]
    if len(lists) != 1:
        raise DataError(
            f"{name}: found lists of objects under {names(lists)}; wanted one such list; write it to a file."
        )
    yield from enumerate(whole[lists[0]], 1)
