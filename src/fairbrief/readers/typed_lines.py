"""JSON lines of the usual shape, decoded by their types: the same records and summaries as `rows` reads, sooner.

Whatever is not of that shape (another type, an entity, a broken line) is left to the careful way, which knows what to
say of it. Only a number of thousands of digits in a field that nobody reads, which the careful way refuses, is passed
over here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

import msgspec

from fairbrief.errors import DataError
from fairbrief.readers.documents import Draft
from fairbrief.readers.field_values import NOTHING, attributes_of, id_of
from fairbrief.readers.fields import OWN, Fields
from fairbrief.readers.json_lines import parse_line
from fairbrief.readers.row_summaries import summary, told
from fairbrief.readers.rows import Read, RowReader
from fairbrief.types import Document, Record, Summary

MOST = 10_000
"""Objects of attributes that are remembered; documents of equal attributes share one."""

_ABSENT = msgspec.Raw()
_NONE: tuple[Any, Mapping[str, str]] = (None, NOTHING)


class _Document(msgspec.Struct, gc=False):
    text: str
    attributes: msgspec.Raw = _ABSENT
    id: Any = msgspec.UNSET


class _Line(msgspec.Struct, gc=False):
    """The fields that have the same name in every file."""

    attributes: msgspec.Raw = _ABSENT
    original: Any = None
    entities: None = None
    units: None = None
    reason: Any = None
    made: Any = None


class TypedLine(msgspec.Struct, gc=False):
    """A line whose types are as they should be: all of its record but the place, and its summary."""

    id: str
    documents: tuple[Document, ...]
    references: tuple[str, ...]
    attributes: Mapping[str, str]
    original: str | None
    cluster_by: str | None
    summary: Summary

    def read(self, where: str) -> Read:
        """The line's record, which came from ``where``, and its summary."""
        record = Record(
            self.id, self.documents, self.references, (), self.attributes, self.original, where, self.cluster_by
        )  # fmt: skip
        return Read(record, (self.summary,))


class LineParser:
    """Parses the lines of one file: called with a line and its byte offset, gives a `TypedLine` or what `parse_line` gives.

    ``reader`` is the file's, whose fields are such as `is_for` allows.
    """

    def __init__(self, reader: RowReader) -> None:
        fields = reader.fields
        self._reader = reader
        self._system, self._cluster = reader.system, fields.cluster
        self._named = _named(fields)
        self._outer = {f"named_{i}": name for i, name in enumerate(self._named)}
        of_documents = {*fields.attributes.values(), *fields.labels, fields.document_id}
        own = {key: name for key, name in self._outer.items() if name in of_documents and name != "id"}
        self._inner = {"id": "id", **own}
        document = _struct(_Document, own)
        self._of_document = attrgetter(*self._inner)
        self._bare = self._of_document(document(text=""))
        line = _line_type(fields, document, self._outer)
        self._decode = msgspec.json.Decoder(line).decode
        self._of_line = attrgetter(*self._outer) if self._outer else _nothing
        self._bare_line = self._of_line(line(id=None, documents=[]))
        self._alone = {fields.cluster} - of_documents - {*fields.record_attributes.values()}
        mapped = [*fields.attributes.items(), *fields.record_attributes.items()]
        self._is_renamed = any(name != source for name, source in mapped)
        self._known = {b"": _NONE}

    def __call__(self, line: bytes, start: int) -> Any:
        """The line's content, or what is wrong with it."""
        try:
            if not line.isascii():
                line.decode()  # the decoder does not look into fields that are not read
            found = self._decode(line)
            if not found.documents or (b"\\" in line and b"\\u0000" in line):
                return parse_line(line, start)
            return self._typed(found)
        except (msgspec.DecodeError, DataError, ValueError, RecursionError):
            return parse_line(line, start)

    def _typed(self, found: Any) -> TypedLine:
        given, own = self._attributes(found.attributes)
        row = NOTHING if self._of_line(found) == self._bare_line else _values(found, self._outer)
        documents = self._plain(found.documents) if not self._outer or self._is_plain(row, own) else None
        if documents is None:
            draft = self._draft(found.documents)
            documents, own = self._reader.completed({**row, "attributes": given}, draft, own)
        elif self._cluster is not None:
            own = self._reader.with_cluster({**row, "attributes": given}, self._cluster, own)
        ident, references, original = id_of(found.id), found.references, found.original
        system = self._system if found.system is None else id_of(found.system)
        said = summary(ident, system, found.summary)
        if found.reason is not None or found.made is not None:
            said = told(said, found.reason, found.made)
        if not isinstance(references, tuple):
            references = (references,) if references else ()
        original = None if original is None or original == "" else id_of(original)
        return TypedLine(ident, documents, references, own, original, self._cluster, said)

    def _is_plain(self, row: Mapping[str, Any], own: Mapping[str, str]) -> bool:
        """Whether the row gives nothing to its documents: it has no field for them, nor a list in a text."""
        if self._is_renamed or (row and not row.keys() <= self._alone):
            return False
        return not own or not any(own.get(name, "").startswith("[") for name in self._named)

    def _plain(self, documents: Iterable[Any]) -> tuple[Document, ...] | None:
        """The documents; None where one has more than its text and attributes."""
        get, bare, found = self._of_document, self._bare, []
        for given in documents:
            if given.__class__ is str:
                found.append(Document(given, NOTHING))
            elif get(given) == bare:
                found.append(Document(given.text, self._attributes(given.attributes)[1]))
            else:
                return None
        return tuple(found)

    def _draft(self, documents: Iterable[Any]) -> Draft:
        """The documents as the careful way has them before fields that were named give them more."""
        draft = Draft()
        for given in documents:
            if isinstance(given, str):
                draft.append(given, given, NOTHING)
            else:
                held, attributes = self._attributes(given.attributes)
                as_given = {"text": given.text, "attributes": held, **_values(given, self._inner)}
                draft.append(given.text, as_given, attributes)
        return draft

    def _attributes(self, raw: msgspec.Raw) -> tuple[Any, Mapping[str, str]]:
        """An object of attributes as it was given, and read."""
        if raw is _ABSENT:
            return _NONE
        content = bytes(raw)
        known = self._known.get(content)
        if known is None:
            if len(self._known) >= MOST:
                self._known = {b"": _NONE}
            given = json.loads(content)
            known = self._known[content] = given, attributes_of(given, "the attributes")
        return known


