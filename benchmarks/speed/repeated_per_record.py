"""Per-record statistics of many records from that of a few: no audit of that size is waited for."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fairbrief.reports.per_record import GROUP


def repeat(path: Path, records: int) -> None:
    """Let a file of per-record statistics hold so many records at least: its own under new ids, ``r1-0``, ``r1-1`` …; it stays of its audit."""
    found = pq.ParquetFile(path)
    rows, told = found.read(), found.metadata.metadata or {}
    place, names = rows.column_names.index("record"), rows["record"].to_pylist()
    times, step = -(-records // len(set(names))), max(1, GROUP // len(names))
    schema = rows.schema.with_metadata({name: told[name] for name in (b"schema", b"audit")})
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for start in range(0, times, step):
            several = [
                rows.set_column(place, schema.field(place), pa.array([f"{name}-{i}" for name in names]))
                for i in range(start, min(start + step, times))
            ]
            file.write_table(pa.concat_tables(several))
