"""Samples of records: reproducible, in any order, and by group."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from fairbrief.errors import RequestError
from fairbrief.readers import Reading, read


def rows(n: int = 40) -> list[dict[str, Any]]:
    """Records of which every fifth is from the south, summarized by two systems."""
    return [
        {"id": f"r{i}", "documents": ["One.", "Two."], "summary": "One.", "system": system, "region": "south" if i % 5 == 0 else "north"}
        for i in range(n) for system in "ab"
    ]  # fmt: skip


def ids(reading: Reading) -> set[str]:
    """The ids of the records of all cases; every system has the same."""
    by_system: dict[str, set[str]] = {}
    for case in reading:
        by_system.setdefault(case.summary.system, set()).add(case.record.id)
    first, *others = by_system.values()
    assert all(other == first for other in others)
    return first


def test_a_sample_is_the_same_in_any_order() -> None:
    """Shuffled rows give the same records, another seed gives others, and a larger sample contains a smaller one."""
    given = rows()
    shuffled = random.Random(1).sample(given, len(given))
    ten = ids(read(given, sample=10))
    assert len(ten) == 10
    assert ids(read(shuffled, sample=10)) == ten
    assert ids(read(given, sample=10, seed=1)) != ten
    assert ten < ids(read(given, sample=0.5))
    assert len(ids(read(given, sample=0.5))) == 20
    assert len(ids(read(given, sample=1000))) == 40


def test_a_sample_by_group_has_as_many_of_each() -> None:
    """A number counts per group, as far as a group has records; a share keeps the mix."""
    attributes = {"region": "region"}
    reading = read(rows(), sample=10, sample_by="region", record_attributes=attributes)
    assert len(ids(reading)) == 18
    assert reading.sample == {
        "records": 40, "sampled": 18, "size": 10, "seed": 0, "by": "region",
        "groups": {"north": (10, 32), "south": (8, 8)},
    }  # fmt: skip
    assert reading.notes[-1] == (
        "Sample: 18 of 40 records, by hashes of their ids (seed 0); by region: north 10 of 32, south 8 of 8."
    )
    share = read(rows(), sample=0.25, sample_by="region", record_attributes=attributes)
    ids(share)
    assert share.sample is not None
    assert share.sample["groups"] == {"north": (8, 32), "south": (2, 8)}


def test_counterfactuals_are_sampled_together() -> None:
    """Of a seed document, all counterfactuals are selected, or none."""
    given = [{"id": f"{i}{v}", "seed_document": str(i), "documents": ["One."], "summary": "One."} for i in range(9) for v in "xy"]  # fmt: skip
    found = [case.record for case in read(given, sample=4)]
    assert len(found) == 8
    assert len({record.seed_id for record in found}) == 4


def test_summaries_in_files_of_sampled_records(tmp_path: Path) -> None:
    """Summaries of the other records are no error, matched by id or by line."""
    sources = [{"id": str(i), "documents": ["One.", "Two."]} for i in range(9)]
    by_id = [{"id": str(i), "summary": f"S{i}."} for i in range(9)]
    lines = tmp_path / "a.txt"
    lines.write_text("".join(f"S{i}.\n" for i in range(9)), encoding="utf-8")
    for summaries in ({"a": by_id}, {"a": lines}):
        found = list(read(sources, summaries=summaries, sample=3))
        assert len(found) == 3
        assert all(case.summary.text == f"S{case.record.id}." for case in found)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"sample": 0}, "--sample 0: give"),
        ({"sample": 2.5}, r"--sample 2\.5: give"),
        ({"sample_by": "region"}, "--sample-by needs --sample"),
        ({"sample": 2, "sample_by": "regoin"}, "no record has the attribute 'regoin'.*--record-attribute regoin=FIELD"),
    ],
)  # fmt: skip
def test_samples_that_cannot_be_drawn(settings: dict[str, Any], advice: str) -> None:
    """The error names the option and what to write."""
    with pytest.raises(RequestError, match=advice):
        list(read(rows(), **settings))


def test_a_sample_without_a_readable_record_says_what_is_wrong_with_each() -> None:
    """The excluded records are listed, as without a sample."""
    bad = [{"id": "a", "documents": [], "region": "north", "summary": "One."}]
    for settings in ({}, {"sample": 2}, {"sample": 2, "sample_by": "region"}):
        reading = read(bad, on_error="skip", **settings)
        assert list(reading) == []
        assert "no documents" in reading.skipped[0]
