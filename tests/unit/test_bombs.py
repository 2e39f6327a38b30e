"""Small tables that would fill the memory are refused soon, with a message; large honest ones are read."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks import bombs

from fairbrief.errors import DataError
from fairbrief.readers import read, tables


@pytest.mark.parametrize("make", [bombs.long_list, bombs.repeated_text, bombs.empty_rows])
def test_bombs(tmp_path: Path, make: Any) -> None:
    """In a process of at most 4 GiB: within seconds, in less than 600 MiB."""
    for path in bombs.written(make, 0, tmp_path):
        assert path.stat().st_size < 1 << 20
        result = bombs.measured(path)
        assert "MiB or more in a file of" in result["said"], (path.name, result)
        assert result["seconds"] < 20
        assert result["mib"] < 600


def test_too_many_columns(tmp_path: Path) -> None:
    """The message has the number and the limit."""
    for path in bombs.written(bombs.many_columns, 0, tmp_path):
        with pytest.raises(DataError, match=r"found 10,004 columns; expected at most 10,000"):
            list(read(path))


def test_honest_tables_of_equal_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes less than a thousand times the file is read: 40 copies of a text, as a dictionary, packed or not."""
    monkeypatch.setattr(tables, "FREE", 1 << 16)
    texts = [" ".join(f"word{i * j}" for j in range(600)) for i in range(7)]
    table = bombs.record(pa.array(texts * 40).dictionary_encode())
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd")
    for name, options in (("b.arrow", bombs.PACKED), ("c.arrow", None)):
        with pa.ipc.new_file(tmp_path / name, table.schema, options=options) as out:
            out.write_table(table)
    with pa.ipc.new_stream(tmp_path / "d.arrow", table.schema, options=bombs.PACKED) as stream:
        stream.write_table(table)
    for path in sorted(tmp_path.iterdir()):
        assert [case.record.documents[0].text for case in read(path)] == texts * 40, path.name


def test_sizes_of_arrow_messages(tmp_path: Path) -> None:
    """Of a packed batch: 32 bytes per row, and per value of its column; the buffers with their unpacked sizes."""
    path = tmp_path / "a.arrow"
    table = pa.table({"n": pa.array([7] * 1000, pa.int64())})
    with pa.ipc.new_stream(path, table.schema, options=bombs.PACKED) as out:
        out.write_table(table)
    with path.open("rb") as source:
        (found,) = tables.arrow_messages(source, 0)
    least = 32 * (1000 + 1000) + 8 * 1000  # and the packed buffers, of a few hundred bytes
    assert least < found < least + 1000
    with path.open("r+b") as damaged:
        damaged.seek(8)
        damaged.write(struct.pack("<I", 1 << 30))
    with pytest.raises(DataError, match="damage"):
        list(read(path))
