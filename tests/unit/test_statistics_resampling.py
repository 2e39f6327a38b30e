"""Bootstrap totals and the intervals made from them."""

import numpy as np
import pytest

from fairbrief.statistics import (
    BlockBootstrap,
    Bootstrap,
    percentile_interval,
    resampling,
)


def test_every_draw_has_as_many_clusters_as_there_are() -> None:
    """Weights are whole and sum to the number of clusters, with the multinomial's mean and variance."""
    weights = Bootstrap(30, draws=4000, seed=1).totals(np.eye(30))
    assert (weights.sum(axis=1) == 30).all()
    assert (weights == weights.round()).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4 / np.sqrt(4000))
    np.testing.assert_allclose(weights.var(), 1 - 1 / 30, rtol=0.03)


def test_systems_share_draws() -> None:
    """Two systems' totals under one seed come from the same clusters; another seed draws others."""
    rows = np.random.default_rng(0).random((50, 2))
    first = Bootstrap(50, 100, 5)
    both = first.totals(np.hstack([rows, 2 * rows]))
    np.testing.assert_allclose(both[:, 2:], 2 * both[:, :2])
    np.testing.assert_array_equal(first.totals(rows), Bootstrap(50, 100, 5).totals(rows))
    assert (first.totals(rows) != Bootstrap(50, 100, 6).totals(rows)).all()


def test_weights_that_are_not_kept_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """In bounded memory the totals are the same as with weights that were kept, on every call."""
    rows = np.random.default_rng(0).random((40, 3))
    monkeypatch.setattr(resampling, "CHUNK", 400)
    kept = Bootstrap(40, 95, 2)
    expected = kept.totals(rows)
    np.testing.assert_array_equal(kept.totals(rows), expected)
    monkeypatch.setattr(resampling, "KEPT", 1000)
    bounded = Bootstrap(40, 95, 2)
    for _ in range(2):
        np.testing.assert_array_equal(bounded.totals(rows), expected)
    assert not bounded._kept


def test_blocks_are_drawn_inside_their_cluster() -> None:
    """Each cluster keeps its number of blocks, in any order of blocks; a lone block always stays."""
    cluster = np.array([7, 3, 7, 3, 9, 3])
    weights = BlockBootstrap(cluster, 3000, 1).totals(np.eye(6))
    assert (weights[:, cluster == 7].sum(axis=1) == 2).all()
    assert (weights[:, cluster == 3].sum(axis=1) == 3).all()
    assert (weights[:, 4] == 1).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=4 * np.sqrt(0.7 / 3000))


def test_percentiles_are_numpys_where_all_is_finite() -> None:
    """Finite draws give the usual linear percentiles."""
    draws = np.random.default_rng(0).normal(size=(321, 4))
    low, high, undefined = percentile_interval(draws, level=0.9)
    np.testing.assert_allclose([low, high], np.percentile(draws, [5, 95], axis=0), rtol=1e-12)
    assert (undefined == 0).all()


def test_undefined_draws_are_left_out_and_counted() -> None:
    """Nan draws do not enter the interval, their share is told; all undefined, no interval."""
    draws = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan], [2.0, np.nan]])
    low, high, undefined = percentile_interval(draws, level=0.5)
    assert (low[0], high[0], undefined.tolist()) == (1.5, 2.5, [0.25, 1.0])
    assert np.isnan([low[1], high[1]]).all()


def test_infinite_draws_give_infinite_bounds() -> None:
    """Bounds near infinite draws are infinite, never nan."""
    low, high, _ = percentile_interval(np.array([-np.inf, -np.inf, 0.0, 1.0, np.inf]), level=0.9)
    assert (low, high) == (-np.inf, np.inf)
    low, high, _ = percentile_interval(np.array([0.0, 1.0, np.inf, np.inf]), level=0.5)
    assert (low, high) == (0.75, np.inf)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_lies_between_0_and_1(level: float) -> None:
    """A level in percent is a mistake that is told."""
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        percentile_interval(np.zeros(3), level)
