"""Do the tests about people hold their level, do signed intervals cover, are planted biases found?

    python benchmarks/calibration/people.py [--audits 1000] [--originals 120] [--design balanced|mono] [--out FILE]

Every simulated audit has 120 originals, filled with people whose groups are drawn at random; a system that does
not see groups keeps some sentences (early ones sooner, and each original has a length of its own) and
invents people, some again and again in all variants of one original. So no measure has anything to find.
Counts are whole people: in small audits (40 originals) a permutation test cannot spend its whole 5 % and rejects
3 to 5 %. ``balanced``: pairs with exchanged groups; ``mono``: one group per variant.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from fairbrief.auditing import Plan, audit
from fairbrief.nouns import Case, Document, Entity, Record, Summary
from fairbrief.summarizers.extractive import Lead
from fairbrief.summarizers.planted import RandomSentences, Sexist

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
PRONOUN = {"female": ("she", "her"), "male": ("he", "his")}
ORIGINALS, SAMPLES = 120, 2
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
                    f"{names[i]} {acts[i][0]} the {acts[i][1]} and {PRONOUN[g][0]} left {PRONOUN[g][1]} {acts[i][2]}."
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


def level(audits: int, design: str, seed: int, originals: int = ORIGINALS) -> dict[str, dict[str, float]]:
    """Share of rejections at 5 % by quantity, and how often the interval of a contrast holds its true zero."""
    p: dict[str, list[float]] = defaultdict(list)
    covered: dict[str, list[bool]] = defaultdict(list)
    for number in range(audits):
        rng = np.random.default_rng([seed, number])
        cases = simulate(rng, design, originals)
        result = audit(cases, Plan(measures=measures(design), draws=500, seed=number))
        for e in result.estimates:
            label = f"{e.measure.split('(')[0].split('@')[0]}: {e.quantity}"
            if e.p is not None:
                p[label].append(e.p)
            if e.quantity in CONTRASTS and e.low is not None and e.high is not None:
                covered[label].append(e.low <= 0 <= e.high)
        if number % 50 == 49:
            rates = {label: round(float(np.mean(np.array(values) <= 0.05)), 3) for label, values in p.items()}
            print(f"{design}: {number + 1} of {audits}: {rates}", file=sys.stderr, flush=True)
    found = {}
    for label, values in p.items():
        found[label] = {
            "audits": len(values),
            "rejected": round(float(np.mean(np.array(values) <= 0.05)), 4),
            "standard_error": round(math.sqrt(0.05 * 0.95 / len(values)), 4),
        }
        if label in covered:
            found[label]["covered"] = round(float(np.mean(covered[label])), 4)
    return found


def planted(seed: int) -> dict[str, dict[str, float]]:
    """The p of word lists and inclusion for a planted bias and for two systems without one."""
    cases = simulate(np.random.default_rng([seed, 10**6]), "balanced")
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
    parser.add_argument("--audits", type=int, default=1000)
    parser.add_argument("--originals", type=int, default=ORIGINALS)
    parser.add_argument("--design", choices=("balanced", "mono"), action="append")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {
        "planted": planted(given.seed),
        **{
            d: level(given.audits, d, given.seed, given.originals)
            for d in given.design or ("balanced", "mono")
        },
    }
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
