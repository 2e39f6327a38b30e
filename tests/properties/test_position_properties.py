"""What must hold of position for any similarities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.measures.position import PositionBias, PositionFromUniform, Positions
from fairbrief.types import Case, Document, Floats, Record, Rows, Scores, Summary, Totals

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
    counts,
    seeds,
    st.integers(1, 3),
    st.sampled_from(["article", "pooled"]),
    st.sampled_from(["keep", "once"]),
)
def test_distance_is_within_its_range_and_symmetric(
    count: int, seed: int, top: int, weights: str, duplicates: str
) -> None:
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
