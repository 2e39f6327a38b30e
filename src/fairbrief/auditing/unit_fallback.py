"""How many summaries have no units where others have: they are cut into sentences, and the results say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from fairbrief import registry
from fairbrief.errors import FairbriefError
from fairbrief.types import Case, Estimate, Note

SPLIT = "units_by"
"""What a summary's ``made`` says once somebody has tried to split it."""


@dataclass(slots=True)
class UnitFallback:
    """Counts usable summaries, by system, that have units, and those that have none."""

    given: Counter[str] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    were_split: bool = False

    def note(self, cases: Sequence[Case]) -> None:
        """Count the summaries of some cases."""
        for case in cases:
            summary = case.summary
            if not summary.reason:
                (self.absent if summary.units is None else self.given)[summary.system] += 1
                self.were_split = self.were_split or SPLIT in summary.made

    def merge(self, other: UnitFallback) -> None:
        """Take in the counts of other cases."""
        self.absent.update(other.absent)
        self.given.update(other.given)
        self.were_split = self.were_split or other.were_split

    def noted(self, estimates: Sequence[Estimate]) -> list[Estimate]:
        """The estimates; those of measures that look for units say how many summaries were cut into sentences instead."""
        if not (self.given or self.were_split) or not self.absent:
            return list(estimates)
        return [
            e.replace(notes=(*e.notes, self._note(e.system)))
            if self.absent[e.system] and _reads_units(e.measure)
            else e
            for e in estimates
        ]

    def _note(self, system: str) -> Note:
        absent = self.absent[system]
        told = {"system": system, "absent": absent, "summaries": absent + self.given[system]}
        return Note("without_units", told)


@cache
def _reads_units(measure: str) -> bool:
    """Whether a measure takes given units, and sentences where there are none."""
    try:
        made = registry.make("measure", measure)
        return "auto" in (getattr(made, "units", None), getattr(made.observation, "units", None))
    except FairbriefError:
        return False
