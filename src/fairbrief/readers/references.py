"""References audited as systems: what people wrote, measured like what systems wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fairbrief.errors import DataError, RequestError
from fairbrief.readers.duplicates import hash_of
from fairbrief.readers.reading import Reading
from fairbrief.types import REFERENCE, Case, Summary


class WithReferences:
    """A reading that also gives each record's references, as the systems ``reference 1``, ``reference 2`` and so on.

    A reference is held against the record's other references only. Raises, while iterating: what the reading
    raises; DataError where a system already has such a name; RequestError where no record has a reference.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        """The reading beneath, which knows nothing of references as systems."""
        self.files = reading.files
        self.bytes_total = reading.bytes_total

    @property
    def bytes_read(self) -> int:
        """How many bytes of the files this iteration has read."""
        return self.reading.bytes_read

    @property
    def skipped(self) -> list[str]:
        """The first messages about what was left out."""
        return self.reading.skipped

    @property
    def skipped_count(self) -> int:
        """How much was left out."""
        return self.reading.skipped_count

    @property
    def unwanted_count(self) -> int:
        """How many records a requirement left out."""
        return self.reading.unwanted_count

    @property
    def notes(self) -> list[str]:
        """What the reading says of how it read."""
        return self.reading.notes

    def __iter__(self) -> Iterator[Case]:
        known, is_any = set[int](), False
        for case in self.reading:
            if case.summary.system.startswith(f"{REFERENCE} "):
                raise DataError(
                    f"{case.record.where or 'input'} (id '{case.record.id}'): a system is called "
                    f"'{case.summary.system}', as --references calls references. Rename it, or drop --references."
                )
            yield case
            if (key := hash_of(case.record.id, "")) not in known:
                known.add(key)
                is_any = is_any or bool(case.record.references)
                yield from references_of(case)
        if not is_any:
            raise RequestError(
                "--references: no record has a reference. Name their field with --references-field."
            )


def references_of(case: Case) -> Iterator[Case]:
    """The references of a case's record, each as a summary by a system of its own."""
    told = case.record.references
    for i, text in enumerate(told):
        record = replace(case.record, references=told[:i] + told[i + 1 :])
        reason = "" if text.strip() else "empty"
        yield Case(record, Summary(record.id, f"{REFERENCE} {i + 1}", text, reason=reason))
