"""The tone towards entities, worked by hand from given sentiments of sentences."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.rows_by_hand import by_column, observed, tones, values_of

from fairbrief.measures.entity_sentiment import NO_TONE, NOBODY, EntitySentiment, naming, parsed_entities
from fairbrief.text.people import Name
from fairbrief.types import Case, Document, Entity, Extracts, Reason, Record, Rows, Scores, Summary

SOURCE = ("Anna Berg won.", "Then Berg lost to Tom Hale.", "It rained.", "Hale smiled.", "Ivan Koch left.")
TONE = {
    "Anna Berg won.": 0.6, "Then Berg lost to Tom Hale.": -0.2, "It rained.": 0.9, "Hale smiled.": 0.5,
    "Ivan Koch left.": 0.1, "Berg lost.": -0.5, "Hale won, and Berg wept.": 0.1, "Clara Moss sang.": 0.0,
    "Moss sang well.": 0.3,
}  # fmt: skip
BERG = Entity("b", "Anna", "Berg", {"leaning": "left"})
HALE = Entity("h", "Tom", "Hale", {"leaning": "right"})
KOCH = Entity("k", "Ivan", "Koch", {"leaning": "right"})
MOSS = Entity("m", "Clara", "Moss", {"leaning": "left"})


NAMED = (BERG, HALE, KOCH)
SAID = "Berg lost. Hale won, and Berg wept."


def case(
    summary: str = SAID, people: Sequence[Entity] = NAMED, source: str = "", **attributes: str
) -> tuple[Case]:
    """A record of two documents, or of one other, and its summary."""
    documents = (Document(source),) if source else (Document(" ".join(SOURCE[:4])), Document(SOURCE[4]))
    record = Record("r", documents, entities=tuple(people), attributes=attributes)
    return (Case(record, Summary("r", "s", summary)),)


def answered(observation: EntitySentiment, cases: tuple[Case], unknown: Sequence[str] = ()) -> list[Scores]:
    """The given sentiment of every sentence that is asked about; none of the ``unknown`` ones."""
    return [toned(ask.rows, unknown) for ask in observation.asks(cases)]


def toned(texts: Sequence[str], unknown: Sequence[str] = ()) -> Scores:
    """The given sentiment of these texts."""
    return tones([TONE[text] for text in texts], [text not in unknown for text in texts])[0]


def rows_of(cases: tuple[Case], unknown: Sequence[str] = (), **settings: str) -> Rows | Reason:
    """What is observed under the real labels."""
    observation = EntitySentiment("leaning", **settings)
    return observed(observation, cases, answered(observation, cases, unknown))


def row(rows: Rows | Reason) -> dict[tuple[str, ...], float]:
    """The statistics that are not 0."""
    return {c: x for c, x in by_column(rows).items() if x}


def test_the_shift_of_each_entity() -> None:
    """Berg: source (0.6 - 0.2)/2 = 0.2, summary (-0.5 + 0.1)/2 = -0.2, shift -0.4. Hale: source (-0.2 + 0.5)/2 = 0.15,
    summary 0.1, shift -0.05. Koch is not in the summary, and the rain names nobody.
    """
    assert row(rows_of(case())) == pytest.approx({
        ("one", "left"): 1, ("one", "right"): 1, ("article", "left"): 0.2, ("article", "right"): 0.15,
        ("summary", "left"): -0.2, ("summary", "right"): 0.1, ("shift", "left"): -0.4, ("shift", "right"): -0.05,
        ("article²", "left"): 0.04, ("article²", "right"): 0.0225, ("shift²", "left"): 0.16, ("shift²", "right"): 0.0025,
        ("article·shift", "left"): -0.08, ("article·shift", "right"): -0.0075,
        ("compared", "left"): 1, ("compared", "right"): 1,
        ("compared shift", "left"): -0.4, ("compared shift", "right"): -0.05,
    })  # fmt: skip
    (ask,) = EntitySentiment("leaning").asks(case())
    assert ask.rows == (*SOURCE[:2], *SOURCE[3:], "Berg lost.", "Hale won, and Berg wept.")


def test_values_over_two_records() -> None:
    """The second record names only Moss (left): 0.3 - 0 = 0.3. So the left's shift over all records is (-0.4 + 0.3)/2 =
    -0.05, overall[left - right] = -0.05 + 0.05 = 0, but in the record that names both -0.4 + 0.05 = -0.35.
    """
    alone = rows_of(case("Moss sang well.", [MOSS], "Clara Moss sang."))
    assert ("compared", "left") not in row(alone)
    found = values_of(EntitySentiment("leaning"), rows_of(case()), alone)
    assert found["entity_sentiment"] == found["difference[left−right]"] == pytest.approx(-0.35)
    assert found["overall[left−right]"] == pytest.approx(0)
    assert (found["shift[left]"], found["shift[right]"]) == pytest.approx((-0.05, -0.05))
    assert (found["source[left]"], found["summary[left]"]) == pytest.approx((0.1, 0.05))


def test_records_of_one_leaning_each_are_compared_if_no_record_has_two() -> None:
    """Left 0.3; right, in a record of Hale alone, 0.1 - 0.5 = -0.4: difference 0.7."""
    left = rows_of(case("Moss sang well.", [MOSS], "Clara Moss sang."))
    right = rows_of(case("Hale won, and Berg wept.", [HALE], "Hale smiled."))
    assert values_of(EntitySentiment("leaning"), left, right)["difference[left−right]"] == pytest.approx(0.7)


def test_the_difference_beside_the_tone_in_the_source() -> None:
    """Source and shift: left (-0.4, 0) and (0, -0.2), right (0.2, -0.1) and (0.6, -0.3): two lines of slope -0.5 through -0.2
    and 0. Means -0.1 and -0.2 differ by 0.1, the lines by -0.2.
    """
    sums = {
        ("one", "left"): 2, ("article", "left"): -0.4, ("shift", "left"): -0.2, ("article²", "left"): 0.16,
        ("shift²", "left"): 0.04, ("article·shift", "left"): 0.0,
        ("one", "right"): 2, ("article", "right"): 0.8, ("shift", "right"): -0.4, ("article²", "right"): 0.4,
        ("shift²", "right"): 0.1, ("article·shift", "right"): -0.2,
    }  # fmt: skip
    found = values_of(EntitySentiment("leaning"), sums)
    assert found["entity_sentiment"] == pytest.approx(0.1)
    assert found["adjusted_difference[left−right]"] == pytest.approx(-0.2)


def test_the_baseline_of_random_sentences() -> None:
    """Extracts: Anna wins (left 0.6 - 0.2 = 0.4); Berg loses to Hale (left -0.4, right -0.2 - 0.15 = -0.35); rain, which
    names nobody and does not count; Anna wins, Hale smiles, Koch leaves (left 0.4, right 0.35 + 0). Means of three: right
    (0 + 1 + 2)/3 entities with shift (0 - 0.35 + 0.35)/3 = 0, left 0.4/3; two extracts name both leanings.
    """
    observation, cases = EntitySentiment("leaning"), case()
    kept = np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0, 0, 1, 1]], dtype=float)
    drawn = [Extracts(SOURCE, kept)]
    (ask,) = observation.extract_asks(cases, drawn)
    found = row(observation.observe_extracts(cases, drawn, [toned(ask.rows)]))
    assert found["one", "left"] == found["one", "right"] == pytest.approx(1)
    assert found["shift", "left"] == pytest.approx(0.4 / 3)
    assert found.get(("shift", "right"), 0.0) == pytest.approx(0, abs=1e-12)
    assert (found["compared", "left"], found["compared", "right"]) == pytest.approx((2 / 3, 1))
    assert found.get(("compared shift", "left"), 0.0) == pytest.approx(0, abs=1e-12)


def test_by_leaning_of_the_source_and_by_relation() -> None:
    """In a text from the left, Berg (-0.4) is aligned and Hale (-0.05) opposed; by source both are in the left-source."""
    cases = case(leaning="left")
    by_relation = row(rows_of(cases, by="relation"))
    assert (by_relation["shift", "aligned"], by_relation["shift", "opposed"]) == pytest.approx((-0.4, -0.05))
    by_source = row(rows_of(cases, by="source"))
    assert by_source["shift", "left-source"] == pytest.approx(-0.45)
    assert EntitySentiment("leaning", by="source").permutation_scheme(cases) is None


def test_who_is_named() -> None:
    """A full name and an unambiguous last name; neither a first name alone, nor a last name of two, nor a pronoun."""
    source = "Anna Berg met Karl Berg and Tom Hale."
    names = (Name("Anna", "Berg"), Name("Karl", "Berg"), Name("Tom", "Hale"))
    texts = ("Berg won.", "Karl Berg won.", "Tom won.", "She won.", "HALE and Anna Berg won.")
    assert naming(texts, names, source).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1]]
    assert naming(("Tom won.",), (Name("Tom", None),), "Tom came.").tolist() == [[1]]
    assert naming(("O'Brien won.",), (Name("Ann", "O’Brien"),), "Ann O'Brien came.").tolist() == [[1]]


@pytest.mark.parametrize("summary", ["It rained.", "Koch.", "Somebody else lost."])
def test_summaries_that_name_nobody_of_the_source_have_no_tone(summary: str) -> None:
    """A name in the summary only, or in the source only, has no shift."""
    assert rows_of(case(summary, [BERG])) == Reason(NOBODY)


def test_sentences_without_known_sentiment_do_not_count() -> None:
    """Without Berg's loss in the summary her tone there is 0.1: shift -0.1; without any, there is none."""
    assert row(rows_of(case(), ["Berg lost."]))["shift", "left"] == pytest.approx(0.1 - 0.2)
    assert rows_of(case("Berg lost.", [BERG]), ["Berg lost."]) == Reason(NO_TONE)


