"""The evidence of a saved audit, read by measure and system: only the columns and rows that are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fairbrief.auditing.record_values import reader_of
from fairbrief.errors import DataError
from fairbrief.reports.evidence_file import is_empty, mixed, reading
from fairbrief.types import Floats

KEPT = 2
"""Listings that are kept, a system and the one beside it: of a million records one takes some 90 MB."""
TOGETHER = 1
"""Row groups that are read at a time: fewer cost time, more cost memory."""
PLACES = ("observation", "measures", "system", "record", "reason", "p")
READ = tuple(name for name in PLACES if name != "measures")


@dataclass(frozen=True, slots=True)
class Listing:
    """The usable records of one measure and system: ``record`` (n,) ids, ``values`` per quantity (n,), ``p`` (n,) or nan."""

    record: pa.Array
    values: Mapping[str, Floats]
    p: Floats
    headline: str


class SavedEvidence:
    """One ``evidence.parquet`` of the audit of this identity; ``measures`` maps each spec to its observation."""

    def __init__(self, path: Path, audit: str) -> None:
        self._path = path
        self._groups: dict[str, list[int]] = {}
        self.measures: dict[str, str] = {}
        self._listings: OrderedDict[tuple[str, str], Listing] = OrderedDict()
        with reading(path):
            self._file = pq.ParquetFile(path)
            metadata = self._file.schema_arrow.metadata or {}
            if metadata.get(b"audit", b"").decode("utf-8", "replace") != audit:
                raise DataError(mixed(path))
            self._names = self._file.schema_arrow.names
            for group in range(self._file.num_row_groups if "measures" in self._names else 0):
                self._note(group)

    def listing(self, spec: str, system: str) -> Listing:
        """What a measure reads of each record of a system; the last few are kept."""
        key = spec, system
        if key not in self._listings:
            with reading(self._path):
                self._listings[key] = self._read(spec, system)
            if len(self._listings) > KEPT:
                self._listings.popitem(last=False)
            pa.default_memory_pool().release_unused()
        self._listings.move_to_end(key)
        return self._listings[key]

    def _note(self, group: int) -> None:
        """Which observations a row group holds: nearly always one, so that its statistics tell."""
        bounds = self._bounds(group)
        columns = ["observation", "measures"]
        whole = (
            self._file.read_row_group(group, columns)
            if bounds is None or bounds not in self._groups
            else None
        )
        found = [(bounds, None)] if whole is None else _kinds(whole)
        for observation, measures in found:
            assert observation is not None
            self._groups.setdefault(observation, []).append(group)
            for spec in (measures or "").split("\n") if measures else ():
                self.measures.setdefault(spec, observation)

    def _bounds(self, group: int) -> str | None:
        """The one observation of a row group, if its statistics say that it is one."""
        statistics = self._column(group, "observation").statistics
        if statistics is None or not statistics.has_min_max or statistics.min != statistics.max:
            return None
        return str(statistics.min)

    def _column(self, group: int, name: str) -> pq.ColumnChunkMetaData:
        return self._file.metadata.row_group(group).column(self._names.index(name))

    def _read(self, spec: str, system: str) -> Listing:
        observation = self.measures[spec]
        groups = self._groups[observation]
        held = [n for n in self._names if n not in PLACES and any(self._holds(g, n) for g in groups)]
        reader = reader_of(spec, [self._file.schema_arrow.field(n) for n in held])
        if reader is None:
            raise DataError(f"The measure {spec} is of a plug-in that is not installed here.")
        records: list[pa.Array] = []
        ps: list[Floats] = []
        values: dict[str, list[Floats]] = {}
        names = [f.name for f in reader.fields]
        for start in range(0, len(groups), TOGETHER):
            rows = self._usable(groups[start : start + TOGETHER], names, observation, system)
            records += rows["record"].cast(pa.string()).chunks
            ps.append(rows["p"].cast(pa.float64()).to_numpy())
            for name, of in reader.values(rows).items():
                values.setdefault(name, []).append(of)
        record = self._known(pa.concat_arrays(records) if records else pa.array([], pa.string()))
        joined = {name: np.concatenate(values.pop(name)) for name in list(values)}  # frees as it goes
        return Listing(record, joined, np.concatenate(ps), reader.measure.name)

    def _known(self, record: pa.Array) -> pa.Array:
        """The ids, as another listing has them if it has the same: those of a million records take 25 MB."""
        held = (listing.record for listing in self._listings.values())
        return next((known for known in held if known.equals(record)), record)

    def _usable(self, groups: list[int], names: list[str], observation: str, system: str) -> pa.Table:
        """The rows of some row groups that the observation made of the system's summaries."""
        table = self._file.read_row_groups(groups, [*READ, *names])
        chosen = pc.and_(pc.equal(table["observation"], observation), pc.equal(table["system"], system))
        return table.filter(pc.and_(chosen, pc.is_null(table["reason"])))

    def _holds(self, group: int, name: str) -> bool:
        """Whether a column has a value in a row group, or may have one."""
        return not is_empty(self._column(group, name))


def _kinds(table: pa.Table) -> list[tuple[str, str]]:
    plain = pa.table({name: table[name].cast(pa.string()) for name in table.column_names})
    kinds = plain.group_by(plain.column_names, use_threads=False).aggregate([]).to_pylist()
    return [(kind["observation"], kind["measures"]) for kind in kinds]
