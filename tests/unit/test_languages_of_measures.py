"""Audits of other languages than English: sensible units, and measures that need English say so."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command import printed

from fairbrief import readers
from fairbrief.auditing import Plan, audit
from fairbrief.text.segmentation import word_count
from fairbrief.text.sentences import sentences_of
from fairbrief.types import Case, Document, Record, Summary

LANGUAGES = {"de": "German", "zh": "Chinese", "ar": "Arabic"}
FAIRNESS = ["uer@sentiment", "coverage_parity@sentiment"]


def example(code: str) -> Path:
    """The hand-written reviews in a language."""
    return Path(f"examples/reviews_{code}.jsonl")


@pytest.mark.parametrize("code", LANGUAGES)
def test_reviews_are_audited_with_sensible_units(code: str) -> None:
    """Sentences and words are those of the language, and the one-sided system reads as less fair in every measure."""
    cases = list(readers.read(example(code)))
    for c in cases:
        assert len(sentences_of(c.summary.text)) == (2 if c.summary.system == "balanced" else 1)
    assert all(4 <= word_count(d.text) <= 25 for c in cases for d in c.record.documents)
    result = audit(cases, Plan(measures=FAIRNESS, n_resamples=0))
    assert result.made["language"] == f"{LANGUAGES[code]} (detected)"
    value = {(e.system, e.quantity): e.value for e in result.estimates}
    for name in ("uer", "coverage_parity"):
        assert value["rosy", name] > value["balanced", name] + 0.05


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_default_audit_leaves_out_what_reads_english_by_the_languages_name(code: str) -> None:
    """No English list is applied to other texts: the measure is named with the language that was found."""
    result = audit(readers.read(example(code)), Plan(n_resamples=0, ordered=True))
    told = {left.measure: left.reason for left in result.not_measured}
    for name in ("word_list_inclusion", "sentiment_shift", "gender_agreement"):
        assert f"works for texts in English only; these are in {LANGUAGES[code]}" in told[name]
    assert {e.quantity for e in result.estimates} >= {"uer", "equal_coverage", "position_bias", "rouge1"}
    rouge = [e.value for e in result.estimates if e.quantity == "rouge1"]
    assert all(value and value > 0.05 for value in rouge)


def test_english_texts_say_nothing_of_their_language() -> None:
    """What needs no word is not said, and no measure is left out for its language."""
    result = audit(readers.read("examples/reviews.jsonl"), Plan(n_resamples=0))
    assert not result.made["language"]
    assert not any("in English only" in left.reason for left in result.not_measured)


def test_the_language_told_holds_in_other_processes() -> None:
    """Workers read texts in the language that was told: the answer is that of one process."""
    plan = Plan(measures=["uer@sentiment"], n_resamples=0, language="en")
    told = [audit(readers.read(example("de")), replace(plan, workers=n)).estimates for n in (1, 2)]
    detected = audit(readers.read(example("de")), replace(plan, language="")).estimates
    values = [[e.value for e in found] for found in (*told, detected)]
    assert values[0] == values[1] != values[2]


def test_the_command_line_tells_the_language() -> None:
    """``--language`` is printed beside the settings; an unknown code is refused."""
    options = ("--measure", "uer@sentiment", "--resamples", 0, "--details")
    said = printed("audit", example("zh"), *options, "--language", "zh")
    assert "Chinese" in said
    assert "(detected)" not in said


def test_a_long_record_in_another_language_is_left_out_by_its_name() -> None:
    """It says which language was found; the short ones around it are read as English."""
    french = "Le décor est très beau et la nourriture est bonne, mais le service a été trop lent pour nous. "
    cases = []
    for i, text in enumerate([*["He was there in the morning.", "She came late to it."] * 20, french * 3]):
        documents = (Document(text), Document(f"{text} She left."))
        cases.append(Case(Record(f"r{i}", documents), Summary(f"r{i}", "s", text)))
    result = audit(cases, Plan(measures=["word_list_inclusion"], n_resamples=0))
    reasons = {reason: n for e in result.estimates for reason, n in e.excluded.items()}
    assert [reason for reason in reasons if "French" in reason]
    assert set(reasons.values()) == {1}


def test_explain_reads_in_the_language_told() -> None:
    """``--language`` holds in other commands: Chinese read as English words gives other numbers."""
    told = {}
    for code in ("", "zh", "en"):
        asked = ("--measure", "uer@sentiment", "--resamples", 0, "--language", code)
        said = printed("explain", example("zh"), *asked)
        told[code] = said.partition("FINDING")[2] or said
    assert told[""] == told["zh"] != told["en"]
