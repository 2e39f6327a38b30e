"""Coverage in worlds where the truth is known; the full size is benchmarks/calibration/coverage.py."""

import json
from ast import literal_eval
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration import coverage


def test_every_pattern_of_group_sizes_is_simulated(golden: Path) -> None:
    """The simulation looks at each pattern for which the published test's null rate is known."""
    known = json.loads((golden / "coverage" / "null_rates.json").read_text(encoding="utf-8"))
    assert {literal_eval(pattern) for pattern in known} <= set(coverage.SPLITS)


@pytest.mark.parametrize(
    "split", [(2, 2), (1, 3), (2, 2, 2), (1, 1, 2), (2, 3), (1, 7), (4, 4), (2, 3, 3)], ids=str
)
def test_fair_records_are_called_unfair_no_more_often_than_told(split: tuple[int, ...]) -> None:
    """Under exchangeable documents the share of significant records is at most 5 % and the share by chance."""
    worlds = 60
    found = coverage.size_of_records(split, worlds, seed=7)
    assert found["by_chance"] <= 0.05
    assert found["significant"] <= found["by_chance"] + 3 * sqrt(0.05 * 0.95 / worlds)
    if split in {(2, 2), (1, 3), (2, 2, 2), (1, 1, 2), (2, 3), (1, 7)}:
        assert found["testable"] == found["significant"] == 0


def test_audits_of_a_fair_system_spread_their_p_evenly() -> None:
    """The p of Equal Coverage and Coverage Parity lies below 0.5 in half of the audits, seldom below 0.05."""
    audits = 60
    ps = coverage.size_of_audits(audits, seed=11, records=12, n_resamples=100)
    for name in ("equal_coverage", "coverage_parity"):
        p = np.array(ps[name])
        assert len(p) == audits
        assert abs((p < 0.5).mean() - 0.5) < 3.5 * sqrt(0.25 / audits)
        assert (p < 0.05).mean() <= 0.05 + 3.5 * sqrt(0.05 * 0.95 / audits)


def test_intervals_of_contrasts_hold_the_truth() -> None:
    """95 % intervals of difference[k] and between[k−l] hold the true value in about 95 % of audits."""
    audits = 40
    for name, share in coverage.coverage_of_intervals(audits, seed=5, records=40, n_resamples=200).items():
        assert share >= 0.95 - 3.5 * sqrt(0.05 * 0.95 / audits), name
