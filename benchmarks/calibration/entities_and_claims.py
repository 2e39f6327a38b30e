"""How often entity_sentiment and unsupported_claims name somebody in fair worlds and in planted ones, and what their intervals hold.

Each world is an audit of its own, of n records; the scores are numbers in the texts. Run:
python -m benchmarks.calibration.entities_and_claims [--worlds N] [--docs benchmarks/calibration/README.md]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from benchmarks.recording import markdown, options, show

from fairbrief.auditing import Plan, audit
from fairbrief.types import Ask, Case, Claim, Document, Entity, Estimate, Record, Scores, Summary

Rng = np.random.Generator
LEFT, RIGHT = ("Alder", "Birch", "Cedar"), ("Maple", "Rowan", "Aspen")
MARKERS = ("<!-- entities and claims: begin -->", "<!-- entities and claims: end -->")
LARGE = 3000
"""Records of the world that gives the true value."""
SHIFT, EXCESS = -0.3, 0.25
"""Planted: the tone towards the left, and the probability that claims about the left, or at the end, are unsupported."""


@dataclass(frozen=True)
class Written:
    """The number that ends a text: of a sentence its sentiment, of a claim its support by every sentence."""

    name: ClassVar[str] = "written"
    of: str

    @property
    def fingerprint(self) -> str:
        return f"written {self.of}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            texts = ask.rows if self.of == "rows" else ask.columns
            numbers = np.array([float(text.rpartition(" ")[2].rstrip(".")) for text in texts])
            matrix = numbers[:, np.newaxis] if self.of == "rows" else np.tile(numbers, (len(ask.rows), 1))
            yield Scores(matrix, np.arange(matrix.shape[1]), np.ones(len(ask.rows)))


def of_entities(rng: Rng, kind: str, planted: float, records: int) -> list[Case]:
    """Texts about entities of two leanings, and summaries that moderate tones and vary by record and entity.

    ``kind``: every record has both leanings; half of them one only (mixed); all one only; 80 % left with three times the
    spread, tones not moderated (unequal); sources darker towards the left (darker left); three records of one seed
    document vary together (clustered).
    """
    cases = []
    for number in range(records):
        if number % 3 == 0 or kind != "clustered":
            together = dict(zip((*LEFT, *RIGHT), rng.normal(0, 0.25, 6), strict=True))
        many = [int(rng.integers(1, 4)), int(rng.integers(1, 4))]
        if kind == "unequal":
            many = [3, int(rng.random() < 0.75)]
        elif kind == "one only" or (kind == "mixed" and number % 2):
            many[number // 2 % 2] = 0
        names = [*LEFT[: many[0]], *RIGHT[: many[1]]]
        of_record, source, summary = rng.normal(0, 0.2), [], []
        for name in names:
            is_left = name in LEFT
            spread = (0.3 if is_left else 0.1) if kind == "unequal" else 0.2
            level = -0.3 if is_left and kind in ("unequal", "darker left") else 0.0
            tones = rng.normal(rng.normal(level, 0.3), 0.3, 3)
            source += [f"{name} spoke {tone:.3f}." for tone in tones]
            tone = (1.0 if kind == "unequal" else 0.6) * tones.mean()
            tone += of_record + rng.normal(0, spread) + planted * is_left
            tone += together[name] if kind == "clustered" else 0.0
            if rng.random() < 0.8:
                summary.append(f"{name} spoke {tone:.3f}.")
        sides = {name: "left" if name in LEFT else "right" for name in names}
        entities = tuple(Entity(name, None, name, {"side": side}) for name, side in sides.items())
        seed = f"seed {number // 3}" if kind == "clustered" else None
        record = Record(f"r{number}", (Document(" ".join(source)),), entities=entities, seed_document=seed)
        cases.append(Case(record, Summary(record.id, "s", " ".join(summary) or "Nobody spoke 0.")))
    return cases


def of_claims(rng: Rng, kind: str, planted: Mapping[str, float], records: int) -> list[Case]:
    """Summaries of two to nine claims, whose share of unsupported ones varies a lot by summary.

    ``kind``: half of the claims about each side (even); 80 % about the left, and more unsupported claims in summaries with
    more of them (unequal); three records of one seed document have the same claims' places and groups (clustered).
    """
    cases = []
    for number in range(records):
        rate = rng.beta(0.7, 2)
        if number % 3 == 0 or kind != "clustered":
            many = int(rng.integers(2, 10))
            about_left = rng.random(many) < (0.5 + 0.5 * rate if kind == "unequal" else 0.5)
        claims = []
        for j, is_left in enumerate(about_left.tolist()):
            excess = planted["left"] * is_left + planted["end"] * ((j + 0.5) / many > 2 / 3)
            support = 0.1 if rng.random() < rate + excess else 0.9
            claims.append(Claim(f"Claim {j} {support}", {"side": ("left" if is_left else "right",)}))
        seed = f"seed {number // 3}" if kind == "clustered" else None
        record = Record(f"r{number}", (Document("It rained."),), seed_document=seed)
        cases.append(Case(record, Summary(record.id, "s", "A summary.", tuple(claims))))
    return cases


@dataclass(frozen=True)
class Cell:
    """A kind of world, its measures, and the primary estimate that is planted: measure and quantity."""

    kind: str
    planted: tuple[str, str]
    make: Callable[[Rng, bool, int], list[Case]]
    measures: tuple[str, ...]
    reads: str


def _entities(kind: str, quantity: str = "entity_sentiment") -> Cell:
    measure = "entity_sentiment@side"

    def make(rng: Rng, is_planted: bool, records: int) -> list[Case]:
        return of_entities(rng, kind, SHIFT * is_planted, records)

    return Cell(kind, (measure, quantity), make, (measure,), "vader")


def _claims(kind: str, where: str, planted: tuple[str, str]) -> Cell:
    def make(rng: Rng, is_planted: bool, records: int) -> list[Case]:
        return of_claims(rng, kind, {"left": 0.0, "end": 0.0} | {where: EXCESS * is_planted}, records)

    return Cell(kind, planted, make, (planted[0],), "containment")


CELLS = (
    *map(_entities, ("both leanings", "mixed", "one only", "unequal", "clustered", "darker left")),
    _entities("darker left", "adjusted_difference[left−right]"),
    *(
        _claims(kind, where, (measure, f"support_difference[{where}]"))
        for where, measure in (("left", "unsupported_claims@side"), ("end", "unsupported_by_place"))
        for kind in ("even", "unequal", "clustered")
    ),
)


def estimates_of(cell: Cell, cases: Sequence[Case], n_resamples: int, seed: int = 0) -> dict[str, Estimate]:
    """The audit's estimates by quantity."""
    scorers = {cell.reads: Written("rows" if cell.reads == "vader" else "columns")}
    plan = Plan(
        measures=list(cell.measures), n_resamples=n_resamples, n_extracts=40, seed=seed, scorers=scorers
    )
    return {e.quantity: e for e in audit(cases, plan).estimates}


