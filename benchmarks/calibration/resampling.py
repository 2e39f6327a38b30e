"""Are intervals and p-values what they say? Writes coverage and size in worlds where the truth is known.

Run: python -m benchmarks.calibration.resampling [--out OUT] [--worlds N]
"""

from __future__ import annotations

import numpy as np
from benchmarks.label_draws import observed_and_choice
from benchmarks.recording import options, write_down

from fairbrief.statistics.arrays import tolerance
from fairbrief.statistics.label_permutations import LabelDraws, distinct_permutations, permutations
from fairbrief.statistics.resampling import Bootstrap, percentile_interval

SPLITS = [(1, 3), (2, 2), (1, 4), (2, 3), (1, 5), (3, 3), (1, 7), (4, 4), (1, 1, 2), (2, 2, 2), (2, 3, 3)]
"""Documents per value of small document sets."""


def upper_p(observed: float, null: np.ndarray, *, exact: bool) -> float:
    """P of reading at least as much as was observed; ties count. (reached + 1) / (B + 1), where ``null`` lacks the real label permutation.

    Shapes: null (B,). Range: 1/B, or 1/(B + 1), to 1.
    """
    reached = int((null >= observed - tolerance(np.asarray(observed))).sum())
    return reached / len(null) if exact else (reached + 1) / (len(null) + 1)


def group_gaps(x: np.ndarray, permutations: np.ndarray) -> np.ndarray:
    """Mean over groups of |group mean − mean|, per label permutation. Shapes (n,), (R, n) → (R,)."""
    groups = permutations[:, None, :] == np.unique(permutations)[None, :, None]
    gaps: np.ndarray = np.abs(groups @ x / groups.sum(axis=-1) - x.mean()).mean(axis=-1)
    return gaps


def coverages(rng: np.random.Generator, n: int) -> np.ndarray:
    """Skewed coverages of exchangeable documents: a fair system's."""
    return rng.beta(0.4, 3.0, n)


def unit_size(split: tuple[int, ...], worlds: int, seed: int, n_resamples: int = 500) -> dict[str, float]:
    """How often a fair system is called unfair at .05: exact, sampled, and with the strict comparison."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(split)), split)
    every = distinct_permutations(labels)
    hits = np.zeros(3)
    for _ in range(worlds):
        x = coverages(rng, labels.size)
        null = group_gaps(x, every)
        sampled = group_gaps(x, labels[permutations(labels.size, n_resamples, rng)])
        strict = (null > null[0] + 1e-12).mean()
        hits += [
            upper_p(null[0], null, exact=True) < 0.05,
            upper_p(null[0], sampled, exact=False) < 0.05,
            strict < 0.05,
        ]
    gaps = group_gaps(coverages(rng, labels.size), every)
    rates = dict(zip(("exact", "sampled", "strict"), (hits / worlds).tolist(), strict=True))
    return {"permutations": len(every), "smallest_p": upper_p(gaps.max(), gaps, exact=True), **rates}


def corpus_size(worlds: int, seed: int, records: int = 40, n_resamples: int = 400) -> dict[str, float]:
    """How often the corpus null of `LabelDraws` rejects at .05 although the system is fair.

    Early documents are covered better in all records alike, labels are exchangeable, and records of
    8 and of 16 documents (enumerated and sampled label permutations) are mixed.
    """
    rng = np.random.default_rng(seed)
    gap = contrast = 0.0
    for world in range(worlds):
        labelled = LabelDraws(n_resamples, world)
        totals, signed = np.zeros(n_resamples + 1), np.zeros(n_resamples + 1)
        for number in range(records):
            n = 8 if number % 2 else 16
            labels = rng.permutation(np.repeat([0, 1], n // 2))
            x = coverages(rng, n) + np.linspace(0.5, 0, n)
            rows, choice, _ = observed_and_choice(labelled, str(number), labels)
            picked = np.concatenate([[0], choice])
            ones = (rows @ x) / (n / 2)
            signed += (ones - (2 * x.mean() - ones))[picked]
            totals += np.abs(ones - x.mean())[picked]
        gap += float(upper_p(totals[0], totals[1:], exact=False) <= 0.05)
        either = [upper_p(side[0], side[1:], exact=False) for side in (signed, -signed)]
        contrast += float(2 * min(either) <= 0.05)
    return {"gap": gap / worlds, "contrast": contrast / worlds}


def coverage(worlds: int, seed: int, clusters: int = 60, n_resamples: int = 1000) -> dict[str, float]:
    """How often the 95 % interval of a mean, and of a ratio of sums, holds the truth."""
    rng = np.random.default_rng(seed)
    held = np.zeros(2)
    for world in range(worlds):
        size = rng.poisson(5, clusters) + 1.0
        part = rng.binomial(size.astype(int), rng.beta(3, 7, clusters))
        y = rng.gamma(4, 0.25, clusters)
        totals = Bootstrap(clusters, n_resamples, world).totals(
            np.column_stack([y, np.ones(clusters), part, size])
        )
        low, high, _ = percentile_interval(
            np.column_stack([totals[:, 0] / totals[:, 1], totals[:, 2] / totals[:, 3]])
        )
        held += (low <= [1.0, 0.3]) & (high >= [1.0, 0.3])
    mean, ratio = (held / worlds).tolist()
    return {"mean": mean, "ratio": ratio}


def main() -> None:
    asked = options(__doc__, "--out", worlds=2000).parse_args()
    found = {
        "nominal": {"size": 0.05, "coverage": 0.95},
        "worlds": asked.worlds,
        "unit_size": {"-".join(map(str, split)): unit_size(split, asked.worlds, 0) for split in SPLITS},
        "corpus_size": corpus_size(asked.worlds, 1),
        "coverage": coverage(asked.worlds, 2),
    }
    write_down(__file__, found, seed=0, out=asked.out)


if __name__ == "__main__":
    main()
