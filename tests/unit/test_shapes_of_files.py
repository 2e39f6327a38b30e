"""Files as people have them: long and wide tables, paths, joins, summaries of several systems beside."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import put, write

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import Reading, read
from fairbrief.readers.fields import ABSENT, find
from fairbrief.types import Case

LONG = """product,stars,text,shop
p1,5,Lovely.,Ulm
p2,1,Broken.,Bonn
p1,1,Rude.,Ulm
p2,4,Fine.,Bonn
"""


def texts(case: Case) -> list[str]:
    """The texts of a case's documents."""
    return [document.text for document in case.record.documents]


def systems(reading: Reading) -> dict[tuple[str, str], str]:
    """Summaries by record and system."""
    return {(case.record.id, case.summary.system): case.summary.text for case in reading}


# ------------------------------------------------------------------------------------- paths


@pytest.mark.parametrize(("path", "wanted"), [
    ("a", 1), ("b.c", 2), ("b.d[0]", 3), ("b.d[-1].e", 4), ("b.d[7]", ABSENT), ("x.y", 5), ("z", ABSENT),
    ("j.k", 6), ("b.d[*].e", {("1",): 4}), ("r_*", {("2",): "two", ("10",): "ten"}), ("q*", ABSENT),
    ("a.b", ABSENT), ("b.d[one]", ABSENT),
])  # fmt: skip
def test_a_path_leads_to_a_value(path: str, wanted: Any) -> None:
    """Dots look inside, brackets take parts, stars take all; a field of just this name comes first."""
    row = {
        "a": 1, "b": {"c": 2, "d": [3, {"e": 4}]}, "x.y": 5, "x": {"y": 0}, "j": '{"k": 6}', "r_10": "ten", "r_2": "two",
    }  # fmt: skip
    assert find(row, path) == wanted


@settings(max_examples=30)
@given(st.dictionaries(st.text(min_size=1), st.integers() | st.lists(st.integers()), max_size=4), st.text())
def test_any_text_is_a_path_to_something_or_nothing(row: dict[str, Any], path: str) -> None:
    """No path makes the reader fail, and a field's own name always leads to it."""
    find(row, path)
    assert all(find(row, name) == value for name, value in row.items() if "*" not in name)


# ------------------------------------------------------------------------------------- long tables


def test_rows_of_a_record_are_gathered(tmp_path: Path) -> None:
    """Each row is a document of the record that the field names, wherever in the file it stands."""
    path = put(tmp_path / "long.csv", LONG)
    named = {"attributes": {"stars": None}, "record_attributes": {"town": "shop"}}
    records = list(read(path, group_by="product", documents_field="text", **named).records())
    found = [(r.id, [d.text for d in r.documents]) for r in records]
    assert found == [("p1", ["Lovely.", "Rude."]), ("p2", ["Broken.", "Fine."])]
    assert [d.attributes["stars"] for d in records[0].documents] == ["5", "1"]
    assert [dict(r.attributes) for r in records] == [{"town": "Ulm"}, {"town": "Bonn"}]
    assert records[1].where == "long.csv:3"


def test_a_summary_is_repeated_or_stands_once(tmp_path: Path) -> None:
    """What speaks of the record must agree in its rows, where it is given."""
    path = put(tmp_path / "long.csv", "id,text,summary\na,One.,S\na,Two.,\nb,Three.,T\nb,Four.,T\n")
    found = systems(read(path, group_by="id", documents_field="text"))
    assert found == {("a", "long"): "S", ("b", "long"): "T"}
    path = put(tmp_path / "long.csv", "id,text,summary\na,One.,S\na,Two.,U\n")
    said = r"the record 'a': found the text 'S' in the field 'summary' of row 2 and the text 'U' in row 3"
    with pytest.raises(DataError, match=said):
        list(read(path, group_by="id", documents_field="text"))


def test_a_long_table_of_several_systems(tmp_path: Path) -> None:
    """Documents that are repeated for each system make one record, summarized by each."""
    rows = "".join(f"a,{text},{s},{s} wrote\n" for s in ("x", "y") for text in ("One.", "Two."))
    path = put(tmp_path / "long.csv", "id,text,system,summary\n" + rows)
    found = systems(read(path, group_by="id", documents_field="text"))
    assert found == {("a", "x"): "x wrote", ("a", "y"): "y wrote"}


