"""Labels made usable (documents without one, bins), and ids of documents and clusters of records."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sample_cases import of

import fairbrief
from fairbrief.errors import DataError, RequestError
from fairbrief.readers import read
from fairbrief.readers.preparing import cuts_of, group_of


def row(i: int, *labels: str | None, name: str = "party") -> dict[str, Any]:
    """A record with a document for each label."""
    documents = []
    for j, label in enumerate(labels):
        attributes = {} if label is None else {name: label}
        documents.append({"text": f"Text {i} {j} of {label}.", "attributes": attributes})
    return {"id": f"r{i}", "documents": documents, "summary": f"Text {i} 0 of {labels[0]}."}


ROWS = [row(i, "L", "R", "L", None if i % 5 == 0 else "R") for i in range(20)]


def labels(reading: Any, name: str = "party") -> list[list[str | None]]:
    """The label of each document."""
    return [[d.attributes.get(name) for d in record.documents] for record in reading.records()]


def test_one_unlabelled_document_costs_only_itself() -> None:
    """Dropped, it leaves the other documents and all records; how many is noted."""
    reading = read(ROWS, missing="drop", attributes=["party"])
    assert labels(reading)[:2] == [["L", "R", "L"], ["L", "R", "L", "R"]]
    assert reading.notes == ["4 documents of 4 records without 'party' excluded (--missing)."]
    found = fairbrief.audit(read(ROWS, missing="drop", attributes=["party"]), ["uer@party"], n_resamples=0)
    assert {e.n for e in found.estimates} == {20}


def test_unlabelled_documents_are_refused_with_what_to_do() -> None:
    """By default the audit stops at such a record, and says which options there are."""
    with pytest.raises(DataError, match=r"--missing drop.*--missing group.*--require party"):
        fairbrief.audit(read(ROWS), ["uer@party"], n_resamples=0)
    with pytest.raises(RequestError, match="--missing drop needs --attribute NAME"):
        read(ROWS, missing="drop")
    with pytest.raises(RequestError, match=r"Every row \(20\) is excluded.*no document has 'tone'"):
        list(read(ROWS, missing="drop", attributes=["tone"]))


def test_a_record_without_any_label() -> None:
    """It is left out and counted where documents are dropped, and is one group where they are grouped."""
    rows = [*ROWS[1:3], row(30, None, None)]
    reading = read(rows, missing="drop", attributes=["party"])
    assert len(labels(reading)) == 2
    assert reading.skipped_count == 1
    assert "r30" in reading.skipped[0]
    texts = [{"id": one["id"], "summary": "A text."} for one in rows]
    beside = read(rows, missing="drop", attributes=["party"], summaries=texts)
    assert list(dict.fromkeys(case.record.id for case in beside)) == [one["id"] for one in rows[:2]]
    assert beside.skipped_count == 1
    grouped = read(rows, missing="group", attributes=["party"])
    assert labels(grouped)[2] == ["missing", "missing"]
    assert "in the group 'missing'" in grouped.notes[0]


def test_people_keep_their_mentions() -> None:
    """Where a document goes, mentions in the others still point into them."""
    one = row(1, None, "L", "R")
    one["entities"] = [{"id": 1, "mentions": [
        {"document": 0, "start": 0, "end": 4, "kind": "full"}, {"document": 2, "start": 0, "end": 4, "kind": "full"},
    ]}]  # fmt: skip
    [record] = read([one], missing="drop", attributes=["party"]).records()
    assert [m.document for m in record.entities[0].mentions] == [1]


# ------------------------------------------------------------------------------------- bins

RATED = [row(i, str(i % 10), str((i + 5) % 10), name="rating") for i in range(30)]


def test_numbers_are_put_in_bins_by_cuts() -> None:
    """A number equal to a cut belongs below it."""
    assert labels(read(RATED, bins={"rating": "3,7"}), "rating")[:4] == [
        ["up to 3", "over 3 to 7"], ["up to 3", "over 3 to 7"], ["up to 3", "over 3 to 7"], ["up to 3", "over 7"],
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "7,3", "3,3", "q3", "x", "nan", "3,inf"])
def test_bins_that_are_none(text: str) -> None:
    """Cuts rise and are numbers."""
    with pytest.raises(RequestError, match="write increasing cuts"):
        cuts_of(text)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6, unique=True), st.floats(-2e6, 2e6))
def test_every_number_has_one_bin(cuts: list[float], number: float) -> None:
    """Numbers between the same cuts share a group, and others do not."""
    group = group_of(number, tuple(sorted(cuts)))
    assert group.startswith("up to") == (number <= min(cuts))
    assert (" to " not in group) == (number > max(cuts))


def test_what_is_no_number_is_named() -> None:
    """A value that cannot be put in a bin stops the reading, or is left out; bins of nothing are refused."""
    rows = [*RATED[:2], row(40, "good", "1", name="rating")]
    with pytest.raises(DataError, match=r"records:3 \(id 'r40'\): found 'good' as 'rating'"):
        list(read(rows, bins={"rating": "3"}))
    assert len(list(read(rows, bins={"rating": "3"}, on_error="skip"))) == 2
    with pytest.raises(RequestError, match="no document and no record has the attribute 'ratings'"):
        list(read(RATED, bins={"ratings": "3"}))


ROW: dict[str, Any] = {"id": "a", "documents": [{"text": "One."}, "Two."], "summary": "Both."}


def test_documents_bring_their_ids() -> None:
    """A document's own field id names it, a number as text; one without is not named; the same twice is refused."""
    [case] = read([ROW | {"documents": [{"text": "One.", "id": 7}, {"text": "Two.", "id": None}]}])
    assert [document.id for document in case.record.documents] == ["7", None]
    with pytest.raises(DataError, match=r"two documents with the id '1'.*correct the ids"):
        list(read([ROW | {"documents": [{"text": "One.", "id": 1}, {"text": "Two.", "id": "1"}]}]))


