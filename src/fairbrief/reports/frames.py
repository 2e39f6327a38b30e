"""Estimates and per-record statistics as data frames: Arrow, pandas, polars or plain dictionaries, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import pyarrow as pa
from msgspec.structs import astuple
from numpy.typing import NDArray

from fairbrief.errors import MissingExtra
from fairbrief.reports.wording import joined
from fairbrief.types import Estimate

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

KINDS: dict[str, pa.DataType] = {
    "float": pa.float64(),
    "int": pa.int64(),
    "bool": pa.bool_(),
}
TYPES: dict[str, pa.DataType] = {
    **{
        name: KINDS[kind]
        for name, told in Estimate.__annotations__.items()
        if (kind := told.partition(" ")[0]) in KINDS
    },
    "excluded": pa.int64(),
}
"""What is not text, by the estimate's own declaration."""

T = TypeVar("T")

FIELDS = Estimate.__struct_fields__


def is_packed(kind: pa.DataType) -> bool:
    """Whether an audit holds statistics so: the number of each row among few distinct ones, as counts and shares have them."""
    return bool(pa.types.is_dictionary(kind) and kind.value_type == pa.float64())


def unpacked(table: pa.Table) -> pa.Table:
    """The table with its packed statistics as plain numbers; names, order and metadata stay."""
    plain = pa.float64()
    declared = [f.with_type(plain) if is_packed(f.type) else f for f in table.schema]
    # One array stands for all that an observation does not have.
    nothing = pa.chunked_array([pa.nulls(len(table), plain)])
    columns = [
        column
        if not is_packed(column.type)
        else nothing
        if column.null_count == len(column)
        else column.cast(plain)
        for column in table.itercolumns()
    ]
    # At once: each column that is set by itself copies the schema.
    return pa.Table.from_arrays(columns, schema=pa.schema(declared, table.schema.metadata))


# `pa.array`, `pa.scalar`, and so any comparison with a Python value, `to_numpy` and `group_by` import pandas wherever
# it is installed, which takes longer than a small audit.


def texts(values: Iterable[str | None]) -> pa.Array:
    """Text for Arrow; lone surrogates, which UTF-8 cannot hold, become question marks."""
    held = list(values)
    builder = pa.lib.StringBuilder()
    try:
        builder.append_values(held)
    except UnicodeEncodeError:
        builder = pa.lib.StringBuilder()
        builder.append_values([v if v is None else encodable(v) for v in held])
    return builder.finish()


def numbers(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Numbers for Arrow, as they lie in memory. ``missing`` (n,) says which are null."""
    values = np.ascontiguousarray(values)
    known = (
        pa.py_buffer(np.packbits(~missing, bitorder="little"))
        if missing is not None and missing.any()
        else None
    )
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [known, pa.py_buffer(values)]
    )


def plain_numbers(column: pa.ChunkedArray, null: float = 0) -> NDArray[Any]:
    """An Arrow column of floats or signed integers as one array, with ``null`` in place of what is missing."""
    kind = "f" if pa.types.is_floating(column.type) else "i"
    # Not to_pandas_dtype, for which older versions of Arrow import pandas.
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
    """The rows that hold one of these texts in this column; where they stand one after another they are not copied."""
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
    """The rows of per-record statistics that were not left out; not copied where none was."""
    if "reason" not in rows.column_names or rows["reason"].null_count == len(rows):
        return rows
    return rows.filter(rows["reason"].is_null())


def coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """Which of the column's distinct texts each row holds (rows,), -1 for none; and these texts."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    codes = plain_numbers(pa.chunked_array([chunk.indices for chunk in chunks], pa.int32()), null=-1)
    return codes, chunks[0].dictionary if chunks else texts(())


class Frame:
    """What becomes a data frame in one call."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """A `pyarrow.Table` of plain numbers and texts."""
        raise NotImplementedError

    def to_dicts(self) -> list[dict[str, Any]]:
        """One flat dictionary per row, all with the same keys."""
        rows: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return rows

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame. Needs the extra ``pandas``."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("pandas", "pandas", "to_pandas()") from None
        frame = self.to_arrow().to_pandas()
        assert isinstance(frame, pd.DataFrame)
        return frame

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame. Needs the extra ``polars``."""
        try:
            import polars as pl
        except ImportError:
            raise MissingExtra("polars", "polars", "to_polars()") from None
        frame = pl.from_arrow(self.to_arrow())
        assert isinstance(frame, pl.DataFrame)
        return frame


class Estimates(tuple[Estimate, ...], Frame):
    """Estimates in a row, which become a data frame in one call.

    Columns: the estimate's fields; ``subgroup.NAME`` per slicing attribute (null on whole data);
    ``excluded`` is the number of units left out and ``reasons`` says why; ``notes`` are joined by ``; ``.

    >>> Estimates([Estimate("bur@party", "bur", "lead", 0.25, n=4)]).to_dicts()[0]["value"]
    0.25
    """

    __slots__ = ()

    def __new__(cls, estimates: Iterable[Estimate] = ()) -> Self:
        return super().__new__(cls, estimates)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One flat dictionary per estimate, all with the same keys."""
        return list(self.each())

    def each(self) -> Iterator[dict[str, Any]]:
        """`to_dicts`, one by one."""
        by_subgroup = self._by_subgroup
        for e, notes in zip(self, of_each(joined, [e.notes for e in self]), strict=True):
            yield _cells(e, notes, by_subgroup)

    @property
    def columns(self) -> list[str]:
        """The keys of each dictionary, the columns of each frame; they are there even if there is no estimate."""
        return list(_cells(Estimate("", "", "", None), "", self._by_subgroup))

    def to_arrow(self) -> pa.Table:
        """A `pyarrow.Table`."""
        rows = self.to_dicts()
        schema = pa.schema([(name, TYPES.get(name, pa.string())) for name in self.columns])
        return pa.Table.from_pylist(
            [{k: encodable(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows],
            schema=schema,
        )

    @property
    def _by_subgroup(self) -> list[str]:
        return sorted({name for e in self for name in e.subgroup})


@dataclass(frozen=True, slots=True)
class PerRecord(Frame):
    """The rows under the estimates (columns: see `Result`), which become a data frame in one call."""

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def to_arrow(self) -> pa.Table:
        """A `pyarrow.Table` of plain numbers and texts."""
        return unpacked(self.table)


def _cells(e: Estimate, notes: str, by_subgroup: Sequence[str]) -> dict[str, Any]:
    """The row of an estimate in a frame."""
    row: dict[str, Any] = {}
    for name, value in zip(FIELDS, astuple(e), strict=True):
        if name == "subgroup":
            row |= {f"subgroup.{attribute}": value.get(attribute) for attribute in by_subgroup}
        elif name == "excluded":
            row[name] = sum(value.values())
            row["reasons"] = "; ".join(f"{reason}: {n}" for reason, n in value.items())
        else:
            row[name] = notes if name == "notes" else value
    return row


def of_each(make: Callable[[Any], T], values: Sequence[Any]) -> list[T]:
    """What is made of each value, once of those that many estimates share."""
    made = {key: make(value) for key, value in {id(value): value for value in values}.items()}
    return [made[id(value)] for value in values]


def encodable(text: str) -> str:
    """The text as Arrow holds it: lone surrogates, which UTF-8 does not have, become question marks."""
    return text.encode("utf-8", "replace").decode()
