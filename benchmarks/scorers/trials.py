"""What a scorer is tried on: people's judgements, paraphrased sentences of real reviews, and summaries of known coverage."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from benchmarks.scorers.labels import Claim
from scipy.stats import t

import fairbrief
from fairbrief.errors import DataError
from fairbrief.statistics import ratio
from fairbrief.statistics.agreement import best_cut, roc_auc
from fairbrief.statistics.keyed_random import keys_of, random_fractions
from fairbrief.statistics.resampling import Bootstrap
from fairbrief.text.paraphrase import paraphrase
from fairbrief.text.segmentation import word_count
from fairbrief.text.sentences import sentences_of
from fairbrief.types import Ask, Floats, Integers, Scorer, Scores

DRAWS = 1000
SHARES = (0.0, 0.3, 0.6, 1.0)
"""Shares of a sentence's content words that are replaced by synonyms."""
LENGTHS = {"up to 8 words": (0, 8), "9 to 16 words": (9, 16), "17 words and more": (17, 10_000)}
FEWEST_WORDS = 4
"""Shorter sentences (`Great food!`) are in many documents."""
ATTRIBUTE = "sentiment"
PLANTED = (0.0, -0.1, -0.2)
"""By how much the documents of one group are covered less than the average document."""
UNDER = "neg"
"""The group that is covered less."""
SENTENCES = 12
"""Sentences of a planted summary."""
FOLD_NAMES = tuple(map(str, range(10)))
"""Parts of the records by whose spread planted differences have intervals."""

Interval = list[float]
"""A figure and the ends of its 95 % interval."""


def pair_scores(scorer: Scorer, asks: Sequence[Ask]) -> list[Floats]:
    """One number for each row and column of each ask: the mean over the column's units. Shapes: (rows, columns) each."""
    return [found.by_column(len(ask.columns)) for ask, found in zip(asks, scorer.answer(asks), strict=True)]


# ------------------------------------------------------------------------------------------ support


def support(scorer: Scorer, claims: Sequence[Claim]) -> dict[str, Any]:
    """How well scores tell supported sentences from others: ROC-AUC and balanced accuracy, articles resampled.

    The cut-off of balanced accuracy is the best of the other half of the articles.
    """
    by_text: dict[str, list[int]] = {}
    for i, claim in enumerate(claims):
        by_text.setdefault(claim.text, []).append(i)
    asks = [Ask(repr(scorer), (text,), tuple(claims[i].sentence for i in of)) for text, of in by_text.items()]
    scores = np.empty(len(claims))
    for of, found in zip(by_text.values(), pair_scores(scorer, asks), strict=True):
        scores[of] = found[0]
    labels = np.array([claim.is_supported for claim in claims])
    _, articles = np.unique([claim.article for claim in claims], return_inverse=True)
    is_right = (scores >= _cuts_of_other_half(scores, labels, articles)).astype(np.float64)
    return {
        "roc_auc": with_interval(lambda counts: roc_auc(scores, labels, counts), articles),
        "balanced_accuracy": with_interval(lambda counts: roc_auc(is_right, labels, counts), articles),
        "n": len(claims),
        "articles": int(articles.max()) + 1,
        "supported": int(labels.sum()),
    }


def _cuts_of_other_half(scores: Floats, labels: Any, articles: Integers) -> Floats:
    half = articles % 2
    cuts = [float(best_cut(scores[half != part], labels[half != part])) for part in (0, 1)]
    return np.array(cuts)[half]


def with_interval(figure: Callable[[Integers | None], Floats], clusters: Integers) -> Interval:
    """A figure of items with its 95 % interval: ``figure`` takes how often each item is drawn, by resample."""
    weights = np.concatenate(list(Bootstrap(int(clusters.max()) + 1, DRAWS).weights()))
    draws = figure(weights[:, clusters])
    low, high = np.nanquantile(draws, [0.025, 0.975])
    return [round(float(x), 4) for x in (figure(None), low, high)]


def _mean_of(values: Floats) -> Callable[[Integers | None], Floats]:
    def mean(counts: Integers | None) -> Floats:
        if counts is None:
            return np.asarray(values.mean())
        return np.asarray((counts @ values) / np.maximum(counts.sum(axis=1), 1))

    return mean


# ------------------------------------------------------------------------------------------ sources


class Query(NamedTuple):
    """A sentence of one of a record's documents, and what it becomes by share of replaced words."""

    record: int
    documents: tuple[str, ...]
    source: int
    group: str
    sentence: str
    paraphrases: tuple[str, ...]


