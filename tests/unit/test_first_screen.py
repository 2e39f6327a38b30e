"""What a reader sees first: the sentences, the picture of each group, and the next commands."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from tests import sample_results

import fairbrief
from fairbrief import conclusions, registry
from fairbrief.declarations import ContrastWords, Declaration
from fairbrief.reports import first_answers, html, tables, wording
from fairbrief.reports.frames import Estimates
from fairbrief.scorers import cards
from fairbrief.types import Estimate, Note

PLAIN = Estimate(
    "coverage_parity@sentiment", "relative_difference[negative]", "gpt-4", -0.158, low=-0.2, high=-0.115, p=0.001,
    testable=True, n=400, clusters=400, over="sentiment", kind="group_difference", group="negative", is_primary=True, detectable=0.06,
)  # fmt: skip
EXTRACT_BASELINE = {
    "extract_baseline": -0.058, "extract_difference": -0.1, "extract_difference_low": -0.14, "extract_difference_high": -0.06,
    "extract_p": 0.002, "extract_p_adjusted": 0.006,
}  # fmt: skip
FAMILY = {"family_p": 0.006, "family_size": 3, "family_low": -0.15, "family_high": -0.05}
CLEAR = PLAIN.replace(**EXTRACT_BASELINE)
TONE = PLAIN.replace(
    measure="sentiment_shift", quantity="difference[female−male]", over="", group="female − male", value=0.4,
    low=0.2, high=0.6,
)  # fmt: skip


def of_group(group: str, **more: Any) -> Estimate:
    """The plain difference, of another group."""
    return PLAIN.replace(group=group, quantity=f"relative_difference[{group}]", **more)


def screen(*estimates: Estimate, **made: Any) -> dict[str, Any]:
    """The first screen of these estimates."""
    result = sample_results.make()
    result = replace(result, estimates=Estimates(estimates), made={**result.made, **made})
    return html.first_screen(wording.Context(result)) or {}


def line_of(found: dict[str, Any]) -> dict[str, Any]:
    """The only line of a screen with one panel."""
    ((line,),) = (block["lines"] for panel in found["panels"] for block in panel["blocks"])
    return line


def test_the_first_sentence_says_who_which_way_how_far_and_what_random_sentences_give() -> None:
    """A system's group difference is told with what random sentences give."""
    found = screen(CLEAR)
    told = "gpt-4 covers documents with sentiment negative 16% less than the average document"
    assert found["lead"] == f"{told} (random sentences: 5.8% less)."
    assert (line_of(found)["kind"], line_of(found)["conclusion"]) == (
        "below",
        "significantly below random sentences: random sentences −5.8%; difference −10%; p\u00a0=\u00a00.006",
    )


def answers(found: dict[str, Any]) -> dict[str, str]:
    """What the first screen answers, by question."""
    told = {asked: " ".join(lines) for asked, lines in found["answers"].items()}
    return {**told, "Next": " ".join(map(" ".join, found["steps"]))}


def test_sizes_findings_and_their_certainty_are_stated() -> None:
    """Group sizes, each finding with its baseline and p, what p means, and the interval for all comparisons at once."""
    counts = {"group_clusters": 380, "group_items": 900.0}
    above = CLEAR.replace(extract_difference=0.05, group="positive", value=0.2, excluded={})
    found = answers(screen(CLEAR.replace(**FAMILY, **counts), above))
    assert found["Measured"] == "Sentiment: negative 900 documents in 380 records"
    assert found["Finding"] == (
        "gpt-4 covers documents with sentiment negative 16% less than the average document (random sentences: 5.8% less; "
        "p\u00a0=\u00a00.006). Significantly above random sentences in summaries by gpt-4: positive "
        "(+20%). "
        "p\u00a0=\u00a00.006 (Holm over 3 comparisons): if gpt-4 matched random sentences, a gap this large would appear in "
        "about 6 of 1,000 audits."
    )
    assert found["Interval"] == (
        "Sentiment negative in summaries by gpt-4: the difference from random sentences is −10%, with a 95% interval of −15% to "
        "−5.0% that holds for all 3 comparisons at once."
    )


