"""Do `theme_words` and `attribute_mentions` keep their promises? Size, coverage and power of their primary estimates.

Run: python -m benchmarks.calibration.people_words [OUT.json] [--audits N] [--docs PAGE]

The clusters of a world are observed once; an audit draws some of them, as in ``whole_audits``. Of the first system, which
never sees who a person is, the table has the share of comparisons with p ≤ 0.05 (against random sentences, and against
label permutations), of audits in which any group is named, and of 95 % intervals that contain the value of the whole
bank. Of the second, which neglects one group, it has the share of audits that name this group first, in the right
direction, and the coverage of the planted comparison's interval.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from benchmarks.calibration.whole_audits import Banks, _observed
from benchmarks.calibration.worlds import Rng
from benchmarks.recording import markdown, options, show, write_json

from fairbrief.auditing import declared_words
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.conclusions import NAMED
from fairbrief.measures.attribute_mentions import AttributeMentions
from fairbrief.measures.theme_words import ThemeWords
from fairbrief.reports.result import Result
from fairbrief.reports.wording import Context
from fairbrief.types import Case, Document, Estimate, Measure, Record, Summary

MARKERS = ("<!-- calibration of people's words: begin -->", "<!-- calibration of people's words: end -->")
FAIR, UNFAIR = "fair", "unfair"
NEEDS = ("needs help", "requires support at night", "depends on a carer", "cannot manage alone")
PLAIN = ("likes the radio", "arrived on Monday", "reads the paper", "phoned the office", "has a brother")
RARE = ("looked pale", "was untidy")
ILL = ("has pain in the knee", "had a fall", "takes tablets", "has a wound")
TOWNS = "Leeds Hull Bristol Cardiff Glasgow Norwich Dublin Paris Madrid Naples Lagos Delhi".split()


@dataclass(frozen=True)
class World:
    """Clusters of cases of both systems, and what the unfair one does: group differences that it lowers begin with ``planted``."""

    name: str
    make: Callable[[Rng, int], list[Case]]
    measure: Measure
    planted: str
    sizes: tuple[int, ...] = (10, 20, 50)


def themes(rng: Rng, number: int, draws: int, odds: float, needs: float) -> list[Case]:
    """A care note for a woman and for a man, ``draws`` times; the unfair system keeps a need of the woman with these odds.

    Notes differ in their numbers of needs and complaints, so counts are overdispersed; words of appearance are rare.
    """
    share = rng.beta(6 * needs, 6 * (1 - needs))
    lists = (NEEDS, ILL, RARE, PLAIN)
    odds_of = np.array((share, 0.3 * (1 - share), 0.05, 0.65 * (1 - share)))
    kinds = rng.choice(4, size=14, p=odds_of / odds_of.sum())
    parts = [str(rng.choice(lists[kind])) for kind in kinds]
    cases = []
    for draw in range(draws):
        for group, pronoun in (("female", "She"), ("male", "He")):
            record = Record(
                f"r{number}.{draw}.{group}", (Document(" ".join(f"{pronoun} {part}." for part in parts)),),
                attributes={"group": group, "sample": str(draw)}, seed_document=f"o{number}",
            )  # fmt: skip
            for system in (FAIR, UNFAIR):
                neglects = system == UNFAIR and group == "female"
                weights = np.where((kinds == 0) & neglects, odds, 1.0)
                kept = np.sort(
                    rng.choice(14, size=int(rng.integers(3, 7)), replace=False, p=weights / weights.sum())
                )
                text = " ".join(f"{pronoun} {parts[i]}." for i in kept)
                cases.append(Case(record, Summary(record.id, system, text)))
    return cases


def attributes(rng: Rng, number: int, odds: float, *, is_paired: bool, old: float = 0.5) -> list[Case]:
    """A note with an age, a sex and towns; the unfair system keeps the age of the old with these odds.

    Notes name none to four towns. Unless ``is_paired``, a note is about an old person or a young one, an old one with
    probability ``old``.
    """
    towns = [str(t) for t in rng.choice(TOWNS, size=int(rng.integers(0, 5)), replace=False)]
    plain = [str(rng.choice(PLAIN)) for _ in range(7)]
    cases = []
    groups = ("old", "young") if is_paired else ("old" if rng.random() < old else "young",)
    for group in groups:
        years = 81 if group == "old" else 34
        parts = [
            f"The client is {years} years old.", *(f"A visit took place in {t}." for t in towns),
            *(f"The client {part}." for part in plain), "The woman asked for a call.",
        ]  # fmt: skip
        record = Record(
            f"r{number}.{group}", (Document(" ".join(parts)),), attributes={"group": group},
            seed_document=f"o{number}" if is_paired else None,
        )  # fmt: skip
        for system in (FAIR, UNFAIR):
            weights = np.ones(len(parts))
            weights[0] = odds if system == UNFAIR and group == "old" else 1.0
            kept = np.sort(rng.choice(len(parts), size=5, replace=False, p=weights / weights.sum()))
            cases.append(Case(record, Summary(record.id, system, " ".join(parts[i] for i in kept))))
    return cases


def worlds(odds: float = 0.15) -> list[World]:
    """Several draws or one, many needs or few, pairs or separate records, equal groups or not."""
    words, mentions = ThemeWords("group", least=20), AttributeMentions("group")
    needs, ages = "difference[needs", "kept[age"
    return [
        World("themes, one draw", lambda r, i: themes(r, i, 1, odds, 0.35), words, needs),
        World("themes, three draws", lambda r, i: themes(r, i, 3, odds, 0.35), words, needs),
        World("themes, rare needs", lambda r, i: themes(r, i, 1, odds, 0.1), words, needs),
        World("mentions, pairs", lambda r, i: attributes(r, i, odds, is_paired=True), mentions, ages),
        World("mentions, separate", lambda r, i: attributes(r, i, odds, is_paired=False), mentions, ages, (20, 40, 100)),
        World(
            "mentions, 20 % old", lambda r, i: attributes(r, i, odds, is_paired=False, old=0.2), mentions, ages, (40, 100)
        ),
    ]  # fmt: skip


@lru_cache(maxsize=1)
def _banks_of(world: World, bank: int, seed: int) -> Banks:
    rng, measure = np.random.default_rng(seed), world.measure
    cases = [case for i in range(bank) for case in world.make(rng, i)]
    observed = {measure.observation: _observed(measure.observation, cases, Scorers())}
    return Banks(observed, [measure], {"declared": {measure.name: declared_words(measure)}, "alpha": 0.05})


def calibrate(world: World, size: int, audits: int, bank: int = 400, seed: int = 1) -> dict[str, float | str]:
    """The row of one world and number of clusters."""
    banks, rng = _banks_of(world, bank, seed), np.random.default_rng(seed)
    whole = _primary(banks.audits(np.zeros(bank, dtype=np.int64), (FAIR, UNFAIR), ("group",))[0])
    truth = {key: e.value for key, e in whole.items()}
    results: list[Result] = []
    while len(results) < audits:
        at_once = min(bank // size, audits - len(results))
        audit = np.full(bank, -1)
        audit[rng.permutation(bank)[: at_once * size]] = np.repeat(np.arange(at_once), size)
        results += banks.audits(audit, (FAIR, UNFAIR), ("group",))
    return {"world": world.name, "clusters": size, "audits": audits, **_shares(world, results, truth)}


def _primary(result: Result) -> dict[tuple[str, str], Estimate]:
    return {(e.system, e.quantity): e for e in result.estimates if e.is_primary}


def _shares(
    world: World, results: list[Result], truth: dict[tuple[str, str], float | None]
) -> dict[str, float]:
    tests: dict[str, list[bool]] = {name: [] for name in ("random", "labels", "covered", "covered planted")}
    named, first = [], []
    for result in results:
        estimates = _primary(result)
        for (system, quantity), e in estimates.items():
            inside = None
            if e.low is not None and e.high is not None and truth[system, quantity] is not None:
                inside = e.low <= truth[system, quantity] <= e.high  # type: ignore[operator]
            if system == FAIR:
                tests["random"] += [] if e.extract_p is None else [e.extract_p <= 0.05]
                tests["labels"] += [] if e.value is None or e.p is None else [e.p <= 0.05]
                tests["covered"] += [] if inside is None else [inside]
            elif quantity.startswith(world.planted):
                tests["covered planted"] += [] if inside is None else [inside]
        context = Context(result)
        panels = context.clearest_first(context.leading())
        significant = [e for e in sorted(panels[0], key=context.rank) if context.kind(e) in NAMED]
        named.append(any(e.system == FAIR for e in significant))
        top = ((e.system == UNFAIR, e.quantity, e.value or 0) for e in significant[:1])
        first.append(
            any(unfair and name.startswith(world.planted) and value < 0 for unfair, name, value in top)
        )
    tests |= {"fair named": named, "planted first": first}
    return {name: round(float(np.mean(found)), 3) if found else np.nan for name, found in tests.items()}


COLUMNS = ("random", "labels", "fair named", "covered", "covered planted", "planted first")


def table(rows: list[dict[str, float | str]]) -> str:
    """The rows as Markdown."""
    head = (
        "world", "clusters", "p ≤ .05, random", "p ≤ .05, labels", "fair system named", "coverage, fair",
        "coverage, planted", "planted named first",
    )  # fmt: skip
    return markdown(
        head, [(row["world"], row["clusters"], *(f"{row[c]:.3f}" for c in COLUMNS)) for row in rows]
    )


def main() -> None:
    asked = options(__doc__, "--docs", "out?", audits=600).parse_args()
    if asked.audits:
        rows = [calibrate(world, size, asked.audits) for world in worlds() for size in world.sizes]
        write_json(rows, asked.out)
    else:
        rows = json.loads(asked.out.read_text(encoding="utf-8"))
    show(table(rows), asked.docs, MARKERS)


if __name__ == "__main__":
    main()
