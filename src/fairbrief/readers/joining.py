"""Rows with what another file says of the same id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.field_values import id_of
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import Source, one_source
from fairbrief.readers.json_lines import Row
from fairbrief.readers.laid_rows import LaidRows
from fairbrief.readers.messages import at, did_you_mean, fault, names
from fairbrief.readers.paths import ABSENT, find


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
