"""Statistics on numbers so small that their arithmetic is written out, at the ends of what they are defined for."""

from hashlib import blake2b

import numpy as np
import pytest
from benchmarks.label_draws import observed_and_choice
from scipy import stats

from fairbrief.statistics.agreement import Scale, krippendorff_alpha
from fairbrief.statistics.jackknife import (
    Precision,
    Spreads,
    at_most_as_certain,
    detectable,
    leave_one_out,
    share_interval,
    spreads,
    t_interval,
    t_test,
    with_null_share,
)
from fairbrief.statistics.keyed_random import keys_of, random_bits, random_flips
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.statistics.regression import fit_robust, fit_sums
from fairbrief.statistics.resampling import flipped, percentile_interval, studentize

NAN, INF = np.nan, np.inf


def one_value(value: float, error: float, freedom: float, count: int) -> Spreads:
    """How far one value varies, without its units."""
    nothing = np.zeros((1, 0))
    number, many, se, degrees = (np.array([x]) for x in (value, count, error, freedom))
    return Spreads(number, nothing, nothing > 0, many, se, degrees)


def spread(value: float, without: np.ndarray, alone: np.ndarray, strata: np.ndarray | None = None) -> Spreads:
    """`spreads` of one value. Shapes: (m,)."""
    own = None if strata is None else strata[np.newaxis]
    return spreads(np.array([float(value)]), without[np.newaxis], alone[np.newaxis], own)


def interval_alpha(*raters: np.ndarray) -> np.ndarray:
    """α of raters on an interval scale."""
    return krippendorff_alpha(np.stack(raters, axis=-2), "interval")


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_alpha_without_items_is_undefined(scale: Scale) -> None:
    """Ratings of no item have no agreement: nan, one per leading axis."""
    assert np.isnan(krippendorff_alpha(np.zeros((2, 0)), scale))
    assert np.isnan(krippendorff_alpha(np.zeros((3, 2, 0)), scale)).tolist() == [True] * 3


def test_alpha_of_two_raters_by_hand() -> None:
    """With m = 3, Σ(x-y)² = 1, six ratings around 1/2 have the spread 6/4: α = 1 - 5 · 1 / (6 · 6/4) = 4/9."""
    assert interval_alpha(np.array([0.0, 1, 0, 1]), np.array([0.0, 1, 1, NAN])) == pytest.approx(4 / 9)
    both = np.array([[0.0, 1, 0, 0], [1, 1, 1, 1]])
    found = interval_alpha(both, both[:, ::-1])
    assert found[0] == pytest.approx(krippendorff_alpha(np.array([both[0], both[0, ::-1]])))
    assert np.isnan(found[1])


def test_equal_ratings_have_no_alpha_however_large() -> None:
    """What rounding leaves in the spread of 14 equal numbers is no spread; no ratings have none."""
    for size in (1e6, 1e15):
        alike = np.full(7, size + 0.3)
        assert np.isnan(interval_alpha(alike, alike))
    for numbers in ([1e6, 1e6 + 0.1], [0.0, 1e-3]):
        assert interval_alpha(np.array(numbers), np.array(numbers)) == 1
    assert np.isnan(interval_alpha(np.array([NAN]), np.array([1.0])))


def test_a_bound_between_a_number_and_infinity_is_infinite_and_on_the_number_finite() -> None:
    """Of 0, 1, ∞, ∞, ∞ the quartile lies on the second, 1; of one draw all quantiles are that draw."""
    assert percentile_interval(np.array([0.0, 1, INF, INF, INF]), 0.5)[:2] == (1.0, INF)
    assert percentile_interval(np.array([-INF, -INF, 1, 2]), 0.5)[0] == -INF
    assert percentile_interval(np.array([5.0]), 0.5) == (5.0, 5.0, 0.0)
    assert percentile_interval(np.array([5.0, NAN]), 0.5) == (5.0, 5.0, 0.5)
    columns = percentile_interval(np.array([[0.0, 5], [1, 5], [2, 5], [3, 5], [4, 5]]), 0.5)
    assert [bound.tolist() for bound in columns] == [[1, 5], [3, 5], [0, 0]]
    low, high, _ = percentile_interval(np.arange(41.0))
    assert (low, high) == pytest.approx((1.0, 39.0))


