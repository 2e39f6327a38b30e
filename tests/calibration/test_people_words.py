"""A reduced run of benchmarks/calibration/people_words.py: size, coverage and power of theme_words and attribute_mentions."""

import json
from pathlib import Path

import pytest
from benchmarks.calibration import people_words
from benchmarks.calibration.people_words import MARKERS, World, calibrate, table, worlds
from benchmarks.recording import with_section

AUDITS = 40
MOST = 0.065 + 3 * (0.05 * 0.95 / AUDITS) ** 0.5
"""A share of false alarms that so few audits of a sound procedure hardly pass."""


def _world(name: str, odds: float) -> World:
    return next(world for world in worlds(odds) if world.name == name)


@pytest.mark.parametrize(("name", "clusters"), [("themes, rare needs", 20), ("mentions, 20 % old", 40)])
def test_a_fair_system_is_rarely_named_and_intervals_contain_the_value(name: str, clusters: int) -> None:
    """Rare words, overdispersed counts and few seed documents: tests keep their size, intervals their coverage."""
    row = calibrate(_world(name, 0.15), clusters, AUDITS, bank=100)
    assert float(row["random"]) <= MOST
    assert float(row["labels"]) <= MOST
    assert float(row["fair named"]) <= MOST
    assert float(row["covered"]) >= 0.9
    assert float(row["covered planted"]) >= 0.85


@pytest.mark.parametrize(
    ("name", "clusters"), [("themes, three draws", 25), ("mentions, pairs", 25), ("mentions, separate", 60)]
)
def test_a_system_that_neglects_a_group_is_named_first(name: str, clusters: int) -> None:
    """Women's needs, or ages of the old, are left out wherever possible: named first in every audit, in the right direction."""
    row = calibrate(_world(name, 1e-9), clusters, 20, bank=120, seed=2)
    assert row["planted first"] == 1.0
    assert float(row["fair named"]) <= 0.1


def test_the_page_shows_what_was_recorded() -> None:
    """The table of benchmarks/calibration/README.md is that of people_words.json."""
    recorded = Path(people_words.__file__).with_suffix(".json")
    page = recorded.with_name("README.md").read_text(encoding="utf-8")
    assert page == with_section(page, MARKERS, table(json.loads(recorded.read_text(encoding="utf-8"))))
