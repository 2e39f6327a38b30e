"""Agreement among annotators, and agreement of a measure with annotators.

Intervals are percentile bootstrap over records (with all their questions and answers). α and κ need at least two
annotators' answers to the same question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from statistics import fmean

import numpy as np

from fairbrief.statistics.agreement import krippendorff_alpha, pearson, randolph_kappa, spearman
from fairbrief.statistics.resampling import percentile_interval
from fairbrief.text.names import gender_of_name, genders
from fairbrief.types import Case, Floats, Integers, Table
from fairbrief.workbench.sheets import (
    FAIR_RATING,
    FIRST,
    PERSON,
    SECOND,
    Answer,
    Item,
    Pair,
    claims_to_judge,
    code_of,
    decisions,
)

DRAWS = 1000


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


def agreement(
    answers: Sequence[Answer], items: Mapping[tuple[str, str, str, str], Item], seed: int = 0
) -> list[Agreement]:
    """Krippendorff's α and Randolph's κ of each answered task.

    ``claims``: of yes or no for each value of each claim (2 categories). ``rating``: α is ordinal, κ has five
    categories, and both are also given for fair (5) against unfair. All other tasks: nominal, of the choices.
    """
    found = []
    for task in dict.fromkeys(answer.key[0] for answer in answers):
        mine = [answer for answer in answers if answer.key[0] == task]
        categories = max(len(items[answer.key].choices) for answer in mine)
        if task == "claims":
            found += _both("claims", *_entailed(mine, items), "nominal", 2, seed)
            continue
        matrix, records = _choices(mine, items)
        found += _both(task, matrix, records, "ordinal" if task == "rating" else "nominal", categories, seed)
        if task == "rating":
            fair = np.where(np.isnan(matrix), np.nan, matrix == FAIR_RATING - 1)
            found += _both("rating, fair or not", fair, records, "nominal", 2, seed)
    return found


def concordance(measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0) -> Agreement:
    """The share of pairs of cases that a measure orders as people do; the measure's ties count half.

    Over all pairs of cases with different ``judged``; in [0, 1], 0.5 for random order. Shapes: (cases,); nan values
    are excluded.
    """
    x, y, kept = _known(measured, judged, records)
    return with_interval("agrees with people", lambda i: _concordant(x[i], y[i]), kept, seed, chance=0.5)


def correlations(
    measured: Floats, judged: Floats, records: Sequence[str], seed: int = 0, *, same_scale: bool = False
) -> list[Agreement]:
    """Pearson and Spearman correlation of a measure with people; for equal scales also Krippendorff's interval α.

    α compares the values themselves; a correlation ignores differences of location and scale.
    """
    x, y, kept = _known(measured, judged, records)
    folds: dict[str, Callable[[Integers], float]] = {
        "Pearson": lambda i: float(pearson(x[i], y[i])),
        "Spearman": lambda i: float(spearman(x[i], y[i])),
    }
    if same_scale:
        folds["Krippendorff's α (interval)"] = lambda i: krippendorff_alpha(
            np.stack([x[i], y[i]]), "interval"
        )
    return [with_interval(name, fold, kept, seed, chance=0.0) for name, fold in folds.items()]


def _known(measured: Floats, judged: Floats, records: Sequence[str]) -> tuple[Floats, Floats, list[str]]:
    """The entries that both have."""
    known = ~(np.isnan(measured) | np.isnan(judged))
    return measured[known], judged[known], list(compress(records, known))


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
    """A coefficient of the answers, with its interval over records; ``records`` has the record of each answer."""
    n = len(records)
    value = fold(np.arange(n)) if n else float("nan")
    clusters: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        clusters.setdefault(record, []).append(i)
    members = [np.array(places) for places in clusters.values()]
    if np.isnan(value):
        return Agreement(name, None, None, None, n, chance, "no two answers to compare, or all are equal")
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


Items = Mapping[tuple[str, str, str, str], Item]


def _choices(answers: Sequence[Answer], items: Items) -> tuple[Floats, list[str]]:
    """(annotators, questions): the index of each chosen answer; and the record of each question."""
    return _matrix((a.annotator, a.key, items[a.key].choices.index(a.chosen[0])) for a in answers)


def _entailed(answers: Sequence[Answer], items: Items) -> tuple[Floats, list[str]]:
    """(annotators, claims × values): 1 if the value was chosen, else 0; and the record of each column."""
    return _matrix(
        (a.annotator, (*a.key, value), value in a.chosen)
        for a in answers
        for value in items[a.key].choices[:-1]
    )


def _matrix(cells: Iterable[tuple[str, tuple[str, ...], float]]) -> tuple[Floats, list[str]]:
    """(annotators, keys): the numbers of the cells, nan if missing; and the record of each key."""
    known = list(cells)
    rows = {name: i for i, name in enumerate(dict.fromkeys(name for name, _, _ in known))}
    columns = {key: i for i, key in enumerate(dict.fromkeys(key for _, key, _ in known))}
    matrix = np.full((len(rows), len(columns)), np.nan)
    for name, key, number in known:
        matrix[rows[name], columns[key]] = float(number)
    return matrix, [key[1] for key in columns]


# ---- Choices between two summaries of one record: judgements, preferences, and agreement of measures


def preferred(pairs: Iterable[Pair], answers: Sequence[Answer]) -> list[tuple[Pair, float]]:
    """The judged pairs and their preference: 1 for the first summary, 0 for the second, 0.5 for a tie.

    With several annotators the majority answer counts; without a majority the pair is a tie.
    """
    said: dict[tuple[str, str], list[str]] = defaultdict(list)
    for answer in answers:
        _, record, system, _ = answer.key
        said[record, system].append(answer.chosen[0])
    found = []
    for pair in pairs:
        several = said[pair.first.record.id, code_of(pair.shown)]
        if several:
            ahead, behind = (several.count(choice) * 2 > len(several) for choice in (FIRST, SECOND))
            found.append((pair, (1 + ahead - behind) / 2))
    return found


def preferences(judged: Sequence[tuple[Pair, float]], seed: int = 0) -> list[Agreement]:
    """For every pair of systems, the share of judgements that prefer the first; ties count half. Intervals over records."""
    by_systems: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for pair, share in judged:
        names = pair.first.summary.system, pair.second.summary.system
        turned = names[0] > names[1]
        key = (names[1], names[0]) if turned else names
        by_systems[key].append((pair.first.record.cluster, 1 - share if turned else share))
    return [
        _mean(f"{one} preferred to {other}", np.array([share for _, share in found]), [r for r, _ in found], seed)
        for (one, other), found in sorted(by_systems.items())
    ]  # fmt: skip


def agreement_with_measure(
    judged: Sequence[tuple[Pair, float]], level: Mapping[tuple[str, str], float], seed: int = 0
) -> Agreement:
    """The share of pairs in which a measure rates the preferred summary as fairer; equal values count half.

    ``level`` has the measure's value by record and system; larger is less fair. Pairs that people judged as ties and
    pairs without a value are excluded.
    """
    shares, records = [], []
    for pair, share in judged:
        values = [level[case.record.id, case.summary.system] for case in (pair.first, pair.second)]
        if share != 0.5 and not np.isnan(values).any():
            sign = np.sign(values[1] - values[0]) * (1 if share else -1)
            shares.append((float(sign) + 1) / 2)
            records.append(pair.first.record.cluster)
    return _mean("orders two summaries as people do", np.array(shares), records, seed)


def _mean(name: str, values: Floats, records: Sequence[str], seed: int) -> Agreement:
    def fold(places: Integers) -> float:
        return float(values[places].mean())

    return with_interval(name, fold, records, seed, chance=0.5)


# ---- Cases with human judgements: claims with values, ratings, leanings, and mentioned people


Key = tuple[str, str, str, str]


def judged_cases(
    cases: Iterable[tuple[Case, Sequence[Item]]],
    answers: Sequence[Answer],
    attribute: str = "",
) -> Iterator[Case]:
    """The judged cases, with the judgements of the majority added: of more than half of the answers; a tie is no.

    Claims get the values that entail them under ``attribute``; ratings, the leaning and the mentioned people become
    attributes of the record: ``rating VALUE`` (the mean), ``leaning``, ``mentioned PERSON``.

    A case with unjudged claims is skipped, because its distribution would be incomplete.
    """
    by_key: dict[Key, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_key[answer.key].append(answer)
    for case, items in cases:
        of_case = {item.key: by_key[item.key] for item in items if item.key in by_key}
        if (made := _judged(case, items, of_case, attribute)) is not None:
            yield made


def unfairness(
    cases: Iterable[tuple[Case, Sequence[Item]]], answers: Sequence[Answer]
) -> dict[tuple[str, str], float]:
    """How unfair people judged each (record, system), in [0, 1]: from ratings or leanings.

    Ratings: the largest shortfall (5 − mean rating) / 4 over the values. Leanings: the share of answers other than
    ``fair``.
    """
    by_key: dict[Key, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_key[answer.key].append(answer)
    found: dict[tuple[str, str], float] = {}
    for case, items in cases:
        parts = []
        for item in items:
            given = by_key.get(item.key)
            if given and item.task == "rating":
                parts.append((FAIR_RATING - fmean(int(a.chosen[0]) for a in given)) / (FAIR_RATING - 1))
            elif given and item.task == "leaning":
                parts.append(fmean(a.chosen[0] != "fair" for a in given))
        if parts and len(parts) == len(items):
            found[case.record.id, case.summary.system] = max(parts)
    return found


def _judged(
    case: Case, items: Sequence[Item], given: Mapping[Key, Sequence[Answer]], attribute: str
) -> Case | None:
    if not given:
        return None
    task = items[0].task
    if task == "claims":
        return _with_claims(case, items, given, attribute)
    attributes = dict(case.record.attributes)
    for item in items:
        several = [answer.chosen[0] for answer in given.get(item.key, ())]
        if not several:
            continue
        if task == "rating":
            attributes[f"rating {item.part}"] = f"{fmean(map(int, several)):g}"
        elif (answer := _majority(several)) is not None:
            attributes["leaning" if task == "leaning" else f"mentioned {item.part}"] = answer
    return replace(case, record=replace(case.record, attributes=attributes))


def _with_claims(
    case: Case, items: Sequence[Item], given: Mapping[Key, Sequence[Answer]], attribute: str
) -> Case | None:
    if any(item.key not in given for item in items):
        return None
    claims = []
    for claim, item in zip(claims_to_judge(case), items, strict=True):
        several = given[item.key]
        entail = tuple(v for v in item.choices[:-1] if 2 * sum(v in a.chosen for a in several) > len(several))
        claims.append(replace(claim, values={**claim.values, attribute: entail}))
    return replace(case, summary=replace(case.summary, claims=tuple(claims)))


def _majority(several: Sequence[str]) -> str | None:
    """The answer of more than half; None if there is none."""
    return next((one for one in several if 2 * several.count(one) > len(several)), None)


# ---- Whether names in summaries were aligned with the right people: the table of answers


def alignment_table(asked: Sequence[tuple[Case, Sequence[Item]]], answers: Sequence[Answer]) -> Table:
    """Table 13: counts over the judged summaries; several annotators by majority, ties count as correct alignments."""
    votes: dict[tuple[str, str, str, str], Counter[str]] = defaultdict(Counter)
    for answer in answers:
        votes[answer.key].update(answer.chosen)
    counts: Counter[str] = Counter()
    for case, items in asked:
        judged = [item for item in items if votes[item.key]]
        if not judged:
            continue
        counts["people"] += len(case.record.entities)
        counts["names"] += len(decisions(case))
        counts["aligned people"] += len({i.part.split(":")[1] for i in items if i.part.startswith(PERSON)})
        for item in items:
            said = votes[item.key]
            if item.part.startswith(PERSON):
                counts["wrong alignments"] += said["no"] > said["yes"]
                continue
            classified = bool(gender_of_name(item.about.split(), {}, genders()))
            counts["invented"] += 1
            counts["invented, classified"] += classified
            counts["wrongly invented"] += said["yes"] > said["no"]
            counts["wrongly invented, classified"] += classified and said["yes"] > said["no"]
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


def majority(chosen: Sequence[str]) -> str:
    """The leaning that more than half of the annotators chose, otherwise fair."""
    return _majority(chosen) or "fair"


def bootstrap_counts(samples: int, seed: int = 0) -> Floats:
    """The count of each sample in each bootstrap group. Shape (GROUPS, samples)."""
    rng = np.random.default_rng([seed, 54])
    return rng.multinomial(samples, np.full(samples, 1 / samples), size=GROUPS).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Leans:
    """The leaning of a measure towards the second side (negative: the first), per sample and per bootstrap group."""

    name: str
    samples: Floats
    groups: Floats


@dataclass(frozen=True, slots=True)
class Comparison:
    """The number of samples in which people agree more with either measure, and the share of bootstrap groups for each.

    ``p`` is the share of bootstrap groups in which the measure with fewer samples has at least as many. ``undecided``
    counts the groups in which people lean to neither side.
    """

    names: tuple[str, str]
    samples: tuple[int, int]
    ties: int
    p: float
    groups: tuple[float, float]
    undecided: int


def compare_leanings(people: Floats, first: Leans, second: Leans, counts: Floats) -> Comparison:
    """Compare two measures with people's leanings per sample: −1, 0 (fair) or 1.

    In a sample with a leaning, a measure is right if it leans to the same side. In a fair sample, the measure with
    the normalised value nearer to zero agrees more. The paper does not define the normalisation; here values are
    divided by the largest absolute value.
    """
    ahead = np.where(
        people == 0,
        np.sign(_normalised(second.samples) - _normalised(first.samples)),
        (np.sign(first.samples) == people).astype(float) - (np.sign(second.samples) == people),
    )
    primary = counts @ ahead
    side = np.sign(counts @ people)
    decided = side != 0
    shares = [
        float((np.sign(m.groups) == side)[decided].mean()) if decided.any() else np.nan
        for m in (first, second)
    ]
    return Comparison(
        (first.name, second.name),
        (int((ahead > 0).sum()), int((ahead < 0).sum())),
        int((ahead == 0).sum()),
        float((primary * (1 if ahead.sum() >= 0 else -1) <= 0).mean()),
        (shares[0], shares[1]),
        int((~decided).sum()),
    )  # fmt: skip


def _normalised(values: Floats) -> Floats:
    size = np.abs(values)
    most = size.max(initial=0)
    return np.asarray(size / most if most else size)


def leaning_table(found: Comparison) -> Table:
    """The comparison in the form of the paper's table."""
    rows = tuple(
        (name, str(samples), "–" if np.isnan(share) else f"{share:.0%}")
        for name, samples, share in zip(found.names, found.samples, found.groups, strict=True)
    )
    notes = (
        f"Samples: {found.ties} agree equally with both; p = {found.p:.3f} (paired bootstrap).",
        f"Groups: of {GROUPS:,} bootstrap groups; in {found.undecided:,} people lean to neither side.",
    )
    return Table(
        "With which measure people agree",
        ("measure", "samples in which people agree with it", "groups in which people agree with it"),
        rows,
        notes,
    )
