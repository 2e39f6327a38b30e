"""What must hold of statistics, and of measures of position and sentiment, for any input."""

from collections import Counter
from math import factorial, prod

import numpy as np
from benchmarks.label_draws import observed_and_choice
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fairbrief.statistics.label_permutations import LabelDraws, distinct_permutations

few = settings(max_examples=40, deadline=None)
units = st.integers(0, 7).flatmap(lambda n: arrays(np.int64, n, elements=st.integers(-2, 2)))


@few
@given(units)
def test_permutations_are_distinct_and_complete(labels: np.ndarray) -> None:
    """There are n! / Π nₖ! distinct rows, the real one first, each a rearrangement."""
    rows = distinct_permutations(labels)
    number = factorial(len(labels)) // prod(map(factorial, Counter(labels.tolist()).values()))
    assert len({tuple(r) for r in rows.tolist()}) == len(rows) == number
    assert (rows[0] == labels).all()
    assert (np.sort(rows, axis=1) == np.sort(labels)).all()


@few
@given(units, st.text(max_size=5), st.integers(0, 3))
def test_draws_point_into_the_permutations(labels: np.ndarray, key: str, seed: int) -> None:
    """Whether enumerated or sampled, each draw has a row, and rows keep the labels."""
    rows, choice, listed = observed_and_choice(LabelDraws(20, seed), key, labels)
    assert choice.shape == (20,)
    assert choice.min() >= (0 if listed else 1)
    assert choice.max() < len(rows)
    assert (np.sort(rows, axis=1) == np.sort(labels)).all()
