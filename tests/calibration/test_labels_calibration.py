"""A reduced run of benchmarks/calibration/labels.py: systems that ignore labels and tone are rarely named, others often."""

import pytest
from benchmarks.calibration.inference import run
from benchmarks.calibration.labels import worlds

KNOWN = {world.name: world for world in worlds()}
AUDITS = 60
MOST = 0.05 + 4 * (0.05 * 0.95 / AUDITS) ** 0.5
FEW = 0.2
"""The most for the rare label: 20 records have it in about five, where the t test rejects in up to 12 % (passages)."""


@pytest.mark.parametrize("name", ["label", "label-p", "label-passage", "frame"])
def test_systems_that_ignore_labels_are_rarely_found(name: str) -> None:
    """Rare labels, unequal lengths, passages and unequal groups leave tests and intervals at their level."""
    rows = run(KNOWN[name], AUDITS, 60, [20])
    assert rows
    for row in rows:
        most = FEW if row["quantity"].endswith("[rare]") else MOST
        assert row["rejected"] <= most, row
        assert row["covered"] >= 1 - most, row


@pytest.mark.parametrize(
    ("name", "quantity", "power"),
    [
        ("label-drops", "label_gap@topic:difference[c]", 0.2),
        ("frame-all", "framing_direction:framing_direction", 0.3),
    ],
)
def test_planted_systems_are_found(name: str, quantity: str, power: float) -> None:
    """Half the odds for one topic, and 2.5 times the odds for good sentences, are often significant in audits of 20 and 50 records."""
    result = {row["quantity"]: row["rejected"] for row in run(KNOWN[name], 40, 100, [50])}
    assert result[quantity] > power
