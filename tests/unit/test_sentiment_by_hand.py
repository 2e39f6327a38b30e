"""Shifts of sentiment on a few passages whose scores are given."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.rows_by_hand import tones

from fairbrief.measures.groups import largest_difference
from fairbrief.measures.sentiment import EMPTY_SUMMARY, SentimentShift
from fairbrief.types import Case, Document, Extracts, Reason, Record, Rows, Summary, Value

ABOUT_A_WOMAN = Record("r", (Document("A b c d. E f. G."),), attributes={"about": "female"})
CASE = (Case(ABOUT_A_WOMAN, Summary("r", "s", "A b.")),)
DRAWN = (Extracts(("A b c d.", "E f.", "G."), np.array([[1.0, 1, 0], [0, 0, 1], [0, 1, 1]])),)
"""Extracts of sentences of four, two and one words."""


def row(rows: object) -> dict[str, float]:
    """One row by statistic, all of it about women."""
    assert isinstance(rows, Rows)
    assert {group for _, *(group,) in rows.columns} == {"female"}
    return dict(zip((name for name, _ in rows.columns), rows.values[0].tolist(), strict=True))


def test_extracts_are_scored_by_their_sentences() -> None:
    """Beside an article of 0.2: (4 · 0.525 - 0.1)/5 = 0.4 and -0.1, so shifts of 0.2 and -0.3; the extract whose sentence
    has no word of known sentiment is not read. Of all three there are 6, 1 and 3 words.
    """
    observation = SentimentShift("about")
    found = observation.observe_extracts(CASE, DRAWN, tones([0.2, 0.525, -0.1, 0.9], [10, 4, 1, 0]))
    assert row(found) == pytest.approx(
        {
            "one": 1, "article": 0.2, "summary": 0.15, "shift": -0.05, "article²": 0.04, "shift²": (0.04 + 0.09) / 2,
            "article·shift": -0.01, "article words": 7, "summary words": 10 / 3,
        }
    )  # fmt: skip
    (ask,) = observation.extract_asks(CASE, DRAWN)
    assert ask.rows == ("A b c d. E f. G.", "A b c d.", "E f.", "G.")


@pytest.mark.parametrize("scorer", ["vader(by=text)", "word_sentiment(vectors=x)"])
def test_other_scores_are_of_whole_extracts(scorer: str) -> None:
    """Of 0.3, 0.7 and -0.1 the second is of no known word: shifts of 0.1 and -0.3."""
    observation = SentimentShift("about", scorer)
    found = row(observation.observe_extracts(CASE, DRAWN, tones([0.2, 0.3, 0.7, -0.1], [10, 6, 0, 1])))
    assert (found["summary"], found["shift"]) == pytest.approx((0.1, -0.1))
    (ask,) = observation.extract_asks(CASE, DRAWN)
    assert ask.rows == ("A b c d. E f. G.", "A b c d. E f.", "G.", "E f. G.")


def test_extracts_without_a_word_of_known_sentiment_have_none() -> None:
    """Neither by sentences nor as texts."""
    none = tones([0.2, 0.0, 0.0, 0.0], [10, 0, 0, 0])
    for scorer in ("vader", "vader(by=text)"):
        found = SentimentShift("about", scorer).observe_extracts(CASE, DRAWN, none)
        assert found == Reason(EMPTY_SUMMARY)


def differences(*draws: Sequence[float]) -> Value:
    """The largest difference of groups' means in draws."""
    return largest_difference(dict(zip("abc", np.array(draws).T, strict=False)), (len(draws),))


def test_the_largest_difference_is_of_the_groups_that_a_draw_has() -> None:
    """Of 0.1, 0.4 and -0.2 it is 0.6, without the last 0.3; of one group alone there is none."""
    found = differences([0.1, 0.4, -0.2], [0.1, 0.4, np.nan], [np.nan, 0.4, np.nan], [np.nan] * 3)
    assert found.array.tolist() == pytest.approx([0.6, 0.3, np.nan, np.nan], nan_ok=True)
    assert (found.tail, found.has_baseline) == ("upper", True)
    assert found.contrasts == ("difference[a−b]", "difference[a−c]", "difference[b−c]")
    assert found.fold(np.array([0.3, -0.6, 0.2])) == 0.6
