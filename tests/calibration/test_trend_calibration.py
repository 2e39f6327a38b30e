"""Small, seeded versions of benchmarks/calibration/trend.py."""

import numpy as np
import pytest
from benchmarks.calibration import trend

YEARS, NIGHTS = 12, 120
WORLDS = (
    trend.World(),
    trend.World((5, 60)),
    trend.World((10, 80), between=0.3, correlation=0.6, weekday=0.5, returning=0.5, missing=0.05),
    trend.World(baseline=400),
)


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_fair_years_rarely_raise_an_alarm(world: trend.World) -> None:
    """Of 12 fair periods, two or more with an alarm have a probability of 0.12 if the rate is exactly 5 % per year."""
    assert trend.fair_years(world, YEARS, NIGHTS) <= 1 / YEARS


def test_without_division_of_alpha_fair_years_raise_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worlds can fail: with the limit of one look at one series, most periods raise an alarm."""
    monkeypatch.setattr(trend, "LIMIT", 0.0)
    assert trend.fair_years(trend.World(), YEARS, NIGHTS) > 0.5


@pytest.mark.parametrize("drift", [-3.0, 3.0])
def test_a_drift_is_seen_within_weeks(drift: float) -> None:
    """Three standard deviations of a night, in either direction, are seen within three weeks."""
    assert np.median(trend.delays(trend.World(), drift, 60, 8, NIGHTS)) <= 21
