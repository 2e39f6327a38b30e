"""What is wrong where an id comes again: of the same system, or of another with other documents."""

from __future__ import annotations

from fairbrief.errors import DataError
from fairbrief.readers.messages import fault

WANTED = "each record once for a system"


def again(system: str, place: str, *, is_same: bool, absent: str = "") -> DataError:
    """A second summary by a system of the record at ``place``, of the same documents or of others.

    ``absent`` is the field that names systems, where no row has it.
    """
    found = f"this id of the system {system!r} a second time, after {place}"
    if not is_same:
        return fault(
            f"{found}, with other documents",
            WANTED,
            "where each row is one document of its record, say --group-by with the field of the record's id; else "
            "name the field that tells the records apart with --id-field ('' numbers the rows)",
        )
    if absent:
        return fault(
            f"{found}; no row has the field {absent!r}",
            WANTED,
            "name the field that says which system wrote a summary with --system-field, or remove one",
        )
    return fault(found, WANTED, "name the system of one of them, or remove it")


def other_documents(system: str, place: str) -> DataError:
    """Documents that differ from those that another system has under this id at ``place``."""
    return fault(
        f"other documents than at {place}, where the system {system!r} has this id",
        "the same documents under an id, whichever system summarized them",
        "name the field that tells the records apart with --id-field, or audit the files apart",
    )