def reviews(path: Path, most: int) -> list[dict[str, Any]]:
    """The first records of a file of reviews. Raises DataError where it is absent or its documents have no group."""
    if not path.is_file():
        raise DataError(
            f"{path}: there is no such file. Name a folder with sets of reviews in Fairbrief's format."
        )
    with path.open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in itertools.islice(lines, most)]
    for number, record in enumerate(found, 1):
        if any(ATTRIBUTE not in document.get("attributes", {}) for document in record.get("documents", [{}])):
            raise DataError(
                f"{path}:{number}: a document has no attribute '{ATTRIBUTE}'; wanted one for each."
            )
    return found


def queries(records: Sequence[Mapping[str, Any]]) -> list[Query]:
    """One sentence of each group of each record, from a document and at a place that depend on the record's id alone."""
    found = []
    for i, record in enumerate(records):
        texts = tuple(document["text"] for document in record["documents"])
        by_group: dict[str, list[tuple[int, str]]] = {}
        for place, document in enumerate(record["documents"]):
            by_group.setdefault(document["attributes"][ATTRIBUTE], []).extend(
                (place, sentence)
                for sentence in sentences_of(document["text"])
                if word_count(sentence) >= FEWEST_WORDS
            )
        for group, sentences in sorted(by_group.items()):
            if sentences:
                place, sentence = sentences[_picked(f"{record['id']} {group}", len(sentences))]
                said = tuple(paraphrase(sentence, share, "trial") for share in SHARES)
                found.append(Query(i, texts, place, group, sentence, said))
    return found


def _picked(name: str, among: int) -> int:
    return int(random_fractions(keys_of([name], 0, "sentence of a trial"), 1)[0, 0] * among)


def reciprocal_rank(scores: Floats, source: int) -> float:
    """1 over the rank of the source by score, the highest first; documents that score equally share their mean rank."""
    higher = int((scores > scores[source]).sum())
    equal = int((scores == scores[source]).sum())
    return 1 / (1 + higher + (equal - 1) / 2)


def sources(scorer: Scorer, asked: Sequence[Query]) -> dict[str, Any]:
    """How well the true source of a paraphrased sentence is found: mean reciprocal rank by share, length and group.

    ``seen`` is by how much a group's sentences score less (below 0) or more against their own document than all do.
    """
    clusters = np.unique([query.record for query in asked], return_inverse=True)[1]
    lengths = np.array([word_count(query.sentence) for query in asked])
    groups = np.array([query.group for query in asked])
    found: dict[str, Any] = {"n": len(asked), "records": int(clusters.max()) + 1, "by_share": {}}
    asks = [Ask(repr(scorer), q.documents, q.paraphrases) for q in asked]
    began = time.perf_counter()
    scores = pair_scores(scorer, asks)
    found["pairs_per_second"] = round(sum(s.size for s in scores) / (time.perf_counter() - began))
    ranks, own = {}, {}
    for k, share in enumerate(SHARES):
        ranks[share] = np.array(
            [reciprocal_rank(s[:, k], q.source) for s, q in zip(scores, asked, strict=True)]
        )
        own[share] = np.array([s[q.source, k] for s, q in zip(scores, asked, strict=True)])
        found["by_share"][f"{share:g}"] = _mrr(ranks[share], clusters)
    middle = SHARES[2]
    found["by_length"] = {
        name: _mrr(ranks[middle][here], clusters[here])
        for name, (low, high) in LENGTHS.items()
        if (here := (lengths >= low) & (lengths <= high)).any()
    }
    found["by_group"] = {
        group: {"mrr": _mrr(ranks[middle][here], clusters[here]), "seen": _seen(own[middle], here, clusters), "n": int(here.sum())}
        for group in sorted(set(groups.tolist()))
        if (here := groups == group).any()
    }  # fmt: skip
    return found


def _mrr(ranks: Floats, clusters: Integers) -> Interval:
    return with_interval(_mean_of(ranks), np.unique(clusters, return_inverse=True)[1])


def _seen(own: Floats, here: Any, clusters: Integers) -> Interval:
    """The mean score of these sentences against their own document, relative to that of all, less 1."""

    def relative(counts: Integers | None) -> Floats:
        drawn = np.ones((1, len(own))) if counts is None else counts
        part = ratio(drawn[:, here] @ own[here], drawn[:, here].sum(axis=1).astype(np.float64))
        return np.asarray(part / ((drawn @ own) / drawn.sum(axis=1)) - 1)

    return with_interval(lambda counts: relative(counts)[0] if counts is None else relative(counts), clusters)


# ------------------------------------------------------------------------------------------ planted


@dataclass(frozen=True)
class Truth:
    """The perfect scorer of planted summaries: 1 for a document that a sentence was taken from, else 0."""

    sources_of: Mapping[str, set[str]]
    name = "truth"
    fingerprint = "truth"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        for ask in asks:
            yield Scores.of_whole_texts(
                ask, np.array([[float(r in self.sources_of[c]) for c in ask.columns] for r in ask.rows])
            )

    def __repr__(self) -> str:
        return self.name


