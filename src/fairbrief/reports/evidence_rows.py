"""The evidence of a result cut into its observations, as pictures read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.reports import wording
from fairbrief.reports.frames import plain_numbers, rows_with, usable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate, Floats

MOST_SYSTEMS = 6
"""Lines that a reader can still tell apart."""


SUMMED = 1 << 14
"""Rows that are held as numbers at a time, where only their sums are asked for."""
PLACES = frozenset(("system", "record", "reason", "p"))
STATISTICS = frozenset(
    "source summary generated reference gap testable expected_significant invented unknown name score one article "
    "shift both x y".split()
)
"""What the pictures read of evidence."""


@dataclass(frozen=True, slots=True)
class Part:
    """The usable rows of one observation, with the columns that it has, and the specs of what reads it."""

    measures: tuple[str, ...]
    rows: pa.Table

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
        return plain_numbers(self.rows[name].cast(pa.float64()))

    def matrix(self, statistic: str, values: Sequence[str]) -> Floats:
        """Shape (rows, values); what a row lacks is zero."""
        found = np.zeros((len(self.rows), len(values)))
        for i, value in enumerate(values):
            found[:, i] = self.column(f"{statistic}[{value}]")
        return found

    def sums(self, statistic: str, values: Sequence[str]) -> Floats:
        """The matrix summed over rows, which are added one after another. Shape (values,)."""
        found = np.zeros(len(values))
        for start in range(0, len(self.rows), SUMMED):
            some = Part(self.measures, self.rows.slice(start, SUMMED)).matrix(statistic, values)
            found = np.concatenate([found[np.newaxis], some]).sum(axis=0)
        return found

    def of(self, system: str) -> Part:
        """The rows of one system."""
        return Part(self.measures, rows_with(self.rows, "system", system))


@dataclass(frozen=True, slots=True)
class Material:
    """What pictures are made of: the evidence, and the estimates on whole data."""

    result: Result
    estimates: Mapping[tuple[str, str, str], Estimate]
    """By measure, quantity and system."""

    def draws(self, measure: str, figure: str) -> bool:
        """Whether a measure declares a figure of this kind."""
        return figure in wording.declared(measure, self.result.made).figures

    def question(self, measure: str) -> str:
        """What a measure measures, as the beginning of a sentence; its name where it declares none."""
        told = wording.declared(measure, self.result.made)
        text = told.question or told.family
        return text[:1].upper() + text[1:]

    def parts_for(self, figure: str) -> Iterator[tuple[str, Part]]:
        """The parts of the evidence to draw, made one by one, each with the first of its measures that declares the figure."""
        known = self.result.rows.measures()
        for observation in dict.fromkeys(known.values()):
            measures = tuple(measure for measure, of in known.items() if of == observation)
            measure = next((m for m in measures if self.draws(m, figure)), "")
            if not measure:
                continue
            rows = usable(self.result.rows.of(observation, _is_shown))
            if len(rows):
                held = [n for n in rows.column_names if rows[n].null_count < len(rows)]
                yield measure, Part(measures, rows.select(held))

    def headline(self, measure: str, system: str) -> Estimate | None:
        """A measure's own value of one system on whole data."""
        return self.estimates.get((measure, wording.name_of(measure), system))

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
    """What all pictures of a result are made of."""
    estimates = {(e.measure, e.quantity, e.system): e for e in result.estimates if not e.slice}
    return Material(result, estimates)


def _is_shown(name: str) -> bool:
    return name in PLACES or name.partition("[")[0] in STATISTICS
