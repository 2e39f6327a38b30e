"""Does self-retrieval leave scorers alone that read all groups alike, and find those that do not? Shares of worlds.

Documents of two groups are made of the same invented words. A fair scorer, containment of words with noise of its own for every
pair of a document and a sentence, must be found in about 5 % of worlds; a shortsighted one does not know a share of the words of
group b's documents. Half of each sentence's words are replaced by words that no document has. Run:
python -m benchmarks.calibration.self_retrieval [OUT.json] [--worlds N]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar
from unittest.mock import patch

import numpy as np
from benchmarks.recording import options, write_json

from fairbrief import registry
from fairbrief.auditing import estimating, scorer_checks
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.auditing.watchers import SOURCES, Sources
from fairbrief.measures import scorer_bias
from fairbrief.types import Ask, Document, Estimate, Record, Scores

WORDS = [
    f"{a}{b}{c}" for a in "bdfgklmprt" for b in "aeiou" for c in ("lan", "mer", "nos", "rit", "tul", "vex")
]
N_RESAMPLES = 199


@dataclass(frozen=True)
class NoisyScorer:
    """The share of a sentence's words that a document has, with noise; of documents that begin with B it does not know some words."""

    name: ClassVar[str] = "noisy"
    world: int
    unknown: float = 0.0
    noise: float = 0.5
    fingerprint: str = field(default="noisy", init=False)

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            read = [self._known(row) for row in ask.rows]
            found = [
                [
                    self._share(words, claim) + self.noise * self._draw(f"{row}|{claim}")
                    for claim in ask.columns
                ]
                for words, row in zip(read, ask.rows, strict=True)
            ]
            yield Scores(np.array(found), np.arange(len(ask.columns)), np.ones(len(ask.rows)))

    def _known(self, row: str) -> set[str]:
        mark, *words = row.replace(".", "").lower().split()
        return {w for w in words if mark != "b" or self._draw(w) >= self.unknown}

    def _share(self, words: set[str], column: str) -> float:
        wanted = column.replace(".", "").lower().split()
        return sum(w in words for w in wanted) / len(wanted)

    def _draw(self, text: str) -> float:
        """A number in [0, 1) that depends on the world and a text."""
        digest = blake2b(f"{self.world}|{text}".encode(), digest_size=7).digest()
        return int.from_bytes(digest, "big") / 2**56


def records(world: int, n: int, *, is_rare: bool) -> list[Record]:
    """Records of four documents of three sentences, one to three of them of group b; ``is_rare``: each eighth has one of a third."""
    rng, made = np.random.default_rng(world), []
    for i in range(n):
        many = rng.integers(1, 4)
        documents = []
        for k in range(4):
            group = "c" if is_rare and i % 8 == 0 and k == 3 else "b" if k < many else "a"
            sentences = (" ".join(rng.choice(WORDS, 7)).capitalize() for _ in range(3))
            documents.append(Document(f"{group.upper()} {'. '.join(sentences)}.", {"party": group}))
        made.append(Record(f"r{i}", tuple(documents)))
    return made


def check(scorer: NoisyScorer, n: int, *, is_rare: bool = False) -> dict[str, Estimate]:
    """The estimates of one world by quantity."""
    kept = Sources(SOURCES, 0)
    for record in records(scorer.world, n, is_rare=is_rare):
        kept.offer(record)
    measure = registry.make("measure", "coverage_parity(scorer=noisy)@party")
    settings = estimating.Settings(n_resamples=N_RESAMPLES, seed=scorer.world)
    scorers = Scorers({scorer.name: scorer})
    found, _ = scorer_checks.retrieve([measure], kept, scorers, settings)
    return {e.quantity: e for e in found.estimates}


def smallest(found: dict[str, Estimate]) -> float:
    """The p by which the note is decided: of two groups the headline's, of more the smallest of a group's, adjusted."""
    several = [e for name, e in found.items() if name.startswith("difference[")]
    decisive = several if len(several) > 2 else [found["scorer_bias_retrieval"]]
    return min(1.0 if e.p_adjusted is None else e.p_adjusted for e in decisive)


def replaced(text: str, share: float, key: str) -> str:
    """A share of the words, spread over the text, replaced by words that stand nowhere else."""
    words = text.split()
    which = {round(i / share) for i in range(round(share * len(words)))}
    return " ".join(f"{key}{w}" if i in which else w for i, w in enumerate(words))


def main() -> None:
    given = options(__doc__, "out?", worlds=400).parse_args()
    # No dictionary knows invented words.
    is_allowed = patch.object(scorer_checks, "why_not", lambda _: "")
    with patch.object(scorer_bias, "paraphrase", replaced), is_allowed:
        rows = list(worlds_of(given.worlds))
    write_json(rows, given.out)


def worlds_of(many: int) -> Iterator[dict[str, float]]:
    """What is found in worlds of each kind."""
    for n in (20, 60):
        for groups, unknown in ((2, 0.0), (3, 0.0), (2, 0.2), (2, 0.4)):
            worlds = many if not unknown else max(1, many // 4)
            results = [check(NoisyScorer(world, unknown), n, is_rare=groups == 3) for world in range(worlds)]
            gaps = [one["difference[b]"] for one in results]
            yield {
                "records": n, "groups": groups, "unknown": unknown, "worlds": worlds,
                "mean_difference": round(float(np.mean([e.value or 0.0 for e in gaps])), 4),
                "share_found": round(float(np.mean([one["mean[a]"].value or 0.0 for one in results])), 3),
                "rejected": round(float(np.mean([smallest(one) <= 0.05 for one in results])), 4),
                "interval_holds_zero": round(float(np.mean([(e.low or 0) <= 0 <= (e.high or 0) for e in gaps])), 4),
            }  # fmt: skip


if __name__ == "__main__":
    main()
