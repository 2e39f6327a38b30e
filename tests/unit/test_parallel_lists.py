"""Values in one list and documents in another belong together by their order, so both are of one length."""

import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.command import write

from fairbrief.errors import DataError
from fairbrief.readers import read
from fairbrief.readers.understanding import inspect_file, understand

TONES = ["pos", "neg", "neu"]
REVIEWS = [{"text": f"Room {i} was {t} by all that we saw.", "tone": t} for i, t in enumerate(TONES * 3)]
MESSAGES = [
    {"role": "system", "content": "You are an assistant that summarizes reviews of hotels in a few words."},
    {"role": "user", "content": " ".join(review["text"] for review in REVIEWS)},
]


def _row(number: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": f"r{number}", "summary": "A room.", **more}


def _labels(source: Any, name: str = "tone", **settings: Any) -> list[str | None]:
    [case] = read(source, **settings)
    return [document.attributes.get(name) for document in case.record.documents]


def test_lists_of_unequal_length_are_refused_with_both_fields_and_both_lengths(tmp_path: Path) -> None:
    """Documents from a list of 2 and labels from a list of 9 are refused, with line, id, fields and lengths; the advice works."""
    row = _row(0, request={"messages": MESSAGES}, meta={"reviews": REVIEWS})
    path = write(tmp_path / "hotel.jsonl", [row])
    tone = {"tone": "meta.reviews[*].tone"}
    with pytest.raises(DataError) as raised:
        _labels(path, documents_field="request.messages[*].content", attributes=tone)
    assert str(raised.value) == (
        "hotel.jsonl:1 (id 'r0'): found 9 values in the field 'meta.reviews[*].tone' (attribute 'tone') for 2 documents in "
        "'request.messages[*].content'; expected one value per document, in the same order; use the texts next to these "
        "values as the documents (--documents-field 'meta.reviews[*].FIELD'), or drop the attribute."
    )
    assert _labels(path, documents_field="meta.reviews[*].text", attributes=tone) == TONES * 3


@pytest.mark.parametrize(("given", "settings", "said"), [
    ({"texts": ["a", "b"], "tones": TONES}, {"documents_field": "texts", "attributes": {"tone": "tones"}}, "3 values in the field 'tones' (attribute 'tone') for 2 documents in 'texts'"),
    ({"a": [{"t": "x"}, {"t": "y"}], "tones": TONES}, {"documents_field": "a[*].t", "attributes": {"tone": "tones"}}, "3 values in the field 'tones' (attribute 'tone') for 2 documents in 'a[*].t'"),
    ({"documents": ["a", "b"], "b": [{"l": "x"}, {}, {"l": "y"}]}, {"attributes": {"tone": "b[*].l"}}, "3 values in the field 'b[*].l' (attribute 'tone') for 2 documents in 'documents'"),
    ({"review_1": "a", "review_2": "b", "tones": TONES}, {"documents_field": "review_*", "attributes": {"tone": "tones"}}, "3 values in the field 'tones' (attribute 'tone') for 2 documents in 'review_*'"),
    ({"review_0": "a", "review_1": "b", "tone_1": "x", "tone_2": "y"}, {"documents_field": "review_*", "attributes": {"tone": "tone_*"}}, "2 values in the field 'tone_*' (attribute 'tone') in another arrangement than 2 documents in 'review_*'"),
    ({"a": [{"t": "x"}, {"t": " "}], "tones": TONES}, {"documents_field": "a[*].t", "attributes": {"tone": "tones"}}, "for 2 documents (1 of them blank) in 'a[*].t'"),
    ({"documents": [{"p": [{"t": "a"}, {"t": "b"}]}, {"p": [{"t": "c"}]}], "tones": [{"of": [1]}, {"of": [2, 3]}]}, {"documents_field": "documents[*].p[*].t", "attributes": {"tone": "tones[*].of[*]"}}, "3 values in the field 'tones[*].of[*]' (attribute 'tone') in another arrangement than 3 documents"),
    ({"documents": {"text": ["a", "b"], "tone": ["x"]}}, {}, "lists of different lengths in the documents: 2 in 'text', 1 in 'tone'"),
])  # fmt: skip
def test_parallel_lists_of_unequal_length_are_refused(given: Any, settings: Any, said: str) -> None:
    """Lists, paths, numbered fields, ids and an object of lists: none takes a list of another length."""
    with pytest.raises(DataError, match=re.escape(said)):
        _labels([_row(0, **given)], **settings)


@pytest.mark.parametrize(("given", "settings"), [
    ({"review_1": "a", "review_2": "b", "review_3": "c", "tones": [{"is": t} for t in TONES]}, {"documents_field": "review_*", "attributes": {"tone": "tones[*].is"}}),
    ({"texts": [{"t": "a"}, {"t": "b"}, {"t": "c"}], "tone_1": "pos", "tone_2": "neg", "tone_3": "neu"}, {"documents_field": "texts[*].t", "attributes": {"tone": "tone_*"}}),
    ({"a": [{"t": "x"}, {"t": "y"}, {"t": "z"}], "b": [{"l": t} for t in TONES]}, {"documents_field": "a[*].t", "attributes": {"tone": "b[*].l"}}),
    ({"a": [{"t": ["x", "y"], "l": ["pos", "neg"]}, {"t": ["z"], "l": ["neu"]}]}, {"documents_field": "a[*].t[*]", "attributes": {"tone": "a[*].l[*]"}}),
])  # fmt: skip
def test_lists_of_one_length_match_by_their_order(given: dict[str, Any], settings: dict[str, Any]) -> None:
    """The first value is that of the first document, whether fields count from 0 or from 1."""
    assert _labels([_row(0, **given)], **settings) == TONES


def test_a_list_may_lack_values_of_blank_texts_at_the_end() -> None:
    """Of a table's empty last columns a list of labels need not know."""
    given = {"review_1": "a", "review_2": "b", "review_3": "", "tones": ["pos", "neg"]}
    found = _labels([_row(0, **given)], documents_field="review_*", attributes={"tone": "tones"})
    assert found == ["pos", "neg"]


def test_what_a_list_of_lists_says_of_one_is_said_of_all_its_documents() -> None:
    """The value of a session is that of each of its turns."""
    sessions = [{"who": "x", "turns": [{"t": "a"}, {"t": "b"}]}, {"who": "y", "turns": [{"t": "c"}]}]
    turns, attributes = "sessions[*].turns[*].t", {"who": "sessions[*].who"}
    found = _labels([_row(0, sessions=sessions)], "who", documents_field=turns, attributes=attributes)
    assert found == ["x", "x", "y"]


def test_numbered_fields_of_two_kinds_are_all_documents() -> None:
    """What two patterns find under one number are two documents, and a value of that number is of both."""
    given = {"good_1": "a", "good_2": "b", "bad_1": "c", "bad_2": "d", "tone_1": "pos", "tone_2": "neg"}
    [case] = read([_row(0, **given)], documents_field=["good_*", "bad_*"], attributes={"tone": "tone_*"})
    assert [(d.text, d.attributes["tone"]) for d in case.record.documents] == [
        ("a", "pos"), ("b", "neg"), ("c", "pos"), ("d", "neg"),
    ]  # fmt: skip


def test_mentions_of_people_count_blank_texts() -> None:
    """A mention in the third text is in the third text, though the second is blank; one in a blank text is refused."""
    mention = {"document": 2, "start": 0, "end": 3, "kind": "name"}
    given = {"a": [{"t": "x"}, {"t": ""}, {"t": "Ada spoke."}]}
    [case] = read([_row(0, **given, entities=[{"id": "p", "mentions": [mention]}])], documents_field="a[*].t")
    assert case.record.entities[0].mentions[0].document == 1
    blank = _row(0, **given, entities=[{"id": "p", "mentions": [mention | {"document": 1}]}])
    with pytest.raises(DataError, match=r"document 1 \(blank\) in mention 1 of entity 1"):
        list(read([blank], documents_field="a[*].t"))


@pytest.mark.parametrize("many_texts", [4, 8])
def test_init_proposes_no_label_from_a_list_of_another_length(many_texts: int, tmp_path: Path) -> None:
    """A list with more or fewer values than there are documents is no attribute."""
    texts = [review["text"] for review in REVIEWS]
    rows = [_row(i, texts=texts, tones=TONES * 3) for i in range(10)]
    path = tmp_path / "hotel.jsonl"
    assert understand([inspect_file(str(write(path, rows)))]).settings["attribute"] == ["tones"]
    rows[-1]["texts"] = texts[:many_texts]
    assert "attribute" not in understand([inspect_file(str(write(path, rows)))]).settings
