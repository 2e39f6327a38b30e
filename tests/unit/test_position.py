"""Position: where summaries draw on their articles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fairbrief import registry, specs
from fairbrief.errors import RequestError
from fairbrief.measures.position import (
    PositionBias,
    PositionFromUniform,
    PositionHeights,
    Positions,
    mass_of_sources,
    membership,
    segment_names,
)
from fairbrief.measures.record_texts import chosen
from fairbrief.statistics import LabelDraws, enumerate_labellings
from fairbrief.testing import MEASURE_CLAUSES, MeasureClause
from fairbrief.types import Ask, Case, Document, Integers, Reason, Record, Rows, Scores, Summary, Totals

NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
]


def article(count: int) -> str:
    """So many sentences, each with a word of its own."""
    return " ".join(f"Sentence {word} alone." for word in NUMBERS[:count])


def case_of(count: int, summary: str, *references: str) -> Case:
    """An article of so many sentences, and what was written about it."""
    record = Record("r", (Document(article(count)),), references)
    return Case(record, Summary("r", "s", summary))


CASES = [
    case_of(14, "Only zero. Then one.", "Nearly thirteen.", "About seven. About eight."),
    case_of(4, "Here three. Here three again.", "There zero."),
    case_of(12, "Nothing like it!", "Some five."),
    case_of(12, "Some five.", "Nothing like it!", "Some six."),
    case_of(12, "Some five."),
    case_of(0, "Some five.", "Six."),
    case_of(3, " ", "Six."),
]


def observed(observation: Positions, case: Case, labels: Integers | None = None) -> Rows | Reason:
    """The case's rows under the labellings, the real one if none are given."""
    scores = [
        s for ask in observation.asks((case,)) for s in registry.make("scorer", ask.scorer).answer([ask])
    ]
    exchange = observation.permutation_scheme((case,))
    if labels is None:
        labels = np.zeros((1, 0), dtype=np.int64) if exchange is None else exchange.labels[np.newaxis]
    return observation.observe((case,), scores, labels)


def totals_of(observation: Positions, *cases: Case) -> Totals:
    """The summed rows of cases that all have one."""
    rows = [observed(observation, case) for case in cases]
    assert all(isinstance(found, Rows) for found in rows), rows
    kept = [found for found in rows if isinstance(found, Rows)]
    return Totals({c: i for i, c in enumerate(kept[0].columns)}, sum(found.values[0] for found in kept))


def histogram(totals: Totals, side: str) -> list[float]:
    """One side's matches per tenth."""
    return [float(x) for x in totals.stack(side, segment_names(10))]


@pytest.mark.parametrize("clause", MEASURE_CLAUSES, ids=lambda c: c.__name__)
@pytest.mark.parametrize(
    "spelled",
    [
        "position_bias",
        "position_bias(mapping=rouge1, segments=4, top=2, weights=pooled, limit=1, choose=random)",
        "position_from_uniform",
        "position_from_uniform(duplicates=once, weights=pooled)",
        "position_heights(mapping=tfidf(fitted=pair), short=first)",
    ],
)
def test_measures_keep_the_contract(spelled: str, clause: MeasureClause) -> None:
    """Additive finite rows, one for each labelling, read back from their spec."""
    measure = registry.make("measure", spelled)
    assert repr(measure) == spelled
    clause(measure, CASES)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (CASES[2], "no sentence of the summary resembles the article"),
        (CASES[4], "no references"),
        (CASES[5], "empty article"),
        (CASES[6], "empty summary"),
        (case_of(12, "Some five.", "Nothing like it!"), "no sentence of a reference resembles the article"),
        (case_of(12, "Some five.", "  "), "no references"),
    ],
)
def test_what_cannot_be_mapped_is_left_out_with_its_reason(case: Case, reason: str) -> None:
    """Nothing is dropped silently, and nothing becomes random counts as in the release."""
    assert observed(Positions(), case) == Reason(reason)


def test_articles_of_several_documents_are_read_one_after_the_other() -> None:
    """Segments run over all documents in their order."""
    record = Record("r", tuple(Document(f"Sentence {word}.") for word in NUMBERS[:10]), ("About zero.",))
    totals = totals_of(Positions(), Case(record, Summary("r", "s", "Now nine. Now three.")))
    assert histogram(totals, "generated") == [0, 0, 0, 0.5, *[0] * 5, 0.5]
    assert histogram(totals, "reference")[0] == 1


