"""tfidf and rouge1: sentences against sentences."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief import registry
from fairbrief.errors import MissingExtra, RequestError
from fairbrief.scorers.word_counts import Rouge1, Rouge2, Tfidf
from fairbrief.text import published_nltk, rouge
from fairbrief.text.sentences import split
from fairbrief.types import Ask, Floats

ARTICLE = "The mayor opened the bridge. The bridge cost ten million. Rain fell.\nCritics, the mayor said, were wrong."
SUMMARIES = ("A bridge was opened by the mayor. It rained.", "Critics were wrong.", "")
WHOLE = [Ask("s", (ARTICLE,), SUMMARIES)]
words = st.sampled_from(["bridge", "mayor", "the", "a", "Rain", "été", "x", "1", "10", "_", "don't", "."])
sentence = st.lists(words, max_size=7).map(" ".join)


def sklearn_cosines(rows: list[str], columns: list[str], *, pair: bool) -> Floats:
    """What scikit-learn's vectorizer with its defaults answers; zeros where it has no vocabulary."""
    text = pytest.importorskip("sklearn.feature_extraction.text")
    try:
        fitted = text.TfidfVectorizer().fit([*columns, *rows] if pair else rows)
    except ValueError:
        return np.zeros((len(rows), len(columns)))
    if not columns:
        return np.zeros((len(rows), 0))
    cosines: Floats = (fitted.transform(rows) @ fitted.transform(columns).T).toarray()
    return cosines


@settings(max_examples=60, deadline=None)
@given(st.lists(sentence, min_size=1, max_size=6), st.lists(sentence, max_size=4))
def test_weights_are_those_of_scikit_learn(rows: list[str], columns: list[str]) -> None:
    """Fitted on the article's sentences and applied to the summary's; or on the rows and each column anew. To 1e-12."""
    ask = Ask("tfidf", tuple(rows), tuple(columns), whole=True)
    of_pairs = [sklearn_cosines(rows, [column], pair=True) for column in columns]
    article = sklearn_cosines(rows, columns, pair=False)
    pair = np.hstack([np.zeros((len(rows), 0)), *of_pairs])
    for scorer, cosines in ((Tfidf(), article), (Tfidf(fitted="pair"), pair)):
        (found,) = scorer.answer([ask])
        assert found.matrix == pytest.approx(cosines, abs=1e-12)


def test_whole_texts_are_cut_and_fitted_text_by_text() -> None:
    """Rows are the article's sentences, units those of the summaries, owners the summaries they are of."""
    (found,) = Tfidf(fitted="pair", sentences="builtin").answer(WHOLE)
    rows, parts = split(ARTICLE), [split(text) for text in SUMMARIES]
    wanted = np.hstack([sklearn_cosines(rows, part, pair=True) for part in parts])
    assert found.matrix == pytest.approx(wanted, abs=1e-12)
    assert found.owner.tolist() == [0, 0, 1]
    assert found.sizes.tolist() == [5, 5, 2, 6]


def test_rouge1_between_sentences_is_that_of_whole_texts() -> None:
    """Every cell is ROUGE-1 F of the two sentences; rouge2 is ROUGE-2 F."""
    rows, columns = split(ARTICLE), [s for text in SUMMARIES for s in split(text)]
    for scorer, kind in ((Rouge1(sentences="builtin"), 0), (Rouge2(sentences="builtin"), 1)):
        (found,) = scorer.answer(WHOLE)
        wanted = rouge.rouge_scores([(row, column) for row in rows for column in columns])[:, kind, 2]
        assert found.matrix == pytest.approx(wanted.reshape(len(rows), -1), abs=1e-12)


def test_identical_article_sentences_are_exactly_tied() -> None:
    """No rounding parts what is the same, so that the earliest can win."""
    ask = Ask("s", ("It rained. We left. It rained.",), ("It rained hard.",))
    (found,) = Tfidf(sentences="builtin").answer([ask])
    assert found.matrix[0, 0] == found.matrix[2, 0]