class Planted(NamedTuple):
    """Records with summaries of known coverage, and where each summary's sentences come from."""

    rows: list[dict[str, Any]]
    sources_of: dict[str, set[str]]


def planted(records: Sequence[Mapping[str, Any]]) -> Planted:
    """Summaries that cover one group's documents less by `PLANTED`, in the words of the documents and paraphrased.

    Every document of the other groups gives equally many of the sentences; systems differ as little as can be else: which
    documents are taken, and which sentences of them, depends on the same random numbers.
    """
    found = Planted([], {})
    used = itertools.count()
    for record in records:
        documents = [d for d in record["documents"] if sentences_of(d["text"])]
        is_under = np.array([d["attributes"][ATTRIBUTE] == UNDER for d in documents])
        if not is_under.any() or is_under.all():
            continue
        fold = FOLD_NAMES[next(used) % len(FOLD_NAMES)]
        for less in PLANTED:
            taken = _taken(record["id"], documents, is_under, less)
            for share in SHARES:
                units = [paraphrase(sentence, share, record["id"]) for _, sentence in taken]
                for unit, (text, _) in zip(units, taken, strict=True):
                    found.sources_of.setdefault(unit, set()).add(text)
                found.rows.append(
                    {
                        "id": record["id"], "documents": documents, "fold": fold, "claims": units,
                        "summary": " ".join(units), "system": f"{less:g} at {share:g}",
                    }
                )  # fmt: skip
    return found


def _taken(
    record: str, documents: Sequence[Mapping[str, Any]], is_under: Any, less: float
) -> list[tuple[str, str]]:
    """Document and sentence of each unit of a summary: systematic sampling of documents, then a sentence of each."""
    n, m = len(documents), int(is_under.sum())
    weight = np.where(is_under, 1 - n * -less / (n - (1 + less) * m), 1.0)
    ends = np.cumsum(weight / weight.sum()) * SENTENCES
    start = float(random_fractions(keys_of([record], 0, "start of a planted summary"), 1)[0, 0])
    places = np.minimum(np.searchsorted(ends, start + np.arange(SENTENCES), side="right"), n - 1)
    found, times = [], dict.fromkeys(range(n), 0)
    for place in places.tolist():
        sentences = sentences_of(documents[place]["text"])
        first = _picked(f"{record} {place}", len(sentences))
        found.append((documents[place]["text"], sentences[(first + times[place]) % len(sentences)]))
        times[place] += 1
    return found


def contrasts(spec: str, scorer: Scorer, made: Planted) -> dict[tuple[float, float, str], float]:
    """The relative contrast of the group as an audit gives it: by planted difference, share and fold ("" for all)."""
    measure = f"coverage_parity(scorer={spec}, claims=given)@{ATTRIBUTE}"
    found = fairbrief.audit(
        fairbrief.read(made.rows, record_attributes={"fold": "fold"}),
        [measure], by=["fold"], scorers={spec: scorer}, n_resamples=200, n_extracts=0,
    )  # fmt: skip
    values = {}
    for e in found.estimates:
        if e.quantity == f"relative_difference[{UNDER}]":
            less, _, share = e.system.partition(" at ")
            fold = e.subgroup.get("fold", "") if e.subgroup else ""
            values[float(less), float(share), fold] = float("nan") if e.value is None else e.value
    return values


def recovered(values: Mapping[Any, float], truth: Mapping[Any, float]) -> dict[str, Any]:
    """By share of replaced words: what the contrast is where none is planted, less the truth; and its slope on the truth.

    The slope is the contrast's change from none planted to the largest, per true change. Intervals are by the spread over folds.
    """
    found = {}
    for share in SHARES:
        none, most = (PLANTED[0], share), (PLANTED[-1], share)

        def change(of: Mapping[Any, float], fold: str, none: Any = none, most: Any = most) -> float:
            return of[*most, fold] - of[*none, fold]

        slope = change(values, "") / change(truth, "")
        errors = [values[*none, fold] - truth[*none, fold] for fold in FOLD_NAMES]
        rest = [change(values, fold) - slope * change(truth, fold) for fold in FOLD_NAMES]
        found[f"{share:g}"] = {
            "bias": _around(values[*none, ""] - truth[*none, ""], errors),
            "slope": _around(slope, np.array(rest) / change(truth, "")),
        }
    return found


def _around(figure: float, parts: Sequence[float] | Floats) -> Interval:
    """A figure with its 95 % interval by the spread of its parts."""
    half = t.ppf(0.975, len(parts) - 1) * np.std(parts, ddof=1) / len(parts) ** 0.5
    return [round(float(x), 4) for x in (figure, figure - half, figure + half)]
