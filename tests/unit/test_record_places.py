"""Where the records of an input stand."""

from __future__ import annotations

import json
from pathlib import Path

import fairbrief
from fairbrief.readers.record_places import RecordPlaces


def test_records_are_found_by_their_ids(tmp_path: Path) -> None:
    """Each record is read from its place, or from its places where several systems summarized it."""
    ids = ["b", "a", "é", "b"]
    rows = [
        {"id": ident, "documents": ["One."], "summary": f"S{i}.", "system": f"s{i}"}
        for i, ident in enumerate(ids)
    ]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reading = fairbrief.read(path)
    for ident in dict.fromkeys(ids):
        found = [
            case
            for source, start in reading.places.of(ident)
            for case in reading.part(source, (start, start + 1))
        ]
        assert [case.summary.text for case in found] == [
            f"S{i}." for i, own in enumerate(ids) if own == ident
        ]
    assert reading.places.of("c") == []


def test_an_input_without_records_has_no_places() -> None:
    """Nothing is found among none."""
    assert RecordPlaces.found([]).of("a") == []