def test_sentences_without_spaces_are_compared_by_their_words() -> None:
    """A Chinese sentence resembles the one that it shares words with, though no blank parts them."""
    (found,) = Tfidf(sentences="builtin").answer([Ask("s", ("房间太小了。早餐很好吃。",), ("早餐好吃。",))])
    assert found.matrix.shape == (2, 1)
    assert found.matrix[1, 0] > found.matrix[0, 0] == 0


@pytest.mark.parametrize(("spec", "message"), [
    ("tfidf(fitted=corpus)", r"tfidf\(fitted='corpus'\): give article or pair\."),
    ("ngram(n=0)", r"ngram\(n=0\): give a whole number, at least 1"),
    ("ngram(tokenizer=nltk, stem=true)", "ngram: stem is for the tokenizer words"),
    ("entailment(batch_tokens=many)", "give auto or a whole number"),
    ("entailment(model=' ')", "Give a hub model or a local folder"),
    ("bertscore(rescale=much)", "give auto or none or a number"),
    ("bertscore(rescale=1)", "give auto or none or a number, below 1"),
    ("chat_entailment:m(unparsed=2)", r"chat_entailment\(unparsed=2.0\): give a number, at least 0 and at most 1"),
    ("word_sentiment", "needs vectors"),
])  # fmt: skip
def test_settings_that_are_not_allowed_are_refused_with_those_that_are(spec: str, message: str) -> None:
    """Before any model or file is read."""
    with pytest.raises(RequestError, match=message):
        registry.make("scorer or classifier", spec)


@pytest.mark.parametrize(("module", "spec", "extra"), [
    ("nltk", "ngram(tokenizer=nltk)", "nltk"), ("nltk", "tfidf(sentences=punkt)", "nltk"),
    ("nltk.stem.porter", "rouge1(stem=true)", "nltk"),
    ("spacy", "people(recogniser=spacy:absent-library)", "spacy"), ("torch", "entailment", "neural"),
])  # fmt: skip
def test_missing_extra_is_named(module: str, spec: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, module, None)
    for name in ("word_cutter", "punkt", "_stop_words", "_stemmer"):
        getattr(published_nltk, name).cache_clear()
    rouge._porter.cache_clear()
    scorer = registry.make("scorer or classifier", spec)
    with pytest.raises(MissingExtra, match=rf"fairbrief\[{extra}\]"):
        list(scorer.answer([Ask("", ("Zork unmissed.",), ("Zork left.",))]))


@pytest.mark.parametrize("spec", [
    "equal_coverage(scorer=SCORER)@a", "coverage_parity(scorer=SCORER)@a", "uer(scorer=SCORER)@a",
    "uer(tokens=SCORER)@a", "sentiment_shift(scorer=SCORER)", "sentiment_change(scorer=SCORER)",
    "scorer_bias_sentiment(scorer=SCORER)@a", "scorer_bias_support(scorer=SCORER)@a",
    "judged(scorer=SCORER)", "judged_by_group(scorer=SCORER)@a",
])  # fmt: skip
@pytest.mark.parametrize("name", ["tfidf", "rouge1", "rouge2"])
def test_a_measure_of_whole_texts_refuses_a_scorer_that_cuts_them(spec: str, name: str) -> None:
    """Such a scorer answers by sentence; the refusal names measure, setting and scorer, and what to leave out."""
    for sentences in ("builtin", "punkt"):
        scorer = f"{name}(sentences={sentences})"
        measure, setting = re.split(r"[(=]", spec)[:2]
        wanted = rf"^{measure}: {setting}={re.escape(scorer)} .* leave sentences={sentences} out of {name}$"
        with pytest.raises(RequestError, match=wanted):
            registry.make("measure", spec.replace("SCORER", scorer))
    for whole in (name, f"{name}(sentences=given)"):
        registry.make("measure", spec.replace("SCORER", whole))
