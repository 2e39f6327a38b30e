"""An input read in parts is the input: no row is lost or read twice, and errors name the same lines."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairbrief.errors import DataError
from fairbrief.readers import Reading, json_lines, read, tables
from fairbrief.types import Case

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def row(i: int, text: str = "Fine.") -> dict[str, object]:
    """A record of one document."""
    return {"id": f"r{i}", "documents": [{"text": text, "attributes": {"a": "x"}}], "summary": "S."}


def parted(reading: Reading) -> list[Case]:
    """All cases, part by part."""
    return [case for part in reading.ranges for case in reading.part(*part)]


@QUICK
@given(
    texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30), min_size=1),
    end=st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n \n"]),
    is_ended=st.booleans(),
    size=st.integers(1, 400),
)
def test_lines_in_parts_are_all_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str], end: bytes, is_ended: bool, size: int
) -> None:
    """Wherever the cuts fall (in a line, in a character, at a line's end), every case comes once and in order."""
    monkeypatch.setattr(json_lines, "PART", size)
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(row(i, text), ensure_ascii=False).encode() for i, text in enumerate(texts)]
    path.write_bytes(end.join(lines) + (end if is_ended else b""))
    reading = read(path)
    assert parted(reading) == list(reading)


@QUICK
@given(groups=st.integers(1, 7), size=st.integers(1, 3000), rows=st.integers(1, 20))
def test_row_groups_in_parts_are_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: int, size: int, rows: int
) -> None:
    """However row groups are joined into parts, every case comes once, in order, and knows its row."""
    monkeypatch.setattr(tables, "PART", size)
    path = tmp_path / "x.parquet"
    pq.write_table(pa.Table.from_pylist([row(i) for i in range(rows)]), path, row_group_size=groups)
    reading = read(path)
    assert parted(reading) == list(reading)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_records_are_found_by_their_ids(tmp_path: Path, kind: str) -> None:
    """A record is read from its place, or from its places if several systems summarized it in several files."""
    ids = ["b", "a", "é"]
    for name in ("s0", "s1"):
        rows = [{**row(0), "id": ident, "summary": f"{ident} of {name}"} for ident in ids]
        path = tmp_path / f"{name}.{kind}"
        if kind == "jsonl":
            path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        else:
            pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=1)
    reading = read(sorted(tmp_path.iterdir()))
    for ident in ids:
        cases = [case for one in reading.near([ident]) for case in one]
        assert [case.summary.text for case in cases] == [f"{ident} of s0", f"{ident} of s1"]
    assert not list(reading.near(["c"]))


def test_an_error_in_a_part_names_the_files_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is that of the reading from the beginning, also where parts do not begin at a line's start."""
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(row(i)) for i in range(9)]
    lines[6] = '{"id": "broken"}'
    path.write_text("\n".join([*lines[:3], "", *lines[3:]]))
    with pytest.raises(DataError, match=r"x\.jsonl:8 ") as whole:
        list(read(path))
    for size in range(40, 400, 7):
        monkeypatch.setattr(json_lines, "PART", size)
        with pytest.raises(DataError) as error:
            parted(read(path))
        assert str(error.value) == str(whole.value)


def test_what_needs_the_rows_before_it_has_no_parts(tmp_path: Path) -> None:
    """Compressed and quoted files, numbered rows, and summaries in other files are read from their beginning."""
    content = "\n".join(json.dumps(row(i)) for i in range(3))
    plain, packed, table, beside = (tmp_path / n for n in ("x.jsonl", "x.jsonl.gz", "x.csv", "s.txt"))
    plain.write_text(content)
    packed.write_bytes(gzip.compress(content.encode()))
    table.write_text("id,documents,summary\na,b,c\n")
    beside.write_text("S.\nS.\nS.\n")
    assert read(plain).ranges == [(0, (0, len(content), 0))]
    assert not any(read(source).ranges for source in (packed, table, [plain, packed], [row(1)]))
    assert not read(plain, id_field=None).ranges
    assert not read(plain, summaries={"other": beside}).ranges
