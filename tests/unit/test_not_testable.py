"""Records too small for any test say so, on every road to a reader."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.multiple_tests import with_holm
from fairbrief.reports import exports, html, terminal
from fairbrief.reports.result import Result
from fairbrief.reports.wording import worded
from fairbrief.types import Case, Document, Estimate, Record, Summary

TEXTS = (
    "The soup was cold.", "A waiter smiled.", "Parking costs nothing.", "We waited an hour.",
    "Rooms smell of paint.", "The view is wide.", "Coffee comes late.", "Towels were fresh.",
)  # fmt: skip


def audited(labels: str, told: str = "The soup was cold. A waiter smiled at us.") -> Result:
    """The audit of one record with these documents and a summary of some of them."""
    documents = tuple(Document(t, {"side": v}) for t, v in zip(TEXTS, labels, strict=False))
    summary = Summary("r", "s", told)
    return audit(
        [Case(Record("r", documents), summary)], Plan(measures=["equal_coverage@side"], n_resamples=500)
    )


@pytest.mark.parametrize("labels", ["aabb", "abbb", "aabbcc"])
def test_small_single_records_are_not_testable_on_any_page(labels: str) -> None:
    """(2, 2), (1, 3) and (2, 2, 2) documents: "not testable" instead of a p, in terminal, page and Markdown."""
    result = audited(labels)
    main_value = result.estimates[0]
    assert main_value.testable is False
    assert main_value.p is None
    page = io.StringIO()
    terminal.print_result(result, Console(width=120, file=page))
    for text in (page.getvalue(), html.render(result), exports.markdown(result)):
        assert "not testable" in text
        assert "fair:" not in text


def test_a_larger_record_of_which_little_is_covered_is_not() -> None:
    """Where two of eight documents are covered, most label permutations tie and none could be significant."""
    assert audited("aaaabbbb").estimates[0].testable is False


def a_p(p: float, smallest: float) -> Estimate:
    """A test with the smallest p that its label permutations allow."""
    return Estimate("m", "m", "s", 0.5, p=p, smallest_p=smallest, testable=True)


def test_what_could_not_be_significant_beside_the_others_is_not_testable() -> None:
    """Seven tests of eight clusters: 7/128 is above .05, so that no p is given; six of them are testable."""
    seven = [a_p(1 / 128, 1 / 128)] * 7
    found = with_holm(seven, Settings())
    assert {(e.testable, e.p, e.p_adjusted) for e in found} == {(False, None, None)}
    assert "not testable among 7 tests" in worded(found[0].notes[0])
    assert "Unadjusted p = 0.0078" in worded(found[0].notes[0])
    found = with_holm(seven[:6], Settings())
    assert {(e.testable, e.p_adjusted) for e in found} == {(True, 6 / 128)}


def test_tests_that_reach_far_leave_room_for_one_that_does_not() -> None:
    """Holm's last p is not multiplied: beside nine that allow any p, one of smallest p .03 can be significant."""
    found = with_holm([*[a_p(0.0, 0.0)] * 9, a_p(0.03, 0.03)], Settings())
    assert found[-1].testable is True
    assert found[-1].p_adjusted == 0.03
