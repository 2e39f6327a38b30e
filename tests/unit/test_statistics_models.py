"""Regression, agreement, distances and adjusted p-values against known numbers."""

import numpy as np
import pytest

from fairbrief import statistics as s

NAN = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a regression whose scatter grows with x and hangs together in clusters."""
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(60), rng.normal(size=60), rng.integers(0, 2, 60)])
    cluster = np.repeat(np.arange(12), 5)
    y = x @ [0.3, -1.0, 2.0] + rng.normal(size=60) * np.abs(x[:, 1]) + rng.normal(size=12)[cluster]
    return x, y, cluster


def same(ours: s.Fit, theirs: object) -> None:
    """Every number of a fit equals statsmodels'."""
    pairs = [(ours.coefficients, theirs.params), (ours.errors, theirs.bse), (ours.t, theirs.tvalues)]
    pairs += [
        (ours.p, theirs.pvalues),
        (ours.low, theirs.conf_int()[:, 0]),
        (ours.high, theirs.conf_int()[:, 1]),
    ]
    for mine, reference in [*pairs, (ours.r2, theirs.rsquared)]:
        np.testing.assert_allclose(mine, reference, rtol=1e-10, atol=1e-12)


def test_least_squares_from_sums_is_statsmodels(data: tuple[np.ndarray, ...]) -> None:
    """Additive sums are enough for every classical number of a regression."""
    sm = pytest.importorskip("statsmodels.api")
    x, y, _ = data
    same(s.fit_sums(x.T @ x, x.T @ y, y @ y, 60), sm.OLS(y, x).fit())


def test_robust_errors_are_statsmodels(data: tuple[np.ndarray, ...]) -> None:
    """HC3 and cluster-robust errors agree, with t-distributed intervals."""
    sm = pytest.importorskip("statsmodels.api")
    x, y, cluster = data
    same(s.fit_robust(x, y), sm.OLS(y, x).fit(cov_type="HC3", use_t=True))
    theirs = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    same(s.fit_robust(x, y, cluster), theirs)


def test_least_squares_has_leading_axes(data: tuple[np.ndarray, ...]) -> None:
    """A stack of sums gives the stack of fits; a singular one among them is undefined alone."""
    x, y, _ = data
    singular = np.column_stack([x, x[:, 1]])
    free = np.column_stack([x, x[:, 1] ** 2])
    xx = np.stack([z.T @ z for z in (free, singular)])
    xy = np.stack([z.T @ y for z in (free, singular)])
    both = s.fit_sums(xx, xy, np.full(2, y @ y), np.full(2, 60))
    np.testing.assert_allclose(both.coefficients[0], np.linalg.lstsq(free, y)[0])
    assert np.isnan(both.coefficients[1]).all()
    assert np.isnan(both.p[1]).all()
    assert both.freedom.tolist() == [56, 56]


def test_too_few_rows_have_no_errors() -> None:
    """Two rows fix a line but say nothing of its error."""
    x, y = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([1.0, 3.0])
    fit = s.fit_sums(x.T @ x, x.T @ y, y @ y, 2)
    np.testing.assert_allclose(fit.coefficients, [1, 2])
    assert np.isnan([*fit.errors, *fit.p, *fit.low]).all()


def test_a_row_that_alone_decides_a_coefficient_has_no_robust_error() -> None:
    """With leverage 1 the HC3 error is undefined, not huge."""
    x = np.column_stack([np.ones(5), [1, 0, 0, 0, 0]])
    assert np.isnan(s.fit_robust(x, np.array([1.0, 2, 3, 5, 4])).errors).all()


@pytest.mark.parametrize(
    ("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_has_the_textbook_values(scale: str, alpha: float) -> None:
    """Krippendorff's own four-rater example with missing ratings (2011, sections C and D)."""
    assert s.krippendorff_alpha(KRIPPENDORFF, scale) == pytest.approx(alpha, abs=5e-4)


def test_alpha_without_variation_is_undefined() -> None:
    """If everyone always says the same nothing could have disagreed."""
    assert np.isnan(s.krippendorff_alpha(np.ones((3, 4))))
    assert np.isnan(s.krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]])))
    with pytest.raises(ValueError, match="no scale named"):
        s.krippendorff_alpha(KRIPPENDORFF, "other")


def test_free_marginal_kappa_by_hand() -> None:
    """Pairs agree 2 of 3, 1 of 1 (one rating is missing) and 0 of 3: P = 5/9."""
    ratings = np.array([[0, 1, 0, NAN], [0, 1, 1, NAN], [1, NAN, 2, 1]])
    share = (1 / 3 + 1 + 0) / 3
    assert s.randolph_kappa(ratings) == pytest.approx((share - 1 / 3) / (1 - 1 / 3))
    assert s.randolph_kappa(ratings, categories=4) == pytest.approx((share - 1 / 4) / (1 - 1 / 4))
    assert np.isnan(s.randolph_kappa(np.zeros((2, 3))))
    with pytest.raises(ValueError, match="more than the 2"):
        s.randolph_kappa(ratings, categories=2)


