"""What one row becomes: a record, its summaries, and the errors in their places."""

import copy
import dataclasses
import pickle
from pathlib import Path
from typing import Any

import pytest

from fairbrief.errors import DataError, RequestError
from fairbrief.readers import read
from fairbrief.serialization import case_line
from fairbrief.types import Case, Claim, Document, Entity, Mention, Record, Summary

ROW: dict[str, Any] = {"id": "a", "documents": [{"text": "One."}, "Two."], "summary": "Both."}


def one(row: Any, **options: Any) -> Case:
    """The only case of a row."""
    [case] = read([row], **options)
    return case


def test_whole_row() -> None:
    """Every field of a row comes to its place in the case."""
    case = one(
        ROW
        | {
            "system": "s", "references": ["R."], "attributes": {"genre": "news"}, "seed_document": 7,
            "claims": ["U.", {"text": "V.", "values": {"party": ["left", 5]}}],
            "entities": [{"id": 1, "first_name": "Ada", "attributes": {"gender": "f"},
                          "mentions": [{"document": 1, "start": 0, "end": 3, "kind": "first"}]}],
        }
    )  # fmt: skip
    record = case.record
    assert [d.text for d in record.documents] == ["One.", "Two."]
    assert (record.references, record.attributes) == (("R.",), {"genre": "news"})
    assert (record.seed_document, record.cluster) == ("7", "7")
    assert record.where == "records:1"
    [ada] = record.entities
    assert (ada.id, ada.first_name, ada.last_name, ada.attributes) == ("1", "Ada", None, {"gender": "f"})
    assert ada.mentions == (Mention(1, 0, 3, "first"),)
    assert case.summary == Summary("a", "s", "Both.", (Claim("U."), Claim("V.", {"party": ("left", "5")})))


def test_texts_are_read_in_their_usual_form() -> None:
    """Accents are composed, unbroken spaces are plain, and invisible characters are dropped; mentions move along. Ids stay."""
    document = {"text": "Dr.\u202fZoe\u0308 Li", "attributes": {"side": "Gru\u0308n", "no": "\u00ad"}}
    zoe = {"id": 1, "mentions": [{"document": 1, "start": 4, "end": 11, "kind": "full"}]}
    row = {
        "documents": ["\u200b", document],
        "entities": [zoe],
        "summary": "\ufeffRo\u00adse\u00a0a\u200bb \u200bc",
    }
    case = one({"id": "e\u0301", **row})
    assert case.record.documents == (Document("Dr. Zoë Li", {"side": "Grün"}),)
    assert case.record.entities[0].mentions == (Mention(0, 4, 10, "full"),)
    assert (case.record.id, case.summary.text) == ("e\u0301", "Rose a\u200bb c")


@pytest.mark.parametrize(("given", "text"), [
    (5, "5"), (5.0, "5"), (0.25, "0.25"), (True, "true"), ("x", "x"), (None, None), ("", None), (" ", None),
])  # fmt: skip
def test_attribute_values_are_text(given: Any, text: str | None) -> None:
    """Numbers and truth values become text; null and blank are absent."""
    case = one({"id": 1, "documents": [{"text": "t", "attributes": {"a": given}}], "summary": "s"})
    assert dict(case.record.documents[0].attributes) == ({} if text is None else {"a": text})


def test_summaries_by_system() -> None:
    """An object of summaries gives one case per system, with that system's units."""
    cases = list(read([ROW | {"summary": {"A": "x", "B": None}, "claims": {"A": ["u"]}}]))
    assert [(c.summary.system, c.summary.reason) for c in cases] == [("A", ""), ("B", "missing summary")]
    assert cases[0].summary.claims == (Claim("u"),)
    assert cases[1].summary.claims is None


TEXTS = [{"text": "t", "stars": 5}, {"text": "u", "stars": None, "attributes": {"sex": "f"}}]


