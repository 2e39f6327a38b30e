"""Do answers from saved audits hold: of ``compare``, ``gate --baseline``, ``rank`` and ``power``?

Run: python -m benchmarks.calibration.saved_audits [OUT.json] [--audits N] [--docs benchmarks/calibration/README.md]

Clusters are observed once. They are the population, from which audits draw with replacement; its values are the truth. All
systems write three random sentences, unless their names say otherwise. `rerun` repeats most summaries of `fair`. Before each
comparison, the summaries of `equal` are exchanged with those of `fair` in half of the clusters, so that the two do not differ.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.calibration.worlds import Rng, labels, random_summary, record, source
from benchmarks.recording import markdown, options, show, write_json

from fairbrief import registry
from fairbrief.auditing import differences, estimating, multiple_tests
from fairbrief.auditing.extracts import ExtractDraws
from fairbrief.auditing.ledger import Ledger, RowBlock
from fairbrief.auditing.observing import Observer, by_observation
from fairbrief.auditing.origins import WHOLE, Origin, Origins, units_of
from fairbrief.auditing.parts import Part, parts_of
from fairbrief.auditing.per_record import rows_from
from fairbrief.auditing.scorer_lookup import Scorers
from fairbrief.conclusions import leading
from fairbrief.reports.result import Result
from fairbrief.saved import gate, ranking
from fairbrief.saved.power import power
from fairbrief.saved.saved_values import Resampling
from fairbrief.statistics.label_permutations import LabelDraws
from fairbrief.types import Booleans, Case, Estimate, Floats, Integers, Measure, Summary

MARKERS = ("<!-- saved audits: begin -->", "<!-- saved audits: end -->")
MEASURES = ("uer@side", "coverage_parity@side")
SETTINGS = estimating.Settings(n_resamples=199)
SYSTEMS: Mapping[str, tuple[int, float]] = {
    "fair": (3, 0), "equal": (3, 0), "longer": (5, 0), "shorter": (1, 0), "odds 0.7": (3, 0.3), "odds 0.5": (3, 0.5),
    "odds 0.5 again": (3, 0.5), "odds 0.3": (3, 0.7),
}  # fmt: skip
"""Sentences per summary; sentences of group b are kept with odds 1 minus the second number."""
RERUN = 0.8
"""The share of records in which `rerun` repeats the summary of `fair`."""
HARM = {"rerun": 0.0, **{system: skip for system, (_, skip) in SYSTEMS.items()}}
Make = Callable[[Rng, int], list[Case]]


def clusters(shares: Sequence[float], *, tails: bool = False, copies: bool = False) -> Make:
    """Records whose words tell the group. ``tails``: very unequal numbers of documents and sentences. ``copies``: 1 to 30 records per
    cluster, of the same documents.
    """

    def make(rng: Rng, number: int) -> list[Case]:
        many = int(np.clip(3 + rng.geometric(0.2), 4, 16)) if tails else 6
        of = labels(rng, many, shares)
        texts = source(rng, of, 0.9, np.clip(rng.geometric(0.35, many), 1, 8).tolist() if tails else None)
        size = int(np.clip(np.round(rng.pareto(1.2) + 1), 1, 30)) if copies else 1
        records = [record(f"r{number}-{i}", texts, of, seed_document=f"r{number}") for i in range(size)]
        cases = []
        for system, (picked, skip) in SYSTEMS.items():
            known = ""
            for held in records:
                if not known or rng.random() > 0.8:  # most summaries of one cluster are equal
                    known = random_summary(rng, texts, of, picked, skip)
                cases.append(Case(held, Summary(held.id, system, known)))
                if system == "fair":
                    again = known if rng.random() < RERUN else random_summary(rng, texts, of, picked)
                    cases.append(Case(held, Summary(held.id, "rerun", again)))
        return cases

    return make


WORLDS = {
    "two groups, 80/20": clusters((0.8, 0.2)),
    "three groups, 60/28/12, heavy tails": clusters((0.6, 0.28, 0.12), tails=True),
    "group b in one of nine records": clusters((0.49, 0.02, 0.49)),
    "clusters of 1 to 30 records": clusters((0.8, 0.2), copies=True),
}
COMPARED = ("two groups, 80/20", "group b in one of nine records", "clusters of 1 to 30 records")
DATA_SETS = ("two groups, 80/20", "three groups, 60/28/12, heavy tails", "group b in one of nine records")
"""Of orders."""


class Population:
    """The rows of all systems, summed by cluster, of each observation."""

    def __init__(self, make: Make, many: int, seed: int = 0) -> None:
        rng = np.random.default_rng([seed, many])
        cases = [case for number in range(many) for case in make(rng, number)]
        self.many = many
        self.measures = by_observation([registry.make("measure", spec) for spec in MEASURES])
        self.sums: list[tuple[tuple[Any, ...], dict[str, Floats]]] = []
        for observation in self.measures:
            units = [(unit, _origin(unit[0])) for unit in units_of(cases, observation.declaration.scope)]
            ledger = Ledger(observation, 0)
            Observer(Scorers(), LabelDraws(0, seed), skips=True, extracts=ExtractDraws(100, seed)).observe(
                ledger, units
            )
            sums = {}
            for (system, _), part in parts_of(ledger, ()).items():
                sums[system] = np.zeros((many, len(ledger.columns)))
                sums[system][
                    [int(name.removeprefix("r")) for name in part.clusters.of(np.arange(len(part.clusters)))]
                ] = part.sums
            self.sums.append((tuple(ledger.columns), sums))

    def audit(self, chosen: Integers, systems: Sequence[str], exchanged: Booleans | None = None) -> Audit:
        """An audit of these clusters. ``exchanged``: in which the first two systems exchange their summaries."""
        made: Audit = []
        origins = [Origin(system, f"{i}", f"{i}") for system in systems for i in range(len(chosen))]
        for (columns, sums), measures in zip(self.sums, self.measures.values(), strict=True):
            rows = [sums[system][chosen] for system in systems]
            if exchanged is not None:
                is_moved = exchanged[:, np.newaxis]
                rows[:2] = np.where(is_moved, rows[1], rows[0]), np.where(is_moved, rows[0], rows[1])
            together = np.concatenate(rows)
            ledger = Ledger(measures[0].observation, 0)
            block = RowBlock(np.arange(len(together)), columns, together[:, np.newaxis], None)
            ledger.write(Origins.by_column(origins), [[block]], {})
            made.append(
                (
                    measures,
                    ledger,
                    {key[0]: part for key, part in parts_of(ledger, ()).items() if key[1] == WHOLE},
                )
            )
        return made

    def whole(self, *systems: str) -> Audit:
        return self.audit(np.arange(self.many), systems)


Audit = list[tuple[Sequence[Measure], Ledger, dict[str, Part]]]
"""Per observation its measures, the rows, and those of each system."""


def _origin(case: Case) -> Origin:
    return Origin(case.summary.system, case.record.id, case.record.cluster, is_shared=True)


def changes(audit: Audit, one: str, other: str) -> list[differences.Change]:
    """How ``compare`` and the gate see two systems."""
    return [
        c
        for measures, _, parts in audit
        for c in differences.changes(measures, parts[one], parts[other], SETTINGS)
    ]


def compared(seen: Iterable[differences.Change]) -> list[Estimate]:
    """The primary differences with p of their family, as ``compare`` prints them; without label permutations, which can only make p
    larger.
    """
    found = [change.difference for change in seen if change.is_contrast]
    return leading(multiple_tests.with_families(multiple_tests.with_holm(found, SETTINGS), SETTINGS))


def estimates(audit: Audit, system: str) -> list[Estimate]:
    """The primary group differences of a system."""
    found = [
        es
        for measures, _, parts in audit
        for _, es in estimating.estimates(measures, [parts[system]], SETTINGS)
    ]
    return leading(e for es in found for e in es)


def share(which: Iterable[bool]) -> float:
    return round(float(np.mean(list(which))), 3)


# ------------------------------------------------------------------------------- compare and gate

MARGINS = (0.02, 0.1, 0.2)
CANDIDATES = ("equal", "rerun", "longer", "odds 0.5", "odds 0.3")


def comparisons(people: Population, *, n: int, audits: int, rng: Rng) -> dict[str, Any]:
    """By candidate, compared with `fair`: a significant difference, coverage of 95 % intervals, and what the gate says at each margin; the
    last one is 1.5 times the smallest difference that an audit of `fair` detects.
    """
    found = {}
    detectable = max(e.detectable or 0.0 for e in estimates(people.whole("fair"), "fair"))
    margins = [*MARGINS, round(1.5 * detectable * (people.many / n) ** 0.5, 3)]
    for candidate in CANDIDATES:
        pair = (candidate, "fair")
        truth = {
            (e.measure, e.quantity): e.extract_difference
            for e in compared(changes(people.whole(*pair), *pair))
        }
        alarms, covers, outcomes = [], [], Counter[tuple[float, str]]()
        for _ in range(audits):
            exchanged = rng.random(n) < 0.5 if candidate in ("equal", "rerun") else None
            audit = people.audit(rng.integers(0, people.many, n), pair, exchanged)
            seen = changes(audit, *pair)
            own = compared(seen)
            alarms.append(any(e.family_p is not None and e.family_p <= 0.05 for e in own))
            for e in own:
                true = 0.0 if exchanged is not None else truth[e.measure, e.quantity]
                low, high = e.extract_difference_low, e.extract_difference_high
                if low is not None and high is not None and true is not None:
                    covers.append(low <= true <= high)
            outcomes.update((m, gate.overall(gate.decided(gate.of_margin(seen, m)))) for m in margins)
        found[candidate] = {
            "truth": max(abs(v or 0.0) for v in truth.values()), "significant": share(alarms), "covers": share(covers),
            "gate": {m: {o: round(outcomes[m, o] / audits, 3) for o in ("pass", "fail")} for m in margins},
        }  # fmt: skip
    return found


# ------------------------------------------------------------------------------------------- rank

RANKED = {
    "three equal systems": ("fair", "equal", "rerun"),
    "the same, and one with longer and one with shorter summaries": (
        "fair",
        "equal",
        "rerun",
        "longer",
        "shorter",
    ),
    "one fairer than two": ("fair", "odds 0.5", "odds 0.5 again"),
    "one fairer than two, with shorter summaries": ("shorter", "odds 0.7", "odds 0.5"),
    "one fairer than four": ("fair", "odds 0.7", "odds 0.5", "odds 0.5 again", "odds 0.3"),
}


def ranks(*datasets: Population, systems: Sequence[str], n: int, audits: int, rng: Rng) -> dict[str, Any]:
    """Over three data sets: who is first and last, whether intervals without overlap order two systems wrongly, and coverage."""
    first, last, wrong, right, covers = Counter[str](), Counter[str](), [], [], []
    truth = _ranked([d.whole(*systems) for d in datasets], systems, 0)
    for _ in range(audits):
        drawn = [d.audit(rng.integers(0, d.many, n), systems) for d in datasets]
        for own, true in zip(_ranked(drawn, systems, 300), truth, strict=True):
            values, low, high = (
                np.array([getattr(i, of) for i in own.overall], dtype=float)
                for of in ("value", "low", "high")
            )
            harm = np.array([HARM[system] for system in own.systems])
            first[own.systems[values.argmin()]] += 1
            last[own.systems[values.argmax()]] += 1
            is_apart = high[:, np.newaxis] < low  # the intervals of two systems do not overlap
            wrong.append(bool((is_apart & (harm[:, np.newaxis] >= harm)).any()))
            right.append(bool((is_apart & (harm[:, np.newaxis] < harm)).any()))
            real = np.array([i.value for i in true.overall], dtype=float)
            covers += ((low <= real + 1e-9) & (real <= high + 1e-9)).tolist()
    of = sum(first.values())
    return {
        "first": {s: round(first[s] / of, 3) for s in systems}, "last": {s: round(last[s] / of, 3) for s in systems},
        "ordered wrongly": share(wrong), "ordered rightly": share(right), "covers": share(covers),
    }  # fmt: skip


def _ranked(audits: Sequence[Audit], systems: Sequence[str], resamples: int) -> list[ranking.Overall]:
    resampling = Resampling(n_resamples=resamples)
    found = []
    for place, (measures, _, _) in enumerate(audits[0]):
        for measure in measures:
            rows = {f"data set {k}": (audit[place][1], measure) for k, audit in enumerate(audits)}
            found += ranking._overalls(repr(measure), rows, systems, resampling, published=False)
    return found


# ------------------------------------------------------------------------------------------ power


MOST = 5000
"""A forecast of more records is tried with so many."""


def forecasts(people: Population, *, system: str, n: int, audits: int, rng: Rng) -> dict[str, Any]:
    """Of pilots with n clusters: how many records ``power`` asks for to find the true difference, and how often so many find it."""
    found = {}
    for true in (e for e in estimates(people.whole(system), system) if e.group == "b"):
        needs, seen = [], []
        asked_for = (true.measure, true.quantity)
        for _ in range(audits):
            pilot = estimates(people.audit(rng.integers(0, people.many, n), [system]), system)
            if not any((e.measure, e.quantity) == asked_for and e.extract_se for e in pilot):
                continue
            told = power(
                Result(tuple(pilot), (), rows_from((), {})),
                disparity=abs(true.extract_difference or 0.0), measures=true.measure, quantities=true.quantity,
            )  # fmt: skip
            asked = next(p.needs or 0 for p in told if p.against == "random sentences")
            needs.append(asked)
            second = estimates(people.audit(rng.integers(0, people.many, min(asked, MOST)), [system]), system)
            ps = [e.extract_p for e in second if (e.measure, e.quantity) == asked_for]
            seen.append(any(p is not None and p <= 0.05 for p in ps))
        low, median, high = np.quantile(needs, (0.1, 0.5, 0.9)).tolist()
        found[true.measure] = {
            "difference": true.extract_difference, "told": len(needs) / audits, "needs": [low, median, high], "found": share(seen),
        }  # fmt: skip
    return found


# ------------------------------------------------------------------------------------------ output


def cells() -> Iterator[tuple[str, Sequence[str], Callable[..., dict[str, Any]]]]:
    """Every cell: its name, its inputs, and how it is simulated."""
    for world, n in (*product(COMPARED, (20, 50, 200)), (COMPARED[0], 800)):
        yield f"compare | {world} | {n}", [world], partial(comparisons, n=n)
    for world, (system, n) in product(COMPARED, (("odds 0.5", 20), ("odds 0.5", 50), ("odds 0.3", 20))):
        yield f"power | {world} | {system}, {n}", [world], partial(forecasts, system=system, n=n)
    for name, n in product(RANKED, (50, 200)):
        yield f"rank | {name} | {n}", DATA_SETS, partial(ranks, systems=RANKED[name], n=n)


def _percent(number: float) -> str:
    return f"{100 * number:.0f}"


def table(found: Mapping[str, Any]) -> str:
    """Markdown: differences of two audits and gates, orders, forecasts."""
    of_pairs, of_orders, of_forecasts = [], [], []
    for name, row in found["cells"].items():
        kind, what, how = name.split(" | ")
        if kind == "compare":
            for candidate, own in row.items():
                outcomes = [f"{_percent(o['pass'])} / {_percent(o['fail'])}" for o in own["gate"].values()]
                widest = f"{float(list(own['gate'])[-1]):.2f}: {outcomes[-1]}"
                of_pairs.append(
                    (
                        what,
                        how,
                        candidate,
                        _percent(own["significant"]),
                        _percent(own["covers"]),
                        *outcomes[:-1],
                        widest,
                    )
                )
        elif kind == "rank":
            orders = (", ".join(f"{s} {_percent(p)}" for s, p in row[of].items()) for of in ("first", "last"))
            shares = (_percent(row[of]) for of in ("ordered wrongly", "ordered rightly", "covers"))
            of_orders.append((what, how, *orders, *shares))
        else:
            for measure, own in row.items():
                needs = " / ".join(f"{n:.0f}" for n in own["needs"])
                of_forecasts.append(
                    (
                        what,
                        how,
                        f"`{measure}`",
                        f"{own['difference']:.3f}",
                        _percent(own["told"]),
                        needs,
                        _percent(own["found"]),
                    )
                )
    gates = [f"margin {m}" for m in MARGINS]
    return "\n\n".join([
        markdown(("input", "clusters", "candidate", "significant", "covers", *gates, "1.5 × detectable"), of_pairs, range(3, 9)),
        markdown(("systems", "clusters of each data set", "first", "last", "ordered wrongly", "rightly", "covers"), of_orders),
        markdown(("input", "pilot", "measure", "difference", "has a forecast", "needs", "found"), of_forecasts),
    ])  # fmt: skip


def main() -> None:
    parser = options(__doc__, "out?", audits=300, clusters=1000, only="")
    parser.add_argument("--docs", type=Path)
    asked = parser.parse_args()
    is_known = asked.out is not None and asked.out.exists()
    found = (
        json.loads(asked.out.read_text(encoding="utf-8"))
        if is_known
        else {"audits": asked.audits, "cells": {}}
    )
    population = cache(lambda world: Population(WORLDS[world], asked.clusters))
    for name, inputs, simulated in cells() if asked.audits else ():
        if asked.only in name and name not in found["cells"]:
            rng = np.random.default_rng([1, *name.encode()])
            found["cells"][name] = simulated(*map(population, inputs), audits=asked.audits, rng=rng)
            write_json(found, asked.out)
    show(table(found), asked.docs, MARKERS)


if __name__ == "__main__":
    main()
