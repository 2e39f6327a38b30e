"""The intervals of audits with a calibrated scorer contain the value that the true map gives, labels' chance included."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from tests.sample_cases import Supported

from fairbrief.auditing import audit
from fairbrief.plan import Plan
from fairbrief.scorers.calibrated import Calibrated
from fairbrief.statistics.jackknife import spreads, with_uncertain_scores
from fairbrief.types import Case, Document, Floats, Record, Summary
from fairbrief.workbench.calibrating import Fitting, calibration

WORLDS, LABELS, RECORDS = 40, 150, 100
"""With so few labels, intervals that leave out their chance contain the value in three of four worlds."""
MEASURE = "coverage_parity(scorer=coded)@side"
BETAS = {"left": (2, 3), "right": (3, 2)}
"""How the score of a document is distributed, by its side; it is supported with the square of the score."""
MEANS = {side: a * (a + 1) / ((a + b) * (a + b + 1)) for side, (a, b) in BETAS.items()}
TRUTH = MEANS["left"] / np.mean(list(MEANS.values())) - 1


CODED = Supported(lambda row, _: float(row.split()[1]))
"""A scorer that reads the score from the row's text."""


def _calibrated(rng: np.random.Generator, seed: int, folder: Path) -> list[Calibrated]:
    """The scorer calibrated on some labels, with the maps of resampled labels and without."""
    scores: Floats = rng.random(LABELS)
    labels = (rng.random(LABELS) < scores**2).astype(np.int64)
    made = calibration(CODED, (), Fitting(scores[:, np.newaxis], labels, np.arange(LABELS), seed))
    found = []
    for name, one in (("with", made), ("without", structs.replace(made, resampled=()))):
        path = folder / f"{name} {seed}.json"
        path.write_text(one.to_json(), encoding="utf-8")
        found.append(Calibrated(CODED, str(path)))
    return found


def _cases(rng: np.random.Generator) -> Iterator[Case]:
    for i in range(RECORDS):
        documents = tuple(
            Document(f"Score {rng.beta(*BETAS[side])} here", {"side": side})
            for side in ("left", "left", "right", "right")
        )
        yield Case(Record(f"r{i}", documents), Summary(f"r{i}", "system", "One claim"))


def test_intervals_contain_what_the_true_map_gives(tmp_path: Path) -> None:
    """In at least 93 % of worlds, give or take their number; without the maps' part in far fewer."""
    covered: list[list[bool]] = []
    for world in range(WORLDS):
        rng = np.random.default_rng([7, world])
        scorers, cases = _calibrated(rng, world, tmp_path), list(_cases(rng))
        covered.append([])
        for scorer in scorers:
            plan = Plan(measures=[MEASURE], scorers={"coded": scorer}, n_resamples=2, n_extracts=0)
            (e,) = (e for e in audit(cases, plan).estimates if e.quantity == "relative_difference[left]")
            assert e.low is not None
            assert e.high is not None
            covered[-1].append(e.low <= TRUTH <= e.high)
    with_maps, without = np.mean(covered, axis=0)
    least = 0.93 - 2 * (0.93 * 0.07 / WORLDS) ** 0.5
    assert with_maps >= least
    assert without < least - 0.05


def test_the_maps_part_by_hand() -> None:
    """error² = e² + (1 + 1/m) · variance of the m maps' values, with Satterthwaite's freedom; one map adds nothing."""
    found = spreads(np.zeros(1), np.array([[-1.0, 0.0, 1.0]]), np.ones((1, 3)))
    within = float(found.error[0]) ** 2
    between = (1 + 1 / 3) * 4
    wider = with_uncertain_scores(found, np.array([[0.0, 2.0, np.nan, 4.0]]))
    assert wider.error[0] == pytest.approx((within + between) ** 0.5)
    assert wider.freedom[0] == pytest.approx((within + between) ** 2 / (within**2 / 2 + between**2 / 2))
    for few in (np.ones((1, 0)), np.ones((1, 1))):
        assert with_uncertain_scores(found, few).error.tolist() == found.error.tolist()
