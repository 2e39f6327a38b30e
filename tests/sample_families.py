"""Results of coverage, people, sentiment and quality such as an audit returns, made up here."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from tests.held import held

from fairbrief import registry
from fairbrief.auditing import declared_words
from fairbrief.reports.frames import encodable
from fairbrief.reports.result import Result
from fairbrief.types import Estimate

SYSTEMS = ("lead", "gpt-4", "alpaca-7b")
GROUPS = ("female", "male")


def declared() -> dict[str, Any]:
    """What an audit records of the declarations of all measures."""
    return {name: declared_words(kind) for name, kind in registry.loaded("measure")}


def make(systems: Sequence[str] = SYSTEMS, groups: Sequence[str] = GROUPS, n: int = 40) -> Result:
    """Per-record statistics and estimates of every family beside representation and position."""
    estimates = [e for i, s in enumerate(systems) for e in _estimates(s, groups, i)]
    named = [*map(encodable, groups)]
    rows = [row for i, s in enumerate(systems) for row in _rows(encodable(s), named, i, n)]
    made = {
        "systems": list(systems), "records": n, "confidence_level": 0.95, "alpha": 0.05, "declared": declared(),
        "scorers": {"containment": "its card", "ngram": "its card"},
    }  # fmt: skip
    return Result(tuple(estimates), (), held(table(rows)), made=made)


def table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows with any columns, each in the order of its first row."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])


def _estimates(system: str, groups: Sequence[str], i: int) -> Iterator[Estimate]:
    def of(measure: str, quantity: str, value: float, chance: float | None = None, **more: Any) -> Estimate:
        return Estimate(
            measure, quantity, system, value, permutation_mean=chance, p=None if chance is None else 0.2,
            over=measure.partition("@")[2], low=value - 0.1, high=value + 0.1, n=40, clusters=40, **more,
        )  # fmt: skip

    yield of("equal_coverage@side", "equal_coverage", 0.3, 0.25)
    yield of("coverage_parity@side", "coverage_parity", 0.2, 0.1)
    yield of("word_list_inclusion", "word_list_inclusion", 0.1, 0.05, low_within=0.06, high_within=0.14)
    yield of("entity_inclusion@gender", "entity_inclusion", 0.4, 0.3)
    yield of("entity_hallucination@gender", "entity_hallucination", 0.1, 0.1)
    yield of("distinguishability@gender", "distinguishability", 0.5, -0.1)
    yield of("sentiment_shift", "sentiment_shift", 0.1 * i, 0.0)
    yield of("gender_agreement", "gender_agreement", 0.9)
    for name in ("rouge1", "rougeL"):
        yield of(name, name, 0.2 + 0.05 * i)
    for k, group in enumerate(groups):
        yield of("coverage_parity@side", f"difference[{group}]", 0.1 * (k - 1), 0.0)
        yield of("word_list_inclusion", f"summary_share[{group}]", 1 / len(groups))
        yield of("word_list_inclusion", f"source_share[{group}]", 1 / len(groups))
        yield of("entity_inclusion@gender", f"inclusion[{group}]", 0.2 + 0.1 * k)
        yield of("sentiment_shift", f"slope[{group}]", -0.4 - 0.1 * k)
        yield of("sentiment_shift", f"intercept[{group}]", 0.1 * k)
    for a, b in pairwise(groups):
        yield of("entity_inclusion@gender", f"log_odds[{a}/{b}]", -0.3, 0.0)


def _rows(system: str, groups: Sequence[str], i: int, n: int) -> Iterator[dict[str, Any]]:
    draw = np.random.default_rng(i)
    for r in range(n):
        place = {"system": system, "record": f"r{r}", "cluster": f"r{r}", "reason": None}
        group = groups[r % len(groups)]
        article, summary = draw.uniform(-1, 1, 2).tolist()
        levels = {"one": 1.0, "article": article, "summary": summary, "shift": summary - article}
        gap, score = float(draw.uniform(0, 0.6)), float(draw.choice([-1, 0, 0.5, 1]))
        for observation, measures, statistics in (
            ("Coverage()", "coverage_parity@side\nequal_coverage@side", {"gap": gap}),
            ("GroupedVariants()", "distinguishability@gender", {"score": score, "one": 1.0}),
            ("Sentiments()", "sentiment_shift", {f"{s}[{group}]": x for s, x in levels.items()}),
        ):
            yield {**place, "observation": observation, "measures": measures, **statistics}
