"""What is written is read back as it was."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.properties.test_readers_fuzz import ANYTHING

from fairbrief.errors import DataError
from fairbrief.readers import read
from fairbrief.readers.field_values import usual
from fairbrief.readers.json_lines import parse_line
from fairbrief.serialization import case_line, write_lines
from fairbrief.types import Case, Claim, Document, Entity, Mention, Record, Summary

TEXT = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=30).map(usual)
NAME = TEXT.filter(lambda text: bool(text.strip()))
ATTRIBUTES = st.dictionaries(NAME, NAME, max_size=3)
UNITS = st.none() | st.lists(
    st.builds(Claim, TEXT, st.dictionaries(NAME, st.lists(NAME, max_size=2).map(tuple), max_size=2)),
    max_size=3,
).map(tuple)


DOCUMENT = st.builds(Document, NAME, ATTRIBUTES, st.none() | NAME)
DOCUMENTS = st.lists(DOCUMENT, min_size=1, max_size=3, unique_by=lambda d: d.id or object()).map(tuple)


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Any record, with mentions inside its documents."""
    documents = draw(DOCUMENTS)
    places = st.integers(0, len(documents) - 1).flatmap(
        lambda i: st.builds(Mention, st.just(i), st.just(0), st.integers(1, len(documents[i].text)), NAME)
    )
    mentions, name = st.lists(places, max_size=2).map(tuple), st.none() | NAME
    entity = st.builds(Entity, NAME, name, name, ATTRIBUTES, mentions)
    entities = draw(st.lists(entity, max_size=2, unique_by=lambda entity: entity.id))
    references = tuple(draw(st.lists(TEXT, max_size=2)))
    return Record(draw(NAME), documents, references, tuple(entities), draw(ATTRIBUTES), draw(name))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any case that a reader could have given."""
    record, text = draw(records()), draw(TEXT)
    reason = draw(st.sampled_from(["", "refused", "missing summary"]))
    text = "" if reason == "missing summary" else text
    reason = reason or ("" if text.strip() else "empty summary")
    return Case(record, Summary(record.id, draw(NAME), text, draw(UNITS), reason, draw(ATTRIBUTES)))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases())
def test_a_written_case_is_read_back(tmp_path: Path, case: Case) -> None:
    """A case that was written to a file is read back equal, but for the place it came from."""
    path = tmp_path / "cases.jsonl"
    # A file of missing summaries alone is refused, so another case stands beside.
    other = Record(f"not {case.record.id}", (Document("One."),))
    beside = case_line(Case(other, Summary(other.id, case.summary.system, "One.")))
    assert write_lines([case_line(case), beside], path) == 2
    found, _ = list(read(path))
    assert replace(found.record, where="") == case.record
    assert found.summary == case.summary


USUAL = {
    "id": "g",
    "documents": [{"text": "One é.", "attributes": {"a": "x", "stars": 5.0}}, "Two."],
    "summary": "S.",
}


def check_as_python_reads_it(line: bytes) -> None:
    """The line's object is that of Python's parser; where this finds none, there is an error."""
    try:
        wanted: Any = json.loads(line.decode())
    except (ValueError, RecursionError):
        wanted = None
    found = parse_line(line)
    if isinstance(wanted, dict):
        assert repr(found) == repr(wanted)
    else:
        assert isinstance(found, DataError)


@settings(max_examples=100, deadline=None)
@given(value=ANYTHING, ascii_only=st.booleans())
def test_any_value_is_parsed_as_python_parses_it(value: Any, ascii_only: bool) -> None:
    """Whatever stands in a field, half a character, NaN and large numbers too."""
    line = json.dumps({**USUAL, "more": value}, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    check_as_python_reads_it(line)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_damaged_line_is_parsed_as_python_parses_it(data: st.DataObject) -> None:
    """Bytes changed, cut or put in: the same object, or an error."""
    line = bytearray(json.dumps(USUAL, ensure_ascii=False).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line)))
        line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    check_as_python_reads_it(bytes(line))


@pytest.mark.parametrize(
    "line", ["-0", "1e400", "NaN", "1" * 5_000, '"\\ud800"', "[" * 5_000, "18446744073709551616", '"\u2028"', "01", "1.0"]
)  # fmt: skip
def test_an_odd_value_is_parsed_as_python_parses_it(line: str) -> None:
    """Numbers and texts that parsers of JSON are known to differ on."""
    check_as_python_reads_it(b'{"a": ' + line.encode() + b"}")
