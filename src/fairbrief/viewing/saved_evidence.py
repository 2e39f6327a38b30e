"""The evidence of a saved audit, read by measure and system: only the columns and rows that are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.auditing.record_values import reader_of
from fairbrief.errors import DataError
from fairbrief.reports.evidence_file import SavedRows
from fairbrief.types import Floats

KEPT = 2
"""Listings that are kept, a system and the one beside it: of a million records one takes some 90 MB."""
PLACES = ("system", "record", "reason", "p")


@dataclass(frozen=True, slots=True)
class Listing:
    """The usable records of one measure and system: ``record`` (n,) ids, ``values`` per quantity (n,), ``p`` (n,) or nan."""

    record: pa.Array
    values: Mapping[str, Floats]
    p: Floats
    headline: str


class SavedEvidence:
    """The evidence of one audit; ``measures`` maps each spec to its observation."""

    def __init__(self, rows: SavedRows) -> None:
        self._rows = rows
        self.measures = rows.measures()
        self._listings: OrderedDict[tuple[str, str], Listing] = OrderedDict()

    def listing(self, spec: str, system: str) -> Listing:
        """What a measure reads of each record of a system; the last few are kept."""
        key = spec, system
        if key not in self._listings:
            self._listings[key] = self._read(spec, system)
            if len(self._listings) > KEPT:
                self._listings.popitem(last=False)
            pa.default_memory_pool().release_unused()
        self._listings.move_to_end(key)
        return self._listings[key]

    def _read(self, spec: str, system: str) -> Listing:
        observation = self.measures[spec]
        reader = reader_of(spec, list(self._rows.schema(observation)))
        if reader is None:
            raise DataError(f"The measure {spec} is of a plug-in that is not installed here.")
        records: list[pa.Array] = []
        ps: list[Floats] = []
        values: dict[str, list[Floats]] = {}
        for rows in self._rows.each_of(observation, {*PLACES, *(f.name for f in reader.fields)}.__contains__):
            own = rows.filter(pc.and_(pc.equal(rows["system"], system), pc.is_null(rows["reason"])))
            records += own["record"].cast(pa.string()).chunks
            ps.append(own["p"].cast(pa.float64()).to_numpy())
            for name, of in reader.values(own).items():
                values.setdefault(name, []).append(of)
        record = self._known(pa.concat_arrays(records) if records else pa.array([], pa.string()))
        joined = {name: np.concatenate(values.pop(name)) for name in list(values)}  # frees as it goes
        return Listing(record, joined, np.concatenate(ps), reader.measure.name)

    def _known(self, record: pa.Array) -> pa.Array:
        """The ids, as another listing has them if it has the same: those of a million records take 25 MB."""
        held = (listing.record for listing in self._listings.values())
        return next((known for known in held if known.equals(record)), record)
