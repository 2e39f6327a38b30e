"""Two readings of words, and the scorers over them: n-grams, and containment, the judge of support that needs no model."""

from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairbrief.errors import RequestError
from fairbrief.scorers.shared_words import Containment, Ngram
from fairbrief.text import published_nltk
from fairbrief.text.paraphrase import paraphrase, why_not
from fairbrief.text.rouge import STOP_WORDS, words
from fairbrief.text.segmentation import words_of
from fairbrief.types import Ask

ASKS = [
    Ask("ngram", ("Good soup, good bread.", "", "Cold soup!"), ("Soup: good soup", "bread")),
    Ask("ngram", ("x",), ()),
]


@pytest.fixture
def forgotten():  # noqa: ANN201
    """NLTK's loaded parts are forgotten before and after."""
    parts = (published_nltk._stop_words, published_nltk._stemmer, published_nltk.punkt)
    for part in parts:
        part.cache_clear()
    yield
    for part in parts:
        part.cache_clear()


def test_words() -> None:
    """Case, punctuation and function words go; numbers, foreign letters and contents stay, in order."""
    assert words("The CAFÉ's 2 cats — they’re «good», aren't they?") == ["café's", "2", "cats", "good"]
    assert words("the was n't !?") == []
    assert "good" not in STOP_WORDS


def test_matrix() -> None:
    """One column per occurrence, owned by its text; sizes count tokens whatever n is."""
    (scores, nothing) = Ngram().answer(ASKS)
    assert scores.matrix.tolist() == [[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0]]
    assert scores.owner.tolist() == [0, 0, 0, 1]
    assert scores.sizes.tolist() == [4, 0, 2]
    assert nothing.matrix.shape == (1, 0)
    (pairs,) = Ngram(n=2).answer([Ask("ngram(n=2)", ("good soup today",), ("very good soup, good soup",))])
    assert pairs.matrix.tolist() == [[1, 0, 1]]
    assert pairs.sizes.tolist() == [3]


@pytest.mark.usefixtures("nltk_data", "forgotten")
def test_nltk_reading() -> None:
    """Stop words of all languages and the extra ones go; the rest is lemmatised under its own tag and stemmed."""
    found = published_nltk.words("People were quickly running to nicer restaurants || ... !! für")
    assert found == ["quickli", "run", "nicer", "restaur"]


@pytest.mark.parametrize(("text", "wanted"), [
    ("a\u2014b 'cause rock 'n' roll 'x", "a\u2014b 'cause rock 'n ' roll ' x"),
    ("'twas an 'x' in o'clock", "'t was an ' x ' in o'clock"),
    (
        "well \u2014 a\u2014b can't, \"won't\" (gonna).",
        "well \u2014 a\u2014b ca n't , `` wo n't '' ( gon na ) .",
    ),
    ("$3,000: it's 5%... @you #tag; <b> a--b", "$ 3,000 : it 's 5 % ... @ you # tag ; < b > a -- b"),
    (
        "«q» \u201cr\u201d \u2018s\u2019 dogs' u.s. he'd 're",
        "« q » \u201c r \u201d \u2018 s \u2019 dogs ' u.s. he 'd 're",
    ),
])  # fmt: skip
def test_words_are_cut_as_by_nltk_3_9_1(text: str, wanted: str) -> None:
    """As the published numbers were made, with any NLTK that the extra allows."""
    pytest.importorskip("nltk")
    assert " ".join(published_nltk.word_cutter()(text)) == wanted
    assert "rules of 3.9.1" in Ngram(tokenizer="nltk").fingerprint


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize(("read", "needed"), [
    (published_nltk.words, "punkt_tab stopwords averaged_perceptron_tagger_eng wordnet"),
    (published_nltk.split, "punkt_tab"), (lambda text: paraphrase(text, 1, "a"), "wordnet"),
])  # fmt: skip
def test_missing_data(
    read: Callable[[str], Any], needed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Absent NLTK data is named, all of it at once, with the variable that points to it."""
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "stopwords", _absent())
    monkeypatch.setattr(nltk.corpus, "wordnet", _absent())
    with pytest.raises(RequestError, match=rf"needs NLTK's data \({needed}\).*NLTK_DATA") as raised:
        read("unheardofword and an unrememberedterm")
    assert why_not() == str(raised.value) or needed != "wordnet"


def _absent():  # noqa: ANN202
    from nltk.corpus.reader import WordListCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    return LazyCorpusLoader("stopwords_that_are_absent", WordListCorpusReader, r".*")


TEXTS = st.text("ab c'é", max_size=12)
ROWS = ("The soup was cold.", "The soup was hot, and the waiter kind.", "The lift is broken.")


def words_in(text: str) -> set[str]:
    """The distinct words of a text, as containment compares them."""
    return set(words_of(text.lower().replace("’", "'")))


def matrix(rows: tuple[str, ...], columns: tuple[str, ...]) -> Any:
    """The scores of one ask."""
    (scores,) = Containment().answer([Ask("containment", rows, columns)])
    return scores.matrix


def test_score_is_the_weighted_share_of_the_words() -> None:
    """One column worked out by hand: found weights over all weights, a word of no row included."""

    def idf(df: int) -> float:
        return log(1 + (3 - df + 0.5) / (df + 0.5))

    found = matrix(ROWS, ("The soup was superb: the SOUP!",))
    words = {"the": 3, "soup": 2, "was": 2, "superb": 0}
    total = sum(idf(df) for df in words.values())
    both = (idf(3) + 2 * idf(2)) / total
    np.testing.assert_allclose(found[:, 0], [both, both, idf(3) / total])


def test_a_column_without_words_scores_zero() -> None:
    """Punctuation alone is supported by nothing, and no number is undefined."""
    np.testing.assert_array_equal(matrix(ROWS, ("", "!?")), np.zeros((3, 2)))


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_scores_are_shares(rows: list[str], columns: list[str]) -> None:
    """Whatever the texts, scores lie in [0, 1], and a column inside a row's words scores 1 there."""
    found = matrix(tuple(rows), tuple(columns))
    assert found.shape == (len(rows), len(columns))
    assert ((found >= 0) & (found <= 1)).all()
    for i, row in enumerate(map(words_in, rows)):
        for j, column in enumerate(map(words_in, columns)):
            if column and column <= row:
                assert found[i, j] == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 40), max_size=5), min_size=1, max_size=8))
def test_rows_of_the_same_words_and_no_others_count_once(drawn: list[list[int]]) -> None:
    """Which rows count is told by their sets of words, however alike others are."""
    rows = tuple(" ".join(f"w{i}" for i in own) for own in drawn)
    different = tuple({frozenset(own): row for own, row in zip(drawn, rows, strict=True)}.values())
    columns = (" ".join(f"w{i}" for i in range(41)),)
    score = dict(zip(different, matrix(different, columns)[:, 0], strict=True))
    of_sets = {frozenset(row.split()): value for row, value in score.items()}
    assert matrix(rows, columns)[:, 0].tolist() == [of_sets[frozenset(row.split())] for row in rows]
