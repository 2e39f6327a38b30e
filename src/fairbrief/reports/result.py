"""What an audit returns: estimates, the per-record statistics under them, records that a reader should see, and all that was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from fairbrief.reports.frames import Estimates
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.types import Case, Estimate, Table


@dataclass(frozen=True, slots=True)
class Passage:
    """A text as shown, its attributes, and how many characters were cut from its end."""

    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Texts:
    """One record's texts; ``summaries`` by system. ``more`` counts the documents that are not shown."""

    id: str
    attributes: Mapping[str, str]
    documents: tuple[Passage, ...]
    references: tuple[Passage, ...]
    summaries: Mapping[str, Passage]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A sentence of a document (characters ``start`` to ``end``) that supports unit ``unit`` of the summary."""

    unit: int
    document: int
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Support:
    """Which sentences of the sources support which units of one summary, by which rule.

    ``units`` are spans of the summary's text, or (start = end = −1) texts of their own in ``unit_texts``. ``scorer`` is what
    links were made with; empty: none could be.
    """

    record: str
    system: str
    rule: str
    units: tuple[tuple[int, int], ...]
    unit_texts: tuple[str, ...]
    links: tuple[Link, ...]
    scorer: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One record as one measure reads it.

    ``values`` holds the main value and the groups' signed contrasts; ``without`` by kind (``document``, ``sentence``, ``unit``), what
    each one does to the main value: the value less the value without it, null where there is none without.
    """

    measure: str
    system: str
    record: str
    values: Mapping[str, float]
    p: float | None
    story: str
    without: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Examples:
    """All that the record viewer shows of an audit.

    ``rules`` says of each measure by which rule its links are made; ``of`` is how many summaries were audited.
    """

    texts: tuple[Texts, ...] = ()
    rows: tuple[Row, ...] = ()
    supports: tuple[Support, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    of: int = 0


@dataclass(frozen=True, slots=True)
class TopCase:
    """One record that a reader should see: where the measure's main value is largest, with its texts and why."""

    measure: str
    system: str
    value: float
    story: str
    case: Case
    p: float | None = None


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A measure that was not taken, and why."""

    measure: str
    reason: str


@dataclass(frozen=True, slots=True)
class Result:
    """Everything an audit found; a report arranges it and computes nothing.

    ``rows`` hold the per-record statistics, of which ``per_record`` makes a table. It has one row per observation, system and unit: the columns ``observation``, ``measures``
    (the specs of those that read it, one a line), ``system``, ``system_kind``, ``record``, ``cluster``, ``block`` (the
    sampled variant of a seed document, if it is one), ``reason`` (null where there is a row), ``p`` (of that unit alone, where tested), one ``subgroup.NAME`` per slicing attribute, one ``attribute.NAME`` per other attribute of the records that has not too many values,
    and one number per statistic, named ``statistic[value]``; null where an observation has no such statistic. Numbers stand packed
    (dictionaries of the distinct ones): `fairbrief.reports.frames.unpacked` makes them plain.
    """

    estimates: tuple[Estimate, ...]
    differences: tuple[Estimate, ...]
    rows: PerRecordRows
    top_cases: tuple[TopCase, ...] = ()
    tables: tuple[Table, ...] = ()
    not_measured: tuple[NotMeasured, ...] = ()
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
    def per_record(self) -> pa.Table:
        """All rows of per-record statistics as a table, made at each call where they are not held as one."""
        return self.rows.table()

    @property
    def systems(self) -> Any:
        """The names of the systems, as the audit recorded them; else in the order of the estimates."""
        return self.made.get("systems") or list(dict.fromkeys(e.system for e in self.estimates))

    @property
    def n_skipped(self) -> int:
        """How many input lines were left out on request."""
        recorded = self.made.get("skipped")
        return recorded if isinstance(recorded, int) else len(self.skipped)
