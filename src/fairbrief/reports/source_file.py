"""``sources.parquet``: hashes of what was summarized, so that a text that changed under its id can be named."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from fairbrief.errors import DataError
from fairbrief.reports.evidence_file import mixed, reading, write_hashes


def write(sources: pa.Table, path: Path, audit: str) -> None:
    """Write the hashes; the file's metadata name the audit."""
    write_hashes(sources.replace_schema_metadata({b"audit": audit.encode()}), path)


def read(path: Path, audit: str) -> pa.Table | None:
    """The hashes; None where an audit has none. DataError where the file is damaged or of another audit."""
    import pyarrow.parquet as pq

    if not path.exists():
        return None
    with reading(path):
        table = pq.read_table(path)
        hashes = table.select(["record", "documents"])
    if (table.schema.metadata or {}).get(b"audit", b"").decode("utf-8", "replace") != audit:
        raise DataError(mixed(path))
    return hashes
