"""Columns of rows in little room: distinct numbers, and which of them each unit has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairbrief.reports.frames import numbers
from fairbrief.types import Floats, Integers

SMALL = 128
"""So many distinct numbers are told apart by one byte."""
MARKED = 1 << 13
"""Distinct numbers of a column up to which a chunk's are found without sorting."""
CODEC = pa.Codec("zstd")


@dataclass(frozen=True, slots=True)
class Packed:
    """One column of a chunk: its distinct numbers, and which of them each unit has, 0 where it has no row.

    Most statistics are counts or shares of few; a few bits a unit instead of eight bytes, exactly.
    Shape of ``numbers``: (distinct,); ``compressed`` are the codes.
    """

    numbers: Floats
    units: int
    compressed: bytes

    @classmethod
    def of(cls, column: Floats) -> Packed:
        """A column. Shape: (units,)."""
        encoded = numbers(column).dictionary_encode()
        # Not to_numpy, for which Arrow imports pandas.
        met = np.frombuffer(encoded.dictionary.buffers()[1] or b"", dtype=np.float64)
        which = np.frombuffer(encoded.indices.buffers()[1] or b"", dtype=np.int32)
        # Only the distinct numbers, which are few, are sorted.
        distinct, place = np.unique(met[: len(encoded.dictionary)], return_inverse=True)
        return cls.of_codes(distinct, place.astype(code_type(len(distinct)))[which[: len(column)]])

    @classmethod
    def of_codes(cls, numbers: Floats, codes: NDArray[np.signedinteger[Any]]) -> Packed:
        """A column's distinct numbers, ascending, and which of them each unit has, of their `code_type`. Shape of ``codes``: (units,)."""
        return cls(numbers, len(codes), CODEC.compress(codes, asbytes=True))

    @property
    def code_type(self) -> np.dtype[np.signedinteger[Any]]:
        """How many bytes tell the numbers apart."""
        return code_type(len(self.numbers))

    @property
    def codes(self) -> NDArray[np.signedinteger[Any]]:
        """Which number each unit has. Shape: (units,)."""
        kind = self.code_type
        return np.frombuffer(CODEC.decompress(self.compressed, self.units * kind.itemsize), dtype=kind)

    @property
    def column(self) -> Floats:
        """The numbers of all units. Shape: (units,)."""
        return np.asarray(self.numbers[self.codes])


def code_type(numbers: int) -> np.dtype[np.signedinteger[Any]]:
    """Whole numbers that tell so many apart, 2¹⁵ at most."""
    return np.dtype(np.int8 if numbers <= SMALL else np.int16)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of units that were packed together: their columns, of which those that nobody had had yet are absent."""

    units: int
    columns: Sequence[Packed | None]

    @classmethod
    def of(cls, rows: Floats) -> Chunk:
        """Rows. Shape: (units, columns)."""
        # Many columns of a chunk are alike (of a value that nobody has, of counts that go together): one holds for all.
        known: dict[bytes, Packed] = {}
        return cls(len(rows), [pack_once(column, known) for column in np.ascontiguousarray(rows.T)])

    def held(self, k: int) -> Packed | None:
        """A column; None where it is absent."""
        return self.columns[k] if k < len(self.columns) else None

    def column(self, k: int) -> Packed:
        """A column; zeros where it is absent."""
        return self.held(k) or Packed.of(np.zeros(self.units))

    def placed(self, places: Integers) -> Chunk:
        """The same among other columns: the first at the first of these places, and so on. Shape: (columns,) or more."""
        found: list[Packed | None] = [None] * (int(places.max(initial=-1)) + 1)
        for place, column in zip(places.tolist(), self.columns, strict=False):
            found[place] = column
        return Chunk(self.units, found)


def pack_once(column: Floats, known: dict[bytes, Packed]) -> Packed:
    """A chunk's column; of equal ones the same."""
    key = column.tobytes()
    if key not in known:
        known[key] = Packed.of(column)
    return known[key]


def pack_codes(numbers: Floats, codes: NDArray[np.signedinteger[Any]], known: dict[bytes, Packed]) -> Packed:
    """`pack_once` of ``numbers[codes]``, where the numbers ascend."""
    if len(numbers) <= MARKED:  # to mark those that are met is faster than to sort
        is_met = np.zeros(len(numbers), dtype=np.bool_)
        is_met[codes] = True
        met, place = numbers[is_met], np.cumsum(is_met) - 1
        own = place.astype(code_type(len(met)))[codes]
    else:
        which, own = np.unique(codes, return_inverse=True)
        met, own = numbers[which], own.astype(code_type(len(which)))
    key = hashlib.blake2b(met.tobytes() + own.tobytes(), digest_size=16).digest()
    if key not in known:
        known[key] = Packed.of_codes(met, own)
    return known[key]
