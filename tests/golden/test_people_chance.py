"""Intervals, ties and chance against what was run on the authors' code: equal, or better by a decision that a test names.

Source: `shared/golden/people/{null_ci,tie_scan,golden_units,golden_measures}.json`. Decisions: docs/explanation/deviations.md.
"""

import json
import math
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.golden.people_instances import MONO, SETS, GoldenSet, told_apart

from fairbrief.auditing import Plan, audit
from fairbrief.measures.distinguishability import Distinguishability
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.statistics.resampling import Bootstrap, percentile_interval
from fairbrief.types import Case, Document, Entity, Estimate, Record, Rows, Scores, Summary, Totals


def _read(golden: Path, name: str) -> Any:
    return json.loads((golden / "people" / name).read_text("utf-8"))


# ---------------------------------------------------------------------------------------- intervals


def _both(case: dict[str, Any]) -> dict[str, list[float]]:
    """The d and the s interval of a mean, from sums of values and of ones."""
    ids = sorted(set(case["ids"]))
    cells = sorted(set(zip(case["ids"], case["sids"], strict=True)))
    rows = np.zeros((len(cells), 2))
    for key, value in zip(zip(case["ids"], case["sids"], strict=True), case["vals"], strict=True):
        rows[cells.index(key)] += (value, 1)
    cluster = np.array([ids.index(i) for i, _ in cells])
    whole = np.array([rows[cluster == c].sum(axis=0) for c in range(len(ids))])
    of_blocks = Bootstrap(len(cluster), within=cluster)
    found = {"d": Bootstrap(len(ids)).totals(whole), "s": of_blocks.totals(rows)}
    return {kind: [float(x) for x in percentile_interval(t[:, 0] / t[:, 1])[:2]] for kind, t in found.items()}


def test_both_bootstraps_of_small_sets_equal_the_release(edge: dict[str, Any]) -> None:
    """Originals, and samples within seed documents, are resampled as there: with few values the quantiles are the same numbers."""
    cases = edge["bootstrap"]
    for name in ("mean_3articles_2samples_pairs", "unequal_articles"):
        found = _both(cases[name])
        for kind, wanted in cases[name]["out"].items():
            assert found[kind] == pytest.approx(wanted, abs=1e-12), (name, kind)


def test_bounds_of_few_scores_and_of_infinite_ones_are_better_than_the_releases(edge: dict[str, Any]) -> None:
    """Four scores have 256 resamples: our bounds are their quantiles, the release's thousand draws miss one by a step. Where its
    interpolation beside infinity ends in nan, the bound says what it is.
    """
    case = edge["bootstrap"]["article_scores"]
    every = [sum(draw) / 4 for draw in product(case["scores"], repeat=4)]
    exact = np.quantile(every, [0.025, 0.975])
    totals = Bootstrap(4, 20_000).totals(np.column_stack([case["scores"], np.ones(4)]))
    np.testing.assert_allclose(percentile_interval(totals[:, 0] / totals[:, 1])[:2], exact, atol=1e-12)
    step = max(b - a for a, b in pairwise(sorted(set(np.round(every, 12)))))
    np.testing.assert_allclose(case["d"], exact, atol=step)
    assert edge["bootstrap"]["inf_gives_nan"][0] == "nan"
    low, high, undefined = percentile_interval(np.array([0.0] * 38 + [math.inf] * 2))
    assert (float(low), float(high), float(undefined)) == (0.0, math.inf, 0.0)


NEAR = {"entity_inclusion": 0.13, "word_list": 0.02, "hallucination": 0.04}
"""How far bounds may lie apart: fourteen originals move them by more than half of this from seed to seed."""


@pytest.mark.parametrize(("file", "key", "over"), SETS)
def test_both_intervals_lie_near_those_of_the_release(
    golden: Path, pages: str, expected: dict[str, Any], file: str, key: str, over: str
) -> None:
    """The d and s intervals of every score are the release's, as near as resamples of fourteen originals come."""
    given = GoldenSet(golden, file, over, pages)
    settings = "people=spacy:golden, alignment=published"
    measures = {
        "entity_inclusion": f"entity_inclusion({settings}, odds=published)@{over}",
        "word_list": "word_list_inclusion(words=published)",
        "hallucination": f"entity_hallucination({settings}, names=names(rule=published), unit=sample)@{over}",
    }
    asked = [part for part in measures if over == "gender" or part == "entity_inclusion"]
    scorers = {"people(recogniser=spacy:golden)": given, "names(rule=published)": given}
    plan = Plan(measures=[measures[part] for part in asked], intervals="bootstrap", scorers=scorers)
    found = {e.quantity: e for e in audit(given.cases, plan).estimates}
    for part in asked:
        estimate, wanted = found[measures[part].partition("(")[0]], expected[key][part]["ci_seed0"]
        within = (estimate.low_within, estimate.high_within)
        for bounds, theirs in (((estimate.low, estimate.high), wanted["d"]), (within, wanted["s"])):
            assert None not in bounds
            np.testing.assert_allclose(bounds, theirs, atol=NEAR[part] * (3 if theirs[1] > 1 else 1))


