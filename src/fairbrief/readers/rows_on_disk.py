"""Rows in a temporary file, read again by key. Few are in memory, of many only the places."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from tempfile import SpooledTemporaryFile, gettempdir
from types import TracebackType
from typing import IO, Any, Self

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.documents import need
from fairbrief.readers.field_values import id_of
from fairbrief.readers.fields import ABSENT, Fields, FieldUse
from fairbrief.readers.json_lines import Row
from fairbrief.readers.messages import fault, show

HELD = 1 << 26
"""Bytes in memory up to which nothing is written to the disk."""


class RowsOnDisk:
    """Objects by key, in the order in which the keys first came. The file is deleted with the context or the object.

    Raises OSError with the folder of temporary files if the disk is full.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=HELD)  # noqa: SIM115 # closed by the finalizer
        self._close = weakref.finalize(self, _close, self._file)
        self._places: dict[Any, list[int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def add(self, key: Any, row: Any) -> None:
        """Append an object to its key."""
        with _naming_the_folder():
            self._places.setdefault(key, []).append(self._file.seek(0, 2))
            pickle.dump(row, self._file, protocol=pickle.HIGHEST_PROTOCOL)

    def __contains__(self, key: Any) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places)

    def take(self, key: Any) -> list[Any]:
        """All objects of a key, in order; empty if it is unknown."""
        return [self._at(place) for place in self._places.get(key, ())]

    def pop(self, key: Any) -> list[Any]:
        """Remove a key and return its objects; empty if it is unknown."""
        return [self._at(place) for place in self._places.pop(key, ())]

    def _at(self, place: int) -> Any:
        with _naming_the_folder():  # what is still to be written is written first
            self._file.seek(place)
        return pickle.load(self._file)  # noqa: S301 # our temporary file, which has no name


@contextmanager
def _naming_the_folder() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, gettempdir()) from error


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # a full disk, already reported
        file.close()


# ---- Combines the rows of a record into one row.


StoredRow = tuple[int, dict[str, Any]]
"""The number of a row, and the values of its fields that are read."""


class LongTable:
    """Combines the rows of a source by the field with the record's id (and by system, if rows name one).

    Fields of documents (text, id, attributes) become lists. Fields of the record (summary, references, attributes of
    the record) must be equal in all its rows, where they are not blank.
    """

    def __init__(self, fields: Fields, use: FieldUse, *, own_summaries: bool) -> None:
        assert fields.group_by is not None
        if fields.has_several_documents:
            raise RequestError(
                "--group-by needs one field of documents, since each row is one document: give one --documents-field, or drop "
                "--group-by."
            )
        self.key = fields.group_by
        self.fields = fields
        self.use = use
        self.text = fields.documents[0]
        self.each = [*fields.attributes.values(), *fields.labels]
        self.once = [
            fields.references,
            "seed_document",
            "entities",
            "claims",
            "reason",
            *fields.record_attributes.values(),
        ]
        self.once += [fields.cluster] if fields.cluster is not None else []
        if own_summaries:
            self.once += [fields.system, *fields.summary_names()]

    def rows(self, source: Iterator[Row]) -> Iterator[Row]:
        """One row per record, with the number of its first row; before them, errors for unreadable rows."""
        with RowsOnDisk() as stored:
            for number, row in source:
                try:
                    self._store(stored, number, row)
                except DataError as error:
                    yield number, error
            for key in stored:
                yield self._gathered(key[0], stored.take(key))

    def _store(self, stored: RowsOnDisk, number: int, row: Any) -> None:
        if isinstance(row, DataError):
            raise row
        if not isinstance(row, Mapping):
            raise fault(show(row), "a row with named fields", "give a table, or objects with the same fields")
        ident = id_of(need(row, self.key), f"the value of {self.key!r}")
        self.use.use(row, self.key)
        system = self.use.value(row, self.fields.system)
        result = {field: self.use.value(row, field) for field in (*self.each, *self.once, self.text)}
        values = {field: value for field, value in result.items() if value is not ABSENT}
        stored.add((ident, None if system in (None, ABSENT) else str(system)), (number, values))

    def _gathered(self, ident: str, rows: list[StoredRow]) -> Row:
        number = rows[0][0]
        gathered: dict[str, Any] = {self.key: ident}
        texts = [values.get(self.text) for _, values in rows]
        if all(map(_is_blank, texts)):
            return number, fault(
                f"no text in {self.text!r} in any row of {ident!r}",
                "at least one text",
                "add it, or remove the rows",
            )
        gathered[self.text] = ["" if text is None else text for text in texts]
        for field in self.each:
            if any(field in values for _, values in rows):
                gathered[field] = [values.get(field) for _, values in rows]
        try:
            for field in self.once:
                if (value := _agreed(field, rows)) is not ABSENT:
                    gathered[field] = value
        except DataError as error:
            return number, at_record(ident, error)
        return number, gathered


def at_record(ident: str, error: DataError) -> DataError:
    """The error with its record."""
    return DataError(f"the record {ident!r}: {error}")


def _agreed(field: str, rows: list[StoredRow]) -> Any:
    """The value on which the non-blank rows of a record agree; ABSENT if no row has the field."""
    present = [(number, values[field]) for number, values in rows if field in values]
    given = [(number, value) for number, value in present if not _is_blank(value)]
    for number, value in given[1:]:
        if value != given[0][1]:
            raise fault(
                f"{show(given[0][1])} in the field {field!r} of row {given[0][0]} and {show(value)} in row {number}",
                "one value in all rows of a record",
                "correct it, or, if the field belongs to documents, name it with --attribute",
            )
    return given[0][1] if given else (present[0][1] if present else ABSENT)


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
