"""Files in object stores: read by range where they are, as a copy here is, and told clearly where they cannot be."""

import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import Command, put, refused
from tests.sample_cases import assert_same, cases_of
from tests.stub_s3 import KEY, SECRET, StubS3, in_environment

from fairbrief.auditing import Plan, audit, run
from fairbrief.errors import BackendError, DataError, RequestError
from fairbrief.readers import json_lines, object_stores, read, tables
from fairbrief.saved.gate import gate
from fairbrief.saved.view import OpenAudit
from fairbrief.serialization import case_line

PLAN = Plan(measures=["bur@party", "rouge1"], n_resamples=30, n_extracts=0)
SIZE = 6_000
"""Bytes of a part."""
ADDRESS = "s3://bucket/in/reviews.jsonl"
LINES = b"".join(json.dumps(case_line(case)).encode() + b"\n" for case in cases_of(40))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few records, and few bytes at once."""
    for module in (json_lines, tables):
        monkeypatch.setattr(module, "PART", SIZE)
    monkeypatch.setattr(run, "BATCH", 16)
    monkeypatch.setattr(object_stores, "AT_ONCE", 4_000)
    monkeypatch.setattr(object_stores, "ATTEMPTS", 2)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubS3]:
    """A store with a bucket, in the environment of this process and its workers."""
    files = dict.fromkeys(("in/reviews.jsonl", "in/deep/other.jsonl"), LINES)
    with in_environment(StubS3({"bucket": files}), monkeypatch) as stub:
        yield stub


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """The same file here."""
    return put(tmp_path / "reviews.jsonl", LINES)


def test_lines_are_read_in_parts_as_a_copy_here(store: StubS3, local: Path) -> None:
    """With the same parts and answer; and no request asks for much more than is read at once."""
    stored = read(ADDRESS)
    assert stored.ranges == read(local).ranges
    assert len(stored.ranges) > 5
    assert_same(audit(stored, replace(PLAN, workers=2)), audit(read(local), PLAN))
    longest = max(last - first for first, last in store.ranges())
    assert longest < max(SIZE, 2 * json_lines.CHUNK, len(LINES)) / 2


def test_row_groups_are_read_as_of_a_copy_here(store: StubS3, tmp_path: Path) -> None:
    """Of Parquet each part asks for its own row groups, and the whole file is never asked for."""
    rows = [{k: v for k, v in json.loads(line).items() if v} for line in LINES.splitlines()]
    rows = [{name: row.get(name) for name in ("id", "documents", "summary", "references")} for row in rows]
    rows = [{**row, "more": random.Random(i).randbytes(20_000).hex()} for i, row in enumerate(rows)]
    path = tmp_path / "reviews.parquet"
    pq.write_table(pa.Table.from_pylist(rows[::2]), path, row_group_size=5)
    store.buckets["bucket"]["reviews.parquet"] = path.read_bytes()
    stored, plan = read("s3://bucket/reviews.parquet"), replace(PLAN, measures=["rouge1"])
    assert stored.ranges == read(path).ranges
    assert len(stored.ranges) > 3
    assert_same(audit(stored, plan), audit(read(path), plan))
    assert max(last - first + 1 for first, last in store.ranges()) < path.stat().st_size / 2


def test_stars_stand_for_names_in_one_folder(store: StubS3) -> None:
    """In their order; a file that is called so itself is meant by its name."""
    bucket = store.buckets["bucket"]
    bucket |= {"in/b.jsonl": LINES, "in/a*.jsonl": LINES}
    names = [path.name for path in read("s3://bucket/in/*.jsonl").files]
    assert names == ["a*.jsonl", "b.jsonl", "reviews.jsonl"]
    (deep,) = read("s3://bucket/*/deep/*.jsonl").files
    assert str(deep) == "s3://bucket/in/deep/other.jsonl"
    assert [path.name for path in read("s3://bucket/in/a*.jsonl").files] == ["a*.jsonl"]
    with pytest.raises(RequestError, match="There is no file"):
        read("s3://bucket/in/none*.jsonl")


@pytest.mark.parametrize(("address", "said"), [
    ("s3://nowhere/reviews.jsonl", "There is no file"),
    ("s3://bucket/in/review.jsonl", "There is no file s3://bucket/in/review.jsonl"),
    ("s3://bucket/in", r"is a folder: .*s3://bucket/in/\*.jsonl"),
    ("s3://bucket", "is not the address of a file: write s3://bucket/FOLDER/FILE"),
    ("s3://me:hunter2secret@bucket/in/reviews.jsonl", "has a user or a key"),
    ("s3://bucket/in/reviews.jsonl?secret_key=hunter2secret", "'secret_key' is not allowed after"),
])  # fmt: skip
@pytest.mark.usefixtures("store")
def test_what_cannot_be_read_is_told(address: str, said: str) -> None:
    """With what to do, and never a key."""
    with pytest.raises(RequestError, match=said) as error:
        read(address)
    assert "hunter2secret" not in str(error.value)


def test_spreadsheets_and_logs_are_read_there(store: StubS3, tmp_path: Path) -> None:
    """A spreadsheet and an Inspect log give the cases of their copies."""
    book = openpyxl.Workbook()
    for row in (["id", "documents", "summary"], ["1", "One.", "S."]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    shutil.copy(Path(__file__).parents[1] / "files" / "tools" / "hotels.eval", tmp_path)
    for path in (tmp_path / "book.xlsx", tmp_path / "hotels.eval"):
        store.buckets["bucket"][f"in/{path.name}"] = path.read_bytes()
        assert list(read(f"s3://bucket/in/{path.name}")) == list(read(path))


@pytest.mark.parametrize("key", ["", "AKIDOTHER0123456789"])
def test_credentials_that_do_not_fit(store: StubS3, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """None or wrong ones: the file, and where they are looked for; the store's answer may hold a key, ours does not."""
    said, option = r"cannot be read.*AWS_ACCESS_KEY_ID.*anonymous=true", "?anonymous=true"
    if key:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", key)
        said, option = "cannot be read with your credentials", ""
    with pytest.raises(RequestError, match=said) as error:
        read(f"{ADDRESS}{option}")
    assert SECRET not in str(error.value)
    assert store.requests


