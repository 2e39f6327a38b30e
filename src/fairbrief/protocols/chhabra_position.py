"""Chhabra et al., position bias of zero-shot summarizers: measures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.nouns import Estimate, Table
from fairbrief.protocols.cells import decimal
from fairbrief.statistics import spearman

RELEASED = "mapping=tfidf(fitted=pair), sentences=punkt, short=first, duplicates=once, weights=pooled"
SEGMENTS = 10
ROUGE = ("rouge1", "rouge2", "rougeL")
SYSTEMS_FOR_RANKS = 3
"""Fewer systems have no rank correlation worth a number."""


@dataclass(frozen=True)
class ChhabraPosition:
    """Positional distributions, their distances, and ROUGE, with the release's arithmetic.

    Punkt sentences; TF-IDF fitted on each article and summary together; one source per sentence, counted
    once; articles under ten sentences fill the first segments; matches pooled over articles; ROUGE without
    stemming. Departs from the release: an article that it could not map got ten random counts, here it is
    left out with its reason; ROUGE is the mean, not the median of an unseeded bootstrap; "randomly chosen"
    sentences of over-long outputs were always the first (``limit=1, choose=first`` or ``random``).
    """

    name: ClassVar[str] = "chhabra-position"
    paper: ClassVar[str] = (
        "Chhabra, Askari, Mohapatra: Revisiting Zero-Shot Abstractive Summarization in the Era of Large Language "
        "Models from the Perspective of Position Bias. NAACL 2024."
    )

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 - position has no groups
        """Both distances, and ROUGE."""
        return (f"position_bias({RELEASED})", f"position_heights({RELEASED})", *ROUGE)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """Quality and distances by system, the histograms, and how ROUGE and distance rank three systems or more."""
        found = {
            (e.system, e.quantity): e
            for e in estimates
            if not e.slice and not e.baseline and _is_ours(e.measure)
        }
        systems = list(dict.fromkeys(system for system, _ in found))
        if not systems:
            return ()
        tables = [_overview(systems, found), *(_histogram(system, found) for system in systems)]
        if len(systems) >= SYSTEMS_FOR_RANKS:
            tables.append(_ranks(systems, found))
        return tuple(tables)


Found = dict[tuple[str, str], Estimate]


def _is_ours(measure: str) -> bool:
    return measure in ChhabraPosition().measures(())


def _value(found: Found, system: str, quantity: str) -> float:
    estimate = found.get((system, quantity))
    return np.nan if estimate is None or estimate.value is None else estimate.value


def _overview(systems: Sequence[str], found: Found) -> Table:
    quantities = (*ROUGE, "position_heights", "position_bias", "position_bias_share", "position_kl")
    rows = []
    for system in systems:
        by_chance = found.get((system, "position_bias"))
        chance = None if by_chance is None else by_chance.null_mean
        rows.append(
            (
                system,
                *(decimal(_value(found, system, quantity), 4) for quantity in quantities),
                decimal(chance, 4),
                "–" if by_chance is None else str(by_chance.n),
            )
        )
    return Table(
        "Position bias and ROUGE",
        (
            *("system", "ROUGE-1", "ROUGE-2", "ROUGE-L", "heights (as published)"),
            *("distance (segments)", "distance (share of article)", "KL", "distance by chance", "n"),
        ),
        tuple(rows),
        (
            "The published Wasserstein number compares the heights of bars in any order: a mirror image scores 0.",
            "The distance over positions, which the paper's text describes, stands beside it.",
        ),
    )


def _histogram(system: str, found: Found) -> Table:
    rows = []
    for label, prefix in (("summaries", ""), ("references", "reference_")):
        total = _value(found, system, f"{prefix}matches")
        counts = [total * _value(found, system, f"{prefix}segment[{k:02d}]") for k in range(1, SEGMENTS + 1)]
        rows.append((label, *(decimal(count, 0) for count in counts), decimal(total, 0)))
    return Table(
        f"Article sentences that {system} and the references draw on, by tenth of the article",
        ("", *(str(k) for k in range(1, SEGMENTS + 1)), "all"),
        tuple(rows),
    )


def _ranks(systems: Sequence[str], found: Found) -> Table:
    rows = []
    for label, distance in (
        ("heights (as published)", "position_heights"),
        ("distance (segments)", "position_bias"),
    ):
        far = np.array([_value(found, system, distance) for system in systems])
        cells = []
        for kind in ROUGE:
            good = np.array([_value(found, system, kind) for system in systems])
            known = np.isfinite(far) & np.isfinite(good)
            is_enough = int(known.sum()) >= SYSTEMS_FOR_RANKS
            cells.append(decimal(float(spearman(far[known], good[known])), 3) if is_enough else "–")
        rows.append((label, *cells))
    return Table(
        f"Spearman's ρ between distance and ROUGE over {len(systems)} systems",
        ("", "ROUGE-1", "ROUGE-2", "ROUGE-L"),
        tuple(rows),
        ("With so few systems even ρ = ±0.8 is compatible with no relation (n = 5: p = 0.10).",),
    )
