"""What must hold of statistics, and of measures of position and sentiment, for any input."""

import numpy as np
from benchmarks.label_draws import observed_and_choice
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairbrief.statistics.label_permutations import LabelDraws, sort_by_block

few = settings(max_examples=40, deadline=None)
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