def test_kappa_is_statsmodels_where_nothing_is_missing() -> None:
    """Complete ratings give the same κ as the reference implementation."""
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    ratings = np.random.default_rng(0).integers(0, 4, (5, 30)).astype(float)
    table, _ = raters.aggregate_raters(ratings.T.astype(int))
    assert s.randolph_kappa(ratings) == pytest.approx(
        raters.fleiss_kappa(table, method="randolph"), abs=1e-12
    )


def test_correlations_are_scipys() -> None:
    """Pearson and Spearman with ties, over leading axes."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, (3, 20)).astype(float), rng.integers(0, 6, (3, 20)).astype(float)
    for row in range(3):
        for ours, theirs in ((s.pearson, stats.pearsonr), (s.spearman, stats.spearmanr)):
            expected = theirs(x[row], y[row])
            assert ours(x, y)[row] == pytest.approx(expected.statistic, abs=1e-12)


def test_correlation_leaves_out_missing_pairs() -> None:
    """A pair with a nan does not count; too little variation is undefined, without a warning."""
    x, y = np.array([1.0, 2, NAN, 4, 9]), np.array([2.0, 1, 7, NAN, 5])
    keep = [0, 1, 4]
    assert s.spearman(x, y) == pytest.approx(s.spearman(x[keep], y[keep]))
    assert s.pearson(x, y) == pytest.approx(np.corrcoef(x[keep], y[keep])[0, 1])
    assert np.isnan(s.pearson(np.ones(4), np.arange(4.0)))
    assert np.isnan(s.spearman(np.array([1.0, NAN]), np.array([1.0, 2.0])))


def test_distances_by_hand() -> None:
    """All mass moved from the first to the last of four bins: three steps, no height."""
    p, q = np.array([2, 0, 0, 0]), np.array([0, 0, 0, 5])
    assert s.wasserstein_positions(p, q) == 3
    assert s.wasserstein_heights(p, q) == 0
    assert s.kl_divergence(p, q) == np.inf
    assert s.kl_divergence([1, 1, 0], [1, 1, 2]) == pytest.approx(np.log(2))


def test_distance_over_positions_is_scipys() -> None:
    """The positional distance is the Wasserstein distance with positions as values and mass as weights."""
    stats = pytest.importorskip("scipy.stats")
    p, q = np.random.default_rng(0).random((2, 5, 10))
    expected = [stats.wasserstein_distance(range(10), range(10), a, b) for a, b in zip(p, q, strict=True)]
    np.testing.assert_allclose(s.wasserstein_positions(p, q), expected, rtol=1e-12)


def test_histograms_without_mass_have_no_distance() -> None:
    """Nothing mapped, nothing measured: nan, without a warning; negative mass is a mistake."""
    for distance in (s.wasserstein_positions, s.wasserstein_heights, s.kl_divergence):
        np.testing.assert_equal(distance([[0, 0], [1, 0]], [1, 0]), [NAN, 0])
        with pytest.raises(ValueError, match="negative"):
            distance([-1, 2], [1, 1])


def test_holm_by_hand() -> None:
    """Three tests: 3 × .01, 2 × .04 raised by none, 1 × .03 lifted to it; untested ones stay out."""
    assert s.holm([0.04, None, 0.01, 0.03]) == pytest.approx([0.06, None, 0.03, 0.06])
    assert s.holm([0.9, 0.8]) == [1.0, 1.0]
    assert s.holm([None]) == [None]


def test_log_odds_by_hand() -> None:
    """δ and z of one word from the formula; swapping the groups turns both signs."""
    a, b = np.array([3, 1]), np.array([1, 5])
    delta, z = s.dirichlet_log_odds(a, b)
    expected = np.log(3.01 / 1.01) - np.log(1.01 / 5.01)
    assert delta[0] == pytest.approx(expected)
    assert z[0] == pytest.approx(expected / np.sqrt(1 / 3.01 + 1 / 1.01))
    np.testing.assert_allclose(s.dirichlet_log_odds(b, a)[1], -z)
    more = s.dirichlet_log_odds(a, b, total_a=np.array(10), total_b=np.array(10))[0]
    assert more[0] == pytest.approx(np.log(3.01 / (10.02 - 3.01)) - np.log(1.01 / (10.02 - 1.01)))
    with pytest.raises(ValueError, match="prior must be positive"):
        s.dirichlet_log_odds(a, b, prior=0)
