"""Agreement among annotators, and agreement of a measure with annotators.

Intervals are percentile bootstrap over records (with all their questions and answers). α and κ need at least two
annotators' answers to the same question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from fairbrief.ranges import grouped
from fairbrief.statistics.agreement import Scale, krippendorff_alpha, pearson, randolph_kappa, spearman
from fairbrief.statistics.resampling import percentile_interval
from fairbrief.text.names import gender_of_name, genders
from fairbrief.types import Case, Floats, Table
from fairbrief.workbench.sheets import FAIR_RATING, PERSON, Answer, Item, Key, claims_to_judge, decisions

DRAWS = 1000
Asked = Iterable[tuple[Case, Sequence[Item]]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient with its interval; nan if it is undefined, with the reason in ``note``."""

    name: str
    value: float
    low: float
    high: float
    n: int
    note: str


Coefficients = dict[str, Callable[[Floats], Any]]
"""By name, a function of answers, (…, n)."""


def agreement(answers: Sequence[Answer], seed: int = 0) -> list[Agreement]:
    """Krippendorff's α and Randolph's κ of the answers to one task.

    ``claims``: of yes or no for each value of each claim (2 categories). ``rating``: α is ordinal, κ has five
    categories. All other tasks: nominal, of the choices.
    """
    task = answers[0].item.key.task
    if task == "claims":
        votes = ((a, (*a.item.key, v), v in a.chosen) for a in answers for v in a.item.choices[:-1])
        matrix, records = _matrix(votes)
        categories = 2
    else:
        matrix, records = _matrix((a, a.item.key, a.item.choices.index(a.chosen[0])) for a in answers)
        categories = max(len(a.item.choices) for a in answers)
    scale: Scale = "ordinal" if task == "rating" else "nominal"
    coefficients: Coefficients = {
        f"{task}: Krippendorff's α ({scale})": partial(krippendorff_alpha, scale=scale),
        f"{task}: Randolph's κ ({categories} categories)": partial(randolph_kappa, categories=categories),
    }
    return with_intervals(coefficients, matrix, records, seed)


def agreement_with_people(
    measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0
) -> list[Agreement]:
    """How often a measure and people order cases in the same way; and their Pearson and Spearman correlation.

    The first is the share of the pairs of cases with different ``judged`` that the measure orders as people do; its ties
    count half; in [0, 1], 0.5 for random order.

    Shapes: (cases,); cases with a nan are excluded.
    """
    known = ~(np.isnan(measured) | np.isnan(judged))
    both, kept = np.stack([measured[known], judged[known]]), list(compress(records, known))
    coefficients: Coefficients = {
        "agrees with people (by chance 0.5)": _concordant,
        "Pearson": lambda both: pearson(*both),
        "Spearman": lambda both: spearman(*both),
    }
    return with_intervals(coefficients, both, kept, seed)


def _concordant(both: Floats) -> float:
    measured, judged = np.sign(both[:, :, None] - both[:, None, :])
    agreeing = ((measured * judged + 1) / 2)[judged != 0]
    return float(agreeing.mean()) if agreeing.size else float("nan")


def with_intervals(
    coefficients: Coefficients, answers: Floats, records: Sequence[str], seed: int
) -> list[Agreement]:
    """Coefficients of answers, (…, n), with intervals over records; ``records`` has the record of each answer."""
    codes = np.unique(records, return_inverse=True)[1]
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    rng, result = np.random.default_rng([seed, 6]), []
    draws = np.full((DRAWS, len(coefficients)), np.nan)
    for i in range(DRAWS if len(members) > 1 else 0):
        chosen = np.concatenate([members[j] for j in rng.integers(len(members), size=len(members))])
        draws[i] = [function(answers[..., chosen]) for function in coefficients.values()]
    intervals = zip(*percentile_interval(draws)[:2], strict=True)
    for (name, function), (low, high) in zip(coefficients.items(), intervals, strict=True):
        value = float(function(answers)) if len(records) else np.nan
        note = "one record: no interval" if len(members) < 2 else ""
        if np.isnan(value):
            note = "no two answers to compare, or all are equal" if len(records) else "no summary has a value"
        result.append(Agreement(name, value, float(low), float(high), len(records), note))
    return result


