"""Speakers: who is included, covered and misattributed, on records so small that the arithmetic is written out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.rows_by_hand import NO_LABELS, added, answer, numbers, observed, values_of

import fairbrief
from fairbrief.measures.speakers import Misattribution, SpeakerCoverage, SpeakerInclusion, Speakers
from fairbrief.text.attribution import attributions
from fairbrief.types import Case, Document, Extracts, Record, Summary

TURNS = (
    ("Ann Lee", "chair", "Trams are late."), ("Ben Ode", "member", "Fares rise."),
    ("Ann Lee", "chair", "Fares may rise."), ("Cleo Roy", "member", "The depot leaks."),
    ("Dan Fox", "guest", "The roof of the depot is old."), ("Eve Kim", "guest", "Thank you."),
)  # fmt: skip
CLAIMS = (
    "Ann Lee said that trams are late.", "Ben Ode said that fares rise.", "Trams are loud.",
    "Dan Fox said that the depot leaks.",
)  # fmt: skip
SUPPORT = (
    (0.9, 0.1, 0.0, 0.0),  # Ann
    (0.2, 0.3, 0.1, 0.1),  # Ben
    (0.1, 0.6, 0.2, 0.1),  # Ann
    (0.0, 0.1, 0.2, 0.8),  # Cleo
    (0.1, 0.2, 0.4, 0.55),  # Dan
    (0.1, 0.1, 0.1, 0.1),  # Eve
)
THIRD = 1 / 3


def case(
    turns: Sequence[tuple[str, str, str]] = TURNS, summary: str = " ".join(CLAIMS), name: str = "r"
) -> Case:
    """A record with a document per turn."""
    documents = tuple(Document(text, {"speaker": who, "role": role}) for who, role, text in turns)
    return Case(Record(name, documents), Summary(name, "s", summary))


def values(measure: Any, labels: Sequence[int] | None = None) -> dict[str, float]:
    """The values of the record above, under the real labels or others (chair 0, guest 1, member 2)."""
    return values_of(measure, observed(measure.observation, (case(),), [answer(SUPPORT)], labels))


INCLUSION = {
    # Ann, Ben and Dan are named, Cleo supports the fourth claim (0.8), Eve neither: x = 1, 1, 1, 1, 0, mean 0.8.
    "inclusion[chair]": 1.0, "inclusion[member]": 1.0, "inclusion[guest]": 0.5, "omission[guest]": 0.5,
    "inclusion_difference[chair]": 1 - 0.8, "inclusion_difference[member]": (1 + 1) / 2 - 0.8,
    "inclusion_difference[guest]": (1 + 0) / 2 - 0.8, "speaker_inclusion": (0.2 + 0.2 + 0.3) / 3,
    # Ben is named, and his turn supports that claim with 0.3 < 0.5: y = 0, 1, 0, 0, 0, mean 0.2.
    "misrepresentation[member]": 0.5, "misrepresentation[guest]": 0.0,
    "misrepresentation_difference[member]": 0.5 - 0.2, "misrepresentation_difference[chair]": 0 - 0.2,
}  # fmt: skip
COVERAGE = {
    # Turns 1 (0.9), 3 (0.6), 4 (0.8) and 5 (0.55) support a claim: shares 2/2, 0/1, 1/1, 1/1, 0/1, mean 0.6.
    "coverage[chair]": 1.0, "coverage[member]": 0.5, "coverage_difference[chair]": 1 - 0.6,
    "coverage_difference[member]": 0.5 - 0.6, "coverage_difference[guest]": 0.5 - 0.6,
    "speaker_coverage": (0.4 + 0.1 + 0.1) / 3,
}  # fmt: skip
MISATTRIBUTION = {
    # Of three attributed claims, Ann supports Ben's with 0.6 > 0.3 + 0.2, and Cleo Dan's with 0.8 > 0.55 + 0.2.
    "misattribution": 2 / 3, "misattribution[chair]": 0.0, "misattribution[member]": 1.0,
    "misattribution_difference[chair]": 0 - 2 / 3, "misattribution_difference[member]": 1 - 2 / 3,
    "misattribution_difference[guest]": 1 - 2 / 3, "misattribution_gap": (2 / 3 + 1 / 3 + 1 / 3) / 3,
}  # fmt: skip


@pytest.mark.parametrize(("measure", "wanted"), [
    (SpeakerInclusion("role"), INCLUSION), (SpeakerCoverage("role"), COVERAGE),
    (Misattribution("role"), MISATTRIBUTION),
], ids=["inclusion", "coverage", "misattribution"])  # fmt: skip
def test_values_are_those_of_the_definitions(measure: Any, wanted: dict[str, float]) -> None:
    """Each number of one record, worked by hand."""
    found = values(measure)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)


def test_settings_move_the_values() -> None:
    """Threshold 0.85: only Ann's first turn supports anything. Margin 0.3: 0.6 is not above 0.3 + 0.3, 0.8 not above 0.85."""
    strict = values(SpeakerInclusion("role", threshold=0.85))
    # Cleo is neither named nor supported: x = 1, 1, 0, 1, 0, mean 0.6. Ben and Dan are misrepresented.
    assert strict["inclusion_difference[member]"] == pytest.approx(0.5 - 0.6)
    assert strict["misrepresentation[guest]"] == pytest.approx(0.5)
    assert values(SpeakerCoverage("role", threshold=0.85))["coverage[chair]"] == pytest.approx(1 / 2)
    assert values(Misattribution("role", margin=0.3))["misattribution"] == 0
    assert values(Misattribution("role", margin=0.22))["misattribution"] == pytest.approx(2 / 3)
    assert values(Misattribution("role", margin=0.27))["misattribution"] == pytest.approx(THIRD)
    assert values(Misattribution())["misattribution"] == pytest.approx(2 / 3)


