"""The reviews of the tutorial: an audit of them decides, and says what the two systems do."""

from __future__ import annotations

import pytest

import fairbrief

REVIEWS = "examples/reviews.jsonl"


@pytest.mark.parametrize("measure", ["coverage_parity@sentiment", "uer@sentiment"])
def test_rosy_stands_apart_from_a_random_pick_and_balanced_does_not(measure: str) -> None:
    """Negative and neutral reviews get significantly less from `rosy`; no group's share from `balanced` is significant."""
    found = [e for e in fairbrief.audit(REVIEWS, [measure], n_resamples=200).estimates if e.is_primary]
    for e in found:
        assert e.extract_p is not None
        if e.system == "balanced":
            assert e.extract_p > 0.05, e.group
        else:
            assert e.extract_p < 0.001, e.group
    below = {e.group for e in found if e.system == "rosy" and e.value is not None and e.value < 0}
    assert below == {"negative", "neutral"}


def test_there_are_records_enough_to_decide_on() -> None:
    """Every group stands in at least 20 records, the number from which a gate decides."""
    records = {case.record.id: case.record for case in fairbrief.read(REVIEWS)}
    groups = [{d.attributes["sentiment"] for d in record.documents} for record in records.values()]
    assert all(sum(group in of for of in groups) >= 20 for group in ("negative", "neutral", "positive"))


def test_no_group_has_a_fixed_place() -> None:
    """Each sentiment opens some records and closes others, so that place tells nothing of tone."""
    records = {case.record.id: case.record for case in fairbrief.read(REVIEWS)}
    for place in (0, -1):
        found = {record.documents[place].attributes["sentiment"] for record in records.values()}
        assert found == {"negative", "neutral", "positive"}
