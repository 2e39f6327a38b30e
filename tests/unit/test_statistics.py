"""Statistics against textbooks and reference implementations: models, classification, label permutations, bootstraps."""

import numpy as np
import pytest
from benchmarks.label_draws import observed_and_choice
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from fairbrief.statistics import agreement, distributions, regression
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.statistics.resampling import Bootstrap

NAN = np.nan
KRIPPENDORFF = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
])  # fmt: skip


def assert_same_fit(ours: regression.Fit, theirs: object) -> None:
    """Every number of a fit equals statsmodels'."""
    low, high = theirs.conf_int().T
    found = (ours.coefficients, ours.errors, ours.t, ours.p, ours.low, ours.high, ours.r2)
    known = (theirs.params, theirs.bse, theirs.tvalues, theirs.pvalues, low, high, theirs.rsquared)
    for mine, reference in zip(found, known, strict=True):
        np.testing.assert_allclose(mine, reference, rtol=1e-10, atol=1e-12)


def test_robust_errors_are_statsmodels() -> None:
    """Cluster-robust errors agree, with t-distributed intervals: scatter grows with x and hangs together in clusters."""
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(60), rng.normal(size=60), rng.integers(0, 2, 60)])
    cluster = np.repeat(np.arange(12), 5)
    y = x @ [0.3, -1.0, 2.0] + rng.normal(size=60) * np.abs(x[:, 1]) + rng.normal(size=12)[cluster]
    theirs = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    assert_same_fit(regression.fit_robust(x, y, cluster), theirs)


def test_a_row_that_alone_decides_a_coefficient_has_no_robust_error() -> None:
    """With leverage 1 the HC3 error is undefined, not huge."""
    x = np.column_stack([np.ones(5), [1, 0, 0, 0, 0]])
    assert np.isnan(regression.fit_robust(x, np.array([1.0, 2, 3, 5, 4])).errors).all()


@pytest.mark.parametrize(("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_has_the_textbook_values(scale: str, alpha: float) -> None:
    """Krippendorff's own four-rater example with missing ratings (2011, sections C and D)."""
    assert agreement.krippendorff_alpha(KRIPPENDORFF, scale) == pytest.approx(alpha, abs=5e-4)


def test_free_marginal_kappa_by_hand() -> None:
    """Pairs agree 2 of 3, 1 of 1 (one rating is missing) and 0 of 3: P = 5/9."""
    ratings = np.array([[0, 1, 0, NAN], [0, 1, 1, NAN], [1, NAN, 2, 1]])
    share = (1 / 3 + 1 + 0) / 3
    assert agreement.randolph_kappa(ratings, 3) == pytest.approx((share - 1 / 3) / (1 - 1 / 3))
    assert np.isnan(agreement.randolph_kappa(np.zeros((2, 3)), 1))
    several = np.array([[[0.0, 1, NAN], [0, 0, 1]], [[0, 1, NAN], [NAN, NAN, 1]]])
    np.testing.assert_allclose(agreement.randolph_kappa(several, 2), [0, NAN], atol=1e-15)


def test_correlations_are_scipys() -> None:
    """Pearson and Spearman with ties, over leading axes."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, (3, 20)).astype(float), rng.integers(0, 6, (3, 20)).astype(float)
    for row in range(3):
        for ours, theirs in ((agreement.pearson, stats.pearsonr), (agreement.spearman, stats.spearmanr)):
            expected = theirs(x[row], y[row])
            assert ours(x, y)[row] == pytest.approx(expected.statistic, abs=1e-12)


def test_correlation_leaves_out_missing_pairs() -> None:
    """A pair with a nan does not count; too little variation is undefined, without a warning."""
    x, y = np.array([1.0, 2, NAN, 4, 9]), np.array([2.0, 1, 7, NAN, 5])
    keep = [0, 1, 4]
    assert agreement.spearman(x, y) == pytest.approx(agreement.spearman(x[keep], y[keep]))
    assert agreement.pearson(x, y) == pytest.approx(np.corrcoef(x[keep], y[keep])[0, 1])
    assert np.isnan(agreement.pearson(np.ones(4), np.arange(4.0)))
    assert np.isnan(agreement.spearman(np.array([1.0, NAN]), np.array([1.0, 2.0])))


def test_correlation_of_ranks_in_resamples_is_that_of_the_repeated_pairs() -> None:
    """With ties, missing scores, pairs that are not drawn, and resamples of one score only."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 9, 30).astype(float), rng.standard_normal(30).round(1)
    x[3] = y[7] = NAN
    drawn = np.vstack([np.ones(30, dtype=int), rng.integers(0, 4, (20, 30)), np.arange(30) == 5])
    expected = [agreement.spearman(np.repeat(x, times), np.repeat(y, times)) for times in drawn]
    np.testing.assert_allclose(agreement.spearman_of_draws(x, y, drawn), expected, rtol=1e-12)
    assert np.isnan(expected[-1])


def test_distance_over_positions_is_scipys() -> None:
    """The positional distance is the Wasserstein distance with positions as values and mass as weights."""
    p, q = np.random.default_rng(0).random((2, 5, 10))
    expected = [stats.wasserstein_distance(range(10), range(10), a, b) for a, b in zip(p, q, strict=True)]
    np.testing.assert_allclose(distributions.wasserstein_positions(p, q), expected, rtol=1e-12)


def test_histograms_without_mass_have_no_distance() -> None:
    """Nothing mapped, nothing measured: nan, without a warning; negative mass is a mistake."""
    for name in ("wasserstein_positions", "wasserstein_heights", "kl_divergence"):
        np.testing.assert_equal(getattr(distributions, name)([[0, 0], [1, 0]], [1, 0]), [NAN, 0])


def test_records_that_share_a_pool_are_independent() -> None:
    """The finite pool of permutations does not favour the same position in all records.

    The first document's share of label 1, over 400 records alike, has the mean that the labels
    have, within what 400 independent records would show; one shared pool of 50 draws would miss it.
    """
    labels = np.repeat([0, 1], 10)
    draws = LabelDraws(50, 0)
    shares = [observed_and_choice(draws, str(i), labels)[0][1:, 0].mean() for i in range(400)]
    assert abs(np.mean(shares) - 0.5) < 4 * 0.5 / np.sqrt(50 * 400)
    assert 0.7 < np.var(shares) / (0.25 / 50) < 1.3


def test_every_draw_has_as_many_clusters_as_there_are() -> None:
    """Weights are whole and sum to the number of clusters, with the multinomial's mean and variance."""
    weights = Bootstrap(30, draws=4000, seed=1).totals(np.eye(30))
    assert (weights.sum(axis=1) == 30).all()
    assert (weights == weights.round()).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4 / np.sqrt(4000))
    np.testing.assert_allclose(weights.var(), 1 - 1 / 30, rtol=0.03)


def test_blocks_are_drawn_inside_their_cluster() -> None:
    """Each cluster keeps its number of blocks, in any order of blocks; a lone block always stays."""
    cluster = np.array([7, 3, 7, 3, 9, 3])
    weights = Bootstrap(6, 3000, 1, cluster).totals(np.eye(6))
    assert (weights[:, cluster == 7].sum(axis=1) == 2).all()
    assert (weights[:, cluster == 3].sum(axis=1) == 3).all()
    assert (weights[:, 4] == 1).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4 * np.sqrt(0.7 / 3000))


