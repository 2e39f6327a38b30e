"""Documents that have names of their own, and records that are no independent witnesses."""

from __future__ import annotations

from typing import Any

import pytest

import fairbrief
from fairbrief.errors import DataError
from fairbrief.readers import read
from fairbrief.types import Document, Record

ROW: dict[str, Any] = {"id": "a", "documents": [{"text": "One."}, "Two."], "summary": "Both."}


def ids(row: dict[str, Any], **options: Any) -> list[str | None]:
    """The ids of the documents of the only record of a row."""
    [case] = read([row], **options)
    return [document.id for document in case.record.documents]


def rows(clusters: int, records: int) -> list[dict[str, Any]]:
    """Records of two parties, spread over some products."""
    return [
        {
            "id": str(i),
            "product": {"code": i % clusters},
            "documents": [
                {"text": f"Good thing {i}.", "attributes": {"party": "L"}},
                {"text": f"Bad matter {i}.", "attributes": {"party": "R"}},
            ],
            "summary": f"Good thing {i}." if i % 3 else f"Bad matter {i}.",
        }
        for i in range(records)
    ]


def test_documents_bring_their_ids() -> None:
    """A document's own field id names it, a number as text; one without is not named."""
    assert ids(ROW | {"documents": [{"text": "One.", "id": 7}, {"text": "Two.", "id": None}]}) == ["7", None]


def test_a_document_id_stands_once_in_a_record() -> None:
    """Two documents of one id cannot be told apart, so they are refused with what to do."""
    row = ROW | {"documents": [{"text": "One.", "id": 1}, {"text": "Two.", "id": "1"}]}
    with pytest.raises(DataError, match=r"two documents with the id '1'.*correct the ids"):
        ids(row)


def test_records_are_clustered_by_a_field() -> None:
    """The value of the named field, also a nested one, is the record's cluster; its variants stay together."""
    row = ROW | {"product": {"code": 5}, "seed_document": "b"}
    [case] = read([row], cluster_by="product.code")
    assert (case.record.cluster, case.record.seed_id) == ("5", "b")


def test_a_record_without_its_cluster_is_refused() -> None:
    """A record that lacks the value is named, and is left out only where that is asked for."""
    given = [ROW | {"product": "x"}, ROW | {"id": "b", "product": None}]
    with pytest.raises(DataError, match=r"records:2 \(id 'b'\): found no value of 'product'"):
        list(read(given, cluster_by="product"))
    reading = read(given, cluster_by="product", on_error="skip")
    assert [case.record.id for case in reading] == ["a"]
    assert reading.skipped_count == 1
    with pytest.raises(DataError, match=r"expected a field 'produkt'.*Did you mean 'product'"):
        list(read(given, cluster_by="produkt"))


def test_an_audit_resamples_clusters() -> None:
    """Twelve records of four products are four clusters, and the product is no group to audit over."""
    reading = read(rows(4, 12), cluster_by="product.code")
    found = fairbrief.audit(reading, n_resamples=50)
    [uer] = [e for e in found.estimates if e.quantity == "uer"]
    assert (uer.n, uer.clusters) == (12, 4)
    assert not [e for e in found.estimates if e.over == "product.code"]
    alone = fairbrief.audit(read(rows(4, 12)), ["uer@party"], n_resamples=50).estimates
    assert next(e for e in alone if e.quantity == "uer").clusters == 12


def test_a_cluster_is_kept_by_a_copy_of_a_record() -> None:
    """The source of a record is its seed document or itself; its cluster is the attribute it is clustered by."""
    record = Record("r", (Document("One."),), attributes={"town": "Ulm"})
    assert (record.seed_id, record.cluster) == ("r", "r")
    named = Record("r", (Document("One."),), attributes={"town": "Ulm"}, cluster_by="town", seed_document="o")
    assert (named.seed_id, named.cluster, named.block) == ("o", "Ulm", "r")
