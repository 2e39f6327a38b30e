"""Files and tables: formats, compression, encodings, damage, several of them, summaries beside."""

import gzip
import json
import sys
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.cli.command import put

from fairbrief.errors import DataError, MissingExtra, RequestError
from fairbrief.readers import read
from fairbrief.types import Case


def row(i: int) -> dict[str, Any]:
    """A record of one document, and its summary."""
    document = {"text": f"Té {i}.", "attributes": {"party": "ab"[i % 2]}}
    return {"id": str(i), "documents": [document], "summary": f"S{i}"}


ROWS = [row(i) for i in range(300)]
CSV = 'id,text,party,summary\n1,One. || Two.,a|b,Both\n2,Three,c,"Line\nbreak"\n'
CSV_OPTIONS: Any = {"documents_field": "text", "separator": " || ", "attributes": {"party": "party"}}


def lines(rows: list[dict[str, Any]]) -> bytes:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def tell(cases: Any) -> list[tuple[Any, ...]]:
    """What of cases is compared."""
    pairs = ((c.record, c.summary) for c in cases)
    return [(r.id, [(d.text, dict(d.attributes)) for d in r.documents], s.system, s.text) for r, s in pairs]


FIRST = [(r, r["documents"][0]) for r in ROWS]
EXPECTED = [(r["id"], [(d["text"], d["attributes"])], "data", r["summary"]) for r, d in FIRST]


def write_stream(table: pa.Table, path: Path) -> None:
    """A table in Arrow's format of streams."""
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)


WRITERS: Mapping[str, Callable[[Path, list[dict[str, Any]]], object]] = {
    "jsonl": lambda path, rows: path.write_bytes(lines(rows)),
    "jsonl.gz": lambda path, rows: path.write_bytes(gzip.compress(lines(rows))),
    "jsonl.zst": lambda path, rows: path.write_bytes(pa.compress(lines(rows), "zstd", asbytes=True)),
    "json": lambda path, rows: path.write_text(json.dumps(rows, indent=1)),
    "parquet": lambda path, rows: pyarrow.parquet.write_table(pa.Table.from_pylist(rows), path),
    "feather": lambda path, rows: pyarrow.feather.write_feather(pa.Table.from_pylist(rows), path),
    "arrow": lambda path, rows: write_stream(pa.Table.from_pylist(rows), path),
}
"""By ending what writes rows into a file."""


@pytest.mark.parametrize("ending", WRITERS)
def test_formats(tmp_path: Path, ending: str) -> None:
    """Every format gives the same cases, each time it is read, and tells how far it is."""
    path = tmp_path / f"data.{ending}"
    WRITERS[ending](path, ROWS)
    reading = read(path)
    assert tell(reading) == EXPECTED
    assert tell(reading) == EXPECTED
    assert reading.files == (path,)
    assert reading.bytes_read == reading.bytes_total == path.stat().st_size


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_tables(library: str) -> None:
    """Tables in memory give the same cases."""
    table = pa.Table.from_pylist(ROWS)
    if library == "pandas":
        table = table.to_pandas()
    elif library == "polars":
        table = pytest.importorskip("polars").from_arrow(table)
    assert tell(read(table, system="data")) == EXPECTED


def test_absent_values_of_pandas() -> None:
    """What pandas marks as not there is absent, and whole numbers stay whole beside it."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1, 2], "text": ["a", "b"], "stars": [5, None], "summary": ["s", None]})
    cases = list(read(frame, documents_field="text", attributes={"stars": "stars"}))
    assert [dict(c.record.attributes) for c in cases] == [{"stars": "5"}, {}]
    assert cases[1].summary.reason == "missing summary"


def test_a_table_of_pandas_with_a_header_of_two_lines() -> None:
    """A column has the name that messages about it show; a name that comes twice is refused, not read once."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "b"]], columns=[["text", "summary"], ["en", "en"]])
    (case,) = read(frame, documents_field="('text', 'en')", summary_field="('summary', 'en')")
    assert (case.record.documents[0].text, case.summary.text) == ("a", "b")
    for twice in (frame.set_axis(["a", "a"], axis="columns"), pa.table([["x"], ["y"]], names=["a", "a"])):
        with pytest.raises(DataError, match="found the column 'a' twice"):
            list(read(twice))


