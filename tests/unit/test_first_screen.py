"""What a reader sees first: the sentence, the standing of each group, the picture, and what to do next."""

from __future__ import annotations

import io
import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from rich.console import Console
from tests import sample_results

from fairbrief import registry
from fairbrief.declarations import ContrastWords
from fairbrief.reports import contrast_table, contrast_words, first_answers, first_screen, html
from fairbrief.reports.contrast_words import tick
from fairbrief.reports.first_screen import FirstScreen
from fairbrief.reports.frames import Estimates
from fairbrief.reports.terminal import print_result
from fairbrief.types import Estimate

PLAIN = Estimate(
    "coverage_parity@sentiment", "relative_difference[negative]", "gpt-4", -0.158, low=-0.2, high=-0.115, p=0.001,
    testable=True, n=400, clusters=400, over="sentiment", kind="contrast", group="negative", leads=True, detectable=0.06,
)  # fmt: skip
BLIND = {"blind": -0.058, "blind_difference": -0.1, "blind_p": 0.002, "blind_p_adjusted": 0.006}


def screen(*estimates: Estimate, **made: Any) -> FirstScreen:
    """The first screen of these estimates."""
    result = sample_results.make()
    found = first_screen.make(replace(result, estimates=Estimates(estimates), made={**result.made, **made}))
    assert found is not None
    return found


def test_the_first_sentence_says_who_which_way_how_far_and_what_a_random_pick_gives() -> None:
    """A system's own contrast stands beside what sentences picked at random read."""
    found = screen(PLAIN.replace(**BLIND))
    assert found.lead == (
        "gpt-4 covers documents with sentiment negative 16% less than the average document; a random pick of sentences of "
        "the same length would cover them 5.8% less."
    )
    (line,) = found.panels[0].blocks[0].lines
    assert (line.kind, line.standing) == ("own", "random pick −5.8%: 10 points below it, p\u00a0=\u00a00.006")
    assert line.side == "worse"


def answers(found: FirstScreen) -> dict[str, str]:
    """What the first screen answers, by question."""
    return {
        a.asked: " ".join(f"{text} {command}".strip() for text, command in a.lines) for a in found.answers
    }


def test_who_how_much_how_sure_and_what_next_are_answered() -> None:
    """Each question of a newcomer has its own short answer, with the interval, the random pick and the records."""
    found = answers(
        screen(
            PLAIN.replace(**BLIND),
            PLAIN.replace(**BLIND | {"blind_difference": 0.05}, group="positive", value=0.2),
        )
    )
    assert found["Who is worse off?"] == "Documents with sentiment negative (−16%), in summaries by gpt-4."
    assert found["By how much?"] == (
        "Sentiment negative: 16% less than the average document (95% interval −20% to −12%). A random pick of sentences of "
        "the same length: −5.8%, so that the system itself stands 10 points below it."
    )
    assert found["How sure is it?"] == (
        "Sure: were there no difference from a random pick, one as large would be seen in about 6 of 1,000 such audits "
        "(p\u00a0=\u00a00.006, corrected for the number of comparisons; 400 records)."
    )
    assert "coverage_parity(scorer=embedding)@sentiment" in found["What next?"]


def test_records_that_a_measure_could_not_read_are_said_with_the_reason() -> None:
    """Fewer records than the input has are explained where they are counted."""
    found = answers(
        screen(PLAIN.replace(**BLIND, excluded={"one group only": 1529, "the summary has no unit": 2}))
    )
    assert found["How sure is it?"].endswith("400 records; 1,531 records left out, most: one group only).")


def test_other_systems_are_said_beside_the_one_that_leads() -> None:
    """The same contrast of the others stands by how clear it is."""
    found = screen(
        PLAIN, PLAIN.replace(system="b", value=-0.1), PLAIN.replace(system="c", p=0.5, value=-0.01)
    )
    assert answers(found)["Other systems?"] == "Clear too: b (−10%); not clear: c (−1.0%)."


def test_contrasts_without_groups_are_shown_and_clear_ones_stand_first() -> None:
    """A shift of position has its panel; where nothing is clear the panel is folded, below the clear ones."""
    shift = PLAIN.replace(
        measure="position_from_uniform",
        quantity="mean_position_shift",
        over="",
        group="",
        value=-0.36,
        low=-0.4,
        high=-0.3,
    )
    found = screen(PLAIN.replace(p=0.5), shift)
    assert found.lead == (
        "gpt-4 draws on places that lie, on average, 36% of the text nearer to its beginning than sentences picked at random."
    )
    assert [(panel.title, panel.is_clear) for panel in found.panels] == [
        ("Position", True),
        ("Coverage by sentiment", False),
    ]
    assert answers(found)["Who is worse off?"].startswith("What stands late in a text (−36%)")
    assert found.measures == ("position_from_uniform", "coverage_parity@sentiment")