def test_documents_without_text_are_left_out_of_lists_too(tmp_path: Path) -> None:
    """A note has their number; where no document has text they stay."""
    some = [{"text": "One.", "attributes": {"s": "a"}}, {"text": " \n", "attributes": {"s": "b"}}, "Two."]
    rows = [{"id": 0, "documents": some, "summary": "S"}, {"id": 1, "documents": ["", " "], "summary": "S"}]
    reading = read(write(tmp_path / "x.jsonl", rows))
    assert [texts(case) for case in reading] == [["One.", "Two."], ["", " "]]
    assert "1 document without text excluded." in reading.notes


@pytest.mark.parametrize("cell", ["['One.', 'Two.']", "[\"It's one.\", 'Two.']", "[{'text': 'One.'}]"])
def test_a_list_as_python_writes_it_is_refused_in_a_cell(tmp_path: Path, cell: str) -> None:
    """Its brackets would be read as text of one document."""
    quoted = cell.replace('"', '""')
    path = put(tmp_path / "x.csv", f'id,documents,summary\na,"{quoted}",S\n')
    said = r"x\.csv:2 \(id 'a'\): .* in Python's notation; expected a JSON list; .*json\.dumps"
    with pytest.raises(DataError, match=said):
        list(read(path))


def test_a_broken_row_of_a_long_table(tmp_path: Path) -> None:
    """A row without its record's id is named by its line."""
    path = put(tmp_path / "long.jsonl", '{"id": "a", "text": "One.", "summary": "S"}\n{"text": "Two."}\n')
    with pytest.raises(DataError, match=r"long.jsonl:2.*expected a field 'id'"):
        list(read(path, group_by="id", documents_field="text"))


# ------------------------------------------------------------------------------------- wide tables

WIDE = """id,review_1,review_2,review_10,stars_1,stars_2,stars_10,summary_a,summary_b
x,Good.,Bad.,,5,1,,Both.,Good.
y,,Slow.,Late.,,2,3,,Late.
"""


def test_columns_are_documents_and_systems(tmp_path: Path) -> None:
    """A star takes all columns in the order of their numbers, with their attributes; empty cells are no documents; columns may be named."""
    wide = put(tmp_path / "wide.csv", WIDE)
    stars = {"stars": "stars_*"}
    cases = list(read(wide, documents_field="review_*", attributes=stars, summary_field="summary_*"))
    assert [texts(case) for case in cases[::2]] == [["Good.", "Bad."], ["Slow.", "Late."]]
    assert [d.attributes["stars"] for d in cases[2].record.documents] == ["2", "3"]
    assert [(c.summary.system, c.summary.text, c.summary.reason) for c in cases] == [
        ("a", "Both.", ""), ("b", "Good.", ""), ("a", "", "empty summary"), ("b", "Late.", ""),
    ]  # fmt: skip
    named = [("short", "summary_a"), (None, "summary_b")]
    cases = list(read(wide, documents_field=["review_2", "review_1"], summary_field=named))
    assert texts(cases[0]) == ["Bad.", "Good."]
    assert [c.summary.system for c in cases[:2]] == ["short", "summary_b"]


def test_texts_inside_objects_bring_their_attributes() -> None:
    """A path into a list of objects takes the texts, and attributes stand beside them."""
    row = {"id": 1, "reviews": [{"body": "Good.", "stars": 5}, {"body": "Bad.", "stars": 1}], "summary": "S."}
    [case] = read([row], documents_field="reviews[*].body", attributes={"stars": "stars"})
    assert texts(case) == ["Good.", "Bad."]
    assert [d.attributes["stars"] for d in case.record.documents] == ["5", "1"]
    with pytest.raises(DataError, match=r"--documents-field 'reviews\[\*\]\.body'"):
        list(read([row], documents_field="reviews"))


# ------------------------------------------------------------------------------------- summaries beside


def test_summaries_of_several_systems_in_one_file(tmp_path: Path) -> None:
    """A file of summaries names its systems, has its own field of ids, and what is missing is counted."""
    long = put(tmp_path / "long.csv", LONG)
    beside = put(tmp_path / "out.csv", "asin,model,output\np1,a,A1\np2,b,B2\np1,b,B1\n")
    fields = {"summaries_id_field": "asin", "system_field": "model", "summary_field": "output"}
    reading = read(long, group_by="product", documents_field="text", summaries=[str(beside)], **fields)
    assert systems(reading) == {("p1", "a"): "A1", ("p1", "b"): "B1", ("p2", "a"): "", ("p2", "b"): "B2"}
    assert [c.summary.reason for c in reading if not c.summary.text] == ["missing summary"]