def calibrated(
    cell: Cell, clusters: int, worlds: int, seed: int, *, is_planted: bool, n_resamples: int = 199
) -> dict[str, float]:
    """Shares of worlds in which any primary estimate is significant, in which the planted one is significantly below its
    baseline, and in which its interval contains its value in a large world. If it is secondary, only its own p counts.
    """
    rng, per_cluster = np.random.default_rng(seed), 3 if cell.kind == "clustered" else 1
    truth = estimates_of(cell, cell.make(rng, is_planted, LARGE), 0)[cell.planted[1]].value
    assert truth is not None
    counts = {"names somebody": 0, "finds": 0, "covers": 0}
    for world in range(worlds):
        cases = cell.make(rng, is_planted, per_cluster * clusters)
        estimates = estimates_of(cell, cases, n_resamples, world)
        e = estimates[cell.planted[1]]
        ps = {name: of.family_p for name, of in estimates.items()} if e.is_primary else {cell.planted[1]: e.p}
        significant = {name for name, p in ps.items() if p is not None and p <= 0.05}
        counts["names somebody"] += bool(significant)
        counts["finds"] += cell.planted[1] in significant and (e.value or 0.0) < 0
        counts["covers"] += e.low is not None and e.high is not None and e.low <= truth <= e.high
    return {name: count / worlds for name, count in counts.items()}


def table(worlds: int, sizes: Sequence[int]) -> str:
    """The table of all cells."""
    header = (f"n = {n}: names somebody / covers; finds / covers" for n in sizes)
    lines = []
    for k, cell in enumerate(CELLS):
        parts = []
        for n in sizes:
            fair, planted = (
                calibrated(cell, n, worlds, 100 * k + n, is_planted=is_planted)
                for is_planted in (False, True)
            )
            of_fair = f"{fair['names somebody']:.3f} / {fair['covers']:.3f}"
            parts.append(f"{of_fair}; {planted['finds']:.3f} / {planted['covers']:.3f}")
        lines.append((f"`{':'.join(cell.planted)}`", cell.kind, *parts))
    return markdown(("measure", "world", *header), lines)


def main() -> None:
    parser = options(__doc__, "--docs", worlds=400)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50])
    asked = parser.parse_args()
    text = table(asked.worlds, asked.sizes)
    show(text, asked.docs, MARKERS)


if __name__ == "__main__":
    main()