@pytest.mark.parametrize(("row", "mapped", "of_documents", "of_record"), [
    ({"documents": TEXTS}, {"rating": "stars", "gender": "sex"}, [{"rating": "5"}, {"sex": "f", "gender": "f"}], {}),
    ({"stars": [1, 2], "kind": "news", "meta": {"ratio": 0.5}}, {"rating": "stars", "genre": "kind", "ratio": "meta.ratio"},
     [{"rating": "1"}, {"rating": "2"}], {"genre": "news", "ratio": "0.5"}),
    ({"documents": "t", "party": "left"}, {"party": "party"}, [{"party": "left"}], {"party": "left"}),
])  # fmt: skip
def test_mapped_attributes(row: Any, mapped: Any, of_documents: Any, of_record: Any) -> None:
    """From the documents' own fields or attributes; a list has a value per document, a single one is that of the record (and its only text)."""
    record = one(ROW | row, attributes=mapped).record
    assert ([dict(d.attributes) for d in record.documents], record.attributes) == (of_documents, of_record)


@pytest.mark.parametrize("values", ["pos || neg", "pos|neg", '["pos", "neg"]', "pos||neg"])
def test_separator(values: str) -> None:
    """One text is cut by a separator; the parallel values the same way, by a bar, or as a JSON list."""
    row = {"id": 1, "text": "One. || Two.", "feeling": values, "summary": "s"}
    case = one(row, documents_field="text", separator=" || ", attributes={"sentiment": "feeling"})
    found = [(d.text, d.attributes["sentiment"]) for d in case.record.documents]
    assert found == [("One.", "pos"), ("Two.", "neg")]


def test_settings_as_texts_are_those_of_the_command_line() -> None:
    """Names, and NAME=FIELD, mean the same as the mapping of names to fields."""
    row = {
        "id": "a",
        "documents": ["x", "y"],
        "tones": ["good", "bad"],
        "n": 4,
        "s": "A summary.",
        "gold": "R.",
    }
    told: Any = {"attributes": ["tone=tones"], "record_attributes": "n", "bins": "n=3,7"}
    case = one(row, **told, summary_field="one=s", references_field="gold")
    mapped: Any = {"attributes": {"tone": "tones"}, "record_attributes": {"n": "n"}, "bins": {"n": "3,7"}}
    assert one(row, **mapped, summary_field={"one": "s"}, references_field="gold") == case
    assert (case.summary.system, case.record.attributes) == ("one", {"n": "over 3 to 7"})
    assert case.record.references == ("R.",)
    assert [d.attributes["tone"] for d in case.record.documents] == ["good", "bad"]


def test_settings_without_values() -> None:
    """None is an empty list where a setting has several values."""
    several = ("attributes", "record_attributes", "bins", "require", "redact", "summaries")
    assert list(read([ROW], **dict.fromkeys(several))) == list(read([ROW]))


def test_records_and_cases() -> None:
    """Plain records and cases pass as they are; each record comes once, however many systems have summarized it, or none."""
    record = Record("r", (Document("t"),))
    case = Case(record, Summary("r", "s", "x"))
    assert list(read([case])) == [case]
    assert list(read([record]).records()) == [record]
    rows = [ROW | {"system": "A"}, ROW | {"system": "B"}, {"id": "b", "documents": ["t"]}]
    assert [r.id for r in read(rows).records()] == ["a", "b"]
    assert [r.id for r in read(rows, id_field=None).records()] == ["1", "2", "3"]