def test_both_sides_are_told_where_neither_is_worse() -> None:
    """An invented group is above an even share, the other below it; nothing says that no group is significant."""
    spec = {"measure": "entity_hallucination@gender", "over": "gender", "p": 0.001, "p_adjusted": 0.001}
    shares = {"female": -0.3, "male": 0.3}
    found = answers(
        screen(*(PLAIN.replace(**spec, group=g, quantity=f"shift[{g}]", value=x) for g, x in shares.items()))
    )
    assert found["Finding"].startswith(
        "Significantly below the permutation mean in summaries by gpt-4: female (−30 percentage points). "
        "Significantly above the permutation mean in summaries by gpt-4: male (+30 percentage points). "
    )


def test_the_caution_on_the_scorer_is_its_cards() -> None:
    """It has the figures of the scorer that the measure takes, by default or by its setting; what next sends to no scorer."""
    found = answers(screen(CLEAR))
    assert next(cards.cautions(["containment"]))[1:] in found["Caution"]
    assert "embedding" not in found["Next"]
    mine = PLAIN.replace(measure="coverage_parity(scorer=mine)@sentiment", **EXTRACT_BASELINE)
    caution = answers(screen(mine, scorers={"mine": "its card"}))["Caution"]
    assert "'mine' judges support was not measured: no card" in caution
    labelled = PLAIN.replace(measure="coverage_parity(scorer=claims)@sentiment", **EXTRACT_BASELINE)
    assert "Caution" not in answers(screen(labelled))


SHIFT = {"measure": "position_from_uniform", "quantity": "mean_position_shift", "over": "", "group": ""}


@pytest.mark.parametrize(("e", "lead", "title", "who"), [
    (PLAIN.replace(**SHIFT, value=-0.36), "On average, gpt-4 takes its content from 36% of the text closer to the start than an even spread", "Position", "gpt-4"),
    (TONE, "In summaries by gpt-4, the tone of female texts rises by 0.400 relative to that of male texts", "Sentiment", "female against male"),
])  # fmt: skip
def test_a_difference_leads_in_the_words_of_its_measure(e: Estimate, lead: str, title: str, who: str) -> None:
    """A shift of position, without groups; and a pair of groups, of which both sides are named."""
    found = screen(e)
    assert (found["lead"], line_of(found)["who"]) == (f"{lead}.", who)
    assert [(panel["title"], panel["is_clear"]) for panel in found["panels"]] == [(title, True)]
    assert answers(found)["Finding"].startswith(lead)


@pytest.mark.parametrize(("change", "kind"), [
    ({}, "below"), ({"value": 0.2}, "above"), ({"p": 0.4}, "not significant"),
    ({"p": 0.001, "p_adjusted": 0.06}, "not significant"),
    ({"p": 0.001, "p_adjusted": 0.01, "family_p": 0.06}, "not significant"),
    ({"group_clusters": 3, "other_clusters": 41, "p": None}, "too few"),
    ({"p": 1.0, "testable": False}, "not testable"), ({"value": None, "low": None, "high": None}, "no value"),
    (EXTRACT_BASELINE, "below"), (EXTRACT_BASELINE | {"p": 0.9}, "below"),
    (EXTRACT_BASELINE | {"extract_p_adjusted": 0.2}, "as random"),
    (EXTRACT_BASELINE | {"extract_baseline": -0.3, "extract_difference": 0.142}, "nearer to even"),
    (EXTRACT_BASELINE | {"extract_baseline": 0.3, "extract_difference": -0.458}, "below"),
    ({"value": -0.02, "permutation_mean": -0.09}, "nearer to even"), ({"value": 0.02, "permutation_mean": -0.09}, "above"),
    (EXTRACT_BASELINE | {"extract_p_adjusted": 0.2, "p": 0.9}, "not significant"),
    (EXTRACT_BASELINE | {"extract_p_adjusted": 0.2, "permutation_mean": -0.3}, "not significant"),
])  # fmt: skip
def test_every_conclusion_has_its_words(change: dict[str, Any], kind: str) -> None:
    """The adjusted p decides, random sentences before label permutations; nothing is left without a word."""
    e = PLAIN.replace(**change)
    assert conclusions.conclusion(e, 0.05) == kind
    line = line_of(screen(e))
    assert line["kind"] == kind
    assert line["conclusion"]


