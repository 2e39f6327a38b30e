"""Damaged files, and small ones that would fill the memory: a data error, soon and in little memory; honest ones are read."""

import gzip
import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pyarrow.parquet as pq
import pytest
from benchmarks import bombs

from fairbrief.classifiers.people import read_pages
from fairbrief.classifiers.sentiment import read_lexicon, read_vectors
from fairbrief.cli import settings_file
from fairbrief.errors import DataError, FairbriefError
from fairbrief.people.build_people import names_of
from fairbrief.readers import read, tables
from fairbrief.readers.files import LONGEST_PACKED
from fairbrief.readers.understanding import inspect_file
from fairbrief.reports.per_record import PerRecordFile, read_sources, saved_rows
from fairbrief.saved import saved_inputs
from fairbrief.workbench import claims
from fairbrief.workbench.sheets import read_answers
from fairbrief.workbench.summarizers.prompts import find

DEEP = b"[" * 100_000


def _skipping(path: Path) -> None:
    list(read(path, on_error="skip"))


def _rows(path: Path) -> None:
    saved_rows(path.parent, [PerRecordFile(path.name, "o", ("m",))], "x")


READ: dict[str, tuple[bytes, Callable[[Path], object]]] = {
    "lexicon.csv": (b"word,label\ngood,\xff\n", lambda path: read_lexicon(str(path))),
    "lexicon with a NUL.csv": (b'word,label\n"go\rod,\xff', lambda path: read_lexicon(str(path))),
    "pages.csv": (b"name,gender\nAnn\xff,female\n", lambda path: read_pages(str(path))),
    "names.csv": (b"name,part\nAnn\xff,first\n", lambda path: names_of(str(path))),
    "claims.txt": (b"{summary}\xff", claims.instruction_in),
    "prompt.txt": (b"{documents}\xff", lambda path: find(str(path))),
    "settings.toml": (b"a = " + DEEP, settings_file.read),
    "answers.csv": (b"task,answer\n\xff", lambda path: read_answers([path], {})),
    "evidence.parquet": (b"PAR1" + b"\xff" * 60 + b"PAR1", _rows),
    "vectors.txt": (b"a 1e39 1\nb 1 1\n", lambda path: list(read_vectors(path))),
    "log.eval": (b"PK\5\6" + b"\0" * 8 + b"\xff" * 10, _skipping),
    "cut.jsonl.gz": (gzip.compress(random.Random(0).randbytes(2_000))[:-200], _skipping),
    **dict.fromkeys(("x.jsonl.gz", "x.jsonl.zst", "x.parquet", "x.arrow"), (b"not packed", _skipping)),
    "x.feather": (b"ARROW1\0\0 not a table", _skipping),
}


@pytest.mark.parametrize("name", READ)
def test_damage_is_told(name: str, tmp_path: Path) -> None:
    """Bytes that are not UTF-8, nesting without end and broken containers are errors that name the file."""
    content, read = READ[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FairbriefError, match=name):
        read(tmp_path / name)


def test_damaged_notes_of_the_inputs_are_none(tmp_path: Path) -> None:
    """Where the inputs of an audit stand is not known from a damaged file; the audit can be looked at without."""
    (tmp_path / saved_inputs.INPUTS).write_bytes(b'{"files": ["\xff"]}')
    assert saved_inputs.read(tmp_path, "x") is None


def test_hashes_of_sources_without_their_columns(tmp_path: Path) -> None:
    """A file of the right audit that lacks a column is told, not fallen over."""
    table = pa.table({"recorf": ["r"]}).replace_schema_metadata({"audit": "x"})
    pa.parquet.write_table(table, tmp_path / "sources.parquet")
    with pytest.raises(DataError, match=r"sources\.parquet is damaged"):
        read_sources(tmp_path / "sources.parquet", "x")


def test_an_entry_of_a_log_that_is_damaged(tmp_path: Path) -> None:
    """A sample whose bytes were changed, and a header that is no JSON, are told with the log's name."""
    path = tmp_path / "log.eval"
    for header, is_changed in ((b"", False), (b"{}", True)):
        with zipfile.ZipFile(path, "w") as log:
            log.writestr("header.json", header)
            log.writestr("samples/1.json", b'{"id": 1}')
        if is_changed:
            path.write_bytes(path.read_bytes().replace(b"PK\3\4", b"PK\3\5"))
        with pytest.raises(DataError, match=r"log\.eval: found damage"):
            list(read(path))


# ------------------------------------------------------------------------------------- small files that unpack to large ones

LONG = b"a" * (LONGEST_PACKED + 1)


def _packed(start: bytes, end: bytes = b"") -> Callable[[Path], object]:
    """Writes a packed file of a start, a long text and an end."""
    return lambda path: path.write_bytes(gzip.compress(start + LONG + end, 1))


def _log(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        log.writestr("header.json", "{}")
        log.writestr("samples/1.json", json.dumps({"id": LONG.decode()}))


def _far_cell(path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["id", "documents"])
    book.active["XFD1048576"] = "x"
    book.save(path)


def _large_sheet(path: Path) -> None:
    openpyxl.Workbook().save(path)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content + (b" " * (1 << 27) if "sheet1" in name else b""))


BOMBS = {
    "b.jsonl.gz": _packed(b'{"id": "x", "documents": ["', b'"]}\n'),
    "b.csv.gz": _packed(b"id,documents,summary\nx,", b",s\n"),
    "promptfoo.json.gz": _packed(b'{"evalId": "', b'"}'),
    "latin.csv.gz": _packed("id,documents,summary\nä,".encode("latin-1")),
    "b.eval": _log, "far.xlsx": _far_cell, "large.xlsx": _large_sheet,
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_does_not_fill_the_memory(name: str, tmp_path: Path) -> None:
    """What a file of less than a megabyte unpacks to is refused before it takes 200 MB."""
    path = tmp_path / name
    BOMBS[name](path)
    assert path.stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=name):
            list(read(path))
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()


def test_a_sheet_that_is_far_but_full_is_read(tmp_path: Path) -> None:
    """A large table is no empty one, and `init` looks at it as well."""
    book = openpyxl.Workbook()
    book.active.append(["id", "documents", "summary"])
    for i in range(50):
        book.active.append([f"r{i}", "It rattles.", "S."])
    book.active["AZ900"] = "note"
    book.save(tmp_path / "t.xlsx")
    assert len(list(read(tmp_path / "t.xlsx", on_error="skip"))) == 50
    assert inspect_file(str(tmp_path / "t.xlsx"))


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