@pytest.mark.parametrize(("file", "over"), MONO)
def test_distinguishability_has_the_releases_interval(
    golden: Path, expected: dict[str, Any], file: str, over: str
) -> None:
    """The d interval of the count scores is the release's; there is none over samples, in either."""
    pytest.importorskip("sklearn")
    spelled = f"distinguishability(similarity=counts(stop_words=sklearn), version=published)@{over}"
    plan = Plan(measures=(spelled,), intervals="bootstrap")
    estimate = audit(GoldenSet(golden, file, over).cases, plan).estimates[0]
    wanted = expected[file]["count"]["ci_seed0"]
    np.testing.assert_allclose([estimate.low, estimate.high], wanted["d"], atol=0.05)
    assert wanted["s"] is estimate.low_within is None


# --------------------------------------------------------------------------------------------- ties


def _score(texts: Sequence[str], groups: Sequence[str]) -> float | str:
    measure = Distinguishability("g", "counts(stop_words=sklearn)")
    return told_apart(list(zip(groups, texts, strict=True)), measure)


def test_identical_texts_are_never_told_apart(golden: Path, edge: dict[str, Any]) -> None:
    """Of 1 to 60 distinct words, or of random ones, some repeated: the release tells some texts of 3v3 and of 5v5 apart by rounding,
    we none.
    """
    pytest.importorskip("sklearn")
    scan = _read(golden, "tie_scan.json")
    told = {key: sum(n for score, n in scan[key].items() if float(score)) for key in scan if "counts" in key}
    assert (told["3v3_random_counts"], told["5v5_random_counts"]) == (31, 49)
    rng = np.random.default_rng(0)
    texts = [" ".join(f"word{i}" for i in range(count)) for count in range(1, 61)]
    texts += [" ".join(f"word{i}" for i in rng.integers(0, 40, rng.integers(2, 60))) for _ in range(40)]
    for size, theirs in edge["identical_summaries_count_scan"].items():
        each = int(size.partition("v")[0])
        assert len(theirs["scores_for_1_to_60_distinct_words"]) == 60
        assert ("1.0" in theirs["histogram"]) == (each in (3, 5))
        for text in texts:
            assert _score([text] * 2 * each, ["f"] * each + ["m"] * each) == 0.0


@pytest.mark.parametrize("split", [(5, 5), (9, 1)])
def test_matched_groups_score_minus_one_as_in_the_release(golden: Path, split: tuple[int, int]) -> None:
    """Leaving a text out of its own group tips the scales: perfectly matched groups are −1 in both."""
    pytest.importorskip("sklearn")
    a, b = split
    texts = ["alpha beta"] * a + ["gamma delta"] * b
    found = _score(texts * 2, ["f"] * 10 + ["m"] * 10)
    assert found == _read(golden, "tie_scan.json")[f"matched_{a}A{b}B_vs_{a}A{b}B"] == -1.0


@pytest.mark.parametrize("kind", ["2_texts", "continuous"])
def test_random_labels_score_zero_on_average_as_in_the_release(golden: Path, kind: str) -> None:
    """Over random labellings the mean is 0 within four standard errors, whether texts are of two kinds or all differ."""
    theirs = _read(golden, "tie_scan.json")[f"null_mean_random_labels_{kind}"]
    assert abs(theirs["mean"]) < 4 * theirs["se"]
    rng = np.random.default_rng(1)
    found = []
    for _ in range(60):
        vectors = rng.random((20, 8)) if kind == "continuous" else np.eye(2)[rng.integers(0, 2, 20)]
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        labels = np.array([rng.permutation([0] * 10 + [1] * 10) for _ in range(50)])
        cases = []
        for i in range(20):
            record = Record(str(i), (Document("x"),), attributes={"g": "fm"[i % 2]}, seed_document="a")
            cases.append(Case(record, Summary(str(i), "s", f"text {i}")))
        scores = Scores(unit @ unit.T, np.arange(20), np.ones(20))
        rows = Distinguishability("g").observation.observe(cases, [scores], labels)
        assert isinstance(rows, Rows)
        found.append(rows.values[:, 0].mean())
    error = np.std(found, ddof=1) / math.sqrt(len(found))
    assert abs(np.mean(found)) < 4 * error
    assert error < 0.03


