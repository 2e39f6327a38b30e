"""Does sentiment_shift hold its level? Size of its tests and coverage of its intervals over whole audits.

Run: python -m benchmarks.calibration.sentiment [OUT.json] [--worlds N]

Every world is an audit of its own: articles whose sentiment differs between the groups, summaries that
shift by regression to the mean and noise. Under "no disparity" the groups' shifts are alike; planted,
one group's differ by a known amount.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from benchmarks.calibration.entities_and_claims import Written
from benchmarks.recording import machine, options, write_json

from fairbrief.auditing import Plan, audit
from fairbrief.types import Case, Document, Record, Summary

PLANTED = 0.1
NAMES = {
    "sentiment_shift": "difference",
    "adjusted_difference[female−male]": "adjusted",
    "slope_difference[female−male]": "slope",
}


def world(rng: np.random.Generator, design: str, planted: float, originals: int) -> list[Case]:
    """One input. ``articles``: independent, a third about women; ``originals``: articles hang together in
    originals of one group; ``variants``: each seed document written for a woman and for a man.
    """
    cases = []
    for o in range(originals):
        own = rng.normal(0, 0.15) if design != "articles" else 0.0
        base = rng.normal(0.1, 0.3)
        groups = ["female" if o % 3 == 0 else "male"] * (2 if design == "originals" else 1)
        if design == "variants":
            groups = ["female", "male"]
        for k, group in enumerate(groups):
            shift = own - 0.5 * base + planted * (group == "female") + 0.15 * (rng.gamma(2, 1) - 2)
            pronoun = "She" if group == "female" else "He"
            seed_document = f"o{o}" if design != "articles" else None
            record = Record(f"r{o}.{k}", (Document(f"{pronoun} {base!r}"),), seed_document=seed_document)
            cases.append(Case(record, Summary(record.id, "s", f"x {base + shift!r}")))
    return cases


def calibrate(
    design: str, originals: int, worlds: int, n_resamples: int, seed: int
) -> dict[str, dict[str, float]]:
    """Share of p ≤ .05 without a disparity, share of intervals that hold the truth, share found when planted."""
    rng = np.random.default_rng(seed)
    rejected = dict.fromkeys(NAMES.values(), 0.0)
    held, found = dict(rejected), dict(rejected)
    plan = Plan(measures=["sentiment_shift"], n_resamples=n_resamples, scorers={"vader": Written("rows")})
    for number in range(worlds):
        plan = replace(plan, seed=number)
        for planted in (0.0, PLANTED):
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
        "machine": machine(),
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
    write_json(found, asked.out)


if __name__ == "__main__":
    main()
