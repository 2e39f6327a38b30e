"""Does sentiment_shift hold its level? Size of its tests and coverage of its intervals over whole audits.

Run: python -m benchmarks.calibration.sentiment [OUT.json] [--worlds N]

Every world is an audit of its own: articles whose sentiment differs between the groups, summaries that
shift by regression to the mean and noise. Under "no disparity" the groups' shifts are alike; planted,
one group's differ by a known amount.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from benchmarks.recording import options

from fairbrief.auditing import Plan, audit
from fairbrief.types import Ask, Case, Document, Record, Scores, Summary

PLANTED = 0.1
NAMES = {
    "sentiment_shift": "difference",
    "adjusted_difference[female−male]": "adjusted",
    "slope_difference[female−male]": "slope",
}


@dataclass(frozen=True)
class Written:
    """Reads the number that ends a text: the audit's whole road without a scorer's own errors."""

    name: ClassVar[str] = "vader"

    @property
    def fingerprint(self) -> str:
        return "vader:written"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            matrix = np.array([[float(row.rpartition(" ")[2])] for row in ask.rows])
            yield Scores(matrix, np.array([0]), np.ones(len(ask.rows)))


def world(rng: np.random.Generator, design: str, planted: float, originals: int) -> list[Case]:
    """One input. ``articles``: independent, a third about women; ``originals``: articles hang together in
    originals of one group; ``variants``: each seed document written for a woman and for a man.
    """
    cases = []
    for o in range(originals):
        own = rng.normal(0, 0.15) if design != "articles" else 0.0
        base = rng.normal(0.1, 0.3)
        groups = (
            ("female", "male")
            if design == "variants"
            else (("female" if o % 3 == 0 else "male"),) * (2 if design == "originals" else 1)
        )
        for k, group in enumerate(groups):
            shift = own - 0.5 * base + planted * (group == "female") + 0.15 * (rng.gamma(2, 1) - 2)
            pronoun = "She" if group == "female" else "He"
            record = Record(
                f"r{o}.{k}",
                (Document(f"{pronoun} {base!r}"),),
                seed_document=f"o{o}" if design != "articles" else None,
            )
            cases.append(Case(record, Summary(record.id, "s", f"x {base + shift!r}")))
    return cases


def calibrate(
    design: str, originals: int, worlds: int, n_resamples: int, seed: int
) -> dict[str, dict[str, float]]:
    """Share of p ≤ .05 without a disparity, share of intervals that hold the truth, share found when planted."""
    rng = np.random.default_rng(seed)
    rejected = dict.fromkeys(NAMES.values(), 0.0)
    held, found = dict(rejected), dict(rejected)
    for number in range(worlds):
        for planted in (0.0, PLANTED):
            plan = Plan(
                measures=["sentiment_shift"],
                n_resamples=n_resamples,
                seed=number,
                scorers={"vader": Written()},
            )
            estimates = {e.quantity: e for e in audit(world(rng, design, planted, originals), plan).estimates}
            for quantity, name in NAMES.items():
                e = estimates[quantity]
                truth = planted if name != "slope" else 0.0
                p = e.p if e.p is not None else 1.0
                low, high = (e.low, e.high) if e.low is not None and e.high is not None else (0.0, 0.0)
                if planted:
                    found[name] += p <= 0.05
                    held[name] += low <= truth <= high
                else:
                    rejected[name] += p <= 0.05
    counts = {"size": rejected, "coverage": held, "found": found}
    return {kind: {name: n / worlds for name, n in of_kind.items()} for kind, of_kind in counts.items()}


def main() -> None:
    asked = options(__doc__, "out?", worlds=1000, resamples=400, originals=80).parse_args()
    started = time.monotonic()
    found = {
        "nominal": {"size": 0.05, "coverage": 0.95},
        "machine": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "processor": platform.machine(),
        },
        "worlds": asked.worlds,
        "draws": asked.resamples,
        "originals": asked.originals,
        "planted": PLANTED,
        "designs": {
            design: calibrate(design, asked.originals, asked.worlds, asked.resamples, seed)
            for seed, design in enumerate(("articles", "originals", "variants"))
        },
    }
    found["seconds"] = round(time.monotonic() - started, 1)
    text = json.dumps(found, indent=1)
    print(text)
    if asked.out:
        asked.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
