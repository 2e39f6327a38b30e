"""Labels of documents: attributes of their speakers, numbers in bins, and the treatment of missing labels."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.field_values import value_of
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import not_a_row, one_source
from fairbrief.readers.messages import at, did_you_mean, fault, names
from fairbrief.text.counted import counted
from fairbrief.types import Document, Mention, Record

Missing = Literal["refuse", "drop", "group"]
CHOICES = ("refuse", "drop", "group")
MISSING_GROUP = "missing"
"""The group of documents without a label, with ``missing="group"``."""
MOST_GROUPS = 20
WATCHED = 1_000
"""Most different values of an attribute that are counted."""


SPEAKER = "speaker"


@dataclass(frozen=True, slots=True)
class SpeakerTable:
    """The attributes of speakers by name, from the file ``name``."""

    name: str
    of: Mapping[str, Mapping[str, str]]

    def applied(self, record: Record, *, may_lack: bool) -> Record:
        """The record, whose turns have the attributes of their speakers; an attribute that a turn already has is kept.

        ``may_lack`` leaves turns of speakers who are not in the table unchanged; otherwise, they raise DataError.
        """
        documents = []
        for number, document in enumerate(record.documents, 1):
            speaker = document.attributes.get(SPEAKER, "")
            if speaker not in self.of and not may_lack:
                raise at(record.where, self._unknown(speaker, number), record.id)
            documents.append(
                replace(document, attributes={**self.of.get(speaker, {}), **document.attributes})
            )
        return replace(record, documents=tuple(documents))

    def _unknown(self, speaker: str, number: int) -> DataError:
        what = f"the speaker {names([speaker])}, who is not in {self.name}" if speaker else "no speaker"
        error = fault(
            f"{what}, in document {number}",
            f"a speaker with a row in {self.name} (--attribute {SPEAKER}=FIELD gives the field with the names)",
            "add the row; or, with --attribute for a column of the table, drop such turns with --missing drop, or make them a group "
            "with --missing group",
        )
        return DataError(f"{error}{did_you_mean(speaker, self.of)}")


def read_speakers(source: Any) -> SpeakerTable:
    """The table in a file, with one row per speaker and the column ``speaker``.

    Raises DataError for a speaker with two rows, and RequestError without that column or without any other.
    """
    table = one_source(source)
    rows: dict[str, Mapping[str, str]] = {}
    first: dict[str, int] = {}
    for number, row in table.rows(Meter()):
        where = f"{table.name}:{number}"
        if not isinstance(row, Mapping):
            raise at(where, row if isinstance(row, DataError) else not_a_row(row))
        if SPEAKER not in row or len(row) < 2:
            raise RequestError(
                f"{table.name} needs the column '{SPEAKER}' and columns with attributes. Its columns: {names(row)}."
                f"{did_you_mean(SPEAKER, row)}"
            )
        values = {
            name: text
            for name, value in row.items()
            if (text := value_of(value, f"the column {name!r}")) is not None
        }
        speaker = values.pop(SPEAKER, None)
        if speaker is None:
            raise at(where, fault("no speaker", "a name in every row", "add it, or remove the row"))
        if speaker in first:
            twice = f"{names([speaker])} twice, first in row {first[speaker]}"
            raise at(where, fault(twice, "one row per speaker", "remove one of them"))
        first[speaker], rows[speaker] = number, values
    return SpeakerTable(table.name, rows)


@dataclass(frozen=True, slots=True)
class Bins:
    """Cuts between groups of numbers (a number equal to a cut is below it), or a number of equal shares."""

    cuts: tuple[float, ...] = ()
    shares: int = 0

    def label(self, number: float) -> str:
        """The group of a number.

        >>> [Bins((3.0, 7.0)).label(x) for x in (3, 5, 8)]
        ['up to 3', 'over 3 to 7', 'over 7']
        """
        place = bisect_left(self.cuts, number)
        if place == 0:
            return f"up to {self.cuts[0]:g}"
        over = f"over {self.cuts[place - 1]:g}"
        return over if place == len(self.cuts) else f"{over} to {self.cuts[place]:g}"


def bins_of(text: str) -> Bins:
    """Cuts (``3,7``) or equal shares (``q3``); RequestError for anything else.

    >>> bins_of("3,7"), bins_of("q3").shares
    (Bins(cuts=(3.0, 7.0), shares=0), 3)
    """
    if text[:1] == "q" and text[1:].isdecimal() and 2 <= int(text[1:]) <= MOST_GROUPS:
        return Bins(shares=int(text[1:]))
    try:
        cuts = tuple(float(part) for part in text.split(","))
    except ValueError:
        cuts = ()
    if not cuts or not all(map(math.isfinite, cuts)) or list(cuts) != sorted(set(cuts)):
        raise RequestError(
            f"--bin with '{text}': write increasing cuts, as in --bin rating=3,7, or equal shares, as in --bin rating=q3."
        )
    return Bins(cuts)


@dataclass(slots=True)
class Labelling:
    """The treatment of the labels of each record."""

    bins: dict[str, Bins]
    missing: Missing
    named: tuple[str, ...]
    """The named attributes."""
    lacking: dict[str, dict[str, int]] = field(default_factory=dict)
    """Attribute → record → number of documents without it."""
    values: dict[str, Counter[str]] = field(default_factory=dict)
    binned: set[str] = field(default_factory=set)
    speakers: SpeakerTable | None = None

    @property
    def changes_records(self) -> bool:
        """Whether records may be changed."""
        return bool(self.bins) or self.missing != "refuse" or self.speakers is not None

    @property
    def looks_ahead(self) -> bool:
        """Whether all records must be read once before, to determine equal shares."""
        return any(bins.shares for bins in self.bins.values())

    def look(self, records: Iterable[Record]) -> None:
        """Determine the cuts of equal shares."""
        shared = {name: array("d") for name, bins in self.bins.items() if bins.shares}
        for record in map(self._joined, records):
            for name, numbers in shared.items():
                numbers.extend(_number(value, name, record) for value in _values(record, name))
        for name, numbers in shared.items():
            self.bins[name] = _cut(numbers, self.bins[name].shares, name)

    def applied(self, record: Record) -> Record | None:
        """The record with its labels; None if no document has one and such records are dropped."""
        record = self._joined(record)
        for name, bins in self.bins.items():
            record = self._in_bins(record, name, bins)
        for name in self.named if self.missing != "refuse" else ():
            result = self._without_missing(record, name)
            if result is None:
                return None
            record = result
        self._watch(record)
        return record

    def notes(self) -> list[str]:
        """What was done, and which attributes have too many values to be groups."""
        done = "excluded" if self.missing == "drop" else f"in the group '{MISSING_GROUP}'"
        notes = [
            f"{counted(sum(of.values()), 'document')} of {counted(len(of), 'record')} without {name!r} {done} (--missing)."
            for name, of in self.lacking.items()
        ]
        for name, known in self.values.items():
            if len(known) > MOST_GROUPS and len(known) > known.total() / 3:
                notes.append(
                    f"{name!r} has {len(known):,} different values in {counted(known.total(), 'document')}: groups of one or two show "
                    f"little. If they are numbers, --bin {name}=q3 makes three groups, --bin {name}=CUT,CUT your own."
                )
        return notes

    def check(self) -> None:
        """RequestError for bins of an attribute that does not occur."""
        for name in self.bins:
            if name not in self.binned:
                raise RequestError(
                    f"--bin {name}: no document and no record has the attribute {name!r}. Give its field: --attribute {name}=FIELD."
                )

    def _joined(self, record: Record) -> Record:
        if self.speakers is None:
            return record
        return self.speakers.applied(record, may_lack=self.missing != "refuse")

    def _in_bins(self, record: Record, name: str, bins: Bins) -> Record:
        if not any(True for _ in _values(record, name)):
            return record
        self.binned.add(name)

        def relabelled(attributes: Mapping[str, str]) -> Mapping[str, str]:
            if name not in attributes:
                return attributes
            return {**attributes, name: bins.label(_number(attributes[name], name, record))}

        documents = tuple(replace(d, attributes=relabelled(d.attributes)) for d in record.documents)
        entities = tuple(replace(e, attributes=relabelled(e.attributes)) for e in record.entities)
        return replace(
            record, documents=documents, entities=entities, attributes=relabelled(record.attributes)
        )

    def _without_missing(self, record: Record, name: str) -> Record | None:
        lacking = [i for i, d in enumerate(record.documents) if name not in d.attributes]
        if not lacking or (len(lacking) == len(record.documents) and name in record.attributes):
            return record
        if len(lacking) == len(record.documents) and self.missing == "drop":
            return None
        self.lacking.setdefault(name, {})[record.id] = len(lacking)
        if self.missing == "drop":
            return _without(record, set(lacking))
        documents = tuple(
            replace(d, attributes={**d.attributes, name: MISSING_GROUP}) if i in lacking else d
            for i, d in enumerate(record.documents)
        )
        return replace(record, documents=documents)

    def _watch(self, record: Record) -> None:
        for name in self.named:
            if (known := self.values.get(name)) is None:
                known = self.values[name] = Counter()
            if len(known) < WATCHED:
                for document in record.documents:
                    if (value := document.attributes.get(name)) is not None:
                        known[value] += 1


def _values(record: Record, name: str) -> Iterable[str]:
    holders = [
        record.attributes,
        *(d.attributes for d in record.documents),
        *(e.attributes for e in record.entities),
    ]
    return (attributes[name] for attributes in holders if name in attributes)


def _number(value: str, name: str, record: Record) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise at(
            record.where,
            fault(
                f"{value!r} as {name!r}",
                "a number, because of --bin",
                f"correct it, or drop --bin {name}",
            ),
            record.id,
        )
    return number


def _cut(numbers: Sequence[float], shares: int, name: str) -> Bins:
    """Cuts into shares as equal as ties allow; the largest number is not a cut."""
    if not numbers:
        return Bins((0.0,))  # `check` reports that the attribute does not occur
    result = np.quantile(np.asarray(numbers), np.arange(1, shares) / shares, method="inverted_cdf")
    cuts = tuple(sorted({float(cut) for cut in result} - {max(numbers)}))
    if not cuts:
        raise RequestError(
            f"--bin {name}=q{shares}: nearly all numbers are equal, so they cannot be divided. Give cuts "
            f"({names([f'--bin {name}=3,7'])}), or drop --bin."
        )
    return Bins(cuts)


def _without(record: Record, lacking: set[int]) -> Record:
    """The record without some documents and the mentions in them."""
    kept: list[Document] = []
    place: dict[int, int] = {}
    for i, document in enumerate(record.documents):
        if i not in lacking:
            place[i] = len(kept)
            kept.append(document)

    def moved(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
        return tuple(replace(m, document=place[m.document]) for m in mentions if m.document in place)

    entities = tuple(replace(e, mentions=moved(e.mentions)) for e in record.entities)
    return replace(record, documents=tuple(kept), entities=entities)
