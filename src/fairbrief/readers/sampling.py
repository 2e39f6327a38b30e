"""Samples of records by hashes of their ids: the same records in any order of the input."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.readers.messages import did_you_mean
from fairbrief.text.counted import counted
from fairbrief.text.hashes import hash_of
from fairbrief.types import Record

WITHOUT = "(none)"
"""The group of records without the attribute."""
SHOWN = 6
"""Groups that a note lists."""


@dataclass(slots=True)
class Sampling:
    """Selects the records with the smallest hashes, of all records or of each group.

    ``size`` is a number of records or, below 1, a share. ``by`` is an attribute of the record; if only its documents have it,
    their values together are the group. Counterfactuals of one seed document are selected together.
    """

    size: float
    by: str | None
    seed: int
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Group → number of selected records, and of all."""
    _limits: dict[str, int] = field(default_factory=dict)

    def look(self, records: Iterable[Record]) -> None:
        """Determine the largest hash of each group's sample; holds eight bytes per record."""
        ranks: dict[str, array[int]] = {}
        known: set[str] = set()
        for record in records:
            ranks.setdefault(self._group(record), array("q")).append(self._rank(record))
            if len(ranks) == 1:
                known |= record.attributes.keys()
        if self.by is not None and ranks.keys() == {WITHOUT}:
            lacking = f"no record has the attribute {self.by!r}.{did_you_mean(self.by, known)}"
            raise RequestError(f"--sample-by {self.by}: {lacking} Give --record-attribute {self.by}=FIELD.")
        for group in sorted(ranks):
            distinct = np.unique(np.frombuffer(ranks[group], dtype=np.int64))
            wanted = round(self.size * len(distinct)) if self.size < 1 else int(self.size)
            many = min(max(wanted, 1), len(distinct))
            self._limits[group] = int(distinct[many - 1])
            self.counts[group] = many, len(distinct)

    def selects(self, record: Record) -> bool:
        """Whether the record belongs to the sample."""
        return self._rank(record) <= self._limits[self._group(record)]

    def described(self) -> dict[str, Any]:
        """The sample for results.json."""
        sampled, records = (sum(pair[i] for pair in self.counts.values()) for i in (0, 1))
        groups = {} if self.by is None else {"by": self.by, "groups": self.counts}
        return {"records": records, "sampled": sampled, "size": self.size, "seed": self.seed, **groups}

    def note(self) -> str:
        """The numbers of sampled and of all records, also by group."""
        made = self.described()
        text = f"Sample: {made['sampled']:,} of {counted(made['records'], 'record')}, by hashes of their ids (seed {self.seed})"
        if self.by is None or not self.counts:
            return f"{text}."
        shown = [f"{group} {many:,} of {of:,}" for group, (many, of) in self.counts.items()]
        more = f" and {len(shown) - SHOWN} more groups" if len(shown) > SHOWN else ""
        return f"{text}; by {self.by}: {', '.join(shown[:SHOWN])}{more}."

    def _group(self, record: Record) -> str:
        if self.by is None:
            return ""
        values = {d.attributes[self.by] for d in record.documents if self.by in d.attributes}
        return record.attributes.get(self.by) or " + ".join(sorted(values)) or WITHOUT

    def _rank(self, record: Record) -> int:
        return hash_of("sample", str(self.seed), record.seed_id)
