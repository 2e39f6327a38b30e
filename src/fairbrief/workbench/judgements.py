"""Agreement among annotators, and agreement of a measure with annotators.

Intervals are percentile bootstrap over records (with all their questions and answers). α and κ need at least two
annotators' answers to the same question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from fairbrief.statistics.agreement import Scale, krippendorff_alpha, pearson, randolph_kappa, spearman
from fairbrief.statistics.resampling import percentile_interval
from fairbrief.text.names import gender_of_name, genders
from fairbrief.types import Case, Floats, Table
from fairbrief.workbench.sheets import (
    FAIR_RATING,
    FIRST,
    PERSON,
    SECOND,
    Answer,
    Item,
    Key,
    Pair,
    claims_to_judge,
    code_of,
    decisions,
)

DRAWS = 1000
Asked = Iterable[tuple[Case, Sequence[Item]]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient with its interval; None if it is undefined, with the reason in ``note``."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    chance: float | None = None
    note: str = ""


def agreement(answers: Sequence[Answer], items: Mapping[Key, Item], seed: int = 0) -> list[Agreement]:
    """Krippendorff's α and Randolph's κ of each answered task.

    ``claims``: of yes or no for each value of each claim (2 categories). ``rating``: α is ordinal, κ has five
    categories, and both are also given for fair (5) against unfair. All other tasks: nominal, of the choices.
    """
    result = []
    for task in dict.fromkeys(answer.key[0] for answer in answers):
        mine = [(answer, items[answer.key].choices) for answer in answers if answer.key[0] == task]
        if task == "claims":
            matrix, records = _matrix(
                (a.annotator, (*a.key, value), value in a.chosen)
                for a, choices in mine
                for value in choices[:-1]
            )
            kinds: list[tuple[str, Floats, Scale, int]] = [(task, matrix, "nominal", 2)]
        else:
            matrix, records = _matrix((a.annotator, a.key, choices.index(a.chosen[0])) for a, choices in mine)
            scale: Scale = "ordinal" if task == "rating" else "nominal"
            kinds = [(task, matrix, scale, max(len(choices) for _, choices in mine))]
        if task == "rating":
            fair = np.where(np.isnan(matrix), np.nan, matrix == FAIR_RATING - 1)
            kinds.append(("rating, fair or not", fair, "nominal", 2))
        for name, numbers, scale, categories in kinds:
            alpha = partial(krippendorff_alpha, scale=scale)
            kappa = partial(randolph_kappa, categories=categories)
            result += [
                with_interval(f"{name}: Krippendorff's α ({scale})", alpha, numbers, records, seed, 0.0),
                with_interval(
                    f"{name}: Randolph's κ ({categories} categories)", kappa, numbers, records, seed, 0.0
                ),
            ]
    return result


def concordance(measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0) -> Agreement:
    """The share of pairs of cases that a measure orders as people do; the measure's ties count half.

    Over all pairs of cases with different ``judged``; in [0, 1], 0.5 for random order. Shapes: (cases,); nan values
    are excluded.
    """
    return with_interval("agrees with people", _concordant, *_known(measured, judged, records), seed, 0.5)


def correlations(
    measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0, *, same_scale: bool = False
) -> list[Agreement]:
    """Pearson and Spearman correlation of a measure with people; for equal scales also Krippendorff's interval α.

    α compares the values themselves; a correlation ignores differences of location and scale.
    """
    coefficients: dict[str, Callable[[Floats], Any]] = {
        "Pearson": lambda both: pearson(*both),
        "Spearman": lambda both: spearman(*both),
    }
    if same_scale:
        coefficients["Krippendorff's α (interval)"] = partial(krippendorff_alpha, scale="interval")
    both, kept = _known(measured, judged, records)
    return [with_interval(name, function, both, kept, seed, 0.0) for name, function in coefficients.items()]


def _known(measured: Floats, judged: Floats, records: Sequence[str]) -> tuple[Floats, list[str]]:
    """The pairs of values that both have, (2, pairs), and their records."""
    known = ~(np.isnan(measured) | np.isnan(judged))
    return np.stack([measured[known], judged[known]]), list(compress(records, known))


def _concordant(both: Floats) -> float:
    measured, judged = np.sign(both[:, :, None] - both[:, None, :])
    agreeing = ((measured * judged + 1) / 2)[judged != 0]
    return float(agreeing.mean()) if agreeing.size else float("nan")


def with_interval(
    name: str,
    function: Callable[[Floats], Any],
    answers: Floats,
    records: Sequence[str],
    seed: int,
    chance: float | None,
) -> Agreement:
    """A coefficient of answers, (…, n), with its interval over records; ``records`` has the record of each answer."""
    n = len(records)
    value = float(function(answers)) if n else float("nan")
    if np.isnan(value):
        return Agreement(name, None, None, None, n, chance, "no two answers to compare, or all are equal")
    clusters: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        clusters.setdefault(record, []).append(i)
    members = [np.array(places) for places in clusters.values()]
    if len(members) < 2:
        return Agreement(name, value, None, None, n, chance, "one record: no interval")
    rng = np.random.default_rng([seed, 6])
    draws = [
        function(
            answers[..., np.concatenate([members[j] for j in rng.integers(len(members), size=len(members))])]
        )
        for _ in range(DRAWS)
    ]
    low, high, _ = percentile_interval(np.array(draws))
    return Agreement(name, value, float(low), float(high), n, chance)


def _matrix(cells: Iterable[tuple[str, tuple[str, ...], float]]) -> tuple[Floats, list[str]]:
    """(annotators, keys): the numbers of the cells, nan if missing; and the record of each key."""
    known = {(name, key): float(number) for name, key, number in cells}
    names = list(dict.fromkeys(name for name, _ in known))
    keys = list(dict.fromkeys(key for _, key in known))
    matrix = np.array([[known.get((name, key), np.nan) for key in keys] for name in names])
    return matrix, [key[1] for key in keys]


def choices_of(answers: Iterable[Answer]) -> dict[Key, list[tuple[str, ...]]]:
    """What the annotators chose, by question."""
    result: dict[Key, list[tuple[str, ...]]] = defaultdict(list)
    for answer in answers:
        result[answer.key].append(answer.chosen)
    return result


def majority(several: Sequence[tuple[str, ...]]) -> str | None:
    """The choice of more than half of the annotators of a question with one choice; None if there is none."""
    return next((one[0] for one in several if 2 * several.count(one) > len(several)), None)


# ---- Choices between two summaries of one record: judgements, preferences, and agreement of measures


def preferred(pairs: Iterable[Pair], answers: Sequence[Answer]) -> list[tuple[Pair, float]]:
    """The judged pairs and their preference: 1 for the first summary, 0 for the second, 0.5 for a tie.

    With several annotators the majority answer counts; without a majority the pair is a tie.
    """
    chosen = choices_of(answers)
    asked = ((pair, chosen.get(("pairs", pair.first.record.id, code_of(pair.shown), ""))) for pair in pairs)
    shares = {FIRST: 1.0, SECOND: 0.0}
    return [(pair, shares.get(majority(several) or "", 0.5)) for pair, several in asked if several]


def preferences(judged: Sequence[tuple[Pair, float]], seed: int = 0) -> list[Agreement]:
    """For every pair of systems, the share of judgements that prefer the first; ties count half. Intervals over records."""
    by_systems: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for pair, share in judged:
        one, other = pair.first.summary.system, pair.second.summary.system
        key, share = ((other, one), 1 - share) if one > other else ((one, other), share)
        by_systems[key].append((pair.first.record.cluster, share))
    return [
        _mean(f"{one} preferred to {other}", both, seed) for (one, other), both in sorted(by_systems.items())
    ]


def agreement_with_measure(
    judged: Sequence[tuple[Pair, float]], level: Mapping[tuple[str, str], float], seed: int = 0
) -> Agreement:
    """The share of pairs in which a measure rates the preferred summary as fairer; equal values count half.

    ``level`` has the measure's value by record and system; larger is less fair. Pairs that people judged as ties and
    pairs without a value are excluded.
    """
    shares = []
    for pair, share in judged:
        first, second = (level[case.record.id, case.summary.system] for case in (pair.first, pair.second))
        if share != 0.5 and not np.isnan(first + second):
            sign = float(np.sign(second - first)) * (1 if share else -1)
            shares.append((pair.first.record.cluster, (sign + 1) / 2))
    return _mean("orders two summaries as people do", shares, seed)


def _mean(name: str, shares: Sequence[tuple[str, float]], seed: int) -> Agreement:
    """The mean of shares, each given with its record."""
    values = np.array([share for _, share in shares])
    return with_interval(name, lambda x: float(x.mean()), values, [record for record, _ in shares], seed, 0.5)


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
        if items[0].task != "claims":
            attributes = dict(case.record.attributes)
            for item, several in given:
                if item.task == "rating":
                    attributes[f"rating {item.part}"] = f"{fmean(int(one) for (one,) in several):g}"
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
            result[case.record.id, case.summary.system] = max(
                (FAIR_RATING - fmean(int(one) for (one,) in chosen[item.key])) / (FAIR_RATING - 1)
                if item.task == "rating"
                else fmean(one != "fair" for (one,) in chosen[item.key])
                for item in items
            )
    return result


# ---- Whether names in summaries were aligned with the right people: the table of answers


def alignment_table(asked: Asked, answers: Sequence[Answer]) -> Table:
    """Table 13: counts over the judged summaries; several annotators by majority, ties count as correct alignments."""
    chosen = choices_of(answers)
    counts: Counter[str] = Counter()
    for case, items in asked:
        if not any(item.key in chosen for item in items):
            continue
        counts["people"] += len(case.record.entities)
        counts["names"] += len(decisions(case))
        counts["aligned people"] += len({i.part.split(":")[1] for i in items if i.part.startswith(PERSON)})
        for item in items:
            votes = Counter(one for (one,) in chosen.get(item.key, ()))
            if item.part.startswith(PERSON):
                counts["wrong alignments"] += votes["no"] > votes["yes"]
                continue
            classified = bool(gender_of_name(item.about.split(), {}, genders()))
            counts["invented"] += 1
            counts["invented, classified"] += classified
            counts["wrongly invented"] += votes["yes"] > votes["no"]
            counts["wrongly invented, classified"] += classified and votes["yes"] > votes["no"]
    rows = (
        ("# Input entities", "people"),
        ("# Summary entities", "names"),
        ("# Input entities with alignment in summary", "aligned people"),
        ("# Incorrect entity alignments", "wrong alignments"),
        ("# Summary entities tagged as hallucinated", "invented"),
        ("… of these with gender classification", "invented, classified"),
        ("# Erroneously tagged hallucinations", "wrongly invented"),
        ("… of these with gender classification", "wrongly invented, classified"),
    )
    return Table(
        "Table 13: Results of our manual annotation of entity alignments",
        ("", "Count"),
        tuple((label, f"{counts[key]:,}") for label, key in rows),
        ("One person can be aligned with several names; a name that fits several people is not aligned.",),
    )


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
    ahead = np.where(
        people == 0,
        np.sign(_normalised(second.samples) - _normalised(first.samples)),
        (np.sign(first.samples) == people).astype(float) - (np.sign(second.samples) == people),
    )
    p = ((counts @ ahead) * (1 if ahead.sum() >= 0 else -1) <= 0).mean()
    side = np.sign(counts @ people)
    decided = side != 0
    rows = []
    for measure, sign in ((first, 1), (second, -1)):
        share = f"{(np.sign(measure.groups) == side)[decided].mean():.0%}" if decided.any() else "–"
        rows.append((measure.name, str((ahead == sign).sum()), share))
    return Table(
        "With which measure people agree",
        ("measure", "samples in which people agree with it", "groups in which people agree with it"),
        tuple(rows),
        (
            f"Samples: {(ahead == 0).sum()} agree equally with both; p = {p:.3f} (paired bootstrap).",
            f"Groups: of {len(counts):,} bootstrap groups; in {(~decided).sum():,} people lean to neither side.",
        ),
    )


def _normalised(values: Floats) -> Floats:
    sizes = np.abs(values)
    return np.asarray(sizes / (sizes.max(initial=0) or 1))
