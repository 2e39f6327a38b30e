"""Records of very many documents: what they take is bounded, and what would take hours is refused at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fairbrief.auditing import Plan, audit, extracts
from fairbrief.auditing.run import Run
from fairbrief.errors import RequestError
from fairbrief.types import Case, Document, Record, Summary


def cases_of(*, records: int = 1, documents: int = 4, groups: int = 2) -> list[Case]:
    """Summaries of short documents."""
    found = []
    for i in range(records):
        texts = [f"The soup number {(i * documents + j) % 97} was good." for j in range(documents)]
        of_document = [Document(t, {"side": f"g{j % groups}"}) for j, t in enumerate(texts)]
        record = Record(f"r{i}", tuple(of_document))
        found.append(Case(record, Summary(record.id, "s", f"The soup number {i % 97} was good.")))
    return found


def test_a_record_that_is_too_large_is_refused_before_measures_are_tried_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where none are named, too."""
    monkeypatch.setattr(Run, "walk", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(RequestError, match=r"20,000 documents\).*--extracts 0"):
        audit(cases_of(documents=20_000), Plan(attributes=["side"]))


def test_extracts_of_a_very_large_record_are_refused_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the record, the limit and what to do; each remedy that is named goes through."""
    monkeypatch.setattr(extracts, "MOST_PAIRS", 1_000)
    cases, plan = cases_of(documents=40), Plan(measures=["equal_coverage@side"], n_resamples=20)
    with pytest.raises(
        RequestError, match=r"r0.*40 documents.*1,600 pairs.*--extracts 0.*--extracts 200.*cut the record"
    ):
        audit(cases, plan)
    for remedy in (0, 200):
        assert audit(cases, replace(plan, n_extracts=remedy)).estimates
    assert audit(cases_of(documents=20, records=2), plan).estimates
