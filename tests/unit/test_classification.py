"""ROC-AUC, balanced accuracy, cut-offs, isotonic and logistic regression equal scikit-learn's, with ties and under resampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from fairbrief.statistics.agreement import balanced_accuracy, best_cut, isotonic, roc_auc
from fairbrief.statistics.regression import fit_logistic

ITEMS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None)
@given(ITEMS)
def test_the_area_under_the_curve_is_that_of_scikit_learn(items: list[tuple[int, bool, int]]) -> None:
    """Ties count by half; a resample is its items, each as often as it was drawn; one class alone has no area."""
    scores, labels, counts = (np.array(column) for column in zip(*items, strict=True))
    found = roc_auc(scores, labels, np.stack([np.ones_like(counts), counts]))
    assert found[0] == pytest.approx(float(roc_auc(scores, labels)), nan_ok=True)
    for area, drawn in zip(found, (np.ones_like(counts), counts), strict=True):
        if len(set(np.repeat(labels, drawn))) < 2:
            assert np.isnan(area)
        else:
            assert area == pytest.approx(roc_auc_score(np.repeat(labels, drawn), np.repeat(scores, drawn)))


@settings(max_examples=40, deadline=None)
@given(ITEMS)
def test_no_cut_has_a_larger_balanced_accuracy_than_the_best(items: list[tuple[int, bool, int]]) -> None:
    """The best cut-off is at least as good as every other, by scikit-learn's own balanced accuracy."""
    scores, labels, _ = (np.array(column) for column in zip(*items, strict=True))
    cut = float(best_cut(scores, labels))
    if len(set(labels)) < 2:
        assert np.isnan(cut)
        return
    best = float(balanced_accuracy(scores, labels, cut))
    assert best == pytest.approx(balanced_accuracy_score(labels, scores >= cut))
    assert best >= max(balanced_accuracy_score(labels, scores >= other) for other in range(-1, 8)) - 1e-12


@settings(max_examples=40, deadline=None)
@given(ITEMS)
def test_isotonic_regression_is_that_of_scikit_learn(items: list[tuple[int, bool, int]]) -> None:
    """Between the knots and beyond them the shares are those of a reference that pools one pair of blocks at a time."""
    scores, labels, counts = (np.array(column) for column in zip(*items, strict=True))
    for drawn in (np.ones_like(counts), counts):
        if not drawn.any():
            continue
        places, shares = isotonic(scores, labels, drawn)
        reference = IsotonicRegression(out_of_bounds="clip")
        reference.fit(np.repeat(scores, drawn).astype(float), np.repeat(labels, drawn).astype(float))
        wanted = np.linspace(-1, 7, 41)
        assert np.interp(wanted, places, shares) == pytest.approx(reference.predict(wanted))
    between = np.where(labels, 0.5 + scores / 20, 0.5)
    reference = IsotonicRegression(out_of_bounds="clip").fit(scores.astype(float), between)
    assert np.interp(wanted, *isotonic(scores, between)) == pytest.approx(reference.predict(wanted))


@pytest.mark.parametrize("is_separable", [False, True])
def test_logistic_regression_is_that_of_scikit_learn(*, is_separable: bool) -> None:
    """Also where a line separates the classes; a feature that does not vary has no weight."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 3)) * [1, 10, 0] + 5
    y = (x[:, 0] + x[:, 1] / 10 + (0 if is_separable else rng.normal(size=200)) > 5.5).astype(float)
    intercept, weights = fit_logistic(x, y, ridge=0.5)
    scaled = (x - x.mean(axis=0)) / np.where(x.std(axis=0) > 1e-9, x.std(axis=0), 1)
    reference = LogisticRegression(C=2, tol=1e-10, max_iter=1000).fit(scaled, y)
    found = reference.decision_function(scaled)
    assert intercept + x @ weights == pytest.approx(found, rel=1e-4, abs=1e-4)
    assert weights[2] == 0
