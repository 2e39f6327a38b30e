"""The cases of an input, one at a time, with counts of excluded rows.

All steps from rows to cases are in this module, since each of them may exclude a row and must count it.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import input_parts
from fairbrief.readers.fields import PATIENCE, Fields
from fairbrief.readers.files import InputFile, Meter, Range
from fairbrief.readers.input_parts import KnownIds, PartTally
from fairbrief.readers.input_sources import Source, no_record
from fairbrief.readers.messages import at, fault, names
from fairbrief.readers.preparing import NAMES, Labelling, Redaction, Sampling, cuts_of, read_speakers
from fairbrief.readers.reading_settings import ReadingSettings
from fairbrief.readers.rows import RowReader, Summaries
from fairbrief.readers.summary_files import ById, InOrder, references_of, summary_files
from fairbrief.serialization import MISSING
from fairbrief.settings import as_list
from fairbrief.text.counted import counted
from fairbrief.text.personal_data import without_identifiers
from fairbrief.types import REFERENCE, Case, Record, Summary


class Step(NamedTuple):
    """One row of the input: the reader and the number of its source, its own number, and its place for messages (``FILE:NUMBER``)."""

    reader: RowReader
    source: int
    number: int
    where: str
    record: Record | None
    """None if it cannot be read."""
    summaries: Summaries | None
    """None if the record was excluded."""


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
    settings: ReadingSettings
    audits_references: bool = False
    """Whether the references of each record are also cases, of the systems ``reference 1``, ``reference 2`` …"""
    notes: list[str] = field(default_factory=list, init=False)
    tally: PartTally = field(default_factory=PartTally, init=False)
    """Counts of the last iteration."""
    sample: dict[str, Any] | None = field(default=None, init=False)
    """The sizes of the sample and of the whole input; None without a sample."""
    unused: Callable[[], list[str]] = field(default=list, init=False)
    """Returns the unused fields of the source that is read, so far."""
    _is_part: bool = field(default=False, init=False)
    _meter: Meter = field(default_factory=Meter, init=False)

    def __post_init__(self) -> None:
        """Derive the steps from the settings. Raises RequestError for invalid ones, and for files that do not exist."""
        settings = self.settings
        self.skips = settings.on_error == "skip"
        self.summary_files: Sequence[tuple[str | None, Source]] = summary_files(settings.summaries)
        if settings.summaries_id_field is not None and not self.summary_files:
            raise RequestError("--summaries-id-field needs --summaries FILE: add it, or drop the former.")
        speakers = None if settings.speakers is None else read_speakers(settings.speakers)
        self.fields = Fields(settings)
        bins = {name: cuts_of(text) for name, text in settings.cuts.items()}
        self.labelling = Labelling(bins, settings.missing, tuple(settings.attribute_fields), speakers)
        self.require: Sequence[str] = as_list(settings.require)
        self.redaction = Redaction(NAMES in settings.redacted) if settings.redacted else None
        size = settings.sample
        self.sampling = None if size is None else Sampling(size, settings.sample_by, settings.seed)

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The paths of the sources that are files."""
        paths = (source.folder if source.file is None else source.file.path for source in self.sources)
        return tuple(path for path in paths if path is not None)

    @property
    def bytes_total(self) -> int:
        """The total size of the files in bytes."""
        return sum(source.file.size for source in self.sources if source.file is not None)

    @property
    def skipped(self) -> list[str]:
        """The first messages about rows that the last iteration excluded."""
        return self.tally.skipped

    @property
    def skipped_count(self) -> int:
        """How many rows (or single summaries) the last iteration excluded."""
        return self.tally.counts["skipped"]

    @property
    def bytes_read(self) -> int:
        """Bytes of the files on disk that this iteration has read."""
        return self._meter.bytes_read

    def __iter__(self) -> Iterator[Case]:
        return self._with_references(self._cases()) if self.audits_references else self._cases()

    def records(self) -> Iterator[Record]:
        """Each record once, with or without summaries."""
        known = set[int]()
        for case in self._cases(with_summaries=False):
            if (key := hash(case.record.id)) not in known:
                known.add(key)
                yield case.record

    def record(self) -> dict[str, Any]:
        """What results.json contains about the reading: settings, the sample, and how much was excluded."""
        sample = {} if self.sample is None else {"sample": self.sample}
        counts = {"skipped": self.skipped_count, "excluded_by": dict(sorted(self.tally.excluded_by.items()))}
        return {"read": self.settings.record(), **sample, **counts}

    def _with_references(self, cases: Iterator[Case]) -> Iterator[Case]:
        """The cases, and the references of each record, which are compared only with the record's other references."""
        known, is_any = set[int](), False
        for case in cases:
            if (system := case.summary.system).startswith(f"{REFERENCE} "):
                wrong = fault(f"the system {system!r}", "a name that --references does not use", "rename it")
                raise at(case.record.where or "input", wrong, case.record.id)
            yield case
            if (key := hash(case.record.id)) not in known:
                known.add(key)
                is_any = is_any or bool(case.record.references)
                yield from references_of(case)
        if not is_any:
            raise RequestError("--references: no record has a reference. Give --references-field FIELD.")

    def _cases(self, *, with_summaries: bool = True) -> Iterator[Case]:
        self._begin()
        own_summaries, sampling = with_summaries and not self.summary_files, self.sampling
        if sampling is not None:
            steps = self._steps(own_summaries=own_summaries)
            records = (step.record for step in steps if step.record and step.summaries is not None)
            sampling.look(record for record in records if self._exclusion(record) is None)
            self._begin()
        others = self.summary_files if with_summaries else ()
        summary_files = [self._summaries(name, source) for name, source in others]
        ids, known = KnownIds([source.name for source in self.sources]), set[int]()
        for step in self._steps(own_summaries=own_summaries):
            record = step.record
            beside: list[Summary] = []
            if summary_files and (record is None or hash(record.id) not in known):
                beside = [summary for one in summary_files for summary in one.take(record)]
                if record is not None:
                    known.add(hash(record.id))
            if record is None or step.summaries is None:
                continue
            if sampling and self._exclusion(record) is None and not sampling.selects(record):
                continue
            new = [one for one in (*step.summaries, *beside) if self._is_new(ids, step, record, one)]
            if new and self._is_wanted(record, step.where):
                # A record may have its summary in another file.
                wanted = [one for one in new if one.reason != MISSING or not summary_files or one in beside]
                yield from self._redacted(record, wanted, step.where)
        for summary_file in summary_files:
            summary_file.finish()
        if not self._is_part:
            self._conclude(needs_summaries=own_summaries)

    def _summaries(self, system: str | None, source: Source) -> InOrder | ById:
        """The summaries of a separate file: of lines of plain text in the order of the records, or of rows with ids."""
        if source.file is not None and source.format is None:
            return InOrder(system or source.system, source.file, self._skip)
        fields = self.fields.of_summaries(source, system, self.settings.summaries_id_field)
        return ById(system, source, fields, self._skip)

    def _exclusion(self, record: Record) -> tuple[str, str] | None:
        """The option by which the user excludes a record, and the reason; None for other records."""
        for name in self.require:
            for i, document in enumerate(record.documents, 1):
                if name not in document.attributes:
                    return "--require", f"document {i} has no attribute {name!r}"
        return None

    def _is_wanted(self, record: Record, where: str) -> bool:
        """Whether the user excludes a row by no option; counts it."""
        if (exclusion := self._exclusion(record)) is not None:
            self._count_excluded(record, where, *exclusion)
        else:
            self.tally.counts["rows"] += 1
        return exclusion is None

    def _redacted(self, record: Record, summaries: Sequence[Summary], where: str) -> list[Case]:
        """The cases of a row, without personal data if that is replaced."""
        try:
            if self.redaction is not None:
                return self.redaction.cases(record, summaries)
        except DataError as error:
            self._skip(at(where, error))
            return []
        return [Case(record, summary) for summary in summaries]

    @property
    def has_places(self) -> bool:
        """Whether the input can be read from several positions.

        It depends only on the input. Rows that are numbered or combined to records, or whose summaries or fields are in
        other files, need the rows before them; so do files that must be read from their beginning.
        """
        fields = self.fields
        gathers = fields.group_by is not None or fields.has_several_documents
        has_others = self.audits_references or self.summary_files or self.sampling is not None
        if fields.id is None or gathers or has_others or self.labelling.changes_records:
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
        reading = self._of_one(replace(whole, file=whole.file and replace(whole.file, part=part)))
        reading._is_part = True
        return reading

    def near(self, records: Collection[str]) -> Iterator[Reading]:
        """Readings of the places that may have these records, in an input that has places; a few have other records."""
        is_near = np.isin(self._places[:, 0], [hash(record) for record in records])
        for source, start in sorted(set(map(tuple, self._places[is_near, 1:].tolist()))):
            yield self.part(source, Range(start, start + 1))

    def _of_one(self, source: Source) -> Reading:
        """A reading of only one source, with the same settings."""
        reading = copy(self)
        reading.sources, reading.summary_files = [source], ()
        reading._begin()
        return reading

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """The places of all records, whose ids are read once."""
        assert self.fields.id is not None
        return input_parts.places_of(self.sources, self.fields.id)

    def look(self) -> None:
        """Read the first rows of every source, before its parts are read, and set ``notes``.

        Raises RequestError if a named field is in none of them, DataError if there is no row.
        """
        self._begin()
        for source in self.sources:
            first = self._of_one(source)
            first.skips = True
            [last] = deque(islice(first._steps(own_summaries=True), PATIENCE + 1), maxlen=1)
            if not first.notes:  # perhaps the source has more rows
                first._note_source(last.reader)
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
        self._conclude(needs_summaries=True)
        self.tally = replace(tally, keys=array("q"))
        return not tally.has_repeats()

    def _begin(self) -> None:
        self.notes = []
        self.tally = PartTally()
        self._meter = Meter()
        self.labelling = replace(self.labelling, lacking={}, binned=set())

    def _steps(self, *, own_summaries: bool) -> Iterator[Step]:
        """The rows of all sources, with the labels of their records processed."""
        for index, source in enumerate(self.sources):
            reader = RowReader(source, self.fields, self.settings.system, own_summaries)
            if self._is_part:  # `look` has checked the fields
                reader.seen, reader.unseen = PATIENCE, set()
            self.unused, count = reader.unused, 0
            for count, (number, row) in enumerate(reader.rows(self._meter), 1):
                step = self._step(reader, index, number, row, count)
                reader.check_fields()
                yield step
            reader.check_fields(patience=1)
            if not self._is_part:
                if not count:
                    raise no_record(source.name)
                self._note_source(reader)
            self.tally.counts["blank"] += reader.blank
            self._meter.before += 0 if source.file is None else source.file.size
            self._meter.at(0)

    def _step(self, reader: RowReader, index: int, number: int, row: Any, count: int) -> Step:
        """A row with the labels of its record processed."""
        where, record = f"{reader.source.name}:{number}", None
        try:
            record, summaries = reader.read(row, count, where)
            if (labelled := self.labelling.applied(record)) is not None:
                return Step(reader, index, number, where, labelled, summaries)
            unlabelled = f"no document has {' and '.join(map(repr, self.labelling.named))}"
            self._count_excluded(record, where, "--missing drop", unlabelled)
        except DataError as error:
            self._skip(at(where, error, reader.id_in(row)))
        return Step(reader, index, number, where, record, None)

    def _note_source(self, reader: RowReader) -> None:
        """Add notes on how a source was read."""
        source = reader.source
        self.notes += source.notes
        if reader.is_numbered and reader.seen:
            self.notes.append(f"{source.name}: it has no field 'id', so its records are numbered from 1.")
        if not source.tool and (unused := reader.unused()):
            self.notes.append(f"{source.name}: unused fields: {names(unused)}.")

    def _is_new(self, ids: KnownIds, step: Step, record: Record, summary: Summary) -> bool:
        """Whether this is the system's first summary of the record. A second one, or other documents, is an error."""
        self.tally.counts["summaries"] += summary.reason != MISSING
        texts = tuple([document.text for document in record.documents])
        if self._is_part:  # repeated ids are detected when all parts are known
            self.tally.note(record, summary.system, texts)
            return True
        if (error := ids.add(record.id, summary.system, texts, step.source, step.number)) is None:
            return True
        if not self.skips and self.fields.system in step.reader.unseen:
            raise step.reader.missing_field(step.reader.unseen)
        self._skip(at(step.where, error, record.id))
        return False

    def _conclude(self, *, needs_summaries: bool) -> None:
        """Add notes on the whole input. RequestError if there is no summary, or if options exclude everything."""
        tally = self.tally
        if tally.excluded_by and not tally.counts["rows"]:  # a name is probably misspelt
            options, many = " and ".join(tally.excluded_by), tally.excluded_by.total()
            messages = [message for message in tally.skipped if ": excluded (" in message]
            first = f" The first: {messages[0]}" if messages else ""
            wanted = "Give another name, field or value, or drop the option."
            raise RequestError(f"Every row ({many:,}) is excluded by {options}.{first} {wanted}")
        if needs_summaries and tally.counts["rows"] and not tally.counts["summaries"]:
            named = " or ".join(map(repr, self.fields.summary_names()))
            advice = "Give --summary-field FIELD, or --summaries FILE."
            raise RequestError(f"No record has a summary in the field {named}. {advice}")
        self.notes += self.labelling.notes()
        if self.sampling is not None:
            self.sample = self.sampling.described()
            self.notes.append(self.sampling.note())
        if blank := tally.counts["blank"]:
            self.notes.append(f"{counted(blank, 'document')} without text excluded.")

    def _skip(self, error: DataError) -> None:
        """Count the row of an error, if such rows are skipped; otherwise raise the error."""
        if not self.skips:
            raise DataError(self._shown(error))
        self.tally.skip(self._shown(error))

    def _count_excluded(self, record: Record, where: str, option: str, reason: str) -> None:
        """Count a row that the user excludes by an option."""
        self.tally.excluded_by[option] += 1
        self.tally.skip(self._shown(at(where, DataError(f"excluded ({option}): {reason}."), record.id)))

    def _shown(self, error: DataError) -> str:
        """A message without personal data, if that is replaced."""
        return str(error) if self.redaction is None else without_identifiers(str(error))
