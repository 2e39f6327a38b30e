"""Sums that no order and no parting changes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.auditing.contrast_sums import squares_of
from fairbrief.auditing.null_sums import NullSums, drawn_of
from fairbrief.auditing.relabelled_rows import RelabelledRows
from fairbrief.statistics.exact_sums import FINE, MOST_ADDED, ExactSums, halves
from fairbrief.types import Column

NUMBERS = (
    st.floats(-1, 1)
    | st.floats(-1e6, 1e6)
    | st.floats(-1e15, 1e15)
    | st.integers(-(2**40), 2**40).map(float)
    | st.sampled_from([0.1, 1 / 3, -1 / 3, 2.0**27, -(2.0**27), 2.0**28 - 2.0**-25, 2.0**-67, -(2.0**20)])
)


def summed(numbers: Sequence[float], tree: st.DataObject) -> ExactSums:
    """Parted and merged anyhow."""
    sums = ExactSums.zeros(1)
    if len(numbers) > 1 and tree.draw(st.booleans()):
        cut = tree.draw(st.integers(1, len(numbers) - 1))
        for part in (numbers[:cut], numbers[cut:]):
            sums.merge(summed(part, tree))
        return sums
    for number in numbers:
        sums.add(np.array([number]))
    return sums


@given(st.lists(NUMBERS, max_size=30), st.data())
def test_any_order_and_any_parts_give_the_same_bits(numbers: list[float], data: st.DataObject) -> None:
    """And they are those of the exact sum, but for its one rounding and what is below the fine grid."""
    here = float(summed(numbers, data).value()[0])
    assert here == float(summed(data.draw(st.permutations(numbers)), data).value()[0])
    exact = sum(map(Fraction, numbers), Fraction())
    assert abs(Fraction(here) - exact) <= abs(exact) * Fraction(2) ** -52 + len(numbers) * Fraction(FINE) / 2


@pytest.mark.parametrize("number", [0.1, 1 / 3, 123456.789, -1e12 / 7])
def test_many_more_numbers_than_are_added_between_two_carries(number: float) -> None:
    """Nothing is rounded on the way."""
    many = 3 * MOST_ADDED + 5
    sums = ExactSums.zeros(1)
    for _ in range(many):
        sums.add(np.array([number]))
    assert float(sums.value()[0]) == pytest.approx(float(many * Fraction(number)), rel=3e-16)


@pytest.mark.parametrize("size", [1e-6, 1.0, 2.0**26, 2.0**28 - 1, 1e9, 1e12])
def test_a_number_is_a_multiple_of_a_coarse_step_and_a_small_multiple_of_a_fine_one(size: float) -> None:
    """Of 2⁻²⁴ the nearest, and what is left, at most 2⁻²⁵, to the nearest of 2⁻⁶⁶."""
    step, small = Fraction(2) ** -24, Fraction(2) ** -66
    numbers = size * np.cos(np.arange(1.0, 200))
    coarse, fine, bound = halves(numbers)
    assert bound == np.abs(numbers).max()
    for number, c, f in zip(*(map(Fraction, part.tolist()) for part in (numbers, coarse, fine)), strict=True):
        assert c % step == 0
        assert abs(f) <= step / 2
        assert f % small == 0
        assert abs(number - c - f) <= small / 2


def test_what_is_carried_is_a_multiple_of_a_million() -> None:
    """Of 2²⁰; below it stand at least 0 and less than that."""
    sums = ExactSums.zeros(2)
    sums.add(np.array([3.5 * 2.0**20, -1.0]))
    sums.carry()
    assert sums.large is not None
    assert (sums.large.tolist(), sums.coarse.tolist()) == ([3 * 2.0**20, -(2.0**20)], [2.0**19, 2.0**20 - 1])


def test_five_thousand_small_numbers_lose_nothing() -> None:
    """2⁻²⁵ less 2⁻⁶⁶ is all of it fine, and 4,096 of them are 2⁵³ fine steps: more must have been carried before."""
    number = 2.0**-25 - 2.0**-66
    sums = ExactSums.zeros(1)
    for _ in range(5000):
        sums.add(np.array([number]))
    assert Fraction(sums.coarse[0]) + Fraction(sums.fine[0]) == 5000 * Fraction(number)
    sums.carry()
    assert Fraction(sums.coarse[0]) + Fraction(sums.fine[0]) == 5000 * Fraction(number)
    assert 0 <= sums.fine[0] < 2.0**-24


def test_four_thousand_rows_of_small_numbers_lose_nothing_beside_another() -> None:
    """One and 4,096 together are more than 2⁵³ fine steps: rows are added in fewer at a time."""
    number = 2.0**-25 - 2.0**-66
    sums = ExactSums.zeros(1)
    sums.add(np.array([number]))
    sums.add_rows(np.full((4096, 1), number), np.array([0]))
    assert Fraction(sums.coarse[0]) + Fraction(sums.fine[0]) == 4097 * Fraction(number)


@pytest.mark.parametrize("size", [2e7, 2.0**26, 2.0**27 - 2.0**-24, 2.0**27, 2.0**28, 2.0**40])
def test_a_thousand_large_numbers_lose_nothing(size: float) -> None:
    """Coarse sums are exact below 2²⁹: what would reach it is put aside before, of whole rows and at places."""
    numbers = np.array([size, 1 / 3 - size])
    whole, placed, mirrored, together = ExactSums.zeros(2), *(ExactSums.zeros(3) for _ in range(3))
    for _ in range(1000):
        whole.add(numbers)
        placed.add_rows(numbers[np.newaxis], np.array([2, 0]))
        mirrored.add_rows(-numbers[np.newaxis], np.array([2, 0]))
    together.add_rows(np.tile(numbers, (1000, 1)), np.array([2, 0]))
    exact = [1000 * sum(Fraction(part[i]) for part in halves(numbers)[:2]) for i in range(2)]
    signs = {1: (whole, placed.at([2, 0]), together.at([2, 0])), -1: (mirrored.at([2, 0]),)}
    for sums, sign in ((sums, sign) for sign, several in signs.items() for sums in several):
        large = np.zeros(2) if sums.large is None else sums.large
        found = [sum(Fraction(part[i]) for part in (large, sums.coarse, sums.fine)) for i in range(2)]
        assert found == [sign * of for of in exact]


def test_sums_of_several_rows_are_widened() -> None:
    """Zeros stand behind the last axis, in every row."""
    sums = ExactSums.zeros((2, 1))
    sums.add(np.array([[1.0], [2.0]]))
    assert sums.widened(3).value().tolist() == [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]


def test_numbers_too_large_to_be_summed_exactly_are_refused() -> None:
    """From 2⁶⁰ on, with what to look at."""
    for number in (-1e30, 2.0**60):
        with pytest.raises(OverflowError, match=r"1e18 alone\. Look at the measure"):
            ExactSums.zeros(1).add(np.array([number]))
    sums = ExactSums.zeros(1)
    sums.add(np.array([2.0**60 - 2.0**8]))
    assert sums.value()[0] == 2.0**60 - 2.0**8


@given(st.lists(NUMBERS, min_size=1, max_size=12), st.data())
def test_numbers_are_added_at_their_places(numbers: list[float], data: st.DataObject) -> None:
    """Alone, together and merged at a place: the same."""
    places = [data.draw(st.integers(0, 2)) for _ in numbers]
    sums, wide = ExactSums.zeros(3), ExactSums.zeros((2, 4))
    for place, number in zip(places, numbers, strict=True):
        sums.add_rows(np.array([[number]]), np.array([place]))
    wide.merge(sums.widened(4))
    wanted = [
        summed([n for p, n in zip(places, numbers, strict=True) if p == place], data).value()[0]
        for place in range(3)
    ]
    assert sums.value().tolist() == wanted
    assert wide.value().tolist() == [[*wanted, 0.0]] * 2
    assert wide.at(np.s_[:, 1]).value().tolist() == [wanted[1]] * 2


DRAWS = 32
COLUMNS: tuple[Column, ...] = (("a",), ("b", "x"), ("b", "y"))


@st.composite
def units(draw: st.DrawFn) -> tuple[str, RelabelledRows | None, np.ndarray, dict[str, np.ndarray]]:
    """A unit's cluster, its relabelled row or its fixed one, and its contrast."""
    columns = COLUMNS[: draw(st.integers(1, 3))]
    labellings = draw(st.sampled_from([1, 2, 3, 40]))
    seed = draw(st.integers(0, 3))
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(labellings, len(columns))) * 10.0 ** rng.integers(-3, 8)
    if draw(st.booleans()):
        values[:, 0] = 1.0
    cluster = draw(st.sampled_from(["", "c", "d"]))
    contrasts = {"k": values[:, [0, -1]]}
    if labellings == 1:
        return cluster, None, values[0], {"k": contrasts["k"][0]}
    choice = rng.integers(0, labellings, DRAWS)
    more = ((), values[:, :0]) if cluster else squares_of(contrasts)
    rows = np.concatenate([values, more[1]], axis=1)[np.newaxis]
    row = RelabelledRows.of_all((*columns, *more[0]), rows, choice[np.newaxis])
    return cluster, row, values[0], {"k": contrasts["k"].take(choice, axis=0)}


