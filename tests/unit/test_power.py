"""How many records show a disparity, from the standard errors of a saved audit."""

import json
from pathlib import Path

import pytest
from scipy import stats
from tests.cli.command import ended

import fairbrief
from fairbrief.errors import RequestError
from fairbrief.statistics.jackknife import Precision


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved audit of three measures, two of which have the same group differences."""
    folder = tmp_path_factory.mktemp("pilot") / "audit"
    measures = ["sof@sentiment", "uer@sentiment", "coverage_parity@sentiment"]
    return fairbrief.audit("examples/reviews.jsonl", measures, n_resamples=200).save(folder)


def test_the_power_is_that_of_a_t_test() -> None:
    """From an error that is certain, the number agrees with the noncentral t within two clusters."""
    n = Precision(0.05, 10_000, 9_999).needed(1)

    def of(m: int) -> float:
        center = 1 / (0.05 * (10_000 / m) ** 0.5)
        return float(1 - stats.nct.cdf(stats.t.ppf(0.975, m - 1), m - 1, center))

    assert of(n - 2) < 0.8 < of(n + 2)


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
    assert "sof" not in output  # the audit's report names these differences by uer
    for text in (
        "uer@sentiment",
        "relative_difference[negative]",
        "rosy",
        "sentences",
        "for 0.1",
        "50",
        "one test",
    ):
        assert text in output


def test_too_few_records_detect_nothing(pilot: Path) -> None:
    """Five of them cannot be significant, so that no difference is detectable, however large."""
    _, output = ended("power", pilot, "--records", 5)
    assert "With 5 records, no difference can be significant: at least 6 are needed." in " ".join(
        output.split()
    )
    lines = [json.loads(line) for line in Path("examples/reviews.jsonl").read_text("utf-8").splitlines()[:5]]
    few = fairbrief.audit(lines, ["coverage_parity@sentiment"], n_resamples=200)
    assert {e.detectable for e in few.result.estimates} == {None}


def test_unknown_measures_and_quantities_are_told_with_their_neighbours(pilot: Path) -> None:
    """A misspelt name is answered with those that there are."""
    with pytest.raises(RequestError, match="Did you mean 'uer'"):
        fairbrief.power(pilot, measures="ure")
    with pytest.raises(RequestError, match="no quantity 'differnce"):
        fairbrief.power(pilot, quantities="differnce[positive]")
