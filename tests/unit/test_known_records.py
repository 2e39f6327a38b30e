"""What is remembered of records while they are asked about and observed."""

from __future__ import annotations

import pytest

from fairbrief.errors import DataError
from fairbrief.measures.groups import groups_of
from fairbrief.measures.record_texts import KEPT, known
from fairbrief.types import Document, Record


def _record(*texts: str, side: str = "a") -> Record:
    return Record("r", tuple(Document(text, {"side": side}) for text in texts), (" ", "A reference."))


def test_what_is_found_of_a_record_is_found_once() -> None:
    """The same record gives the very same groups; one that equals it gives equal ones."""
    record, other = _record("One. Two.", "Three."), _record("One. Two.", "Three.")
    assert known(record) is known(record)
    assert groups_of(known(record), "side") is groups_of(known(record), "side")
    assert groups_of(known(other), "side").names == ("a",)


def test_references_without_words_are_none() -> None:
    """Blank references stand beside no summary."""
    assert known(_record("One.")).references == ("A reference.",)


def test_of_many_records_the_older_are_forgotten() -> None:
    """However many records pass, each has its own text, also after it was forgotten."""
    records = [_record(f"Text {i}.") for i in range(KEPT * 2 + 10)]
    for _ in range(2):
        assert [known(record).source for record in records] == [f"Text {i}." for i in range(len(records))]


def test_documents_that_lack_an_attribute_are_told_each_time() -> None:
    """An attribute that some documents lack is an error however often it is asked for; one that all lack makes no group."""
    record = Record("r", (Document("One.", {"side": "a"}), Document("Two.")))
    for _ in range(2):
        with pytest.raises(DataError, match=r"document 2\): found no attribute 'side'"):
            groups_of(known(record), "side")
    assert groups_of(known(record), "other").names == ()
