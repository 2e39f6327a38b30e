"""What an audit returns: estimates, the evidence under them, and all that was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from fairbrief.nouns import Case, Estimate, Table
from fairbrief.reports.frames import Estimates


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

    ``evidence`` has one row per observation, system and unit: the columns ``observation``, ``measures``
    (the spellings of those that read it, one a line), ``system``, ``record``, ``cluster``, ``block`` (the
    sampled variant of an original, if it is one), ``reason`` (null where there is a row), ``p`` (of that unit alone, where tested), one ``slice.NAME`` per slicing attribute,
    and one number per statistic, named ``statistic[value]``; null where an observation has no such statistic. Numbers stand packed
    (dictionaries of the distinct ones): `fairbrief.reports.frames.unpacked` makes them plain.
    """

    estimates: tuple[Estimate, ...]
    differences: tuple[Estimate, ...]
    evidence: pa.Table
    exhibits: tuple[Exhibit, ...] = ()
    tables: tuple[Table, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    skipped: tuple[str, ...] = ()
    """Messages about input lines that were left out on request; ``made['skipped']`` counts them all."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: version, files, records, systems, attributes, seed, draws, protocol, seconds."""

    def __post_init__(self) -> None:
        """Let estimates and differences become data frames in one call."""
        object.__setattr__(self, "estimates", Estimates(self.estimates))
        object.__setattr__(self, "differences", Estimates(self.differences))