@pytest.mark.parametrize(("row", "settings", "seed"), [
    ({"product": {"code": "x"}, "seed_document": "b"}, {"cluster_by": "product.code"}, "b"),
    ({"meta": {"event": "x"}}, {"record_attributes": {"event": "meta.event"}}, None),
    ({"meta": {"event": "x"}}, {"attributes": {"event": "meta.event"}}, None),
    ({"meta": {"event": "x"}, "event": "other"}, {"record_attributes": {"event": "meta.event"}}, None),
    ({"attributes": {"event": "x"}}, {}, None),
])  # fmt: skip
def test_records_are_clustered_by_a_field_or_an_attribute(row: Any, settings: Any, seed: str | None) -> None:
    """A named field, also a nested one, or an attribute of the record, given or mapped; variants stay together."""
    [case] = read([ROW | row], **{"cluster_by": "event"} | settings)
    assert case.record.cluster == "x"
    assert case.record.seed_document == seed


def test_a_record_without_its_cluster_is_refused() -> None:
    """A record that lacks the value is named, and is left out only where that is asked for."""
    given = [ROW | {"product": "x"}, ROW | {"id": "b", "product": None}]
    with pytest.raises(DataError, match=r"records:2 \(id 'b'\): found null in the field 'product'"):
        list(read(given, cluster_by="product"))
    reading = read(given, cluster_by="product", on_error="skip")
    assert [case.record.id for case in reading] == ["a"]
    assert reading.skipped_count == 1
    with pytest.raises(DataError, match=r"expected a field 'produkt'.*Did you mean 'product'"):
        list(read(given, cluster_by="produkt"))


def test_an_audit_resamples_clusters() -> None:
    """Twenty records of four products are four clusters, and the product is no group to audit over."""
    given = [one | {"product": {"code": i % 4}} for i, one in enumerate(ROWS)]
    reading = read(given, cluster_by="product.code", missing="drop", attributes=["party"])
    found = fairbrief.audit(reading, n_resamples=50)
    uer = of(found, "uer")
    assert (uer.n, uer.clusters) == (20, 4)
    assert not [e for e in found.estimates if e.over == "product.code"]
