"""The sentiment of words, learnt from a lexicon over word vectors; of passages, as their mean."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from fairbrief.errors import DataError, MissingExtra
from fairbrief.taggers import passage_scores
from fairbrief.taggers.word_files import VectorFile, read_lexicon
from fairbrief.types import Ask, Floats, Integers, Scores

FEWEST = 10
"""Lexicon words of each kind that must have a vector; fewer teach nothing."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Every word's score, and how well the classifier knows words that it was not taught.

    ``accuracy``: share of held-out lexicon words whose score has the right sign; ``majority``: the
    accuracy of always saying the commoner kind; ``tested`` and ``taught``: how many words.
    """

    scores: dict[str, float]
    accuracy: float
    majority: float
    tested: int
    taught: int
    digest: str


@dataclass(frozen=True)
class WordSentiment:
    """Sentiment of passages from word vectors and a lexicon: mean log-odds of their words.

    A logistic regression learns positive against negative on the vectors of the lexicon's words. Score
    of a word with a vector v: log P(positive) − log P(negative) = w·v + b, unbounded, in nats;
    positive = favourable. Of a passage: the mean over its words that have a vector.

    A share ``held_out`` of each kind of lexicon word is not taught; on it `trained` reports the
    accuracy, which stands in the fingerprint too. ``strength``: inverse of the L2 penalty (C).
    ``balanced`` weighs the two kinds alike; without it the lexicon's larger kind shifts all scores
    by a constant, which cancels in a difference. ``words``: read the first so many vectors (0: all).

    Convention of sentiment scorers: rows are the passages, the one column is ``"sentiment"``, shape
    (rows, columns); ``sizes`` counts the words that were known: at 0 the score is undefined (and 0
    in the matrix).

    Reads:      ``vectors``: word2vec or GloVe text, Numberbatch, plain or gzipped; ``lexicon``:
                ``opinion`` (Hu & Liu in NLTK's data), a folder with its two files, or a CSV word,label.
    Errors:     DataError for malformed files or too few lexicon words with a vector; MissingExtra
                without scikit-learn.
    Source:     Chau & Kim; Hu & Liu, KDD 2004 (lexicon); Speer et al., AAAI 2017 (Numberbatch).
    """

    name: ClassVar[str] = "word_sentiment"
    vectors: str
    lexicon: str = "opinion"
    held_out: float = 0.1
    seed: int = 0
    strength: float = 1.0
    balanced: bool = False
    words: int = 0
    language: str = "en"

    def __post_init__(self) -> None:
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out lies between 0 and 1, not {self.held_out}")
        if self.strength <= 0 or self.words < 0 or self.seed < 0:
            raise ValueError("strength must be above 0; words and seed at least 0")

    @property
    def fingerprint(self) -> str:
        """Settings, digest of all scores, and the held-out accuracy."""
        made = self.trained()
        return (
            f"word_sentiment:1|{made.digest}|lexicon:{self.lexicon}|seed:{self.seed}|"
            f"held-out accuracy:{made.accuracy:.3f} of {made.tested} words (majority {made.majority:.3f})"
        )

    def trained(self) -> Trained:
        """The classifier's scores and accuracy; read and trained once."""
        path = Path(self.vectors)
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        return _train(self, changed)

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One score per row; shape of each matrix: (rows, columns)."""
        scores = self.trained().scores
        return passage_scores(asks, lambda text: passage_sentiment(text, scores))


@lru_cache(maxsize=2)
def _train(settings: WordSentiment, changed: int) -> Trained:  # noqa: ARG001 # a changed file is read anew
    file = VectorFile(Path(settings.vectors), settings.words, settings.language)
    vectors, labels = _lexicon_vectors(file, read_lexicon(settings.lexicon), settings)
    weights, constant, accuracy, tested = _fit(vectors, labels, settings)
    digest = hashlib.blake2b(digest_size=8)
    scores: dict[str, float] = {}
    for words, found in file.chunks():
        values = found.astype(np.float64) @ weights + constant
        # Rounded, so that another machine's last digit does not change the cache's key.
        digest.update("\n".join(f"{w} {v:.4f}" for w, v in zip(words, values, strict=True)).encode())
        scores.update(zip(words, values.tolist(), strict=True))
    majority = max((labels > 0).mean(), (labels < 0).mean())
    return Trained(scores, accuracy, float(majority), tested, len(labels) - tested, digest.hexdigest())


def _lexicon_vectors(
    file: VectorFile, lexicon: dict[str, int], settings: WordSentiment
) -> tuple[Floats, Integers]:
    """Vectors and labels (±1) of the lexicon words that the file has, in the file's order."""
    found, labels = [], []
    for words, vectors in file.chunks():
        there = [i for i, word in enumerate(words) if word in lexicon]
        found.append(vectors[there].astype(np.float64))
        labels += [lexicon[words[i]] for i in there]
    kinds = np.array(labels, dtype=np.int64)
    positive, negative = int((kinds > 0).sum()), int((kinds < 0).sum())
    if min(positive, negative) < FEWEST:
        raise DataError(
            f"{settings.vectors} has vectors for {positive} positive and {negative} negative words of the lexicon "
            f"'{settings.lexicon}'; wanted at least {FEWEST} of each. Give vectors and a lexicon of one language."
        )
    return np.concatenate(found), kinds


def _fit(vectors: Floats, labels: Integers, settings: WordSentiment) -> tuple[Floats, float, float, int]:
    """Weights, constant, held-out accuracy, and on how many words it was measured."""
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import train_test_split
    except ImportError as error:
        raise MissingExtra("scikit-learn", "sentiment", "The scorer 'word_sentiment'") from error
    taught, tested = train_test_split(
        np.arange(len(labels)),
        test_size=max(2, round(settings.held_out * len(labels))),
        random_state=settings.seed,
        stratify=labels,
    )
    model = LogisticRegression(
        C=settings.strength, max_iter=2000, class_weight="balanced" if settings.balanced else None
    )
    model.fit(vectors[taught], labels[taught])
    weights, constant = np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0])
    right = np.sign(vectors[tested] @ weights + constant) == labels[tested]
    return weights, constant, float(right.mean()), len(tested)


_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; an apostrophe or hyphen inside a word belongs to it.

    >>> words_of("It's a well-made film, 10/10!")
    ["it's", 'a', 'well-made', 'film']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def passage_sentiment(text: str, scores: Mapping[str, float]) -> tuple[float, int]:
    """Mean score of the words that have one, and how many they are; (0.0, 0) if none has: undefined.

    A compound that has no score of its own is read as its parts (*well-made* as *well*, *made*; *it's*
    as *it*, *s*).
    """
    known: list[float] = []
    for word in words_of(text):
        score = scores.get(word)
        if score is not None:
            known.append(score)
        elif "-" in word or "'" in word:
            known += [scores[part] for part in re.split("[-']", word) if part in scores]
    return (sum(known) / len(known), len(known)) if known else (0.0, 0)
