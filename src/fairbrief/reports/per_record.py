"""The per-record statistics of a result, in memory and in ``per_record/``, a Parquet file per observation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from msgspec import ValidationError

from fairbrief.errors import DataError, first_line
from fairbrief.ranges import grouped
from fairbrief.reports.plain import printable
from fairbrief.types import Data

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Wanted = Callable[[str], bool]


def all_columns(_: str) -> bool:
    """Wants every column."""
    return True


class PerRecordRows(Data, frozen=True):
    """The rows of all observations, in order. See `Result` for the columns.

    ``measures`` have the observation of each measure, by spec, ``schemas`` the columns of each observation, and ``tables`` yields
    the rows of an observation with some of its columns, some rows at a time: at least one table.
    """

    measures: Mapping[str, str]
    schemas: Mapping[str, pa.Schema]
    tables: Callable[[str, list[str]], Iterator[pa.Table]]

    def column_names(self) -> list[str]:
        """The columns of all observations, each once."""
        return list(dict.fromkeys(name for schema in self.schemas.values() for name in schema.names))

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        """`of` in pieces with the same columns; at least one table."""
        return self.tables(observation, list(filter(wanted, self.schemas[observation].names)))

    def of(self, observation: str, wanted: Wanted = all_columns) -> pa.Table:
        """The rows of one observation, with those of its columns whose names are wanted."""
        return pa.concat_tables(self.each_of(observation, wanted))

    def table(self) -> pa.Table:
        """All rows; columns that an observation does not have are null."""
        observed = [self.of(observation) for observation in self.schemas]
        schema = pa.unify_schemas([pa.schema([]), *(rows.schema for rows in observed)])
        # One array of nulls per type is shared by all columns.
        most = max(map(len, observed), default=0)
        nulls = {kind: pa.nulls(most, kind) for kind in {*schema.types}}
        whole = [schema.empty_table()]
        for rows in observed:
            there = set(rows.column_names)
            columns = [rows[f.name] if f.name in there else nulls[f.type].slice(0, len(rows)) for f in schema]
            whole.append(pa.Table.from_arrays(columns, schema=schema))
        return pa.concat_tables(whole)


SCHEMA = "fairbrief.per_record/4"
GROUP = 1 << 15
"""The most rows of a row group."""
NAMES = ("record", "cluster")
"""Columns with few equal texts, which are smaller and faster without a dictionary."""


class PerRecordFile(Data, frozen=True):
    """A file of per-record statistics: its name, its observation, and the specs of the measures of that observation."""

    file: str
    observation: str
    measures: tuple[str, ...]


def files_of(rows: PerRecordRows) -> tuple[PerRecordFile, ...]:
    """The files of the rows, named after their observation: ``positions.parquet``, ``positions-2.parquet``."""
    read = grouped((observation, spec) for spec, observation in rows.measures.items())
    files: dict[str, PerRecordFile] = {}
    for observation, measures in read.items():
        # ``RougeScores(stem=False)`` as ``rouge-scores``
        title = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", re.split(r"[(@]", observation)[0])
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-") or "rows"
        names = chain([stem], (f"{stem}-{i}" for i in count(2)))
        name = next(name for name in names if name not in files)
        files[name] = PerRecordFile(f"{name}.parquet", observation, tuple(measures))
    return tuple(files.values())


def write_rows(rows: PerRecordRows, folder: Path, audit: str) -> None:
    """Write the rows of every observation into a folder, compressed with Zstandard, with the audit's identity."""
    import pyarrow.parquet as pq

    for one in files_of(rows):
        schema = rows.schemas[one.observation]
        about = {"schema": SCHEMA, "audit": audit, "columns": json.dumps(schema.names)}
        schema = schema.with_metadata(about)
        repeated = [name for name in schema.names if name not in NAMES]
        with pq.ParquetWriter(folder / one.file, schema, compression="zstd", use_dictionary=repeated) as out:
            for table in rows.each_of(one.observation):
                out.write_table(table, row_group_size=GROUP)


def write_sources(sources: pa.Table, path: Path, audit: str) -> None:
    """Write a row of hashes per record, with the audit's identity; without a dictionary because no two are equal."""
    import pyarrow.parquet as pq

    table = sources.replace_schema_metadata({b"audit": audit.encode()})
    pq.write_table(table, path, compression="zstd", row_group_size=GROUP, use_dictionary=False)


def read_sources(path: Path, audit: str) -> pa.Table | None:
    """The hashes; None if the audit has none. Raises DataError if the file is damaged or of another audit."""
    import pyarrow.parquet as pq

    if not path.exists():
        return None
    with reading(path):
        table = pq.read_table(path)
        hashes = table.replace_schema_metadata()
        hashes.select(["record", "documents"])  # an error without these columns
    refuse_other(path, (table.schema.metadata or {}).get(b"audit"), audit)
    return hashes


def saved_rows(folder: Path, files: Sequence[PerRecordFile], audit: str) -> PerRecordRows:
    """The rows of the files in a folder; only requested columns are read, a row group at a time.

    The files are opened once, so later replacements are ignored. Raises DataError if one is missing, damaged, of another
    audit, or without a column that it was written with.
    """
    import pyarrow.parquet as pq

    opened: dict[str, tuple[Path, pq.ParquetFile]] = {}
    for one in files:
        path = folder / one.file
        with reading(path):
            found = pq.ParquetFile(path)
            metadata = found.metadata.metadata or {}
            listed = json.loads(metadata.get(b"columns", b"[]"))
            absent = [name for name in listed if name not in found.schema_arrow.names]
        if metadata.get(b"schema") != SCHEMA.encode():
            raise DataError(f"{path}: its schema is not '{SCHEMA}'. Run the audit again with this version.")
        refuse_other(path, metadata.get(b"audit"), audit)
        if absent:
            raise DataError(f"{path} has no column '{printable(absent[0])}'. Run the audit again.")
        opened[one.observation] = path, found
    schemas = {name: file.schema_arrow.remove_metadata() for name, (_, file) in opened.items()}

    def tables(observation: str, names: list[str]) -> Iterator[pa.Table]:
        path, file = opened[observation]
        if not file.num_row_groups:
            yield schemas[observation].empty_table().select(names)
        for group in range(file.num_row_groups):
            with reading(path):
                rows = file.read_row_group(group, names)
            yield rows.replace_schema_metadata()

    return PerRecordRows({spec: one.observation for one in files for spec in one.measures}, schemas, tables)


def refuse_other(path: Path, found: object, audit: str) -> None:
    """Raise DataError for a file from another audit than ``results.json``: ``found`` is its identity, text or bytes."""
    if found not in (audit, audit.encode()):
        raise DataError(f"{path} and results.json are from different audits. Run the audit again.")


DAMAGES = (pa.ArrowException, ValidationError, OSError, ValueError, TypeError, KeyError, RecursionError)
"""What the libraries raise for a damaged file."""


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Raise DataError if a saved file, Parquet or JSON, is missing or damaged."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. 'fairbrief audit … --out DIR' writes it.") from None
    except DAMAGES as error:
        if getattr(error, "filename", None) is not None:
            raise
        raise DataError(
            f"{path} is damaged: {first_line(error).rstrip('.')}. Run the audit again."
        ) from error