def test_a_case_is_read_like_its_row() -> None:
    """Its texts come to their usual form, named fields and clusters count, and what a file may not have is an error."""
    document = Document("Zoe\u0308 paid\u00a03.", {"side": "Gru\u0308n", "no": " "})
    zoe = Entity("1", mentions=(Mention(1, 0, 4, "first"),))
    record = Record("r", (Document(" "), document), (), (zoe,), {"topic": "t"}, where="a.jsonl:7")
    case = Case(record, Summary("r", "s", "Roy\u00adal.", (Claim("U\u00a0V."),), is_reference=True))
    read_case, row = one(case), one(case_line(case))
    assert read_case.record == dataclasses.replace(row.record, where="a.jsonl:7")
    assert read_case.summary == dataclasses.replace(row.summary, is_reference=True)
    clustered = one(case, cluster_by="topic", attributes={"tone": "side"})
    assert one(clustered).record.cluster == "t"
    assert clustered.record.documents[0].attributes == {"side": "Grün", "tone": "Grün"}
    with pytest.raises(RequestError, match="has no field 'gold'"):
        one(Case(RECORD, Summary("r", "s", "x")), references_field="gold")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"id": None}, "null in the field 'id'"),
    ({"id": " "}, "an empty text as the id"),
    ({"id": True}, "true as the id"),
    ({"documents": []}, "no documents"),
    ({"documents": None}, "null in the field 'documents'"),
    ({"documents": 5}, "the number 5 as the documents"),
    ({"documents": [None]}, "null as the text of document 1"),
    ({"documents": ["x", {"txt": "y"}]}, "document 2 with the fields 'txt'"),
    ({"documents": [{"text": "x", "attributes": ["y"]}]}, "a list of 1 as the attributes of document 1"),
    ({"documents": [{"text": "x", "attributes": {"a": [1]}}]}, "a list of 1 as 'a'"),
    ({"documents": ["nul \0"]}, "a NUL character in the text of document 1, at position 4"),
    ({"documents": ["half \ud800"]}, "\\ud800, a lone surrogate"),
    ({"summary": 5}, "the number 5 as the summary"),
    ({"summary": float("nan")}, "the number nan (not finite)"),
    ({"summary": {}}, "an empty object as the summaries"),
    ({"summary": {"A": "x"}, "system": "B"}, "in a row whose summaries name their systems"),
    ({"summary": {"A": "x"}, "claims": {"B": []}}, "claims of 'B'"),
    ({"system": ""}, "an empty text as the system"),
    ({"references": 5}, "the number 5 as the references"),
    ({"references": ["x", None]}, "null as reference 2"),
    ({"seed_document": []}, "an empty list as the seed document"),
    ({"claims": 5}, "the number 5 as the claims"),
    ({"claims": [{"text": "x", "values": {"a": [{}]}}]}, "an empty object as the values of 'a' in claim 1"),
    ({"entities": [5]}, "the number 5 as entity 1"),
    ({"entities": [{"first_name": "Ann"}]}, "null as the id of entity 1"),
    ({"entities": [{"id": "x"}, {"id": "x"}]}, "two entities with the id 'x'"),
    ({"entities": [{"id": "x", "mentions": [{"document": 2, "start": 0, "end": 1}]}]}, "document 2"),
    ({"entities": [{"id": "x", "mentions": [{"start": 0, "end": 99, "kind": "he"}]}]}, "characters 0 to 99"),
    ({"entities": [{"id": "x", "mentions": [{"start": 0, "end": 2}]}]}, "null as the kind"),
]


@pytest.mark.parametrize(("change", "found"), BAD, ids=[found for _, found in BAD])
def test_bad_rows(change: dict[str, Any], found: str) -> None:
    """A value that is not as it must be is named with its place, what was found, wanted and to do."""
    rows = [ROW, ROW | {"id": "b"} | change]
    with pytest.raises(DataError) as raised:
        list(read(rows))
    message = str(raised.value)
    assert message.startswith("records:2")
    assert found in message
    assert message.count("; ") >= 2
    message.encode()

    skipping = read(rows, on_error="skip")
    assert [c.record.id for c in skipping] == ["a"]
    assert (skipping.skipped, skipping.skipped_count) == ([message], 1)


def test_required_attribute() -> None:
    """Cases of which a document lacks a required attribute are left out and counted, on every setting."""
    full = {"id": 1, "documents": [{"text": "t", "attributes": {"party": "x"}}], "summary": "s"}
    reading = read([full, ROW], require=("party",))
    assert [c.record.id for c in reading] == ["1"]
    said = "records:2 (id 'a'): excluded (--require): document 1 has no attribute 'party'."
    assert reading.skipped == [said]


