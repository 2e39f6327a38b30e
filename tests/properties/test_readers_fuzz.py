"""Whatever stands in a file: cases, or one of our errors; and every line is accounted for."""

import json
import os
import subprocess
import sys
import warnings
from math import inf
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from benchmarks.fuzz.loaders import fuzz
from benchmarks.fuzz.targets import COREFUD
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.cli.command import write
from tests.unit.test_readers_files import ROWS, WRITERS

from fairbrief.engines import score_cache
from fairbrief.errors import BackendError, DataError, FairbriefError
from fairbrief.readers import read
from fairbrief.readers.corefud import read_corefud
from fairbrief.readers.field_values import usual

GOOD = {
    "id": "g", "documents": [{"text": "One é.", "attributes": {"a": "x"}}, "Two."], "summary": "S.", "system": "s",
    "references": ["R."], "attributes": {"b": 1}, "seed_document": "o", "claims": [{"text": "u", "values": {"a": ["x"]}}],
    "entities": [{"id": "e", "mentions": [{"document": 0, "start": 0, "end": 3, "kind": "he"}]}],
}  # fmt: skip
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.text(max_size=5) | st.sampled_from(["\0", "\ud800"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@QUICK
@given(data=st.data())
def test_mutated_lines(tmp_path: Path, data: st.DataObject) -> None:
    """Lines with bytes changed, cut or put in: skipping them, cases and skipped make up all the lines."""
    written = []
    for i in range(4):
        line = bytearray(json.dumps({**GOOD, "id": i}, ensure_ascii=False).encode())
        for _ in range(data.draw(st.integers(0, 3)) if i else 0):
            at = data.draw(st.integers(0, len(line)))
            line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        written.append(bytes(line).replace(b"\n", b" "))
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(written))
    reading = read(path, on_error="skip")
    cases = len(list(reading))
    assert cases + reading.skipped_count == sum(1 for line in written if line.strip())
    assert len(reading.skipped) == reading.skipped_count


@QUICK
@given(field=st.sampled_from(sorted(GOOD)), value=ANYTHING, attribute=ANYTHING)
def test_values_of_any_type(tmp_path: Path, field: str, value: Any, attribute: Any) -> None:
    """Any JSON value in any field gives cases that UTF-8 can carry, or one of our errors."""
    path = write(tmp_path / "x.jsonl", [GOOD, {**GOOD, "id": "h", field: value, "stars": attribute}])
    for options in ({}, {"attributes": {"rating": "stars"}}, {"documents_field": field, "separator": "a"}):
        reading = read(path, on_error="skip", **options)
        try:
            cases = list(reading)
        except FairbriefError as error:
            str(error).encode()
            continue
        for case in cases:
            assert case.record.id.strip()
            assert case.summary.system.strip()
            assert case.record.documents
            repr(case).encode()
            for document in case.record.documents:
                document.text.encode()
                assert all(isinstance(v, str) and v.strip() for v in document.attributes.values())


PART = {"text": "One.", "attributes": {"a": "x"}}
PLAIN = {"id": "g", "documents": [PART], "summary": "S.", "references": ["R."]}


@QUICK
@given(
    fields=st.dictionaries(st.sampled_from([*GOOD, "a"]), ANYTHING, max_size=2),
    document=st.dictionaries(st.sampled_from([*PART, "id", "a"]), ANYTHING, max_size=1),
    label=TEXTS,
)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"attributes": ["a"]},
        {"attributes": {"b": "a"}},
        {"cluster_by": "a"},
        {"record_attributes": ["a"]},
    ],
)
def test_a_part_is_read_like_the_file(
    tmp_path: Path, options: Any, fields: Any, document: Any, label: str
) -> None:
    """Where the fields of a file were looked at, as in each of its parts, a row gives the same cases or the same error."""
    row = {**PLAIN, "documents": [{**PART, **document}, {**PART, "attributes": {"a": label}}], **fields}
    path = write(tmp_path / "x.jsonl", [{**PLAIN, "id": "first", "a": "x"}, row])
    whole = read(path, on_error="skip", **options)
    part = whole.part(*whole.ranges[0])
    assert [*part] == [*whole]
    assert part.skipped == whole.skipped