def test_what_is_not_clear_says_what_would_have_been_seen_and_how_many_records_it_takes() -> None:
    """An audit without a finding gives no all-clear."""
    found = screen(PLAIN.replace(p=0.4))
    told = "No group difference is significant in 400 records. This does not show that there is none."
    assert found["lead"] == told
    said = line_of(found)["conclusion"]
    assert said == "not significant: p\u00a0=\u00a00.400; smallest detectable difference of 6.0%"
    assert answers(found)["Finding"] == (
        "No group is significantly below the permutation mean. The smallest p of coverage_parity by sentiment is\u00a00.400. For sentiment negative in "
        "summaries by gpt-4, a difference of 6.0% would have been found in 80 of 100 such audits, before Holm's correction."
    )
    plan = "(1,600 records to find a difference of 3.0%): fairbrief power DIR --disparity 0.03"
    assert answers(found)["Next"].endswith(f"Plan more records {plan}")
    assert "fairbrief power" not in answers(screen(PLAIN.replace(p=0.4, detectable=None, se=None)))["Next"]


def test_an_interval_beyond_the_axis_ends_in_an_arrow() -> None:
    """Other intervals end in no arrow."""
    (panel,) = screen(PLAIN, of_group("neutral", low=-0.2, high=9.0))["panels"]
    pictures = [line["picture"] for block in panel["blocks"] for line in block["lines"]]
    assert ["<polygon" in picture for picture in pictures] == [False, True]


@pytest.mark.parametrize(("low", "high", "labels"), [
    (-0.67, 0.11, ["−40%", "−20%", "0", "+20%"]), (-2.4, 0.8, ["−90%", "−50%", "0", "+100%"]),
])  # fmt: skip
def test_an_axis_of_odds_is_marked_at_round_percentages(low: float, high: float, labels: list[str]) -> None:
    """Which are not evenly spaced on it."""
    axis = html._axis_of([PLAIN.replace(value=low / 2, low=low, high=high)], "odds")
    assert [label for _, label in axis.ticks] == labels


def test_right_to_left_names_do_not_move_the_numbers_behind_them() -> None:
    """They are isolated in the sentences of the page, also where a space of theirs does not break."""
    found = replace(
        sample_results.make(), estimates=Estimates([of_group("محايد جدا", group_clusters=9, group_items=9.0)])
    )
    page = html.render(found).replace("\u00a0", " ")
    assert "sentiment \u2068محايد جدا\u2069 16% less" in page
    assert "\u2068محايد جدا\u2069 9 documents" in page


def test_subgroups_sanity_baselines_and_repeated_contrasts_stay_out() -> None:
    """The first screen speaks of the systems on all records, once."""
    baseline = PLAIN.replace(system="sanity:lead(gpt-4)", system_kind="sanity_baseline")
    repeated = PLAIN.replace(measure="equal_coverage@sentiment")
    assert line_of(screen(PLAIN, PLAIN.replace(subgroup={"a": "b"}), baseline, repeated))


def test_twenty_systems_and_thirty_groups_stay_a_screen_and_say_what_is_missing() -> None:
    """What is not shown is counted."""
    every = product(range(20), range(30))
    many = [of_group(f"g{j}", system=f"s{i}", value=0.01 * i - 0.001 * j) for i, j in every]
    (panel,) = screen(*many)["panels"]
    assert len(panel["blocks"]) == html.MOST_GROUPS
    assert {len(block["lines"]) for block in panel["blocks"]} == {first_answers.MOST_SYSTEMS}
    assert panel["notes"] == [
        "Shown are the 12 of 30 groups with the largest differences; all are in the tables below.",
        "Shown are the 6 of 20 systems with the largest differences; all are in the tables below.",
    ]


