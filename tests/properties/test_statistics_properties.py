"""What must hold of statistics, and of measures of position and sentiment, for any input."""

import numpy as np
from benchmarks.label_draws import observed_and_choice
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairbrief.statistics.distributions import kl_divergence, wasserstein_heights, wasserstein_positions
from fairbrief.statistics.label_permutations import LabelDraws, sort_by_block
from fairbrief.statistics.resampling import holm, percentile_interval

few = settings(max_examples=40, deadline=None)
histograms = arrays(np.float64, 6, elements=st.integers(0, 50).map(float)).filter(lambda h: h.sum() > 0)
units = st.integers(0, 7).flatmap(
    lambda n: st.tuples(
        arrays(np.int64, n, elements=st.integers(-2, 2)), arrays(np.int64, n, elements=st.integers(0, 2))
    )
)


@few
@given(units)
def test_permutations_are_distinct_complete_and_keep_blocks(unit: tuple[np.ndarray, np.ndarray]) -> None:
    """As many distinct rows as are counted, the real one first, each a rearrangement inside blocks."""
    labels, blocks = unit
    rows = sort_by_block(labels, blocks).permutations()
    assert len({tuple(r) for r in rows.tolist()}) == len(rows) == sort_by_block(labels, blocks).number
    assert (rows[0] == labels).all()
    for block in set(blocks.tolist()):
        at = blocks == block
        assert (np.sort(rows[:, at], axis=1) == np.sort(labels[at])).all()


@few
@given(units, st.text(max_size=5), st.integers(0, 3))
def test_draws_point_into_the_permutations(unit: tuple[np.ndarray, np.ndarray], key: str, seed: int) -> None:
    """Whether enumerated or sampled, each draw has a row, and rows keep the labels."""
    labels, blocks = unit
    draws = LabelDraws(20, seed)
    rows, choice, listed = observed_and_choice(draws, key, labels, blocks)
    assert choice.shape == (20,)
    assert choice.min() >= (0 if listed else 1)
    assert choice.max() < len(rows)
    assert (np.sort(rows, axis=1) == np.sort(labels)).all()


@few
@given(histograms, histograms, histograms)
def test_distances_are_distances(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> None:
    """Zero to themselves and to multiples, symmetric, triangular; KL is not negative."""
    for distance in (wasserstein_positions, wasserstein_heights):
        assert abs(distance(p, 3 * p)) < 1e-12
        assert abs(distance(p, q) - distance(q, p)) < 1e-12
        assert distance(p, r) <= distance(p, q) + distance(q, r) + 1e-12
    assert kl_divergence(p, q) >= -1e-12


@few
@given(histograms, histograms)
def test_heights_are_blind_to_position_and_positions_are_not(p: np.ndarray, q: np.ndarray) -> None:
    """Mirroring one of two histograms changes nothing for heights; mirroring both nothing for positions."""
    assert abs(wasserstein_heights(p[::-1], q) - wasserstein_heights(p, q)) < 1e-12
    assert abs(wasserstein_positions(p[::-1], q[::-1]) - wasserstein_positions(p, q)) < 1e-12


@few
@given(st.lists(st.none() | st.floats(0, 1), max_size=8))
def test_holm_raises_and_keeps_order(ps: list[float | None]) -> None:
    """Adjusted values are not below the raw ones, keep their order, and stay within 0 and 1."""
    adjusted = holm(ps)
    both = sorted((p, a) for p, a in zip(ps, adjusted, strict=True) if p is not None and a is not None)
    assert [p is None for p in ps] == [a is None for a in adjusted]
    assert all(p <= a <= 1 for p, a in both)
    assert [a for _, a in both] == sorted(a for _, a in both)


@few
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 9), st.just(2)),
        elements=st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1.0, 2.5]),
    )
)
def test_intervals_are_ordered_and_nan_only_without_draws(draws: np.ndarray) -> None:
    """Bounds are in order, and undefined exactly where every draw is."""
    low, high, undefined = percentile_interval(draws)
    np.testing.assert_array_equal(np.isnan(low), undefined == 1)
    np.testing.assert_array_equal(np.isnan(high), undefined == 1)
    assert (low[undefined < 1] <= high[undefined < 1]).all()
