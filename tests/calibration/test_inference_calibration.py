"""A reduced run of benchmarks/calibration/inference.py: the worlds in which unstudentized statistics fail."""

import pytest
from benchmarks.calibration.inference import run
from benchmarks.calibration.worlds import worlds

KNOWN = {world.name: world for world in worlds()}
AUDITS = 80
MOST = 0.05 + 4 * (0.05 * 0.95 / AUDITS) ** 0.5


@pytest.mark.parametrize("name", ["b80", "b3", "c", "g", "e"])
def test_fair_systems_are_rarely_called_unfair(name: str) -> None:
    """Words that tell the label, clustered variants, passages and repeated sentences leave tests at their size."""
    rows = run(KNOWN[name], AUDITS, 100, [20])
    assert rows
    for row in rows:
        assert row["rejected"] is None or row["rejected"] <= MOST, row
        assert row["covered"] is None or row["covered"] >= 0.95 - (MOST - 0.05), row


def test_a_writer_that_neglects_a_group_is_found() -> None:
    """Half the odds for the smaller group's sentences are seen beside random extracts in half of the audits of 20."""
    found = {row["quantity"]: row["rejected"] for row in run(KNOWN["b-skip"], 60, 100, [20])}
    assert found["coverage_parity@side:relative_difference[b]"] > 0.3
