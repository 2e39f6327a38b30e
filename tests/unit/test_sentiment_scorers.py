"""The two sentiment scorers keep the contract, and say how good and how sure they are."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fairbrief import registry, testing
from fairbrief.classifiers.sentiment import Vader, WordSentiment
from fairbrief.errors import DataError
from fairbrief.testing import SCORER_CLAUSES
from fairbrief.types import Ask

TEXTS = ("A wonderful, happy day. Everyone smiled.", "A terrible war killed thousands.", "", "Zzyzx qwrt.")
ASKS = [Ask("x", TEXTS, ("sentiment",)), Ask("x", TEXTS[:1], ("sentiment",)), Ask("x", (), ("sentiment",))]


@pytest.fixture
def made(tmp_path: Path) -> WordSentiment:
    """A scorer over vectors whose first coordinate leans with the polarity of the word."""
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    lines, table = [], []
    for i in range(400):
        kind = 1 if i % 3 == 0 else -1
        vector = rng.normal(size=8) * 0.5
        vector[0] += kind
        lines.append(f"w{chr(97 + i // 26)}{chr(97 + i % 26)} " + " ".join(f"{x:.5f}" for x in vector))
        table.append(f"{lines[-1].split()[0]},{kind}")
    lines.append("bright 3 " + " ".join(["0"] * 7))
    lines.append("dark -3 " + " ".join(["0"] * 7))
    (tmp_path / "v.txt").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "l.csv").write_text("\n".join(table), encoding="utf-8")
    return WordSentiment(str(tmp_path / "v.txt"), str(tmp_path / "l.csv"))


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda c: c.__name__)
def test_vader_keeps_the_clause(clause: testing.ScorerClause) -> None:
    """VADER meets every clause of the contract, for empty texts and asks, too."""
    pytest.importorskip("vaderSentiment")
    clause(Vader(), ASKS)
    clause(Vader(by="text"), ASKS)


@pytest.mark.parametrize("clause", SCORER_CLAUSES, ids=lambda c: c.__name__)
def test_word_sentiment_keeps_the_clause(clause: testing.ScorerClause, made: WordSentiment) -> None:
    """Word sentiment meets every clause of the contract."""
    clause(made, [Ask("x", ("bright wab", "dark", "nothing known"), ("sentiment",))])


def test_vader_is_the_mean_compound_of_the_sentences() -> None:
    """A passage is the mean of its sentences' compound scores, not the compound of all its words."""
    analyzer = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    sentences = ["A wonderful, happy day.", "The war was terrible.", "It rained."]
    expected = np.mean([analyzer.polarity_scores(s)["compound"] for s in sentences])
    (scores,) = Vader().answer([Ask("vader", (" ".join(sentences), " "), ("sentiment",))])
    assert scores.matrix[0, 0] == pytest.approx(expected)
    assert scores.sizes.tolist() == [3, 0]
    (whole,) = Vader(by="text").answer([Ask("vader", (" ".join(sentences),), ("sentiment",))])
    assert whole.matrix[0, 0] == analyzer.polarity_scores(" ".join(sentences))["compound"]


def test_the_score_of_a_word_is_the_difference_of_the_log_probabilities(made: WordSentiment) -> None:
    """It is log P(positive) − log P(negative) of scikit-learn's own probabilities, on the same split."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    lines = [line.split() for line in Path(made.vectors).read_text().splitlines()]
    labels = dict(line.split(",") for line in Path(made.lexicon).read_text().splitlines())
    x = np.array([[float(v) for v in line[1:]] for line in lines], dtype=np.float32).astype(float)
    y = np.array([int(labels.get(line[0], 0)) for line in lines])
    taught, tested = train_test_split(np.arange(400), test_size=40, random_state=0, stratify=y[:400])
    model = LogisticRegression(max_iter=2000).fit(x[taught], y[taught])
    log = model.predict_log_proba(x)
    trained = made.trained()
    ours = [trained.scores[line[0]] for line in lines]
    np.testing.assert_allclose(ours, log[:, 1] - log[:, 0], rtol=1e-5, atol=1e-6)
    assert trained.accuracy == model.score(x[tested], y[tested])
    assert trained.tested == 40


def test_in_the_papers_unit_a_word_of_plus_one_is_twice_as_likely_to_be_positive(made: WordSentiment) -> None:
    """Chau & Kim: with base 2, P(positive) / P(negative) = 2 ** score; in nats, the default, it is e ** score.

    A word of which both are told, 2/3 against 1/3, scores log2 2 = 1 in the paper's unit and ln 2 = 0.693 in nats.
    """
    registered = registry.make(
        "classifier", f"word_sentiment(vectors='{made.vectors}', lexicon='{made.lexicon}', base=2)"
    )
    assert isinstance(registered, WordSentiment)
    bits, nats = registered.trained(), made.trained()
    for word, score in nats.scores.items():
        assert 2 ** bits.scores[word] == pytest.approx(math.exp(score))
    assert bits.accuracy == nats.accuracy
    assert registered.fingerprint != made.fingerprint


def test_held_out_accuracy_stands_in_the_fingerprint_and_beats_the_majority(made: WordSentiment) -> None:
    """Vectors that know polarity give an accuracy well above always saying the commoner kind."""
    trained = made.trained()
    assert trained.accuracy > 0.9 > trained.majority
    assert f"held-out accuracy:{trained.accuracy:.3f} of 40 words" in made.fingerprint
    assert replace(made, seed=1).fingerprint != made.fingerprint


def test_too_few_lexicon_words_with_a_vector_are_refused(tmp_path: Path, made: WordSentiment) -> None:
    """The message counts what there was of each kind."""
    (tmp_path / "few.csv").write_text("waa,1\nwab,-1\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 positive and 1 negative words"):
        WordSentiment(made.vectors, str(tmp_path / "few.csv")).trained()