def test_entities_can_be_listed() -> None:
    """The list replaces the entities of the input; a name joined by _ is never shortened."""
    listed = "left: Anna Berg; right: Tom Hale, Green_Party"
    assert [e.attributes["leaning"] for e in parsed_entities(listed, "leaning")] == ["left", "right", "right"]
    for entities in ((), (BERG, HALE)):
        assert row(rows_of(case(people=entities), entities=listed)) == row(rows_of(case()))
    sentences = ("The Party won.", "The Green Party won.")
    assert naming(sentences, (Name(None, "Green Party"),), "A Green Party.").tolist() == [[0], [1]]


def test_details_quote_the_sentences_of_both_sides() -> None:
    """The largest shift first, with every sentence and its sentiment."""
    observation, cases = EntitySentiment("leaning"), case()
    first, second = observation.details(cases, answered(observation, cases))
    assert first == (
        "Anna Berg (left), source +0.20: “Anna Berg won.” +0.60, “Then Berg lost to Tom Hale.” -0.20; "
        "summary -0.20: “Berg lost.” -0.50, “Hale won, and Berg wept.” +0.10."
    )
    assert second.startswith("Tom Hale (right)")


@pytest.mark.parametrize("first", ["Karl", "Anna"])
def test_an_entity_without_a_leaning_makes_a_name_ambiguous(first: str) -> None:
    """It has no leaning; "Berg" may mean it, also with the same full name. Somebody without a name is nobody's namesake."""
    namesake, nameless = Entity("x", first, "Berg", {}), Entity("y")
    assert rows_of(case("Berg lost.", [BERG, namesake])) == Reason(NOBODY)
    assert isinstance(rows_of(case("Berg lost.", [BERG, nameless])), Rows)
