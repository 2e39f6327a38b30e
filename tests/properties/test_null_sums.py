"""Sums of relabelled rows, which no order and no parting changes."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.auditing.null_sums import Drawn, NullSums, RelabelledRows, drawn_of, squares_of
from fairbrief.statistics.arrays import GRID, added, exact_parts, on_grid
from fairbrief.types import Column

NUMBERS = (
    st.floats(-1, 1)
    | st.floats(-1e6, 1e6)
    | st.integers(-(2**40), 2**40).map(float)
    | st.sampled_from([0.1, 1 / 3, -1 / 3, 2.0**12 - GRID, -(2.0**27), 2.0**-41, 1e12 / 7])
)


def summed(numbers: Sequence[float], many: int) -> float:
    """So many at a time."""
    total = None
    for start in range(0, len(numbers), many):
        some = on_grid(np.array(numbers[start : start + many]))
        for part in exact_parts(some, len(some)):
            total = added(total, part.sum())
    assert total is not None
    return float(total[0] + total[1])


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.integers(1, 30), st.data())
def test_any_order_and_parts_give_the_same_bits(numbers: list[float], many: int, data: st.DataObject) -> None:
    """And they are those of the exact sum, but for its one rounding and what is below the grid."""
    here = summed(numbers, 1)
    assert here == summed(data.draw(st.permutations(numbers)), many)
    exact = sum(map(Fraction, numbers), Fraction())
    assert abs(Fraction(here) - exact) <= abs(exact) * Fraction(2) ** -52 + len(numbers) * Fraction(GRID) / 2


DRAWS = 32
COLUMNS: tuple[Column, ...] = (("a",), ("b", "x"), ("b", "y"))


Unit = tuple[str, RelabelledRows | None, np.ndarray, dict[str, np.ndarray]]
"""A unit's cluster, its relabelled row or its fixed one, and its contrast."""


@st.composite
def units(draw: st.DrawFn) -> Unit:
    """Any unit."""
    columns = COLUMNS[: draw(st.integers(1, 3))]
    permutations = draw(st.sampled_from([1, 2, 3, 40]))
    seed = draw(st.integers(0, 3))
    rng = np.random.default_rng(seed)
    values = on_grid(rng.normal(size=(permutations, len(columns))) * 10.0 ** rng.integers(-3, 8))
    if draw(st.booleans()):
        values[:, 0] = 1.0
    cluster = draw(st.sampled_from(["", "c", "d"]))
    contrasts = {"k": values[:, [0, -1]]}
    if permutations == 1:
        return cluster, None, values[0], {"k": contrasts["k"][0]}
    choice = rng.integers(0, permutations, DRAWS)
    more = ((), values[:, :0]) if cluster else squares_of(contrasts)
    rows = np.concatenate([values, more[1]], axis=1)[np.newaxis]
    row = RelabelledRows.of_all((*columns, *more[0]), rows, choice[np.newaxis])
    return cluster, row, values[0], {"k": contrasts["k"].take(choice, axis=0)}


def null_of(several: Sequence[Unit]) -> NullSums:
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
    st.integers(1, 60), st.sampled_from([2, 3, 40]), st.sampled_from([1.0, 1e4, 2.0**27, 1e12]),
    st.integers(0, 3),
)  # fmt: skip
def test_units_sum_together_as_one_by_one(units: int, permutations: int, size: float, seed: int) -> None:
    """To the last bit, moving columns, fixed ones and small sums that are kept as rows, whatever the size of the numbers."""
    rng = np.random.default_rng(seed)
    values = on_grid(rng.normal(size=(units, permutations, len(COLUMNS))) * size)
    values[:, :, 0] = values[:, :1, 0]
    choices = rng.integers(0, permutations, (units, DRAWS))
    together, single = NullSums(DRAWS), NullSums(DRAWS)
    together.add(RelabelledRows.of_all(COLUMNS, values, choices))
    together.add_fixed(COLUMNS, values[:, 0])
    for i in range(units):
        single.add(RelabelledRows.of_all(COLUMNS, values[i : i + 1], choices[i : i + 1]))
        single.add_fixed(COLUMNS, values[i : i + 1, 0])
    assert all_of(together) == all_of(single) != ([], [])
    assert together.log_permutations == pytest.approx(single.log_permutations, rel=1e-15)


Read = tuple[list[Column], list[list[float]]]


def all_of(null: NullSums) -> Read:
    """The columns, and the sums of each resample."""
    return read(next(drawn_of([null])) if null.is_relabelled else None)


def read(drawn: Drawn | None) -> Read:
    """Statistics to the last bit, squares to nine digits."""
    if drawn is None:
        return [], []
    columns = drawn.totals.columns
    sums = {c: drawn.totals[c][drawn.draws].tolist() for c in columns}
    rounded = {c: [float(f"{x:.9g}") for x in own] if c[0] == "²" else own for c, own in sums.items()}
    return [*columns], [*rounded.values()]


@settings(max_examples=30)
@given(st.lists(st.lists(units(), min_size=1, max_size=4), max_size=8))
def test_small_sums_that_are_drawn_at_once_are_as_alone(several: list[list[Unit]]) -> None:
    """To the last bit, whatever the others hold; each twice, so that some are of one shape."""
    nulls = [null_of(sorted(own, key=lambda unit: unit[0])) for own in [*several, *several]]
    relabelled = [null for null in nulls if null.is_relabelled]
    found = list(drawn_of(relabelled))
    assert len(found) == len(relabelled)
    for null, drawn in zip(relabelled, found, strict=True):
        assert read(drawn) == all_of(null)
        assert drawn.log_permutations == null.log_permutations


@settings(max_examples=40)
@given(st.lists(units(), max_size=40), st.data())
def test_relabelled_sums_are_the_same_in_any_order(several: list[Unit], data: st.DataObject) -> None:
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
    assert here.log_permutations == merged.log_permutations