def test_numbers_of_two_groups_have_their_attributes_name() -> None:
    """The tone of “1 texts” is of nobody."""
    assert "the tone of 1 star texts rises by 0.400 relative to that of 5 stars texts" in screen(
        TONE.replace(measure="sentiment_shift@stars", over="stars", group="1 − 5")
    )["lead"]  # fmt: skip


def test_the_gate_that_is_proposed_limits_both_sides_of_two_groups() -> None:
    """Of two groups either can be worse off; of an average document only the group that is covered less."""
    (_, command), (why, of_one) = screen(TONE)["steps"][1], screen(PLAIN)["steps"][1]
    assert command.endswith("'sentiment_shift:difference>=-0.06' --max 'sentiment_shift:difference<=0.06'")
    assert (of_one.count("--min"), of_one.count("--max")) == (1, 0)
    small = of_group("neutral", detectable=1.2, group_clusters=4)  # the gate does not decide on it
    assert screen(PLAIN, small)["steps"][1] == (why, of_one)


def test_the_table_says_on_which_records_the_difference_is() -> None:
    """Where some summaries have no random sentences, the difference is not that of the two numbers beside it."""
    result = replace(sample_results.make(), estimates=Estimates([CLEAR.replace(value=0.4)]))
    (table,) = tables.contrast_tables(wording.Context(result))
    assert "diff: value minus random, on the records that have random sentences; p: " in table.notes[0]


def test_a_table_of_two_families_has_the_sizes_of_both() -> None:
    """Comparisons that were named in advance are corrected only among themselves; one that was not tested is in no family."""
    several = [
        CLEAR.replace(family_size=2, is_named=True),
        of_group("b", family_size=7),
        of_group("c", family_size=0),
    ]
    (table,) = tables.contrast_tables(
        wording.Context(replace(sample_results.make(), estimates=Estimates(several)))
    )
    assert table.notes[0].endswith("Holm over 7 comparisons (named in advance: over 2).")


def test_an_audit_without_resamples_has_the_sizes_of_its_groups() -> None:
    """Groups are counted whether they are tested or not."""
    said = str(fairbrief.audit("examples/reviews.jsonl", "coverage_parity@sentiment", n_resamples=0))
    assert "Sentiment: negative 54 documents in 26 records, neutral 37 in 25" in said


DECLARED = {name: kind.declaration.contrast for name, kind in registry.loaded("measure")}
WORDED = {name: words for name, words in DECLARED.items() if words != ContrastWords()}


def test_differences_of_two_kinds_lead_even_where_they_are_equal() -> None:
    """A faithful system is even twice: 0 for inclusion and 0 for misattribution. `bur` and `uer` share one difference of −0.2."""
    zero = PLAIN.replace(over="role", group="chair", value=0.0)
    included = zero.replace(measure="speaker_inclusion@role", quantity="inclusion_difference[chair]")
    misquoted = zero.replace(measure="misattribution@role", quantity="misattribution_difference[chair]")
    bur = zero.replace(measure="bur@role", quantity="difference[chair]", value=-0.2)
    uer = bur.replace(measure="uer@role")
    assert conclusions.leading([included, misquoted, bur, uer]) == [included, misquoted, bur]


@pytest.mark.parametrize("name", [*WORDED, "unheard_of"])
@pytest.mark.parametrize("value", [-0.25, 0.25])
def test_each_measure_has_a_sentence_for_both_sides(name: str, value: float) -> None:
    """System and size stand in it, no place is left unfilled, and the two sides differ."""
    words = WORDED.get(name, ContrastWords())
    e = PLAIN.replace(system="SYSTEM", group="a − b", value=value)
    sentence = wording.sentence(e, words)
    assert "SYSTEM" in sentence
    assert wording.size(value, words.unit) in sentence
    worse = wording.filled(words.worse_below + words.worse_above, **wording.placeholders(e))
    assert not wording.PLACE.search(sentence + worse + words.even + words.question + words.title)
    assert sentence != wording.sentence(e.replace(value=-value), words)
    assert wording.tick(0.0, words.unit) == "0"


