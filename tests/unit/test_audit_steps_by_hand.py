"""Single steps of an audit, on a few cases and estimates."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.estimating import Settings
from fairbrief.auditing.multiple_tests import with_families, with_holm
from fairbrief.auditing.notes import length_notes, with_notes
from fairbrief.auditing.observing import with_unit_tests
from fairbrief.auditing.watchers import InputProfile, Sources
from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.coverage import EqualCoverage
from fairbrief.measures.representation import Uer
from fairbrief.reports.wording import worded
from fairbrief.scorers.shared_words import Containment
from fairbrief.statistics.resampling import holm
from fairbrief.types import AlikeRows, Case, Claim, Document, Estimate, Record, Summary


def case(record: str = "r", system: str = "s", text: str = "Alder.", **given: Any) -> Case:
    """A record of two documents of a and one of b, and a summary of it."""
    sides = ("a one", "a two", "b three")
    documents = tuple(Document(f"{record} {side}.", {"side": side[0]}) for side in sides)
    reason = "" if text else "refused"
    return Case(Record(record, documents, **given), Summary(record, system, text, reason=reason))


def kept(sources: Sources, *records: Record) -> list[str]:
    """The ids that a sample keeps of records, in the order of their ranks."""
    for record in records:
        sources.offer(record)
    return [record.id for record in sources.records()]


def test_the_sample_of_sources_is_the_same_in_any_order() -> None:
    """Of three seed documents two are kept; of one seed document's records the one whose id comes first."""
    records = [case(name, seed_document=name[0]).record for name in ("a2", "b1", "c1", "a1")]
    found = kept(Sources(2, 0), *records)
    assert len(found) == 2
    assert "a2" not in found
    for order in ((3, 2, 1, 0), (1, 3, 0, 2), (2, 0, 3, 1)):
        assert kept(Sources(2, 0), *(records[i] for i in order)) == found
    every = kept(Sources(3, 0), *records)
    assert sorted(every) == ["a1", "b1", "c1"]
    assert found == every[:2]


def estimate(quantity: str = "uer", p: float | None = None, **given: Any) -> Estimate:
    """One of the system s."""
    usual = {"measure": "uer@side", "system": "s", "value": 0.1}
    return Estimate(**{**usual, "quantity": quantity, "p": p, **given})


def codes(estimates: Sequence[Estimate]) -> list[list[str]]:
    """The codes of their notes."""
    return [[note.code for note in e.notes] for e in estimates]


def test_tests_that_resamples_alone_cannot_carry_say_how_many_are_needed() -> None:
    """Three tests need p <= 0.05/3, and 19 draws give no less than 1/20: of the three, 0.05 was drawn and 0.01 was not. 99
    draws give 1/100.
    """
    tests = [estimate(p=p, smallest_p=0.0) for p in (0.01, 0.05, 0.5)]
    few = with_holm(tests, Settings(n_resamples=19))
    assert [e.p_adjusted for e in few] == pytest.approx([0.03, 0.1, 0.5])
    assert codes(few) == [[], ["tests_need_resamples"], ["tests_need_resamples"]]
    assert few[1].notes[0].arguments == {"tests": 3, "resamples": 120}
    assert codes(with_holm(tests, Settings(n_resamples=99))) == [[], [], []]
    assert holm([0.01, None, 0.9, 0.6]) == [0.03, None, 1, 1]


def test_a_test_says_once_how_many_resamples_it_needs() -> None:
    """Of a primary estimate these are the resamples of its largest family, also if subgroups are added to this later."""
    settings = Settings(n_resamples=60)
    alone = estimate(p=1 / 61, smallest_p=0.0, is_primary=True)
    tests = [alone.replace(group=group, value=ord(group) / 100) for group in "abcd"]
    first = with_families(with_holm(tests, settings), settings)
    again = with_families([*first, *(e.replace(subgroup={"kind": "x"}) for e in tests)], settings)
    for made, needed in ((first, {"tests": 4, "resamples": 160}), (again, {"tests": 8, "resamples": 320})):
        assert codes(made) == [["tests_need_resamples"]] * len(made)
        assert [e.notes[0].arguments for e in made] == [needed] * len(made)


