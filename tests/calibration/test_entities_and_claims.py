"""Entity sentiment and unsupported claims in worlds of known fairness; the full size is benchmarks/calibration/entities_and_claims.py."""

from unittest.mock import patch

import numpy as np
import pytest
from benchmarks.calibration import entities_and_claims as worlds

KNOWN = {(cell.planted[0], cell.kind): cell for cell in worlds.CELLS}
FAIR = 25
STRONG = 8
ENTITIES, GROUPS, PLACES = "entity_sentiment@side", "unsupported_claims@side", "unsupported_by_place"
CELLS = [(ENTITIES, "mixed"), (ENTITIES, "one only"), (GROUPS, "unequal"), (PLACES, "even")]


@pytest.mark.parametrize("name", CELLS, ids=" ".join)
def test_fair_systems_are_rarely_named_and_intervals_hold_the_truth(name: tuple[str, str]) -> None:
    """Of 25 audits of 20 records few name somebody, and most intervals contain the true value."""
    with patch.object(worlds, "LARGE", 250):
        found = worlds.calibrated(KNOWN[name], 20, FAIR, seed=5, is_planted=False)
    assert found["names somebody"] <= 0.065 + 3 * np.sqrt(0.05 * 0.95 / FAIR)
    assert found["covers"] >= 0.93 - 3 * np.sqrt(0.05 * 0.95 / FAIR)


@pytest.mark.parametrize(
    "name", [(ENTITIES, "both leanings"), (GROUPS, "even"), (PLACES, "even")], ids=" ".join
)
def test_strong_plants_are_always_found(name: tuple[str, str]) -> None:
    """A system that darkens the left, one that invents claims about the left, one that invents them at the end."""
    with patch.multiple(worlds, LARGE=60, SHIFT=-0.9, EXCESS=0.6):
        assert worlds.calibrated(KNOWN[name], 40, STRONG, seed=6, is_planted=True)["finds"] == 1.0