def test_a_connection_that_breaks_is_tried_again(store: StubS3, local: Path) -> None:
    """Once is as never; where it goes on, the audit ends and names the file."""
    reading = read(ADDRESS)
    store.breaks_from, store.breaks = len(store.ranges()) + 3, 1
    before = len(store.ranges())
    assert_same(audit(reading, PLAN), audit(read(local), PLAN))
    store.breaks_from, store.breaks = 2 * len(store.ranges()) - before, 0
    with pytest.raises(BackendError, match=rf"{ADDRESS} could not be read.*when the store answers"):
        audit(read(ADDRESS), PLAN)


def test_a_file_that_changes_meanwhile_is_told(store: StubS3) -> None:
    """Before or within a part, though it is as long as before: no answer of two contents."""
    other = LINES.replace(b"garden", b"summer")
    assert len(other) == len(LINES)
    assert other != LINES
    reading, before = read(ADDRESS), len(store.ranges())
    audit(reading, PLAN)
    requests = len(store.ranges()) - before
    for after in (1, requests // 2, requests):
        store.buckets["bucket"]["in/reviews.jsonl"] = LINES
        store.changes_after = (len(store.ranges()) + after, "bucket", "in/reviews.jsonl", other)
        with pytest.raises(DataError, match=rf"{ADDRESS}: found that the file changed.*again"):
            audit(reading, PLAN)


def test_summaries_are_read_there(store: StubS3) -> None:
    """By id, as beside files here."""
    records = [{"id": f"r{i}", "documents": ["A.", "B."]} for i in range(3)]
    summaries = [{"id": f"r{i}", "summary": f"A {i}."} for i in range(3)]
    for name, rows in (("records", records), ("s", summaries)):
        store.buckets["bucket"][f"{name}.jsonl"] = "\n".join(map(json.dumps, rows)).encode()
    reading = read("s3://bucket/records.jsonl", summaries={"ours": "s3://bucket/s.jsonl"})
    assert [(c.summary.system, c.summary.text) for c in reading] == [("ours", f"A {i}.") for i in range(3)]


@pytest.mark.usefixtures("store")
def test_no_key_is_written(tmp_path: Path, fairbrief: Command) -> None:
    """No file of the audit of a stored file has a key."""
    fairbrief.audited(tmp_path, ADDRESS, "--measure", "rouge1", "--resamples", "30")
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET.encode() not in written
    assert KEY.encode() not in written


def test_the_texts_of_an_audit_are_read_there(
    store: StubS3, tmp_path: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the record, wherever the audit's folder lies; what has changed or is gone is told."""
    asked = ["--measure", "rouge1", "--resamples", "30"]
    fairbrief.audited(tmp_path / "audit", "s3://bucket/in/*.jsonl", *asked)
    saved = OpenAudit(tmp_path / "audit")
    assert saved.fault == ""
    assert saved.texts.unit("r7", "a")[0].summary.record == "r7"
    store.buckets["bucket"]["in/reviews.jsonl"] = LINES.replace(b"garden", b"summer")
    assert "has changed since the audit" in OpenAudit(tmp_path / "audit").fault
    del store.buckets["bucket"]["in/reviews.jsonl"]
    assert "There is no file" in OpenAudit(tmp_path / "audit").fault
    monkeypatch.setattr(object_stores, "find", lambda address: pytest.fail(f"the gate asks for {address}"))
    checks = gate(tmp_path / "audit", baseline=shutil.copytree(tmp_path / "audit", tmp_path / "before"))
    assert checks
    assert not any("as audited" in check.name for check in checks)


@pytest.mark.parametrize("option", ["--out", "--cache"])
def test_nothing_is_written_there(
    option: str, local: Path, fairbrief: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before any work, and no folder of such a name is made here."""
    monkeypatch.chdir(local.parent)
    refused(fairbrief("audit", local, option, "s3://bucket/out"), f"{option} s3:", "give a local path")
    assert [path.name for path in local.parent.iterdir()] == [local.name]
