"""``evidence.parquet``: the rows under the estimates, one per observation, system and unit."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from fairbrief.errors import DataError
from fairbrief.reports.result import Result

SCHEMA = "fairbrief.evidence/1"


def write(result: Result, path: Path | str) -> None:
    """Write the evidence as Parquet, compressed with Zstandard; the file's metadata name the schema."""
    import pyarrow.parquet as pq

    table = result.evidence
    metadata = {**(table.schema.metadata or {}), b"schema": SCHEMA.encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path, compression="zstd")


def read(path: Path | str) -> pa.Table:
    """Read the evidence; DataError where the file is absent or no Parquet."""
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. 'fairbrief audit … --out DIR' writes it.") from None
    except pa.ArrowInvalid as error:
        raise DataError(f"{path}: not a Parquet file: {error}. Run the audit again.") from error