def test_a_second_summary_leads_to_the_column_of_systems(tmp_path: Path) -> None:
    """Two summaries of one id are told with the options that tell systems apart."""
    long = put(tmp_path / "long.csv", LONG)
    beside = put(tmp_path / "out.csv", "product,model,summary\np1,a,A1\np1,b,B1\n")
    with pytest.raises(DataError, match="--system-field"):
        list(read(long, group_by="product", documents_field="text", summaries=beside))
    with pytest.raises(DataError, match="without a name"):
        list(read(long, group_by="product", documents_field="text", summaries={"s": beside}))


# ------------------------------------------------------------------------------------- ids


def test_rows_without_ids_are_numbered_and_it_is_said() -> None:
    """Where the first row has no id the rows are numbered, and a note says so; later ids are an error."""
    rows = [{"documents": ["One."], "summary": "S."}, {"documents": ["Two."], "summary": "T."}]
    reading = read(rows)
    assert [case.record.id for case in reading] == ["1", "2"]
    assert reading.notes == ["records: it has no field 'id', so its records are numbered from 1."]
    with pytest.raises(DataError, match="records:2: found an id after rows without one"):
        list(read([rows[0], rows[1] | {"id": "b"}]))


def test_two_files_numbered_alike_are_no_pairs(tmp_path: Path) -> None:
    """The same id with other documents under another system is refused, and left out where that is asked for."""
    words = {"a": "One.", "b": "Other."}
    paths = [write(tmp_path / f"{n}.jsonl", [{"documents": [w], "summary": "S."}]) for n, w in words.items()]
    with pytest.raises(DataError, match=r"b.jsonl:1 \(id '1'\): found other documents than at a.jsonl:1"):
        list(read(paths))
    reading = read(paths, on_error="skip")
    assert [case.summary.system for case in reading] == ["a"]
    assert reading.skipped_count == 1


# ------------------------------------------------------------------------------------- what is said


def test_fields_that_nothing_used_are_named(tmp_path: Path) -> None:
    """Columns, and fields of documents, that nothing read are noted after reading."""
    path = put(tmp_path / "long.csv", LONG)
    reading = read(path, group_by="product", documents_field="text", summary_field="shop")
    list(reading)
    assert reading.notes == ["long.csv: unused fields: 'stars'."]


@pytest.mark.parametrize(("row", "options", "unused"), [
    ({"id": "a", "documents": ["One."], "summary": "S."}, {"id_field": ""}, "'id'"),
    ({"id": "a", "text": "One.", "system": "m", "year": 1},
     {"group_by": "id", "documents_field": "text", "summaries": [{"id": "a", "summary": "S.", "system": "m"}]}, "'year'"),
    ({"documents": [{"text": "One.", "summary": "Of this."}], "id": "a", "summary": "S."}, {}, "'summary (of the documents)'"),
    ({"id": 1, "documents": [{"text": "One.", "party": "L"}], "summary": "S.", "year": 2020}, {}, "'year', 'party (of the documents)'"),
    ({"id": "a", "documents": ["A."], "summary": "S.", "entities": [{"id": "e", "name": "Ann Lee", "first_name": "Ann"}]}, {}, "'name (of the entities)'"),
])  # fmt: skip
def test_fields_count_as_unused_only_if_nothing_reads_them(row: Any, options: Any, unused: str) -> None:
    """Ids are unused if rows are numbered, systems are used to group rows, and a document's field is not that of its row."""
    reading = read([row], **options)
    list(reading)
    assert reading.notes[-1] == f"records: unused fields: {unused}."


def test_a_field_that_some_rows_nest_is_used() -> None:
    """One row has a field ``meta.topic``, another ``topic`` in ``meta``: both are read, neither is noted."""
    row = {"documents": ["One."], "summary": "S."}
    reading = read(
        [{**row, "id": "1", "meta.topic": "a"}, {**row, "id": "2", "meta": {"topic": "b"}}],
        record_attributes={"topic": "meta.topic"},
    )
    assert [case.record.attributes["topic"] for case in reading] == ["a", "b"]
    assert reading.notes == []


def test_a_missing_column_leads_to_the_options(tmp_path: Path) -> None:
    """Without documents or summaries in the usual fields the message names the options that say where they are."""
    path = put(tmp_path / "long.csv", LONG)
    with pytest.raises(RequestError, match=r"no column 'summary'.*--summaries FILE"):
        list(read(path, group_by="product", documents_field="text"))
    with pytest.raises(RequestError, match="needs one field of documents"):
        list(read(path, group_by="product", documents_field="t*"))