def is_for(fields: Fields) -> bool:
    """Whether lines may have their fields where typed lines have them: each under a plain name of its own."""
    gathers = fields.group_by is not None or fields.has_several_documents
    if fields.id is None or gathers or fields.has_several_summaries:
        return False
    given = [fields.id, fields.documents[0], fields.summary[0][1], fields.system, fields.references]
    names = [*given, *OWN, "text", *_named(fields)]
    return len({*names}) == len(names) and all(map(_is_plain, names))


def _is_plain(name: str) -> bool:
    """Whether a name is no path and no pattern, and stands in JSON as it is."""
    return name.isprintable() and bool(name) and not {*name} & {*'.[*"\\'}


def _named(fields: Fields) -> list[str]:
    """The fields that give something to documents or records beside what all lines have."""
    several = [*fields.attributes.values(), *fields.labels, *fields.record_attributes.values()]
    single = [name for name in (fields.cluster, fields.document_id) if name is not None]
    return [*dict.fromkeys([*several, *single])]


def _line_type(fields: Fields, document: Any, named: Mapping[str, str]) -> Any:
    """Lines whose fields are called as ``fields`` says, with those that were named beside them."""
    return _struct(
        _Line,
        named,
        ("id", Any, msgspec.field(name=fields.id)),
        ("documents", list[document | str], msgspec.field(name=fields.documents[0])),
        ("summary", str | None, msgspec.field(name=fields.summary[0][1], default=None)),
        ("system", Any, msgspec.field(name=fields.system, default=None)),
        ("references", tuple[str, ...] | str | None, msgspec.field(name=fields.references, default=None)),
    )


def _struct(base: type[msgspec.Struct], named: Mapping[str, str], *others: tuple[str, Any, Any]) -> Any:
    """The type with fields more, which are read under names of their own."""
    more = [(key, Any, msgspec.field(name=name, default=msgspec.UNSET)) for key, name in named.items()]
    return msgspec.defstruct(base.__name__, [*others, *more], bases=(base,), kw_only=True, gc=False)


def _nothing(_: Any) -> None:
    """What a line has in fields of other names, where none was named."""


def _values(found: Any, named: Mapping[str, str]) -> dict[str, Any]:
    """The fields of these names that were there."""
    values = {}
    for key, name in named.items():
        if (value := getattr(found, key)) is not msgspec.UNSET:
            values[name] = value
    return values