def test_distance_sees_a_mirror_image_and_heights_do_not() -> None:
    """Where references draw on the beginning and the system on the end, the published number is 0."""
    case = case_of(10, "Now nine. Now eight. Now nine.", "Then zero. Then one. Then zero.")
    totals = totals_of(Positions(), case)
    assert float(PositionBias().value(totals)["position_bias"].array) == pytest.approx(25 / 3)
    assert float(PositionHeights().value(totals)["position_heights"].array) == 0


def test_articles_weigh_the_same_unless_pooled() -> None:
    """A summary of many sentences counts as much as one of a single sentence; pooled, each match counts."""
    cases = [case_of(10, "Zero. Zero. Zero.", "Nine."), case_of(10, "Nine.", "Nine.")]
    assert histogram(totals_of(Positions(), *cases), "generated") == [1, *[0] * 8, 1]
    assert histogram(totals_of(Positions(weights="pooled"), *cases), "generated") == [3, *[0] * 8, 1]


def test_duplicates_count_unless_once() -> None:
    """Two summary sentences from one source are two matches; the release counted one."""
    case = case_of(10, "Zero. Zero. Nine.", "Nine.")
    assert histogram(totals_of(Positions(weights="pooled"), case), "generated") == [2, *[0] * 8, 1]
    once = Positions(weights="pooled", duplicates="once")
    assert histogram(totals_of(once, case), "generated") == [1, *[0] * 8, 1]


def test_short_articles_are_stretched_unless_they_fill_the_first_segments() -> None:
    """The last of four sentences is the article's last quarter; in the release it is the fourth tenth."""
    case = case_of(4, "Now three.", "Then zero.")
    stretched = histogram(totals_of(Positions(), case), "generated")
    assert stretched == pytest.approx([*[0] * 7, 0.2, 0.4, 0.4])
    assert histogram(totals_of(Positions(short="first"), case), "generated") == [0, 0, 0, 1, *[0] * 6]


@pytest.mark.parametrize("count", [0, 1, 3, 9, 10, 11, 19, 20, 35])
@pytest.mark.parametrize("fills_first", [True, False])
def test_segments_are_as_equal_as_possible(count: int, *, fills_first: bool) -> None:
    """The first ``count % 10`` segments are one longer; a sentence lies in the segments with its whole weight."""
    found = membership(count, 10, fills_first=fills_first)
    assert found.sum(axis=1) == pytest.approx(np.ones(count))
    size, longer = divmod(count, 10)
    equal = [size + (k < longer) for k in range(10)]
    stretched = [count / 10] * 10
    assert found.sum(axis=0) == pytest.approx(
        np.array(stretched if count < 10 and not fills_first else equal)
    )


def test_ties_go_to_the_earliest_and_nothing_to_the_unlike() -> None:
    """Of equally similar article sentences the first is the source; similarity 0 has none, and is counted."""
    similarity = np.array([[0.5, 0.0, 0.2], [0.5 + 1e-15, 0.0, 0.3], [0.1, 0.0, 0.3]])
    mass, unmapped = mass_of_sources(similarity, 1, once=False, shares_ties=False)
    assert mass.tolist() == [1, 1, 0]
    assert unmapped == 1


def test_further_sources_are_for_sentences_that_are_no_copies() -> None:
    """With top=2 a copied sentence has one source, another its two most similar ones, never an unlike one."""
    similarity = np.array([[0.95, 0.5, 0.0], [0.8, 0.6, 0.4], [0.0, 0.2, 0.0]])
    mass, unmapped = mass_of_sources(similarity, 2, once=False, shares_ties=False, copies_once=True)
    assert mass.tolist() == [2, 2, 0]
    assert unmapped == 0
    three = mass_of_sources(similarity, 3, once=False, shares_ties=False, copies_once=True)[0]
    assert three.tolist() == [2, 2, 1]


def test_the_papers_text_gives_copies_further_sources_too() -> None:
    """Without the release's rule the copy (0.95) also has the sentence at 0.8, and so on: 2, 3, 0 matches, not 2, 2, 0."""
    similarity = np.array([[0.95, 0.5, 0.0], [0.8, 0.6, 0.4], [0.0, 0.2, 0.0]])
    assert mass_of_sources(similarity, 2, once=False, shares_ties=False)[0].tolist() == [2, 3, 0]
    assert mass_of_sources(similarity, 3, once=False, shares_ties=False)[0].tolist() == [2, 3, 1]