def test_words_that_a_saved_result_tells_are_read_back_and_strange_ones_do_no_harm() -> None:
    """What is of another kind is left to plain words, a place that is not known stays, and nothing of a text is carried out."""
    told = {"family": "F", "contrast": {"below": "{size.__class__} {x}"}}
    assert wording.declared("m@a", {"declared": {"m": told}}).contrast.below == "{size.__class__} {x}"
    assert wording.described(PLAIN, ContrastWords(below="{size.__class__} {x}")) == "{size.__class__} {x}"
    for strange in (None, 3, {"family": 3}, {"contrast": {"unit": "miles"}}):
        assert wording.declared("m@a", {"declared": {"m": strange}}) == Declaration(family="M")


def test_odds_stand_beside_the_plain_rates_of_both_groups() -> None:
    """Per cent of odds are no per cent of people: the rates behind them are said."""
    odds = PLAIN.replace(
        measure="entity_inclusion@gender", quantity="log_odds[female/male]", over="gender", group="female/male",
        value=-0.6931, low=-1.0, high=-0.3,
    )  # fmt: skip
    share = odds.replace(kind="share", is_primary=False, p=None)
    given = {"female": 0.25, "male": 0.4}
    rates = [share.replace(quantity=f"inclusion[{g}]", value=x, group=g) for g, x in given.items()]
    told = answers(screen(odds, *rates))["Finding"]
    assert "(25 of 100 female people are named, 40 of 100 male people are named; p" in told
    assert "25 of" not in answers(screen(odds))["Finding"]
    assert "a difference of 6.2% in the odds would" in answers(screen(odds.replace(p=0.4)))["Finding"]


def test_sizes_of_each_group_are_listed_by_system_where_they_differ() -> None:
    """How many documents each group has, in how many records; a system with fewer records has a sentence of its own."""
    counts = {"group_clusters": 8, "group_items": 19.0}
    one = PLAIN.replace(**counts)
    (told,) = tables.group_counts_by_system([one, one.replace(system="b")], "documents")
    assert told == "n: negative 19 documents in 8 records."
    both = (one, one.replace(system="b", group_clusters=1, group_items=2.0))
    assert "n of b: negative 2 documents in 1 record." in tables.group_counts_by_system(both, "documents")


def test_measures_with_other_settings_are_named_in_their_sentences() -> None:
    """Under two scorers the same contrast has two values; of one there is nothing to tell apart."""
    measure = "coverage_parity(scorer=tfidf)@sentiment"
    found = screen(CLEAR, CLEAR.replace(measure=measure, value=-0.1, low=-0.12, high=-0.08))
    told = answers(found)
    assert "16% less than the average document (by coverage_parity)" in found["lead"]
    assert "10% less than the average document (by coverage_parity(scorer=tfidf))" in told["Finding"]
    assert {panel["title"] for panel in found["panels"]} == {
        "Coverage by sentiment (by coverage_parity)", "Coverage by sentiment (by coverage_parity(scorer=tfidf))"
    }  # fmt: skip
    elsewhere = PLAIN.replace(measure="coverage_parity@party", over="party", group="left")
    for alone in (screen(CLEAR), screen(CLEAR, elsewhere)):
        assert "(by " not in alone["lead"]


