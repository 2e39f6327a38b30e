"""How much faster word lists and distinguishability are than a plain transcription, in the same run.

    python -m benchmarks.speed.people [--originals 50] [--out FILE]

The transcription does what the release does, in its own words: NLTK tokens counted text by text; pronouns
replaced one regular expression at a time, scikit-learn's vectorizer, scipy's pairwise distances, loops.
Both sides must give the same score, or there is no ratio. NLTK_DATA must hold Punkt.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np
from benchmarks.calibration.worlds import FEMALE, LAST, MALE
from benchmarks.recording import best_seconds, options, write_down

from fairbrief.measures.distinguishability import Distinguishability
from fairbrief.measures.entity_inclusion import EntityInclusion
from fairbrief.measures.word_lists import WordListInclusion
from fairbrief.scorers.word_counts import Counts
from fairbrief.statistics.resampling import Bootstrap, percentile_interval
from fairbrief.text import gendered_words, people
from fairbrief.text.gendered_words import word_lists
from fairbrief.types import Case, Document, Entity, Measure, Reason, Record, Rows, Summary, Totals

LISTS = word_lists("helm")
VERBS = "praised visited opened painted".split()
THINGS = "bridge budget garden factory treaty school harbour museum theatre orchard station mill".split()
PAIRS = {
    "he": "they", "she": "they", "his": "their", "her": "their", "him": "their", "hers": "theirs",
    "himself": "themself", "herself": "themself",
    **dict.fromkeys(("mr", "mrs", "ms", "miss", "sir", "ma'am"), "M."),
}  # fmt: skip


def transcribed_word_lists(cases: list[Case]) -> float:
    """Tokens of every text by NLTK's ``word_tokenize``, counted; then the distance of shares."""
    from nltk import word_tokenize

    shares: list[list[float]] = []
    for texts in ([d.text for c in cases for d in c.record.documents], [c.summary.text for c in cases]):
        counts = dict.fromkeys(LISTS, 0)
        for text in texts:
            for token in word_tokenize(text):
                for group, words in LISTS.items():
                    if token.lower() in words:
                        counts[group] += 1
        total = sum(counts.values())
        shares.append([counts[group] / total for group in LISTS])
    source, summary = shares
    return sum(abs(a - b) for a, b in zip(source, summary, strict=True)) / 2


def transcribed_distinguishability(cases: list[Case]) -> float:
    """Per seed document: anonymise, vectorize, measure, and classify each text by loops."""
    from scipy.spatial.distance import pdist, squareform
    from sklearn.feature_extraction.text import CountVectorizer

    originals: dict[str, list[Case]] = {}
    for case in cases:
        originals.setdefault(case.record.cluster, []).append(case)
    scores = []
    for variants in originals.values():
        texts = []
        for case in variants:
            text = case.summary.text
            for person in case.record.entities:
                text = text.replace(person.first_name or "", "FIRST_NAME")
                text = text.replace(person.last_name or "", "LAST_NAME")
            for old, new in PAIRS.items():
                text = re.sub(rf"\b{old}\b", new, text)
                text = re.sub(rf"\b{old.capitalize()}\b", new.capitalize(), text)
            texts.append(text)
        groups = [case.record.attributes["gender"] for case in variants]
        vectors = CountVectorizer(stop_words="english").fit_transform(texts).toarray()
        similarity = 1 - squareform(pdist(vectors, "cosine"))
        right = 0.0
        for i in range(len(texts)):
            own = [similarity[i, j] for j in range(len(texts)) if j != i and groups[j] == groups[i]]
            other = [similarity[i, j] for j in range(len(texts)) if groups[j] != groups[i]]
            difference = np.mean(own) - np.mean(other)
            right += 1.0 if difference > 1e-9 else 0.5 if difference >= -1e-9 else 0.0
        scores.append(2 * right / len(texts) - 1)
    return float(np.mean(scores))


def taken(measure: Measure, cases: list[Case]) -> float:
    """The measure's main value, through the same calls as an audit."""
    observation = measure.observation
    by_cluster = observation.declaration.scope == "cluster"
    units: dict[str, list[Case]] = {}
    for case in cases:
        units.setdefault(case.record.cluster if by_cluster else case.record.block, []).append(case)
    asks = [observation.asks(unit) for unit in units.values()]
    answers = iter(Counts("sklearn").answer([ask for several in asks for ask in several]))
    sums: dict[tuple[str, ...], float] = {}
    for unit, asked in zip(units.values(), asks, strict=True):
        exchange = observation.permutation_scheme(unit)
        labels = np.zeros((1, 0), dtype=np.int64) if exchange is None else exchange.labels[None, :]
        rows = observation.observe(unit, [next(answers) for _ in asked], labels)
        if isinstance(rows, Reason):
            continue
        for column, value in zip(rows.columns, rows.values[0], strict=True):
            sums[column] = sums.get(column, 0.0) + value
    totals = Totals({c: i for i, c in enumerate(sums)}, np.array(list(sums.values())))
    return float(measure.value(totals)[measure.name].array)


