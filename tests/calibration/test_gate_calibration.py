"""Small, seeded versions of benchmarks/calibration/gate.py."""

from math import sqrt

import pytest
from benchmarks.calibration import gate as worlds

WORLDS = 350
BAND = 3 * sqrt(0.025 * 0.975 / WORLDS) + 0.015
"""Three standard errors, and what the skewness of a hundred gaps adds: Edgeworth's first term is 0.012."""


def test_a_candidate_at_the_limit_rarely_passes() -> None:
    """A true value exactly at the limit passes in about one world of forty, for a share and for a mean."""
    for found in worlds.limits(WORLDS, 0, 100, 0.3, 0.3, n_resamples=50).values():
        assert found["pass"] <= 0.025 + BAND


@pytest.mark.parametrize(("now", "before"), [(-0.12, -0.1), (0.12, -0.1), (0.02, 0.0)])
def test_a_difference_that_grew_by_the_margin_rarely_passes_or_fails(now: float, before: float) -> None:
    """Whether it kept its sign, turned it or was none: it passes in at most two worlds of forty, and fails in one."""
    found = worlds.margins(WORLDS, 1, 100, now, before, 0.02)
    assert found["pass"] <= (0.025 if before else 0.05) + BAND
    assert found["fail"] <= 0.025 + BAND


def test_a_difference_that_halved_passes() -> None:
    """An improvement is no failure, however large."""
    assert worlds.margins(60, 3, 100, -0.1, -0.2, 0.02)["pass"] >= 0.95


def test_a_planted_regression_fails() -> None:
    """A disparity of twice the limit, or a group difference that grew by five margins, is found."""
    for found in worlds.limits(60, 2, 100, 0.6, 0.3, n_resamples=200).values():
        assert found["fail"] >= 0.95
    assert worlds.margins(60, 3, 100, -0.2, -0.1, 0.02)["fail"] >= 0.95


def test_too_few_records_are_always_inconclusive() -> None:
    """Twelve records decide nothing, however good they look."""
    for found in worlds.limits(40, 4, 12, 0.02, 0.3, n_resamples=100).values():
        assert found["inconclusive"] == 1


def test_what_keeps_the_limit_passes() -> None:
    """At half of the limit a hundred records are mostly enough."""
    for found in worlds.limits(60, 5, 100, 0.15, 0.3, n_resamples=200).values():
        assert found["pass"] >= 0.8
