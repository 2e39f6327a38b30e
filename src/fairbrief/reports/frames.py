"""Estimates and per-record statistics as data frames: Arrow, pandas, polars or dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from msgspec.structs import astuple
from numpy.typing import NDArray

from fairbrief.errors import optional_library
from fairbrief.reports.wording import joined
from fairbrief.types import Estimate

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

KINDS = {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_()}
TYPES = {f: KINDS.get(kind.partition(" ")[0], pa.string()) for f, kind in Estimate.__annotations__.items()}
TYPES["excluded"] = pa.int64()
"""The types of the fields, from the estimate's annotations."""


# `pa.array`, `pa.scalar` (and so any comparison with a Python value), `to_numpy` and `group_by` import pandas if it is
# installed, which takes longer than a small audit.


def texts(values: Iterable[str | None]) -> pa.Array:
    """Text for Arrow; lone surrogates, which UTF-8 does not have, become question marks."""
    held, builder = list(values), pa.lib.StringBuilder()
    try:
        builder.append_values(held)
    except UnicodeEncodeError:
        return texts(text and encodable(text) for text in held)
    return builder.finish()


def numbers(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers for Arrow without a copy. ``missing`` (n,) marks nulls."""
    values = np.ascontiguousarray(values)
    bits = None
    if missing is not None and missing.any():
        bits = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [bits, pa.py_buffer(values)])


def plain_numbers(column: pa.ChunkedArray, null: float = 0) -> NDArray[Any]:
    """An Arrow column of floats or signed integers as one array, with ``null`` for missing values."""
    kind = "f" if pa.types.is_floating(column.type) else "i"
    # Not to_pandas_dtype, because older versions of Arrow then import pandas.
    found = [np.zeros(0, dtype=f"{kind}{column.type.bit_width // 8}")]
    for chunk in column.chunks:
        values = np.frombuffer(chunk.buffers()[1] or b"", dtype=found[0].dtype)
        values = values[chunk.offset : chunk.offset + len(chunk)]
        if chunk.null_count:
            bits = np.frombuffer(chunk.is_valid().buffers()[1], dtype=np.uint8)
            known = np.unpackbits(bits, count=len(chunk), bitorder="little").view(np.bool_)
            values = np.where(known, values, found[0].dtype.type(null))
        found.append(values)
    return np.concatenate(found)


def rows_with(table: pa.Table, name: str, *texts: str) -> pa.Table:
    """The rows with one of these texts in a column; consecutive rows are not copied."""
    codes, known = coded(table[name])
    asked = set(texts)
    wanted = [i for i, other in enumerate(known.to_pylist()) if other in asked]
    chosen = np.isin(codes, wanted)
    n, first = int(np.count_nonzero(chosen)), int(chosen.argmax()) if len(chosen) else 0
    if chosen[first : first + n].all():
        return table.slice(first, n)
    return rows_where(table, chosen)


def rows_where(table: pa.Table, chosen: NDArray[np.bool_]) -> pa.Table:
    """The chosen rows, chunk by chunk. Shape: (rows,)."""
    packed = np.packbits(chosen, bitorder="little")
    return table.filter(pa.Array.from_buffers(pa.bool_(), len(chosen), [None, pa.py_buffer(packed)]))


def usable(rows: pa.Table) -> pa.Table:
    """The rows that were not excluded; not copied if none was."""
    if "reason" not in rows.column_names or rows["reason"].null_count == len(rows):
        return rows
    return rows.filter(rows["reason"].is_null())


def coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """The index of each row's text among the column's distinct texts (rows,), -1 for null; and these texts."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    codes = plain_numbers(pa.chunked_array([chunk.indices for chunk in chunks], pa.int32()), null=-1)
    return codes, chunks[0].dictionary if chunks else texts(())


class Estimates(tuple[Estimate, ...]):
    """A tuple of estimates with methods that return data frames.

    Columns: the estimate's fields; ``subgroup.NAME`` per subgroup attribute (null on all records); ``excluded`` is the number of
    excluded units, ``reasons`` are the reasons; ``notes`` are joined by ``; ``.

    >>> Estimates([Estimate("bur@party", "bur", "lead", 0.25, n=4)]).to_dicts()[0]["value"]
    0.25
    """

    __slots__ = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """One flat dictionary per estimate, all with the same keys."""
        return list(self.each())

    def each(self) -> Iterator[dict[str, Any]]:
        """`to_dicts`, one by one."""
        by_subgroup = self._by_subgroup
        return (_cells(e, by_subgroup) for e in self)

    @property
    def columns(self) -> list[str]:
        """The columns of each frame, even if there is no estimate."""
        return list(_cells(Estimate("", "", "", None), self._by_subgroup))

    def to_arrow(self) -> pa.Table:
        """A `pyarrow.Table`."""
        schema = pa.schema([(name, TYPES.get(name, pa.string())) for name in self.columns])
        rows = [{k: encodable(v) if isinstance(v, str) else v for k, v in row.items()} for row in self.each()]
        return pa.Table.from_pylist(rows, schema=schema)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame. Needs the extra ``pandas``."""
        optional_library("pandas", "pandas", "to_pandas()")
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame. Needs the extra ``polars``."""
        frame: pl.DataFrame = optional_library("polars", "polars", "to_polars()").from_arrow(self.to_arrow())
        return frame

    @property
    def _by_subgroup(self) -> list[str]:
        return sorted({name for e in self for name in e.subgroup})


def _cells(e: Estimate, by_subgroup: Sequence[str]) -> dict[str, Any]:
    """An estimate as the row of a frame."""
    row: dict[str, Any] = {}
    for name, value in zip(Estimate.__struct_fields__, astuple(e), strict=True):
        if name == "subgroup":
            row |= {f"subgroup.{attribute}": value.get(attribute) for attribute in by_subgroup}
        elif name == "excluded":
            row[name] = sum(value.values())
            row["reasons"] = "; ".join(f"{reason}: {n}" for reason, n in value.items())
        else:
            row[name] = joined(value) if name == "notes" else value
    return row


def encodable(text: str) -> str:
    """The text as Arrow stores it: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode()
