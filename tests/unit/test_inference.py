"""What intervals and tests are made of: jackknife, turned signs, studentized permutations, random extracts."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.jackknifed_value import spread

from fairbrief.auditing.extracts import kept_sentences
from fairbrief.statistics.jackknife import (
    leave_one_out,
    t_interval,
    t_test,
)
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.statistics.resampling import flipped

NUMBERS = st.lists(st.floats(-5, 5), min_size=4, max_size=30)


def mean_spread(x: np.ndarray) -> object:
    """The jackknife of a mean."""
    rows = np.column_stack([x, np.ones(len(x))])
    left = leave_one_out(rows)
    return spread(x.mean(), left[:, 0] / left[:, 1], x)


@settings(deadline=None)
@given(NUMBERS)
def test_the_jackknife_of_a_mean_is_its_t_interval(numbers: list[float]) -> None:
    """Error, degrees of freedom and p are those of Student's one-sample test."""
    x = np.array(numbers)
    if x.std() < 1e-6 or abs(x.mean()) < 1e-6:
        return
    found = mean_spread(x)
    error = x.std(ddof=1) / np.sqrt(len(x))
    half = stats.t.ppf(0.975, len(x) - 1) * error
    assert t_interval(found, 0.95) == pytest.approx((x.mean() - half, x.mean() + half), abs=1e-8)
    assert t_test(found) == pytest.approx(stats.ttest_1samp(x, 0).pvalue, abs=1e-8)


def test_groups_of_unequal_spread_have_satterthwaites_degrees_of_freedom() -> None:
    """The difference of two means has about the degrees of freedom of Welch's test."""
    rng = np.random.default_rng(0)
    a, b = 3 * rng.normal(size=5), rng.normal(size=40)
    rows = np.zeros((45, 4))
    rows[:5, 0], rows[:5, 1], rows[5:, 2], rows[5:, 3] = a, 1, b, 1

    def difference(t: np.ndarray) -> np.ndarray:
        return t[..., 0] / t[..., 1] - t[..., 2] / t[..., 3]

    strata = (rows[:, 1] > 0).astype(np.int64)
    found = spread(difference(rows.sum(axis=0)), difference(leave_one_out(rows)), np.full(45, np.nan), strata)
    welch = stats.ttest_ind(a, b, equal_var=False).df
    assert found.freedom == pytest.approx(welch, rel=0.15)


def test_signs_depend_on_the_clusters_names_alone() -> None:
    """Another order of the clusters turns the same signs."""
    rng = np.random.default_rng(1)
    said, names = rng.normal(size=(30, 2)), [f"c{i}" for i in range(30)]
    order = rng.permutation(30)
    first, _ = flipped(said, names, 50, 3)
    second, _ = flipped(said[order], [names[i] for i in order], 50, 3)
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_records_that_share_documents_are_labelled_alike() -> None:
    """In each resample a document moves alike in all records of its cluster, whatever else they hold."""
    draws = LabelDraws(200, 0)
    labels, items = np.array([0, 0, 1, 1]), np.array([11, 22, 33, 44])
    order = np.array([2, 0, 3, 1])
    rows, choice, exact = draws.observed_and_choice("c", labels, items=items)
    other, chosen, _ = draws.observed_and_choice("c", labels[order], items=items[order])
    assert exact
    assert (rows[choice][:, order] == other[chosen]).all()
    counts = {tuple(row) for row in rows[choice].tolist()}
    assert counts == set(permutations([0, 0, 1, 1]))


def test_extracts_are_as_long_as_the_summary_on_average() -> None:
    """The sentence that crosses the length is kept as often as is needed; at least one sentence always is."""
    rng = np.random.default_rng(0)
    lengths = np.array([3, 9, 5, 7, 11, 4])
    kept = kept_sentences(rng.random((20_000, 7)), lengths, 15)
    assert (kept @ lengths).mean() == pytest.approx(15, abs=0.1)
    alone = kept_sentences(rng.random((2_000, 7)), lengths, 1)
    assert (alone.sum(axis=1) == 1).all()
