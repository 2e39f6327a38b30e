"""The parts that a file can be read in by several readers at once; where they begin depends on the file alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from fairbrief.errors import DataError
from fairbrief.readers import json_lines, tables
from fairbrief.readers.encodings import UTF8
from fairbrief.readers.field_values import id_of
from fairbrief.readers.fields import ID
from fairbrief.readers.files import InputFile, Meter, opened
from fairbrief.readers.input_sources import Source
from fairbrief.readers.json_lines import Range
from fairbrief.readers.paths import find


def ranges_of(source: Source, id_field: str) -> list[Range] | None:
    """The ranges that a source can be read in; None where it must be read from its beginning, also to number its rows."""
    if source.path is None or source.is_compressed or source.kind not in ("jsonl", "parquet"):
        return None
    if source.encoding != UTF8:
        return None
    first = next((row for _, row in source.rows(Meter()) if isinstance(row, Mapping)), None)
    if first is not None and id_field == ID and ID not in first:
        return None
    if source.kind == "parquet":
        return tables.row_group_ranges(source.path, source.name)
    return json_lines.line_ranges(source.size)


def places_of(source: Source, id_field: str) -> Iterator[tuple[str, int]]:
    """Each row's id with the start of a part that holds it: the first byte of its line, or its row group.

    Of a source that has ranges. Rows without an id that can be read are passed over.
    """
    assert source.path is not None
    if source.kind == "parquet":
        yield from _places_in_groups(source.path, id_field)
        return
    is_plain = id_field.isidentifier()
    line: Any = msgspec.defstruct("Id", [("id", Any, msgspec.field(name=id_field))]) if is_plain else Any
    decode = msgspec.json.Decoder(line).decode
    with opened(source.path) as file:
        start = 0
        for content in file:
            try:
                found = decode(content)
                ident = id_of(found.id if is_plain else find(found, id_field))
            except (msgspec.DecodeError, DataError, AttributeError, TypeError, RecursionError):
                pass
            else:
                yield ident, start
            start += len(content)


def _places_in_groups(path: InputFile, id_field: str) -> Iterator[tuple[str, int]]:
    with tables.open_parquet(path) as file:
        for group in range(file.num_row_groups):
            for ident in file.read_row_group(group, columns=[id_field])[id_field].to_pylist():
                with suppress(DataError):
                    yield id_of(ident), group


def part_of(source: Source, part: Range) -> Source:
    """One range of a source, as a source.

    Lines are counted from the part's own first: the name says the byte that the part begins at, and
    `with_line_numbers` makes it the line's number where a message needs it.
    """
    assert source.path is not None
    if source.kind == "parquet":
        rows = partial(tables.read_parquet, source.path, source.name, part=part)
        return replace(source, rows=rows)
    rows = partial(json_lines.read_lines, source.path, source.name, part=part)
    return replace(source, name=f"{source.name}@{part[0]}" if part[0] else source.name, rows=rows)


def with_line_numbers(message: str, files: Sequence[InputFile]) -> str:
    """The message with places such as ``reviews.jsonl@8388608:12`` as ``reviews.jsonl:4711``.

    ``files`` are the input's. Reads the file up to that byte, and is for errors only.
    """

    def place(found: re.Match[str]) -> str:
        before = json_lines.count_lines(of_name[found[1]], int(found[2]))
        return f"{found[1]}:{before + int(found[3])}"

    of_name = {name: path for path in files for name in (str(path), path.name)}
    known = "|".join(re.escape(name) for name in sorted(of_name, key=len, reverse=True))
    return re.sub(rf"({known})@(\d+):(\d+)", place, message) if known else message
