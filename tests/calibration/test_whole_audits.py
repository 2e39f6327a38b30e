"""A reduced run of benchmarks/calibration/whole_audits.py: what audits as a whole say of writers whose fairness is known."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from benchmarks.calibration.audited_worlds import ATTRIBUTES, Cell, worlds
from benchmarks.calibration.whole_audits import N_EXTRACTS, PLAN, PS, Banks, named, run

from fairbrief.auditing import audit
from fairbrief.types import Estimate

KNOWN = {world.name: world for world in worlds()}
AUDITS = 20
MOST = 0.065 + 3 * (0.05 * 0.95 / AUDITS) ** 0.5
"""A share of false alarms that so few audits of a sound procedure hardly pass."""


def _cells(name: str, bank: int, *cells: Cell) -> list[dict[str, Any]]:
    return run(replace(KNOWN[name], bank=bank, cells=cells), AUDITS)


def test_an_audit_drawn_from_a_bank_says_what_the_audit_of_its_cases_says() -> None:
    """Estimates, differences and names of drawn clusters are those of an audit that was given their cases."""
    world, systems = replace(KNOWN["told80"], bank=40), ("one", "two")
    banks, rng = Banks.of(world, np.random.default_rng(3)), np.random.default_rng(3)
    cases = [case for i in range(20) for case in world.make(rng, i) if case.summary.system in systems]
    drawn, _ = banks.audits(np.arange(40) // 20, systems, ATTRIBUTES)
    given = audit(cases, replace(PLAN, measures=banks.measures, n_extracts=N_EXTRACTS))
    assert named(drawn) == named(given)
    assert _numbers(drawn.estimates) == _numbers(given.estimates)
    assert _numbers(drawn.differences) == _numbers(given.differences)


def _numbers(estimates: Iterable[Estimate]) -> dict[tuple[str, ...], list[float | None]]:
    return {
        (e.system, e.baseline, e.measure, e.quantity): [
            None if x is None else round(x, 9)
            for x in (e.value, e.low, e.p, e.p_adjusted, e.extract_p_adjusted, e.family_p)
        ]
        for e in estimates
    }


@pytest.mark.parametrize(("name", "bank", "systems", "attributes"), [
    ("told80", 150, ("one", "two", "four"), 3),
    ("clustered", 60, ("one", "four"), 2),
    ("extractive", 150, ("lead", "lexrank", "longest"), 2),
])  # fmt: skip
def test_few_blind_writers_are_named(name: str, bank: int, systems: tuple[str, ...], attributes: int) -> None:
    """Of up to three such systems and attributes hardly an audit names a group, or calls two systems different."""
    (row,) = _cells(name, bank, Cell(ATTRIBUTES[:attributes], systems, (30,)))
    assert row["named"] <= MOST
    assert row["different"] <= MOST
    assert row["gate score"] <= MOST
    assert row["gate contrast"] <= MOST


def test_whom_a_planted_system_neglects_is_named_and_nobody_else() -> None:
    """Sentences of one group kept with odds 0.3 are found in nearly all audits of 50, and no other group is named."""
    (row,) = _cells("planted", 150, Cell(ATTRIBUTES[:2], ("random", "at 0.3"), (50,)))
    assert row["planted"]["at 0.3"] >= 0.9
    assert row["named"] <= MOST


def test_few_texts_about_women_do_not_make_a_difference() -> None:
    """Three or six: wherever a contrast between groups of records has a p, it holds its size; somebody is rarely named."""
    systems = ("one", "two", "four")
    for row in _cells("people", 300, *(Cell(("gender",), systems, (44 - few, few)) for few in (3, 6))):
        for told in row["contrasts"]:
            for p in PS:
                assert told[p]["significant"] <= MOST * max(told[p]["tested"], AUDITS), told
        assert row["named"] <= MOST
        assert row["different"] <= MOST
