"""Labels of documents: attributes of their speakers, numbers in bins, and the treatment of missing labels."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.field_values import attributes_of
from fairbrief.readers.fields import SPEAKER
from fairbrief.readers.input_sources import not_a_row, one_source
from fairbrief.readers.messages import at, did_you_mean, fault, names
from fairbrief.text.counted import counted
from fairbrief.types import Record

MISSING_GROUP = "missing"
"""The group of documents without a label, with ``missing="group"``."""


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
                who = f"the speaker {speaker!r}, who is not in {self.name}," if speaker else "no speaker"
                raise DataError(
                    f"found {who} in document {number}; add the row, name the field (--attribute {SPEAKER}=FIELD), or give "
                    f"--missing drop or group, with --attribute for a column of the table.{did_you_mean(speaker, self.of)}"
                )
            attributes = {**self.of.get(speaker, {}), **document.attributes}
            documents.append(replace(document, attributes=attributes))
        return replace(record, documents=tuple(documents))


def read_speakers(source: Any) -> SpeakerTable:
    """The table in a file, with one row per speaker and the column ``speaker``.

    Raises DataError for a speaker with two rows, and RequestError without that column or without any other.
    """
    table = one_source(source)
    rows: dict[str, tuple[int, dict[str, str]]] = {}
    for number, row in table.read():
        where = f"{table.name}:{number}"
        if not isinstance(row, Mapping):
            raise at(where, not_a_row(row))
        if SPEAKER not in row or len(row) < 2:
            wanted = f"the column '{SPEAKER}' and columns with attributes"
            raise RequestError(f"{table.name} needs {wanted}. It has {names(row)}.")
        values = dict(attributes_of(row, "the columns"))
        if (speaker := values.pop(SPEAKER, None)) is None:
            raise at(where, fault("no speaker", "a name in every row", "add it, or remove the row"))
        if speaker in rows:
            twice = f"{names([speaker])} twice, first in row {rows[speaker][0]}"
            raise at(where, fault(twice, "one row per speaker", "remove one of them"))
        rows[speaker] = number, values
    return SpeakerTable(table.name, {speaker: values for speaker, (_, values) in rows.items()})


Cuts = tuple[float, ...]
"""Increasing cuts between groups of numbers; a number equal to a cut is below it."""


def group_of(number: float, cuts: Cuts) -> str:
    """The group of a number.

    >>> [group_of(x, (3.0, 7.0)) for x in (3, 5, 8)]
    ['up to 3', 'over 3 to 7', 'over 7']
    """
    place = bisect_left(cuts, number)
    if place == 0:
        return f"up to {cuts[0]:.12g}"
    over = f"over {cuts[place - 1]:.12g}"
    return over if place == len(cuts) else f"{over} to {cuts[place]:.12g}"


def cuts_of(text: str) -> Cuts:
    """The cuts in a text (``3,7``); RequestError for anything else.

    >>> cuts_of("3,7")
    (3.0, 7.0)
    """
    with suppress(ValueError):
        cuts = tuple(map(float, text.split(",")))
        if all(map(math.isfinite, cuts)) and list(cuts) == sorted(set(cuts)):
            return cuts
    raise RequestError(f"--bin with '{text}': write increasing cuts, as in --bin rating=3,7.")


@dataclass(slots=True)
class Labelling:
    """The treatment of the labels of each record."""

    bins: Mapping[str, Cuts]
    missing: str
    named: tuple[str, ...]
    """The named attributes."""
    speakers: SpeakerTable | None = None
    lacking: dict[str, dict[str, int]] = field(default_factory=dict)
    """Attribute → record → number of documents without it."""
    binned: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Forget the records of an earlier iteration."""
        self.lacking, self.binned = {}, set()

    @property
    def changes_records(self) -> bool:
        """Whether records may be changed."""
        return bool(self.bins) or self.missing != "refuse" or self.speakers is not None

    def applied(self, record: Record) -> Record | None:
        """The record with its labels; None if no document has one and such records are dropped."""
        if self.speakers is not None:
            record = self.speakers.applied(record, may_lack=self.missing != "refuse")
        for name, cuts in self.bins.items():
            record = self._in_bins(record, name, cuts)
        result: Record | None = record
        for name in self.named if self.missing != "refuse" else ():
            result = result and self._without_missing(result, name)
        return result

    def notes(self) -> list[str]:
        """What was done to documents without a label. RequestError for bins of an attribute that does not occur."""
        if unknown := self.bins.keys() - self.binned:
            name = min(unknown)
            lacking = f"no document and no record has the attribute {name!r}"
            raise RequestError(f"--bin {name}: {lacking}. Give its field: --attribute {name}=FIELD.")
        done = "excluded" if self.missing == "drop" else f"in the group '{MISSING_GROUP}'"
        return [
            f"{counted(sum(of.values()), 'document')} of {counted(len(of), 'record')} without {name!r} {done} (--missing)."
            for name, of in self.lacking.items()
        ]

    def _in_bins(self, record: Record, name: str, cuts: Cuts) -> Record:
        def in_bins(holder: Any) -> Any:
            """A document, an entity or the record, with its value in a bin."""
            if (value := holder.attributes.get(name)) is None:
                return holder
            self.binned.add(name)
            number = math.nan
            with suppress(ValueError):
                number = float(value)
            if not math.isfinite(number):
                raise fault(f"{value!r} as {name!r}", "a number, because of --bin", "correct it")
            return replace(holder, attributes={**holder.attributes, name: group_of(number, cuts)})

        documents, entities = tuple(map(in_bins, record.documents)), tuple(map(in_bins, record.entities))
        return replace(record, documents=documents, entities=entities, attributes=in_bins(record).attributes)

    def _without_missing(self, record: Record, name: str) -> Record | None:
        """The record without documents that lack the attribute, or with these in a group; None if all lack it and are dropped."""
        documents = record.documents
        present = [i for i, d in enumerate(documents) if name in d.attributes]
        if len(present) == len(documents) or (not present and name in record.attributes):
            return record
        if not present and self.missing == "drop":
            return None
        self.lacking.setdefault(name, {})[record.id] = len(documents) - len(present)
        if self.missing == "group":
            added = (replace(d, attributes={name: MISSING_GROUP, **d.attributes}) for d in documents)
            return replace(record, documents=tuple(added))
        place = {old: new for new, old in enumerate(present)}
        entities = []
        for entity in record.entities:
            kept = (replace(m, document=place[m.document]) for m in entity.mentions if m.document in place)
            entities.append(replace(entity, mentions=tuple(kept)))
        return replace(record, documents=tuple(documents[i] for i in present), entities=tuple(entities))
