"""Records too small for any test say so, on every road to a reader."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fairbrief.auditing import Plan, audit
from fairbrief.nouns import Case, Document, Record, Summary
from fairbrief.reports import html, markdown, terminal
from fairbrief.reports.result import Result

TEXTS = (
    "The soup was cold.", "A waiter smiled.", "Parking costs nothing.", "We waited an hour.",
    "Rooms smell of paint.", "The view is wide.", "Coffee comes late.", "Towels were fresh.",
)  # fmt: skip


def audited(labels: str, told: str = "The soup was cold. A waiter smiled at us.") -> Result:
    """The audit of one record with these documents and a summary of some of them."""
    documents = tuple(Document(t, {"side": v}) for t, v in zip(TEXTS, labels, strict=False))
    summary = Summary("r", "s", told)
    return audit([Case(Record("r", documents), summary)], Plan(measures=["equal_coverage@side"], draws=500))


@pytest.mark.parametrize("labels", ["aabb", "abbb", "aabbcc"])
def test_small_single_records_are_not_testable_on_any_page(labels: str) -> None:
    """(2, 2), (1, 3) and (2, 2, 2) documents: "not testable" instead of a p, in terminal, page and Markdown."""
    result = audited(labels)
    headline = result.estimates[0]
    assert headline.testable is False
    assert headline.p is None
    page = io.StringIO()
    terminal.print_result(result, Console(width=120, file=page))
    for text in (page.getvalue(), html.render(result), markdown.render(result)):
        assert "not testable" in text
        assert "fair:" not in text


def test_a_larger_record_is_testable() -> None:
    """(4, 4) documents have 70 labellings, of which two are as extreme as covering one side alone."""
    headline = audited("aaaabbbb", " ".join(TEXTS[:4])).estimates[0]
    assert headline.testable is True
    assert headline.p == pytest.approx(2 / 70, abs=0.02)


def test_a_larger_record_of_which_little_is_covered_is_not() -> None:
    """Where two of eight documents are covered, most labellings tie and none could be significant."""
    assert audited("aaaabbbb").estimates[0].testable is False


def test_labellings_that_only_rename_do_not_make_a_record_testable() -> None:
    """(2, 2, 2) documents have 90 labellings, six of which name each split: p < 0.05 is out of reach."""
    testable = {e.quantity: e.testable for e in audited("aabbcc").estimates if e.testable is not None}
    assert testable["equal_coverage"] is False