@pytest.mark.parametrize("option", [{"summary_field": "summry"}, {"attributes": {"x": "sumary"}}])
def test_misspelt_field(option: dict[str, Any]) -> None:
    """A field that was asked for and that no row has is refused, with what there is."""
    said = r"has no field.*'id', 'documents', 'summary'.*Did you mean 'summary'"
    with pytest.raises(RequestError, match=said):
        list(read([ROW], **option))


def test_misspelt_system_field() -> None:
    """An id that comes again because no row has the systems' field is told as the field that is missing."""
    rows = [ROW | {"sys": "A"}, ROW | {"sys": "B"}]
    with pytest.raises(RequestError, match=r"no field 'syst' in its first 2 records.*Did you mean 'sys'"):
        list(read(rows, system_field="syst"))
    assert [case.summary.system for case in read(rows, system_field="sys")] == ["A", "B"]


def test_an_empty_name_reads_no_field() -> None:
    """Without a field of systems or of references, the source names the system, and there are no references."""
    row = ROW | {"system": "A", "references": ["R."]}
    case = one(row, system_field="", references_field="")
    assert (case.summary.system, case.record.references) == ("records", ())
    row = {"id": "a", "text": "One.", "summary": "S."}
    assert one(row, group_by="id", documents_field="text", references_field="").record.references == ()


@pytest.mark.parametrize(("source", "options", "error", "message"), [
    ([5], {}, DataError, "records:1: found the number 5; expected an object"),
    ([], {}, DataError, "has no record"),
    (5, {}, RequestError, "cannot be read from the number 5"),
    ([ROW], {"separator": ""}, RequestError, "separator is empty"),
    ([ROW], {"summary_field": []}, RequestError, "--summary-field names no field"),
    ([ROW], {"summary_field": {"m": ""}}, RequestError, "--summary-field names no field"),
    ([ROW], {"documents_field": None}, RequestError, "--documents-field names no field"),
    ([ROW], {"sample": float("inf")}, RequestError, "--sample inf: give a whole number"),
    ([5] * 1000 + [ROW], {"require": "x", "on_error": "skip"}, RequestError, r"by --require\. Give another name"),
    ([ROW], {"system": " "}, RequestError, "--system is empty"),
    ([ROW], {"group_by": "id", "id_field": "key"}, RequestError, "drop --id-field"),
    ([Record("a", (Document("One."),))], {"group_by": "id"}, DataError, "found a Record; .*; drop --group-by"),
    ([ROW], {"summaries_id_field": "id"}, RequestError, "needs --summaries FILE"),
    ([ROW | {"summary": None}], {}, RequestError, "No record has a summary"),
])  # fmt: skip
def test_nothing_to_read(source: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    """Empty inputs, objects that are no rows and wrong options are refused."""
    with pytest.raises(error, match=message):
        list(read(source, **options))


def test_iterators_are_read_once() -> None:
    """A second iteration over an iterator is refused, not empty."""
    reading = read(iter([ROW]))
    assert len(list(reading)) == 1
    with pytest.raises(RequestError, match="once"):
        list(reading)


def test_messages_are_capped(tmp_path: Path) -> None:
    """A thousand messages are kept, all are counted, and an iteration begins anew."""
    path = tmp_path / "x.jsonl"
    path.write_text("{\n" * 1_500 + '{"id": 1, "documents": ["t"], "summary": "s"}\n')
    reading = read(path, on_error="skip")
    for _ in range(2):
        assert len(list(reading)) == 1
        assert (len(reading.skipped), reading.skipped_count) == (1_000, 1_500)


RECORD = Record("r", (Document("Alder.", {"side": "L"}),), seed_document="o")


def test_frozen_data_cannot_be_changed_and_are_equal_by_what_they_hold() -> None:
    """A copy, and one that went through another process, is equal to the first."""
    case = Case(RECORD, Summary("r", "s", "Alder."))
    with pytest.raises(AttributeError):
        case.record.id = "q"  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(case)) == copy.deepcopy(case) == case
    assert case != Case(RECORD, Summary("r", "s", "Birch."))
    assert repr(Document("Alder.")) == "Document(text='Alder.', attributes={}, id=None)"
