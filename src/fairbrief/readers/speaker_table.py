"""A table of speakers, whose other columns become attributes of the speakers' turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.field_values import value_of
from fairbrief.readers.files import Meter
from fairbrief.readers.input_sources import not_a_row, one_source
from fairbrief.readers.messages import at, did_you_mean, fault, names
from fairbrief.types import Record

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
            "add the row; or drop such turns with --missing drop, or make them a group with --missing group",
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
