"""Where the records of an input stand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairbrief
from fairbrief.readers import json_lines, tables
from fairbrief.readers.input_parts import PartTally, RecordPlaces
from fairbrief.types import Document, Record


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


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_an_audit_in_parts_tells_where_records_stand(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The places that the parts of several files tell are those that are looked up; each stands once."""
    monkeypatch.setattr(json_lines, "SMALL_PART", 200)
    monkeypatch.setattr(json_lines, "FEW_PARTS", 1 << 20)
    monkeypatch.setattr(tables, "PART", 1)
    files = [tmp_path / f"{name}.{kind}" for name in "ab"]
    for file in files:
        rows = [
            {"id": f"r{i}", "documents": ["One thing.", "Another."], "summary": "One.", "system": file.stem}
            for i in range(40)
        ]
        if kind == "jsonl":
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        else:
            pq.write_table(pa.Table.from_pylist(rows), file, row_group_size=7)
    told, looked_up = fairbrief.read(files), fairbrief.read(files).places
    assert len(told.ranges or ()) > 4
    fairbrief.audit(told, ["position_bias"], n_resamples=20)
    assert told._places is not None
    for ours, theirs in zip(
        (told.places.ids, told.places.sources, told.places.starts),
        (looked_up.ids, looked_up.sources, looked_up.starts),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_an_input_without_records_has_no_places() -> None:
    """Nothing is found among none."""
    assert RecordPlaces.found([]).of("a") == []


def test_parts_of_many_files_tell_where_their_records_stand() -> None:
    """Of an input of more files than two bytes can number, too; a row of several summaries is one place."""
    part, whole = PartTally(), PartTally()
    for system in ("a", "b"):
        part.note(Record("r", (Document("One."),)), system, ["One."], 7)
    for source in (0, 40_000):
        whole.add(part, source)
    assert whole.places().of("r") == [(0, 7), (40_000, 7)]