HIDDEN = Note("tests_need_resamples", {"tests": 12, "resamples": 480})
FEW = Note("few_in_group", {"group": "female − male", "clusters": [3, 41]})
UNTESTED = {"p": None, "testable": False, "notes": (FEW,)}
PAIR = TONE.replace(group_clusters=3, other_clusters=41, n=44, clusters=44, **UNTESTED)
FEW_PEOPLE = Note("few_people", {
    "attribute": "sentiment", "groups": {"negative": {"names": 2, "records": 1200}, "me too": {"names": 1, "records": 30}},
})  # fmt: skip
ROME = PLAIN.replace(subgroup={"city": "Rome"}, **EXTRACT_BASELINE | {"extract_difference": -0.6})
OSLO = PLAIN.replace(subgroup={"city": "Oslo"}, **EXTRACT_BASELINE | {"extract_difference": -0.2})
READINGS = {"negative": {"free": {"value": -0.67, "p": 0.058}, "survives": False}}
LENGTH = Note("length_held_equal", {"system": "gpt-4", "alpha": 0.05, "readings": READINGS})
RETRIEVES = Note("scorer_retrieves", {
    "scorer": "containment", "group": "negative", "share": 0.91, "others": 0.97, "value": -0.06, "low": -0.09, "high": -0.03,
    "p": 0.004, "explains": True,
})  # fmt: skip
WITHOUT = {"measure": PLAIN.measure, "quantity": PLAIN.quantity, "system": "gpt-4", "value": -0.05, "p": None}


def reach(sources: float) -> dict[str, Any]:
    """What is known where the scorer finds this share of the sources' own sentences, and none of a system's claims."""
    shares = {"gpt-4": 0.0, "sentences of the sources": sources, "claims in another record": 0.05}
    authors = [{"author": author, "share_found": share} for author, share in shares.items()]
    return {"reach": [{"scorer": "containment", "measures": [PLAIN.measure], "authors": authors}]}