def test_thirds_of_the_order_of_first_speaking() -> None:
    """Of five speakers (0.1, 0.3 | 0.5 | 0.7, 0.9) two begin, one is in the middle and two end; Eve is left out."""
    found = values(SpeakerInclusion(by="order"))
    assert found["inclusion_difference[beginning]"] == pytest.approx(1 - 0.8)
    assert found["inclusion_difference[middle]"] == pytest.approx(1 - 0.8)
    assert found["inclusion_difference[end]"] == pytest.approx(0.5 - 0.8)
    two = Speakers(by="order").permutation_scheme((case(TURNS[:2]),))
    assert two.labels.tolist() == [0, 1]  # beginning and end, without a middle


def test_permuted_labels_move_speakers_with_all_their_turns() -> None:
    """With Ann as a guest and Eve as the chair: chair 0 − 0.8; Ann and Dan 1 − 0.8. Ann's claim is a guest's."""
    labels = [1, 2, 2, 1, 0]
    found = values(SpeakerInclusion("role"), labels)
    assert found["inclusion_difference[chair]"] == pytest.approx(-0.8)
    assert found["inclusion_difference[guest]"] == pytest.approx(0.2)
    wrong = values(Misattribution("role"), labels)
    assert wrong["misattribution[guest]"] == pytest.approx(1 / 2)
    assert np.isnan(wrong["misattribution_difference[chair]"])


def test_random_sentences_are_observed_as_summaries_are() -> None:
    """Two extracts: Ann's first turn; Dan's turn with a sentence of Eve that says what Ben said."""
    support = np.zeros((6, 3))
    support[0, 0] = support[4, 1] = support[5, 2] = 1
    sentences = ("Trams are late.", "The roof is old.", "Ben Ode said that he agrees.")
    drawn = Extracts(sentences, np.array([[1.0, 0, 0], [0, 1, 1]]))
    row = added(Speakers("role").observe_extracts((case(),), [drawn], [answer(support.tolist())]))
    found = numbers(SpeakerInclusion("role").value(row))
    # Included: Ann in the first; Dan, Eve (support) and Ben (named) in the second: 0.5, 0.5, 0, 0.5, 0.5, mean 0.4.
    assert found["inclusion_difference[chair]"] == pytest.approx(0.5 - 0.4)
    assert found["inclusion_difference[member]"] == pytest.approx(0.25 - 0.4)
    assert found["misrepresentation[member]"] == pytest.approx(0.5 / 2)
    covered = numbers(SpeakerCoverage("role").value(row))
    assert covered["coverage[chair]"] == pytest.approx(0.5 / 2)
    assert covered["coverage[guest]"] == pytest.approx(0.5)
    assert np.isnan(float(Misattribution("role").value(row)["misattribution"].array))
    audited = fairbrief.audit([case(), case(name="q")], ["misattribution"], n_resamples=10)
    assert next((e.quantity, e.extract_baseline) for e in audited.estimates) == ("misattribution", None)


def test_a_record_that_cannot_be_observed_has_a_reason() -> None:
    """Without speakers, groups or claims there is no row; without any attributed claim no share."""
    plain = Case(Record("r", (Document("A."), Document("B."))), Summary("r", "s", "A."))
    observation = Speakers("role")
    assert "no document has the attribute 'speaker'" in str(observation.observe((plain,), [], NO_LABELS))
    assert "one group" in str(observation.observe((case(TURNS[:1]),), [], NO_LABELS))
    assert "no claim" in str(observation.observe((case(summary=" "),), [], NO_LABELS))
    one = (case(summary="Trams are loud."),)
    unnamed = Misattribution().observation.observe(one, [answer([[0.1]] * 6)], NO_LABELS)
    assert np.isnan(float(Misattribution().value(added(unnamed))["misattribution"].array))


# ------------------------------------------------------------------------------------------- names

NAMES = (
    "Ms Anna Weber", "Mr Karl Weber", "Olsen, Per (EPP)", "customer", "Ursula von der Leyen", "Theresa May", "Chair",
)  # fmt: skip


