"""Coverage by value: are documents of one side supported less by the summary's statements?

`equal_coverage` asks it of single records, `coverage_parity` of the whole input; both read one
observation. Source: Li, Zhang, Zhang, Chaturvedi: Coverage-based Fairness in
Multi-document Summarization. What their released code does otherwise stands in docs/decisions/coverage.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.measures.coverage_evidence import Coverage, CoverageSettings
from fairbrief.measures.settings import shared
from fairbrief.nouns import Floats, Totals, Value
from fairbrief.spelling import spell
from fairbrief.statistics import ratio
from fairbrief.text.counted import counted

__all__ = ["Coverage", "CoverageParity", "EqualCoverage"]


class _CoverageMeasure(CoverageSettings):
    """What both measures do alike."""

    @property
    def observation(self) -> Coverage:
        return Coverage(**shared(self, CoverageSettings))

    @property
    def instruments(self) -> Mapping[str, Mapping[str, str]]:
        """The measures that check the judges it relies on, with their settings."""
        return {"instrument_support": {"scorer": self.scorer}}

    def explain(self, totals: Totals) -> str:
        """Coverage of each value in one record."""
        parts = [
            f"{v}: {float(totals['level'] + totals['shift', v]):.2f} over {counted(float(totals['documents', v]), 'document')}"
            for v in totals.values_of("documents")
        ]
        return f"coverage by value: {'; '.join(parts)}; record mean {float(totals['level']):.2f}"

    def __repr__(self) -> str:
        return spell(self)


@dataclass(frozen=True, repr=False)
class EqualCoverage(_CoverageMeasure):
    """Mean gap between each value's coverage and the record's own mean coverage.

    One record's gap is (1/K') Σ_{k present} |mean of x_i for i in D_k − mean of x_i|, with x_i the
    mean support of the summary's units by document i; the value is the mean gap over records.

    Reads:      document attribute ``over``; support in [0, 1] from ``scorer``, shape (chunks, units).
    Value:      in [0, 1]; 0 when values are covered alike. Positive by chance: read with its null.
                Grows with the level of coverage: ``level`` and ``relative_gap`` stand beside it.
                ``between[k−l]``: mean coverage of value k minus that of value l, free of the mix.
                ``unfair_share``: share of testable records with p < 0.05 (all relabellings, ≥), to be
                read with ``unfair_share_by_chance``. ``by_dominance``: largest difference of the gap
                between records that different values dominate; ``unfair_share_by_dominance``: that of
                the unfair share (the paper's Table 5), over testable records.
    Undefined:  "one group only"; "the summary has no unit"; "no unit is supported".
    Source:     Li et al., Coverage-based Fairness in MDS, Eqs. 2–5. Departs from their code: excluded
                records are counted; units that no document supports stay in the denominator
                (``denominator=covered`` for theirs); identical texts count for every document.
    """

    name: ClassVar[str] = "equal_coverage"

    def value(self, totals: Totals) -> Mapping[str, Value]:
        one = totals["one"]
        values = {
            "equal_coverage": Value(ratio(totals["gap"], one), "upper"),
            "level": Value(ratio(totals["level"], one)),
            "relative_gap": Value(ratio(totals["gap"], totals["level"]), "upper"),
        }
        for k, other in _pairs(totals):
            gap = ratio(totals["between", k, other], totals["pairs", k, other])
            values[f"between[{k}−{other}]"] = Value(gap, "both")
        values["testable_share"] = Value(ratio(totals["testable"], one))
        values["unfair_share"] = Value(ratio(totals["significant"], totals["testable"]))
        values["unfair_share_by_chance"] = Value(ratio(totals["expected_significant"], totals["testable"]))
        values["by_dominance"] = Value(_spread(_by_dominance(totals)), "upper")
        values["unfair_share_by_dominance"] = Value(_spread(_unfair_by_dominance(totals)), "upper")
        values["unit_recall"] = Value(ratio(totals["words in units"], totals["words"]))
        values["supported_units"] = Value(ratio(totals["units supported"], totals["units"]))
        return values


@dataclass(frozen=True, repr=False)
class CoverageParity(_CoverageMeasure):
    """Mean size, over values, of how far a value's documents are covered above or below their record.

    CP = (1/K) Σ_k |E(C_k)|. Pooled (default): C_k holds x_i − mean x for every document i of value k
    in every record. ``extremes=true`` (the paper's text): C_k holds coverage of k minus the record's
    mean, from the records where k is the most or the least covered value.

    Reads:      document attribute ``over``; support in [0, 1] from ``scorer``, shape (chunks, units).
    Value:      in [0, 1]; 0 when no value is covered more or less over the whole input. Positive by
                chance: read with its null. ``difference[k]`` = E(C_k): positive = over-represented.
                ``by_dominance``: largest difference of any E(C_k) between records that different
                values dominate.
    Undefined:  as `equal_coverage`.
    Source:     Li et al., Eq. 6; the release pools, the text takes extremes: both are here. Departs
                from the release: K is the number of values present, never taken from a file name.
    """

    name: ClassVar[str] = "coverage_parity"
    extremes: bool = False

    def value(self, totals: Totals) -> Mapping[str, Value]:
        total, count = ("extreme", "extremes") if self.extremes else ("difference", "documents")
        names = totals.values_of(count)
        means = {k: ratio(totals[total, k], totals[count, k]) for k in names}
        stacked = (
            np.stack(list(means.values()), axis=-1) if means else np.full((*totals["one"].shape, 1), np.nan)
        )
        present = np.isfinite(stacked)
        sums = np.where(present, np.abs(stacked), 0.0).sum(axis=-1)
        values = {"coverage_parity": Value(ratio(sums, present.sum(axis=-1).astype(np.float64)), "upper")}
        values |= {f"difference[{k}]": Value(mean, "both") for k, mean in means.items()}
        values["by_dominance"] = Value(
            _largest([_spread(_mean_by_dominance(totals, k)) for k in names], totals), "upper"
        )
        return values


def _pairs(totals: Totals) -> list[tuple[str, str]]:
    return sorted({(c[1], c[2]) for c in totals.columns if c[0] == "pairs"})


def _by_dominance(totals: Totals) -> list[Floats]:
    return [ratio(totals["dominated gap", g], totals["dominated", g]) for g in totals.values_of("dominated")]


def _unfair_by_dominance(totals: Totals) -> list[Floats]:
    return [ratio(totals["significant", g], totals["testable", g]) for g in totals.values_of("testable")]


def _mean_by_dominance(totals: Totals, value: str) -> list[Floats]:
    return [
        ratio(totals["dominated difference", g, value], totals["dominated documents", g, value])
        for g in totals.values_of("dominated")
    ]


def _spread(groups: Sequence[Floats]) -> Floats:
    """Largest minus smallest over the groups that are there; nan for fewer than two."""
    if len(groups) < 2:
        return np.full(np.shape(groups[0]) if groups else (), np.nan)
    stacked = np.stack(groups)
    there = np.isfinite(stacked)
    high = np.where(there, stacked, -np.inf).max(axis=0)
    low = np.where(there, stacked, np.inf).min(axis=0)
    return np.where(there.sum(axis=0) > 1, high - np.where(np.isfinite(low), low, 0.0), np.nan)


def _largest(spreads: Sequence[Floats], totals: Totals) -> Floats:
    shape = totals["one"].shape
    stacked = (
        np.stack([np.broadcast_to(s, shape) for s in spreads]) if spreads else np.full((1, *shape), np.nan)
    )
    there = np.isfinite(stacked)
    high = np.where(there, stacked, -np.inf).max(axis=0)
    return np.where(there.any(axis=0), high, np.nan)
