"""Value distributions against a plain transcription of the published arithmetic, in one run.

    python -m benchmarks.speed.representation RECORDS.jsonl ATTRIBUTE [--records N]

NLTK_DATA must point to NLTK's data. Prints JSON: seconds of CPU for the transcription and for each reading
(words not remembered from before; libraries and word lists loaded beforehand for all), their ratios (wanted:
``words`` ≥ 50, ``nltk`` ≥ 15), the largest difference of UER between the transcription and the reading
``nltk``, and the seconds that 2,000 label permutations of every record take.
"""

from __future__ import annotations

import json
import string
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from benchmarks.recording import options, write_down

from fairbrief.measures.representation import Uer
from fairbrief.registry import make
from fairbrief.types import Case, Document, Reason, Record, Scorer, Scores, Summary

PERMUTATIONS = 2000


def read(path: Path, over: str, count: int) -> list[Case]:
    cases: list[Case] = []
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["summary"].strip() and len(cases) < count:
            made = tuple(Document(d["text"], {over: d["attributes"][over]}) for d in line["documents"])
            cases.append(Case(Record(line["id"], made), Summary(line["id"], "s", line["summary"])))
    return cases


def transcribed(cases: Sequence[Case], over: str) -> list[float]:
    """UER of each record, token by token, with the stop words in a list, remembering nothing."""
    import nltk
    from nltk.corpus import stopwords

    stop = list(string.punctuation) + stopwords.words() + ["||", "people", "''", "``", "...", ".."]
    lemmatizer, stemmer = nltk.stem.WordNetLemmatizer(), nltk.stem.PorterStemmer()
    classifier = nltk.tag.PerceptronTagger()

    def process(text: str) -> list[str]:
        stems = []
        for token in nltk.word_tokenize(text.lower()):
            if token not in stop:
                tag = classifier.tag([token])[0][1]
                part = {"JJ": "a", "VB": "v", "RB": "r"}.get(tag[:2], "n")
                stems.append(stemmer.stem(lemmatizer.lemmatize(token, part)))
        return stems

    found = []
    for case in cases:
        by_value: dict[str, list[str]] = {}
        for document in case.record.documents:
            by_value.setdefault(document.attributes[over], []).append(document.text)
        sources = [process(" || ".join(texts)) for texts in by_value.values()]
        target = process(case.summary.text)
        counts = [len(source) for source in sources]
        hits = [sum(token in types for token in target) for types in map(set, sources)]
        kept = [i for i in range(len(sources)) if counts[i]]
        p_x = [counts[i] / sum(counts) for i in kept]
        total = sum(hits[i] for i in kept)
        p_y = [hits[i] / total if total else 1 / len(kept) for i in kept]
        found.append(sum(max(0.0, x - y) for x, y in zip(p_x, p_y, strict=True)) / len(kept))
    return found


def scored(cases: Sequence[Case], measure: Uer, scorer: Scorer) -> list[list[Scores]]:
    asks = [measure.observation.asks((case,)) for case in cases]
    answers = iter(scorer.answer([ask for several in asks for ask in several]))
    return [[next(answers) for _ in several] for several in asks]


def observed(
    cases: Sequence[Case], measure: Uer, scores: Sequence[list[Scores]], permutations: int
) -> list[float]:
    rng, found = np.random.default_rng(0), []
    for case, several in zip(cases, scores, strict=True):
        exchange = measure.observation.permutation_scheme((case,))
        if exchange is None:
            found.append(np.nan)
            continue
        labels = np.tile(exchange.labels, (permutations, 1))
        labels[1:] = rng.permuted(labels[1:], axis=1)
        rows = measure.observation.observe((case,), several, labels)
        found.append(np.nan if isinstance(rows, Reason) else rows.values[0, rows.columns.index(("uer",))])
    return found


def main() -> None:
    parser = options(__doc__, "file", "--out", records=sys.maxsize)
    parser.add_argument("over")
    asked = parser.parse_args()
    cases = read(asked.file, asked.over, asked.records)
    readings = {
        "words": Uer(asked.over, no_match="uniform", single="fair"),
        "nltk": Uer(asked.over, "ngram(tokenizer=nltk)", no_match="uniform", single="fair"),
    }
    seconds, uers, labelled = {}, {}, {}
    for reading, measure in readings.items():
        start = time.process_time()
        scores = scored(cases, measure, make("scorer", f"ngram(tokenizer={reading})"))
        uers[reading] = observed(cases, measure, scores, 1)
        seconds[reading] = time.process_time() - start
        start = time.process_time()
        observed(cases, measure, scores, PERMUTATIONS)
        labelled[reading] = time.process_time() - start
    start = time.process_time()
    plain = transcribed(cases, asked.over)
    seconds["transcribed"] = time.process_time() - start
    told = {
        "records": len(cases),
        "seconds": seconds,
        "ratio": {reading: seconds["transcribed"] / seconds[reading] for reading in readings},
        "difference": abs(float(np.mean(plain)) - float(np.mean(uers["nltk"]))),
        "seconds_of_2000_permutations": labelled,
    }
    write_down(__file__, told, seed=0, out=asked.out)


if __name__ == "__main__":
    main()
