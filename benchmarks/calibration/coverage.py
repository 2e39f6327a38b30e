"""Is coverage fair to fair systems? Size of its tests and coverage of its intervals in worlds whose truth is known.

Run: python -m benchmarks.calibration.coverage [OUT.json] [--worlds N] [--audits N] [--docs docs/contributing/benchmarks.md]

``--docs`` writes the table between its markers there; with ``--read`` from the JSON, without simulating again.
Everything goes through the audit itself: only the scorer is made up.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.recording import markdown, options, write_section

from fairbrief.auditing import Plan, audit
from fairbrief.auditing.observing import with_unit_tests
from fairbrief.declarations import ObservationDeclaration
from fairbrief.measures.coverage import Coverage
from fairbrief.statistics.label_permutations import distinct_permutations
from fairbrief.types import AlikeRows, Ask, Case, Claim, Document, Estimate, Record, Rows, Scores, Summary

VALUES = "abc"
SPLITS = [
    split
    for n in range(4, 9)
    for split in (
        *((a, n - a) for a in range(1, n // 2 + 1)),
        *((a, b, n - a - b) for a in range(1, n) for b in range(a, n) if b <= n - a - b),
    )
]
"""Documents per value of records of 4 to 8 documents, two values or three."""
MARKERS = ("<!-- coverage calibration: begin -->", "<!-- coverage calibration: end -->")
RECORDS = (25, 100)
"""Sizes of the audits whose intervals are watched: percentile intervals are a little short on few records."""
MEASURES = ("equal_coverage(scorer=made_up, pairwise=true)@side", "coverage_parity(scorer=made_up)@side")


@dataclass
class MadeUp:
    """Answers with the coverages that a world gave to its documents, by their text."""

    coverage: dict[str, np.ndarray] = field(default_factory=dict)
    name: str = "made_up"
    fingerprint: str = "made_up"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            matrix = np.stack([self.coverage[row] for row in ask.rows])
            yield Scores(matrix, np.arange(matrix.shape[1]), np.zeros(len(matrix)))


def case_of(record: str, labels: Sequence[str], coverage: np.ndarray, scorer: MadeUp) -> Case:
    """A record whose documents have these labels and support of units. Shape (documents, units)."""
    texts = [f"{record} text {i}" for i in range(len(labels))]
    scorer.coverage.update(zip(texts, coverage, strict=True))
    documents = tuple(Document(t, {"side": v}) for t, v in zip(texts, labels, strict=True))
    units = tuple(Claim(f"unit {j}") for j in range(coverage.shape[1]))
    return Case(Record(record, documents), Summary(record, "s", "unit", units))


def exchangeable(rng: np.random.Generator, documents: int, units: int = 5) -> np.ndarray:
    """Support by documents that differ by chance alone: skewed, with many zeros, better for some units."""
    support = rng.beta(0.4, 2.0, (documents, units)) * rng.random(units)
    return np.where(rng.random((documents, units)) < 0.3, 0.0, support)


def labels_of(rng: np.random.Generator, split: Sequence[int]) -> list[str]:
    return [VALUES[k] for k in rng.permutation(np.repeat(np.arange(len(split)), split))]


# ------------------------------------------------------------------------------- single records


def size_of_records(split: Sequence[int], worlds: int, seed: int) -> dict[str, float]:
    """Share of records that are called uneven although documents are exchangeable, and the share by chance."""
    rng = np.random.default_rng([seed, *split])
    observation = Coverage("side", scorer="made_up")
    found = np.zeros(3)
    for _ in range(worlds):
        scorer = MadeUp()
        case = case_of("r", labels_of(rng, split), exchangeable(rng, sum(split)), scorer)
        scores = list(scorer.answer(observation.asks((case,))))
        exchange = observation.permutation_scheme((case,))
        assert exchange is not None
        rows = observation.observe((case,), scores, distinct_permutations(exchange.labels))
        if not isinstance(rows, Rows):
            continue
        block = AlikeRows([0], rows.columns, rows.values[np.newaxis])
        columns, values, _ = with_unit_tests(block, ObservationDeclaration(tests_units=("gap",)), exact=True)
        places = [columns.index((c,)) for c in ("significant", "testable", "expected_significant")]
        found += values[0, 0, places]
    return dict(zip(("significant", "testable", "by_chance"), (found / worlds).tolist(), strict=True))


# ------------------------------------------------------------------------------------ whole audits


def size_of_audits(
    audits: int, seed: int, records: int = 25, n_resamples: int = 200
) -> dict[str, list[float]]:
    """The p of Equal Coverage, Coverage Parity and their signed contrasts in audits of a fair system."""
    rng = np.random.default_rng([seed, 1])
    ps: dict[str, list[float]] = {}
    for number in range(audits):
        scorer = MadeUp()
        cases = []
        for r in range(records):
            split = SPLITS[rng.integers(len(SPLITS))]
            cases.append(case_of(str(r), labels_of(rng, split), exchangeable(rng, sum(split)), scorer))
        for e in estimates(cases, scorer, n_resamples, number):
            if e.p is not None:
                ps.setdefault(e.quantity, []).append(e.p)
    return ps


def coverage_of_intervals(audits: int, seed: int, records: int, n_resamples: int = 1000) -> dict[str, float]:
    """How often the interval of ``difference[k]`` and ``between[k−l]`` holds the truth of an unfair system.

    Document i of record r has coverage base_r + shift_r · 1[a] + noise; shift has mean 0.05 and is independent
    of the sizes, so between[a−b] = 0.05 and difference[a] = 0.05 · E[n_a n_b / n] / E[n_a].
    """
    rng = np.random.default_rng([seed, 2, records])
    splits = [(2, 6), (4, 4), (5, 3), (3, 3), (6, 2)]
    sizes = np.array(splits, dtype=float)
    product = (sizes.prod(axis=1) / sizes.sum(axis=1)).mean()
    truth = {
        "between[a−b]": 0.05,
        "difference[a]": 0.05 * product / sizes[:, 0].mean(),
        "difference[b]": -0.05 * product / sizes[:, 1].mean(),
    }
    hits = dict.fromkeys(truth, 0)
    for number in range(audits):
        scorer = MadeUp()
        cases = []
        for r in range(records):
            labels = labels_of(rng, splits[rng.integers(len(splits))])
            shift = rng.uniform(-0.1, 0.2) * np.array([v == "a" for v in labels])
            support = rng.uniform(0.35, 0.65) + shift + rng.uniform(-0.15, 0.15, len(labels))
            cases.append(case_of(str(r), labels, support[:, None], scorer))
        for e in estimates(cases, scorer, n_resamples, number):
            if e.quantity in truth and e.low is not None and e.high is not None:
                hits[e.quantity] += e.low <= truth[e.quantity] <= e.high
    return {name: many / audits for name, many in hits.items()}


def estimates(cases: Sequence[Case], scorer: MadeUp, n_resamples: int, seed: int) -> Sequence[Estimate]:
    plan = Plan(measures=MEASURES, scorers={"made_up": scorer}, n_resamples=n_resamples, seed=seed)
    return audit(cases, plan).estimates


def run(worlds: int, audits: int, seed: int) -> dict[str, object]:
    ps = size_of_audits(audits, seed)
    main_values = ("equal_coverage", "coverage_parity")
    return {
        "python": platform.python_version(),
        "seed": seed,
        "records": {"worlds": worlds} | {str(s): size_of_records(s, worlds, seed) for s in SPLITS},
        "audits": {"audits": audits}
        | {
            name: {f"p < {level}": float((np.array(p) < level).mean()) for level in (0.05, 0.5)}
            for name, p in ps.items()
            if name in main_values or name.startswith(("difference[", "between["))
        },
        "intervals": {"audits": audits, "level": 0.95}
        | {f"{n} records": coverage_of_intervals(audits, seed, n) for n in RECORDS},
    }


def table(found: dict[str, Any]) -> str:
    """The section of docs/contributing/benchmarks.md, as Markdown."""
    records = {k: v for k, v in found["records"].items() if k != "worlds"}
    testable = {k: v for k, v in records.items() if v["testable"]}
    shares, exact = ([v[key] for v in testable.values()] for key in ("significant", "by_chance"))
    told = (
        f"{found['records']['worlds']:,} fair records of each of {len(records)} patterns of four to eight documents in two or three groups. "
        f"{len(testable)} patterns are testable; of their records {min(shares):.1%} to {max(shares):.1%} are called uneven "
        f"(exact probability {min(exact):.1%} to {max(exact):.1%}). Of the other patterns none is."
    )
    tests = [
        (k, f"{v['p < 0.05']:.3f}", f"{v['p < 0.5']:.3f}")
        for k, v in found["audits"].items()
        if k != "audits"
    ]
    sizes = {k: v for k, v in found["intervals"].items() if k not in ("audits", "level")}
    names = list(next(iter(sizes.values())))
    held = [(k, *(f"{v[n]:.3f}" for n in names)) for k, v in sizes.items()]
    head = ("95% intervals that contain the true value", *names)
    parts = (
        told,
        markdown(("fair systems: estimate", "p < 0.05", "p < 0.5"), tests, (1, 2)),
        f"{found['audits']['audits']:,} audits of 25 records of mixed patterns.",
        markdown(head, held, range(1, len(head))),
        f"{found['intervals']['audits']:,} audits of each size.",
    )
    return "\n\n".join(parts)


if __name__ == "__main__":
    parser = options(__doc__, "--docs", worlds=1000, audits=1000, seed=0)
    parser.add_argument("out", nargs="?", type=Path, default=Path(__file__).with_suffix(".json"))
    parser.add_argument("--read", action="store_true")
    told = parser.parse_args()
    if not told.read:
        made = run(told.worlds, told.audits, told.seed)
        told.out.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    found = json.loads(told.out.read_text(encoding="utf-8"))
    if told.docs is not None:
        write_section(told.docs, MARKERS, table(found))
    print(table(found))
