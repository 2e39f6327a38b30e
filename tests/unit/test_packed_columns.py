"""Columns of rows in little room."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairbrief.auditing import packed_columns
from fairbrief.auditing.packed_columns import pack_codes, pack_once

COLUMNS = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 1 / 3, -2.0, 7.0, 1e300]), min_size=1, max_size=30),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("marked", [0, 100])
@given(columns=COLUMNS)
def test_a_column_is_packed_alike_from_its_numbers_and_from_codes_of_more(
    columns: list[list[float]], marked: int
) -> None:
    """Whether the numbers that are met are marked or sorted; and of equal columns one is kept."""
    numbers = np.unique([x for column in columns for x in column])
    from_numbers: dict[bytes, packed_columns.Packed] = {}
    from_codes: dict[bytes, packed_columns.Packed] = {}
    before, packed_columns.MARKED = packed_columns.MARKED, marked
    try:
        for column in columns:
            codes = np.searchsorted(numbers, column).astype(np.int32)
            a, b = pack_once(np.array(column), from_numbers), pack_codes(numbers, codes, from_codes)
            assert a.column.tolist() == b.column.tolist() == column
            assert a.numbers.tolist() == b.numbers.tolist()
            assert (a.compressed, a.units) == (b.compressed, b.units)
    finally:
        packed_columns.MARKED = before
    assert len(from_numbers) == len(from_codes)
