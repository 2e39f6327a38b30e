"""With which measure people agree, worked by hand (Li et al., Section 5.4)."""

from __future__ import annotations

import numpy as np
import pytest

from fairbrief.workbench.annotation.leanings import Leans, bootstrap_counts, compare, majority, table

PEOPLE = np.array([1.0, 1.0, -1.0, 0.0])
"""Two samples lean to the second side, one to the first, one is fair."""


@pytest.mark.parametrize(
    ("chosen", "leaning"),
    [
        (["negative", "negative", "fair"], "negative"),
        (["negative", "positive", "fair"], "fair"),
        (["positive"], "positive"),
        (["positive", "negative"], "fair"),
    ],
)
def test_a_summary_leans_as_the_majority_sees_it(chosen: list[str], leaning: str) -> None:
    """More than half of the annotators; otherwise it is fair."""
    assert majority(chosen) == leaning


def test_samples_go_to_the_measure_with_the_same_side_or_nearer_zero() -> None:
    """First has the sides of samples 1 to 3, second that of sample 1. In the fair one |0.1|/0.4 = 0.25 is nearer than 3/3 = 1."""
    counts = np.array([[1.0, 1, 1, 1], [4, 0, 0, 0], [0, 0, 4, 0], [0, 1, 1, 2]])
    first = Leans("first", np.array([0.2, 0.4, -0.1, 0.1]), np.array([0.15, 0.2, -0.1, 0.1]))
    second = Leans("second", np.array([1.0, -2.0, 3.0, -3.0]), np.array([-0.25, 1.0, 3.0, -1.0]))
    found = compare(PEOPLE, first, second, counts)
    assert (found.samples, found.ties) == ((3, 0), 1)
    # Groups: people lean to 1, 1, −1 and (one each) to neither side; first is right in all three, second in the second.
    assert found.undecided == 1
    assert found.groups == (1.0, pytest.approx(1 / 3))
    # First leads by 3, 0, 4 and 4: only in the second group it is not ahead.
    assert found.p == pytest.approx(1 / 4)
    assert table(found).rows == (("first", "3", "100%"), ("second", "0", "33%"))


def test_bootstrap_groups_have_as_many_samples_as_there_are() -> None:
    """5,000 groups of 25 samples, the same for one seed."""
    counts = bootstrap_counts(25, seed=1)
    assert counts.shape == (5_000, 25)
    assert (counts.sum(axis=1) == 25).all()
    assert (counts == bootstrap_counts(25, seed=1)).all()
    assert abs(counts.mean(axis=0) - 1).max() < 0.1
