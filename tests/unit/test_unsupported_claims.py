"""Unsupported claims by group and by place, worked by hand from a given support."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.rows_by_hand import by_column, observed, values_of

from fairbrief.api import audit, read
from fairbrief.measures.unsupported_claims import (
    NO_CLAIM,
    NO_SENTENCE,
    Claims,
    UnsupportedByPlace,
    UnsupportedClaims,
)
from fairbrief.registry import make
from fairbrief.types import Case, Claim, Document, Entity, Reason, Record, Scores, Summary

SOURCE = ("Anna Berg spoke. Tom Hale left.", "It rained.")
BERG = Entity("b", "Anna", "Berg", {"side": "left"})
HALE = Entity("h", "Tom", "Hale", {"side": "right"})
CLAIMS = (
    Claim("The tram is late.", {"side": ("left",)}),
    Claim("The tram is full.", {"side": ("left", "right")}),
    Claim("Hale lied."),
    Claim("Berg and Hale met."),
    Claim("Berg paid.", {"place": ("town",)}),
)
SUPPORT = (0.9, 0.5, 0.49, 0.1, 0.7)


def case(
    claims: Sequence[Claim] | None = CLAIMS, text: str = "A. B.", entities: Sequence[Entity] = (BERG, HALE)
) -> tuple[Case]:
    """A record of three sentences, and a summary with claims."""
    record = Record("r", tuple(map(Document, SOURCE)), entities=tuple(entities))
    return (Case(record, Summary("r", "s", text, None if claims is None else tuple(claims))),)


def supported(best: Sequence[float] = SUPPORT) -> list[Scores]:
    """The best support of each claim by the second sentence, a third of it by the others. Shape (3, claims)."""
    each = np.array(best)
    return [Scores(np.stack([each / 3, each, each / 3]), np.arange(len(each)), np.zeros(3))]


def test_unsupported_claims_by_place() -> None:
    """Of five claims two are at the beginning, one in the middle, two at the end. 0.49 and 0.1 are below 0.5, 0.5 is not:
    u = 0, 0, 1, 1, 0 with mean 0.4. Beginning (0.4 + 0.4)/2 = 0.4; middle 0.4 - 1 = -0.6; end (0.4 - 1 + 0.4)/2 = -0.1.
    Their mean size is (0.4 + 0.6 + 0.1)/3 = 1.1/3.
    """
    claims = [Claim(f"Claim {j}.") for j in range(len(SUPPORT))]
    found = values_of(UnsupportedByPlace(), observed(Claims(), case(claims), supported()))
    assert found == pytest.approx({
        "unsupported_by_place": 1.1 / 3, "support_difference[beginning]": 0.4, "support_difference[middle]": -0.6,
        "support_difference[end]": -0.1, "unsupported[beginning]": 0.0, "unsupported[middle]": 1.0,
        "unsupported[end]": 0.5, "unsupported": 0.4,
    })  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "places"), [(1, "m"), (2, "be"), (3, "bme"), (4, "bmme"), (6, "bbmmee"), (7, "bbmmmee")]
)
def test_the_place_of_a_claim(claims: int, places: str) -> None:
    """(j - 1/2)/m below 1/3 is the beginning, above 2/3 the end: of four claims at 1/8, 3/8, 5/8 and 7/8 two are between."""
    rows = observed(Claims(), case([Claim("x.")] * claims), supported([1.0] * claims))
    counts = {c[1][0]: x for c, x in by_column(rows).items() if c[0] == "claims"}
    assert counts == {place: places.count(place) for place in set(places)}


def test_unsupported_claims_by_group() -> None:
    """Groups: left by its value; two values, none; right by Hale; Berg and Hale, none; left by Berg, since its value is of
    another attribute. u of the three with a group = 0, 1, 0 with mean 1/3: left (1/3 + 1/3)/2 = 1/3, right 1/3 - 1 = -2/3,
    mean size 1/2. Of all five claims two are unsupported.
    """
    found = values_of(UnsupportedClaims("side"), observed(Claims("side"), case(), supported()))
    assert found == pytest.approx({
        "unsupported_claims": 0.4, "disparity": 0.5, "support_difference[left]": 1 / 3,
        "support_difference[right]": -2 / 3, "unsupported[left]": 0.0, "unsupported[right]": 1.0,
    })  # fmt: skip


def test_a_person_without_the_attribute_gives_no_group() -> None:
    """A claim about Berg and somebody of unknown side is about no side."""
    moss = Entity("m", "Clara", "Moss", {})
    cases = case([Claim("Moss met Berg."), Claim("Berg paid.")], entities=[BERG, moss])
    assert by_column(observed(Claims("side"), cases, supported([0.1, 0.1]))) == {
        ("claims", "left"): 1, ("unsupported", "left"): 1, ("all",): 2, ("all unsupported",): 2,
    }  # fmt: skip


def test_sentences_are_claims_where_none_are_given() -> None:
    """Their groups are those of the people whom they name; given claims are left aside on request."""
    cases = case(None, "Berg won. Hale lost.")
    assert [ask.columns for ask in Claims("side").asks(cases)] == [("Berg won.", "Hale lost.")]
    (ask,) = Claims().asks(cases)
    assert ask.rows == ("Anna Berg spoke.", "Tom Hale left.", "It rained.")
    aside = case([Claim("x.", {"side": ("left",)})], "Hale lost.")
    rows = observed(Claims("side", claims="sentences"), aside, supported([0.0]))
    assert rows.columns[0] == ("claims", "right")


def test_reasons() -> None:
    """Without claims, without a source, without groups."""
    assert observed(Claims(), case(()), []) == Reason(NO_CLAIM)
    empty = (Case(Record("r", (Document(" "),)), Summary("r", "s", "A.")),)
    assert Claims().asks(empty) == ()
    assert observed(Claims(), empty, []) == Reason(NO_SENTENCE)
    ungrouped = observed(Claims("side"), case([Claim("It rained.")]), supported([1.0]))
    assert ungrouped == Reason("no claim has a group")


def test_details_begin_with_the_least_supported_claim() -> None:
    """With its group, its support and the sentence that supports it best."""
    first, *_, last = Claims("side").details(case(), supported())
    said = "Claim 4 of 5 (no group), unsupported (0.10): “Berg and Hale met.” Best sentence: “Tom Hale left.”"
    assert first == said
    assert last.startswith("Claim 1 of 5 (left), supported (0.90)")


def test_sentences_of_the_source_are_supported_whatever_they_are() -> None:
    """Summaries of random source sentences have no unsupported claim, so that a random-sentence baseline is 0."""
    records = list(read("examples/politics.jsonl").records())
    cases = list(map(Case, records, make("summarizer", "random").summarize(records)))
    result = audit(cases, ["unsupported_claims@leaning", "unsupported_by_place"], n_resamples=0)
    found = {e.quantity: e.value for e in result.estimates}
    assert found["unsupported_claims"] == found["unsupported"] == found["unsupported_by_place"] == 0.0
    assert {x for name, x in found.items() if name.startswith("support_difference")} == {0.0}


def test_groups_are_exchanged_between_the_claims_that_have_one() -> None:
    """Labels left, right, left; exchanged to right, left, left: right 1/3 - 0, left (1/3 - 1 + 1/3)/2 = -1/6."""
    assert Claims("side").permutation_scheme(case()).labels.tolist() == [0, 1, 0]
    found = values_of(UnsupportedClaims("side"), observed(Claims("side"), case(), supported(), [1, 0, 0]))
    assert found["support_difference[right]"] == pytest.approx(1 / 3)
    assert found["support_difference[left]"] == pytest.approx(-1 / 6)
    assert found["unsupported_claims"] == pytest.approx(0.4)