ITEMS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None)
@given(ITEMS)
def test_the_area_under_the_curve_is_that_of_scikit_learn(items: list[tuple[int, bool, int]]) -> None:
    """Ties count by half; a resample is its items, each as often as it was drawn; one class alone has no area."""
    scores, labels, counts = (np.array(column) for column in zip(*items, strict=True))
    found = agreement.roc_auc(scores, labels, np.stack([np.ones_like(counts), counts]))
    assert found[0] == pytest.approx(float(agreement.roc_auc(scores, labels)), nan_ok=True)
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
    cut = float(agreement.best_cut(scores, labels))
    if len(set(labels)) < 2:
        assert np.isnan(cut)
        return
    best = float(agreement.balanced_accuracy(scores, labels, cut))
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
        places, shares = agreement.isotonic(scores, labels, drawn)
        reference = IsotonicRegression(out_of_bounds="clip")
        reference.fit(np.repeat(scores, drawn).astype(float), np.repeat(labels, drawn).astype(float))
        wanted = np.linspace(-1, 7, 41)
        assert np.interp(wanted, places, shares) == pytest.approx(reference.predict(wanted))
    between = np.where(labels, 0.5 + scores / 20, 0.5)
    reference = IsotonicRegression(out_of_bounds="clip").fit(scores.astype(float), between)
    assert np.interp(wanted, *agreement.isotonic(scores, between)) == pytest.approx(reference.predict(wanted))


@pytest.mark.parametrize("is_separable", [False, True])
def test_logistic_regression_is_that_of_scikit_learn(*, is_separable: bool) -> None:
    """Also where a line separates the classes; a feature that does not vary has no weight."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 3)) * [1, 10, 0] + 5
    y = (x[:, 0] + x[:, 1] / 10 + (0 if is_separable else rng.normal(size=200)) > 5.5).astype(float)
    intercept, weights = regression.fit_logistic(x, y)
    scaled = (x - x.mean(axis=0)) / np.where(x.std(axis=0) > 1e-9, x.std(axis=0), 1)
    found = LogisticRegression(tol=1e-10, max_iter=1000).fit(scaled, y).decision_function(scaled)
    assert intercept + x @ weights == pytest.approx(found, rel=1e-4, abs=1e-4)
    assert weights[2] == 0
