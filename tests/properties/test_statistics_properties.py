"""What must hold of statistics, and of measures of position and sentiment, for any input."""

import numpy as np
import pytest
from benchmarks.label_draws import observed_and_choice
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairbrief.measures.position import PositionBias, PositionFromUniform, Positions
from fairbrief.measures.sentiment import SentimentShift
from fairbrief.statistics.distributions import kl_divergence, wasserstein_heights, wasserstein_positions
from fairbrief.statistics.label_permutations import LabelDraws, sort_by_block
from fairbrief.statistics.resampling import holm, percentile_interval
from fairbrief.text.gendered_words import gender_coefficient
from fairbrief.types import Case, Document, Floats, Record, Rows, Scores, Summary, Totals

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


SEEDS = st.integers(0, 2**32 - 1)
STATISTICS = ("one", "article", "summary", "shift", "article²", "shift²", "article·shift")


def totals(article: np.ndarray, shift: np.ndarray, groups: list[str]) -> Totals:
    """Summed rows of the observation."""
    rows = np.column_stack(
        [np.ones(len(article)), article, article + shift, shift, article**2, shift**2, article * shift]
    )
    names = sorted(set(groups))
    columns = {(s, g): i for i, (g, s) in enumerate((g, s) for g in names for s in STATISTICS)}
    label = np.array(groups)
    return Totals(columns, np.concatenate([rows[label == g].sum(axis=0) for g in names]))


def values(article: np.ndarray, shift: np.ndarray, groups: list[str]) -> dict[str, float]:
    """All values by name."""
    found = SentimentShift().value(totals(article, shift, groups))
    return {name: float(value.array) for name, value in found.items()}


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_exchanged_groups_have_the_opposite_difference(seed: int) -> None:
    """Women for men: every signed contrast changes its sign and nothing else."""
    rng = np.random.default_rng(seed)
    article, shift = rng.normal(size=(2, 20))
    groups = ["female", "male"] * 10
    here = values(article, shift, groups)
    there = values(article, shift, groups[::-1])
    for name in ("sentiment_shift", "adjusted_difference[female−male]", "slope_difference[female−male]"):
        np.testing.assert_allclose(here[name], -there[name], rtol=1e-7, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.floats(-3, 3), st.floats(0.1, 10))
def test_a_constant_cancels_and_a_scale_scales(seed: int, constant: float, scale: float) -> None:
    """An instrument that reads all summaries higher by a constant finds the same difference."""
    rng = np.random.default_rng(seed)
    article, shift = rng.normal(size=(2, 20))
    groups = ["a", "b"] * 10
    plain = values(article, shift, groups)
    moved = values(article * scale, shift * scale + constant, groups)
    for name in ("sentiment_shift", "adjusted_difference[a−b]"):
        np.testing.assert_allclose(moved[name], scale * plain[name], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(moved["slope[a]"], plain["slope[a]"], rtol=1e-6, atol=1e-7)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["she", "her", "hers", "he", "him", "his", "they", "the"]), max_size=30))
def test_the_coefficient_lies_between_its_bounds_and_turns_with_the_words(words: list[str]) -> None:
    """Exchanging the words of women and men changes the sign alone."""
    other = {"she": "he", "her": "him", "hers": "his", "he": "she", "him": "her", "his": "hers"}
    here = gender_coefficient(" ".join(words))
    there = gender_coefficient(" ".join(other.get(w, w) for w in words))
    if here is None:
        assert there is None
    else:
        assert -1 <= here == -there <= 1


seeds = st.integers(0, 10_000)
counts = st.integers(1, 25)


def case_of(count: int) -> Case:
    """An article of so many sentences, a summary and a reference; what they say does not matter."""
    text = " ".join("One sentence." for _ in range(count))
    return Case(Record("r", (Document(text),), ("Some reference.",)), Summary("r", "s", "Some summary."))


def totals_of(observation: Positions, matrix: Floats, owner: list[int]) -> Totals:
    """The row of these similarities under the real label permutation."""
    case = case_of(len(matrix))
    exchange = observation.permutation_scheme((case,))
    assert exchange is not None
    scores = Scores(matrix, np.array(owner), np.ones(len(matrix)))
    rows = observation.observe((case,), [scores], exchange.labels[np.newaxis])
    assert isinstance(rows, Rows)
    return Totals({c: i for i, c in enumerate(rows.columns)}, rows.values[0])


@settings(max_examples=60, deadline=None)
@given(
    counts, seeds, st.integers(1, 3), st.sampled_from(["article", "pooled"]),
    st.sampled_from(["keep", "once"]),
)  # fmt: skip
def test_the_distance_is_a_distance(count: int, seed: int, top: int, weights: str, duplicates: str) -> None:
    """From 0 to K − 1, the same from either side, and 0 from itself."""
    observation = Positions(top=top, weights=weights, duplicates=duplicates)
    matrix = np.random.default_rng(seed).random((count, 5))
    there = PositionBias().value(totals_of(observation, matrix, [0, 0, 1, 1, 1]))
    back = PositionBias().value(totals_of(observation, matrix[:, [2, 3, 4, 0, 1]], [0, 0, 0, 1, 1]))
    distance = float(there["position_bias"].array)
    assert -1e-12 <= distance <= 9 + 1e-12
    assert distance == pytest.approx(float(back["position_bias"].array), abs=1e-12)
    same = totals_of(observation, matrix[:, [0, 1, 0, 1]], [0, 0, 1, 1])
    assert float(PositionBias().value(same)["position_bias"].array) == pytest.approx(0, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3).map(lambda k: 10 * k) | st.integers(1, 9), seeds)
def test_reading_backwards_mirrors_everything(count: int, seed: int) -> None:
    """An article read from its end has the same distances, and mean positions from the other end."""
    matrix = np.random.default_rng(seed).random((count, 4))
    for measure, owner in ((PositionBias(), [0, 0, 1, 1]), (PositionFromUniform(), [0, 0, 0, 0])):
        forth = measure.value(totals_of(measure.observation, matrix, owner))
        back = measure.value(totals_of(measure.observation, matrix[::-1], owner))
        assert float(forth[measure.name].array) == pytest.approx(float(back[measure.name].array), abs=1e-12)
        mean = float(forth["mean_position"].array) + float(back["mean_position"].array)
        assert mean == pytest.approx(1, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(counts, seeds)
def test_shares_of_segments_sum_to_one(count: int, seed: int) -> None:
    """Every match lies in the segments with its whole weight."""
    matrix = np.random.default_rng(seed).random((count, 4))
    values = PositionBias().value(totals_of(Positions(), matrix, [0, 0, 1, 1]))
    for prefix in ("", "reference_"):
        shares = [float(values[f"{prefix}segment[{k:02d}]"].array) for k in range(1, 11)]
        assert sum(shares) == pytest.approx(1)
