"""Transitions between sentiment classes on a few scores: classes, shares, directions and contrasts worked out from their definitions."""

import numpy as np
import pytest
from tests.rows_by_hand import NO_LABELS, added, by_column, tones, values_of

from fairbrief.measures.framing import CHANGES, FramingChange, FramingDirection
from fairbrief.measures.record_texts import NO_ATTRIBUTE
from fairbrief.reports import wording
from fairbrief.types import Case, Document, Estimate, Extracts, Measure, Reason, Record, Summary

PAIRS = {
    "business": [(0.3, 0.2), (0.3, 0.0), (-0.4, 0.0), (0.0, -0.3)],
    "private": [(-0.2, -0.3), (-0.2, 0.4), (0.0, 0.2), (0.5, 0.1)],
}
"""Sentiments of sources and summaries."""


def case(group: str = "private") -> tuple[Case]:
    """A source of three sentences, and a summary."""
    record = Record("r", (Document("Good. Bad. So so."),), attributes={"contract": group})
    return (Case(record, Summary("r", "s", "Good.")),)


def values(measure: Measure) -> dict[str, float]:
    """The values of the eight records together."""
    pairs = ((group, pair) for group, several in PAIRS.items() for pair in several)
    observe = measure.observation.observe
    return values_of(measure, *(observe(case(group), tones(pair), NO_LABELS) for group, pair in pairs))


def test_all_records_make_one_matrix() -> None:
    """Business: + to +, + to 0, − to 0, 0 to −. Private: − to −, − to +, 0 to +, + to +.

    So 5 of 8 change: 3 become brighter (− to 0, − to +, 0 to +), 2 darker (+ to 0, 0 to −); direction (3 − 2)/8.
    """
    result = values(FramingChange())
    assert result["framing_change"] == 5 / 8
    assert result["direction"] == 1 / 8
    matrix = {
        "negative to negative": 1, "negative to neutral": 1, "negative to positive": 1, "neutral to negative": 1,
        "neutral to neutral": 0, "neutral to positive": 1, "positive to negative": 0, "positive to neutral": 1,
        "positive to positive": 2,
    }  # fmt: skip
    assert {c: 8 * result[f"transition[{c}]"] for c in CHANGES} == matrix
    assert set(result) == {"framing_change", "direction", *(f"transition[{c}]" for c in CHANGES)}


def test_groups_have_their_matrices_and_contrasts() -> None:
    """Business: 3 of 4 change, one brighter and two darker: −1/4. Private: 2 of 4, both brighter: 1/2. Differences: −3/4 and 1/4."""
    result = values(FramingChange("contract"))
    assert (result["changed[business]"], result["changed[private]"]) == (3 / 4, 2 / 4)
    assert (result["direction[business]"], result["direction[private]"]) == (-1 / 4, 1 / 2)
    assert result["difference[business−private]"] == -3 / 4
    assert result["changed_difference[business−private]"] == 1 / 4
    assert result["transition[negative to positive, private]"] == 1 / 4
    assert result["transition[positive to neutral, business]"] == 1 / 4
    assert result["framing_change"] == 5 / 8


def test_the_finding_is_true_where_both_groups_become_brighter() -> None:
    """Directions 1/10 and 1/2: their difference −2/5 means a smaller surplus, and not that the first group becomes darker."""
    e = Estimate("framing_change@contract", "difference[k−l]", "s", 1 / 10 - 1 / 2, group="k − l")
    assert wording.sentence(e, FramingChange.declaration.contrast) == (
        "In summaries by s, the share of texts that become brighter minus the share that become darker is 40 percentage points "
        "lower for k texts than for l texts"
    )


def test_the_direction_of_all_texts() -> None:
    """Three of eight brighter, two darker."""
    assert values(FramingDirection()) == {"framing_direction": 1 / 8, "brighter": 3 / 8, "darker": 2 / 8}


def test_random_sentences_are_classed_by_the_mean_of_theirs() -> None:
    """A negative source of −0.2; sentences of 0.6, −0.6, 0. Extracts: the first (0.6, positive), the first two (0, neutral), the second
    (−0.6, negative). Each transition has a third; two of three are brighter.
    """
    drawn = Extracts(("Good.", "Bad.", "So so."), np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float))
    rows = FramingChange().observe_extracts(case(), (drawn,), tones([-0.2, 0.6, -0.6, 0.0]))
    result = {column: value for column, value in by_column(rows).items() if value}
    third = pytest.approx(1 / 3)
    assert result == {
        ("one", "all texts"): 1, ("negative to positive", "all texts"): third, ("negative to neutral", "all texts"): third,
        ("negative to negative", "all texts"): third,
    }  # fmt: skip


def test_details_show_both_scores_and_the_explanation_the_transition() -> None:
    """A source of −0.2 and a summary of 0.4."""
    observation = FramingChange()
    result = tones([-0.2, 0.4])
    assert list(observation.details(case(), result)) == [
        "Source: negative, with a sentiment of -0.200.",
        "Summary: positive, with a sentiment of +0.400.",
    ]
    totals = added(observation.observe(case(), result, NO_LABELS))
    assert FramingDirection().explain(totals) == "Sentiment class: negative to positive"


def test_records_without_a_group_or_a_sentiment_have_a_reason() -> None:
    """No attribute; no word of known sentiment in the summary."""
    assert FramingChange("tone").observe(case(), (), NO_LABELS) == Reason(NO_ATTRIBUTE)
    missing = FramingChange("contract").observe(case(), tones([0.2, 0], [1, 0]), NO_LABELS)
    assert missing == Reason("no word of known sentiment in the summary")
