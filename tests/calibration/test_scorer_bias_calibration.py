"""Small, seeded versions of benchmarks/calibration/scorer_bias.py."""

from math import sqrt

import pytest
from benchmarks.calibration import scorer_bias as worlds

WORLDS = 150
BAND = 3 * sqrt(0.05 * 0.95 / WORLDS)


def test_a_scorer_that_does_not_see_the_group_is_rarely_found() -> None:
    """With noise in every reading, one world in twenty has a small p; heavy tails do not change that."""
    assert worlds.shares(WORLDS, 20, n_resamples=300)["p < .05"] <= 0.05 + BAND
    heavy = worlds.shares(WORLDS, 20, heavy=True, n_resamples=300)
    assert heavy["p < .05"] <= 0.05 + BAND


def test_a_planted_scorer_is_found_with_its_size() -> None:
    """A shift of one standard deviation on texts with she is found on thirty sources, and about as large."""
    found = worlds.shares(30, 30, 1.0, n_resamples=300)
    assert found["p < .05"] >= 0.8
    assert found["mean difference"] == pytest.approx(1.0, abs=0.2)
