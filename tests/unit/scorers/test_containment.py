"""Lexical containment, the judge of support that needs no model."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.registry import make
from fairbrief.scorers.shared_words import Containment
from fairbrief.testing import SCORER_CLAUSES
from fairbrief.types import Ask

ROWS = ("The soup was cold.", "The soup was hot, and the waiter kind.", "The lift is broken.")


def matrix(rows: tuple[str, ...], columns: tuple[str, ...]) -> Any:
    """The scores of one ask."""
    (scores,) = Containment().answer([Ask("containment", rows, columns)])
    return scores.matrix


def test_score_is_the_weighted_share_of_the_words() -> None:
    """One column worked out by hand: found weights over all weights, a word of no row included."""

    def idf(df: int) -> float:
        return log(1 + (3 - df + 0.5) / (df + 0.5))

    found = matrix(ROWS, ("The soup was superb: the SOUP!",))
    words = {"the": 3, "soup": 2, "was": 2, "superb": 0}
    total = sum(idf(df) for df in words.values())
    both = (idf(3) + 2 * idf(2)) / total
    np.testing.assert_allclose(found[:, 0], [both, both, idf(3) / total])


def test_rare_words_count_more_than_those_of_every_row() -> None:
    """A row that shares the column's telling word beats one that shares its function words."""
    found = matrix(ROWS, ("Was the waiter there?",))[:, 0]
    assert found[1] > found[0] > found[2] > 0


def test_a_single_row_still_tells_words_apart() -> None:
    """With one row only, found words count and missing ones take away."""
    found = matrix(("the soup was cold",), ("cold soup", "hot soup", "tea"))[0]
    assert found[0] == 1
    assert 0 < found[1] < 0.5
    assert found[2] == 0


def test_a_column_without_words_scores_zero() -> None:
    """Punctuation alone is supported by nothing, and no number is undefined."""
    np.testing.assert_array_equal(matrix(ROWS, ("", "!?")), np.zeros((3, 2)))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text("ab c'é", max_size=12), max_size=4), st.lists(st.text("ab c'é", max_size=12), max_size=4)
)
def test_scores_are_shares(rows: list[str], columns: list[str]) -> None:
    """Whatever the texts, scores lie in [0, 1], and a column inside a row's words scores 1 there."""
    found = matrix(tuple(rows), tuple(columns))
    assert found.shape == (len(rows), len(columns))
    assert ((found >= 0) & (found <= 1)).all()
    from fairbrief.scorers.shared_words import words

    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if words(column) and words(column) <= words(row):
                assert found[i, j] == 1


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda clause: clause.__name__)
def test_containment_keeps_the_contract(clause: Any) -> None:
    """Containment answers as every scorer must, and says that it is no model."""
    clause(make("scorer", "containment"), [Ask("", ROWS, ROWS[:2]), Ask("", (), ("x",)), Ask("", ROWS, ())])
    assert "no model" in Containment().fingerprint
    assert repr(Containment()) == "containment"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), max_size=5), min_size=1, max_size=8))
def test_rows_of_the_same_words_and_no_others_count_once(drawn: list[list[int]]) -> None:
    """Which rows count is told by their sets of words, however alike others are."""
    rows = tuple(" ".join(f"w{i}" for i in own) for own in drawn)
    different = tuple({frozenset(own): row for own, row in zip(drawn, rows, strict=True)}.values())
    columns = (" ".join(f"w{i}" for i in range(41)),)
    score = dict(zip(different, matrix(different, columns)[:, 0], strict=True))
    of_sets = {frozenset(row.split()): value for row, value in score.items()}
    assert matrix(rows, columns)[:, 0].tolist() == [of_sets[frozenset(row.split())] for row in rows]
