"""Lines decoded by their types read as they do on the careful way, to the last character of an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairbrief.readers import fields, read, reading
from fairbrief.readers.fields import Fields, FieldUse
from fairbrief.readers.json_lines import parse_line
from fairbrief.readers.rows import RowReader
from fairbrief.readers.typed_lines import LineParser, TypedLine

USUAL: dict[str, Any] = {
    "id": "g", "documents": [{"text": "One é.", "attributes": {"a": "x", "stars": 5.0}}, "Two.", {"text": ""}],
    "summary": "S.", "system": "s", "references": ["R.", ""], "attributes": {"b": 1, "c": None}, "original": "o",
    "more": {"deep": [1, 2]},
}  # fmt: skip
TEXT = st.text(max_size=4) | st.sampled_from(["\0", "\ud800", " ", "", "é\U0001f600"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
FIELDS = (*USUAL, "units", "entities", "reason", "made", "text")
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def both_ways(
    path: Path, monkeypatch: pytest.MonkeyPatch, attributes: dict[str, str | None]
) -> list[tuple[list[Any], list[str], str]]:
    """The cases, what was left out, and what ended the reading: careful, then typed from the second row on."""
    found = []
    monkeypatch.setattr(fields, "PATIENCE", 0)
    for is_typed in (False, True):
        with monkeypatch.context() as patch:
            if not is_typed:
                patch.setattr(reading, "is_for", lambda _: False)
            lenient = read(path, on_error="skip", attributes=attributes)
            cases = list(lenient)
            try:
                list(read(path, attributes=attributes))
                said = ""
            except Exception as error:  # noqa: BLE001 # compared with the other way's
                said = repr(error)
            found.append((cases, lenient.skipped, said))
    return found


def test_a_usual_line_is_decoded_by_its_types() -> None:
    """What the fast way is for does take it, and reads as the careful way does."""
    line = json.dumps(USUAL).encode()
    found = LineParser(Fields())(line, 0)
    assert isinstance(found, TypedLine)
    careful = RowReader(Fields(), "file", FieldUse(set())).read(parse_line(line), 1, "x:1")
    assert found.read("x:1", "file") == careful


@QUICK
@given(
    name=st.sampled_from(FIELDS),
    value=ANYTHING,
    inner=ANYTHING,
    ascii_only=st.booleans(),
    attributes=st.sampled_from([{}, {}, {"a": None}, {"more": None}, {"text": None}, {"b": "a"}]),
)
def test_any_value_in_any_field_reads_alike(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: Any,
    inner: Any,
    ascii_only: bool,
    attributes: dict[str, str | None],
) -> None:
    """Whatever stands in a field, or inside its documents and attributes: the same cases and the same words."""
    rows = [
        USUAL,
        {**USUAL, "id": "h", name: value},
        {**USUAL, "id": "i", "documents": [{"text": "One.", "attributes": inner}, {name: value}]},
        {**USUAL, "id": "j", "attributes": {"k": inner}},
        {key: v for key, v in USUAL.items() if key != name},
    ]
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") for row in rows]
    path.write_bytes(b"\n".join(lines))
    careful, typed = both_ways(path, monkeypatch, attributes)
    assert typed == careful


@QUICK
@given(data=st.data())
def test_mutated_lines_read_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    """Bytes changed, cut or put in: the same cases and the same words."""
    lines = [json.dumps({**USUAL, "id": "0"}).encode()]
    for i in range(1, 4):
        line = bytearray(json.dumps({**USUAL, "id": str(i)}, ensure_ascii=False).encode())
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(line)))
            line[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        lines.append(bytes(line).replace(b"\n", b" "))
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join(lines))
    careful, typed = both_ways(path, monkeypatch, {})
    assert typed == careful


def test_documents_of_equal_attributes_share_them() -> None:
    """A million documents of five groups hold five objects of attributes."""
    parser = LineParser(Fields())
    line = json.dumps(USUAL).encode()
    first, second = (parser(line, 0).read("", "").record.documents[0] for _ in range(2))
    assert first.attributes is second.attributes


def test_lines_are_decoded_by_their_types_once_no_field_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rows are read with care; a file whose rows are numbered, or have other names, all of it."""
    monkeypatch.setattr(fields, "PATIENCE", 2)
    counted: list[bytes] = []
    real = LineParser.__call__
    monkeypatch.setattr(
        LineParser, "__call__", lambda self, line, start: counted.append(line) or real(self, line, start)
    )
    path = tmp_path / "x.jsonl"

    def typed(rows: list[dict[str, Any]], **settings: Any) -> int:
        counted.clear()
        path.write_text("\n".join(map(json.dumps, rows)))
        list(read(path, **settings))
        return len(counted)

    rows = [{**USUAL, "id": str(i)} for i in range(10)]
    assert typed(rows) == 7
    assert typed(rows, attributes={"a": None}) == 7
    assert typed(rows, attributes={"b": "a"}) == 0
    assert typed(rows, cluster_by="b") == 0
    assert typed([{"documents": ["A."], "summary": "S."}] * 10) == 0
