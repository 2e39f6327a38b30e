"""Summaries in separate files, matched to records by id or by order.

A file of rows (``{"id", "summary"}``, and ``system`` for several systems) is matched by id, in any order; its texts
are stored in a temporary file, only their places in memory. Any other file is plain text, one summary per line, in
the order of the records; a blank line is an empty summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import files
from fairbrief.readers.field_values import id_of, read_summary
from fairbrief.readers.fields import ABSENT, ID, Fields, find
from fairbrief.readers.formats import BY_ENDING
from fairbrief.readers.input_parts import KnownIds
from fairbrief.readers.input_sources import Source, check_file, in_memory, not_a_row, one_source, split_sheet
from fairbrief.readers.messages import at, fault, fields_of, show
from fairbrief.readers.reading_settings import named, once_each
from fairbrief.readers.rows import RowReader
from fairbrief.readers.rows_on_disk import RowsOnDisk
from fairbrief.text.addresses import is_stored
from fairbrief.types import REFERENCE, Case, Record, Summary

Exclude = Callable[[DataError], None]
"""Handles an error: raises it, or counts and lists it."""
Given = Any
"""Files of summaries, with or without the names of their systems; a table or rows with ids can replace any file."""
WANTED = "a data frame or rows with the fields 'id' and 'summary' (and 'system', if there are several)"
IN_MEMORY = "summaries"
"""The name of a table of summaries in memory, and of its system if nothing names it."""


def summary_files(given: Given) -> list[tuple[str | None, Source]]:
    """System (None: the rows name it) and source of each. RequestError for a missing file."""
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        is_list = isinstance(given, Sequence) and not isinstance(given, str)
        is_rows = is_list and given and all(isinstance(row, Mapping) for row in given)
        if isinstance(given, (str, Path)) or is_rows or in_memory(given) is not None:
            given = [given]
        elif not is_list and given is not None:
            raise RequestError(f"The summaries are {show(given)}. Give {WANTED}.")
        once_each("--summaries", [one for one in given or () if isinstance(one, str)])
        pairs = [_pair(one) for one in given or ()]
    return [(name, _source(one)) for name, one in pairs]


def _pair(given: Any) -> tuple[str | None, Any]:
    """System and file of NAME=FILE; other files, and rows, without a system."""
    is_file = not isinstance(given, str) or Path(given).exists() or is_stored(given)
    return (None, given) if is_file else named(given)


def _source(given: Any) -> Source:
    """The source of a file, or of rows in memory, where the records may have the same name."""
    if not isinstance(given, (str, Path)):
        return replace(one_source(given), name=IN_MEMORY, system=IN_MEMORY)
    path = Path(split_sheet(str(given))[0])
    if isinstance(given, str) and " " in given and not is_stored(given) and not path.exists():
        raise RequestError(f"The summaries are {show(given)}, which is not a file. Give a file, or {WANTED}.")
    known = BY_ENDING.get(files.endings(path)[0])
    if is_stored(given) or (known is not None and not known.is_one_record):
        return one_source(given)
    check_file(path)
    file = files.File(path, files.printable(path.name), files.encoding_of(path))
    return Source(file.name, files.stem(path), lambda _: iter(()), file)


class InOrder:
    """The summaries of a file with one per line, in the order of the records."""

    def __init__(self, system: str, file: files.File, exclude: Exclude) -> None:
        self.system, self.name, self.exclude = system, file.name, exclude
        self.lines = file.byte_lines()

    def take(self, record: Record | None) -> list[Summary]:
        """The summary of the next record; ``record`` is None for an unreadable one."""
        number, line = next(self.lines, (0, b""))
        if not number:
            raise self._unequal("fewer")
        if record is not None:
            try:
                return [read_summary(record.id, self.system, files.text_of_line(line))]
            except DataError as error:
                self.exclude(at(f"{self.name}:{number}", error, record.id))
        return []

    def finish(self) -> None:
        """Report the lines after the last record."""
        if extra := sum(1 for _ in self.lines):
            raise self._unequal(f"{extra} more")

    def _unequal(self, many: str) -> RequestError:
        wanted = "expected one per record, in the same order; correct it, or write .jsonl with ids"
        return RequestError(f"{self.name}: found {many} lines than records; {wanted}.")


class ById:
    """Summaries matched by id. ``system`` is None if the rows name their systems."""

    def __init__(self, system: str | None, source: Source, fields: Fields, exclude: Exclude) -> None:
        self.ids, self.exclude, self.stored = KnownIds([source.name]), exclude, RowsOnDisk()
        hint = f" If a column has the system, write --summaries {source.name} without a name."
        if system is not None:
            self.ids.systems[system] = None
        reader = RowReader(source, fields, system, own_summaries=True)
        for number, row in source.read():
            ident, where = None, f"{source.name}:{number}"
            try:
                ident = _ident(row, fields)
                summaries = reader.summaries(row, ident)
            except DataError as error:
                exclude(at(where, error, ident))
                continue
            for written in summaries:
                if (again := self.ids.add(ident, written.system, (), 0, number)) is not None:
                    exclude(at(where, DataError(f"{again}{hint if system else ''}"), ident))
                else:
                    self.stored.add(hash(ident), (written, where))

    def take(self, record: Record | None) -> list[Summary]:
        """Each system's summary of a record; ``record`` is None for an unreadable one."""
        if record is None:
            return []
        result = {stored.system: stored for stored, _ in self.stored.pop(hash(record.id))}
        return [result.get(system) or read_summary(record.id, system, None) for system in self.ids.systems]

    def finish(self) -> None:
        """Report the summaries without a record, after the last record."""
        error = fault("an id that no record has", "the id of a record", "correct the id, or remove the line")
        for key in list(self.stored):
            for extra, where in self.stored.pop(key):
                self.exclude(at(where, error, extra.record))


def _ident(row: Any, fields: Fields) -> str:
    """The id of a row of summaries, in the named field or in ``id``."""
    if not isinstance(row, Mapping):
        raise not_a_row(row)
    key = fields.id or ID
    value = find(row, key if find(row, key) is not ABSENT else ID)
    if value is ABSENT:
        raise fault(fields_of(row), f"the record's id in {key!r}", "give --summaries-id-field")
    names = fields.summary_names()
    if all(find(row, name) is ABSENT for name in names):
        raise fault(fields_of(row), f"the summary in {' or '.join(map(repr, names))}", "give --summary-field")
    return id_of(value)


def references_of(case: Case) -> Iterator[Case]:
    """The references of a case's record, each as the summary of a separate system."""
    references = case.record.references
    for i, text in enumerate(references):
        record = replace(case.record, references=references[:i] + references[i + 1 :])
        reason = "" if text.strip() else "empty"
        summary = Summary(record.id, f"{REFERENCE} {i + 1}", text, reason=reason, is_reference=True)
        yield Case(record, summary)