def test_saved_data_sets(tmp_path: Path) -> None:
    """A folder saved by `datasets` is read; of several splits one must be named."""
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    saved = datasets.Dataset.from_list(ROWS[:5])
    saved.save_to_disk(str(tmp_path / "data"))
    assert tell(read(tmp_path / "data")) == EXPECTED[:5]
    assert tell(read(saved, system="data")) == EXPECTED[:5]
    datasets.DatasetDict({"a": saved, "b": saved}).save_to_disk(str(tmp_path / "two"))
    with pytest.raises(RequestError, match="splits 'a', 'b'"):
        read(tmp_path / "two")
    assert tell(read(tmp_path / "two" / "a", system="data")) == EXPECTED[:5]


def test_named_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``hf:NAME:SPLIT`` opens a data set as a stream, in its place among files; an unknown split is refused with those there are."""
    datasets = pytest.importorskip("datasets")
    stream = datasets.Dataset.from_list(ROWS[:5]).to_iterable_dataset()

    def load(name: str, *, streaming: bool) -> dict[str, Any]:
        assert (name, streaming) == ("someone/data", True)
        return {"train": stream, "test": stream}

    monkeypatch.setattr(datasets, "load_dataset", load)
    assert tell(read("hf:someone/data:test", system="data")) == EXPECTED[:5]
    path = put(tmp_path / "first.jsonl", '{"id": "first", "documents": ["a"], "summary": "b"}')
    first, *others = read([str(path), "hf:someone/data:test"])
    assert (first.record.id, len(others)) == ("first", 5)
    with pytest.raises(RequestError, match=r"no split 'tset'.*Did you mean 'test'"):
        read("hf:someone/data:tset")
    with pytest.raises(RequestError, match="write hf:someone/data:SPLIT"):
        read("hf:someone/data")


def test_library_that_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `datasets` the message says what to install."""
    monkeypatch.setitem(sys.modules, "datasets", None)
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(MissingExtra, match=r"fairbrief\[datasets\]"):
        read(tmp_path)


def test_csv(tmp_path: Path) -> None:
    """CSV and TSV: texts cut by the separator, values beside, line breaks in quotes, byte order mark."""
    path = put(tmp_path / "data.csv", "\ufeff" + CSV)
    expected = [
        ("1", [("One.", {"party": "a"}), ("Two.", {"party": "b"})], "data", "Both"),
        ("2", [("Three", {"party": "c"})], "data", "Line\nbreak"),
    ]
    assert tell(read(path, **CSV_OPTIONS)) == expected
    assert [c.record.where for c in read(path, **CSV_OPTIONS)] == ["data.csv:2", "data.csv:3"]
    assert tell(read(put(tmp_path / "data.tsv", CSV.replace(",", "\t")), **CSV_OPTIONS)) == expected


def test_lists_in_cells(tmp_path: Path) -> None:
    """A cell may hold documents and references as a JSON list."""
    rows = '1,"[""a"", {""text"": ""b""}]","[""r"", ""q""]",s\n2,[a],[r],s\n'
    first, second = read(put(tmp_path / "data.csv", f"id,documents,references,summary\n{rows}"))
    assert [d.text for d in first.record.documents] == ["a", "b"]
    assert first.record.references == ("r", "q")
    assert (second.record.documents[0].text, second.record.references) == ("[a]", ("[r]",))


@pytest.mark.parametrize(("content", "found"), [
    (b"id,text,summary\n1,a\n2,b,c\n", "data.csv:2: found 2 fields; expected 3"),
    (b'id,text,summary\n1,"a"x,c\n2,b,c\n', "data.csv:2: found invalid CSV in line 2"),
    (b"id,text,summary\n1,caf\xe9,c\n2,\xc3\xa9,c\n", "data.csv:2: found the byte 0xe9 in line 2, which"),
    (b"id,text,summary\n1,a\0,c\n2,b,c\n", "data.csv:2 (id '1'): found a NUL character"),
    (b'id,text,summary\n2,b,c\n3,"a,c\n4,d,e\n', "data.csv:3: found invalid CSV in lines 3 to 4"),
])  # fmt: skip
def test_bad_csv(tmp_path: Path, content: bytes, found: str) -> None:
    """A bad row is named with its lines; the good ones are read when such rows are skipped."""
    path = put(tmp_path / "data.csv", content)
    with pytest.raises(DataError) as raised:
        list(read(path, documents_field="text"))
    assert str(raised.value).startswith(found)
    reading = read(path, documents_field="text", on_error="skip")
    assert [c.record.id for c in reading] == ["2"]
    assert reading.skipped_count == 1