@pytest.mark.parametrize("spec", ["position_bias(copied=once)", "position_bias(top=2, copied=twice)"])
def test_a_rule_for_copies_needs_several_sources(spec: str) -> None:
    """With one source each there is nothing to leave out: the setting is refused."""
    with pytest.raises(RequestError, match="copied="):
        registry.make("measure", spec)


def test_references_are_averaged() -> None:
    """Two references of one article weigh a half each."""
    totals = totals_of(Positions(), case_of(10, "Now zero.", "Then zero. Then one.", "Then nine."))
    assert histogram(totals, "reference") == [0.25, 0.25, *[0] * 7, 0.5]


def test_exchanging_summary_and_reference_is_observing_them_exchanged() -> None:
    """The row of the labelling that calls the reference the system's is that of the case where it is."""
    a, b = "Now zero. Now four.", "Then nine. Then eight. Nothing like it!"
    for observation in (Positions(), Positions(weights="pooled", duplicates="once", short="first")):
        both = observed(observation, case_of(12, a, b), np.array([[0, 1], [1, 0]]))
        other = observed(observation, case_of(12, b, a))
        assert isinstance(both, Rows)
        assert isinstance(other, Rows)
        assert both.values[1] == pytest.approx(other.values[0], abs=1e-12)


def test_the_system_and_the_mean_of_its_references_change_places() -> None:
    """With two references there are two labellings, and the second calls the references' mean the system's."""
    case = case_of(12, "Now zero.", "Then nine. Then eight.", "About three.")
    scheme = Positions().permutation_scheme((case,))
    assert scheme is not None
    assert scheme.is_together
    rows = observed(Positions(), case, enumerate_labellings(scheme.labels))
    assert isinstance(rows, Rows)
    (real, swapped), names = rows.values, rows.columns
    for i, column in enumerate(names):
        other = {"generated": "reference", "reference": "generated"}.get(column[0].split(" ")[0])
        if other is not None:
            there = names.index((column[0].replace(column[0].split(" ")[0], other), *column[1:]))
            assert swapped[i] == pytest.approx(real[there], abs=1e-12)


def test_equally_similar_sentences_share_the_match() -> None:
    """A sentence that stands twice in the article is drawn on at both places, a half each."""
    similarity = np.array([[1.0, 0.0], [0.2, 0.0], [1.0, 0.3]])
    mass, unmapped = mass_of_sources(similarity, 1, once=False, shares_ties=True)
    assert mass.tolist() == [0.5, 0, 1.5]
    assert unmapped == 0


def test_passages_move_along_together() -> None:
    """Against the uniform distribution a labelling turns all sources around the article by as many sentences."""
    case = case_of(12, "Now zero. Then one.")
    scheme = Positions(against="uniform").permutation_scheme((case,))
    assert scheme is not None
    assert scheme.cyclic
    rows, choice, exact = LabelDraws(50, 0).observed_and_choice("r", scheme.labels, cyclic=True)
    assert exact
    assert rows[3].tolist() == [*range(3, 12), 0, 1, 2]
    assert set(choice.tolist()) <= set(range(12))


@pytest.mark.parametrize("count", [4, 12])
@pytest.mark.parametrize("weights", ["article", "pooled"])
def test_moving_sentences_is_observing_the_article_in_that_order(count: int, weights: str) -> None:
    """A labelling's row is the row of the similarities with the article's sentences in its order."""
    observation = Positions(against="uniform", weights=weights)
    case = case_of(count, "Anything here.")
    rng = np.random.default_rng(5)
    matrix = rng.random((count, 5))
    labels = np.array([np.arange(count), *(rng.permutation(count) for _ in range(6))])
    scores = Scores(matrix, np.zeros(5, dtype=np.int64), np.ones(count))
    rows = observation.observe((case,), [scores], labels)
    assert isinstance(rows, Rows)
    for label, row in zip(labels, rows.values, strict=True):
        moved = np.empty_like(matrix)
        moved[label] = matrix
        again = observation.observe((case,), [Scores(moved, scores.owner, scores.sizes)], labels[:1])
        assert isinstance(again, Rows)
        assert row == pytest.approx(again.values[0], abs=1e-12)


def test_a_summary_spread_as_the_article_is_zero_from_uniform() -> None:
    """Drawing once on every sentence is no preference, whatever the length of the article."""
    for count in (3, 10, 14):
        totals = totals_of(Positions(against="uniform"), case_of(count, article(count)))
        values = PositionFromUniform().value(totals)
        assert float(values["position_from_uniform"].array) == pytest.approx(0, abs=1e-12)
        assert float(values["mean_position"].array) == pytest.approx(0.5)
        assert float(values["lead_share"].array) == pytest.approx(float(values["even_lead_share"].array))


