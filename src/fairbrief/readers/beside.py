"""Summaries of one system in a file of their own, matched to records by id or by order.

A file of rows (``{"id", "summary"}``) is matched by id, in any order: its texts are laid into a temporary
file and only their places are held. Any other file is plain text, one summary a line, in the order of the
records; there a blank line is an empty summary.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Protocol

from fairbrief.errors import DataError, RequestError
from fairbrief.nouns import Record, Summary
from fairbrief.readers import files
from fairbrief.readers.fields import Fields, summary
from fairbrief.readers.files import Meter
from fairbrief.readers.places import at, fault, names
from fairbrief.readers.seen import hash_of
from fairbrief.readers.sources import Source, find_sources
from fairbrief.readers.values import id_of

LeaveOut = Callable[[DataError], None]
"""What is done with an error: raised, or counted and listed."""


class Beside(Protocol):
    """The summaries of one system, given out record by record."""

    system: str

    def take(self, record: Record | None) -> Summary:
        """The summary of the next record; None for one that could not be read."""
        ...

    def finish(self) -> None:
        """All records have been seen: say what is left over."""
        ...


def open_beside(
    system: str, path: str | Path, fields: Fields, leave_out: LeaveOut, stack: ExitStack
) -> Beside:
    """The summaries of a file, as long as the stack is open."""
    path = Path(path)
    files.check(path)
    if files.endings(path)[0] in files.FORMATS:
        [source] = find_sources(path, None)
        return _ById(system, source, fields, leave_out, stack)
    return _InOrder(system, path, stack)


class _InOrder:
    def __init__(self, system: str, path: Path, stack: ExitStack) -> None:
        self.system = system
        self.name = files.printable(path.name)
        _, content = stack.enter_context(files.open_text(path, self.name))
        self.lines = enumerate(content, 1)

    def take(self, record: Record | None) -> Summary:
        number, line = next(self.lines, (0, b""))
        if not number:
            raise RequestError(
                f"{self.name}: found fewer lines than there are records; wanted one summary a line, in the "
                "order of the records; add the missing lines, or give the summaries ids in a .jsonl file."
            )
        where = f"{self.name}:{number}"
        if record is None:
            return Summary("", self.system, "")
        try:
            return summary(record.id, self.system, line.decode().rstrip("\r\n"))
        except UnicodeDecodeError as error:
            byte = f"the byte 0x{line[error.start]:02x}, {error.start + 1} bytes from the line's start"
            raise at(
                where, fault(byte, "UTF-8 text", "save the file with that encoding"), record.id
            ) from None
        except DataError as error:
            raise at(where, error, record.id) from None

    def finish(self) -> None:
        extra = sum(1 for _, line in self.lines)
        if extra:
            raise RequestError(
                f"{self.name}: found {extra} more lines than there are records; wanted one summary a line, in "
                "the order of the records; remove the others, or give the summaries ids in a .jsonl file."
            )


class _ById:
    def __init__(
        self, system: str, source: Source, fields: Fields, leave_out: LeaveOut, stack: ExitStack
    ) -> None:
        self.system = system
        self.name = source.name
        self.leave_out = leave_out
        self.texts = stack.enter_context(TemporaryFile())  # noqa: SIM115 # the stack closes it
        self.places: dict[int, int] = {}
        for number, row in source.rows(Meter()):
            where = f"{source.name}:{number}"
            try:
                self._lay(row, where, fields)
            except DataError as error:
                leave_out(error)

    def _lay(self, row: Any, where: str, fields: Fields) -> None:
        if isinstance(row, DataError):
            raise at(where, row)
        ident = None
        try:
            if fields.id is None or fields.id not in row or fields.summary not in row:
                wanted = " and ".join(repr(f) for f in (fields.id or "id", fields.summary))
                raise fault(
                    f"the fields {names(row)}", f"the fields {wanted}", "name them like those of the records"
                )
            ident = id_of(row[fields.id])
            summary(ident, self.system, row[fields.summary], row.get("units"))
        except DataError as error:
            raise at(where, error, ident) from None
        key = hash_of(ident, "")
        if key in self.places:
            first = self._at(self.places[key])[3]
            raise at(
                where,
                fault(f"a second summary with this id, after {first}", "one a record", "remove one"),
                ident,
            )
        self.places[key] = self.texts.seek(0, 2)
        laid = [ident, row[fields.summary], row.get("units"), where]
        self.texts.write(json.dumps(laid).encode() + b"\n")

    def take(self, record: Record | None) -> Summary:
        if record is None:
            return Summary("", self.system, "")
        place = self.places.pop(hash_of(record.id, ""), None)
        if place is None:
            return summary(record.id, self.system, None)
        ident, text, units, _ = self._at(place)
        return summary(ident, self.system, text, units)

    def finish(self) -> None:
        for place in self.places.values():
            ident, _, _, where = self._at(place)
            self.leave_out(
                at(
                    where,
                    fault(
                        "a summary of no record that was read",
                        "the id of a record",
                        "mend the id, or remove the line",
                    ),
                    ident,
                )
            )

    def _at(self, place: int) -> list[Any]:
        self.texts.seek(place)
        laid: list[Any] = json.loads(self.texts.readline())
        return laid
