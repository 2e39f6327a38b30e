"""The result of an audit: estimates, per-record statistics, examples, and everything that was excluded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pyarrow as pa

from fairbrief.reports.frames import Estimates
from fairbrief.reports.per_record import PerRecordRows
from fairbrief.text.counted import counted
from fairbrief.types import Data, Estimate, Table

FILE_AND_LINE = re.compile(r".*?:[0-9]+(?=[: ])|")
"""File and line at the start of a message about the input."""


class Passage(Data, frozen=True):
    """A shown text, its attributes, and the number of characters cut from its end."""

    text: str
    attributes: Mapping[str, str] = msgspec.field(default_factory=dict)
    cut: int = 0


class Texts(Data, frozen=True):
    """One record's texts; ``summaries`` by system. ``more`` counts the documents that are not shown."""

    id: str
    attributes: Mapping[str, str]
    documents: tuple[Passage, ...]
    references: tuple[Passage, ...]
    summaries: Mapping[str, Passage]
    more: int = 0


class Link(Data, frozen=True):
    """A sentence of a document (characters ``start`` to ``end``) that supports claim ``unit`` of the summary."""

    unit: int
    document: int
    start: int
    end: int
    score: float


class Support(Data, frozen=True):
    """The source sentences that support the claims of one summary, and the rule.

    ``units`` are spans of the summary's text, or start = end = −1 if the claim, in ``unit_texts``, is not in the text. ``scorer``
    is the scorer of the links; empty if there are none.
    """

    record: str
    system: str
    rule: str
    units: tuple[tuple[int, int], ...]
    unit_texts: tuple[str, ...]
    links: tuple[Link, ...]
    scorer: str = ""


class Row(Data, frozen=True):
    """One record by one measure.

    ``values`` are the main value and the group differences; ``without`` is, by kind (``document``, ``sentence``, ``unit``), the
    contribution of each item to the main value: the value minus the value without it, null if that is undefined.
    """

    measure: str
    system: str
    record: str
    values: Mapping[str, float]
    p: float | None
    story: str
    without: Mapping[str, tuple[float | None, ...]] = msgspec.field(default_factory=dict)


MOST_OF_EACH = 4
"""The most records of one order that the viewer shows from each end, as the largest main values of a measure and system."""


class Examples(Data, frozen=True):
    """The records of an audit in the viewer.

    ``rules`` are the rules for links by measure; ``of`` is the number of audited summaries.
    """

    texts: tuple[Texts, ...] = ()
    rows: tuple[Row, ...] = ()
    supports: tuple[Support, ...] = ()
    rules: Mapping[str, str] = msgspec.field(default_factory=dict)
    of: int = 0


ON_REQUEST = "on request only"


class NotMeasured(Data, frozen=True):
    """A measure that was not taken, and the reason."""

    measure: str
    reason: str

    @property
    def is_on_request(self) -> bool:
        """Whether default audits leave it out, whatever the input."""
        return self.reason.startswith(ON_REQUEST)

    @property
    def is_scorer_check(self) -> bool:
        """Whether it checks a scorer: all groups of an attribute, one measure's scorer, or whether it finds paraphrases."""
        return self.measure.startswith(("scorer bias@", "scorer_bias", "self-retrieval@"))


class Result(Data, frozen=True):
    """The complete result of an audit; reports only arrange it.

    ``rows`` are the per-record statistics, which ``per_record`` returns as a table: one row per observation, system and unit. Columns:
    ``observation``; ``measures``, the specs of its measures, one per line; ``system``; ``system_kind``; ``record``; ``cluster``; ``block``,
    the sampled counterfactual of a seed document, if it is one; ``reason``, why the unit is excluded, else null; ``p`` of this unit
    alone, if tested; ``subgroup.NAME`` per subgroup attribute; ``attribute.NAME`` per other attribute of the records with not too
    many values; and a number per statistic, named ``statistic[value]``, null if the observation does not have it.
    """

    estimates: tuple[Estimate, ...]
    differences: tuple[Estimate, ...]
    rows: PerRecordRows
    tables: tuple[Table, ...] = ()
    not_measured: tuple[NotMeasured, ...] = ()
    skipped: tuple[str, ...] = ()
    """Messages about excluded input; ``made['skipped']`` counts all."""
    examples: Examples = msgspec.field(default_factory=Examples)
    """The records in the report's viewer, from `fairbrief.saved.examples`."""
    sources: pa.Table | None = None
    """Hashes of each record's id and documents (`fairbrief.auditing.watchers`); None if unknown."""
    made: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Settings: version, files, records, systems, attributes, seed, n_resamples, protocol, inputs (counts by system), ended (time), seconds."""

    def __post_init__(self) -> None:
        """Give estimates and differences their methods for data frames."""
        msgspec.structs.force_setattr(self, "estimates", Estimates(self.estimates))
        msgspec.structs.force_setattr(self, "differences", Estimates(self.differences))

    def without_texts(self) -> Result:
        """The result without texts of the input: without examples, and of excluded lines only the places."""
        made = {**self.made, "keeps_texts": False}
        if "reach" in made:
            made["reach"] = [
                {**scorer, "authors": [{**author, "examples": []} for author in scorer["authors"]]}
                for scorer in made["reach"]
            ]
        skipped = tuple(match[0] for message in self.skipped if (match := FILE_AND_LINE.match(message)))
        return replace(self, examples=Examples(), skipped=skipped, made=made)

    @property
    def per_record(self) -> pa.Table:
        """All per-record statistics as a table, built at each call unless they are one."""
        return self.rows.table()

    @property
    def systems(self) -> list[str]:
        """The names of the systems in the order of the audit, else of the estimates."""
        return [*map(str, self.made.get("systems") or dict.fromkeys(e.system for e in self.estimates))]

    @property
    def all_systems(self) -> list[str]:
        """Every system with an estimate, the audited ones first: a system's place in it decides its colour."""
        return list(dict.fromkeys([*self.systems, *(e.system for e in self.estimates)]))

    @property
    def excluded_by(self) -> dict[str, int]:
        """Option → how many rows of the input the user excluded by it."""
        return dict(self.made.get("excluded_by", {}))

    @property
    def skipped_lines(self) -> int:
        """How many lines of the input were skipped, apart from those that the user excluded."""
        return int(self.made.get("skipped") or len(self.skipped)) - sum(self.excluded_by.values())

    @property
    def excluded_input(self) -> list[str]:
        """How much of the input was excluded, and why."""
        skipped = [f"{counted(self.skipped_lines, 'line')} of the input."] if self.skipped_lines else []
        by_option = self.excluded_by.items()
        return [*skipped, *(f"{counted(many, 'row')} excluded by {option}." for option, many in by_option)]
