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
    "more": {"deep": [1, 2]}, "größe": "p1", "made": {"model": "m"},
}  # fmt: skip
TEXT = st.text(max_size=4) | st.sampled_from(["\0", "\ud800", " ", "", "é\U0001f600"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
FIELDS = (*USUAL, "units", "entities", "reason", "text", "a", "b")
SETTINGS: list[dict[str, Any]] = [
    {}, {"attributes": {"a": None}}, {"attributes": {"b": "a"}}, {"attributes": {"größe": None, "more": None}},
    {"attributes": {"text": None}}, {"attributes": {"x": "größe", "a": "b"}}, {"document_id_field": "größe"},
    {"record_attributes": {"größe": "größe"}}, {"record_attributes": {"a": "größe"}, "attributes": {"a": None}},
    {"id_field": "größe"}, {"id_field": "größe", "attributes": {"id": None}}, {"system_field": "größe"},
    {"summary_field": "original"}, {"summary_field": "größe", "references_field": "summary"},
    {"documents_field": "references"}, {"attributes": {"deep": "more.deep"}},
    {"attributes": {"a\t": None}}, {"summary_field": ["summary", "größe"]}, {"documents_field": ["more", "größe"]}, {"group_by": "größe"},
    {"separator": ".", "attributes": {"a": None}}, {"attributes": {"größe": None, "a": None}, "cluster_by": "größe"},
]  # fmt: skip
ODD = (
    None, "", " ", "x", "[", '["x", "y"]', "[1]", 5, 5.0, 1e300, 10**30, True, [], ["x", "y"], [1], {}, {"k": "v"}, [None],
    {"text": "x", "id": 1}, "\0", "\ud800", float("nan"),
)  # fmt: skip
CLUSTERS = ("größe", "a", "b", "more", "more.deep", "system", "text", "made", "references", "g*", "no")
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def both_ways(
    path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> list[tuple[list[Any], list[str], list[str]]]:
    """The cases, what was left out, and what ended the reading: careful, then typed from the second row on."""
    found = []
    monkeypatch.setattr(fields, "PATIENCE", 0)
    for is_typed in (False, True):
        with monkeypatch.context() as patch:
            if not is_typed:
                patch.setattr(reading, "is_for", lambda _: False)
            cases: list[Any] = []
            said = []
            lenient, strict = read(path, on_error="skip", **settings), read(path, **settings)
            for reading_of in (lenient, strict):
                try:
                    cases += reading_of
                except Exception as error:  # noqa: BLE001 # compared with the other way's
                    said.append(repr(error))
            found.append((cases, lenient.skipped, said))
    return found


def row_reader() -> RowReader:
    """A reader of the usual fields, which knows all that it looks for."""
    return RowReader(Fields(), "file", FieldUse(set()))


def test_a_usual_line_is_decoded_by_its_types() -> None:
    """What the fast way is for does take it, and reads as the careful way does."""
    line = json.dumps(USUAL).encode()
    found = LineParser(row_reader())(line, 0)
    assert isinstance(found, TypedLine)
    assert found.read("x:1") == row_reader().read(parse_line(line), 1, "x:1")


def rows_with(name: str, value: Any, inner: Any) -> list[dict[str, Any]]:
    """Rows with a value in a field, in its documents, and in the attributes of both."""
    two = ["One.", {"text": "Two."}]
    several = [
        {name: value},
        {"documents": [{"text": "One.", "attributes": inner}, {name: value}]},
        {"attributes": {"k": inner}},
        {"documents": ["One.", {"text": "Two.", name: value}, {"text": "Three.", name: inner}]},
        {"documents": ["One.", {"text": "Two.", "attributes": {name: value}}], name: inner},
        {"documents": two, name: [value, inner]},
        {"documents": two, "attributes": {name: value}},
        {"documents": two, "attributes": {name: value}, name: inner},
    ]
    return [{**USUAL, **own} for own in several] + [{key: v for key, v in USUAL.items() if key != name}]


def write(path: Path, rows: list[dict[str, Any]], name: str, *, ascii_only: bool) -> None:
    """A usual row, then these, each with an id and a cluster of its own unless they are what is odd."""
    named = [
        {**row, **{key: f"{key}{i}" for key in ("id", "größe") if key != name}}
        for i, row in enumerate([USUAL, *rows])
    ]
    lines = [json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") for row in named]
    path.write_bytes(b"\n".join(lines))


@QUICK
@given(
    name=st.sampled_from(FIELDS),
    value=ANYTHING,
    inner=ANYTHING,
    ascii_only=st.booleans(),
    setting=st.sampled_from(SETTINGS),
    cluster=st.none() | st.sampled_from(CLUSTERS),
)
def test_any_value_in_any_field_reads_alike(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: Any,
    inner: Any,
    ascii_only: bool,
    setting: dict[str, Any],
    cluster: str | None,
) -> None:
    """Whatever stands in a field, or inside its documents and attributes: the same cases and the same words."""
    path = tmp_path / "x.jsonl"
    write(path, rows_with(name, value, inner), name, ascii_only=ascii_only)
    careful, typed = both_ways(path, monkeypatch, {"cluster_by": cluster, **setting})
    assert typed == careful


@pytest.mark.parametrize("setting", [*SETTINGS, *({"cluster_by": name} for name in CLUSTERS)], ids=repr)
def test_each_odd_value_in_each_field_reads_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: dict[str, Any]
) -> None:
    """Under each setting, every value that is no plain text, wherever it may stand."""
    path = tmp_path / "x.jsonl"
    for name in FIELDS:
        write(path, [row for v in ODD for row in rows_with(name, v, "x")], name, ascii_only=True)
        careful, typed = both_ways(path, monkeypatch, setting)
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
    parser = LineParser(row_reader())
    line = json.dumps(USUAL).encode()
    first, second = (parser(line, 0).read("").record.documents[0] for _ in range(2))
    assert first.attributes is second.attributes


def test_lines_are_decoded_by_their_types_once_no_field_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rows are read with care; a file whose rows are numbered, or have nested fields, all of it."""
    monkeypatch.setattr(fields, "PATIENCE", 2)
    found: list[Any] = []
    real = LineParser.__call__
    monkeypatch.setattr(
        LineParser, "__call__", lambda self, line, start: found.append(real(self, line, start)) or found[-1]
    )
    path = tmp_path / "x.jsonl"

    def typed(rows: list[dict[str, Any]], **settings: Any) -> int:
        found.clear()
        path.write_text("\n".join(map(json.dumps, rows)))
        list(read(path, on_error="skip", **settings))
        return sum(isinstance(one, TypedLine) for one in found)

    rows = [{**USUAL, "id": i, "review": f"r{i}", "cluster": "c", "number": i // 2} for i in range(10)]
    own = [{**row, "documents": [{"id": "d", "text": "A.", "party": "x"}]} for row in rows]
    assert typed(rows) == 7
    assert typed(own) == 7
    assert typed([rows[0], *({**row, "summary": None} for row in rows[1:])]) == 7
    assert typed(rows, attributes={"a": None}) == 7
    assert typed(rows, attributes={"b": "a"}) == 7
    assert typed(own, attributes={"party": None}, record_attributes={"c": "cluster"}) == 7
    assert typed(own, attributes={"party": None}, id_field="review", summary_field="cluster") == 7
    assert [typed(rows, cluster_by=name) for name in ("cluster", "number", "b", "größe")] == [7, 7, 7, 7]
    assert typed([{**row, "more": {"deep": "c"}} for row in rows], cluster_by="more.deep") == 0
    assert typed([{"documents": ["A."], "summary": "S."}] * 10) == 0


@pytest.mark.parametrize("value", [None, "", " ", ["c"], {"c": "d"}, "\0", "\ud800"])
def test_a_line_without_a_value_to_cluster_by_is_read_with_care(value: Any) -> None:
    """What names no cluster is no typed line, so that the careful way says what is wrong with it."""
    reader = RowReader(Fields(cluster="größe"), "file", FieldUse(set()))
    line = json.dumps({**USUAL, "größe": value}).encode()
    assert isinstance(LineParser(reader)(json.dumps(USUAL).encode(), 0), TypedLine)
    assert LineParser(reader)(line, 0) == json.loads(line)


def test_variants_of_one_original_in_two_clusters_are_refused_on_the_fast_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What speaks of two lines is checked of typed ones, too."""
    path = tmp_path / "x.jsonl"
    rows = [{**USUAL, "id": str(i), "größe": "p" if i < 3 else "q"} for i in range(5)]
    path.write_text("\n".join(map(json.dumps, rows)))
    careful, typed = both_ways(path, monkeypatch, {"cluster_by": "größe"})
    assert careful == typed
    assert len(typed[1]) == 2
    assert "'q' as 'größe', and another one" in typed[1][0]