def test_the_jackknife_of_three_numbers_by_hand() -> None:
    """Of 1, 2, 6 the mean is 3, without each 4, 3.5, 1.5; the pseudo-values are the numbers again.

    Error: √(2/3 · (1² + ½² + 1.5²)) = √(7/3) = s/√3, freedom 2.
    """
    rows = np.array([[1.0, 1], [2, 1], [6, 1]])
    left = leave_one_out(rows)
    assert left.tolist() == [[8, 2], [7, 2], [3, 2]]
    found = spread(3.0, left[:, 0] / left[:, 1], rows[:, 0])
    assert found.left.tolist() == [[4, 3.5, 1.5]]
    assert [of.tolist() for of in found.contributions(0)] == [[0, 1, 2], [1, 2, 6]]
    assert (found.error[0], found.freedom[0]) == (pytest.approx((7 / 3) ** 0.5), 2)
    half = stats.t.ppf(0.975, 2) * (7 / 3) ** 0.5
    assert np.ravel(t_interval(found, 0.95)) == pytest.approx([3 - half, 3 + half])
    assert t_test(found) == pytest.approx(2 * stats.t.sf(3 / (7 / 3) ** 0.5, 2))
    of_six = Precision(found.error, found.count, found.freedom).detectable(6)
    assert of_six == pytest.approx(stats.t.ppf([0.975, 0.8], 2).sum() * (7 / 6) ** 0.5)
    assert np.isnan(detectable(found, 0.95))  # three cannot be significant


def test_units_that_add_nothing_have_no_part_in_a_test() -> None:
    """Five units, of which two add 0 to the mean: rounding would leave 2e-16 of each, and 16 patterns of signs in place of 4."""
    units = np.array([-0.5, -0.4, -0.9, 0, 0])
    found = spread(units.sum() / 5, leave_one_out(units[:, np.newaxis])[:, 0] / 4, units)
    assert np.count_nonzero(found.contributions(0)[1]) == 3


def test_units_that_neither_have_nor_change_a_value_do_not_contribute() -> None:
    """A unit whose absence moves 0 by 1e-12 is tied with one that moves nothing; the two that move it count."""
    found = spread(0.0, np.array([1e-12, 1.0, -1.0]), np.full(3, NAN))
    assert found.contributions(0)[0].tolist() == [1, 2]
    assert found.error[0] == pytest.approx(1.0)  # √(1/2 · 2)
    same = spread(0.5, np.full(3, 0.5), np.full(3, NAN))
    assert (same.contributes.tolist(), same.error, same.freedom) == ([[True] * 3], 0.0, 2.0)


def test_too_little_to_leave_out_has_no_error() -> None:
    """One unit has none, nor have units without one of which nothing is defined."""
    one = spread(2.0, np.array([NAN]), np.array([2.0]))
    assert (np.isnan(one.error), one.freedom, one.count) == (True, 0, 1)
    fragile = spread(2.0, np.array([1.0, NAN, 3.0]), np.full(3, 2.0))
    assert (np.isnan(fragile.error), fragile.freedom) == (True, 2)
    for found in (one, fragile):
        assert np.isnan([*t_interval(found, 0.95), t_test(found), detectable(found, 0.95)]).all()
        assert np.isnan(share_interval(found, 0.95)).all()


def test_an_error_as_small_as_rounding_is_none() -> None:
    """An error of 1e-12 around 0 is 0, and such a value is 0; a value with an error of 0 is certain."""
    assert spread(0.0, np.array([1e-12, -1e-12]), np.zeros(2)).error == 0.0
    assert t_test(one_value(1e-12, 1e-13, 4, 5)) == 1.0
    assert t_test(one_value(2.0, 0.0, 4, 5)) == 0.0
    assert np.isnan(detectable(one_value(2.0, 0.0, 4, 5), 0.95))


@pytest.mark.parametrize(("without", "strata", "freedom"), [
    # Squares 1 1 | 4 4: V = 2 and 8, (2 + 8)² / (2²/1 + 8²/1) = 100/68.
    ([1, -1, 2, -2], [0, 0, 1, 1], 100 / 68),
    # Squares 1 1 1 1 | 4 4: V = 4 and 8, 12² / (4²/3 + 8²/1) = 144/69.33.
    ([1, -1, 1, -1, 2, -2], [5, 5, 5, 5, 3, 3], 144 / (16 / 3 + 64)),
    # A unit alone in its stratum counts as one of 1.5: 4² / (4 · 1/0.5) = 2.
    ([1, -1, 1, -1], [0, 1, 2, 3], 2.0),
    # 2² / (2 · 1/0.5) = 1; below 1 there is none: 20² / (2 · 1/0.5 + 2 · 9²/0.5) < 2.
    ([1, -1], [0, 1], 1.0),
    ([3, -3, 0, 0], [0, 1, 2, 3], 1.0),
    ([0, 0, 0], [0, 1, 1], 2.0),
])  # fmt: skip
def test_satterthwaites_freedom_by_hand(without: list[float], strata: list[int], freedom: float) -> None:
    """(ΣV)² / Σ V²/(n-1) over strata, at least 1; as many as units less one where nothing varies."""
    found = spread(0.0, np.array(without, dtype=float), np.ones(len(without)), np.array(strata))
    assert found.freedom == pytest.approx(freedom)


