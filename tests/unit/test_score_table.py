"""Answers side by side read like the answers one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.score_tables import ScoredUnits, ScoreTable
from fairbrief.types import Scores

SHAPES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=6)


def answers(shapes: list[tuple[int, int]]) -> list[Scores]:
    """Answers of these shapes."""
    rng = np.random.default_rng(len(shapes))
    return [Scores(rng.random((r, u)), np.sort(rng.integers(0, 2, u)), rng.random(r)) for r, u in shapes]


@given(SHAPES)
def test_each_answer_comes_back_as_it_was_given(shapes: list[tuple[int, int]]) -> None:
    """Whatever their shapes."""
    given_ones = answers(shapes)
    for one, found in zip(given_ones, ScoreTable.of(given_ones), strict=True):
        np.testing.assert_array_equal(one.matrix, found.matrix)
        np.testing.assert_array_equal(one.owner, found.owner)
        np.testing.assert_array_equal(one.sizes, found.sizes)


def test_answers_of_one_shape_are_read_together() -> None:
    """Those between are passed over."""
    given_ones = answers([(2, 3), (1, 1), (2, 3)])
    table, chosen = ScoreTable.of(given_ones), np.array([0, 2])
    np.testing.assert_array_equal(table.matrices(chosen), np.stack([given_ones[i].matrix for i in chosen]))
    np.testing.assert_array_equal(table.owner_of(2), given_ones[2].owner)
    np.testing.assert_array_equal(table.sizes_of(chosen), np.stack([given_ones[i].sizes for i in chosen]))


def test_a_table_is_taken_as_it_is_and_has_no_answer_beyond_its_end() -> None:
    """Like a list."""
    table = ScoreTable.of(answers([(2, 3), (1, 1)]))
    assert ScoreTable.of(table) is table
    assert [one.matrix.shape for one in table] == [(2, 3), (1, 1)]
    with pytest.raises(IndexError):
        table[2]


def test_answers_of_several_tables_come_in_any_order() -> None:
    """As they do where units ask several scorers."""
    one, two = answers([(2, 3), (1, 1)]), answers([(0, 2), (2, 2), (3, 1)])
    order = np.array([4, 0, 3, 1, 2])
    table = ScoreTable.joined([ScoreTable.of(one), ScoreTable.of(two)]).ordered(order)
    for i, found in zip(order, table, strict=True):
        np.testing.assert_array_equal([*one, *two][i].matrix, found.matrix)
        np.testing.assert_array_equal([*one, *two][i].owner, found.owner)
        np.testing.assert_array_equal([*one, *two][i].sizes, found.sizes)


def test_answers_of_as_many_rows_stand_side_by_side() -> None:
    """However many units each has."""
    given_ones = answers([(2, 3), (1, 1), (2, 0), (2, 4)])
    chosen = np.array([0, 2, 3])
    found = ScoreTable.of(given_ones).beside(chosen)
    np.testing.assert_array_equal(found, np.hstack([given_ones[i].matrix for i in chosen]))


def test_units_have_the_answers_to_what_they_asked() -> None:
    """One asked twice, one nothing; some of them have the same."""
    one, two, three = answers([(2, 3), (1, 1), (2, 2)])
    units = ScoredUnits.of([((), [one, two]), ((), []), ((), [three])])
    assert [len(scores) for _, scores in units] == [2, 0, 1]
    assert units.first_shapes.tolist() == [[2, 3], [-1, -1], [2, 2]]
    owners = [one.owner.tobytes(), b"", three.owner.tobytes()]
    assert units.first_owners == owners
    assert units.some([2, 1]).first_owners == owners[:0:-1]
    assert units.some([1]).first_owners == [b""]
    ((_, (found,)),) = units.some([2])
    np.testing.assert_array_equal(found.matrix, three.matrix)
    assert [len(scores) for _, scores in units.some([2, 0, 1])] == [1, 2, 0]
