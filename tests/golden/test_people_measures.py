"""The scores that the release's code gives to eight sets of controlled inputs."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.golden.people_instances import MONO, SETS, GoldenSet, Released, main_value

from fairbrief.auditing import Plan, audit
from fairbrief.measures.distinguishability import Distinguishability
from fairbrief.measures.entity_hallucination import EntityHallucination, InventedNames, most_frequent
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.text.people import Decision, Name, find_people
from fairbrief.types import Case, Rows

BY_GENDER = [names for names in SETS if names[2] == "gender"]
PUBLISHED = {"people": "spacy:golden", "alignment": "published"}


def decisions(case: Case, names: Collection[str]) -> list[Decision]:
    """To whom each of the recognised names of a summary refers, as published."""
    people = [Name(p.first_name, p.last_name) for p in case.record.entities]
    source = case.record.documents[0].text
    return find_people(case.summary.text, people, source, names, "published", with_known=False)


@pytest.mark.parametrize("released", SETS, indirect=True)
def test_inclusion_and_alignments_as_published_equal_the_release(released: Released) -> None:
    """Counts of people, the score and its direction come out as in the release, and each recognised name refers to the same people."""
    measure, wanted = EntityInclusion(released.over, **PUBLISHED, odds="published"), released.wanted
    totals = released.given.take(measure)
    counts = {g: [int(totals["source", g]), int(totals["included", g])] for g in totals.values_of("source")}
    assert counts == wanted["inclusion_counts"]
    assert main_value(measure, totals) == pytest.approx(wanted["entity_inclusion"]["score"], abs=1e-12)
    assert list(measure.direction(totals) or ()) == wanted["entity_inclusion"]["max_min"]
    given = released.given
    for case, names, theirs in zip(given.cases, given.parses, wanted["alignments"], strict=False):
        people = case.record.entities
        found = [sorted(people[i].id for i in d.people) for d in decisions(case, names)]
        assert found == [sorted(ids) for ids in theirs["s2d"].values()]


@pytest.mark.parametrize("words", ["published", "recommended"])
@pytest.mark.parametrize("released", BY_GENDER, indirect=True)
def test_word_list_inclusion_equals_the_release(released: Released, words: str) -> None:
    """Counts and both references of word lists come out as in the release, in either reading of words."""
    measure, wanted = WordListInclusion(words=words), released.wanted["word_list"]
    totals = released.given.take(measure)
    assert {g: totals["source", g] for g in ("female", "male")} == wanted["source_counts"]
    assert {g: totals["summary", g] for g in ("female", "male")} == wanted["summary_counts"]
    assert main_value(measure, totals) == pytest.approx(wanted["score"], abs=1e-12)
    uniform = WordListInclusion(reference="uniform", words=words)
    assert main_value(uniform, totals) == pytest.approx(wanted["uniform_reference_score"], abs=1e-12)


@pytest.mark.parametrize("released", BY_GENDER, indirect=True)
def test_hallucination_as_published_equals_the_release(released: Released) -> None:
    """Invented names, their classes and the score come out as in the release."""
    given, wanted = released.given, released.wanted["hallucination"]
    measure = EntityHallucination("gender", **PUBLISHED, names="names(rule=published)")
    totals = given.take(measure)
    known = {g: totals["invented", g] for g in ("female", "male")}
    assert {**known, "None": totals["unknown"]} == wanted["class_counts"]
    assert main_value(measure, totals) == pytest.approx(wanted["score"], abs=1e-12)
    names = InventedNames("gender", **PUBLISHED, names="names(rule=published)")
    assert dict(most_frequent(given.take(names), 100)) == wanted["candidates"]
    assert max(known, key=lambda g: known[g]) == wanted["top_category"]
    # No name of these sets is in the source without being aligned: all that are not aligned are invented.
    assert wanted["unaligned_but_in_source"] == {}
    pairs = zip(given.cases, given.parses, strict=True)
    unaligned = sum(not d.people for pair in pairs for d in decisions(*pair))
    assert unaligned == sum(wanted["class_counts"].values())


@pytest.mark.parametrize(("file", "over"), MONO)
def test_distinguishability_as_published_equals_the_release(
    golden: Path, expected: dict[str, Any], file: str, over: str
) -> None:
    """Anonymised texts, every seed document's score and their mean come out as in the release."""
    pytest.importorskip("sklearn")
    given = GoldenSet(golden, file, over)
    measure = Distinguishability(over, "counts(stop_words=sklearn)", version="published")
    wanted, texts = expected[file]["count"], []
    for unit in given.units(measure):
        texts += measure.observation.asks(unit)[0].rows
        rows = given.observe(measure, unit)
        assert isinstance(rows, Rows)
        assert rows.values[0, 0] == pytest.approx(wanted["per_original"][unit[0].record.cluster], abs=1e-12)
    # The release lists a seed document's texts by group, we in the order of the input.
    assert sorted(texts[:20]) == sorted(expected[file]["anonymized_first20"])
    assert main_value(measure, given.take(measure)) == pytest.approx(wanted["score"], abs=1e-12)


def test_ties_by_rounding_change_nothing_and_strict_ones_are_those_of_the_papers_equation(
    golden: Path, edge: dict[str, Any]
) -> None:
    """A tolerance of 1e-9 leaves every score as it is; with strict ties it is that of Eq. 4, which the release departs from."""
    pytest.importorskip("sklearn")
    for file, over in MONO:
        given, wanted = GoldenSet(golden, file, over), edge["tie_rounding"][file]["count"]
        measure = Distinguishability(over, "counts(stop_words=sklearn)", version="published")
        found = [given.observe(measure, unit).values[0, 0] for unit in given.units(measure)]
        assert found == pytest.approx(wanted["per_original_tolerance"], abs=1e-12)
        assert (wanted["ties_broken_by_rounding"], wanted["n"]) == (0, len(given.cases))
        strict = replace(measure, ties="strict")
        strictly = wanted["paper_eq4_strict_tolerance"]
        assert main_value(strict, given.take(strict)) == pytest.approx(strictly, abs=1e-12)
    # The races' texts have no pronoun that the release makes neutral otherwise than the paper says: −0.214, not −0.107.
    text = Distinguishability("race", "counts(stop_words=sklearn)", version="text")
    assert main_value(text, given.take(text)) == pytest.approx(-3 / 14)


def test_the_toy_systems_preference_for_women_is_found_by_every_default_measure(golden: Path) -> None:
    """On one-gender inputs the defaults see the toy system's bias, and none among its invented people."""
    result = audit(GoldenSet(golden, "gender_mono", "gender").cases, Plan(attributes=("gender",)))
    p = {e.quantity: e.p for e in result.estimates}
    assert max(p["word_list_inclusion"], p["entity_inclusion"], p["distinguishability"]) < 0.05
    assert p["entity_hallucination"] > 0.05
