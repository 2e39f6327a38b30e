"""Groups that are one but for their spelling, and groups that stand for no value: the results say which."""

from __future__ import annotations

from typing import Any

import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.notes import spelling_notes, with_notes
from fairbrief.reports.wording import worded
from fairbrief.types import Case, Document, Estimate, Record, Summary


def estimate(group: str, **given: Any) -> Estimate:
    """A leading contrast of a group of ``s``."""
    return Estimate(
        "uer@s", f"difference[{group}]", "a", 0.1, over="s", group=group, is_primary=True, **given
    )


def codes(*groups: str) -> list[tuple[str, list[str]]]:
    """What is noted of the first of these groups."""
    estimates = [estimate(group) for group in groups]
    first = with_notes(estimates, spelling_notes(estimates))[0]
    return [(note.code, note.arguments["groups"]) for note in first.notes]


@pytest.mark.parametrize(
    ("groups", "alike"),
    [
        (("5", "5.0", "1"), ["5", "5.0"]),
        (("pos ", "pos", "neg"), ["pos", "pos "]),
        (("Left", "left"), ["Left", "left"]),
        (("1e1", "10"), ["10", "1e1"]),
    ],
)
def test_groups_that_read_alike_are_named(groups: tuple[str, ...], alike: list[str]) -> None:
    """Numbers with and without decimals, blanks and case part what people read as one."""
    assert codes(*groups) == [("groups_alike", alike)]


@pytest.mark.parametrize("missing", ["nan", "NaN", "None", "null", "N/A", "<NA>"])
def test_a_group_that_stands_for_no_value_is_named(missing: str) -> None:
    """Programs write so what people leave empty."""
    assert codes(missing, "1") == [("groups_missing", [missing])]


def test_groups_that_differ_are_not_noted() -> None:
    """Nor what is no group, is a detail, or is a difference of systems."""
    assert codes("1", "2", "५", "NA", "left", "right", "2020123", "2020124", "0.1234567", "0.1234568") == []
    rest = [estimate("5", baseline="b"), Estimate("rouge1", "rouge1", "a", 0.1)]
    details = [e.replace(is_primary=False) for e in (estimate("5"), estimate("5.0"))]
    every = [*details, *rest]
    assert with_notes(every, spelling_notes(every)) == every


def test_an_audit_says_it_beside_the_measure() -> None:
    """In words that name the groups and what to do."""
    cases = [
        Case(
            Record(str(i), tuple(Document(f"Word{g} here.", {"stars": g}) for g in ("5", "5.0", "nan"))),
            Summary(str(i), "a", "Word5 here."),
        )
        for i in range(3)
    ]
    result = audit(cases, Plan(measures=["uer@stars"], n_resamples=0))
    (main_value,) = [e for e in result.estimates if e.quantity == "uer"]
    assert [worded(note) for note in main_value.notes if note.code.startswith("groups")] == [
        "the groups '5', '5.0' of stars are spelled differently and read alike: if they are one, write them alike",
        "'nan' is a group of stars: if it says that a value is missing, leave the cell empty",
    ]
