"""Position: published histograms, and counts from real texts."""

import json
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests import rows_by_hand
from tests.unit.test_rouge import package_scores

from fairbrief import registry
from fairbrief.measures.position import PositionBias, PositionHeights, segment_names
from fairbrief.measures.quality import Rouge1
from fairbrief.protocols.published_results import published_results
from fairbrief.readers import read
from fairbrief.text.rouge import rouge_scores
from fairbrief.text.sentences import split
from fairbrief.types import Case, Measure, Reason, Rows, Totals

OBTAINED = {"Reddit, TF-IDF": "LlaMa2-reddit-capped", "Reddit, ROUGE-1": "LlaMa2-reddit-capped_random-rouge"}
"""The result behind each figure that the page of the paper shows as obtained."""
BIAS, HEIGHTS, *ROUGE = registry.make("protocol", "chhabra-position").measures(())


@cache
def cases_of(path: Path) -> tuple[Case, ...]:
    """The cases of a JSON Lines file."""
    return tuple(read(path))


def observed(measure: Measure, cases: tuple[Case, ...]) -> tuple[Totals, Counter[str]]:
    """Summed rows under the real labelling, and what was left out."""
    observation = measure.observation
    asks = [ask for case in cases for ask in observation.asks((case,))]
    scores = iter(registry.make("scorer", asks[0].scorer).answer(asks) if asks else ())
    reasons, found = Counter[str](), list[Rows]()
    for case in cases:
        rows = rows_by_hand.observed(observation, (case,), [next(scores) for _ in observation.asks((case,))])
        if isinstance(rows, Reason):
            reasons[rows.text] += 1
        else:
            found.append(rows)
    return Totals({c: i for i, c in enumerate(found[0].columns)}, sum(rows.values for rows in found)), reasons


def counts(totals: Totals, side: str) -> list[int]:
    """Matches per tenth under the real labelling."""
    found = totals.stack(side, segment_names(10))[0]
    assert np.array_equal(found, np.round(found))
    return [int(x) for x in found]


def test_published_histograms_have_their_published_numbers(golden: Path) -> None:
    """KL as published, and both distances, for 30 of 30 results, to 1e-12."""
    results = json.loads((golden / "position/histograms.json").read_text())["results"]
    places = product(("generated", "reference"), segment_names(10))
    columns = {column: i for i, column in enumerate(places)}
    array = np.array([[*result["gen"], *result["gold"]] for result in results], dtype=np.float64)
    totals = Totals(columns, array)
    values = PositionBias(weights="pooled").value(totals) | PositionHeights(weights="pooled").value(totals)
    for name, wanted in (
        ("position_kl", "kl_recomputed"),
        ("position_heights", "wasserstein_released_reading"),
        ("position_bias", "wasserstein_positional_segments"),
    ):
        expected = np.array([result[wanted] for result in results])
        assert len(expected) == 30
        assert np.abs(values[name].array - expected).max() < 1e-12
    published = np.array([result["kl_published"] for result in results])
    assert np.abs(values["position_kl"].array - published).max() < 1e-12
    # The figures that the page of the paper shows as obtained from these counts.
    heights = {result["result"]: values["position_heights"].array[i] for i, result in enumerate(results)}
    obtained = [figure for shown in published_results("chhabra-position") for figure in shown.obtained]
    assert {figure.cell: figure.obtained for figure in obtained} == {
        cell: f"{heights[result]:.4f}" for cell, result in OBTAINED.items()
    }


@pytest.mark.parametrize("system", ["lead1", "lead3"])
def test_texts_give_the_released_counts(system: str, shared: Path, golden: Path, nltk_data: Path) -> None:
    """Punkt, pairwise TF-IDF, sources once, short articles first: gold and generated histograms exactly."""
    assert nltk_data.is_dir()
    expected = json.loads((golden / f"position/xsum__{system}.expected.json").read_text())
    cases = cases_of(shared / f"data/news/xsum__{system}.jsonl")
    bias, heights = registry.make("measure", BIAS), registry.make("measure", HEIGHTS)
    totals, reasons = observed(bias, cases)
    assert counts(totals, "reference") == expected["gold"]
    assert counts(totals, "generated") == expected["gen"]
    assert int(totals["one"][0]) == expected["n"]
    assert reasons == {"empty article": 1}
    values = bias.value(totals) | heights.value(totals)
    for name, wanted in (
        ("position_heights", "wasserstein_released"),
        ("position_bias", "wasserstein_positional"),
        ("position_kl", "KL_Divergence"),
    ):
        assert float(values[name].array[0]) == pytest.approx(expected[wanted], abs=1e-12)


@pytest.mark.parametrize("system", ["lead1", "lead3"])
def test_rouge_is_the_released_one_within_its_bootstrap(system: str, shared: Path, golden: Path) -> None:
    """The release printed the median of an unseeded bootstrap: our mean agrees to its 3 decimals."""
    expected = json.loads((golden / f"position/xsum__{system}.expected.json").read_text())
    cases = cases_of(shared / f"data/news/xsum__{system}.jsonl")
    totals, reasons = observed(Rouge1(), cases)
    assert reasons == {"empty summary": 1}
    for kind in ROUGE:
        value = registry.make("measure", kind).value(totals)[kind].array[0]
        assert float(value) == pytest.approx(expected[kind], abs=5e-4)


@pytest.mark.parametrize("stem", [False, True])
def test_rouge_of_a_thousand_real_pairs_is_the_packages(shared: Path, *, stem: bool) -> None:
    """News and GUM, one line and many, with and without stems: the package's numbers to 1e-6."""
    pairs = [
        ("\n".join(split(case.record.references[0])), "\n".join(split(case.summary.text)))
        for case in cases_of(shared / "data/gum/gum_systems.jsonl")
    ]
    news = cases_of(shared / "data/news/xsum__lead3.jsonl")
    pairs = [*pairs, *((case.record.references[0], case.summary.text) for case in news)][:1000]
    wanted = package_scores(pairs, stem=stem)
    assert len(wanted) == 1000
    assert np.abs(rouge_scores(pairs, stem=stem) - wanted).max() < 1e-6
