"""How far annotators agree with each other, and how often a measure agrees with them.

Intervals are percentile bootstrap over records (with all their questions and answers). α and κ need
answers of two annotators to one question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairbrief.statistics import krippendorff_alpha, pearson, percentile_interval, randolph_kappa, spearman
from fairbrief.types import Floats, Integers
from fairbrief.workbench.corpora.annotation.answers import Answer
from fairbrief.workbench.corpora.annotation.items import FAIR_RATING, Item

DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient with its interval; None where it is undefined, with the reason in ``note``."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    chance: float | None = None
    note: str = ""


def agreement(
    answers: Sequence[Answer], items: Mapping[tuple[str, str, str, str], Item], seed: int = 0
) -> list[Agreement]:
    """Krippendorff's α and Randolph's κ of each task that was answered.

    ``units``: of the yes or no to each value of each unit (2 categories). ``rating``: α is ordinal, κ of the
    five steps, and both of fair (5) or not. All others: nominal, of the choices.
    """
    found = []
    for task in dict.fromkeys(answer.key[0] for answer in answers):
        mine = [answer for answer in answers if answer.key[0] == task]
        categories = max(len(items[answer.key].choices) for answer in mine)
        if task == "units":
            found += _both("units", *_units_matrix(mine, items), "nominal", 2, seed)
            continue
        codes = _codes(mine, items)
        matrix, records = _matrix(mine, [str(code) for code in codes])
        found += _both(task, matrix, records, "ordinal" if task == "rating" else "nominal", categories, seed)
        if task == "rating":
            fair = np.where(np.isnan(matrix), np.nan, matrix == FAIR_RATING - 1)
            found += _both("rating, fair or not", fair, records, "nominal", 2, seed)
    return found


def concordance(measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0) -> Agreement:
    """How often a measure orders two cases as people do: the share of pairs that people tell apart, ties half.

    Over all pairs of cases with different ``judged``; 1 is always, 0.5 chance, 0 never. Shapes: (cases,);
    nan is left out.
    """
    known = ~(np.isnan(measured) | np.isnan(judged))
    x, y = measured[known], judged[known]
    kept = [record for record, is_known in zip(records, known, strict=True) if is_known]
    return with_interval("agrees with people", lambda i: _concordant(x[i], y[i]), kept, seed, chance=0.5)


def correlations(
    measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0, *, same_scale: bool = False
) -> list[Agreement]:
    """Pearson and Spearman of a measure with people; on the same scale also Krippendorff's interval α.

    α looks at the values themselves, where a correlation forgives a shift and a stretch.
    """
    known = ~(np.isnan(measured) | np.isnan(judged))
    x, y = measured[known], judged[known]
    kept = [record for record, is_known in zip(records, known, strict=True) if is_known]
    folds: dict[str, Callable[[Integers], float]] = {
        "Pearson": lambda i: float(pearson(x[i], y[i])),
        "Spearman": lambda i: float(spearman(x[i], y[i])),
    }
    if same_scale:
        folds["Krippendorff's α (interval)"] = lambda i: krippendorff_alpha(
            np.stack([x[i], y[i]]), "interval"
        )
    return [with_interval(name, fold, kept, seed, chance=0.0) for name, fold in folds.items()]


def _concordant(x: Floats, y: Floats) -> float:
    apart = np.sign(y[:, None] - y[None, :])
    counted = apart != 0
    if not counted.any():
        return float("nan")
    agreeing = np.sign(x[:, None] - x[None, :]) * apart
    return float(((agreeing + 1) / 2)[counted].mean())


def _both(
    task: str, matrix: Floats, records: Sequence[str], scale: str, categories: int, seed: int
) -> list[Agreement]:
    alpha = "ordinal" if scale == "ordinal" else "nominal"
    return [
        with_interval(
            f"{task}: Krippendorff's α ({alpha})",
            lambda i: krippendorff_alpha(matrix[:, i], "ordinal" if scale == "ordinal" else "nominal"),
            records, seed, chance=0.0,
        ),
        with_interval(
            f"{task}: Randolph's κ ({categories} categories)",
            lambda i: randolph_kappa(matrix[:, i], categories), records, seed, chance=0.0,
        ),
    ]  # fmt: skip


def with_interval(
    name: str, fold: Callable[[Integers], float], records: Sequence[str], seed: int, chance: float | None
) -> Agreement:
    """A coefficient of the answers at given places, with its interval over records; ``records`` says whose each is."""
    n = len(records)
    value = fold(np.arange(n)) if n else float("nan")
    clusters: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        clusters.setdefault(record, []).append(i)
    members = [np.array(places) for places in clusters.values()]
    if np.isnan(value):
        return Agreement(name, None, None, None, n, chance, "no two answers to compare, or all alike")
    if len(members) < 2:
        return Agreement(name, value, None, None, n, chance, "one record: no interval")
    rng = np.random.default_rng([seed, 6])
    draws = np.array(
        [
            fold(np.concatenate([members[j] for j in rng.integers(len(members), size=len(members))]))
            for _ in range(DRAWS)
        ]
    )
    low, high, _ = percentile_interval(draws)
    return Agreement(name, value, float(low), float(high), n, chance)


def _codes(answers: Sequence[Answer], items: Mapping[tuple[str, str, str, str], Item]) -> list[int]:
    """Each answer as the place of its choice."""
    return [items[answer.key].choices.index(answer.chosen[0]) for answer in answers]


def _matrix(answers: Sequence[Answer], codes: Sequence[str]) -> tuple[Floats, list[str]]:
    """(annotators, questions) of codes, nan where unanswered; and each question's record."""
    people = list(dict.fromkeys(answer.annotator for answer in answers))
    keys = list(dict.fromkeys(answer.key for answer in answers))
    place = {key: i for i, key in enumerate(keys)}
    matrix = np.full((len(people), len(keys)), np.nan)
    for answer, code in zip(answers, codes, strict=True):
        matrix[people.index(answer.annotator), place[answer.key]] = float(code)
    return matrix, [key[1] for key in keys]


def _units_matrix(
    answers: Sequence[Answer], items: Mapping[tuple[str, str, str, str], Item]
) -> tuple[Floats, list[str]]:
    """(annotators, units × values) of 0 and 1."""
    people = list(dict.fromkeys(answer.annotator for answer in answers))
    places = list(
        dict.fromkeys((a.key, value) for a in answers for value in items[a.key].choices[:-1])
    )  # fmt: skip
    index = {place: i for i, place in enumerate(places)}
    matrix = np.full((len(people), len(places)), np.nan)
    for answer in answers:
        for value in items[answer.key].choices[:-1]:
            matrix[people.index(answer.annotator), index[answer.key, value]] = float(value in answer.chosen)
    return matrix, [key[1] for key, _ in places]
