"""JSON lines of the usual shape, decoded by their types: the same records and summaries as `fields` reads, sooner.

Whatever is not of that shape (another type, an entity, a number as an id, a broken line) is left to the careful
way, which knows what to say of it. Only a number of thousands of digits in a field that nobody reads, which the
careful way refuses, is passed over here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from fairbrief.errors import DataError
from fairbrief.readers.field_values import NOTHING, attributes_of
from fairbrief.readers.fields import Fields
from fairbrief.readers.json_lines import parse_line
from fairbrief.readers.row_summaries import summary
from fairbrief.readers.rows import Read
from fairbrief.types import Document, Record

MOST = 10_000
"""Objects of attributes that are remembered; documents of equal attributes share one."""

_ABSENT = msgspec.Raw()


class _Document(msgspec.Struct, gc=False):
    text: str
    attributes: msgspec.Raw = _ABSENT
    id: msgspec.UnsetType = msgspec.UNSET


class _Line(msgspec.Struct, gc=False):
    id: str
    documents: list[_Document | str]
    summary: str
    system: str | None = None
    references: list[str] | str | None = None
    attributes: msgspec.Raw = _ABSENT
    original: str | None = None
    entities: None = None
    units: None = None
    reason: None = None
    made: None = None


class _OnlyDocument(_Document, gc=False, forbid_unknown_fields=True):
    """A document without other fields, which might hold an attribute."""


class _OnlyLine(_Line, gc=False, forbid_unknown_fields=True):
    documents: list[_OnlyDocument | str]  # type: ignore[assignment]


class TypedLine:
    """A line whose types are as they should be, on its way to a `Read`."""

    __slots__ = ("_attributes", "_documents", "_line", "_references")

    def __init__(
        self,
        line: _Line,
        documents: tuple[Document, ...],
        references: tuple[str, ...],
        attributes: Mapping[str, str],
    ) -> None:
        self._line = line
        self._documents = documents
        self._references = references
        self._attributes = attributes

    def read(self, where: str, system: str) -> Read:
        """The line's record and summary; ``system`` is the name of one that has none."""
        line = self._line
        record = Record(
            line.id, self._documents, self._references, (), self._attributes, line.original or None, where
        )
        return Read(record, (summary(line.id, system if line.system is None else line.system, line.summary),))


class LineParser:
    """Parses the lines of one file: called with a line and its byte offset, gives a `TypedLine` or what `parse_line` gives."""

    def __init__(self, fields: Fields) -> None:
        # Attributes that were named may stand in fields of their own: then only lines without others are typed.
        self._decoder = msgspec.json.Decoder(_OnlyLine if fields.labels else _Line)
        self._known: dict[bytes, Mapping[str, str]] = {b"": NOTHING}

    def __call__(self, line: bytes, start: int) -> Any:
        """The line's content, or what is wrong with it."""
        try:
            if not line.isascii():
                line.decode()  # the decoder does not look into fields that are not read
            found = self._decoder.decode(line)
            if b"\\u0000" in line or not _is_named(found):
                return parse_line(line, start)
            documents = tuple([self._document(given) for given in found.documents])
            own = self._attributes(found.attributes)
        except (msgspec.DecodeError, DataError, ValueError, RecursionError):
            return parse_line(line, start)
        given = found.references
        references = (given,) if isinstance(given, str) and given else tuple(given or ())
        return TypedLine(found, documents, references, own)

    def _document(self, given: _Document | str) -> Document:
        if isinstance(given, str):
            return Document(given)
        return Document(given.text, self._attributes(given.attributes))

    def _attributes(self, raw: msgspec.Raw) -> Mapping[str, str]:
        content = bytes(raw)
        known = self._known.get(content)
        if known is None:
            if len(self._known) >= MOST:
                self._known = {b"": NOTHING}
            known = self._known[content] = attributes_of(json.loads(content), "the attributes")
        return known


def is_for(fields: Fields) -> bool:
    """Whether lines have their fields where typed lines have them."""
    is_usual = replace(fields, labels=()) == Fields()
    return is_usual and not {*fields.labels} & {*_Line.__struct_fields__, *_Document.__struct_fields__}


def _is_named(line: _Line) -> bool:
    """Whether the names are no blank ones, and there is a document."""
    return bool(
        line.documents
        and line.id
        and not line.id.isspace()
        and (line.system is None or (line.system and not line.system.isspace()))
        and not (line.original and line.original.isspace())
    )
