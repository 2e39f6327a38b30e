"""The figures of Chhabra et al. as tables, and their Table 1, under their own numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.protocols.cells import decimal
from fairbrief.protocols.published_results import heading, published_results
from fairbrief.statistics import spearman
from fairbrief.types import Estimate, Table

SEGMENTS = 10
ROUGE = ("rouge1", "rouge2", "rougeL")
SYSTEMS_FOR_RANKS = 3
"""Fewer systems have no rank correlation worth a number."""
ORDER_BLIND = "heights: the published Wasserstein number compares the heights of bars in any order; a mirror image scores 0."
OVER_POSITIONS = "segments: the distance over positions, which the paper's text describes."
SEGMENT_HEADER = tuple(str(k) for k in range(1, SEGMENTS + 1))


@dataclass(frozen=True)
class Variant:
    """One mapping of sentences to sources: what it is called, and the specs of its two measures."""

    name: str
    bias: str
    heights: str


@dataclass(frozen=True)
class Found:
    """The estimates of a whole audit by (spec, system, quantity)."""

    by_key: Mapping[tuple[str, str, str], Estimate]
    systems: tuple[str, ...]

    def value(self, spec: str, system: str, quantity: str) -> float:
        """A value; nan where there is none."""
        found = self.by_key.get((spec, system, quantity))
        return np.nan if found is None or found.value is None else found.value


def found_in(estimates: Sequence[Estimate], specs: Sequence[str]) -> Found:
    """The protocol's own estimates, of whole audits, systems in their order."""
    own = [e for e in estimates if e.measure in specs and not e.slice and not e.baseline]
    systems = tuple(dict.fromkeys(e.system for e in own))
    return Found({(e.measure, e.system, e.quantity): e for e in own}, systems)


def tables(
    found: Found, main: Variant, mappings: Sequence[Variant], tops: Sequence[Variant]
) -> tuple[Table, ...]:
    """Figures 2, 3, 4, 6 and 9 and Table 1, as far as they were asked for; none without a system."""
    if not found.systems:
        return ()
    made = [distributions(found, main), quality(found, main, "Figure 3", ("rouge1",))]
    made.append(quality(found, main, "Figure 4", ("rouge2", "rougeL")))
    if len(mappings) > 1:
        made.append(compared(found, mappings, "Figure 6", "mapping"))
    if len(found.systems) >= SYSTEMS_FOR_RANKS:
        made.append(ranks(found, main))
    if len(tops) > 1:
        made.append(compared(found, tops, "Figure 9", "matches"))
    return tuple(made)


def _title(number: str) -> str:
    return heading(published_results("chhabra-position"), number)


def distributions(found: Found, variant: Variant) -> Table:
    """Figure 2: how many sources stand in each tenth of the article, for each system and its references."""
    rows = tuple(
        (system, label, *_counts(found, variant, system, prefix))
        for system in found.systems
        for label, prefix in (("summaries", ""), ("references", "reference_"))
    )
    return Table(
        _title("Figure 2"),
        ("system", "texts", *SEGMENT_HEADER, "all"),
        rows,
        (
            "Article sentences that the texts draw on, by tenth of the article.",
            "Figures 5, 7 and 8 show the same for fine-tuned models, role-playing and Flan-T5.",
        ),
    )


def _counts(found: Found, variant: Variant, system: str, prefix: str) -> tuple[str, ...]:
    total = found.value(variant.bias, system, f"{prefix}matches")
    shares = [found.value(variant.bias, system, f"{prefix}segment[{k:02d}]") for k in range(1, SEGMENTS + 1)]
    return (*(decimal(total * share, 0) for share in shares), decimal(total, 0))


def quality(found: Found, variant: Variant, number: str, rouge: Sequence[str]) -> Table:
    """Figures 3 and 4: ROUGE beside the distances."""
    rows = []
    for system in found.systems:
        estimate = found.by_key.get((variant.bias, system, "position_bias"))
        rows.append(
            (
                system,
                *(decimal(found.value(kind, system, kind), 4) for kind in rouge),
                *_distances(found, variant, system),
                decimal(found.value(variant.bias, system, "position_bias_share"), 4),
                decimal(None if estimate is None else estimate.null_mean, 4),
                "–" if estimate is None else str(estimate.n),
            )
        )
    header = (
        *("system", *(kind.replace("rouge", "ROUGE-") for kind in rouge)),
        *("heights (as published)", "segments", "KL", "share of article", "segments by chance", "n"),
    )
    return Table(_title(number), header, tuple(rows), (ORDER_BLIND, OVER_POSITIONS))


def _distances(found: Found, variant: Variant, system: str) -> tuple[str, str, str]:
    return (
        decimal(found.value(variant.heights, system, "position_heights"), 4),
        decimal(found.value(variant.bias, system, "position_bias"), 4),
        decimal(found.value(variant.bias, system, "position_kl"), 4),
    )


def compared(found: Found, variants: Sequence[Variant], number: str, what: str) -> Table:
    """Figures 6 and 9: distances and distributions by mapping, or by number of matches."""
    rows = tuple(
        (system, variant.name, *_distances(found, variant, system), *_counts(found, variant, system, "")[:-1])
        for system in found.systems
        for variant in variants
    )
    header = ("system", what, "heights (as published)", "segments", "KL", *SEGMENT_HEADER)
    return Table(_title(number), header, rows, (ORDER_BLIND, OVER_POSITIONS))


def ranks(found: Found, variant: Variant) -> Table:
    """Table 1: Spearman's ρ between distance and ROUGE over systems."""
    rows = []
    for label, spec, distance in (
        ("heights (as published)", variant.heights, "position_heights"),
        ("segments", variant.bias, "position_bias"),
    ):
        far = np.array([found.value(spec, system, distance) for system in found.systems])
        cells = []
        for kind in ROUGE:
            good = np.array([found.value(kind, kind_system, kind) for kind_system in found.systems])
            known = np.isfinite(far) & np.isfinite(good)
            is_enough = int(known.sum()) >= SYSTEMS_FOR_RANKS
            cells.append(decimal(float(spearman(far[known], good[known])), 3) if is_enough else "–")
        rows.append((label, *cells))
    return Table(
        _title("Table 1"),
        ("distance", "ROUGE-1", "ROUGE-2", "ROUGE-L"),
        tuple(rows),
        (
            f"Over {len(found.systems)} systems. With so few even ρ = ±0.8 is compatible with no relation (n = 5: p = 0.10).",
        ),
    )
