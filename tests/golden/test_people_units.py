"""The release's edge cases: each equal in the published reading, and answered better where it is at fault."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.golden.people_instances import main_value, people_of, told_apart

from fairbrief.measures.distinguishability import Distinguishability
from fairbrief.measures.entity_hallucination import EntityHallucination
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.text import names
from fairbrief.text.anonymisation import anonymise, anonymise_published
from fairbrief.text.gendered_words import count_identifiers
from fairbrief.text.names import gender_of_any, gender_of_name
from fairbrief.text.people import Decision, Name, align, align_published, invented
from fairbrief.types import Totals


def _totals(statistic: str, counts: Any, other: str, others: Any) -> Totals:
    groups = "abcdefgh"[: len(counts[0])]
    columns = [(statistic, g) for g in groups] + [(other, g) for g in groups]
    values = [*np.sum(counts, axis=0), *np.sum(others, axis=0)]
    return Totals({c: i for i, c in enumerate(columns)}, np.array(values, dtype=float))


# ---------------------------------------------------------------------------------------- alignment


BETTER_ALIGNMENTS = {
    "Mrs Smith": ("12", "a title of either gender aligns, with or without a full stop"),
    "Lady Smith": ("12", "Lady aligns as Sir does"),
    "J. Smith": ("", "an initial must be that of the first name"),
}


def test_alignment_equals_every_edge_case_as_published_and_departs_from_it_only_at_faults(
    edge: dict[str, Any],
) -> None:
    """All 23 names refer to the people that the release finds; Lady, Mrs without a stop, and foreign initials are decided as the
    paper's text says.
    """
    people = people_of(edge["align_instructions"], "gender")
    names = [Name(p.first_name, p.last_name) for p in people]
    for case in edge["align"]:
        for tokens, wanted in zip(case["tokens"], case["summary_to_source"].values(), strict=True):
            assert [people[i].id for i in align_published(tokens, names).people] == wanted
        span = case["ents"][0]
        found = "".join(people[i].id for i in align(span.removesuffix("'s").split(), names).people)
        released = "".join(case["summary_to_source"]["0"])
        better, why = BETTER_ALIGNMENTS.get(span, (released, "as released"))
        assert found == better, f"{span}: {why}"


# ---------------------------------------------------------------------------------------- word lists


def test_word_counts_equal_the_release_except_for_words_joined_by_a_slash(edge: dict[str, Any]) -> None:
    """``himself/herself`` speaks of both genders; the release's tokenizers do not see it."""
    for text, wanted in edge["wordlist_text"]:
        released = (wanted.get("female", 0), wanted.get("male", 0))
        assert count_identifiers(text, "helm", "published") == released
        better = (1, 1) if text == "himself/herself" else released
        assert count_identifiers(text, "helm") == better


def test_total_variation_of_word_lists_equals_the_release(edge: dict[str, Any]) -> None:
    """Pooled shares are compared; without any word on either side the value is undefined."""
    for source, summary, wanted in edge["tvd_wordlist"]:
        totals = _totals("source", source, "summary", summary)
        lists = "; ".join(f"{g}: {g}x" for g in "abcdefgh"[: len(source[0])])
        measure = WordListInclusion(lists)
        assert main_value(measure, totals) == pytest.approx(float(wanted), abs=1e-12, nan_ok=True)


# ---------------------------------------------------------------------------------------- inclusion


def test_odds_as_published_equal_the_release_with_its_infinities(edge: dict[str, Any]) -> None:
    """Uncorrected odds are infinite or undefined exactly where the release's are; it divides by zero or not by the kind of its
    numbers.
    """
    assert edge["adjusted_max_odds_ratio_python_float_p1"].startswith("ZeroDivisionError")
    measure = EntityInclusion("g", odds="published")
    for shares, (wanted, high, low) in edge["adjusted_max_odds_ratio"]:
        totals = _totals("source", [[10] * len(shares)], "included", [[10 * p for p in shares.values()]])
        assert main_value(measure, totals) == pytest.approx(float(wanted), rel=1e-12, nan_ok=True)
        if float(wanted) > 0:
            assert measure.direction(totals) == (high, low)
        elif math.isfinite(float(wanted)):
            # Better than the release: equal odds have no direction.
            assert measure.direction(totals) is None


def test_pooled_counts_give_the_releases_inclusion(edge: dict[str, Any]) -> None:
    """Counts are pooled over instances before odds are taken; half a person more in every cell keeps infinite odds finite."""
    measure = EntityInclusion("g", odds="published")
    for source, included, (wanted, high, low) in edge["inclusion_matrix"]:
        totals = _totals("source", source, "included", included)
        assert main_value(measure, totals) == pytest.approx(float(wanted), rel=1e-12, nan_ok=True)
        if float(wanted) > 0:
            assert measure.direction(totals) == ("ab"[high], "ab"[low])
        corrected = main_value(EntityInclusion("g"), totals)
        is_present = np.sum(source, axis=0) > 0
        assert math.isfinite(corrected) if is_present.all() else math.isnan(corrected)


# ------------------------------------------------------------------------------------ hallucination


def test_total_variation_to_uniform_equals_the_release(edge: dict[str, Any]) -> None:
    """Shares of invented people are compared with equal shares; none at all is undefined, no error."""
    for counts, wanted in edge["tvd_uniform_hallucination"]:
        groups = tuple("abcdefgh"[: len(counts[0])])
        measure = EntityHallucination("g", groups=groups)
        totals = _totals("invented", counts, "source", counts)
        assert main_value(measure, totals) == pytest.approx(float(wanted), abs=1e-12, nan_ok=True)


