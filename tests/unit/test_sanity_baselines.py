"""Control texts: made from the record alone, the same wherever they are made."""

from __future__ import annotations

import pytest

from fairbrief.auditing.sanity_baselines import exchanged, from_record
from fairbrief.types import Case, Document, Record, Summary


def record_of(name: str, values: str = "aaab") -> Record:
    """A record with one document per letter of ``values``."""
    return Record(name, tuple(Document(f"{name}-{i}-{v}", {"x": v}) for i, v in enumerate(values)))


RECORDS = [record_of("r1"), record_of("r2", "abbbbbb"), record_of("r3", "ab")]


def texts(kind: str, over: str = "") -> list[list[str]]:
    """The documents that make the sanity baseline of each record."""
    return [from_record(record, kind, over).text.split("\n") for record in RECORDS]


def test_texts() -> None:
    """The whole source is all documents, five or one are drawn without repetition, a group is itself alone."""
    assert texts("whole_source")[0] == [d.text for d in RECORDS[0].documents]
    assert [len(set(five)) for five in texts("proportional_documents")] == [4, 5, 2]
    assert [len(one) for one in texts("one_document")] == [1, 1, 1]
    group = texts("largest_group", "x")
    assert [{text[-1] for text in of} for of in group] == [{"a"}, {"b"}, {"a"}]
    assert [len(of) for of in group] == [3, 5, 1]


def test_seeds() -> None:
    """Another seed draws other documents; the same seed the same."""
    drawn = [from_record(RECORDS[1], "one_document", seed=seed).text for seed in (*range(20), *range(20))]
    assert len(set(drawn)) > 3
    assert drawn[:20] == drawn[20:]


def test_without_groups() -> None:
    """Without the attribute there is no largest group: an empty text and the reason."""
    made = from_record(RECORDS[0], "largest_group", "y")
    assert (made.text, made.reason) == ("", "empty summary")


@pytest.mark.parametrize("count", [2, 3, 10])
def test_exchanged(count: int) -> None:
    """Every summary goes to another record, each once, whatever the order of the cases."""
    cases = [Case(record_of(f"r{i}"), Summary(f"r{i}", "gpt", f"summary {i}")) for i in range(count)]
    dealt = exchanged(cases, seed=3)
    assert all(c.summary.text[-1] != c.record.id[-1] and c.summary.record == c.record.id for c in dealt)
    assert {c.summary.text for c in dealt} == {c.summary.text for c in cases}
    assert {c.summary.system for c in dealt} == {"sanity:exchanged(gpt)"}
    again = exchanged(list(reversed(cases)), seed=3)
    assert {c.record.id: c.summary.text for c in again} == {c.record.id: c.summary.text for c in dealt}


def test_exchanged_leaves_out() -> None:
    """Missing summaries are not dealt; a summary that is alone has no other record to go to."""
    cases = [
        Case(record_of(f"r{i}"), Summary(f"r{i}", "gpt", "t", reason="empty" * (i > 0))) for i in range(3)
    ]
    assert exchanged(cases) == ()