@pytest.mark.parametrize("mark", ["|", ";", "\t"])
def test_another_delimiter(tmp_path: Path, mark: str) -> None:
    """Semicolons, tabs or bars separate the columns of a .csv file without a comma in its first line, unless it is quoted."""
    content = "id,text,summary\n1,Good, but,fine\n".replace(",", mark).replace(f"{mark} ", ", ")
    [case] = read(put(tmp_path / "data.csv", content), documents_field="text")
    assert case.record.documents[0].text == "Good, but"
    with pytest.raises(RequestError, match=r"no column 'documents'. Its columns: 'a;b'"):
        list(read(put(tmp_path / "data.csv", '"a;b"\nx\n')))


@pytest.mark.parametrize(("ending", "content"), [("jsonl", "\n \n"), ("json", ""), ("csv", "")])
def test_empty_files(tmp_path: Path, ending: str, content: str) -> None:
    """A file without a record is an error on every setting."""
    path = put(tmp_path / f"data.{ending}", content)
    with pytest.raises(DataError, match=f"data.{ending} has no record"):
        list(read(path, on_error="skip"))


@pytest.mark.parametrize(
    "content", ['[{"id": 1},', '[{"id": 1} {"id": 2}]', '[{"id": }]', "[{}] x", "[", "[{\udce9", "[" * 9_000]
)
def test_broken_arrays(tmp_path: Path, content: str) -> None:
    """A broken JSON array stops the reading, since what follows cannot be told apart."""
    path = put(tmp_path / "data.json", content.encode(errors="surrogateescape"))
    with pytest.raises(DataError, match=r"data.json: found invalid JSON"):
        list(read(path, on_error="skip").records())


def test_an_array_with_an_object_that_is_not_utf8(tmp_path: Path) -> None:
    """The byte is counted in its object, and the other objects are read."""
    content = b'[{"id": 1, "documents": ["a"], "summary": "b"}, {"id": "\xc3("}]' + b" " * 9
    reading = read(put(tmp_path / "data.json", content), on_error="skip", encoding="utf-8")
    assert [case.record.id for case in reading] == ["1"]
    assert reading.skipped[0].startswith("data.json:2: found the byte 0xc3 at byte offset 8 of the object")


def test_paths_that_are_none(tmp_path: Path) -> None:
    """A wrong path is refused at once, with what is near."""
    for name in ("reviews.jsonl", "reviews.doc", "reviews.toml"):
        (tmp_path / name).write_text("{}")
    for path, options, said in (
        ("review.jsonl", {}, r"Did you mean 'reviews.jsonl'"),
        (".", {}, r"is a folder.*'reviews.jsonl'"),
        ("reviews.doc", {}, "does not end in a known format"),
        ("reviews.toml", {}, "is a file of settings"),
        ("reviews.jsonl", {"format": "word"}, "--format word is unknown"),
        ("a\0b.jsonl", {}, r"no file|not a path"),
    ):
        with pytest.raises(RequestError, match=said):
            read(tmp_path / path, **options)
    for scheme in ("file", "https"):
        with pytest.raises(RequestError, match=rf"addresses of {scheme} are not supported, only s3://, "):
            read(Path(f"{scheme}://x.org/in.jsonl"))


def test_columns_that_are_none(tmp_path: Path) -> None:
    """A table without a column that is needed is refused with its columns, on every setting."""
    path = put(tmp_path / "data.csv", CSV)
    columns = "'id', 'text', 'party', 'summary'"
    with pytest.raises(
        RequestError, match=f"no column 'documents'. Its columns: {columns}.*--group-by.*fairbrief init"
    ):
        list(read(path, on_error="skip"))
    with pytest.raises(RequestError, match=r"no column 'partie'.*Did you mean 'party'"):
        list(read(path, **{**CSV_OPTIONS, "attributes": {"party": "partie"}}))
    path.write_text("id,text,id\n1,a,2\n")
    with pytest.raises(DataError, match="column 'id' twice"):
        list(read(path))