def test_a_pair_of_groups_is_said_as_two_groups() -> None:
    """The sides of a contrast of two groups are named, and which of them is worse off."""
    pair = PLAIN.replace(
        measure="sentiment_shift",
        quantity="difference[female−male]",
        over="",
        group="female − male",
        value=0.4,
        low=0.2,
        high=0.6,
    )
    found = screen(pair, pair.replace(quantity="sentiment_shift"))
    assert (
        found.lead
        == "In summaries by gpt-4, the tone of female texts is raised by 0.400 against that of male texts."
    )
    assert [line.who for line in found.panels[0].blocks[0].lines] == ["female against male"]
    assert answers(found)["Who is worse off?"] == "Male texts, in summaries by gpt-4."


def test_what_any_pick_shows_is_not_said_of_the_system() -> None:
    """Where exchanged labels are beaten and the random pick is not, the sentence says so."""
    found = screen(PLAIN.replace(**BLIND | {"blind_p": 0.21, "blind_p_adjusted": 0.63}))
    assert "but not clearly more so than a random pick of sentences" in found.lead
    (line,) = found.panels[0].blocks[0].lines
    assert line.kind == "as blind"
    assert line.standing.startswith("random pick −5.8%: not clearly different (10 points below it, p")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, "differs"),
        ({"p": 0.4}, "unclear"),
        ({"p": 0.001, "p_adjusted": 0.06}, "unclear"),
        ({"p": 1.0, "testable": False}, "not testable"),
        ({"value": None, "low": None, "high": None}, "no value"),
        (BLIND, "own"),
        (BLIND | {"p": 0.9}, "own"),
        (BLIND | {"blind_p_adjusted": 0.2}, "as blind"),
        (BLIND | {"blind": -0.3, "blind_difference": 0.142}, "evener"),
        (BLIND | {"blind": 0.3, "blind_difference": -0.458}, "own"),
        (BLIND | {"blind_p_adjusted": 0.2, "p": 0.9}, "unclear"),
    ],
)
def test_every_standing_has_its_words(change: dict[str, Any], kind: str) -> None:
    """The adjusted p decides, the random pick before exchanged labels; nothing is left without a word."""
    e = PLAIN.replace(**change)
    assert first_answers.standing_of(e, 0.05) == kind
    (line,) = screen(e).panels[0].blocks[0].lines
    assert line.kind == kind
    assert line.standing


def test_what_is_not_clear_says_what_would_have_been_seen_and_how_many_records_it_takes() -> None:
    """An audit without a finding gives no all-clear."""
    found = screen(PLAIN.replace(p=0.4))
    assert (
        found.lead
        == "No difference between groups is clear in 400 records. That does not show that there is none."
    )
    (line,) = found.panels[0].blocks[0].lines
    assert line.standing == "not clear, p\u00a0=\u00a00.400; a difference of 6.0 points would have been seen"
    assert answers(found)["How sure is it?"].endswith(
        "A difference of 6.0 points would have been seen in 80 of 100."
    )
    assert (
        answers(found)["What next?"]
        == "More records: to see a difference of 3.0 points, take about 1,600. For other sizes: fairbrief power DIR"
    )
    assert answers(found)["Who is worse off?"] == "Nobody clearly."


def test_groups_stand_in_natural_order_with_their_attribute() -> None:
    """2 stars comes before 10 stars, whatever the order of the estimates."""
    groups = [
        PLAIN.replace(over="stars", group=g, quantity=f"relative_difference[{g}]") for g in ("10", "2", "1")
    ]
    assert [line.who for line in screen(*groups).panels[0].blocks[0].lines] == [
        "1 star",
        "2 stars",
        "10 stars",
    ]
    beside = [e.replace(system="b") for e in groups]
    assert [block.group for block in screen(*groups, *beside).panels[0].blocks] == [
        "1 star",
        "2 stars",
        "10 stars",
    ]