def test_the_interval_of_a_share_solves_wilsons_equation() -> None:
    """Both bounds p satisfy (v - p)² = t² p(1 - p)/n, with n = v(1 - v)/error² = 0.1875/0.01."""
    t = stats.t.ppf(0.975, 9)
    bounds = np.ravel(share_interval(one_value(0.25, 0.1, 9, 10), 0.95))
    assert bounds[0] < 0.25 < bounds[1]
    for p in bounds:
        assert (0.25 - p) ** 2 == pytest.approx(t * t * p * (1 - p) / 18.75)


@pytest.mark.parametrize(("share", "error", "found", "reference_error", "wanted"), [
    # All 16 clusters alike: as 16 of the reference's share.
    (0.0, 0.0, 0.01, 0.01, 0.01**2 + 0.2 * 0.8 / 16),
    (0.1, 0.1, 0.1, 0.0, 0.2 * 0.8 / 9),  # 0.1 · 0.9/0.1² = 9 effective clusters
    (0.1, 0.1, 0.06, 0.08, 0.06**2 + (0.2 * 0.8 / 9 - 0.1**2) * (1 - 0.64)),  # correlation 0.8
    (0.1, 0.1, 0.0, 0.1, 0.0),  # the reference explains all of it
    (0.4, 0.1, 0.1, 0.0, 0.1**2),  # it varies more than one equal to the reference
])  # fmt: skip
def test_a_share_of_few_clusters_varies_at_least_as_under_the_null(
    share: float, error: float, found: float, reference_error: float, wanted: float
) -> None:
    """The squared error rises to r(1 - r)/n, by the part that the reference does not explain."""
    own, reference = one_value(share, error, 15, 16), one_value(0.2, reference_error, 15, 16)
    raised = with_null_share(one_value(share - 0.2, found, 15, 16), own, reference)
    assert raised.error**2 == pytest.approx(wanted, abs=1e-15)
    assert (raised.value, raised.freedom) == (pytest.approx(share - 0.2), 15)


def test_a_value_is_at_most_as_certain_as_another() -> None:
    """|3|/error is at most 0.2/0.1 = 2; a larger error stays, as one that is unknown, and where the other value is 0."""
    gap = one_value(-0.2, 0.1, 9, 10)
    assert at_most_as_certain(one_value(3.0, 0.5, 9, 10), gap).error == pytest.approx(1.5)
    assert at_most_as_certain(one_value(3.0, 2.0, 9, 10), gap).error == 2.0
    assert np.isnan(at_most_as_certain(one_value(3.0, NAN, 9, 10), gap).error)
    assert at_most_as_certain(one_value(3.0, 0.5, 9, 10), one_value(0.0, 0.1, 9, 10)).error == 0.5


@pytest.mark.parametrize("clusters", range(2, 40))
def test_shares_that_are_all_alike_have_an_interval_of_their_number(clusters: int) -> None:
    """At 1 the lower bound is c/(c + t²) and the upper 1; at 0 it is the mirror. Beyond the ends is at them."""
    t = stats.t.ppf(0.975, clusters - 1)
    for value in (1.0, 1.5):
        low, high = share_interval(one_value(value, 0.0, clusters - 1, clusters), 0.95)
        assert low == pytest.approx(clusters / (clusters + t * t))
        assert 1 - 1e-12 < high <= 1
    for value in (0.0, -0.5):
        mirror = share_interval(one_value(value, 0.0, clusters - 1, clusters), 0.95)
        assert 0 <= mirror[0] < 1e-12
        assert mirror[1] == pytest.approx(1 - low)


def test_the_interval_of_a_share_contains_the_share() -> None:
    """At the ends, too, where the bounds are differences of equal numbers that are rounded."""
    for share in (0.0, 1e-17, 0.25, 1 - 2**-53, 1.0):
        for clusters in range(2, 300):
            for error in (0.0, 1e-6, 0.1):
                low, high = share_interval(one_value(share, error, clusters - 1, clusters), 0.95)
                assert low <= share <= high, (share, clusters, error)