def _matrix(cells: Iterable[tuple[Answer, tuple[str, ...], float]]) -> tuple[Floats, list[str]]:
    """(annotators, keys): the numbers of the cells, nan if missing; and the record of each key."""
    known = {(answer.annotator, key): float(number) for answer, key, number in cells}
    names = list(dict.fromkeys(name for name, _ in known))
    keys = list(dict.fromkeys(key for _, key in known))
    matrix = np.array([[known.get((name, key), np.nan) for key in keys] for name in names])
    return matrix, [key[1] for key in keys]


def choices_of(answers: Iterable[Answer]) -> dict[Key, list[tuple[str, ...]]]:
    """What the annotators chose, by question."""
    return grouped((answer.item.key, answer.chosen) for answer in answers)


def majority(several: Sequence[tuple[str, ...]]) -> str | None:
    """The choice of more than half of the annotators of a question with one choice; None if there is none."""
    return next((one[0] for one in several if 2 * several.count(one) > len(several)), None)


# ---- Cases with human judgements: claims with values, ratings and leanings


def judged_cases(asked: Asked, answers: Sequence[Answer], attribute: str = "") -> Iterator[Case]:
    """The judged cases, with the judgements of the majority added: of more than half of the answers; a tie counts as no.

    Claims get the values that entail them under ``attribute``; ratings and the leaning become attributes of the
    record: ``rating VALUE`` (the mean), ``leaning``.

    A case with unjudged claims is skipped, because its distribution would be incomplete.
    """
    chosen = choices_of(answers)
    for case, items in asked:
        given = [(item, chosen[item.key]) for item in items if item.key in chosen]
        if not given:
            continue
        if items[0].key.task != "claims":
            attributes = dict(case.record.attributes)
            for item, several in given:
                if item.key.task == "rating":
                    attributes[f"rating {item.key.part}"] = f"{fmean(int(one) for (one,) in several):g}"
                elif (leaning := majority(several)) is not None:
                    attributes["leaning"] = leaning
            yield replace(case, record=replace(case.record, attributes=attributes))
        elif len(given) == len(items):
            claims = []
            for claim, (item, several) in zip(claims_to_judge(case), given, strict=True):
                votes = Counter(value for values in several for value in values)
                entail = tuple(value for value in item.choices if 2 * votes[value] > len(several))
                claims.append(replace(claim, values={**claim.values, attribute: entail}))
            yield replace(case, summary=replace(case.summary, claims=tuple(claims)))


def unfairness(asked: Asked, answers: Sequence[Answer]) -> dict[tuple[str, str], float]:
    """How unfair people judged each (record, system), in [0, 1]: from ratings or leanings.

    Ratings: the largest shortfall (5 − mean rating) / 4 over the values. Leanings: the share of answers other than
    ``fair``. Cases with unanswered questions are omitted.
    """
    chosen = choices_of(answers)
    result: dict[tuple[str, str], float] = {}
    for case, items in asked:
        if all(item.key in chosen for item in items):
            given = [[one for (one,) in chosen[item.key]] for item in items]
            if items[0].key.task == "rating":
                worst = (FAIR_RATING - min(fmean(map(int, several)) for several in given)) / (FAIR_RATING - 1)
            else:
                worst = max(fmean(one != "fair" for one in several) for several in given)
            result[case.record.id, case.summary.system] = worst
    return result


# ---- Whether names in summaries were aligned with the right people: the table of answers


