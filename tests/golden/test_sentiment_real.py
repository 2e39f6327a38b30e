"""Sentiment on real texts: a classifier taught by Hu & Liu on vectors made here, and planted shifts in news."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import svds

from fairbrief.auditing import Plan, audit
from fairbrief.classifiers.sentiment import Vader, WordSentiment, read_lexicon, words_of
from fairbrief.measures.record_texts import known, subject_of
from fairbrief.reports.result import Result
from fairbrief.text.gendered_words import gender_coefficient
from fairbrief.text.sentences import split
from fairbrief.types import Ask, Case, Document, Estimate, Record, Summary

HARSH = "This was a terrible and shameful disaster."


@pytest.fixture(scope="module")
def reviews(shared: Path) -> list[list[str]]:
    """The words of 13,500 reviews."""
    path = shared / "data" / "reviews" / "yelp__gpt-4.jsonl"
    with path.open(encoding="utf-8") as lines:
        return [words_of(d["text"]) for line in lines for d in json.loads(line)["documents"]]


@pytest.fixture(scope="module")
def vectors(reviews: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Vectors of some 5,000 words in word2vec's text format: positive PMI within four words, by SVD."""
    counts = Counter(word for words in reviews for word in words)
    known = [word for word, n in counts.most_common(5000) if n >= 5]
    place = {word: i for i, word in enumerate(known)}
    flat = np.array([place.get(word, -1) for words in reviews for word in (*words, "", "", "", "")])
    n = len(known)
    pairs = sparse.csr_matrix((n, n))
    for distance in range(1, 5):
        a, b = flat[:-distance], flat[distance:]
        both = (a >= 0) & (b >= 0)
        pairs = pairs + sparse.coo_matrix((np.ones(both.sum()), (a[both], b[both])), shape=(n, n)).tocsr()
    pairs = (pairs + pairs.T).tocoo()
    margin = np.asarray(pairs.sum(axis=0)).ravel()
    pmi = np.log(pairs.data * margin.sum() / (margin[pairs.row] * margin[pairs.col]))
    kept = pmi > 0
    matrix = sparse.csr_matrix((pmi[kept], (pairs.row[kept], pairs.col[kept])), shape=(n, n))
    left, sizes, _ = svds(matrix, k=100, random_state=0)
    path = tmp_path_factory.mktemp("vectors") / "reviews.txt"
    with path.open("w", encoding="utf-8") as lines:
        lines.write(f"{n} 100\n")
        for word, vector in zip(known, left * np.sqrt(sizes), strict=True):
            lines.write(f"{word} {' '.join(f'{x:.4f}' for x in vector)}\n")
    return path


def test_the_opinion_lexicon_is_read_whole(nltk_data: Path) -> None:  # noqa: ARG001
    """2,006 positive and 4,783 negative entries, less repetitions and words of both kinds."""
    kinds = Counter(read_lexicon("opinion").values())
    assert 1990 <= kinds[1] <= 2006
    assert 4770 <= kinds[-1] <= 4783


def test_a_classifier_knows_words_that_it_was_not_taught(vectors: Path, nltk_data: Path) -> None:  # noqa: ARG001
    """Held-out accuracy on Hu & Liu's words is far above the commoner kind's share, for any split."""
    pytest.importorskip("sklearn")
    for seed in (0, 1):
        trained = WordSentiment(str(vectors), held_out=0.25, seed=seed).trained()
        assert trained.tested > 150
        assert trained.majority < 0.6
        assert trained.accuracy > 0.78


# ------------------------------------------------------------------------------------ planted shifts


@pytest.fixture(scope="module")
def news(shared: Path) -> list[Case]:
    """News about women or men: a random extract of three sentences, and one that is harsh only on women."""
    rng = np.random.default_rng(0)
    cases = []
    with (shared / "data" / "news" / "xsum__lead3.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            data = json.loads(line)
            record = Record(data["id"], tuple(Document(d["text"]) for d in data["documents"]))
            sentences = split(known(record).source)
            if abs(gender_coefficient(known(record).source) or 0.0) < 1 or len(sentences) < 4:
                continue
            group = subject_of(record, "", 1.0)
            chosen = sorted(rng.choice(len(sentences), 3, replace=False))
            extract = "\n".join(sentences[i] for i in chosen)
            harsh = f"{extract}\n{HARSH}" if group == "female" else extract
            cases += [
                Case(record, Summary(record.id, system, text))
                for system, text in (("random", extract), ("harsh", harsh))
            ]
    return cases


@pytest.fixture(scope="module")
def audited(news: list[Case]) -> Result:
    """Both systems, by gender of the subject."""
    pytest.importorskip("vaderSentiment")
    asked = {"sanity_baselines": ["random_sentences"], "check_scorers": False}
    return audit(news, Plan(measures=["sentiment_shift"], n_resamples=200, **asked))


def found(result: Result, system: str, quantity: str = "sentiment_shift") -> Estimate:
    """One system's estimate."""
    (estimate,) = [e for e in result.estimates if e.system == system and e.quantity == quantity]
    return estimate


def test_a_random_extract_shifts_no_group_more(audited: Result) -> None:
    """Some 70 articles about women and 500 about men: no difference, and none at equal article sentiment."""
    estimate = found(audited, "random")
    assert estimate.n > 500
    assert estimate.p > 0.05
    assert estimate.low < 0 < estimate.high
    assert found(audited, "random", "adjusted_difference[female−male]").p > 0.05


def test_a_planted_shift_is_found_with_its_size(audited: Result, news: list[Case]) -> None:
    """One harsh sentence in four: the difference moves by its mean effect, to the last digit."""
    random, harsh = found(audited, "random"), found(audited, "harsh")
    texts = {s: [c.summary.text for c in news if c.summary.system == s] for s in ("random", "harsh")}
    female = [a != b for a, b in zip(texts["random"], texts["harsh"], strict=True)]
    asks = [Ask("vader", tuple(texts[system]), ("sentiment",)) for system in ("random", "harsh")]
    before, after = (scores.matrix[:, 0] for scores in Vader().answer(asks))
    planted = (after - before)[female].mean()
    assert planted < -0.1
    assert harsh.value - random.value == pytest.approx(planted, abs=1e-12)
    assert harsh.high < 0
    assert harsh.p < 0.01
    gaps = {(d.quantity, d.baseline_kind): d for d in audited.differences}
    assert gaps["sentiment_shift", "system"].p < 0.01


def test_a_random_extract_keeps_the_mean_of_its_sentences_alone(audited: Result, news: list[Case]) -> None:
    """The slope's chance level is zero for means of sentences; scores of whole texts shrink with length."""
    by_sentence = found(audited, "random", "slope[male]")
    assert by_sentence.low < 0 < by_sentence.high
    random = [c for c in news if c.summary.system == "random"][::2]
    asked = {"n_resamples": 50, "n_extracts": 0, "check_scorers": False}
    whole = audit(random, Plan(measures=["sentiment_shift(scorer=vader(by=text))"], **asked))
    assert found(whole, "random", "slope[male]").high < -0.3