def record_rng(key: str, seed: int) -> np.random.Generator:
    """The random numbers of a record, from a plain reading of their definition."""
    digest = blake2b(key.encode(), digest_size=8).digest()
    return np.random.default_rng([2, seed, int.from_bytes(digest, "little")])


def test_the_draws_of_a_record_are_kept_from_version_to_version() -> None:
    """Listed label permutations are drawn by halves of keyed numbers; of many, a shared pool is applied to the record's own shuffle."""
    _, choice, is_listed = observed_and_choice(LabelDraws(7, 7), "r", np.array([0, 0, 1, 1]))
    assert is_listed  # six label permutations, seven draws
    numbers = random_bits(keys_of(["r"], 7, "labellings"), 4)[0].tolist()
    halves = [half for number in numbers for half in (number % 2**32, number >> 32)]
    assert choice.tolist() == [6 * half >> 32 for half in halves[:7]]
    labels = np.array([3, 1, 4, 1, 5, 9])
    rows, choice, is_listed = observed_and_choice(LabelDraws(4, 7), "r", labels)
    assert not is_listed
    rng = record_rng("r", 7)
    own = labels[np.argsort(rng.random(6))]
    pool = np.argsort(np.random.default_rng([1, 7, 6]).random((4, 6)), axis=1)
    assert rows[0].tolist() == labels.tolist()
    assert (rows[1:] == own[pool]).all()
    assert choice.tolist() == (rng.permutation(4) + 1).tolist()


def test_matched_labels_of_many_items_are_sampled() -> None:
    """Beyond as many label permutations as draws each draw has its own; on request, or where they are as many, all are listed."""
    labels, items = np.repeat([0, 1], 6), np.arange(12) * 7
    draws = LabelDraws(50, 0)
    rows, choice, is_listed = observed_and_choice(draws, "c", labels, items=items)
    assert (rows.shape, is_listed, choice.tolist()) == ((51, 12), False, list(range(1, 51)))
    assert rows[0].tolist() == labels.tolist()
    assert (rows.sum(axis=1) == 6).all()
    every, chosen, is_listed = observed_and_choice(draws, "c", labels, items=items, all_permutations=True)
    assert (len(every), is_listed) == (924, True)
    assert (every[chosen] == rows[1:]).all()
    few = observed_and_choice(LabelDraws(6, 0), "c", np.array([0, 0, 1, 1]), items=items[:4])
    assert (len(few[0]), few[2]) == (6, True)


def test_a_forecast_knows_its_error_no_better_than_its_audit() -> None:
    """Nine of ten clusters are 4 of 5, and never below 1; those of 40 are as uncertain as those of 10. The error shrinks by √n.

    With one degree of freedom, two of 20 clusters contribute: six do in 60.
    """
    seen = Precision(1.0, 10, 9.0)
    assert [seen.freedom_of(n) for n in (20, 5, 2, 1)] == [19, 4, 1, 1]
    t = stats.t.ppf([0.975, 0.8], 9).sum()
    assert seen.detectable(40) == pytest.approx(t / 2)
    other = stats.t.ppf([0.95, 0.9], 9).sum()
    assert seen.detectable(40, 0.1, 0.9) == pytest.approx(other / 2)
    assert (seen.needed(1e9), Precision(1.0, 20, 1.0).needed(1e9)) == (6, 60)
    n = seen.needed(0.1, 0.1, 0.9)
    assert seen.detectable(n, 0.1, 0.9) <= 0.1 < seen.detectable(n - 1, 0.1, 0.9)
    assert seen.needed(seen.detectable(41)) == 41


def test_a_line_through_three_points_by_hand() -> None:
    """Of y = 0, 0, 3 at x = -1, 0, 1: Σxy = 3 of Σx² = 2, b = 1.5 around the mean 1; residuals ½, -1, ½, s² = 1.5.

    Errors √(1.5/3) and √(1.5/2); R² = 1 - 1.5/6; t of one degree of freedom at 95 % is 12.7062.
    """
    x, y = np.array([[1.0, -1], [1, 0], [1, 1]]), np.array([0.0, 0, 3])
    found = fit_sums(x.T @ x, x.T @ y, y @ y, np.float64(3))
    np.testing.assert_allclose(found.coefficients, [1, 1.5])
    np.testing.assert_allclose(found.errors, [0.5**0.5, 0.75**0.5])
    line, half = np.array([1, 1.5]), 12.7062 * np.array([0.5**0.5, 0.75**0.5])
    np.testing.assert_allclose([found.low, found.high], [line - half, line + half], rtol=1e-5)
    assert (found.r2, found.freedom) == (pytest.approx(0.75), 1)


