"""Estimates and evidence as data frames: Arrow, pandas, polars or plain dictionaries, in one call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from fairbrief.errors import MissingExtra
from fairbrief.nouns import Estimate

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

TYPES: dict[str, pa.DataType] = {
    **dict.fromkeys(
        ("value", "low", "high", "null_mean", "p", "p_adjusted", "low_within", "high_within"), pa.float64()
    ),
    **dict.fromkeys(("n", "clusters", "excluded"), pa.int64()),
    "testable": pa.bool_(),
}
"""What is not text."""

PACKED = pa.dictionary(pa.int16(), pa.float64())
"""How an audit holds its statistics: most are counts or shares of which there are few distinct ones."""


def unpacked(table: pa.Table) -> pa.Table:
    """The table with its packed statistics as plain numbers; names, order and metadata stay."""
    for i, field in enumerate(table.schema):
        if field.type == PACKED:
            table = table.set_column(i, field.with_type(pa.float64()), table.column(i).cast(pa.float64()))
    return table


class Estimates(tuple[Estimate, ...]):
    """Estimates in a row, which become a data frame in one call.

    Columns: the estimate's fields; ``slice.NAME`` per slicing attribute (null on whole data);
    ``excluded`` is the number of units left out and ``reasons`` says why; ``notes`` are joined by ``; ``.

    >>> Estimates([Estimate("bur@party", "bur", "lead", 0.25, n=4)]).to_dicts()[0]["value"]
    0.25
    """

    __slots__ = ()

    def __new__(cls, estimates: Iterable[Estimate] = ()) -> Self:
        return super().__new__(cls, estimates)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One flat dictionary per estimate, all with the same keys."""
        sliced = sorted({name for e in self for name in e.slice})
        return [_flat(e, sliced) for e in self]

    def to_arrow(self) -> pa.Table:
        """A `pyarrow.Table`; its columns are there even if there is no estimate."""
        rows = self.to_dicts()
        names = list(rows[0]) if rows else list(_flat(Estimate("", "", "", None), []))
        schema = pa.schema([(name, TYPES.get(name, pa.string())) for name in names])
        return pa.Table.from_pylist(
            [{k: encodable(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows],
            schema=schema,
        )

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame. Needs the extra ``pandas``."""
        return _pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame. Needs the extra ``polars``."""
        return _polars(self.to_arrow())


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rows under the estimates (columns: see `Result`), which become a data frame in one call."""

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        rows: list[dict[str, Any]] = self.to_arrow().to_pylist()
        return rows

    def to_arrow(self) -> pa.Table:
        """A `pyarrow.Table` of plain numbers and texts."""
        return unpacked(self.table)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame. Needs the extra ``pandas``."""
        return _pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """A polars data frame. Needs the extra ``polars``."""
        return _polars(self.to_arrow())


def _flat(e: Estimate, sliced: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for f in fields(e):
        if f.name == "slice":
            row |= {f"slice.{name}": e.slice.get(name) for name in sliced}
        elif f.name == "excluded":
            row["excluded"] = sum(e.excluded.values())
            row["reasons"] = "; ".join(f"{reason}: {n}" for reason, n in e.excluded.items())
        elif f.name == "notes":
            row["notes"] = "; ".join(e.notes)
        else:
            row[f.name] = getattr(e, f.name)
    return row


def encodable(text: str) -> str:
    """The text as Arrow holds it: lone surrogates, which UTF-8 does not have, become question marks."""
    return text.encode("utf-8", "replace").decode()


def _pandas(table: pa.Table) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "pandas", "to_pandas()") from None
    frame: pd.DataFrame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    return frame


def _polars(table: pa.Table) -> pl.DataFrame:
    try:
        import polars as pl
    except ImportError:
        raise MissingExtra("polars", "polars", "to_polars()") from None
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame
