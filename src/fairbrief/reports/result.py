"""What an audit returns: estimates, the evidence under them, and all that was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from fairbrief.reports.evidence import EvidenceRows
from fairbrief.reports.examples import Examples
from fairbrief.reports.frames import Estimates
from fairbrief.types import Case, Estimate, Table


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One record that a reader should see: where the measure's headline is largest, with its texts and why."""

    measure: str
    system: str
    value: float
    story: str
    case: Case
    p: float | None = None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A measure that was not taken, and why."""

    measure: str
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """Everything an audit found; a report arranges it and computes nothing.

    ``rows`` hold the evidence, of which ``evidence`` makes a table. It has one row per observation, system and unit: the columns ``observation``, ``measures``
    (the specs of those that read it, one a line), ``system``, ``system_kind``, ``record``, ``cluster``, ``block`` (the
    sampled variant of an original, if it is one), ``reason`` (null where there is a row), ``p`` (of that unit alone, where tested), one ``slice.NAME`` per slicing attribute, one ``attribute.NAME`` per other attribute of the records that has not too many values,
    and one number per statistic, named ``statistic[value]``; null where an observation has no such statistic. Numbers stand packed
    (dictionaries of the distinct ones): `fairbrief.reports.frames.unpacked` makes them plain.
    """

    estimates: tuple[Estimate, ...]
    differences: tuple[Estimate, ...]
    rows: EvidenceRows
    exhibits: tuple[Exhibit, ...] = ()
    tables: tuple[Table, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    skipped: tuple[str, ...] = ()
    """Messages about input lines that were left out on request; ``made['skipped']`` counts them all."""
    examples: Examples = field(default_factory=Examples)
    """What the page's record viewer shows; `fairbrief.saved.examples` makes it."""
    sources: pa.Table | None = None
    """Hashes of each record's id and of its documents (`fairbrief.auditing.watchers`); None where unknown."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: version, files, records, systems, attributes, seed, n_resamples, protocol, seconds."""

    def __post_init__(self) -> None:
        """Let estimates and differences become data frames in one call."""
        object.__setattr__(self, "estimates", Estimates(self.estimates))
        object.__setattr__(self, "differences", Estimates(self.differences))

    @property
    def evidence(self) -> pa.Table:
        """All rows of evidence as a table, made at each call where they are not held as one."""
        return self.rows.table()