def test_slices_controls_and_repeated_contrasts_stay_out() -> None:
    """The first screen speaks of the systems on all records, once."""
    shadow = PLAIN.replace(measure="equal_coverage@sentiment")
    others = [
        PLAIN.replace(slice={"a": "b"}),
        PLAIN.replace(system="control:lead(gpt-4)", system_kind="control"),
        shadow,
    ]
    found = screen(PLAIN, *others)
    assert [len(block.lines) for panel in found.panels for block in panel.blocks] == [1]


def test_twenty_systems_and_thirty_groups_stay_a_screen_and_say_what_is_missing() -> None:
    """What is not shown is counted."""
    many = [
        PLAIN.replace(
            system=f"s{i}",
            group=f"g{j}",
            quantity=f"relative_difference[g{j}]",
            value=0.01 * i - 0.001 * j,
        )
        for i in range(20)
        for j in range(30)
    ]
    (panel,) = screen(*many).panels
    assert len(panel.blocks) == first_screen.MOST_GROUPS
    assert {len(block.lines) for block in panel.blocks} == {first_answers.MOST_SYSTEMS}
    assert panel.notes == (
        "Shown are the 12 of 30 groups with the clearest differences; all stand in the tables below.",
        "Shown are the 6 of 20 systems with the clearest differences; all stand in the tables below.",
    )


def test_an_interval_far_wider_than_the_rest_does_not_flatten_the_picture() -> None:
    """The scale follows the values; a bar that leaves it is cut at its end."""
    wide = PLAIN.replace(group="neutral", quantity="relative_difference[neutral]", low=-40.0, high=40.0)
    (panel,) = screen(PLAIN, wide).panels
    places = [float(x) for x in re.findall(r'x[12]="(-?[\d.]+)"', panel.blocks[0].lines[1].picture)]
    assert 0 <= min(places) <= max(places) <= 420


WORDED = {
    name: kind.declaration.contrast
    for name, kind in registry.loaded("measure")
    if kind.declaration.contrast != ContrastWords()
}


@pytest.mark.parametrize("name", [*WORDED, "unheard_of"])
@pytest.mark.parametrize("value", [-0.25, 0.25])
def test_each_measure_has_a_sentence_for_both_sides(name: str, value: float) -> None:
    """System and size stand in it, no place is left unfilled, and the two sides differ."""
    words = WORDED.get(name, ContrastWords())
    e = PLAIN.replace(system="SYSTEM", group="a − b", value=value)
    sentence = contrast_words.sentence(e, words)
    assert "SYSTEM" in sentence
    assert contrast_words.size(value, words.unit) in sentence
    assert not contrast_words.PLACE.search(
        sentence + contrast_words.worse(e, words) + words.even + words.question
    )
    assert contrast_words.filled(words.random, reads="x") != words.random
    assert sentence != contrast_words.sentence(e.replace(value=-value), words)
    assert tick(0.0, words.unit) == "0"


def test_words_that_a_saved_result_tells_are_read_back_and_strange_ones_do_no_harm() -> None:
    """A unit that is not known is plain, a place that is not known stays, and nothing of a text is carried out."""
    assert contrast_words.read({"unit": "miles", "below": "{size.__class__} {x}"}) == ContrastWords(
        below="{size.__class__} {x}"
    )
    assert contrast_words.said(PLAIN, ContrastWords(below="{size.__class__} {x}")) == "{size.__class__} {x}"
    assert contrast_words.read(None) == ContrastWords()


def test_without_contrasts_the_page_begins_with_all_measures_in_words() -> None:
    """A result of an older audit, or of levels alone, opens its findings."""
    result = sample_results.make()
    assert first_screen.make(result) is None
    assert '<details class="part" open><summary><h2>All measures in words' in html.render(result)
    with_contrasts = html.render(replace(result, estimates=Estimates([PLAIN, *result.estimates])))
    assert '<details class="part"><summary><h2>All measures in words' in with_contrasts