def test_a_fit_of_nothing_is_undefined() -> None:
    """No rows, one row, a column of zeros, a y that is always the same: nan, and no warning."""
    nothing = fit_sums(np.zeros((2, 2)), np.zeros(2), np.float64(0), np.float64(0))
    assert np.isnan([*nothing.coefficients, *nothing.errors, nothing.r2, nothing.freedom]).all()
    one = fit_sums(np.ones((1, 1)), np.full(1, 2.0), np.float64(4), np.float64(1))
    assert (one.coefficients.tolist(), np.isnan(one.r2), np.isnan(one.freedom)) == ([2.0], True, True)
    assert np.isnan(fit_sums(np.diag([3.0, 0]), np.zeros(2), np.float64(1), np.float64(3)).coefficients).all()
    x = np.column_stack([np.ones(7), np.arange(7.0) - 3])
    zero = fit_sums(x.T @ x, np.zeros(2), np.float64(0), np.float64(7))
    assert (zero.coefficients.tolist(), zero.errors.tolist()) == ([0, 0], [0, 0])
    assert np.isnan([zero.r2, *zero.t, *zero.p]).all()
    alike = np.full(7, 1e6 + 0.1)
    assert np.isnan(fit_sums(x.T @ x, x.T @ alike, alike @ alike + 1e-3, np.float64(7)).r2)


def test_robust_errors_need_two_clusters_and_more_rows_than_columns() -> None:
    """One cluster has no error, two rows around a line neither; three rows around it have the coefficients."""
    x, y = np.array([[1.0, -1], [1, 0], [1, 1]]), np.array([0.0, 0, 3])
    found = fit_robust(x, y, np.array([4, 4, 4]))
    np.testing.assert_allclose(found.coefficients, [1, 1.5])
    assert np.isnan([*found.errors, found.freedom]).all()
    two = fit_robust(x, y, np.array([0, 0, 1]))
    assert two.freedom == 1
    assert np.isfinite(two.errors).all()
    exact = fit_robust(x[1:], y[1:], np.array([0, 1]))
    np.testing.assert_allclose(exact.coefficients, [0, 3], atol=1e-12)
    assert np.isnan(exact.errors).all()


def test_the_signs_of_fourteen_clusters_are_all_listed() -> None:
    """2¹³ = 8,192 ways are listed, 2¹⁴ are drawn: each sign by the cluster's own random numbers."""
    names = [f"c{i}" for i in range(15)]
    listed, is_listed = flipped(np.eye(14), names[:14], 10, 0)
    assert is_listed
    assert len({tuple(row) for row in (listed * listed[:, :1]).tolist()}) == len(listed) == 2**13
    drawn, is_listed = flipped(np.eye(15), names, 10, 3)
    assert not is_listed
    flips = random_flips(keys_of(names, 3, "sign flips"), 10)
    assert drawn.tolist() == [[-1.0 if flips[c, draw] else 1.0 for c in range(15)] for draw in range(10)]


def test_a_studentized_ratio_by_hand() -> None:
    """Clusters 1/1, 2/1, 3/1: θ = 2, Σ(top - 2)² = 2, se = √2/3; |2 - center| / se."""
    squares = np.array([14.0, 6.0, 3.0])
    assert studentize(np.float64(6), np.float64(3), squares) == pytest.approx(2 / (2**0.5 / 3))
    assert studentize(np.float64(6), np.float64(3), squares, 0.5) == pytest.approx(1.5 / (2**0.5 / 3))
    assert studentize(np.float64(-6), np.float64(-3), squares, 3.0) == pytest.approx(1 / (2**0.5 / 3))
    assert studentize(np.float64(0.6), np.float64(0.3), squares / 100) == pytest.approx(2 / (2**0.5 / 3))


@pytest.mark.parametrize("theta", [0.1, -0.1, 1e4 / 3, -1e4 / 3])
def test_clusters_of_one_ratio_are_as_extreme_as_can_be(theta: float) -> None:
    """What rounding leaves of an error is none; nothing to divide by leaves nothing."""
    for bottom in (np.arange(1.0, 8), np.arange(1.0, 8) * 1e3 / 7):
        top = theta * bottom
        squares = np.array([top @ top, top @ bottom, bottom @ bottom])
        assert studentize(np.float64(top.sum()), np.float64(bottom.sum()), squares) == INF
    assert np.isnan(studentize(np.float64(1), np.float64(0), np.array([1.0, 0, 0])))
    assert studentize(np.float64(0), np.float64(3), np.array([0.0, 0, 3])) == INF
