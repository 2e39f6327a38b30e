"""How fast are resampling and relabelling? Ratios against a plain transcription in the same run.

Run: python -m benchmarks.speed.resampling [--out OUT]
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
from benchmarks.calibration.resampling import upper_p
from benchmarks.label_draws import observed_and_choice
from benchmarks.recording import best_seconds, options, times_faster, write_down

from fairbrief.statistics.label_permutations import LabelDraws, distinct_permutations
from fairbrief.statistics.resampling import Bootstrap

RECORDS, DRAWS, COLUMNS = 1000, 2000, 10


def median_seconds(work: Callable[[], object], times: int) -> float:
    (taken,) = best_seconds(work, rounds=times, clock=time.perf_counter, best=median)
    return taken


def bootstrap_plainly(rows: list[list[float]], n_resamples: int) -> list[list[float]]:
    """A bootstrap as one writes it down: draw records, add them up."""
    return [
        [sum(column) for column in zip(*random.choices(rows, k=len(rows)), strict=True)]
        for _ in range(n_resamples)
    ]


def gap(x: list[float], labels: list[int]) -> float:
    """Mean over groups of |group mean − mean|."""
    mean = sum(x) / len(x)
    gaps = []
    for group in sorted(set(labels)):
        own = [value for value, label in zip(x, labels, strict=True) if label == group]
        gaps.append(abs(sum(own) / len(own) - mean))
    return sum(gaps) / len(gaps)


def relabel_plainly(records: list[tuple[list[float], list[int]]], n_resamples: int) -> list[float]:
    """A permutation test as one writes it down: shuffle labels, measure again, count."""
    ps = []
    for x, labels in records:
        seen = gap(x, labels)
        null = [gap(x, random.sample(labels, len(labels))) for _ in range(n_resamples)]
        ps.append(sum(value > seen for value in null) / n_resamples)
    return ps


def relabel_exactly(records: list[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """All label permutations of every record, and the exact p."""
    ps = []
    for x, labels in records:
        rows = distinct_permutations(labels)
        groups = rows[:, None, :] == np.unique(labels)[None, :, None]
        null = np.abs(groups @ x / groups.sum(axis=-1) - x.mean()).mean(axis=-1)
        ps.append(upper_p(null[0], null, exact=True))
    return ps


def main() -> None:
    asked = options(__doc__, "--out").parse_args()
    rng = np.random.default_rng(0)
    random.seed(0)
    rows = rng.random((RECORDS, COLUMNS))
    plain_rows = rows.tolist()
    boot = median_seconds(lambda: Bootstrap(RECORDS, DRAWS).totals(rows), 7)
    part = 20
    boot_plain = median_seconds(lambda: bootstrap_plainly(plain_rows, part), 3) * DRAWS / part
    unit = [(rng.random(8), rng.permutation([0, 1] * 4)) for _ in range(300)]
    exact = median_seconds(lambda: relabel_exactly(unit), 5)
    few = [(x.tolist(), labels.tolist()) for x, labels in unit[:2]]
    exact_plain = median_seconds(lambda: relabel_plainly(few, 5000), 3) * 300 / 2
    n_resamples = LabelDraws(DRAWS, 0)
    nine, twelve = np.tile([0, 1, 2], 3), np.tile([0, 1, 2], 4)
    found = {
        "bootstrap_1000_records_2000_draws_10_columns": times_faster(boot, boot_plain),
        "relabelling_test_300_records_of_8_documents": times_faster(exact, exact_plain),
        "labels_for_a_corpus_null_microseconds_per_record": {
            name: 1e6 * median_seconds(partial(observed_and_choice, n_resamples, "a", labels), 201)
            for name, labels in (("9 documents, enumerated", nine), ("12 documents, sampled", twelve))
        },
        "note": "plain versions are timed on 1/100 of the draws, and on 2 records with 5,000 shuffles, and scaled up",
    }
    write_down(__file__, found, seed=0, out=asked.out)


if __name__ == "__main__":
    main()