def test_odds_stand_beside_the_plain_rates_of_both_groups() -> None:
    """Per cent of odds are no per cent of people: the rates behind them are said."""
    odds = Estimate(
        "entity_inclusion@gender", "log_odds[female/male]", "gpt-4", -0.6931, low=-1.0, high=-0.3, p=0.001,
        testable=True, n=400, clusters=400, over="gender", kind="contrast", group="female/male", leads=True,
    )  # fmt: skip
    words = ContrastWords(
        unit="odds", below="{first} people have {size} lower odds than {second} people",
        rates="inclusion", rate="{rate} of {group} people are named",
    )  # fmt: skip
    declared = {"entity_inclusion": {"family": "People", "contrast": asdict(words)}}
    rates = [
        odds.replace(
            quantity=f"inclusion[{group}]", value=rate, kind="share", group=group, leads=False, p=None
        )
        for group, rate in (("female", 0.25), ("male", 0.4))
    ]
    told = answers(screen(odds, *rates, declared=declared))["By how much?"]
    assert told.endswith(": 25% of female people are named, 40% of male people are named.")
    assert "25%" not in answers(screen(odds, declared=declared))["By how much?"]


def test_the_terminal_begins_with_the_answers() -> None:
    """Who, how much and how sure stand above the tables; a paper's tables come without."""
    result = replace(sample_results.make(), estimates=Estimates([PLAIN.replace(**BLIND)]))
    console = Console(record=True, width=80, file=io.StringIO())
    print_result(result, console)
    told = console.export_text()
    assert told.index("Who is worse off?") < told.index("How sure is it?") < told.index("interval  ")
    print_result(replace(result, made={**result.made, "protocol": "zhang-perspectives"}), console)
    assert "Who is worse off?" not in console.export_text()


def test_what_is_not_clear_stands_beside_the_random_pick_with_the_p_of_that() -> None:
    """As in the terminal's table: the p of the difference from it, adjusted."""
    unclear = PLAIN.replace(p=0.9, p_adjusted=1.0, **BLIND | {"blind_p": 0.07, "blind_p_adjusted": 0.14})
    (line,) = screen(unclear).panels[0].blocks[0].lines
    assert line.standing.startswith("random pick −5.8%; not clearly different from it, p\u00a0=\u00a00.140")
    (table,) = contrast_table.contrast_tables([unclear], sample_results.make().made)
    assert (table.header[-1], table.rows[-1][-1]) == ("p\n(Holm)", "0.140")
    (table,) = contrast_table.contrast_tables([PLAIN.replace(p_adjusted=0.02)], sample_results.make().made)
    assert table.rows[-1][-1] == "0.020"


def test_measures_with_other_settings_are_named_in_their_sentences() -> None:
    """Under two scorers the same contrast has two values; of one there is nothing to tell apart."""
    measure = "coverage_parity(scorer=tfidf)@sentiment"
    other = PLAIN.replace(measure=measure, value=-0.1, low=-0.12, high=-0.08, **BLIND)
    found = screen(PLAIN.replace(**BLIND), other)
    told = answers(found)
    assert "16% less than the average document (by coverage_parity)" in found.lead
    assert "16% less than the average document (by coverage_parity)" in told["By how much?"]
    assert (
        "10% less than the average document (by coverage_parity(scorer=tfidf))" in told["What else is clear?"]
    )
    assert {panel.title for panel in found.panels} == {
        "Coverage by sentiment (by coverage_parity)", "Coverage by sentiment (by coverage_parity(scorer=tfidf))"
    }  # fmt: skip
    elsewhere = PLAIN.replace(measure="coverage_parity@party", over="party", group="left")
    for alone in (screen(PLAIN.replace(**BLIND)), screen(PLAIN.replace(**BLIND), elsewhere)):
        assert "(by " not in alone.lead


def test_of_contrasts_that_are_not_clear_the_largest_is_told() -> None:
    """Not the first by name."""
    small = PLAIN.replace(system="a", value=-0.01, low=-0.1, high=0.08, p=0.9)
    large = PLAIN.replace(system="b", value=-0.2, low=-0.5, high=0.1, p=0.5)
    assert answers(screen(small, large))["By how much?"].startswith("Sentiment negative: 20% less")


def test_pooled_runs_are_counted_as_summaries() -> None:
    """A record has one of each run."""
    told = answers(screen(PLAIN.replace(clusters=10, n=60), pools_runs=True))
    assert "10 independent groups of 60 summaries" in told["How sure is it?"]


def test_more_records_are_counted_in_what_is_independent() -> None:
    """Variants of one original bring nothing new: where records come in groups, groups are asked for."""
    unclear = PLAIN.replace(p=0.5, value=-0.01)
    assert "take about 1,600. For" in answers(screen(unclear))["What next?"]
    grouped = answers(screen(unclear.replace(n=4000)))["What next?"]
    assert "take about 1,600 independent groups of records. For" in grouped
