"""``evidence.parquet``: the rows under the estimates, one per observation, system and unit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from fairbrief.errors import DataError, first_line
from fairbrief.reports.evidence import EvidenceRows, Held, Wanted, all_columns
from fairbrief.reports.frames import rows_with, unpacked
from fairbrief.reports.result import Result

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SCHEMA = "fairbrief.evidence/3"
GROUP = 1 << 15
"""Rows that are unpacked and written together."""
KINDS = ("observation", "measures")
"""Columns that say what a row was made by, and who reads it."""
NAMES = ("record", "cluster")
"""Columns in which few texts are alike: written as they are they take less room, and less time, than with a dictionary."""


def write(result: Result, path: Path | str, audit: str) -> None:
    """Write the evidence as Parquet, compressed with Zstandard; the file's metadata name the schema and the audit."""
    end(begun(result.rows, path), audit)


def begun(rows: EvidenceRows, path: Path | str) -> pq.ParquetWriter:
    """What writes the evidence, all rows of which it has written; which audit they are of is known at the `end`."""
    import pyarrow.parquet as pq

    schema = unpacked(rows.slice(0, 0)).schema
    metadata = {**(schema.metadata or {}), b"schema": SCHEMA.encode()}
    alike = [name for name in schema.names if name not in NAMES]
    writer = pq.ParquetWriter(path, schema.with_metadata(metadata), compression="zstd", use_dictionary=alike)
    try:
        for start in range(0, max(len(rows), 1), GROUP):
            writer.write_table(unpacked(rows.slice(start, GROUP)).replace_schema_metadata(metadata))
    except BaseException:
        writer.close()
        raise
    return writer


def end(writer: pq.ParquetWriter, audit: str) -> None:
    """Close the file, whose metadata then name the audit."""
    with writer:
        writer.add_key_value_metadata({"audit": audit})


def write_hashes(table: pa.Table, path: Path) -> None:
    """Write a row of hashes for each record: without a dictionary, since no two are alike."""
    import pyarrow.parquet as pq

    pq.write_table(table, path, compression="zstd", row_group_size=GROUP, use_dictionary=False)


def read(path: Path | str, audit: str | None = None) -> pa.Table:
    """Read the evidence; DataError where the file is absent, damaged, or of another audit than the one named."""
    return SavedRows(path, audit).table()


class SavedRows:
    """The rows of a file, as `fairbrief.reports.evidence.EvidenceRows` gives them: only what is asked for is read.

    The file is opened once: one that takes its place later is not looked at. ``schema`` is that of all columns. DataError as `read`.
    """

    def __init__(self, path: Path | str, audit: str | None = None) -> None:
        import pyarrow.parquet as pq

        self._path = path
        with reading(path):
            self._file = pq.ParquetFile(path)
            self.schema: pa.Schema = self._file.schema_arrow
            _refuse_other(path, self._file.metadata.metadata or {}, audit)

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def measures(self) -> dict[str, str]:
        """The measures by spec, and the observation that each reads."""
        return dict(self._kept[1])

    def slice(self, start: int, length: int) -> pa.Table:
        """So many rows from one on."""
        found = []
        with reading(self._path):
            for group in range(self._file.num_row_groups):
                rows = self._file.metadata.row_group(group).num_rows
                if start < rows and length > 0:
                    found.append(_held(self._file, group).slice(start, length))
                    length -= len(found[-1])
                start = max(0, start - rows)
            return self._joined(found)

    def of(self, observation: str, wanted: Wanted = all_columns) -> pa.Table:
        """The rows of one observation, with the columns that are wanted."""
        return self._chosen(self._groups_of(observation, wanted), wanted)

    def each_of(self, observation: str, wanted: Wanted = all_columns) -> Iterator[pa.Table]:
        """`of`, a row group at a time."""
        for group in self._groups_of(observation, wanted):
            yield self._chosen([group], wanted)

    def columns_of(self, observation: str) -> list[str]:
        """The columns that have a value in a row of one observation, or may have one."""
        groups = [self._file.metadata.row_group(group) for group in self._kept[0].get(observation, ())]
        return [n for i, n in enumerate(self.schema.names) if not all(_is_empty(g.column(i)) for g in groups)]

    def table(self) -> pa.Table:
        """All rows."""
        with reading(self._path):
            return self._joined([_held(self._file, group) for group in range(self._file.num_row_groups)])

    @cached_property
    def _kept(self) -> tuple[dict[str, dict[int, bool]], dict[str, str]]:
        """By observation the row groups that it has rows in, and whether others have, too; and the measures by spec."""
        groups: dict[str, dict[int, bool]] = {}
        measures: dict[str, str] = {}
        met: set[tuple[str | None, ...]] = set()
        names = [name for name in KINDS if name in self.schema.names]
        with reading(self._path):
            for group in range(self._file.num_row_groups if len(names) == len(KINDS) else 0):
                # Nearly always a group is of one observation, so that its statistics tell.
                alone = tuple(self._only_value(group, name) for name in names)
                observation = alone[0]
                if observation is not None and alone in met:
                    groups[observation][group] = False
                    continue
                if None not in alone:
                    met.add(alone)
                found = Held(self._file.read_row_group(group, names)).measures()
                for observation in found.values():
                    groups.setdefault(observation, {})[group] = len({*found.values()}) > 1
                measures |= found
        return groups, measures

    def _only_value(self, group: int, name: str) -> str | None:
        """The one text that a column has in a row group, if statistics say that it is one."""
        known = self._file.metadata.row_group(group).column(self.schema.names.index(name)).statistics
        return str(known.min) if known is not None and known.has_min_max and known.min == known.max else None

    def _groups_of(self, observation: str, wanted: Wanted) -> Iterator[pa.Table]:
        """Of each row group these columns that have a value in it, and the rows of one observation."""
        names = ["observation", *(name for name in self.schema.names if wanted(name))]
        for group, has_others in self._kept[0].get(observation, {}).items():
            with reading(self._path):
                rows = _held(self._file, group, names)
            yield rows_with(rows, "observation", observation) if has_others else rows

    def _chosen(self, groups: Iterable[pa.Table], wanted: Wanted) -> pa.Table:
        with reading(self._path):
            return self._joined(list(groups)).select([name for name in self.schema.names if wanted(name)])

    def _joined(self, groups: Sequence[pa.Table]) -> pa.Table:
        """Most statistics are of one observation: one array of nulls stands for all that a row group does not have."""
        kinds = {*self.schema.types}
        nothing = {kind: pa.nulls(max(map(len, groups), default=0), kind) for kind in kinds}
        found = [_with_all(group, self.schema, nothing) for group in groups]
        return pa.concat_tables([self.schema.empty_table(), *found])


def _held(file: pq.ParquetFile, group: int, wanted: Collection[str] | None = None) -> pa.Table:
    """The columns that have a value in a row group, of all or of those that are wanted."""
    metadata = file.metadata.row_group(group)
    names = [n for i, n in enumerate(file.schema_arrow.names) if not _is_empty(metadata.column(i))]
    return file.read_row_group(group, [n for n in names if wanted is None or n in wanted])


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