def lengths(value: float) -> list[Estimate]:
    """A leading contrast of coverage, and how much longer documents of a are."""
    of = {"measure": "coverage_parity@side", "group": "a"}
    return [
        estimate("relative_difference[a]", is_primary=True, **of),
        estimate("equal_length_difference[a]", **of),
        estimate("log_length[a]", **of, value=value, low=value - 0.01, high=value + 0.01),
    ]


def noted(estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates with their notes on lengths."""
    return with_notes(estimates, length_notes(estimates, 0.05))


def beyond(difference: float, p: float) -> dict[str, float]:
    """How a contrast stands to random sentences."""
    return {"extract_difference": difference, "extract_p": p}


@pytest.mark.parametrize(("times", "is_said"), [(1.11, True), (1.09, False), (0.9, True)])
def test_a_tenth_longer_or_shorter_is_said(times: float, *, is_said: bool) -> None:
    """At the leading contrast alone; ln 0.9 is further from 0 than ln 1.1."""
    said = ["documents_longer", "length_held_equal"] if is_said else []
    assert codes(noted(lengths(math.log(times)))) == [said, [], []]


@pytest.mark.parametrize(("first", "free", "baseline", "survives"), [
    ({"p": 0.001}, {"p": 0.04}, "no difference", True),
    ({"p": 0.001}, {"p": 0.06}, "no difference", False),
    ({"p": 0.001}, {"p": 0.04, "value": -0.5}, "no difference", False),
    ({"p": 0.001}, {}, "no difference", None),
    ({"p": 0.001, **beyond(0.2, 0.01)}, {"p": 0.001, **beyond(0.1, 0.04)}, "random sentences", True),
    ({"p": 0.001, **beyond(0.2, 0.01)}, {"p": 0.001, **beyond(0.1, 0.06)}, "random sentences", False),
    ({"p": 0.001, **beyond(0.2, 0.01)}, {"p": 0.001, **beyond(-0.1, 0.04)}, "random sentences", False),
    ({"p": 0.001, **beyond(0.2, 0.01)}, {"p": 0.04}, "no difference", True),
])  # fmt: skip
def test_a_contrast_says_whether_it_survives_equal_lengths(
    first: dict[str, float], free: dict[str, float], baseline: str, survives: bool | None
) -> None:
    """It does with the same sign and p <= alpha against the baseline that both are tested against; untested, nobody knows."""
    leading, equal, longer = lengths(1.0)
    told = noted([leading.replace(**first), equal.replace(**free), longer])[0].notes[1]
    found = told.arguments["readings"]["a"]
    is_random = baseline == "random sentences"
    assert (found["baseline"], found["survives"]) == (baseline, survives)
    assert found["as_it_is"]["p"] == first["extract_p" if is_random else "p"]
    assert found["free"]["p"] == free.get("extract_p" if is_random else "p")
    assert ("no longer significant: a" in worded(told)) == (survives is False)
    assert f"against {baseline}" in worded(told)


def test_shares_of_words_unlike_those_of_documents_are_said() -> None:
    """Documents of a hold 0.6 of the words and are 0.5 of all: 0.1 is a tenth of that. A group without a number is passed over."""
    of: dict[str, Any] = {"group": "a", "measure": "uer@side"}
    longer = estimate("words_less_documents[a]", **{**of, "value": 0.1, "low": 0.05, "high": 0.15})
    given = [
        estimate("difference[a]", is_primary=True, **of),
        estimate("by_documents[a]", **of),
        estimate("source[a]", **{**of, "value": 0.6}),
        estimate("words_less_documents[b]", **{**of, "group": "b", "value": None}),
    ]
    assert codes(noted([*given, longer]))[0] == ["words_unlike_documents", "documents_alike"]
    shares = noted([*given, longer])[0].notes[0].arguments["shares"]
    assert shares == {"a": {"words": 0.6, "documents": pytest.approx(0.5)}}
    assert codes(noted([*given, longer.replace(value=0.04, low=0.03)])) == [[]] * 5
    assert codes(noted([*given, longer.replace(low=-0.05)])) == [[]] * 5


def test_summaries_without_claims_are_counted_beside_those_that_have_some() -> None:
    """Of s one of two, of t none lacks units: only what s reads by units says so, and nothing where no summary has any."""
    with_units = Case(case().record, Summary("r", "t", "Alder.", (Claim("Alder."),)))
    of_s = Case(case().record, Summary("r", "s", "Alder.", (Claim("Alder."),)))
    measures = {repr(m): m for m in (EqualCoverage("side"), Uer("side"))}
    estimates = [estimate(measure=m, system=system) for system in "st" for m in measures]

    def told(*cases: Case) -> list[list[str]]:
        fallback = InputProfile()
        fallback.note(cases)
        other = InputProfile()
        other.merge(fallback)
        return codes(with_notes(estimates, other.claim_notes(measures)))

    assert told(case(), of_s, with_units) == [["without_claims"], [], [], []]
    assert told(case(), case(system="t")) == [[]] * 4
    assert told(of_s, with_units) == [[]] * 4
    assert told(case("q", text=""), with_units) == [[]] * 4
    tried = Case(case().record, Summary("r", "s", "Alder.", made={"claims_by": "x"}))
    assert told(tried) == [["without_claims"], [], [], []]


@pytest.mark.parametrize("times", [1, 20], ids=["few label permutations", "many label permutations"])
def test_every_permutation_has_the_p_that_it_would_have_as_the_real_one(times: int) -> None:
    """Of 60 label permutations the real one reads 3, two 2 but for rounding and all others 0: p of 1/60, 3/60, 3/60 and 1. One is
    below 0.05; where label permutations are sampled 0.05 of them are expected. Of a kind that weighs 2 all of it counts twice.
    """
    gap = np.zeros(60 * times)
    gap[: 3 * times] = [3.0] * times + [2.0, 2.0 + 1e-13] * times
    values = np.stack([gap, np.full(len(gap), 2.0)], axis=-1)[np.newaxis]
    block = AlikeRows([0], (("gap",), ("dominated", "a")), values)
    tested = ObservationDeclaration(tests_units=("gap",))
    columns, found, ps = with_unit_tests(block, replace(tested, tests_within="dominated"), exact=True)
    assert columns[2:] == (
        ("testable",), ("significant",), ("expected_significant",),
        ("testable", "a"), ("significant", "a"), ("expected_significant", "a"),
    )  # fmt: skip
    assert ps.tolist() == [1 / 60]
    share = 1 / 60
    assert found[0, 0].tolist() == pytest.approx([3, 2, 1, 1, share, 2, 2, 2 * share])
    assert found[0, 2 * times, 1:].tolist() == pytest.approx([2, 1, 0, share, 2, 0, 2 * share])
    assert found[0, -1].tolist() == pytest.approx([0, 2, 1, 0, share, 2, 0, 2 * share])
    _, sampled, _ = with_unit_tests(block, tested, exact=False)
    assert sampled[0, 0].tolist() == pytest.approx([3, 2, 1, 1, 0.05])
    # Strictly none exceeds 3, 1 of 60 exceeds 2, and 3 of 60 exceed 0, which is no less than 0.05.
    for exact in (True, False):
        _, strict, ps = with_unit_tests(block, replace(tested, tests_strictly=True), exact=exact)
        assert ps.tolist() == [0]
        assert strict[0, :, 3].tolist() == [1.0] * 3 * times + [0.0] * 57 * times
        assert strict[0, -1].tolist() == pytest.approx([0, 2, 1, 0, 3 / 60])
    never = AlikeRows([0], (("gap",), ("dominated", "a")), values[:, :10])
    _, untestable, _ = with_unit_tests(never, tested, exact=False)
    assert untestable[0, 0, 2:].tolist() == [0, 0, 0]


def test_extracts_are_scored_by_a_scorer_of_ones_own_only_if_their_number_is_told() -> None:
    """It may hold a model, which would be asked hundreds of times for each summary."""
    plan = Plan(measures=["equal_coverage(scorer=mine)@side"], n_resamples=3, scorers={"mine": Containment()})
    cases = [case(name, text=f"{name} a one.") for name in "pqr"]
    for n, is_scored in ((None, False), (5, True)):
        main_value = audit(cases, replace(plan, n_extracts=n)).estimates[0]
        assert (main_value.extract_baseline is not None) == is_scored
