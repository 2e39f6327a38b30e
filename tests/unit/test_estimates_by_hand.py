"""What estimates of a small audit say, where it can be told without counting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.reports.result import Result
from fairbrief.types import Case, Document, Estimate, Record, Summary

WORDS = ("cedar", "elm", "fir", "slate", "chalk", "marl")


def cases(systems: dict[str, int]) -> Iterator[Case]:
    """Eight records of three documents a side; a system copies as many of them as it is given, the first ones first."""
    for i in range(8):
        texts = [f"{word.title()} {word}{i} {word}s." for word in WORDS]
        documents = [Document(text, {"side": side}) for text, side in zip(texts, "LLLRRR", strict=True)]
        record = Record(f"r{i}", tuple(documents))
        for system, many in systems.items():
            yield Case(record, Summary(record.id, system, " ".join(texts[:many])))


@pytest.fixture(scope="module")
def result() -> Result:
    """Two systems that copy two documents of the left, and one that copies all but one."""
    return audit(list(cases({"a": 2, "b": 2, "c": 5})), Plan(measures=["uer@side"], n_resamples=100))


def of(result: Result, quantity: str, system: str, baseline: str = "") -> Estimate:
    """One estimate."""
    every = [*result.estimates, *result.differences]
    (found,) = [e for e in every if (e.quantity, e.system, e.baseline) == (quantity, system, baseline)]
    return found


def test_systems_that_write_the_same_differ_by_nothing(result: Result) -> None:
    """No cluster says anything, and there is one way to turn none: p is 1, and cannot be less beside other tests."""
    same = of(result, "difference[L]", "a", "b")
    assert (same.value, same.null_mean, same.p, same.testable, same.smallest_p) == (
        0.0,
        0.0,
        None,
        False,
        1.0,
    )
    alone = audit(list(cases({"a": 2, "b": 2})), Plan(measures=["position_from_uniform"], n_resamples=100))
    same = of(alone, "mean_position_shift", "a", "b")
    assert (same.value, same.null_mean, same.p, same.testable, same.smallest_p) == (0.0, 0.0, 1.0, True, 1.0)


def test_systems_that_differ_in_every_record_are_tested_by_turning_them(result: Result) -> None:
    """All eight clusters say the same: two of 2^8 ways are as extreme, of 2^7 sizes one."""
    e = of(result, "difference[L]", "a", "c")
    assert (e.value, e.p, e.testable, e.smallest_p) == (pytest.approx(1 - 3 / 5), 2 / 2**8, True, 1 / 2**7)
    assert e.leads


def test_a_quantity_is_a_contrast_a_magnitude_or_a_level(result: Result) -> None:
    """Signed, of one tail, or of none."""
    kinds = {e.quantity: e.kind for e in result.estimates if e.system == "a"}
    assert kinds["difference[L]"] == "contrast"
    assert kinds["uer"] == "magnitude"
    assert kinds["source[L]"] == "level"
    assert {e.kind for e in result.differences} == {"contrast"}


def test_random_extracts_stand_beside_what_has_a_baseline(result: Result) -> None:
    """Of the headline their reading alone; of the contrast also how far it lies from them."""
    headline, contrast = of(result, "uer", "a"), of(result, "difference[L]", "a")
    assert headline.blind is not None
    assert headline.blind_difference is None
    assert contrast.blind == pytest.approx(0.0, abs=0.1)
    assert contrast.value == pytest.approx(1 / 2)
    assert contrast.blind_difference == pytest.approx(0.5 - (contrast.blind or 0.0))