REPEATED = {
    "copies": {"records": 40, "groups": 10, "examples": ["a", "b"]},
    "other_languages": {"fr": {"documents": 13, "records": 9, "examples": ["c"]}},
    "without": {
        "other_languages": [{**WITHOUT, "extract_p": 0.42}], "copies": [{**WITHOUT, "extract_p": 0.001}],
    },
}  # fmt: skip
NAMED_FIRST = PLAIN.replace(**{**EXTRACT_BASELINE, **FAMILY, "family_p": 0.04}, is_named=True)
CLEARER = CLEAR.replace(measure="coverage_parity@party", over="party", group="left", extract_difference=-0.5)
NEUTRAL = {"group": "neutral", "quantity": "relative_difference[neutral]"}
SEVERAL = [CLEAR.replace(**{**FAMILY, **more}) for more in (
    {"system": "rosy"},
    {"system": "even", "value": 0.31, "extract_difference": 0.33, "family_p": 0.19},
    {"system": "even", **NEUTRAL, "extract_difference": -0.84, "family_p": 2e-6},
    {"system": "third", "family_p": 0.9},
)]  # fmt: skip
MANY = [of_group(f"g{i}", **EXTRACT_BASELINE) for i in range(9)]
EXCLUDED = {"one group only": 1529, "the summary has no unit": 2}
SENTENCES = {
    "excluded records": (
        [CLEAR.replace(excluded=EXCLUDED)], {}, "Measured",
        r"^Sentiment: 1,531 records do not count \(one group only 1,529, the summary has no unit 2\)\.$",
    ),
    "pooled runs": ([PLAIN.replace(clusters=10, n=60)], {"pools_runs": True}, "Measured", "60 summaries in 10 independent groups"),
    "few records": (
        [CLEAR.replace(n=8, clusters=8)], {}, "Finding", r"^8 records: too few to act on \(the gate needs 20\)\. gpt-4 covers",
    ),
    "a small group": (
        [CLEAR.replace(group_clusters=7, group_items=9.0)], {}, "Caution", r"too small to act on: sentiment negative \(7\)\.",
    ),
    "many small groups": (
        [of_group(f"g{i}", group_clusters=3, group_items=3.0) for i in range(15)], {}, "Caution",
        r"too small to act on: .*, sentiment g11 \(3\) and 3 more\.",
    ),
    "a system with few records": (
        [CLEAR, CLEAR.replace(system="b", n=8, clusters=8)], {}, "Caution",
        r"Too few to act on \(the gate needs 20\): summaries by b \(8 records\)\.",
    ),
    "too few of one group": ([PAIR], {}, "Finding", r"^No comparison was tested \(only 3 records with female;"),
    "too few of one group, a caution": (
        [PAIR], {}, "Caution", r"Only 3 records with female; a comparison of two groups needs 6 records of each\.",
    ),
    "too few of one group in one system": (
        [PAIR.replace(system="b"), TONE], {}, "Caution", r"Summaries by b: only 3 records with female; a comparison",
    ),
    "few people": (
        [CLEAR.replace(notes=(FEW_PEOPLE,))], {}, "Caution",
        "^The same few people recur: sentiment negative 2 in 1,200 records, me too 1 in 30; a difference may be theirs, not their group's",
    ),
    "differences that are all 0": (
        [CLEAR.replace(system="b", value=0.0, low=0.0, high=0.0)], {}, "Caution",
        r"Summaries by b have no difference of coverage_parity in any record; the measure may detect nothing there\.",
    ),
    "untested": (
        [PLAIN.replace(p=None, testable=False, notes=(Note("few_clusters"),))], {}, "Finding",
        ("^No comparison can be significant: the smallest attainable p exceeds the significance level "
        r"\(no interval: fewer than three clusters\)\.$"),
    ),
    "no resamples": (
        [PLAIN.replace(p=None, notes=(HIDDEN,))], {"n_resamples": 0}, "Finding", r"^No comparison was tested \(--resamples 0\)\.$",
    ),
    "as random": (
        [CLEAR.replace(extract_p=0.21, extract_p_adjusted=0.63)], {}, "Finding",
        ("^No group is significantly below random sentences. The smallest p.*Uneven, but not significantly different from "
        r"random sentences in summaries by gpt-4: negative \(−16%; random sentences −5.8%\)\.$"),
    ),
    "as permuted": (
        [CLEAR.replace(p=0.9, label_p=0.9, extract_p_adjusted=0.9)], {}, "Finding",
        r"No group is significantly below random sentences.*but not from label permutations in summaries by gpt-4: negative \(−16%;",
    ),
    "nearer to even": (
        [CLEAR.replace(extract_baseline=-0.3, extract_difference=0.142)], {}, "Finding",
        "No group is significantly below.*Significantly nearer to even than random sentences in summaries by gpt-4: negative",
    ),
    "nearer to even than label permutations": (
        [PLAIN.replace(value=-0.02, low=-0.05, high=0.01, permutation_mean=-0.09)], {}, "Finding",
        r"^No group.*nearer to even than the permutation mean in summaries by gpt-4: negative \(−2\.0%; the permutation mean −9\.0%\)\.$",
    ),
    "subgroups": (
        [PLAIN.replace(value=0.0, p=0.9), OSLO, ROME], {"by": [["city"]]}, "Finding",
        "Subgroup city Rome: gpt-4 covers documents with sentiment negative 16% less .*1 more significant group difference in subgroups.",
    ),
    "subgroups that were not asked for": ([PLAIN.replace(value=0.0, p=0.9), ROME], {}, "Finding", "^(?!.*Subgroup)"),
    "subgroups without a test": (
        [CLEAR, PLAIN.replace(subgroup={"city": "Rome"}, p=None, label_p=None, family_p=None)], {"by": [["city"]]},
        "Finding", "^(?!.*subgroup)",
    ),
    "several systems, whatever group leads": (
        SEVERAL, {}, "Finding",
        ("^even covers documents with sentiment neutral 16% less.*rosy covers documents with sentiment negative 16% less.*"
        r"third is not significantly below random sentences in any group\."),
    ),
    "many groups": (MANY, {}, "Finding", "3 more groups significantly below, in the tables."),
    "named in advance": (
        [CLEARER, NAMED_FIRST], {}, "Finding", "^gpt-4 covers documents with sentiment negative 16% less.*named in advance",
    ),
    "named in advance, and not significant": (
        [CLEAR.replace(system="rosy"), PLAIN.replace(p=0.4, label_p=0.4, is_named=True)], {}, "Finding",
        r"^The smallest p of the differences named in advance \(coverage_parity by sentiment\) is\s0.400.*rosy covers",
    ),
    "a p against random sentences, of a value that may be 0": (
        [CLEAR, CLEAR.replace(measure="uer@sentiment", value=-0.02, low=-0.05, high=0.01, extract_baseline=0.08)], {}, "Finding",
        r" less of the summary than of the sources \(random sentences: 8\.0 percentage points more; p\s=\s0\.006\)\.$",
    ),
    "a family with the name of an attribute": (
        [CLEAR.replace(group_clusters=380, group_items=900.0), PAIR.replace(group_items=3.0, other_items=41.0)], {}, "Measured",
        r"^Sentiment: negative 900 documents in 380 records Sentiment measures: female\s3\srecords, male\s41$",
    ),
    "percentage points for all comparisons": (
        [CLEAR.replace(measure="uer@sentiment", quantity="difference[negative]", **FAMILY)], {}, "Interval",
        "from random sentences is −10 percentage points, with a 95% interval of −15 to −5.0 that holds",
    ),
    "summaries without text": (
        [CLEAR],
        {
            "without_text": {"gpt-4": {"missing summary": 5, "empty summary": 8}, "b": {"empty summary": 5}},
            "summaries_by_system": {"gpt-4": 100, "b": 100},
        },
        "Caution", r"^13 of 100 summaries by gpt-4 do not count \(empty summary 8, missing summary 5\)\. (?!.*by b do)",
    ),
    "no sentence found": (
        [CLEAR], reach(0.0), "Caution",
        "finds none of the sources' own sentences: documents of other records support them about as much",
    ),
    "few sentences found": (
        [CLEAR], reach(0.4), "Caution",
        "finds only 40% of the sources' own sentences: documents of other records support the rest about as much",
    ),
    "clusters": (
        [CLEAR.replace(clusters=40, group_clusters=30, group_items=900.0)], {}, "Measured",
        r"^Sentiment: negative 900 documents in 30 independent groups\. 400 records in 40 independent groups\.",
    ),
    "groups that differ in spelling": (
        [CLEAR.replace(notes=(Note("groups_alike", {"attribute": "sentiment", "groups": ["Neg", "neg"]}),))], {}, "Caution",
        r"^The groups '?Neg'?, '?neg'? of sentiment differ only in spelling: if they are one group, use one spelling\.",
    ),
    "more resamples": (
        [PLAIN.replace(notes=(HIDDEN,))], {}, "Caution",
        "^12 comparisons with one Holm correction can become significant only with more resamples: --resamples 480",
    ),
    "more resamples would not matter": (
        [CLEAR.replace(notes=(HIDDEN,))], {}, "Caution", "^(?!.*resamples)",
    ),
    "copies": (
        [CLEAR], REPEATED, "Caution",
        (r"40 records have the same documents as another record with a different id \(for instance a, b\); without the copies, "
        r"sentiment negative in summaries by gpt-4: −5.0%, p\xa0=\xa00.001 \(unadjusted\)\."),
    ),
    "languages": (
        [CLEAR], REPEATED, "Caution",
        (r"13 documents in another language than the others \(fr 13\); without them no longer significant: sentiment negative in "
        "summaries by gpt-4: −5.0%, p\xa0=\xa00.420."),
    ),
    "equal lengths": (
        [CLEAR.replace(notes=(LENGTH,))], {}, "Caution",
        r"Sentiment negative in summaries by gpt-4: not significant at equal document lengths \(−67%, p\xa0=\xa00.058\)\.",
    ),
    "a scorer that may explain it": (
        [PLAIN.replace(notes=(RETRIEVES,))], {}, "Caution",
        (r"equally paraphrased sentences of negative documents less often in their document \(0\.91, others 0\.97.*"
         "part of this difference may come from the scorer"),
    ),
    "groups to plan": (
        [PLAIN.replace(p=0.5, value=-0.01, n=4000)], {}, "Next", r"\(1,600 independent groups to find",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_of_each_condition(name: str) -> None:
    """What an audit has found, or could not find, and what weakens it, each in its place on the first screen."""
    estimates, made, asked, told = SENTENCES[name]
    assert re.search(told, answers(screen(*estimates, **made))[asked])
