"""Columns of small whole numbers, one for each of millions of rows: as narrow as the largest of them allows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairbrief.types import Integers

KINDS = {1: "b", 2: "h", 4: "i", 8: "q"}
"""Of arrays, by the bytes of a number."""


def as_numbers(column: array[int]) -> NDArray[np.signedinteger[Any]]:
    """A column as it lies in memory; while it is held nothing can be added."""
    return np.frombuffer(column, dtype=f"i{column.itemsize}")


def compact(numbers: NDArray[np.signedinteger[Any]]) -> array[int]:
    """Numbers as a column. Shape: (n,)."""
    return extended(array("b"), numbers)


def extended(column: array[int], numbers: Sequence[int] | Integers) -> array[int]:
    """The column with more numbers at its end; another, wider one where they need it."""
    added = np.asarray(numbers)
    if not len(added):
        return column
    wanted = np.min_scalar_type(-1 - int(added.max()))  # what holds -128 holds 127
    kind = np.promote_types(wanted, as_numbers(column).dtype)
    if kind.itemsize > column.itemsize:
        column = array(KINDS[kind.itemsize], as_numbers(column).astype(kind).tobytes())
    column.frombytes(added.astype(kind).tobytes())
    return column