def test_several_files(tmp_path: Path) -> None:
    """Each file's name is its system; an id twice for one system names both files."""
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    a.write_bytes(lines(ROWS[:3]))
    b.write_bytes(lines(ROWS[:3]))
    reading = read([a, str(b)])
    assert [c.summary.system for c in reading] == ["a"] * 3 + ["b"] * 3
    assert [r.id for r in reading.records()] == ["0", "1", "2"]
    with pytest.raises(DataError, match=r"b.jsonl:1 \(id '0'\).*after a.jsonl:1.*--group-by"):
        list(read([a, b], system="one"))


def beside(folder: Path, name: str, content: str, **options: Any) -> list[Case]:
    """Cases of three records whose summaries stand in a file of their own."""
    (folder / "records.jsonl").write_bytes(lines([{**r, "summary": None} for r in ROWS[:3]]))
    (folder / name).write_text(content)
    return list(read(folder / "records.jsonl", summaries={"S": folder / name}, **options))


def test_summaries_beside_by_id(tmp_path: Path) -> None:
    """Summaries in a file of their own are matched by id in any order; one without a line is missing."""
    told = '{"id": 2, "summary": "two", "claims": ["u"]}\n{"id": "0", "summary": " "}\n'
    cases = beside(tmp_path, "s.jsonl", told)
    assert [(c.record.id, c.summary.system, c.summary.text, c.summary.reason) for c in cases] == [
        ("0", "S", " ", "empty summary"), ("1", "S", "", "missing summary"), ("2", "S", "two", ""),
    ]  # fmt: skip
    assert cases[2].summary.claims is not None


def test_summaries_beside_in_order(tmp_path: Path) -> None:
    """Plain text gives one summary a line in the order of the records; a blank line is an empty one."""
    cases = beside(tmp_path, "s.txt", "zero\n\ntwo")
    assert [(c.record.id, c.summary.text) for c in cases] == [("0", "zero"), ("1", ""), ("2", "two")]
    for content, found in (("a\nb\n", "fewer lines"), ("a\nb\nc\nd\n", "1 more lines")):
        with pytest.raises(RequestError, match=found):
            beside(tmp_path, "s.txt", content, on_error="skip")


def test_each_record_takes_one_summary_beside(tmp_path: Path) -> None:
    """A line or the row of its id, even if it has several rows; those of records that are not in the sample are no error."""
    (tmp_path / "s.txt").write_text("".join(f"of {n}\n" for n in range(9)))
    rows = [{**row(n), "system": system} for n in range(9) for system in "ab"]
    for summaries in (tmp_path / "s.txt", [{"id": str(n), "summary": f"of {n}"} for n in range(9)]):
        cases = list(read(rows, summaries={"S": summaries}, sample=4))
        beside = [case for case in cases if case.summary.system == "S"]
        assert (len(cases), len(beside)) == (12, 4)
        assert all(case.summary.text == f"of {case.record.id}" for case in beside)


def test_summaries_beside_that_fit_nothing(tmp_path: Path) -> None:
    """A summary of no record, a second one, or one that is no text is an error with its own place."""
    for line, found in (
        ('{"id": "9", "summary": "x"}', r"s.jsonl:1 \(id '9'\): found an id that no record has"),
        ('{"id": "1", "summary": "x"}\n{"id": 1, "summary": "y"}', r"s.jsonl:2 \(id '1'\).*after s.jsonl:1"),
        ('{"id": "1", "summary": 5}', r"s.jsonl:1 \(id '1'\): found the number 5"),
        ('{"id": "1", "text": "x"}', r"s.jsonl:1: found the fields 'id', 'text'; expected the summary"),
        ('{"nr": "1", "summary": "x"}', r"s.jsonl:1: .* the record's id in 'id'; give --summaries-id-field"),
        ('{"id', r"s.jsonl:1: found invalid JSON"),
    ):
        with pytest.raises(DataError, match=found):
            beside(tmp_path, "s.jsonl", line)
        assert len(beside(tmp_path, "s.jsonl", line, on_error="skip")) == 3


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_memory_does_not_grow(tmp_path: Path, ending: str) -> None:
    """A file many times as large takes hardly more memory: only the ids are remembered."""
    peaks = []
    for n in (200, 2_000):
        path = tmp_path / f"{n}.{ending}"
        rows = [json.dumps({"id": i, "documents": ["word " * 400] * 5, "summary": "s"}) for i in range(n)]
        path.write_text("\n".join(rows) if ending == "jsonl" else f"[{','.join(rows)}]")
        del rows
        sum(1 for _ in read(path))
        tracemalloc.start()
        assert sum(1 for _ in read(path)) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < path.stat().st_size / 10
