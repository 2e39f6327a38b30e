"""Small, seeded versions of benchmarks/calibration/resampling.py; bands are four standard errors."""

from math import sqrt

import numpy as np
import pytest
from benchmarks.calibration import resampling as worlds

from fairbrief.statistics.jackknife import correlation_interval, share_interval, spreads, t_interval


def band(n: int, share: float = 0.05) -> float:
    """Four standard errors of a share seen in n worlds."""
    return 4 * sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("split", [(2, 2), (1, 4), (4, 4), (2, 3, 3)])
def test_units_of_a_fair_system_are_rarely_called_unfair(split: tuple[int, ...]) -> None:
    """Exact and sampled tests keep to .05, and never reject where the smallest p is above it."""
    found = worlds.unit_size(split, 300, 0, n_resamples=200)
    assert found["exact"] <= 0.05 + band(300)
    assert found["sampled"] <= 0.05 + band(300)
    if found["smallest_p"] > 0.05:
        assert found["exact"] == 0


def test_corpus_null_has_its_size() -> None:
    """A fair system is rejected at .05 about one time in twenty, in one tail and in two."""
    for share in worlds.corpus_size(150, 1, records=20, n_resamples=199).values():
        assert abs(share - 0.05) < band(150)


def test_intervals_hold_the_truth() -> None:
    """95 % intervals of a mean and of a ratio of sums hold the truth in about 95 % of worlds."""
    for share in worlds.coverage(300, 2, n_resamples=300).values():
        assert 0.95 - 0.01 - band(300) < share < 0.95 + band(300)


@pytest.mark.parametrize("records", [8, 20, 50])
def test_intervals_of_skewed_shares_hold_the_truth_more_often_than_students(records: int) -> None:
    """Of shares most of which are 0, many small, or nearly all 1, as of `uer`, ROUGE and the lead's share."""
    rng = np.random.default_rng(records)
    n = 4_000
    worlds = {
        "mostly 0": (np.where(rng.random((n, records)) < 0.6, 0.0, rng.beta(1, 12, (n, records))), 0.4 / 13),
        "small": (rng.beta(1, 30, (n, records)), 1 / 31),
        "mostly 1": (np.where(rng.random((n, records)) < 0.8, 1.0, rng.random((n, records))), 0.9),
    }
    for name, (shares, truth) in worlds.items():
        total = shares.sum(axis=1, keepdims=True)
        found = spreads(shares.mean(axis=1), (total - shares) / (records - 1), shares)
        held = {
            interval.__name__: ((low <= truth) & (truth <= high)).mean()
            for interval in (share_interval, t_interval)
            for low, high in (interval(found, 0.95),)
        }
        assert held["share_interval"] >= held["t_interval"], name
        assert held["share_interval"] > 0.9 - band(n, 0.1), (name, held)


@pytest.mark.parametrize("truth", [0.0, 0.5, 0.9])
def test_intervals_of_correlations_hold_the_truth_more_often_than_students(truth: float) -> None:
    """Of 15 records; and none leaves -1 and 1."""
    rng = np.random.default_rng(int(10 * truth))
    n, records = 2_000, 15
    x = rng.normal(size=(n, records))
    y = truth * x + sqrt(1 - truth**2) * rng.normal(size=(n, records))

    def correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x, y = (values - values.mean(axis=-1, keepdims=True) for values in (x, y))
        return np.asarray((x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1)))

    without = [correlation(np.delete(x, i, axis=1), np.delete(y, i, axis=1)) for i in range(records)]
    found = spreads(correlation(x, y), np.stack(without, axis=1), np.full(x.shape, np.nan))
    held = {}
    for interval in (correlation_interval, t_interval):
        low, high = interval(found, 0.95)
        held[interval.__name__] = ((low <= truth) & (truth <= high)).mean()
        if interval is correlation_interval:
            assert (low > -1).all()
            assert (high < 1).all()
    assert held["correlation_interval"] >= held["t_interval"]
    assert abs(held["correlation_interval"] - 0.95) < band(n) + 0.01


def test_a_correlation_of_which_all_clusters_say_the_same_is_its_interval() -> None:
    """One, and minus one; without an error there is none."""
    found = spreads(np.array([1.0, -1.0]), np.array([[1.0] * 5, [-1.0] * 5]), np.ones((2, 5)))
    low, high = correlation_interval(found, 0.95)
    assert (low.tolist(), high.tolist()) == ([1.0, -1.0], [1.0, -1.0])