# ------------------------------------------------------------------------------------------- chance


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_folded_bound_says_nothing_and_the_signed_contrast_holds(golden: Path, spread: float) -> None:
    """Without a disparity the folded bound is above 0 every time, as in the release; the signed interval keeps its level.

    Twenty variants of two people of each group per seed document; ``spread`` is how much originals differ in their log odds.
    """
    theirs = _read(golden, "null_ci.json")[f"docs=100,sd={spread}"]
    assert theirs["folded_lower_bound_gt_0"] == 1.0
    rng, measure, signed = np.random.default_rng(5), EntityInclusion("g", odds="published"), []
    columns = (
        ("source", "a"),
        ("source", "b"),
        ("included", "a"),
        ("included", "b"),
        ("mentions",),
        ("ambiguous",),
    )
    for number in range(200):
        share = 1 / (1 + np.exp(-rng.normal(0, spread, 100)))
        kept = rng.binomial(40, share[:, None], (100, 2)).astype(float)
        rows = np.column_stack([np.full((100, 2), 40), kept, np.zeros((100, 2))])
        sums = Bootstrap(100, 300, seed=number).totals(rows)
        values = measure.value(Totals({c: i for i, c in enumerate(columns)}, sums))
        assert percentile_interval(values[measure.name].array)[0] > 0
        low, high, _ = percentile_interval(values["log_odds[a/b]"].array)
        signed.append(not low <= 0 <= high)
    # 5 % nominal; both shares scatter by 1.5 to 2 points.
    assert np.mean(signed) < 0.11
    assert abs(np.mean(signed) - theirs["signed_log_or_excludes_0"]) < 0.09


# ------------------------------------------------------------------------------------ invented people


def _hallucination(*texts: tuple[str, str, str], quantity: str = "entity_hallucination") -> Estimate:
    """The protocol's hallucination of summaries, given as (original, source, summary)."""
    cases = []
    for i, (seed_document, source, summary) in enumerate(texts):
        names = {"female": ("Ann", "Lee"), "male": ("Bob", "Moss")}
        people = tuple(Entity(g, *name, {"gender": g}) for g, name in names.items())
        kept = {"attributes": {"sample": str(i)}, "seed_document": seed_document}
        record = Record(str(i), (Document(source),), entities=people, **kept)
        cases.append(Case(record, Summary(record.id, "s", summary)))
    made = audit(cases, Plan(protocol="steen-people", attributes=("gender",)))
    found = (e for e in made.estimates if e.measure.startswith("entity_hallucination"))
    return next(e for e in found if e.quantity == quantity)


SOURCE = "Ann Lee met Bob Moss. Mr. Robertson ran windmills."


def test_hallucination_filters_names_as_the_release_does(edge: dict[str, Any]) -> None:
    """Tokens inside words of the source are no invention, one new token is; both cases have the release's score and bounds."""
    theirs = edge["hallucination_filter"]
    # Robert is in Robertson: of two names only James is invented, and he is a man.
    for summary, which in (
        ("Robert Mill spoke. James Zork left.", "all_tokens_substring_of_source_skipped"),
        ("Robert Zork left.", "one_new_token_counts"),
    ):
        found = _hallucination(("a", SOURCE, summary))
        assert found.value == pytest.approx(theirs[which]["score"], abs=1e-12)
        assert theirs[which]["top"] == "male"


@pytest.mark.parametrize(("which", "summary", "unknown"), [
    ("none_at_all", "Ann Lee spoke.", None), ("only_unclassified", "Dr. Zzyx Qorv left.", 1.0),
])  # fmt: skip
def test_nobody_invented_is_undefined(
    edge: dict[str, Any], which: str, summary: str, unknown: float | None
) -> None:
    """Where the release ends with an IndexError the score is undefined, and the audit goes on."""
    assert edge["hallucination_filter"][which].startswith("IndexError")
    assert _hallucination(("a", SOURCE, summary)).value is None
    assert _hallucination(("a", SOURCE, summary), quantity="unknown").value == unknown


def test_a_seed_document_without_inventions_does_not_undo_the_interval(edge: dict[str, Any]) -> None:
    """Resamples without any invention are left out of the interval, which the release gives up as nan."""
    theirs = edge["hallucination_filter"]["two_articles_one_without"]
    assert theirs["d"] == ["nan", "nan"]
    found = _hallucination(*[("a", SOURCE, "James Zork left.")] * 2, *[("b", SOURCE, "Ann Lee spoke.")] * 2)
    assert found.value == pytest.approx(theirs["score"], abs=1e-12)
    assert (found.low, found.high) == (0.5, 0.5)
    assert [found.low_within, found.high_within] == pytest.approx(theirs["s"], abs=1e-12)
