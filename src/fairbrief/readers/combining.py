"""Rows combined: with what another file has of the same id, or the rows of a record to one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.documents import need
from fairbrief.readers.field_values import id_of
from fairbrief.readers.fields import ABSENT, Fields, FieldUse, find
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import Source, one_source
from fairbrief.readers.json_lines import Row
from fairbrief.readers.laid_rows import LaidRows
from fairbrief.readers.messages import at, did_you_mean, fault, names, show


def join_of(path: str | Path | None, on: str | None) -> Join | None:
    """The file to join, and by what; ``on`` is a field of both, or OWN=OTHER."""
    if (path is None) != (on is None):
        raise RequestError("A join needs the file and the field to join by: --join FILE --on ID.")
    if path is None or on is None:
        return None
    source = one_source(path)
    own, equals, other = on.partition("=")
    return Join(source, own, other if equals else own)


@dataclass(frozen=True, slots=True)
class Join:
    """A file whose rows complete those of the input: where ``own`` of a row is ``other`` of the file's row.

    A joined row's fields stand beside the row's own; a field that both have is the row's own, and the joined
    one is reached through the file's name: ``sources.text``.
    """

    source: Source
    own: str
    other: str

    def rows(self, source: Iterator[Row]) -> Iterator[Row]:
        """The rows, each completed; one that the file says nothing of is an error in its place."""
        with LaidRows() as laid:
            yield from self._lay(laid)
            for number, row in source:
                yield number, self._completed(row, laid)

    def _lay(self, laid: LaidRows) -> Iterator[Row]:
        for number, row in self.source.rows(Meter()):
            where = f"{self.source.name}:{number}"
            if isinstance(row, DataError):
                yield number, at(where, row)
                continue
            key = self._key(row, self.other, self.source.name)
            if key in laid:
                raise at(
                    where,
                    fault(
                        "a second row with this id",
                        "one row for each id",
                        f"where each row is one document, audit {self.source.name} itself with --group-by {self.other}, "
                        "and give the summaries with --summaries",
                    ),
                    key,
                )
            laid.lay(key, row)

    def _completed(self, row: Any, laid: LaidRows) -> Any:
        if not isinstance(row, Mapping):
            return row
        try:
            key = self._key(row, self.own, "the input")
        except DataError as error:
            return error
        if key not in laid:
            return fault(
                f"the id {key!r}, of which {self.source.name} has no row",
                "a row to join",
                "add it, or leave such rows out with --on-error skip",
            )
        (joined,) = laid.take(key)
        return {self.source.system: joined, **joined, **row}

    def _key(self, row: Any, field: str, name: str) -> str:
        value = find(row, field) if isinstance(row, Mapping) else ABSENT
        if value is ABSENT:
            known = names(row) if isinstance(row, Mapping) else "none"
            guess = did_you_mean(field, row) if isinstance(row, Mapping) else ""
            raise RequestError(
                f"A row of {name} has no field {field!r} to join by. Its fields: {known}.{guess} "
                "Where it is called differently in the two files, write --on FIELD=FIELD-OF-THE-OTHER."
            )
        return id_of(value, f"the field {field!r}")


Laid = tuple[int, dict[str, Any]]
"""The number of a row, and the values of those of its fields that are read."""


class LongTable:
    """Gathers the rows of a source by the field that names their record (and by system, if rows name one).

    What speaks of a document (its text, id, attributes) becomes a list; what speaks of the record (summary,
    references, attributes of the record) must be the same in all its rows, where it is given.
    """

    def __init__(self, fields: Fields, use: FieldUse, *, own_summaries: bool) -> None:
        assert fields.group_by is not None
        if fields.has_several_documents:
            raise RequestError(
                "With --group-by each row holds one document: name one field with --documents-field, or drop --group-by."
            )
        self.key = fields.group_by
        self.fields = fields
        self.use = use
        self.text = fields.documents[0]
        self.each = [
            f for f in (fields.document_id, *fields.attributes.values(), *fields.labels) if f is not None
        ]
        self.once = [
            fields.references,
            "original",
            "entities",
            "units",
            "reason",
            *fields.record_attributes.values(),
        ]
        self.once += [fields.cluster] if fields.cluster is not None else []
        if own_summaries:
            self.once += [fields.system, *fields.summary_names()]
        self.without_text = 0
        """Rows whose text is null or blank: they hold no document."""

    def rows(self, source: Iterator[Row]) -> Iterator[Row]:
        """A row for each record, numbered by its first; rows that cannot be read as their errors, before."""
        with LaidRows() as laid:
            for number, row in source:
                try:
                    self._lay(laid, number, row)
                except DataError as error:
                    yield number, error
            for key in laid:
                yield self._gathered(key[0], laid.take(key))

    def _lay(self, laid: LaidRows, number: int, row: Any) -> None:
        if isinstance(row, DataError):
            raise row
        if not isinstance(row, Mapping):
            raise fault(show(row), "a row with named fields", "give a table, or objects with the same fields")
        ident = id_of(need(row, self.key), f"the value of {self.key!r}")
        self.use.use(row, self.key)
        system = self.use.value(row, self.fields.system)
        found = {field: self.use.value(row, field) for field in (*self.each, *self.once, self.text)}
        values = {field: value for field, value in found.items() if value is not ABSENT}
        laid.lay((ident, None if system in (None, ABSENT) else str(system)), (number, values))

    def _gathered(self, ident: str, rows: list[Laid]) -> Row:
        number = rows[0][0]
        gathered: dict[str, Any] = {self.key: ident}
        kept = [row for row in rows if not _is_blank(row[1].get(self.text))]
        self.without_text += len(rows) - len(kept)
        if not kept:
            return number, fault(
                f"no text in {self.text!r} in any row of {ident!r}",
                "at least one",
                "fill it in, or remove the rows",
            )
        gathered[self.text] = [values[self.text] for _, values in kept]
        for field in self.each:
            if any(field in values for _, values in kept):
                gathered[field] = [values.get(field) for _, values in kept]
        try:
            for field in self.once:
                if (value := _agreed(field, rows)) is not ABSENT:
                    gathered[field] = value
        except DataError as error:
            return number, at_record(ident, error)
        return number, gathered


def at_record(ident: str, error: DataError) -> DataError:
    """The error with the record that it is in."""
    return DataError(f"the record {ident!r}: {error}")


def _agreed(field: str, rows: list[Laid]) -> Any:
    """What the rows of a record that say anything agree on; ABSENT where no row has the field."""
    said = [(number, values[field]) for number, values in rows if field in values]
    given = [(number, value) for number, value in said if not _is_blank(value)]
    for number, value in given[1:]:
        if value != given[0][1]:
            raise fault(
                f"{show(given[0][1])} in the field {field!r} of row {given[0][0]} and {show(value)} in row {number}",
                "one value in all rows of a record",
                "mend it, or, if it speaks of the document, name it with --attribute",
            )
    return given[0][1] if given else (said[0][1] if said else ABSENT)


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
