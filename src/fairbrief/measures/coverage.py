"""Coverage by value: are documents of one side supported less by the summary's statements?

`equal_coverage` asks it of single records, `coverage_parity` of the whole input; both read one
observation. Source: Li, Zhang, Zhang, Chaturvedi: Coverage-based Fairness in
Multi-document Summarization. What their released code does otherwise stands in docs/decisions/coverage.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import ContrastWords, Declaration, ScorerCheck
from fairbrief.measures.coverage_evidence import Coverage, CoverageSettings
from fairbrief.measures.measure_settings import shared
from fairbrief.specs import spell
from fairbrief.statistics import ratio
from fairbrief.text.counted import counted
from fairbrief.types import Floats, Totals, Value

__all__ = ["Coverage", "CoverageParity", "EqualCoverage"]


UNCOVERED = "What some groups wrote would go missing more often than what others wrote, so that decisions made from summaries would rest on some people's words more than on others'."
LOG_LENGTH, EQUAL_LENGTH = "log_length", "equal_length_difference"
FROM_0 = (0.0, math.inf)
RELATIVE = (-1.0, math.inf)
"""Documents that are not covered at all are covered 100 % less than the others."""


class _CoverageMeasure(CoverageSettings):
    """What both measures do alike."""

    @property
    def observation(self) -> Coverage:
        return Coverage(**shared(self, CoverageSettings))

    def explain(self, totals: Totals) -> str:
        """Coverage of each value in one record."""
        parts = [
            f"{v}: {float(totals['level'] + totals['shift', v]):.2f} over {counted(float(totals['documents', v]), 'document')}"
            for v in totals.values_of("documents")
        ]
        return f"coverage by value: {'; '.join(parts)}; record mean {float(totals['level']):.2f}"

    __repr__ = spell


@dataclass(frozen=True, repr=False)
class EqualCoverage(_CoverageMeasure):
    """How much better or worse than its record's mean each group is covered, averaged over groups and records.

    One record's gap is (1/K') Σ_{k present} |mean of x_i for i in D_k − mean of x_i|, with x_i the
    mean support of the summary's units by document i; the value is the mean gap over records.

    Reads:      document attribute ``over``; support in [0, 1] from ``scorer``, shape (chunks, units).
    Value:      in [0, 1]; 0 when groups are covered alike. Positive by chance: read with its null.
                Grows with the level of coverage: ``level`` and ``relative_gap`` stand beside it.
                With ``pairwise=true`` also ``between[k−l]``: mean coverage of group k minus that of group l, free of
                the mix; ``by_dominance``, the largest difference of the gap between records that different
                groups dominate; and ``uneven_share_by_dominance``, that of the uneven share (the paper's
                Table 5), over testable records.
                ``uneven_share``: share of testable records with p < 0.05 (all relabellings, ≥), to be
                read with ``uneven_share_by_chance``.
    Undefined:  "one group only"; "the summary has no unit"; "no unit is supported".
    Source:     Li et al., Coverage-based Fairness in MDS, Eqs. 2–5. Departs from their code: excluded
                records are counted; units that no document supports stay in the denominator
                (``denominator=covered`` for theirs); identical texts count for every document.
    """

    name: ClassVar[str] = "equal_coverage"
    declaration: ClassVar[Declaration] = Declaration(
        family="Coverage",
        question="how far the groups of a record differ in how well the summary covers their documents",
        harm=UNCOVERED,
        figures=(
            "gaps",
            "p_values",
        ),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        one = totals["one"]
        gap, level = ("gap",), ("level",)
        values = {
            "equal_coverage": Value(
                ratio(totals["gap"], one), "upper", mean_of=(gap, ("one",)), limits=FROM_0, has_baseline=True
            ),
            "level": Value(ratio(totals["level"], one), limits=FROM_0, has_baseline=True),
            "relative_gap": Value(
                ratio(totals["gap"], totals["level"]), "upper", mean_of=(gap, level), limits=FROM_0
            ),
        }
        for k, other in _pairs(totals):
            difference = ratio(totals["between", k, other], totals["pairs", k, other])
            values[f"between[{k}−{other}]"] = Value(difference, "both")
        values["testable_share"] = Value(ratio(totals["testable"], one), is_share=True)
        values["uneven_share"] = Value(ratio(totals["significant"], totals["testable"]), is_share=True)
        values["uneven_share_by_chance"] = Value(
            ratio(totals["expected_significant"], totals["testable"]), is_share=True
        )
        if self.pairwise:
            values["by_dominance"] = Value(_spread(_by_dominance(totals)), "upper")
            values["uneven_share_by_dominance"] = Value(_spread(_uneven_by_dominance(totals)), "upper")
        values["unit_recall"] = Value(ratio(totals["words in units"], totals["words"]), is_share=True)
        values["supported_units"] = Value(ratio(totals["units supported"], totals["units"]), is_share=True)
        return values


@dataclass(frozen=True, repr=False)
class CoverageParity(_CoverageMeasure):
    """How far each group is covered above or below its records' mean over the whole input, averaged over groups.

    CP = (1/K) Σ_k |E(C_k)|. Pooled (default): C_k holds x_i − mean x for every document i of group k
    in every record. ``extremes=true`` (the paper's text): C_k holds coverage of k minus the record's
    mean, from the records where k is the most or the least covered group.

    Reads:      document attribute ``over``; support in [0, 1] from ``scorer``, shape (chunks, units).
    Value:      in [0, 1]; 0 when no value is covered more or less over the whole input. Positive by
                chance: read with its null. ``difference[k]`` = E(C_k): positive = over-represented;
                ``relative_difference[k]``: the same divided by the mean coverage of all documents in the records of
                k's documents, each record counted as often as it has documents of k; at least −1, where no
                document of k is covered. It leads and is compared with random extracts (whole sentences lie in
                their own document, so that extracts are covered more, and only relative differences compare).
                ``equal_length_difference[k]``: as that, as if all documents of a record were equally long, by the
                slope of coverage on log length within the groups of records; ``log_length[k]``: how much longer
                (in logarithms) documents of k are than their record's.
                ``by_dominance`` with ``pairwise=true``: largest difference of any E(C_k) between records that
                different groups dominate.
    Undefined:  as `equal_coverage`.
    Source:     Li et al., Eq. 6; the release pools, the text takes extremes: both are here. Departs
                from the release: K is the number of groups present, never taken from a file name.
    """

    name: ClassVar[str] = "coverage_parity"
    declaration: ClassVar[Declaration] = Declaration(
        family="Coverage",
        question="how far documents of each group are covered above or below their record's mean",
        harm=UNCOVERED,
        figures=("differences",),
        scorer_checks=(ScorerCheck(measure="scorer_bias_support", given={"scorer": "scorer"}),),
        contrast=ContrastWords(
            question="Whose documents do the summaries cover less?",
            unit="percent",
            below="{size} less than the average document",
            above="{size} more than the average document",
            even="every document covered alike",
            sentence="{system} covers documents with {group} {said}",
            random="would cover them {reads}",
            worse_below="documents with {group}",
        ),
        matches_words=True,
        items="documents",
    )
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
        contrasts = () if self.extremes else tuple(f"difference[{k}]" for k in names)
        values = {
            "coverage_parity": Value(
                ratio(sums, present.sum(axis=-1).astype(np.float64)),
                "upper",
                contrasts=contrasts,
                has_baseline=not self.extremes,
            )
        }
        for k, mean in means.items():
            own = () if self.extremes else (f"difference[{k}]",)
            if not self.extremes:
                values[f"relative_difference[{k}]"] = Value(
                    ratio(totals["difference", k], totals["record mean", k]),
                    "both",
                    contrasts=own,
                    limits=RELATIVE,
                    has_baseline=True,
                    is_compared=True,
                    leads=True,
                    group=k,
                    present=((count, k),),
                )
            values[f"difference[{k}]"] = Value(
                mean, "both", contrasts=own, has_baseline=not self.extremes, group=k
            )
        if not self.extremes:
            values |= _by_length(totals, names)
        if self.pairwise:
            values["by_dominance"] = Value(
                _largest([_spread(_mean_by_dominance(totals, k)) for k in names], totals), "upper"
            )
        return values


def _by_length(totals: Totals, names: Sequence[str]) -> dict[str, Value]:
    """How much longer each group's documents are than their record's mean, and its contrast with length held equal:
    less the slope of coverage on log length, within groups of records, times that.
    """
    found = {}
    for k in names:
        longer = ratio(totals["log length", k], totals["documents", k])
        found[f"{LOG_LENGTH}[{k}]"] = Value(longer, group=k)
        if ("length²",) in totals.columns:
            slope = ratio(totals["length·coverage"], totals["length²"])
            equal = totals["difference", k] - slope * totals["log length", k]
            found[f"{EQUAL_LENGTH}[{k}]"] = Value(
                ratio(equal, totals["record mean", k]),
                limits=RELATIVE,
                has_baseline=True,
                is_compared=True,
                is_tested_by_t=True,
                group=k,
            )
    return found


def _pairs(totals: Totals) -> list[tuple[str, str]]:
    return sorted({(c[1], c[2]) for c in totals.columns if c[0] == "pairs"})


def _by_dominance(totals: Totals) -> list[Floats]:
    return [ratio(totals["dominated gap", g], totals["dominated", g]) for g in totals.values_of("dominated")]


def _uneven_by_dominance(totals: Totals) -> list[Floats]:
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
    return np.where(there.sum(axis=0) > 1, high - low, np.nan)


def _largest(spreads: Sequence[Floats], totals: Totals) -> Floats:
    shape = totals["one"].shape
    stacked = (
        np.stack([np.broadcast_to(s, shape) for s in spreads]) if spreads else np.full((1, *shape), np.nan)
    )
    there = np.isfinite(stacked)
    high = np.where(there, stacked, -np.inf).max(axis=0)
    return np.where(there.any(axis=0), high, np.nan)