@pytest.mark.parametrize(("chairs", "recurring"), [
    (("Ann Lee",), {"chair": {"names": 1, "records": 8}}),
    (("Ann Lee", "Bo Ek"), {"chair": {"names": 2, "records": 8}}),
    (("Ann Lee", "Bo Ek", "Cy Fox", "Di Gil", "Ed Hu"), {}),
    (("Chair 1",), {}),
])  # fmt: skip
def test_a_group_of_few_people_is_noted(chairs: Sequence[str], recurring: dict[str, Any]) -> None:
    """Names count that each recur in two records or more; a role is somebody else in each record."""
    cases = [
        case(
            [(chairs[i % len(chairs)], "chair", "Trams."), (f"Member X{i}y", "member", "Fares.")],
            name=f"r{i}",
        )
        for i in range(8)
    ]
    found = fairbrief.audit(cases, measures=["speaker_inclusion@role", "rouge1"], n_resamples=20).result
    notes = [(e.over, note) for e in found.estimates for note in e.notes if note.code == "few_people"]
    assert bool(notes) == bool(recurring)
    assert all((over, note.arguments["groups"]) == ("role", recurring) for over, note in notes)


@pytest.mark.parametrize(("claim", "content", "named", "speakers"), [
    ("Anna Weber said that buses are late.", "buses are late.", {0}, {0}),
    ("- Olsen: buses are late", "buses are late", {2}, {2}),
    ("2. Commissioner OLSEN (EPP): buses are late.", "buses are late.", {2}, {2}),
    ("**Per Olsen:** buses are late.", "buses are late.", {2}, {2}),
    ("According to Mr Olsen, buses are late.", "buses are late.", {2}, {2}),
    ("Buses are late, said Olsen.", "Buses are late.", {2}, {2}),
    ("Late buses were criticised by Olsen.", "Late buses were criticised.", {2}, {2}),
    ("The customer wants a refund.", "wants a refund.", {3}, {3}),
    ("von der Leyen rejected it.", "rejected it.", {4}, {4}),
    ("Karl Weber and Olsen rejected it.", "rejected it.", {1, 2}, {1, 2}),
    # A last name that two speakers have names nobody, unless a title or an initial decides.
    ("Weber said that buses are late.", "Weber said that buses are late.", set(), set()),
    ("Ms Weber said that buses are late.", "buses are late.", {0}, {0}),
    ("K. Weber left.", "left.", {1}, {1}),
    # Named, but not the source of the claim.
    ("Anna Weber thanked Olsen.", "thanked Olsen.", {0, 2}, {0}),
    ("Olsen's plan failed.", "Olsen's plan failed.", {2}, set()),
    ("Anna Weber interviewed Olsen on buses.", "Anna Weber interviewed Olsen on buses.", {0, 2}, set()),
    ("Next steps for Olsen: call.", "Next steps for Olsen: call.", {2}, set()),
    # Named before a comma that ends a clause: whoever follows speaks alone.
    ("Answering Anna Weber, Olsen said no.", "Answering Anna Weber, no.", {0, 2}, {2}),
    ("In reply to Anna Weber, Olsen said no.", "In reply to Anna Weber, no.", {0, 2}, {2}),
    ("Anna Weber, Karl Weber and Olsen said no.", "no.", {0, 1, 2}, {0, 1, 2}),
    ("Regarding Olsen, nothing changes.", "Regarding Olsen, nothing changes.", {2}, set()),
    ("Unlike Anna Weber, he left.", "Unlike Anna Weber, he left.", {0}, set()),
    # Somebody else, and words that are no names.
    ("Peter Olsen left.", "Peter Olsen left.", set(), set()),
    ("Anna Smith left.", "Anna Smith left.", set(), set()),
    ("May was cold.", "May was cold.", set(), set()),
    ("Mrs May left.", "left.", {5}, {5}),
])  # fmt: skip
def test_whom_a_claim_names(claim: str, content: str, named: set[int], speakers: set[int]) -> None:
    """Names, titles, labels and ambiguous last names."""
    (found,) = attributions((claim,), NAMES, (True,))
    assert (found.content, set(found.named), set(found.speakers)) == (content, named, speakers)


def test_a_label_holds_to_the_end_of_its_line() -> None:
    """Unless another sentence of the line is attributed itself."""
    claims = (
        "- Olsen: buses are late.", "They break.", "Karl Weber disagreed.", "It rains.", "Nobody answered.",
    )  # fmt: skip
    found = attributions(claims, NAMES, (True, False, False, False, True))
    assert [set(of.speakers) for of in found] == [{2}, {2}, {1}, set(), set()]


# ------------------------------------------------------------------------------------- what is shown


def test_details_show_a_claim_with_both_turns() -> None:
    """Misattributed claims come first, each with the best turn of both and its score; then who is left out."""
    lines = Speakers("role").details((case(),), [answer(SUPPORT)])
    assert lines[0] == (
        "Better supported by somebody else: “Ben Ode said that fares rise.” names Ben Ode. "
        "Support by Ben Ode 0.30: “Fares rise.”; by Ann Lee 0.60: “Fares may rise.”."
    )
    assert lines[1].startswith("Better supported by somebody else: “Dan Fox")
    assert lines[2].startswith("Attributed: “Ann Lee said that trams are late.” names Ann Lee.")
    assert lines[3] == "Neither named nor supported: Eve Kim."
