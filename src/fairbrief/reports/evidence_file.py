"""``evidence.parquet``: the rows under the estimates, one per observation, system and unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from fairbrief.errors import DataError, first_line
from fairbrief.reports.frames import unpacked
from fairbrief.reports.result import Result

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SCHEMA = "fairbrief.evidence/3"
GROUP = 1 << 15
"""Rows that are unpacked and written together."""


def write(result: Result, path: Path | str, audit: str) -> None:
    """Write the evidence as Parquet, compressed with Zstandard; the file's metadata name the schema and the audit."""
    import pyarrow.parquet as pq

    rows = result.rows
    schema = unpacked(rows.slice(0, 0)).schema
    metadata = {**(schema.metadata or {}), b"schema": SCHEMA.encode(), b"audit": audit.encode()}
    with pq.ParquetWriter(path, schema.with_metadata(metadata), compression="zstd") as file:
        for start in range(0, max(len(rows), 1), GROUP):
            file.write_table(unpacked(rows.slice(start, GROUP)).replace_schema_metadata(metadata))


def write_hashes(table: pa.Table, path: Path) -> None:
    """Write a row of hashes for each record: without a dictionary, since no two are alike."""
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd", row_group_size=GROUP, use_dictionary=False)


def read(path: Path | str, audit: str | None = None) -> pa.Table:
    """Read the evidence; DataError where the file is absent, damaged, or of another audit than the one named.

    Most statistics are of one observation: one array of nulls stands for all that are not of a row group's.
    """
    import pyarrow.parquet as pq

    with reading(path), pq.ParquetFile(path) as file:
        _refuse_other(path, file.schema_arrow.metadata or {}, audit)
        schema = file.schema_arrow
        groups = [_held(file, i) for i in range(file.num_row_groups)]
    nothing = {kind: pa.nulls(max(map(len, groups), default=0), kind) for kind in {*schema.types}}
    return pa.concat_tables([schema.empty_table(), *(_with_all(group, schema, nothing) for group in groups)])


def nothing_of(path: Path | str, audit: str) -> pa.Table:
    """No row of the evidence, with all of its columns; DataError as `read`, but for what is damaged in rows."""
    import pyarrow.parquet as pq

    with reading(path):
        schema = pq.read_schema(path)
        _refuse_other(path, schema.metadata or {}, audit)
        return schema.empty_table()


def _held(file: pq.ParquetFile, group: int) -> pa.Table:
    """The columns that have a value in a row group."""
    metadata = file.metadata.row_group(group)
    names = enumerate(file.schema_arrow.names)
    return file.read_row_group(group, [name for i, name in names if not _is_empty(metadata.column(i))])


def _with_all(group: pa.Table, schema: pa.Schema, nothing: Mapping[pa.DataType, pa.Array]) -> pa.Table:
    """The rows with all columns, of which those that they do not have are ``nothing`` of their kind."""
    held = set(group.column_names)
    columns = [group[f.name] if f.name in held else nothing[f.type].slice(0, len(group)) for f in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def _is_empty(column: pq.ColumnChunkMetaData) -> bool:
    """Whether a column has no value in a row group; False where that is not told."""
    known = column.statistics
    return known is not None and known.has_null_count and known.null_count == column.num_values


def _refuse_other(path: Path | str, metadata: Mapping[bytes, bytes], audit: str | None) -> None:
    """DataError for evidence of another version, or of another audit than the one named."""
    if metadata.get(b"schema", b"").decode("utf-8", "replace") != SCHEMA:
        raise DataError(
            f"{path}: its schema is not '{SCHEMA}', which this version reads. Run the audit again."
        )
    if audit is not None and metadata.get(b"audit", b"").decode("utf-8", "replace") != audit:
        raise DataError(mixed(path))


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Say of a file of Parquet that it is absent or damaged."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. 'fairbrief audit … --out DIR' writes it.") from None
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        if getattr(error, "filename", None) is not None:
            raise
        raise DataError(
            f"{path}: not a Parquet file, or damaged: {first_line(error)}. Run the audit again."
        ) from error


def mixed(path: Path | str) -> str:
    """The message about a file that is not of the audit that it stands beside."""
    return f"{path}: it is of another audit than results.json beside it. Run the audit again."
