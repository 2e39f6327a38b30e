"""Groups that change hands between whole units: the sums, the chance level, and the clusters it respects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.ledger import Ledger, Origin
from fairbrief.auditing.regrouping import regrouped_null
from fairbrief.nouns import (
    Ask,
    Case,
    Cases,
    Column,
    Exchange,
    Integers,
    Reason,
    Record,
    Rows,
    Scores,
    Summary,
    Totals,
    Value,
)
from fairbrief.spelling import spell
from fairbrief.statistics import regrouped_totals


@dataclass(frozen=True)
class Lengths:
    """How many words a summary has, by the record's side; also a count that no group owns."""

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1
    grouped_by: ClassVar[str] = "records"

    def asks(self, cases: Cases) -> Sequence[Ask]:  # noqa: ARG002
        return ()

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        (case,) = cases
        side = case.record.attributes["side"]
        words = float(len(case.summary.text.split()))
        columns: tuple[Column, ...] = (("records", side), ("words", side), ("all",))
        return Rows(columns, np.array([[1.0, words, 1.0]]))


@dataclass(frozen=True, repr=False)
class LengthGap:
    """Mean length of left minus right."""

    name: ClassVar[str] = "length_gap"

    @property
    def observation(self) -> Lengths:
        return Lengths()

    def value(self, totals: Totals) -> Mapping[str, Value]:
        count = {s: totals["records", s] for s in ("left", "right")}
        mean = {
            s: np.where(n > 0, totals["words", s] / np.where(n > 0, n, 1), np.nan) for s, n in count.items()
        }
        return {
            "length_gap": Value(mean["left"] - mean["right"], "both"),
            "all": Value(totals["all"], "both"),
        }

    def explain(self, totals: Totals) -> str:
        return f"{totals['all']} records"

    def __repr__(self) -> str:
        return spell(self)


def case(i: int, side: str, words: int, original: str | None = None) -> Case:
    """A record of a side, and a summary of so many words."""
    record = Record(f"r{i}", (), attributes={"side": side}, original=original)
    return Case(record, Summary(record.id, "s", " ".join(["word"] * words)))


def gap(cases: Sequence[Case], draws: int = 999) -> object:
    """The headline of the audit of these cases."""
    result = audit(cases, Plan(measures=[LengthGap()], draws=draws))
    return next(e for e in result.estimates if e.quantity == "length_gap")


def test_sums_by_group_are_those_of_every_labelling_equally_often() -> None:
    """Four rows of two groups: the mean of the first group takes each of six values, near a sixth each."""
    rows = np.column_stack([np.ones(4), [1.0, 2.0, 4.0, 8.0]])
    totals = regrouped_totals(rows, np.array([0, 0, 1, 1]), 2, 12_000, 0)
    assert (totals[:, :, 0] == 2).all()
    np.testing.assert_allclose(totals.sum(axis=1), np.broadcast_to(rows.sum(axis=0), (12_000, 2)))
    values, counts = np.unique(totals[:, 0, 1], return_counts=True)
    assert values.tolist() == [3, 5, 6, 9, 10, 12]
    assert np.abs(counts / 12_000 - 1 / 6).max() < 0.015


def test_labels_stay_in_their_block() -> None:
    """Rows of a block change groups among themselves alone, wherever they stand."""
    rows = np.array([[1.0], [10.0], [2.0], [20.0]])
    totals = regrouped_totals(rows, np.array([0, 0, 1, 1]), 2, 400, 0, np.array([0, 1, 0, 1]))
    assert sorted(set(totals[:, 0, 0].tolist())) == [11.0, 12.0, 21.0, 22.0]


def test_the_same_seed_gives_the_same_sums_and_another_seed_others() -> None:
    """Everything random is in the seed."""
    rows, labels = np.arange(40.0).reshape(20, 2), np.arange(20) % 3
    first = regrouped_totals(rows, labels, 3, 50, 1)
    np.testing.assert_array_equal(first, regrouped_totals(rows, labels, 3, 50, 1))
    assert (first != regrouped_totals(rows, labels, 3, 50, 2)).any()


