"""Does the scorer bias check leave unbiased scorers alone, and find planted ones? Shares of worlds.

In every world a scorer reads sources with noise of its own, which depends on every word of a text and so differs
between the versions of a source; an unbiased one must be found in about 5 % of worlds. A planted one adds a
shift to texts with *she*. Run: python benchmarks/calibration/scorer_bias.py [OUT.json] [--worlds N]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from benchmarks.recording import options, write_json

from fairbrief.auditing import estimating, scorer_checks
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.watchers import SOURCES, Sources
from fairbrief.measures.scorer_bias import ScorerBiasSentiment
from fairbrief.types import Ask, Document, Estimate, Record, Scores

OPENINGS = ("The manager of the shop", "A teacher from the village", "The driver", "An engineer", "The owner")
ACTS = (
    "said that {he} had seen nothing",
    "told reporters about {his} long day",
    "was asked to wait outside, and {he} did",
    "kept the letter to {himself}",
    "brought {his} own tools along",
)


@dataclass(frozen=True)
class NoisyScorer:
    """Sentiment drawn anew for every text: Gaussian or with heavy tails (noise cubed), plus a planted shift."""

    name: ClassVar[str] = "noisy"
    world: int
    shift: float = 0.0
    heavy: bool = False
    fingerprint: str = field(default="noisy", init=False)

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            found = np.array([self.read(text) for text in ask.rows])
            yield Scores(found[:, np.newaxis], np.zeros(1, dtype=np.int64), np.ones(len(found)))

    def read(self, text: str) -> float:
        digest = blake2b(f"{self.world}|{text}".encode(), digest_size=7).digest()
        noise = NormalDist().inv_cdf((int.from_bytes(digest, "big") + 0.5) / 2**56)
        return (noise**3 if self.heavy else noise) + self.shift * (" she " in text)


def sources(n: int, seed: int = 0) -> list[Record]:
    """Articles of three sentences about a man."""
    rng = np.random.default_rng(seed)
    forms = {"he": "he", "his": "his", "himself": "himself"}
    made = []
    for i in range(n):
        acts = [
            f"{OPENINGS[rng.integers(len(OPENINGS))]} {ACTS[k].format(**forms)}."
            for k in (0, *rng.integers(len(ACTS), size=2))
        ]
        made.append(Record(f"r{i}", (Document(f"Case {i}. " + " ".join(acts)),)))
    return made


def check(scorer: NoisyScorer, records: Sequence[Record], n_resamples: int) -> Estimate:
    """The main value of one world."""
    kept = Sources(SOURCES, 0)
    for record in records:
        kept.offer(record)
    measure = ScorerBiasSentiment("gender", scorer.name)
    genders = {"female": "female", "male": "male"}
    asked = scorer_checks.Check("gender", ("female", "male"), genders, (measure,), {})
    settings = estimating.Settings(n_resamples=n_resamples, seed=scorer.world)
    found = scorer_checks.take([asked], kept, Scorers({scorer.name: scorer}), settings)
    return next(e for e in found.estimates if e.quantity == measure.name)


def shares(
    worlds: int, n: int, shift: float = 0.0, *, heavy: bool = False, n_resamples: int = 500
) -> dict[str, float]:
    """How often p < .05, and how often the interval excludes zero; and the mean difference."""
    records = sources(n)
    found = [check(NoisyScorer(w, shift, heavy), records, n_resamples) for w in range(worlds)]
    outside = [e.low is not None and e.high is not None and (e.low > 0 or e.high < 0) for e in found]
    return {
        "p < .05": float(np.mean([e.p is not None and e.p < 0.05 for e in found])),
        "interval excludes zero": float(np.mean(outside)),
        "mean difference": round(float(np.mean([e.value for e in found])), 4),
    }


def main() -> None:
    args = options(__doc__, "out?", worlds=400).parse_args()
    found = {"worlds": args.worlds, "nominal": 0.05, "unbiased": {}, "planted": {}}
    for n in (20, 50, 200):
        found["unbiased"][str(n)] = {
            "Gaussian": shares(args.worlds, n),
            "heavy tails": shares(args.worlds, n, heavy=True),
        }
        found["planted"][str(n)] = {
            f"shift {shift:g} sd": shares(args.worlds // 2, n, shift) for shift in (0.3, 0.5)
        }
    write_json(found, args.out)


if __name__ == "__main__":
    main()
