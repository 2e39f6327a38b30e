"""``evidence.parquet``: the rows under the estimates, one per observation, system and unit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from fairbrief.errors import DataError
from fairbrief.reports.frames import unpacked
from fairbrief.reports.result import Result

SCHEMA = "fairbrief.evidence/1"
GROUP = 1 << 15
"""Rows that are unpacked and written together."""


def write(result: Result, path: Path | str) -> None:
    """Write the evidence as Parquet, compressed with Zstandard; the file's metadata name the schema."""
    import pyarrow.parquet as pq

    table = result.evidence
    metadata = {**(table.schema.metadata or {}), b"schema": SCHEMA.encode()}
    schema = unpacked(table.slice(0, 0)).schema.with_metadata(metadata)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for start in range(0, max(len(table), 1), GROUP):
            file.write_table(unpacked(table.slice(start, GROUP)).replace_schema_metadata(metadata))


def read(path: Path | str) -> pa.Table:
    """Read the evidence; DataError where the file is absent or no Parquet."""
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. 'fairbrief audit … --out DIR' writes it.") from None
    except pa.ArrowInvalid as error:
        raise DataError(f"{path}: not a Parquet file: {error}. Run the audit again.") from error
