"""How many records show a disparity: from a standard error, from a saved audit, and proved by simulation."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration.inference import RESAMPLES, observe, part_of
from benchmarks.calibration.worlds import plain, worlds
from scipy import stats
from tests.cli.command import ended

import fairbrief
from fairbrief import registry
from fairbrief.auditing.estimating import Settings, estimates
from fairbrief.auditing.jackknifed import Jackknifed
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.errors import RequestError
from fairbrief.statistics.jackknife import Precision

KNOWN = {world.name: world for world in worlds()}
# Words tell nothing, and sentences of one group are skipped half the time.
KNOWN["plain-skip"] = replace(KNOWN["b-skip"], clusters=plain((0.5, 0.5), 0.9, skip=0.5), n_extracts=0)
AUDITS = 60


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved audit of two measures."""
    folder = tmp_path_factory.mktemp("pilot") / "audit"
    measures = ["uer@sentiment", "coverage_parity@sentiment"]
    return fairbrief.audit("examples/reviews.jsonl", measures, n_resamples=200).save(folder)


def test_the_power_is_that_of_a_t_test() -> None:
    """The told number agrees with the noncentral t within two clusters."""
    n = Precision(0.05, 100, 99).needed(0.1)

    def of(m: int) -> float:
        center = 0.1 / (0.05 * (100 / m) ** 0.5)
        return float(1 - stats.nct.cdf(stats.t.ppf(0.975, m - 1), m - 1, center))

    assert of(n - 2) < 0.8 < of(n + 2)


@pytest.mark.parametrize(("name", "against"), [("plain-skip", "p"), ("b-skip", "extract_p")])
def test_the_told_number_finds_a_planted_disparity_in_four_of_five_audits(name: str, against: str) -> None:
    """Audits of as many records as were told find what a writer does, against label permutations and random sentences."""
    world = KNOWN[name]
    measure, quantity = registry.make("measure", "uer@side"), "difference[b]"
    rng = np.random.default_rng(4)
    clusters = [world.clusters(rng, i) for i in range(400)]
    (bank,) = observe(measure.observation, clusters, Scorers(), world.n_extracts).values()
    whole = part_of(bank, measure.observation, range(400))
    here = Jackknifed(measure, whole.units)
    readings = here.less_extracts(quantity) if against == "extract_p" else here.readings(quantity)
    found = readings.spreads(here.strata(quantity))
    n = Precision(found.error[0], 400, found.freedom[0]).needed(abs(found.value[0]))
    seen = 0
    for _ in range(AUDITS):
        part = part_of(bank, measure.observation, rng.integers(0, 400, n).tolist())
        ((_, made),) = estimates([measure], [part], Settings(n_resamples=RESAMPLES))
        (e,) = [e for e in made if e.quantity == quantity]
        p = e.extract_p if against == "extract_p" else e.p
        seen += p is not None and p <= 0.05
    assert abs(seen / AUDITS - 0.8) < 3 * (0.16 / AUDITS) ** 0.5, (n, seen)


def test_a_pilot_tells_what_each_contrast_needs(pilot: Path) -> None:
    """Every leading contrast stands twice, against label permutations and random sentences; its error is the audit's."""
    found = fairbrief.power(pilot, disparity=0.01, measures="uer")
    assert {p.against for p in found} == {"label permutations", "random sentences"}
    assert {p.quantity for p in found} == {f"difference[{g}]" for g in ("negative", "neutral", "positive")}
    asked = ("uer@sentiment", "balanced", "difference[positive]")
    (e,) = [e for e in fairbrief.load(pilot).estimates if (e.measure, e.system, e.quantity) == asked]
    of = {p.against: p for p in found if (p.system, p.quantity) == asked[1:]}
    one, random = of["label permutations"], of["random sentences"]
    assert one.se == pytest.approx(e.se)
    assert random.se == pytest.approx(e.extract_se)
    assert random.shows == pytest.approx(e.detectable)
    assert one.needs > one.clusters  # what 28 records show is larger than what was asked


def test_the_command_prints_needed_and_shown_records(pilot: Path) -> None:
    """The answer is a sentence with a table of group differences, systems and baselines, for one test each."""
    code, output = ended("power", pilot, "--disparity", 0.1, "--records", 50)
    assert code == 0
    output = " ".join(output.split())
    for text in ("relative_difference[negative]", "rosy", "sentences", "for 0.1", "50", "one test"):
        assert text in output
    code, output = ended("power", "--se", 0.05, "--clusters", 100, "--disparity", 0.1)
    assert code == 0
    assert "199" in output


def test_unknown_measures_and_quantities_are_told_with_their_neighbours(pilot: Path) -> None:
    """A misspelt name is answered with those that there are."""
    with pytest.raises(RequestError, match="Did you mean 'uer'"):
        fairbrief.power(pilot, measures="ure")
    with pytest.raises(RequestError, match="no quantity 'differnce"):
        fairbrief.power(pilot, quantities="differnce[positive]")