def alignment_table(asked: Asked, answers: Sequence[Answer]) -> Table:
    """Table 13: counts over the judged summaries; several annotators by majority, ties count as correct alignments."""
    chosen = choices_of(answers)
    people = names = wrong = 0
    aligned: set[tuple[str, str, str]] = set()
    invented: list[tuple[bool, bool]] = []
    for case, items in asked:
        if not any(item.key in chosen for item in items):
            continue
        people += len(case.record.entities)
        names += len(decisions(case))
        for item in items:
            votes = Counter(one for (one,) in chosen.get(item.key, ()))
            _, record, system, part = item.key
            if part.startswith(PERSON):
                aligned.add((record, system, part.split(":")[1]))
                wrong += votes["no"] > votes["yes"]
            else:
                is_classified = bool(gender_of_name(item.about.split(), {}, genders()))
                invented.append((is_classified, votes["yes"] > votes["no"]))
    classified = [is_wrong for is_classified, is_wrong in invented if is_classified]
    rows = (
        ("# Input entities", people),
        ("# Summary entities", names),
        ("# Input entities with alignment in summary", len(aligned)),
        ("# Incorrect entity alignments", wrong),
        ("# Summary entities tagged as hallucinated", len(invented)),
        ("… of these with gender classification", len(classified)),
        ("# Erroneously tagged hallucinations", sum(is_wrong for _, is_wrong in invented)),
        ("… of these with gender classification", sum(classified)),
    )
    title = "Table 13: Results of our manual annotation of entity alignments"
    note = "One person can be aligned with several names; a name that fits several people is not aligned."
    return Table(title, ("", "Count"), tuple((label, f"{count:,}") for label, count in rows), (note,))


# ---- Two measures compared by their agreement with people's judgements of leaning (Li et al., Coverage-based Fairness,
# Section 5.4 and Appendix A.4)


GROUPS = 5_000
"""Number of bootstrap groups; each has as many samples as the data."""


def bootstrap_counts(samples: int, seed: int = 0) -> Floats:
    """The count of each sample in each bootstrap group. Shape (GROUPS, samples)."""
    rng = np.random.default_rng([seed, 54])
    return rng.multinomial(samples, np.full(samples, 1 / samples), size=GROUPS).astype(np.float64)


class Leans(NamedTuple):
    """The leaning of a measure towards the second side (negative: the first), per sample and per bootstrap group."""

    name: str
    samples: Floats
    groups: Floats


def leaning_table(people: Floats, first: Leans, second: Leans, counts: Floats) -> Table:
    """Two measures compared with people's leanings per sample (−1, 0 for fair, 1), in the form of the paper's table.

    In a sample with a leaning, a measure is right if it leans to the same side. In a fair sample, the measure with
    the normalised value nearer to zero agrees more. The paper does not define the normalisation; here values are
    divided by the largest absolute value. ``p`` is the share of bootstrap groups in which the measure that agrees in
    fewer samples agrees in at least as many. ``counts`` (groups, samples) are those of `bootstrap_counts`.
    """
    nearer = np.sign(_normalised(second.samples) - _normalised(first.samples))
    rights = [(np.sign(measure.samples) == people).astype(float) for measure in (first, second)]
    ahead = np.where(people == 0, nearer, rights[0] - rights[1])
    p = ((counts @ ahead) * (1 if ahead.sum() >= 0 else -1) <= 0).mean()
    side = np.sign(counts @ people)
    decided = side != 0
    rows = []
    for measure, sign in ((first, 1), (second, -1)):
        share = f"{(np.sign(measure.groups) == side)[decided].mean():.0%}" if decided.any() else "–"
        rows.append((measure.name, str((ahead == sign).sum()), share))
    header = ("measure", "samples in which people agree with it", "groups in which people agree with it")
    notes = (
        f"Samples: {(ahead == 0).sum()} agree equally with both; p = {p:.3f} (paired bootstrap).",
        f"Groups: of {len(counts):,} bootstrap groups; in {(~decided).sum():,} people lean to neither side.",
    )
    return Table("With which measure people agree", header, tuple(rows), notes)


def _normalised(values: Floats) -> Floats:
    sizes = np.abs(values)
    return np.asarray(sizes / (sizes.max(initial=0) or 1))
