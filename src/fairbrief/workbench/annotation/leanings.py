"""A comparison of two measures by their agreement with human judgements of leaning.

Source: Li et al., Coverage-based Fairness in Multi-document Summarization, Section 5.4 and Appendix A.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.types import Floats, Table

FAIR = "fair"
GROUPS = 5_000
"""Number of bootstrap groups; each has as many samples as the data."""


def majority(chosen: Sequence[str]) -> str:
    """The leaning that more than half of the annotators chose, otherwise fair."""
    return next((c for c in chosen if 2 * chosen.count(c) > len(chosen)), FAIR)


def bootstrap_counts(samples: int, seed: int = 0) -> Floats:
    """The count of each sample in each bootstrap group. Shape (GROUPS, samples)."""
    rng = np.random.default_rng([seed, 54])
    return rng.multinomial(samples, np.full(samples, 1 / samples), size=GROUPS).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Leans:
    """The leaning of a measure towards the second side (negative: the first), per sample and per bootstrap group."""

    name: str
    samples: Floats
    groups: Floats


@dataclass(frozen=True, slots=True)
class Comparison:
    """The number of samples in which people agree more with either measure, and the share of bootstrap groups for each.

    ``p`` is the share of bootstrap groups in which the measure with fewer samples has at least as many. ``undecided``
    counts the groups in which people lean to neither side.
    """

    names: tuple[str, str]
    samples: tuple[int, int]
    ties: int
    p: float
    groups: tuple[float, float]
    undecided: int


def compare(people: Floats, first: Leans, second: Leans, counts: Floats) -> Comparison:
    """Compare two measures with people's leanings per sample: −1, 0 (fair) or 1.

    In a sample with a leaning, a measure is right if it leans to the same side. In a fair sample, the measure with
    the normalised value nearer to zero agrees more. The paper does not define the normalisation; here values are
    divided by the largest absolute value.
    """
    ahead = np.where(
        people == 0,
        np.sign(_normalised(second.samples) - _normalised(first.samples)),
        (np.sign(first.samples) == people).astype(float) - (np.sign(second.samples) == people),
    )
    primary = counts @ ahead
    side = np.sign(counts @ people)
    decided = side != 0
    shares = [
        float((np.sign(m.groups) == side)[decided].mean()) if decided.any() else np.nan
        for m in (first, second)
    ]
    return Comparison(
        (first.name, second.name),
        (int((ahead > 0).sum()), int((ahead < 0).sum())),
        int((ahead == 0).sum()),
        float((primary * (1 if ahead.sum() >= 0 else -1) <= 0).mean()),
        (shares[0], shares[1]),
        int((~decided).sum()),
    )  # fmt: skip


def _normalised(values: Floats) -> Floats:
    size = np.abs(values)
    most = size.max(initial=0)
    return np.asarray(size / most if most else size)


def table(found: Comparison) -> Table:
    """The comparison in the form of the paper's table."""
    rows = tuple(
        (name, str(samples), "–" if np.isnan(share) else f"{share:.0%}")
        for name, samples, share in zip(found.names, found.samples, found.groups, strict=True)
    )
    notes = (
        f"Samples: {found.ties} agree equally with both; p = {found.p:.3f} (paired bootstrap).",
        f"Groups: of {GROUPS:,} bootstrap groups; in {found.undecided:,} people lean to neither side.",
    )
    return Table(
        "With which measure people agree",
        ("measure", "samples in which people agree with it", "groups in which people agree with it"),
        rows,
        notes,
    )
