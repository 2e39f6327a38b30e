"""Do the tests and intervals of labels and framing keep their promises? Systems that ignore labels and tone, and systems that do not.

Run: python -m benchmarks.calibration.labels [OUT.json] [--audits N] [--bank N]; prints the table of benchmarks/calibration/README.md.

Records have 6 to 24 sentences in blocks of one topic; topics are common to rare. Tones have heavy tails. See `inference` for the method.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.calibration.inference import run, table
from benchmarks.calibration.worlds import BAD, GOOD, Rng, World
from benchmarks.recording import markdown, options

import fairbrief
from fairbrief.types import Case, Claim, Document, Record, Summary

TOPICS, SHARES = ("a", "b", "c", "rare"), (0.45, 0.3, 0.2, 0.05)
Choose = Callable[[Rng, np.ndarray], np.ndarray]
"""The sentences of a summary, from the topics of all sentences."""


def at_random(rng: Rng, topics: np.ndarray, skip: float = 0.0) -> np.ndarray:
    """Two to five sentences, those on topic c with odds 1 − ``skip``."""
    weights = np.where(topics == 2, 1 - skip, 1.0)
    return rng.choice(len(topics), int(rng.integers(2, 6)), replace=False, p=weights / weights.sum())


def passage(rng: Rng, topics: np.ndarray) -> np.ndarray:
    """Four neighbouring sentences, from a place that is uniform on the circle."""
    return (rng.integers(len(topics)) + np.arange(4)) % len(topics)


def calls(choose: Choose, *, copies: int = 1, misread: float = 0.0) -> Callable[[Rng, int], list[Case]]:
    """Records in blocks of a topic; ``copies`` share a seed document; a share of all labels is ``misread`` as any topic."""

    def read(rng: Rng, topics: np.ndarray) -> list[str]:
        wrong = rng.random(len(topics)) < misread
        return [TOPICS[k] for k in np.where(wrong, rng.integers(len(TOPICS), size=len(topics)), topics)]

    def make(rng: Rng, number: int) -> list[Case]:
        blocks = rng.choice(len(TOPICS), int(rng.integers(3, 9)), p=SHARES)
        topics = np.repeat(blocks, rng.integers(2, 4, len(blocks)))
        turns = [
            f"Sentence {k} of {'some more words ' * rng.integers(3)}call {number}."
            for k in range(len(topics))
        ]
        labels, kept, cases = read(rng, topics), choose(rng, topics), []
        for copy in range(copies):
            record = Record(
                f"r{number}-{copy}", tuple(Document(t, {"topic": k}) for t, k in zip(turns, labels, strict=True)),
                seed_document=f"r{number}" if copies > 1 else None,
            )  # fmt: skip
            if rng.random() > 0.8:
                kept = choose(rng, topics)
            claims = tuple(
                Claim(turns[k], {"topic": (label,)})
                for k, label in zip(kept, read(rng, topics[kept]), strict=True)
            )
            cases.append(Case(record, Summary(record.id, "s", " ".join(turns[k] for k in kept), claims)))
        return cases

    return make


def articles(brightened: str = "", *, copies: int = 1) -> Callable[[Rng, int], list[Case]]:
    """Texts of two groups, 80/20, whose tones differ; summaries of three sentences, where ``brightened`` texts keep good ones more often."""

    def make(rng: Rng, number: int) -> list[Case]:
        group = "few" if number % 5 == 0 else "many"
        tone = np.clip((0.4 if group == "few" else 0.55) + 0.08 * rng.standard_t(2), 0.05, 0.95)
        good = rng.random(int(rng.integers(6, 20))) < tone
        sentences = [f"The thing was {rng.choice(GOOD if yes else BAD)}." for yes in good]
        weights = np.where(good, 2.5, 1.0) if brightened in (group, "all") else np.ones(len(good))
        cases: list[Case] = []
        kept: list[int] = []
        for copy in range(copies):
            if not kept or rng.random() > 0.8:
                kept = rng.choice(len(good), 3, replace=False, p=weights / weights.sum()).tolist()
            record = Record(
                f"r{number}-{copy}", (Document(" ".join(sentences)),), attributes={"group": group},
                seed_document=f"r{number}" if copies > 1 else None,
            )  # fmt: skip
            cases.append(Case(record, Summary(record.id, "s", " ".join(sentences[k] for k in kept))))
        return cases

    return make


LABELS, FRAMING = ("label_gap@topic",), ("framing_direction", "framing_change@group")


def worlds() -> list[World]:
    """All worlds; contrasts are held to random sentences, unsigned scores to exchanged sentences."""
    random = World(
        "label", "sentences at random", calls(at_random), LABELS, tested="extract_p", n_extracts=50
    )
    return [
        random,
        replace(random, name="label-p", says="the same, tested by exchanged sentences", tested="p", n_extracts=0),
        replace(random, name="label-copies", says="three records of each seed document", clusters=calls(at_random, copies=3)),
        replace(random, name="label-passage", says="four neighbouring sentences", clusters=calls(passage)),
        replace(random, name="label-misread", says="a fifth of all labels is wrong", clusters=calls(at_random, misread=0.2)),
        replace(
            random, name="label-drops", says="topic c kept with odds 0.5", is_fair=False,
            clusters=calls(lambda rng, topics: at_random(rng, topics, 0.5)),
        ),
        frame := replace(random, name="frame", says="sentences at random, groups 80/20", clusters=articles(), measures=FRAMING),
        replace(frame, name="frame-copies", says="three records of each seed document", clusters=articles(copies=3)),
        replace(frame, name="frame-all", says="good sentences have 2.5 times the odds", clusters=articles("all"), is_fair=False),
        replace(frame, name="frame-few", says="the same in the smaller group", clusters=articles("few"), is_fair=False),
    ]  # fmt: skip


def unsigned(records: int = 300) -> str:
    """Markdown: the unsigned scores of labels with both baselines, on one large input of each kind."""
    lines = []
    for world in worlds():
        if world.measures == LABELS and world.n_extracts:
            rng = np.random.default_rng([1, *world.name.encode()])
            cases = [case for i in range(records) for case in world.clusters(rng, i)]
            for e in fairbrief.audit(cases, LABELS, n_resamples=999).estimates:
                if e.kind == "unsigned_disparity":
                    numbers = (e.value, e.extract_baseline, e.permutation_mean, e.p)
                    lines.append((world.says, f"`{e.quantity}`", *(f"{x:.3f}" for x in numbers)))
    head = ("input", "estimate", "value", "random sentences", "permutation mean", "p")
    return markdown(head, lines, range(2, 6))


def main() -> None:
    chosen = options(__doc__, "out?", audits=1000, bank=3000).parse_args()
    known = {world.name: world for world in worlds()}
    rows: list[dict[str, Any]] = []
    for world in known.values():
        rows += run(world, chosen.audits, chosen.bank, [10, 20, 50, 200])
        print(world.name, flush=True)
    if chosen.out:
        chosen.out.write_text(
            json.dumps({"audits": chosen.audits, "bank": chosen.bank, "rows": rows}, indent=1) + "\n"
        )
    print(table(rows, known), unsigned(), sep="\n\n")


if __name__ == "__main__":
    main()
