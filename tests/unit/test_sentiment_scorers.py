"""The two sentiment scorers keep the contract; gender words, lexicons and word vectors: what is counted, and what is refused."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cli.command import put

from fairbrief import registry, testing
from fairbrief.classifiers.sentiment import (
    Vader,
    WordSentiment,
    passage_sentiment,
    read_lexicon,
    read_vectors,
    words_of,
)
from fairbrief.errors import DataError
from fairbrief.text.gendered_words import count_gender_words, subject_group
from fairbrief.types import Ask


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
    files = (put(tmp_path / "v.txt", "\n".join(lines)), put(tmp_path / "l.csv", "\n".join(table)))
    return WordSentiment(*map(str, files))


@pytest.mark.parametrize("clause", testing.SCORER_CLAUSES, ids=lambda c: c.__name__)
def test_word_sentiment_keeps_the_clause(clause: testing.ScorerClause, made: WordSentiment) -> None:
    """Word sentiment meets every clause of the contract."""
    clause(made, [Ask("x", ("bright wab", "dark", "nothing known"), ("sentiment",))])


def test_vader_is_the_mean_compound_of_the_sentences() -> None:
    """A passage is the mean of its sentences' compound scores, not the compound of all its words; ’ counts as '."""
    analyzer = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    sentences = ["A wonderful, happy day.", "The war was terrible.", "It isn't good.", "It rained."]
    expected = np.mean([analyzer.polarity_scores(s)["compound"] for s in sentences])
    (scores,) = Vader().answer([Ask("vader", (" ".join(sentences).replace("'", "’"), " "), ("sentiment",))])
    assert scores.matrix[0, 0] == pytest.approx(expected)
    assert scores.sizes.tolist() == [4, 0]
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
    spec = f"word_sentiment(vectors='{made.vectors}', lexicon='{made.lexicon}', base=2)"
    registered = registry.make("classifier", spec)
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
    with pytest.raises(DataError, match="1 positive and 1 negative words"):
        WordSentiment(made.vectors, str(put(tmp_path / "few.csv", "waa,1\nwab,-1\n"))).trained()


# ------------------------------------------------------------------------- words, vectors and lexicons


@pytest.mark.parametrize(("text", "counts"), [
    ("She said: HER hat is hers.", (3, 0)), ("He's told him it’s his.", (0, 3)),
    ("The shed, heritage, history and ushers.", (0, 0)), ("she'll meet him/her", (2, 1)),
    ("herself, himself", (0, 0)), ("her_hat his2 <she>-HE", (1, 1)),
])  # fmt: skip
def test_gender_words_are_whole_words_in_any_case(text: str, counts: tuple[int, int]) -> None:
    """Parts of words do not count, and an apostrophe ends a word; beside letters of other alphabets, too."""
    assert count_gender_words(text) == counts == count_gender_words(f"{text} é")


def test_groups_lie_at_and_beyond_the_threshold() -> None:
    """By default all gender words must agree; a lower threshold takes more."""
    assert [subject_group(c) for c in (-1, -0.9, 0, 0.9, 1)] == ["male", None, None, None, "female"]
    assert [subject_group(c, 0.5) for c in (-0.5, 0.49, 0.5)] == ["male", None, "female"]


def test_a_passage_is_the_mean_of_its_known_words() -> None:
    """Unknown words count nowhere; without a known word the passage has no sentiment."""
    scores = {"good": 2.0, "bad": -1.0, "well": 1.0}
    assert passage_sentiment("Good! A bad thing, good.", scores) == (1.0, 3)
    assert passage_sentiment("A well-made thing", scores) == (1.0, 1)
    assert passage_sentiment("A thing", scores) == (0.0, 0)
    assert words_of("Don’t stop: 3 ÉCLAIRS!") == ["don't", "stop", "éclairs"]


# ---------------------------------------------------------------------------------------- vectors


def read(path: Path) -> dict[str, list[float]]:
    """All words of a file with their vectors."""
    pairs = (pair for parts in read_vectors(path) for pair in zip(*parts, strict=True))
    return {word: vector.tolist() for word, vector in pairs}


@pytest.mark.parametrize("header", ["", "3 2\n"])
@pytest.mark.parametrize("zipped", [False, True])
def test_word2vec_and_glove_files_read_alike(tmp_path: Path, header: str, *, zipped: bool) -> None:
    """With or without header, plain or gzipped whatever the name; words of several parts keep together."""
    text = f"{header}the 1 2.5\nNew York -1e-1 3\nThe 9 9\n"
    path = put(tmp_path / "vectors.txt", gzip.compress(text.encode()) if zipped else text.encode())
    assert read(path) == {"the": [1, 2.5], "new york": [pytest.approx(-0.1), 3]}


@pytest.mark.parametrize(("content", "message"), [
    (b"a 1 2\nb 1\n", "line 2: 'b 1' is not a word with 2 finite numbers"),
    (b"a 1 2\nb 1 x\n", "line 2: 'b 1 x' is not a word with 2 finite numbers"),
    (b"2 2\na 1 2\nb 1 nan\n", "line 3: 'b 1 nan' is not a word with 2 finite numbers"),
    (b"hello\n", "line 1: 'hello' is not a word with 2 finite numbers"), (b"", "no word vector found"),
    (b"3 2\na \xff\xfe\x00\x80\n", "not a text file"), (gzip.compress(b"a 1 2\n" * 1000, mtime=0)[:-12], "cut off"),
    (None, "no such file"),
])  # fmt: skip
def test_a_malformed_vector_file_names_its_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    """File and line, what was found, what was wanted; what is no text is said to be none."""
    path = tmp_path / "vectors.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(path)


# --------------------------------------------------------------------------------------- lexicons


def test_a_table_of_words_and_labels_is_a_lexicon(tmp_path: Path) -> None:
    """Labels in words or numbers, a header or none; a word of both kinds teaches nothing."""
    path = put(tmp_path / "lexicon.csv", "word,label\nGood,positive\nbad,-1\nfine,1\nodd,1\nodd,-1\n")
    assert read_lexicon(str(path)) == {"good": 1, "bad": -1, "fine": 1}
    with pytest.raises(DataError, match=r"line 2: found 'bad,awful'"):
        read_lexicon(str(put(path, "good,positive\nbad,awful\n")))
    with pytest.raises(DataError, match="no such lexicon"):
        read_lexicon(str(tmp_path / "absent.csv"))


def test_the_two_word_files_are_a_lexicon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments are passed over, Latin-1 is read, and NLTK's data is found through NLTK_DATA."""
    folder = tmp_path / "corpora" / "opinion_lexicon"
    folder.mkdir(parents=True)
    (folder / "positive-words.txt").write_bytes(b"; comment\n\nfine\n")
    with pytest.raises(DataError, match=r"no negative-words\.txt"):
        read_lexicon(str(folder))
    (folder / "negative-words.txt").write_bytes("; comment\nna\xefve\n".encode("latin-1"))
    wanted = {"fine": 1, "naïve": -1}
    assert read_lexicon(str(folder)) == wanted
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    assert read_lexicon("opinion") == wanted


def test_an_absent_lexicon_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the command, the variable, and the other ways."""
    monkeypatch.delenv("NLTK_DATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(DataError, match=r"nltk\.downloader opinion_lexicon.*NLTK_DATA.*lexicon=FOLDER"):
        read_lexicon("opinion")