def test_a_lead_summary_is_early() -> None:
    """Three first sentences: all in the lead, mean position at their middle, far from uniform."""
    values = PositionFromUniform().value(totals_of(Positions(against="uniform"), case_of(10, article(3))))
    assert float(values["lead_share"].array) == 1
    assert float(values["mean_position"].array) == pytest.approx(0.15)
    assert float(values["position_from_uniform"].array) == pytest.approx(3.5)


def test_divergence_is_undefined_where_no_reference_draws() -> None:
    """KL is infinite there; it is nan, as undefined values are, while the distance is defined."""
    values = PositionBias().value(totals_of(Positions(), case_of(10, "Now nine.", "Then zero.")))
    assert math.isnan(float(values["position_kl"].array))
    assert float(values["position_bias"].array) == 9
    assert float(values["position_bias_share"].array) == pytest.approx(0.9)
    assert float(values["mean_position_shift"].array) == pytest.approx(0.9)


def test_other_mappings_get_sentences() -> None:
    """A scorer of whole texts is asked about sentences that the built-in rule cut."""
    observation = Positions(mapping="embedding(model=tiny)")
    (ask,) = observation.asks((case_of(3, "Now zero. Now two.", "Then one."),))
    assert ask == Ask(
        "embedding(model=tiny)",
        ("Sentence zero alone.", "Sentence one alone.", "Sentence two alone."),
        ("Now zero.", "Now two.", "Then one."),
        whole=True,
    )
    scores = Scores(np.eye(3)[:, [0, 2, 1]], np.arange(3), np.zeros(3))
    rows = observation.observe(
        (case_of(3, "Now zero. Now two.", "Then one."),), [scores], np.zeros((1, 0), dtype=np.int64)
    )
    assert isinstance(rows, Rows)
    assert rows.values[0, rows.columns.index(("generated matches",))] == 2
    assert rows.values[0, rows.columns.index(("reference matches",))] == 1


def test_over_long_outputs_keep_the_first_or_any() -> None:
    """``limit=1`` keeps the first sentence, or one that the seed chooses, evenly over seeds."""
    case = case_of(10, "Zero. Four. Nine.", "Nine.")
    assert histogram(totals_of(Positions(limit=1), case), "generated")[0] == 1
    counts = sum(
        np.array(histogram(totals_of(Positions(limit=1, choose="random", seed=s), case), "generated"))
        for s in range(90)
    )
    assert counts[[0, 4, 9]].sum() == 90
    assert counts[[0, 4, 9]].min() > 15


def test_the_choice_of_sentences_is_in_order_and_repeats() -> None:
    """The same seed and texts choose the same sentences; another seed chooses others."""
    first = chosen(30, 5, "random", 1, ("article", "summary"))
    assert first.tolist() == chosen(30, 5, "random", 1, ("article", "summary")).tolist() == sorted(set(first))
    assert first.tolist() != chosen(30, 5, "random", 2, ("article", "summary")).tolist()
    assert chosen(3, 5, "random", 1, ()).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "spelled",
    [
        "position_bias(top=4)",
        "position_bias(segments=1)",
        "position_bias(short=last)",
        "position_bias(sentences=spacy)",
        "position_bias(limit=0)",
        "position_bias(choose=last)",
        "position_bias(mapping=embedding, sentences=punkt)",
        "position_bias(mapping=tfidf(sentences=punkt))",
    ],
)
def test_impossible_settings_are_refused(spelled: str) -> None:
    """A setting that means nothing is the request's fault."""
    with pytest.raises(RequestError):
        registry.make("measure", spelled)


def test_measures_that_ask_the_same_share_an_observation() -> None:
    """Distance and heights are read from one observation; settings tell observations apart."""
    assert PositionBias().observation == PositionHeights().observation
    assert PositionBias().observation != PositionFromUniform().observation
    assert specs.spell(PositionBias(top=2)) == "position_bias(top=2)"


def test_stories_name_the_segments() -> None:
    """A row's story says where the summary draws and where the reference does."""
    case = case_of(10, "Now nine. Nothing like it!", "Then zero. Then one.")
    story = PositionBias().explain(totals_of(Positions(), case))
    assert "summary segments 10 (100%)" in story
    assert "reference segments 1 (50%), 2 (50%)" in story
    assert "1 summary sentences resemble nothing" in story
