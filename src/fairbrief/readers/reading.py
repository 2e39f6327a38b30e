"""The cases of an input, one at a time, with counts of excluded rows.

All steps from rows to cases are in this module, since each of them may exclude a row and must count it.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import input_parts
from fairbrief.readers.fields import PATIENCE, Fields, FieldUse
from fairbrief.readers.files import InputFile, Meter
from fairbrief.readers.input_parts import (
    KEPT,
    EarlierPlace,
    KnownIds,
    PartTally,
    RecordPlaces,
    hash_of,
    other_documents,
    repeated_id,
)
from fairbrief.readers.input_sources import Source, no_record, not_a_row
from fairbrief.readers.json_lines import Range, Row
from fairbrief.readers.labelling import Labelling
from fairbrief.readers.layouts import LAYOUTS
from fairbrief.readers.messages import at, names
from fairbrief.readers.redacting import Redaction
from fairbrief.readers.rows import RowReader, fault_of, gathered
from fairbrief.readers.sampling import Sampling
from fairbrief.readers.summary_files import ById, InOrder, open_summary_file, references_of
from fairbrief.serialization import MISSING
from fairbrief.text.counted import counted
from fairbrief.text.personal_data import without_identifiers
from fairbrief.types import REFERENCE, Case, Record, Summary


class Step(msgspec.Struct, gc=False):
    """One row of the input: its place, its record (None if it was excluded), and the record's summaries."""

    source: int
    number: int
    where: str
    record: Record | None
    summaries: tuple[Summary, ...] = ()
    is_sampled: bool = True