def test_a_person_is_invented_only_if_a_whole_word_is_absent_from_the_source() -> None:
    """The release finds Robert inside Robertson; whole words do not, unless as published."""
    decision = Decision("Robert Mills", ("Robert", "Mills"), (), "")
    source = "Mr. Robertson sold his windmills."
    assert invented([decision], source, "published") == []
    assert invented([decision], source) == [decision]
    assert invented([Decision("Mr. Robertson", ("Mr.", "Robertson"), (), "")], source) == []


BETTER_GENDERS = {
    "Mary James": ("female", "the given name decides; the last name James is no first name here"),
    "Mrs. Smith": ("female", "the title speaks"),
    "Taylor Stone": ("male", "at least twice as frequent (App. F), not more than twice"),
    "Devon Price": ("male", "at least twice as frequent (App. F), not more than twice"),
    "Dominique Price": ("female", "at least twice as frequent (App. F), not more than twice"),
    "Kim Carter": ("female", "the given name decides; Carter is a last name here"),
    "W. Jean": (None, "behind an initial stands a last name"),
    "Hillary Clinton": ("female", "the given name decides; Clinton is a last name here"),
}


def test_genders_of_names_equal_the_release_unless_the_paper_says_otherwise(edge: dict[str, Any]) -> None:
    """As published all 19 names agree; by default titles, given names and the twice rule decide."""
    pages = {"hillary clinton": "female"}
    for name, wanted in edge["name_classifier"]:
        tokens = name.split()
        census = names.genders(strictly=True)
        published = gender_of_any(tokens, pages, census, page_decides=False) or None
        assert published == wanted, name
        found = gender_of_name(tokens, {}, names.genders()) or None
        better, why = BETTER_GENDERS.get(name, (wanted, "as released"))
        assert found == better, f"{name}: {why}"


def test_nine_names_lie_exactly_at_twice() -> None:
    """At-least-twice keeps the nine census names that strictly-more-than-twice drops."""
    differing = set(names.genders()) - set(names.genders(strictly=True))
    assert differing == {"devon", "dominique", "elisha", "gale", "jae", "michal", "nicky", "taylor", "val"}


# ----------------------------------------------------------------------------------- anonymisation


def test_anonymisation_as_published_equals_the_release_where_it_does_not_fail(edge: dict[str, Any]) -> None:
    """Substrings, their for him, doubled stops: all as released; absent or empty names are left alone."""
    for text, instructions, wanted in edge["anonymize"]:
        names = [Name(p.first_name, p.last_name) for p in people_of(instructions, "gender")]
        found = anonymise_published(text, names)
        if wanted.startswith("TypeError") or text == "x":
            assert found == text
        else:
            assert found == wanted


def test_anonymisation_by_whole_words_spares_other_words() -> None:
    """Annual and Smithfield stay, capitals count, him is them, Lady is a title, stops are not doubled."""
    names = [Name("Ann", "Smith")]
    assert anonymise("Annual Smithfield report; ann smith; ANN SMITH", names) == (
        "Annual Smithfield report; FIRST_NAME LAST_NAME; FIRST_NAME LAST_NAME"
    )
    assert anonymise("HE told him and her, Lady Smith and Mr. Smith, of her dog.", names) == (
        "THEY told them and them, M. LAST_NAME and M. LAST_NAME, of their dog."
    )


@pytest.mark.parametrize("text", [
    "Ann's mother-in-law met the Smith-Jones; Mr. Smith's aide saw her, and ex-Smith aides saw her_dog.",
    "Ma'am's, HER'S, O'Smith-Ann: 3rd ann_smith -her- SIR.",
])  # fmt: skip
def test_anonymisation_does_not_depend_on_the_alphabet_around(text: str) -> None:
    """Pure ASCII is searched with a table of its own; a letter outside it elsewhere changes nothing."""
    names = [Name("Ann", "Smith")]
    assert anonymise(f"{text} \u00e9", names) == f"{anonymise(text, names)} \u00e9"


# --------------------------------------------------------------------------------- distinguishability


def _scores(rows: list[list[str]], measure: Distinguishability) -> list[float | str]:
    of_seeds: dict[str, list[tuple[str, str]]] = {}
    for name, group, text in rows:
        of_seeds.setdefault(name, []).append((group, text))
    return [told_apart(texts, measure) for texts in of_seeds.values()]


BETTER_SCORES: dict[str, list[float | str]] = {
    "one_empty_summary": ["fewer than two usable summaries in a group"],
    "all_stopwords": ["fewer than two usable summaries in a group"],
    "one_per_class": ["fewer than two usable summaries in a group"],
    "single_class": ["one group only"],
    "two_articles_macro": [1.0, 0.0],
}


def test_distinguishability_edge_cases(edge: dict[str, Any]) -> None:
    """What cannot be compared is a reason, and as published −1 as in the release; identical texts are tied, whatever rounding says."""
    pytest.importorskip("sklearn")
    ours = Distinguishability("g", "counts(stop_words=sklearn)")
    published = replace(ours, version="published")
    for name, case in edge["distinguishability_count"].items():
        released = [pytest.approx(case["score"], abs=1e-12)]
        assert _scores(case["input"], ours) == BETTER_SCORES.get(name, released), name
        if name != "all_stopwords":  # there the release ends with an error
            wanted = BETTER_SCORES[name] if name == "two_articles_macro" else released
            assert _scores(case["input"], published) == wanted, name