@QUICK
@given(cells=st.lists(st.lists(st.text(max_size=6), min_size=3, max_size=3), min_size=1, max_size=5))
def test_csv_round_trip(tmp_path: Path, cells: list[list[str]]) -> None:
    """What Python's csv module writes is read back, or named as what cannot be a record."""
    import csv

    path = tmp_path / "x.csv"
    rows = [[f"{i}", *row[1:]] for i, row in enumerate(cells)]
    with path.open("w", newline="", encoding="utf-8", errors="replace") as out:
        csv.writer(out).writerows([["id", "documents", "summary"], *rows])
    reading = read(path, on_error="skip")
    try:
        found = {c.record.id: c for c in reading}
    except FairbriefError:
        return
    assert len(found) + reading.skipped_count == len(rows)
    for ident, text, summary in rows:
        if ident in found and "[" not in text:
            assert found[ident].record.documents[0].text == usual(text)
            assert found[ident].summary.text == usual(summary)


@pytest.mark.parametrize("ending", WRITERS)
@QUICK
@given(
    changes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4
    )
)
def test_damaged_bytes(tmp_path: Path, ending: str, changes: list[tuple[float, int]]) -> None:
    """A file with some bytes changed gives cases or one of our errors; Arrow's own trust does not bring us down."""
    path = tmp_path / f"x.{ending}"
    WRITERS[ending](path, ROWS[:20])
    content = bytearray(path.read_bytes())
    for place, byte in changes:
        content[int(place * len(content))] = byte
    path.write_bytes(content)
    assume(path.suffix != ".parquet" or not _ends_the_process(path))
    try:
        list(read(path, on_error="skip"))
    except FairbriefError as error:
        str(error).encode()


def _ends_the_process(path: Path) -> bool:
    """Whether pyarrow ends the process when it reads the size statistics of a column, as its version 26 does for damaged ones."""
    with warnings.catch_warnings():
        # The child has one thread, and runs no code of the others.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            metadata = pyarrow.parquet.read_metadata(path)
            for group in map(metadata.row_group, range(metadata.num_row_groups)):
                for column in range(group.num_columns):
                    group.column(column)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_files_are_refused_or_read(seed: int) -> None:
    """Every reader and loader, each with files damaged in several ways: no other error, none large."""
    report = fuzz(98, inf, seed, slow=inf)
    assert report.faults == []
    assert len(report.inputs) >= 46


def test_a_word_without_a_number_is_refused(tmp_path: Path) -> None:
    """CorefUD whose word is numbered 0, or as one before it, is a data error."""
    for number in (b"0", b"1"):
        (tmp_path / "x.conllu").write_bytes(COREFUD.replace(b"4\t.\t", number + b"\t.\t"))
        with pytest.raises(DataError, match="expected consecutive numbers"):
            list(read_corefud(tmp_path / "x.conllu"))


def test_a_cache_whose_own_words_are_damaged_is_refused(tmp_path: Path) -> None:
    """Where SQLite cannot even name what is wrong in UTF-8, the error names the file all the same."""
    with pytest.raises(BackendError, match="cache cannot be used"), score_cache._opened(tmp_path / "cache"):
        raise UnicodeDecodeError("utf-8", b"\xb8", 0, 1, "invalid start byte")


def test_inputs_that_reach_new_lines_are_refused_or_read(tmp_path: Path) -> None:
    """Some hundred inputs that atheris finds by the lines they reach: no error but ours."""
    pytest.importorskip("atheris", reason="atheris has wheels for Linux on x86-64 alone")
    command = [sys.executable, "-m", "benchmarks.fuzz.guided", "--runs", "200", "--seconds", "60"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "stat::number_of_executed_units" in done.stderr
