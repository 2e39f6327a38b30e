"""Reduced runs of benchmarks/calibration/inference.py, labels.py and speakers.py: the worlds in which unstudentized statistics fail."""

from dataclasses import replace

import pytest
from benchmarks.calibration import labels, speakers, worlds
from benchmarks.calibration.inference import run

KNOWN = {world.name: world for world in (*worlds.worlds(), *labels.worlds())}
FAIR = next(world for world in speakers.worlds() if world.name == "fair")
KNOWN |= {
    "language": replace(FAIR, measures=speakers.BY_LANGUAGE), "order": replace(FAIR, measures=speakers.BY_ORDER),
}  # fmt: skip
FEW = 0.2
"""The most for the rare label: 20 records have it in about five, where the t test rejects in up to 12 % (passages)."""
RUNS = {
    **dict.fromkeys(("b80", "b3", "c", "g", "e"), (80, 100)),
    **dict.fromkeys(("label", "label-p", "label-passage", "frame"), (60, 60)),
    **dict.fromkeys(("language", "order"), (100, 120)),
}
"""How many audits of 20 clusters, from a bank of how many, by world."""


@pytest.mark.parametrize("name", RUNS)
def test_fair_systems_are_rarely_called_unfair(name: str) -> None:
    """Words that tell the label, clustered variants, passages, repeated sentences, rare labels and uneven speakers leave tests and
    intervals at their level.
    """
    audits, bank = RUNS[name]
    rows = run(KNOWN[name], audits, bank, [20])
    # Of three measures of speakers: an unsigned score and three groups each.
    assert (
        len(rows) == 12 if name in ("language", "order") else any(row["rejected"] is not None for row in rows)
    )
    for row in rows:
        most = FEW if row["quantity"].endswith("[rare]") else 0.05 + 4 * (0.05 * 0.95 / audits) ** 0.5
        assert row["rejected"] is None or row["rejected"] <= most, row
        assert row["covered"] is None or row["covered"] >= 1 - most, row


@pytest.mark.parametrize(("name", "records", "quantity", "power"), [
    ("b-skip", 20, "coverage_parity@side:relative_difference[b]", 0.3),
    ("label-drops", 50, "label_gap@topic:difference[c]", 0.2),
    ("frame-all", 50, "framing_direction:framing_direction", 0.3),
])  # fmt: skip
def test_planted_systems_are_found(name: str, records: int, quantity: str, power: float) -> None:
    """Half the odds for a group or a topic, and 2.5 times the odds for good sentences, are often significant in audits of 20 or 50
    records.
    """
    found = {row["quantity"]: row["rejected"] for row in run(KNOWN[name], 60, 100, [records])}
    assert found[quantity] > power