def test_shapes_that_do_not_agree_are_refused() -> None:
    """Rows and labels are as many, and labels name groups that there are."""
    with pytest.raises(ValueError, match="do not agree"):
        regrouped_totals(np.ones((3, 1)), np.zeros(2, dtype=int), 1, 5, 0)
    with pytest.raises(ValueError, match=r"labels must lie in 0\.\.1"):
        regrouped_totals(np.ones((2, 1)), np.array([0, 2]), 2, 5, 0)


def test_p_of_a_difference_between_records_is_scipys_permutation_test() -> None:
    """The audit's p and scipy's are those of one test, up to the draws."""
    from scipy.stats import permutation_test

    rng = np.random.default_rng(0)
    left, right = rng.poisson(12, 15), rng.poisson(15, 20)
    cases = [case(i, "left", n) for i, n in enumerate(left)]
    cases += [case(100 + i, "right", n) for i, n in enumerate(right)]
    found = gap(cases, draws=4000)
    theirs = permutation_test(
        (left, right), lambda a, b: a.mean() - b.mean(), n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert found.value == pytest.approx(left.mean() - right.mean())
    assert found.null_mean == pytest.approx(0, abs=0.1)
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_what_no_group_owns_does_not_vary_by_chance() -> None:
    """A column without a group is the same in every draw, so no labelling could be significant."""
    cases = [case(i, "left" if i % 2 else "right", 3 + i) for i in range(12)]
    result = audit(cases, Plan(measures=[LengthGap()], draws=99))
    (whole,) = [e for e in result.estimates if e.quantity == "all"]
    assert (whole.value, whole.null_mean, whole.p, whole.testable) == (12.0, 12.0, None, False)


def test_variants_that_differ_in_group_are_compared_inside_their_original() -> None:
    """Originals may differ as they like: their variants are each other's comparison."""
    rng = np.random.default_rng(2)
    cases = []
    for o in range(8):
        base = int(rng.integers(5, 400))
        cases += [case(2 * o, "left", base + 3, f"o{o}"), case(2 * o + 1, "right", base, f"o{o}")]
    inside = gap(cases)
    assert inside.value == 3
    assert inside.p < 0.02
    apart = gap([Case(Record(c.record.id, (), attributes=c.record.attributes), c.summary) for c in cases])
    assert apart.p > 0.5


def test_originals_of_one_group_change_hands_as_wholes() -> None:
    """Ten copies of an original are one piece of evidence, not ten."""
    cases = [
        case(100 * o + k, "left" if o < 4 else "right", 10 + 5 * (o < 4), f"o{o}")
        for o in range(8)
        for k in range(10)
    ]
    # Four originals a side: 70 labellings, and one mirror image of the real one.
    assert gap(cases).p == pytest.approx(2 / 70, abs=0.015)


def test_too_few_records_are_not_testable() -> None:
    """Two against two have six labellings: no p."""
    found = gap([case(i, "left" if i < 2 else "right", i + 1) for i in range(4)])
    assert found.testable is False
    assert found.p is None


def test_one_group_alone_has_no_chance_level() -> None:
    """There is nothing to exchange."""
    ledger = Ledger(Lengths(), 10)
    ledger.add(Origin("s", "a", "a"), Rows((("records", "left"), ("words", "left")), np.ones((1, 2))), None)
    assert regrouped_null(ledger, np.array([0]), 10, 0) is None


def test_a_statistic_that_only_one_group_has_moves_with_its_row() -> None:
    """Columns that no real row of a group has are made for it; sums over groups stay what they are."""
    ledger = Ledger(Lengths(), 10)
    for i, (side, extra) in enumerate(
        [("left", "long"), ("left", "long"), ("right", "short"), ("right", "short")]
    ):
        columns = (("records", side), ("kind", side, extra))
        ledger.add(Origin("s", str(i), str(i)), Rows(columns, np.array([[1.0, i + 1.0]])), None)
    null = regrouped_null(ledger, np.arange(4), 50, 0)
    assert null is not None
    totals = Totals(null.columns, null.sums)
    np.testing.assert_allclose(totals["kind", "left", "long"] + totals["kind", "right", "long"], 3.0)
    assert (totals["kind", "right", "long"] > 0).any()