def null_of(
    several: Sequence[tuple[str, RelabelledRows | None, np.ndarray, dict[str, np.ndarray]]],
) -> NullSums:
    """Added one by one."""
    null = NullSums(DRAWS)
    for cluster, row, values, contrasts in several:
        columns = COLUMNS[: len(values)]
        if cluster:
            null.hold(cluster, contrasts, 0 if row is None else row.values.shape[1])
        if row is not None:
            null.add(row, are_clusters=not cluster)
        elif cluster:
            null.add_fixed(columns, values[np.newaxis])
        else:
            names, squares = squares_of(contrasts)
            null.add_fixed((*columns, *names), np.concatenate([values, squares])[np.newaxis])
    return null


@given(
    st.integers(1, 60),
    st.sampled_from([2, 3, 40]),
    st.sampled_from([1.0, 1e4, 2.0**27, 1e15]),
    st.integers(0, 3),
)
def test_units_that_are_added_together_sum_as_one_by_one(
    units: int, labellings: int, size: float, seed: int
) -> None:
    """To the last bit, moving columns, fixed ones and small sums that are kept as rows, whatever the size of the numbers."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(units, labellings, len(COLUMNS))) * size
    values[:, :, 0] = values[:, :1, 0]
    choices = rng.integers(0, labellings, (units, DRAWS))
    together, single = NullSums(DRAWS), NullSums(DRAWS)
    together.add(RelabelledRows.of_all(COLUMNS, values, choices))
    together.add_fixed(COLUMNS, values[:, 0])
    for i in range(units):
        single.add(RelabelledRows.of_all(COLUMNS, values[i : i + 1], choices[i : i + 1]))
        single.add_fixed(COLUMNS, values[i : i + 1, 0])
    assert all_of(together) == all_of(single) != ([], [])
    assert together.log_labellings == pytest.approx(single.log_labellings, rel=1e-15)


@pytest.mark.parametrize("units", [25, 40, 300])
@pytest.mark.parametrize("kinds", [1, 2, 9])
@pytest.mark.parametrize("labellings", [2, 3, 5])
@pytest.mark.parametrize("size", [1.0, 1e4, 2.0**21, 2.0**24, 2.0**27])
def test_units_of_equal_rows_sum_as_one_by_one(units: int, kinds: int, labellings: int, size: float) -> None:
    """To the last bit, with more of a kind than a byte counts, and whether or not sums of so many stay exact."""
    rng = np.random.default_rng(units)
    tables = rng.normal(size=(kinds, labellings, len(COLUMNS))) * size
    values = tables[rng.integers(0, kinds, units)]
    choices = rng.integers(0, labellings, (units, DRAWS))
    choices[20:] = labellings - 1
    together, single = NullSums(DRAWS), NullSums(DRAWS)
    together.add(RelabelledRows.of_all(COLUMNS, values, choices))
    for i in range(units):
        single.add(RelabelledRows.of_all(COLUMNS, values[i : i + 1], choices[i : i + 1]))
    assert all_of(together) == all_of(single) != ([], [])


def all_of(null: NullSums) -> tuple[list[Column], list[list[float]]]:
    """The columns, and the sums of each resample."""
    drawn = null.drawn()
    if drawn is None:
        return [], []
    return [*drawn.totals.columns], drawn.totals.array[drawn.draws].tolist()


@given(st.lists(st.lists(units(), min_size=1, max_size=4), max_size=8))
def test_small_sums_that_are_drawn_at_once_are_as_alone(
    several: list[list[tuple[str, RelabelledRows | None, np.ndarray, dict[str, np.ndarray]]]],
) -> None:
    """To the last bit, whatever the others hold; each twice, so that some are of one shape."""
    nulls = [null_of(sorted(own, key=lambda unit: unit[0])) for own in [*several, *several]]
    relabelled = [null for null in nulls if null.is_relabelled]
    found = list(drawn_of(relabelled))
    assert len(found) == len(relabelled)
    for null, drawn in zip(relabelled, found, strict=True):
        alone = ([*drawn.totals.columns], drawn.totals.array[drawn.draws].tolist())
        assert alone == all_of(null)
        assert drawn.log_labellings == null.log_labellings


def test_what_no_labelling_moves_is_one_draw() -> None:
    """However many labellings the units have."""
    still = np.ones((2, 3, len(COLUMNS)))
    null = NullSums(DRAWS)
    null.add(RelabelledRows.of_all(COLUMNS, still, np.tile(np.arange(DRAWS) % 3, (2, 1))))
    drawn = null.drawn()
    assert drawn is not None
    assert drawn.totals.array.tolist() == [[2.0] * len(COLUMNS)]
    assert drawn.draws.tolist() == [0] * DRAWS
    assert drawn.log_labellings == pytest.approx(2 * np.log(3))


@given(st.lists(units(), max_size=20), st.integers(1, 5))
def test_clusters_that_are_squared_together_sum_as_one_by_one(
    several: list[tuple[str, RelabelledRows | None, np.ndarray, dict[str, np.ndarray]]], step: int
) -> None:
    """To the last bit: at the end, and after every few units, when a cluster may still be open."""
    shared = sorted((unit for unit in several if unit[0]), key=lambda unit: unit[0])
    at_once, in_steps = null_of(shared), NullSums(DRAWS)
    for i, unit in enumerate(shared):
        cluster, row, values, contrasts = unit
        in_steps.hold(cluster, contrasts, 0 if row is None else row.values.shape[1])
        if row is None:
            in_steps.add_fixed(COLUMNS[: len(values)], values[np.newaxis])
        else:
            in_steps.add(row, are_clusters=False)
        if i % step == 0:
            in_steps.square()
    at_once.close()
    assert all_of(at_once) == all_of(in_steps)
    assert at_once.log_labellings == in_steps.log_labellings


@given(st.lists(units(), max_size=40), st.data())
def test_relabelled_sums_are_the_same_in_any_order_and_parts(
    several: list[tuple[str, RelabelledRows | None, np.ndarray, dict[str, np.ndarray]]], data: st.DataObject
) -> None:
    """Clusters whole and anywhere between units that are clusters by themselves; merged in either order."""
    alone = [unit for unit in several if not unit[0]]
    shared = sorted((unit for unit in several if unit[0]), key=lambda unit: unit[0])
    here = null_of([*alone, *shared])
    first, second = (null_of(part) for part in (data.draw(st.permutations(alone)), shared))
    if data.draw(st.booleans()):
        first, second = second, first
    merged = NullSums(DRAWS)
    merged.merge(first)
    merged.merge(second)
    assert all_of(here) == all_of(merged)
    assert here.log_labellings == merged.log_labellings
