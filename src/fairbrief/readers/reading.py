"""A reading: the cases of an input, one at a time, and what was left out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from fairbrief.errors import DataError, RequestError
from fairbrief.lines import MISSING
from fairbrief.nouns import Case, Record, Summary
from fairbrief.readers.beside import Beside, open_beside
from fairbrief.readers.fields import Fields, Read, RowReader
from fairbrief.readers.files import Meter
from fairbrief.readers.places import at, did_you_mean, fault, names
from fairbrief.readers.seen import Seen, hash_of
from fairbrief.readers.sources import Source, not_a_row

KEPT = 1_000
"""Messages about what was left out that are kept; all are counted."""
PATIENCE = 1_000
"""Objects of a source after which a field that none of them has is taken to be misspelt."""


class Step(NamedTuple):
    """One row of the input: where it is, and what was read; None if it was left out."""

    source: int
    number: int
    where: str
    read: Read | None


@dataclass(slots=True)
class Answered:
    """How many rows of an iteration were read, and how many summaries stood in them."""

    rows: int = 0
    summaries: int = 0


class Reading:
    """The cases of an input, read anew at each iteration and never held.

    Iterating gives a `Case` per record and system; ``records()`` gives each record once and needs no
    summaries. ``files`` are the paths read; ``bytes_read`` of ``bytes_total`` is how far the present
    iteration is (0 of 0 for what is in memory). ``skipped`` holds the first 1,000 messages about what the
    last iteration left out, ``skipped_count`` counts all. One iteration at a time.

    Raises, while iterating: DataError at the first row that is not as it must be, unless the reading
    skips such rows; at damage after which nothing can be read, and for an empty input, on every setting.
    RequestError if a field that was asked for is nowhere in the first 1,000 objects (or the columns).
    """

    def __init__(
        self,
        sources: Sequence[Source],
        fields: Fields,
        *,
        summaries: Mapping[str, str | Path],
        on_error: Literal["stop", "skip"],
        require: Sequence[str],
        system: str | None,
    ) -> None:
        self.files = tuple(source.path for source in sources if source.path is not None)
        self.bytes_total = sum(source.size for source in sources)
        self.skipped: list[str] = []
        self.skipped_count = 0
        self._sources = sources
        self._fields = fields
        self._summaries = summaries
        self._on_error = on_error
        self._require = require
        self._system = system
        self._meter = Meter()
        self._reader: RowReader | None = None

    @property
    def bytes_read(self) -> int:
        """How many bytes of the files this iteration has read, as they are on disk."""
        return self._meter.bytes_read

    def __iter__(self) -> Iterator[Case]:
        self._begin()
        with ExitStack() as stack:
            besides = [
                open_beside(name, path, self._fields, self._leave_out, stack)
                for name, path in self._summaries.items()
            ]
            seen, known = Seen(len(self._sources)), set[int]()
            answered = Answered()
            for step in self._steps(own=not besides):
                if step.read is None:
                    _pass_over(besides)
                    continue
                yield from self._own_cases(step, step.read, seen, answered, is_alone=not besides)
                if besides and (key := hash_of(step.read.record.id, "")) not in known:
                    known.add(key)
                    yield from self._cases_beside(step, step.read.record, seen, besides)
            for beside in besides:
                beside.finish()
            if answered.rows and not answered.summaries and not besides:
                raise RequestError(
                    f"No record has a summary in the field {self._fields.summary!r}. Name the right field, or "
                    "give the summaries in a file of their own (--summaries NAME=FILE)."
                )
            self._check_required()

    def records(self) -> Iterator[Record]:
        """Each record once, whether or not there are summaries of it."""
        self._begin()
        seen, known = Seen(len(self._sources)), set[int]()
        for step in self._steps(own=False):
            if step.read is None:
                continue
            record, summaries = step.read
            is_new = [self._is_new(seen, summary, step) for summary in summaries]
            if any(is_new) and (key := hash_of(record.id, "")) not in known:
                known.add(key)
                if self._is_wanted(record, step.where):
                    yield record
        self._check_required()

    def _own_cases(
        self, step: Step, read: Read, seen: Seen, answered: Answered, *, is_alone: bool
    ) -> Iterator[Case]:
        """The summaries that stand in the row itself; one that is missing counts only if there are no others."""
        record, summaries = read
        answered.rows += 1
        for summary in summaries:
            is_missing = summary.reason == MISSING
            answered.summaries += not is_missing
            if not self._is_new(seen, summary, step) or (is_missing and not is_alone):
                continue
            if self._is_wanted(record, step.where):
                yield Case(record, summary)

    def _cases_beside(
        self, step: Step, record: Record, seen: Seen, besides: Sequence[Beside]
    ) -> Iterator[Case]:
        """The summaries that stand in files of their own."""
        for beside in besides:
            summary = self._take(beside, record)
            if (
                summary is not None
                and self._is_new(seen, summary, step)
                and self._is_wanted(record, step.where)
            ):
                yield Case(record, summary)

    def _begin(self) -> None:
        self.skipped = []
        self.skipped_count = 0
        self._wanted = self._unwanted = 0
        self._meter = Meter()

    def _steps(self, *, own: bool) -> Iterator[Step]:
        for index, source in enumerate(self._sources):
            system = self._system or source.system
            self._reader = reader = RowReader(self._fields, system, cells=source.is_table, own_summaries=own)
            count = 0
            for number, row in source.rows(self._meter):
                count += 1
                where = f"{source.name}:{number}"
                read = self._read(
                    reader, row, number, where, is_first_of_table=source.is_table and count == 1
                )
                if reader.unseen and count >= (1 if source.is_table else PATIENCE):
                    _complain(reader, source, row)
                yield Step(index, number, where, read)
            if not count:
                raise DataError(
                    f"{source.name} has no record: found nothing in it; wanted one record at least."
                )
            if reader.unseen and reader.last is not None:
                _complain(reader, source, reader.last)
            self._meter.before += source.size
            self._meter.at(0)

    def _read(
        self, reader: RowReader, row: Any, number: int, where: str, *, is_first_of_table: bool
    ) -> Read | None:
        try:
            if isinstance(row, Mapping):
                if is_first_of_table:
                    reader.check_columns(row, where.rpartition(":")[0])
                return reader.read(row, number, where)
            if isinstance(row, Case):
                return Read(row.record, (row.summary,))
            if isinstance(row, Record):
                return Read(row, (Summary(row.id, reader.system, "", reason=MISSING),))
            raise at(where, row if isinstance(row, DataError) else not_a_row(row))
        except DataError as error:
            self._leave_out(error)
            return None

    def _take(self, beside: Beside, record: Record) -> Summary | None:
        try:
            return beside.take(record)
        except DataError as error:
            self._leave_out(error)
            return None

    def _is_new(self, seen: Seen, summary: Summary, step: Step) -> bool:
        """Whether this is the system's first summary of the record; a second one is an error."""
        before = seen.first(summary.record, summary.system, step.source, step.number)
        if before is None:
            return True
        if self._on_error == "stop":
            self._check_system(step)
        source, number = before
        first = f"{self._sources[source].name}:{number}"
        again = fault(
            f"this id of the system {summary.system!r} a second time, after {first}",
            "each record once for a system",
            "give one of them another id or system, or remove it",
        )
        self._leave_out(at(step.where, again, summary.record))
        return False

    def _check_system(self, step: Step) -> None:
        """An id that comes a second time is no fault of its row where no row has the systems' field."""
        reader = self._reader
        if reader is not None and reader.last is not None and self._fields.system in reader.unseen:
            _complain(reader, self._sources[step.source], reader.last, self._fields.system)

    def _is_wanted(self, record: Record, where: str) -> bool:
        """Whether all documents have the attributes that were required; if not, the case is counted."""
        for name in self._require:
            for i, document in enumerate(record.documents, 1):
                if name not in document.attributes:
                    missing = f"left out, as required: document {i} has no attribute {name!r}."
                    self._count(str(at(where, DataError(missing), record.id)))
                    self._unwanted += 1
                    return False
        self._wanted += 1
        return True

    def _check_required(self) -> None:
        """An attribute that is required and that leaves nothing over is taken to be misspelt."""
        if self._unwanted and not self._wanted:
            raise RequestError(
                f"Requiring {' and '.join(map(repr, self._require))} leaves out {'the only case' if self._unwanted == 1 else f'all {self._unwanted:,} cases'}: in "
                "each, some document lacks it. Name an attribute that the documents have."
            )

    def _leave_out(self, error: DataError) -> None:
        if self._on_error == "stop":
            raise error
        self._count(str(error))

    def _count(self, message: str) -> None:
        self.skipped_count += 1
        if len(self.skipped) < KEPT:
            self.skipped.append(message)


def _pass_over(besides: Sequence[Beside]) -> None:
    for beside in besides:
        beside.take(None)


def _complain(reader: RowReader, source: Source, row: Any, source_field: str | None = None) -> None:
    """Refuse to go on without a field that was asked for and is in none of the objects read."""
    if not isinstance(row, Mapping):
        return
    source_field = source_field or min(reader.unseen)
    what = "column" if source.is_table else "field"
    inner = [key for key in _inner_fields(row.get(reader.fields.documents)) if key != "text"]
    many = "record" if reader.count == 1 else f"{reader.count:,} records"
    among = "" if source.is_table else f" in its first {many}"
    also = f" Of its documents: {names(inner)}." if inner else ""
    raise RequestError(
        f"{source.name} has no {what} {source_field!r}{among}. Its {what}s: {names(row)}.{also}"
        f"{did_you_mean(source_field, [*row, *inner])}"
    )


def _inner_fields(documents: Any) -> list[str]:
    first = documents[0] if isinstance(documents, list) and documents else None
    if not isinstance(first, Mapping):
        return []
    attributes = first.get("attributes")
    return [*first, *(attributes if isinstance(attributes, Mapping) else ())]