@dataclass(eq=False, repr=False)
class Reading:
    """The cases of an input, read again at each iteration and not stored.

    Iterating gives a `Case` per record and system; ``records()`` gives each record once and needs no summaries.
    ``files`` are the paths. ``bytes_read`` of ``bytes_total`` is the progress of the current iteration (0 of 0 in
    memory). ``skipped`` has the first 1,000 messages about rows that the last iteration excluded; ``notes`` describe how
    the input was understood and list unused fields. One iteration at a time.

    Raises, while iterating: DataError at the first invalid row, unless invalid rows are skipped; on every setting also
    at damage after which nothing can be read, and for an empty input. RequestError if a named field is missing in the
    first 1,000 objects (or in the columns).
    """

    sources: Sequence[Source]
    fields: Fields
    summary_files: Sequence[tuple[str | None, Path]]
    summary_fields: Fields
    on_error: Literal["stop", "skip"]
    require: Sequence[str]
    system: str | None
    new_labelling: Callable[[], Labelling]
    new_sampling: Callable[[], Sampling] | None
    redaction: Redaction | None
    audits_references: bool = False
    """Whether the references of each record are also cases, of the systems ``reference 1``, ``reference 2`` …"""
    notes: list[str] = field(default_factory=list, init=False)
    tally: PartTally = field(default_factory=PartTally, init=False)
    """Counts of the last iteration."""
    sample: dict[str, Any] | None = field(default=None, init=False)
    """The sizes of the sample and of the whole input; None without a sample."""
    _is_part: bool = field(default=False, init=False)
    _meter: Meter = field(default_factory=Meter, init=False)
    _reader: RowReader | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._labelling = self.new_labelling()

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The paths of the sources that are files."""
        return tuple(source.path for source in self.sources if source.path is not None)

    @property
    def bytes_total(self) -> int:
        """The total size of the files in bytes."""
        return sum(source.size for source in self.sources)

    @property
    def skipped(self) -> list[str]:
        """The first messages about rows that the last iteration excluded."""
        return self.tally.skipped

    @property
    def skipped_count(self) -> int:
        """How many rows the last iteration excluded."""
        return self.tally.skipped_count

    @property
    def unwanted_count(self) -> int:
        """How many cases lack a required attribute."""
        return self.tally.unwanted

    @property
    def bytes_read(self) -> int:
        """Bytes of the files on disk that this iteration has read."""
        return self._meter.bytes_read

    def __iter__(self) -> Iterator[Case]:
        cases = self._cases() if self.redaction is None else self._redacted(self._cases(), self.redaction)
        return self._with_references(cases) if self.audits_references else cases

    def records(self) -> Iterator[Record]:
        """Each record once, with or without summaries."""
        known = set[int]()
        cases = self._cases(with_summaries=False)
        for case in cases if self.redaction is None else self._redacted(cases, self.redaction):
            if (key := hash_of(case.record.id, "")) not in known:
                known.add(key)
                yield case.record

    def _with_references(self, cases: Iterator[Case]) -> Iterator[Case]:
        """The cases, and the references of each record, which are compared only with the record's other references."""
        known, is_any = set[int](), False
        for case in cases:
            if case.summary.system.startswith(f"{REFERENCE} "):
                raise DataError(
                    f"{case.record.where or 'input'} (id '{case.record.id}'): found the system '{case.summary.system}', a name that "
                    "--references gives to references. Rename the system, or drop --references."
                )
            yield case
            if (key := hash_of(case.record.id, "")) not in known:
                known.add(key)
                is_any = is_any or bool(case.record.references)
                yield from references_of(case)
        if not is_any:
            raise RequestError(
                "--references: no record has a reference. Give their field with --references-field, or drop --references."
            )

    def _cases(self, *, with_summaries: bool = True) -> Iterator[Case]:
        self._begin()
        with ExitStack() as stack:
            summary_files = [
                open_summary_file(name, path, self.summary_fields, self._exclude, stack)
                for name, path in (self.summary_files if with_summaries else ())
            ]
            seen, known = KnownIds(len(self.sources)), set[int]()
            for step in self._steps(with_summaries=with_summaries and not summary_files):
                record = step.record
                if record is None or not step.is_sampled:
                    for summary_file in summary_files:
                        summary_file.take(record)
                    continue
                self.tally.rows += 1
                for summary in step.summaries:
                    is_missing = summary.reason == MISSING
                    self.tally.summaries += not is_missing
                    # A missing summary counts only if there are no files of summaries.
                    is_case = self._is_new(seen, record, summary, step) and not (is_missing and summary_files)
                    if is_case and self._is_wanted(record, step.where):
                        yield Case(record, summary)
                if summary_files and (key := hash_of(record.id, "")) not in known:
                    known.add(key)
                    yield from self._cases_of_files(step, record, seen, summary_files)
            for summary_file in summary_files:
                summary_file.finish()
            if not self._is_part:
                if with_summaries and not summary_files:
                    self._check_answered()
                self._check_required()
                self._note_blank()

    @property
    def has_places(self) -> bool:
        """Whether the input can be read from several positions.

        It depends only on the input. Rows that are numbered or combined to records, or whose summaries or fields are in
        other files, need the rows before them; so do files that must be read from their beginning.
        """
        fields = self.fields
        gathers = fields.group_by is not None or fields.has_several_documents
        has_others = self.audits_references or self.summary_files or self.new_sampling is not None
        if fields.id is None or gathers or has_others or self._labelling.changes_records:
            return False
        return all(input_parts.can_be_divided(source, fields.id) for source in self.sources)

    @property
    def ranges(self) -> list[tuple[int, Range]]:
        """The parts of the input, as numbers of sources and ranges in them, whose lines are counted; empty without places."""
        if not self.has_places:
            return []
        return [(i, part) for i, source in enumerate(self.sources) for part in input_parts.ranges_of(source)]

    def part(self, source: int, part: Range) -> Reading:
        """A reading of one range of one source.

        Checks that need the whole input are skipped: ids of other parts, fields that no row has, and empty inputs.
        """
        whole = self.sources[source]
        reading = self._of_one(replace(whole, rows=partial(whole.rows, part=part)))
        reading._is_part = True
        return reading

    def at(self, source: int, start: int) -> Reading:
        """A reading of the rows at one of `places`."""
        return self.part(source, Range(start, start + 1))

    def _of_one(self, source: Source) -> Reading:
        """A reading of only one source, with the same settings."""
        reading = copy(self)
        reading.sources, reading.summary_files = [source], ()
        reading._begin()
        return reading

    @cached_property
    def places(self) -> RecordPlaces:
        """The places of all records, for an input that has them; all ids are read once."""
        assert self.fields.id is not None
        return RecordPlaces(
            (i, ident, start)
            for i, source in enumerate(self.sources)
            for ident, start in input_parts.places_of(source, self.fields.id)
        )

    def look(self) -> None:
        """Read the first rows of every source, before its parts are read, and set ``notes``.

        Raises RequestError if a named field is in none of them, DataError if there is no row.
        """
        self._begin()
        for source in self.sources:
            first = self._of_one(source)
            first.on_error, first.require = "skip", ()
            for _ in itertools.islice(first._steps(with_summaries=True), PATIENCE + 1):
                pass
            if not first.notes and first._reader is not None:
                first._note_source(source, first._reader)
                first.notes += first._labelling.notes()
            self.notes += first.notes

    def reach(self, share: float) -> None:
        """Set the share of the input that has been read in parts."""
        self._meter.at(int(share * self.bytes_total))

    def finish(self, tally: PartTally) -> bool:
        """Set the tally of all parts; returns whether the input has no repeated ids.

        If it has, a reading from the beginning reports the error. Raises as that does if no record has a summary, or all
        were excluded.
        """
        self.tally = tally
        self._note_blank()
        self._check_answered()
        self._check_required()
        self.tally = replace(tally, keys=array("q"))
        return not tally.has_repeats()

    def _redacted(self, cases: Iterator[Case], redaction: Redaction) -> Iterator[Case]:
        """The cases without personal data; those that cannot be redacted are excluded."""
        for case in cases:
            try:
                yield redaction.case(case)
            except DataError as error:
                self._exclude(error)

    def _cases_of_files(
        self, step: Step, record: Record, seen: KnownIds, summary_files: Sequence[InOrder | ById]
    ) -> Iterator[Case]:
        """The summaries in separate files."""
        for summary_file in summary_files:
            try:
                summaries = summary_file.take(record)
            except DataError as error:
                self._exclude(error)
                continue
            for summary in summaries:
                if self._is_new(seen, record, summary, step) and self._is_wanted(record, step.where):
                    yield Case(record, summary)

    def _begin(self) -> None:
        self.notes = []
        self.tally = PartTally()
        self._meter = Meter()

    def _steps(self, *, with_summaries: bool) -> Iterator[Step]:
        """The rows of all sources, with the labels of their records processed."""
        self._labelling = labelling = self.new_labelling()
        if self._is_part:  # only inputs without such processing have parts
            yield from self._plain_steps(with_summaries=with_summaries)
            return
        sampling = None if self.new_sampling is None else self.new_sampling()
        if sampling is not None:
            labelled = self._labelled_steps(with_summaries=with_summaries)
            sampling.look(step.record for step in labelled if step.record is not None)
            self._begin()
        steps = self._labelled_steps if labelling.changes_records else self._plain_steps
        for step in steps(with_summaries=with_summaries):
            if sampling is not None and step.record is not None:
                step.is_sampled = sampling.selects(step.record)
            yield step
        labelling.check()
        self.notes += labelling.notes()
        if sampling is not None:
            self.sample = sampling.described()
            self.notes.append(sampling.note())

    def _labelled_steps(self, *, with_summaries: bool) -> Iterator[Step]:
        is_any_labelled = is_any_dropped = False
        for step in self._plain_steps(with_summaries=with_summaries):
            if (record := step.record) is not None:
                try:
                    step.record = self._labelling.applied(record)
                    is_any_labelled |= step.record is not None
                    if step.record is None:
                        is_any_dropped = True
                        self._count(
                            f"{record.where} (id {record.id!r}): excluded (--missing drop): no document has a label."
                        )
                except DataError as error:
                    step.record = None
                    self._exclude(error)
            yield step
        if is_any_dropped and not is_any_labelled:
            raise RequestError(
                f"--missing drop excludes every record: no document has {' and '.join(map(repr, self._labelling.named))}. "
                "Give the field: --attribute NAME=FIELD."
            )

    def _plain_steps(self, *, with_summaries: bool) -> Iterator[Step]:
        for index, source in enumerate(self.sources):
            fields = self.fields
            use = FieldUse(
                {*fields.named(), *fields.summary_names(), *(fields.documents if source.is_table else ())}
            )
            if not with_summaries:
                use.unseen -= {fields.system, *fields.summary_names()}
            self._reader = reader = RowReader(
                self.fields,
                self.system or source.system,
                use,
                cells=source.is_table,
            )
            if self._is_part:
                use.unseen.clear()  # `look` has checked the fields
                use.rows = PATIENCE
            count = 0
            rows = self._watched(source.rows(self._meter), reader, source)
            if self.fields.group_by is not None:
                rows = gathered(rows, self.fields, use, own_summaries=with_summaries)
            for number, row in rows:
                count += 1
                where = f"{source.name}:{number}"
                record, summaries = self._read(reader, row, count, where)
                if use.unseen and use.rows >= (1 if source.is_table else PATIENCE):
                    raise reader.missing_field(source)
                yield Step(index, number, where, record, summaries)
            if not count and not self._is_part:
                raise no_record(source.name)
            if use.unseen and use.rows:
                raise reader.missing_field(source)
            if not self._is_part:
                self._note_source(source, reader)
            self.tally.blank += reader.blank
            self._meter.before += source.size
            self._meter.at(0)

    def _watched(self, rows: Iterator[Row], reader: RowReader, source: Source) -> Iterator[Row]:
        """The rows of a source; the first is checked for columns and ids."""
        use, fields = reader.use, self.fields
        needed = {fields.id, *fields.documents, *fields.summary_names()} if source.is_table else set[str]()
        for number, row in rows:
            if row.__class__ is dict or isinstance(row, Mapping):
                if not use.rows and not self._is_part:
                    reader.begin(row)
                use.see(row)
                if use.unseen and (lacking := use.unseen & needed):
                    raise reader.missing_field(source, min(lacking))
            yield number, row

    def _read(
        self, reader: RowReader, row: Any, count: int, where: str
    ) -> tuple[Record | None, tuple[Summary, ...]]:
        try:
            if row.__class__ is dict or isinstance(row, Mapping):
                return reader.read(row, count, where)
            if isinstance(row, (Case, Record)) and (wrong := fault_of(row)) is not None:
                raise at(where, wrong, row.record.id if isinstance(row, Case) else row.id)
            if isinstance(row, Case):
                return row.record, (row.summary,)
            if isinstance(row, Record):
                return row, (Summary(row.id, reader.system, "", reason=MISSING),)
            raise at(where, row if isinstance(row, DataError) else not_a_row(row))
        except DataError as error:
            self._exclude(error)
            return None, ()

    def _note_source(self, source: Source, reader: RowReader) -> None:
        """Add notes on how the source was read."""
        use = reader.use
        self.notes += source.notes
        if reader.is_numbered and use.rows:
            self.notes.append(f"{source.name}: it has no field 'id', so its records are numbered from 1.")
        if source.kind not in LAYOUTS and (unused := list(use.unused())):
            self.notes.append(f"{source.name}: unused fields: {names(unused)}.")

    def _note_blank(self) -> None:
        if self.tally.blank:
            self.notes.append(f"{counted(self.tally.blank, 'document')} without text excluded.")

    def _is_new(self, seen: KnownIds, record: Record, summary: Summary, step: Step) -> bool:
        """Whether this is the system's first summary of the record. A second one, or other documents, is an error."""
        texts = tuple([document.text for document in record.documents])
        if self._is_part:  # repeated ids are detected when all parts are known
            self.tally.note(record, summary.system, texts)
            return True
        before = seen.first(record.id, summary.system, step.source, step.number, texts)
        if before is not None:
            self._exclude(at(step.where, self._again(summary, before), record.id))
            return False
        other = seen.of_another_system(record.id, summary.system, texts) if len(seen.systems) > 1 else None
        if other is not None and not other[1].is_same:
            self._exclude(at(step.where, other_documents(other[0], self._place(other[1])), record.id))
            return False
        return True

    def _again(self, summary: Summary, before: EarlierPlace) -> DataError:
        reader = self._reader
        if (
            before.is_same
            and reader is not None
            and self.on_error == "stop"
            and self.fields.system in reader.use.unseen
        ):
            raise reader.missing_field(self.sources[before.source])
        return repeated_id(summary.system, self._place(before), is_same=before.is_same)

    def _place(self, before: EarlierPlace) -> str:
        return f"{self.sources[before.source].name}:{before.number}"

    def _is_wanted(self, record: Record, where: str) -> bool:
        """Whether all documents have the required attributes (``require``); counts the case as wanted or unwanted."""
        for name in self.require:
            for i, document in enumerate(record.documents, 1):
                if name not in document.attributes:
                    missing = f"excluded (--require): document {i} has no attribute {name!r}."
                    self._count(str(at(where, DataError(missing), record.id)))
                    self.tally.unwanted += 1
                    return False
        self.tally.wanted += 1
        return True

    def _check_answered(self) -> None:
        if self.tally.rows and not self.tally.summaries:
            raise RequestError(
                f"No record has a summary in the field {' or '.join(map(repr, self.fields.summary_names()))}. Give "
                "the field with --summary-field FIELD, or a separate file with --summaries FILE."
            )

    def _check_required(self) -> None:
        """RequestError if the required attributes exclude everything; they are probably misspelt."""
        if self.unwanted_count and not self.tally.wanted:
            raise RequestError(
                f"--require {' and '.join(map(repr, self.require))} excludes {'the only case' if self.unwanted_count == 1 else f'all {self.unwanted_count:,} cases'}: in "
                "each, a document lacks it. Give an attribute that the documents have, or drop --require."
            )

    def _exclude(self, error: DataError) -> None:
        if self.redaction is not None:
            error = DataError(without_identifiers(str(error)))
        if self.on_error == "stop":
            raise error
        self._count(str(error))

    def _count(self, message: str) -> None:
        self.tally.skipped_count += 1
        if len(self.skipped) < KEPT:
            self.skipped.append(message)
