"""Do the tests about people hold their level, do signed intervals cover, are planted biases found?

    python -m benchmarks.calibration.people [--audits 2000] [--originals 300] [--design balanced|mono] [--out FILE]

A bank of originals is written once: filled with people whose groups are drawn at random, some words of gender
that no variant changes, and a system that does not see groups: it keeps some sentences (early ones sooner, and
each original has a length of its own) and invents people, some again and again in all variants of one original.
The bank is observed once, by the measures' own observations, under every labelling that "no disparity" allows.

Every simulated audit draws originals from the bank, and for each a labelling that is to be the real one: so
nothing is there to be found. Rows go into the audit's own ledger and its own estimation; no text is read again,
which is what lets thousands of audits run in minutes. ``balanced``: pairs with exchanged groups; ``mono``: one
group per variant.

Counts are whole people: in small audits (40 originals) a permutation test cannot spend its whole 5 % and rejects
3 to 5 %; with 300 it can.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from benchmarks.recording import write_down

from fairbrief import registry
from fairbrief.auditing import Plan, audit, estimating
from fairbrief.auditing.ledger import WHOLE, Ledger, Origin
from fairbrief.auditing.parts import parts_of
from fairbrief.statistics.labellings import enumerate_labellings
from fairbrief.summarizers.extractive import Lead
from fairbrief.summarizers.planted_systems import RandomSentences, Sexist
from fairbrief.types import Case, Document, Entity, Estimate, Measure, Reason, Record, Rows, Summary

FEMALE = "Mary Patricia Linda Barbara Elizabeth Jennifer Maria Susan Margaret Dorothy Lisa Nancy Karen Betty".split()
MALE = (
    "James Robert Michael William David Richard Charles Joseph Thomas Daniel Paul Mark Donald George".split()
)
LAST = (
    "Miller Davis Wilson Moore Anderson Jackson Harris Thompson Garcia Clark Walker Young Wright Hill".split()
)
ABSENT = "Fairbanks Underwood Castellano Whitmore Abernathy Pemberton".split()
VERBS = "praised criticised visited rejected opened sold bought repaired painted measured".split()
THINGS = "bridge budget garden factory treaty school harbour museum theatre orchard station mill".split()
FIXED = "mother father queen king daughters sons".split()
"""Words of gender that no variant changes."""
PRONOUN = {"female": ("she", "her"), "male": ("he", "his")}
ORIGINALS, SAMPLES, BANK, DRAWS = 300, 2, 1500, 500
CONTRASTS = ("shift[female]", "log_odds[female/male]")


def simulate(
    rng: np.random.Generator, design: str, originals: int = ORIGINALS, samples: int = SAMPLES
) -> list[Case]:
    """The cases of one audit in which groups are exchangeable."""
    cases = []
    for original in range(originals):
        size = int(rng.integers(3, 6))
        last = rng.permutation(LAST)[:size]
        acts = [(rng.choice(VERBS), *rng.choice(THINGS, 2, replace=False)) for _ in range(size)]
        beside = [f" with the {rng.choice(FIXED)}" if rng.random() < 0.3 else "" for _ in range(size)]
        frank = rng.normal(0, 0.8)
        idol = (rng.choice(["female", "male"]), rng.choice(ABSENT))
        for sample in range(samples):
            half = np.arange(size) < size // 2
            groups = np.where(rng.permutation(half), "female", "male")
            flipped = np.where(groups == "female", "male", "female")
            fills = (
                [groups, flipped] if design == "balanced" else [np.full(size, g) for g in ("female", "male")]
            )
            first = {"female": rng.permutation(FEMALE), "male": rng.permutation(MALE)}
            for member, fill in enumerate(fills):
                names = [f"{first[g][i]} {last[i]}" for i, g in enumerate(fill)]
                sentences = [
                    f"{names[i]} {acts[i][0]} the {acts[i][1]} and {PRONOUN[g][0]} left {PRONOUN[g][1]} {acts[i][2]}{beside[i]}."
                    for i, g in enumerate(fill)
                ]
                keep = [
                    s for i, s in enumerate(sentences) if rng.random() < 1 / (1 + math.exp(i - 1.5 - frank))
                ]
                if rng.random() < 0.4:
                    gender, surname = (
                        idol if rng.random() < 0.5 else (rng.choice(["female", "male"]), rng.choice(ABSENT))
                    )
                    keep.append(
                        f"The report was written by {rng.choice(FEMALE if gender == 'female' else MALE)} {surname}."
                    )
                attributes = {"sample": str(sample)} | ({"gender": fill[0]} if design == "mono" else {})
                record = Record(
                    f"{original}-{sample}-{member}",
                    (Document(" ".join(sentences)),),
                    entities=tuple(
                        Entity(str(i), *names[i].split(), {"gender": str(g)}) for i, g in enumerate(fill)
                    ),
                    attributes=attributes,
                    original=str(original),
                )
                text = " ".join(keep)
                cases.append(Case(record, Summary(record.id, "blind", text, reason="" if text else "empty")))
    return cases


def measures(design: str) -> tuple[str, ...]:
    """What is tested: distinguishability needs one group per variant."""
    shared = ("word_list_inclusion", "entity_inclusion@gender", "entity_hallucination@gender")
    return (*shared, "distinguishability@gender") if design == "mono" else shared


@dataclass(frozen=True)
class Kept:
    """One unit of the bank: where it comes from, and its rows under every labelling."""

    origin: Origin
    rows: Rows


Bank = dict[str, list[Kept]]
"""The units of each original."""


def observed(measure: Measure, cases: Sequence[Case]) -> Bank:
    """The bank of one measure: every unit observed once, under all of its labellings."""
    observation = measure.observation
    units: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        block = case.record.attributes["sample"] if observation.declaration.scope == "block" else ""
        units[case.record.cluster, block].append(case)
    bank: Bank = defaultdict(list)
    for (original, block), unit in units.items():
        answered = [case for case in unit if not case.summary.reason]
        exchange = observation.permutation_scheme(answered) if answered else None
        if exchange is None:
            continue
        asks = observation.asks(answered)
        scores = [next(iter(registry.make("scorer", ask.scorer).answer([ask]))) for ask in asks]
        rows = observation.observe(answered, scores, enumerate_labellings(exchange.labels, exchange.blocks))
        if not isinstance(rows, Reason):
            bank[original].append(Kept(Origin("blind", f"{original}-{block}", original, (), block), rows))
    return bank


def simulated(measure: Measure, bank: Bank, originals: int, rng: np.random.Generator) -> list[Estimate]:
    """The estimates of one audit of originals drawn from the bank, each with a random labelling as the real one."""
    ledger = Ledger(measure.observation, DRAWS)
    together = ledger.is_exchanged_by_cluster
    for i, original in enumerate(rng.choice(list(bank), originals, replace=False)):
        shared = rng.random(DRAWS + 1) if together else None
        for kept in bank[original]:
            labellings = len(kept.rows.values)
            picks = rng.random(DRAWS + 1) if shared is None else shared
            real, *choice = (picks * labellings).astype(np.int64)
            # The real row goes first, as the ledger wants it; the draws still take each labelling alike.
            order = np.roll(np.arange(labellings), -real)
            origin = replace(kept.origin, cluster=str(i))
            ledger.add(origin, Rows(kept.rows.columns, kept.rows.values[order]), np.array(choice))
    settings = estimating.Settings(DRAWS, int(rng.integers(2**31)), 0.95, 0.05, "")
    parts = parts_of(ledger, [])
    return estimating.estimate([measure], parts["blind", WHOLE], settings)


def confidence_level(
    audits: int, design: str, seed: int, originals: int = ORIGINALS
) -> dict[str, dict[str, float]]:
    """Share of rejections at 5 % by quantity, and how often the interval of a contrast holds its true zero."""
    cases = simulate(np.random.default_rng([seed, len(design)]), design, max(BANK, 2 * originals))
    found = {}
    for spec in measures(design):
        measure: Measure = registry.make("measure", spec)
        bank = observed(measure, cases)
        p: dict[str, list[float]] = defaultdict(list)
        covered: dict[str, list[bool]] = defaultdict(list)
        for number in range(audits):
            for e in simulated(measure, bank, originals, np.random.default_rng([seed, number])):
                if e.p is not None:
                    p[e.quantity].append(e.p)
                if e.quantity in CONTRASTS and e.low is not None and e.high is not None:
                    covered[e.quantity].append(e.low <= 0 <= e.high)
        for quantity, values in p.items():
            told: dict[str, float] = {
                "audits": len(values),
                "rejected": round(float(np.mean(np.array(values) <= 0.05)), 4),
                "standard_error": round(math.sqrt(0.05 * 0.95 / len(values)), 4),
            }
            if quantity in covered:
                told["covered"] = round(float(np.mean(covered[quantity])), 4)
            found[f"{measure.name}: {quantity}"] = told
            print(f"{design}: {measure.name}: {quantity}: {told}", file=sys.stderr, flush=True)
    return found


def planted(seed: int) -> dict[str, dict[str, float]]:
    """The p of word lists and inclusion for a planted bias and for two systems without one."""
    cases = simulate(np.random.default_rng([seed, 10**6]), "balanced", 120)
    records = [case.record for case in cases]
    found: dict[str, dict[str, float]] = {}
    for system in (Sexist(sentences=1, prefers="male"), RandomSentences(sentences=1), Lead(sentences=1)):
        made = [Case(r, s) for r, s in zip(records, system.summarize(records), strict=True)]
        result = audit(made, Plan(measures=("word_list_inclusion", "entity_inclusion@gender"), seed=seed))
        found[repr(system)] = {
            f"{e.quantity} {key}": round(float(value), 4)
            for e in result.estimates
            if e.quantity in ("word_list_inclusion", "entity_inclusion", *CONTRASTS)
            for key, value in (("value", e.value), ("p", e.p))
            if value is not None
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--audits", type=int, default=2000)
    parser.add_argument("--originals", type=int, default=ORIGINALS)
    parser.add_argument("--design", choices=("balanced", "mono"), action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {
        "planted": planted(given.seed),
        **{
            d: confidence_level(given.audits, d, given.seed, given.originals)
            for d in given.design or ("balanced", "mono")
        },
    }
    write_down(__file__, found, seed=0, out=given.out)


if __name__ == "__main__":
    main()
