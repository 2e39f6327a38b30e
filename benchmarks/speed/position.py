"""How fast are sentences mapped to their sources? Ratios against a plain transcription in the same run.

Run: python -m benchmarks.speed.position FILE.jsonl [--out OUT]

The plain transcription fits scikit-learn's vectorizer on each article and text (summary or reference),
as the position paper's release does, and takes the most similar article sentence of each sentence.
Both sides start from whole texts and cut them by the same rule, whose time is taken off both; both must
find the same sources. CPU seconds of one core, the least of several rounds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import numpy as np
from benchmarks.recording import best_seconds, options, times_faster, write_down
from sklearn.feature_extraction.text import TfidfVectorizer

from fairbrief.measures.position import DECIMALS, mass_of_sources
from fairbrief.scorers.word_counts import Tfidf
from fairbrief.text.sentences import split
from fairbrief.types import Ask

ROUNDS = 5
Texts = list[tuple[str, list[str]]]


def read(path: Path) -> Texts:
    """Articles with their summary and references, of all records that have words."""
    found = []
    with path.open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            article = "\n".join(d["text"] for d in line["documents"])
            texts = [line["summary"], *line.get("references", [])]
            if article.strip() and all(text.strip() for text in texts):
                found.append((article, texts))
    return found


def cut(records: Texts) -> list[tuple[list[str], list[list[str]]]]:
    return [(split(article), [split(text) for text in texts]) for article, texts in records]


def map_plainly(records: Texts) -> list[list[float]]:
    """How often each article sentence is a source, for every text, with a vectorizer of its own."""
    found = []
    for article, texts in cut(records):
        for text in texts:
            tfidf = TfidfVectorizer().fit_transform(text + article)
            similarity = (tfidf * tfidf.T).toarray()[: len(text), len(text) :]
            # Rounded as ours are, so that both call the same sentences tied.
            sources = similarity.round(DECIMALS).argmax(axis=1)[similarity.max(axis=1) > 0]
            found.append(np.bincount(sources, minlength=len(article)).tolist())
    return found


def map_ours(records: Texts, fitted: Literal["article", "pair"]) -> list[list[float]]:
    """The same through the scorer, all articles in one call."""
    asks = [Ask("tfidf", (article,), tuple(texts)) for article, texts in records]
    found = []
    for ask, scores in zip(asks, Tfidf(fitted=fitted, sentences="builtin").answer(asks), strict=True):
        for i in range(len(ask.columns)):
            mass, _ = mass_of_sources(scores.matrix[:, scores.owner == i], 1, once=False, shares_ties=False)
            found.append(mass.tolist())
    return found


def main() -> None:
    asked = options(__doc__, "file", "--out").parse_args()
    records = read(asked.file)
    if map_ours(records, "pair") != map_plainly(records):
        raise SystemExit("the two ways find different sources")
    cutting, plain, on_article, on_pair = best_seconds(
        lambda: cut(records), lambda: map_plainly(records),
        lambda: map_ours(records, "article"), lambda: map_ours(records, "pair"), rounds=ROUNDS,
    )  # fmt: skip
    found = {
        "articles": len(records),
        "article_sentences": sum(len(article) for article, _ in cut(records)),
        "cutting_seconds": cutting,
        "mapping_fitted_on_the_article": times_faster(on_article - cutting, plain - cutting),
        "mapping_fitted_on_the_pair": times_faster(on_pair - cutting, plain - cutting),
    }
    write_down(__file__, found, seed=0, out=asked.out)


if __name__ == "__main__":
    main()