def transcribed_interval(
    originals: list[list[dict[tuple[str, ...], float]]], n_resamples: int
) -> tuple[float, float]:
    """Originals drawn anew, their people counted anew, each time."""
    rng, scores = random.Random(0), []
    for _ in range(n_resamples):
        source, included = {"male": 0.0, "female": 0.0}, {"male": 0.0, "female": 0.0}
        for row in (row for several in rng.choices(originals, k=len(originals)) for row in several):
            for group in source:
                source[group] += row.get(("source", group), 0.0)
                included[group] += row.get(("included", group), 0.0)
        odds = [included[g] / source[g] / (1 - included[g] / source[g]) for g in source]
        scores.append(max(odds[0] / odds[1], odds[1] / odds[0]) - 1)
    low, high = np.percentile(scores, [2.5, 97.5])
    return float(low), float(high)


def intervals(cases: list[Case], n_resamples: int = 1000) -> dict[str, float]:
    """The "d" interval of entity inclusion: one matrix product against a loop over drawn originals.

    Observing is left out on both sides. The two draw their own originals, so the bounds agree roughly.
    """
    measure = EntityInclusion("gender", odds="published")
    rows: dict[str, list[dict[tuple[str, ...], float]]] = {}
    for case in cases:
        observation = measure.observation
        exchange = observation.permutation_scheme((case,))
        labels = np.zeros((1, 0), dtype=np.int64) if exchange is None else exchange.labels[None, :]
        row = observation.observe((case,), list(Counts("sklearn").answer(observation.asks((case,)))), labels)
        if isinstance(row, Rows):
            rows.setdefault(case.record.cluster, []).append(
                dict(zip(row.columns, row.values[0], strict=True))
            )
    names = sorted({column for several in rows.values() for row in several for column in row})
    place = {column: i for i, column in enumerate(names)}
    matrix = np.array([[sum(r.get(c, 0.0) for r in several) for c in names] for several in rows.values()])

    def ours() -> tuple[float, float]:
        drawn = Bootstrap(len(matrix), n_resamples, 0).totals(matrix)
        low, high, _ = percentile_interval(measure.value(Totals(place, drawn))[measure.name].array)
        return float(low), float(high)

    theirs = partial(transcribed_interval, list(rows.values()), n_resamples)
    (low, high), wanted = ours(), theirs()
    if not np.allclose((low, high), wanted, atol=0.15 * (wanted[1] - wanted[0]) + 0.01):
        raise SystemExit(f"the intervals differ: {(low, high)}, {wanted}")
    return medians(ours, theirs, 3)


def compare(ours: Callable[[], float], theirs: Callable[[], float], repeats: int) -> dict[str, float]:
    """`medians`, without remembered words; both scores must agree."""

    def fresh(run: Callable[[], float]) -> float:
        for cached in (gendered_words.word_lists, gendered_words.varying_identifiers, people.words_of):
            cached.cache_clear()
        return run()

    if abs(ours() - theirs()) > 1e-12:
        raise SystemExit(f"the scores differ: {ours()}, {theirs()}")
    return medians(partial(fresh, ours), partial(fresh, theirs), repeats)


def medians(ours: Callable[[], object], theirs: Callable[[], object], repeats: int) -> dict[str, float]:
    """Median processor seconds of both, and how often ours fits into theirs."""
    fast, slow = best_seconds(ours, theirs, rounds=repeats, best=median)
    return {"seconds": round(fast, 5), "transcription": round(slow, 4), "ratio": round(slow / fast, 1)}


def main() -> None:
    given = options(__doc__, "--out", originals=50).parse_args()
    rng = np.random.default_rng(0)
    cases = simulate(rng, given.originals)
    found = {
        "summaries": len(cases),
        "word_list_inclusion": compare(
            lambda: taken(WordListInclusion(), cases), lambda: transcribed_word_lists(cases), 3
        ),
        "distinguishability": compare(
            lambda: taken(
                Distinguishability("gender", "counts(stop_words=sklearn)", version="published"), cases
            ),
            lambda: transcribed_distinguishability(cases),
            9,
        ),
        "interval_of_entity_inclusion_1000_draws": intervals(cases),
    }
    write_down(__file__, found, seed=0, out=given.out)


def simulate(rng: np.random.Generator, originals: int, variants: int = 20) -> list[Case]:
    """Originals with four people each, women in half of the variants and men in the others; the system keeps some sentences.

    A source is as long as a news article, and a summary has some sixty words.
    """
    filler = [
        f"The {t} was {v} while nobody looked, and the {t} stayed there." for t in THINGS for v in VERBS
    ]
    cases = []
    for seed_document in range(originals):
        last = [str(name) for name in rng.choice(LAST, 4, replace=False)]
        acts = [(rng.choice(VERBS), rng.choice(THINGS)) for _ in last]
        for variant in range(variants):
            gender = ("female", "male")[variant % 2]
            first = [str(name) for name in rng.permutation(FEMALE if gender == "female" else MALE)]
            he = "she" if gender == "female" else "he"
            told = [
                f"{f} {s} {act} the {thing} and {he} left."
                for f, s, (act, thing) in zip(first, last, acts, strict=True)
            ]
            people_in = (Entity(str(i), first[i], last[i], {"gender": gender}) for i in range(4))
            record = Record(
                f"{seed_document}-{variant}", (Document(" ".join([*told, *filler])),), entities=tuple(people_in),
                attributes={"gender": gender, "sample": str(variant // 2)}, seed_document=str(seed_document),
            )  # fmt: skip
            kept = [sentence for sentence in told if rng.random() < 0.5] + filler[
                seed_document % 8 : seed_document % 8 + 3
            ]
            cases.append(Case(record, Summary(record.id, "extract_baseline", " ".join(kept))))
    return cases


if __name__ == "__main__":
    main()
