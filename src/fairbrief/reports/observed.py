"""The evidence of a result cut into its observations, as pictures read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.nouns import Estimate, Floats
from fairbrief.reports import words
from fairbrief.reports.result import Result

MOST_SYSTEMS = 6
"""Lines that a reader can still tell apart."""


PLACES = frozenset(("observation", "measures", "system", "record", "reason", "p"))
STATISTICS = frozenset(
    "source summary generated reference gap testable expected_significant invented unknown name score one article "
    "shift both x y".split()
)
"""What the pictures read of evidence."""


@dataclass(frozen=True, slots=True)
class Part:
    """The usable rows of one observation, with the columns that it has, and the spellings of what reads it."""

    measures: tuple[str, ...]
    rows: pa.Table

    def spelled(self, name: str) -> str:
        """The spelling of the first measure of this name that reads it; empty if none does."""
        return next((m for m in self.measures if words.name_of(m) == name), "")

    def subscripts(self, statistic: str) -> list[str]:
        """The values that a statistic speaks of, in the order of the columns."""
        found = [
            re.fullmatch(rf"{re.escape(statistic)}\[(.*)\]", n, re.DOTALL) for n in self.rows.column_names
        ]
        return [m[1] for m in found if m]

    def column(self, name: str) -> Floats:
        """One column as numbers; what a row lacks is zero."""
        if name not in self.rows.column_names:
            return np.zeros(len(self.rows))
        numbers: Floats = pc.fill_null(self.rows[name].cast(pa.float64()), 0).to_numpy()
        return numbers

    def matrix(self, statistic: str, values: Sequence[str]) -> Floats:
        """Shape (rows, values); what a row lacks is zero."""
        columns = [self.column(f"{statistic}[{v}]") for v in values]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.rows), 0))

    def of(self, system: str) -> Part:
        """The rows of one system."""
        return Part(self.measures, self.rows.filter(pc.equal(self.rows["system"], system)))


@dataclass(frozen=True, slots=True)
class Material:
    """What pictures are made of: the parts of the evidence, and the estimates on whole data."""

    result: Result
    parts: tuple[Part, ...]
    estimates: Mapping[tuple[str, str, str], Estimate]
    """By measure, quantity and system."""

    def read_by(self, name: str) -> Iterator[tuple[str, Part]]:
        """The parts that a measure of this name reads, with its spelling."""
        return ((spelled, part) for part in self.parts if (spelled := part.spelled(name)))

    def over(self, part: Part) -> str:
        """The attribute that a part's measures are taken over."""
        return next((e.over for (measure, _, _), e in self.estimates.items() if measure in part.measures), "")

    def systems(self, part: Part) -> list[str]:
        """All systems of a part, in the order of the audit."""
        present = pc.unique(part.rows["system"]).to_pylist()
        named = self.result.made.get("systems")
        order = [s for s in named if s in present] if isinstance(named, (list, tuple)) else []
        return [*order, *(s for s in present if s not in order)]

    def value(self, measure: str, quantity: str, system: str) -> float | None:
        """An estimate's value on whole data; None where there is none."""
        found = self.estimates.get((measure, quantity, system))
        return None if found is None else found.value


def gather(result: Result) -> Material:
    """Cut a result's evidence into its observations, once for all pictures."""
    estimates = {(e.measure, e.quantity, e.system): e for e in result.estimates if not e.slice}
    return Material(result, tuple(_parts(result.evidence)), estimates)


def _parts(evidence: pa.Table) -> Iterator[Part]:
    names = evidence.column_names
    if not {"observation", "system", "measures"} <= set(names):
        return
    # Before any row is copied: what no picture shows is left behind.
    names = [n for n in names if n in PLACES or n.partition("[")[0] in STATISTICS]
    shown = evidence.select(names)
    for observation in pc.unique(shown["observation"]).to_pylist():
        chosen = pc.equal(shown["observation"], observation)
        if "reason" in names:
            chosen = pc.and_(chosen, pc.is_null(shown["reason"]))
        held = [n for n in names if pc.any(pc.and_(chosen, pc.is_valid(shown[n]))).as_py()]
        rows = shown.select(held).filter(chosen)
        if not len(rows):
            continue
        yield Part(tuple(rows["measures"][0].as_py().split("\n")), rows)
