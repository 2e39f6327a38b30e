"""Small, seeded versions of benchmarks/calibration/saved_audits.py."""

import numpy as np
import pytest
from benchmarks.calibration import saved_audits
from benchmarks.calibration.saved_audits import Population

AUDITS = 40


@pytest.fixture(scope="module")
def people() -> Population:
    """Records of two groups, one of them in a fifth of the documents."""
    return Population(saved_audits.WORLDS["two groups, 80/20"], 200)


def test_equally_fair_systems_rarely_differ_and_pass_a_gate_with_a_wide_margin(people: Population) -> None:
    """Few differences of two audits are significant and no gate fails; one made worse fails without a wide margin."""
    found = saved_audits.comparisons(people, n=50, audits=AUDITS, rng=np.random.default_rng(4))
    margin = list(found["equal"]["gate"])[-1]
    for candidate in ("equal", "rerun"):
        assert found[candidate]["significant"] <= 0.065 + 3 * (0.05 * 0.95 / AUDITS) ** 0.5
        assert found[candidate]["covers"] >= 0.9
        assert not any(of["fail"] for of in found[candidate]["gate"].values())
        assert found[candidate]["gate"][margin]["pass"] >= 0.75
    assert found["odds 0.3"]["gate"][0.02]["fail"] >= 0.5


def test_a_pilot_forecasts_how_many_new_records_find_its_difference(people: Population) -> None:
    """So many records find it in four of five audits, though the pilot's error is uncertain."""
    rng = np.random.default_rng(4)
    for told in saved_audits.forecasts(people, system="odds 0.5", n=50, audits=AUDITS, rng=rng).values():
        assert abs(told["found"] - 0.8) < 3 * (0.16 / AUDITS) ** 0.5


def test_intervals_of_ranks_do_not_order_equal_systems(people: Population) -> None:
    """Of three equally fair systems none is surely better."""
    systems = saved_audits.RANKED["three equal systems"]
    found = saved_audits.ranks(people, systems=systems, n=50, audits=20, rng=np.random.default_rng(4))
    assert found["ordered wrongly"] <= 0.1
