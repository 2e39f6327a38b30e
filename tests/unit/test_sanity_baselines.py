"""Control texts: made from the record alone, the same wherever they are made."""

from __future__ import annotations

import pytest

from fairbrief.auditing.sanity_baselines import SanityBaseline, exchanged, rng_of
from fairbrief.testing import SUMMARIZER_CLAUSES
from fairbrief.types import Case, Document, Record, Summary


def record_of(name: str, values: str = "aaab") -> Record:
    """A record with one document per letter of ``values``."""
    return Record(name, tuple(Document(f"{name}-{i}-{v}", {"x": v}) for i, v in enumerate(values)))


RECORDS = [record_of("r1"), record_of("r2", "abbbbbb"), record_of("r3", "ab")]
SANITY_BASELINES = [
    SanityBaseline("whole_source"),
    SanityBaseline("proportional_documents"),
    SanityBaseline("one_document"),
    SanityBaseline("largest_group", "x"),
]


@pytest.mark.parametrize("clause", SUMMARIZER_CLAUSES, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize(
    "sanity_baseline", SANITY_BASELINES, ids=lambda sanity_baseline: sanity_baseline.name
)
def test_contract(clause, sanity_baseline) -> None:  # noqa: ANN001
    """A sanity baseline is a summarizer like any other, and does not depend on the records beside."""
    clause(sanity_baseline, RECORDS)


def test_texts() -> None:
    """The whole source is all documents, five or one are drawn without repetition, a group is itself alone."""
    whole, five, one, group = ([s.text.split("\n") for s in c.summarize(RECORDS)] for c in SANITY_BASELINES)
    assert whole[0] == [d.text for d in RECORDS[0].documents]
    assert [len(set(texts)) for texts in five] == [4, 5, 2]
    assert [len(texts) for texts in one] == [1, 1, 1]
    assert [{text[-1] for text in texts} for texts in group] == [{"a"}, {"b"}, {"a"}]
    assert [len(texts) for texts in group] == [3, 5, 1]


def test_seeds() -> None:
    """Another seed draws other documents; the same seed the same."""
    drawn = {
        next(iter(SanityBaseline("one_document", seed=s).summarize([RECORDS[1]]))).text for s in range(20)
    }
    assert len(drawn) > 3
    assert rng_of(1, "a", "b").integers(1 << 60) == rng_of(1, "a", "b").integers(1 << 60)


def test_without_groups() -> None:
    """Without the attribute there is no largest group: an empty text and the reason."""
    (made,) = SanityBaseline("largest_group", "y").summarize([RECORDS[0]])
    assert (made.text, made.reason) == ("", "empty summary")


def test_unknown() -> None:
    """Unknown sanity baselines, and an attribute where none is read, are refused."""
    for kind, over in (("lead", ""), ("largest_group", ""), ("one_document", "x")):
        with pytest.raises(ValueError, match=r"sanity baseline|largest_group"):
            SanityBaseline(kind, over)


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
