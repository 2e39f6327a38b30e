"""The sentiment of passages: VADER's, and that of words that a classifier learns from a lexicon over word vectors.

Rows are passages, and the one column is ``"sentiment"``.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import itertools
import math
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import DataError, optional_library, reading_text
from fairbrief.specs import CheckedSettings
from fairbrief.text.segmentation import LETTERS
from fairbrief.text.sentences import split
from fairbrief.types import Ask, Floats, Integers, Scores

KEPT = 4096
"""Texts whose score is kept: an article comes again with every system's summary of it."""


def passage_scores(asks: Sequence[Ask], score: Callable[[str], tuple[float, int]]) -> Iterator[Scores]:
    """Answers from a function of one text: its score, and how many pieces it was made of (0: undefined).

    Shapes: ``matrix`` (rows, columns), the score repeated over the columns; ``sizes`` (rows,).
    """
    score = lru_cache(KEPT)(score)
    for ask in asks:
        array = np.array([score(text) for text in ask.rows], dtype=np.float64).reshape(len(ask.rows), 2)
        matrix = np.repeat(array[:, :1], len(ask.columns), axis=1)
        yield Scores.of_whole_texts(ask, matrix, array[:, 1])


class Vader(CheckedSettings):
    """Sentiment of whole texts: VADER's compound score in [−1, 1]; positive = favourable.

    A text's score is the mean over its sentences. VADER is made for a sentence or two, and its compound score of a
    whole article approaches ±1 from length alone. ``by=text`` scores the text in one piece. A sentence without a word
    of the lexicon is neutral, 0. Typographic apostrophes are read as straight ones, with which VADER lists negations.

    Shape (rows, columns): rows are passages, and the one column is ``"sentiment"``. ``sizes`` counts the sentences:
    with 0 the score is undefined (and 0 in the matrix).

    Source:     Hutto & Gilbert, VADER, ICWSM 2014.
    """

    name: ClassVar[str] = "vader"
    by: Literal["sentences", "text"] = "sentences"

    @property
    def fingerprint(self) -> str:
        """Version of the package, and how texts are cut."""
        return f"vader:2|vaderSentiment:{metadata.version('vaderSentiment')}|by:{self.by}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One score per row; shape of each matrix: (rows, columns)."""
        compound = _analyzer()

        def score(text: str) -> tuple[float, int]:
            pieces = split(text) if self.by == "sentences" else [text] * bool(text.strip())
            # To the last bit np.mean, which takes six times as long for so few numbers.
            return float(np.add.reduce([*map(compound, pieces)])) / max(1, len(pieces)), len(pieces)

        return passage_scores(asks, score)


SENTENCES = 65536
"""Sentences whose score is kept: counterfactuals of one seed document share most, and an article comes with every system."""


@lru_cache(maxsize=1)
def _analyzer() -> Callable[[str], float]:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer: Any = SentimentIntensityAnalyzer()
    return lru_cache(SENTENCES)(
        lambda text: float(analyzer.polarity_scores(text.replace("’", "'"))["compound"])
    )


# ------------------------------------------------------------------------- sentiment of words


OPINION = "opinion"
LABELS = {"positive": 1, "1": 1, "negative": -1, "-1": -1}
FILES = {"positive-words.txt": 1, "negative-words.txt": -1}


def read_lexicon(name: str) -> dict[str, int]:
    """Words in lower case with +1 (positive) or −1 (negative); a word of both kinds is left out.

    ``name``: ``opinion`` (Hu & Liu's lexicon in NLTK's data), a folder with ``positive-words.txt`` and
    ``negative-words.txt``, or a CSV of ``word,label``. Raises DataError with file and line.
    """
    folder = _opinion_folder() if name == OPINION else Path(name)
    labels: dict[str, set[int]] = {}
    for word, label in _read_folder(folder) if folder.is_dir() else _read_table(folder):
        labels.setdefault(word.casefold(), set()).add(label)
    return {word: next(iter(kinds)) for word, kinds in labels.items() if len(kinds) == 1}


def _opinion_folder() -> Path:
    """The opinion lexicon where NLTK looks for its data: in NLTK_DATA first, then in the user's and the system's folders."""
    homes = (Path.home(), sys.prefix, f"{sys.prefix}/share", "/usr/share", "/usr/local/share")
    given = filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep))
    for folder in (*given, *(f"{home}/nltk_data" for home in homes)):
        if (found := Path(folder) / "corpora" / "opinion_lexicon").is_dir():
            return found
    raise DataError(
        "The opinion lexicon (Hu & Liu) was not found in NLTK's data. Fetch it with "
        "python -m nltk.downloader opinion_lexicon, point NLTK_DATA to the data's folder, or give "
        "lexicon=FOLDER with positive-words.txt and negative-words.txt, or a CSV of word,label."
    )


def _read_folder(folder: Path) -> Iterator[tuple[str, int]]:
    for name, label in FILES.items():
        path = folder / name
        if not path.is_file():
            raise DataError(f"{folder}: there is no {name}. Expected: {' and '.join(FILES)}.")
        # The original is Latin-1, newer copies are UTF-8.
        raw = path.read_bytes()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        words = map(str.strip, text.splitlines())
        yield from ((word, label) for word in words if word and not word.startswith(";"))


def _read_table(path: Path) -> Iterator[tuple[str, int]]:
    if not path.is_file():
        raise DataError(f"{path}: there is no such lexicon. Give opinion, a folder, or a CSV of word,label.")
    with reading_text(path), path.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if not row or (number == 1 and row[-1].strip().lower() in ("label", "polarity", "sentiment")):
                continue
            label = LABELS.get(row[1].strip().lower()) if len(row) == 2 else None
            if label is None or not row[0].strip():
                wanted = "word,positive or word,negative (or 1 and -1)"
                raise DataError(f"{path}, line {number}: found '{','.join(row)[:60]}'. Expected: {wanted}.")
            yield row[0].strip(), label


Vectors = NDArray[np.float32]
CHUNK = 4096
"""Lines held at once."""
WANTED = "Expected: a word and its numbers on each line, separated by blanks (word2vec or GloVe text format)."


def read_vectors(path: Path) -> Iterator[tuple[list[str], Vectors]]:
    """The words of a file in lower case with their vectors, a few thousand at a time.

    A first line of two whole numbers (word2vec, Numberbatch) is a header. Of several spellings of a word the first (most
    frequent) counts. Shape of the vectors: (words, dimensions). Raises DataError with file and line where a line is
    malformed, has other dimensions than the first, or has a number that is not finite.
    """
    if not path.is_file():
        raise DataError(f"{path}: there is no such file of word vectors.")
    with path.open("rb") as start:
        is_zipped = start.read(2) == b"\x1f\x8b"
    seen: set[str] = set()
    size = 0
    try:
        with (gzip.open if is_zipped else open)(path, "rt", encoding="utf-8", newline="\n") as lines:
            numbered: Iterator[tuple[int, str]] = filter(lambda one: one[1].strip(), enumerate(lines, 1))
            first = next(numbered, None)
            if first and not re.fullmatch(r"\d+\s+\d+\s*", first[1]):  # a header
                numbered = itertools.chain([first], numbered)
            while chunk := list(itertools.islice(numbered, CHUNK)):
                new: dict[str, Vectors] = {}
                for number, line in chunk:
                    size = size or len(line.split()) - 1
                    # Cut from the right: some files hold words with blanks in them.
                    word, *numbers = line.rsplit(maxsplit=size)
                    if (vector := _vector(numbers, size)) is None:
                        raise DataError(
                            f"{path}, line {number}: '{line.strip()[:60]}' is not a word with {max(size, 2)} finite numbers. {WANTED}"
                        )
                    if (word := word.casefold().replace("’", "'")) not in seen:
                        new.setdefault(word, vector)
                seen.update(new)
                if new:
                    yield list(new), np.stack(list(new.values()))
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"{path}: not a text file, or cut off ({type(error).__name__}). {WANTED} "
            "A binary word2vec file has to be saved as text first."
        ) from error
    if not size:
        raise DataError(f"{path}: no word vector found. {WANTED}")


@np.errstate(over="ignore")
def _vector(numbers: Sequence[str], size: int) -> Vectors | None:
    """The vector with these numbers; None if they are not as many, or not finite."""
    try:
        vector = np.array(numbers, dtype=np.float32)
    except ValueError:
        return None
    return vector if len(vector) == size > 1 and np.isfinite(vector).all() else None


FEWEST = 10
"""Lexicon words of each kind that must have a vector; fewer teach nothing."""


class Trained(NamedTuple):
    """Every word's score, and how well the classifier knows words that it was not taught.

    ``accuracy``: share of held-out lexicon words whose score has the right sign; ``majority``: the
    accuracy of always saying the commoner kind; ``tested``: how many words.
    """

    scores: dict[str, float]
    accuracy: float
    majority: float
    tested: int
    digest: str


class WordSentiment(CheckedSettings):
    """Sentiment of passages from word vectors and a lexicon: mean log-odds of their words.

    A logistic regression learns positive against negative from the vectors of the lexicon's words. The score of a
    word with vector v is log P(positive) − log P(negative) = w·v + b, in nats and unbounded; positive = favourable.
    With ``base=2`` the logarithm is to that base, as Chau & Kim have it: a word of +1 is twice as likely to be
    positive. A passage's score is the mean over its words with a vector.

    ``held_out`` is the share of each kind of lexicon word that is not used for training. `Trained` reports the
    accuracy on it, which is also in the fingerprint. If the lexicon has more words of one kind, that kind shifts all
    scores by a constant, which cancels in a difference.

    Shape (rows, columns): rows are passages, and the one column is ``"sentiment"``. ``sizes`` counts the known words:
    with 0 the score is undefined (and 0 in the matrix).

    Reads:      ``vectors``: word2vec or GloVe text, Numberbatch, plain or gzipped; ``lexicon``: ``opinion`` (Hu & Liu
                in NLTK's data), a folder with its two files, or a CSV word,label.
    Errors:     DataError for malformed files or too few lexicon words with a vector; MissingExtra without
                scikit-learn.
    Source:     Chau & Kim; Hu & Liu, KDD 2004 (lexicon); Speer et al., AAAI 2017 (Numberbatch).
    """

    name: ClassVar[str] = "word_sentiment"
    vectors: str
    lexicon: str = "opinion"
    held_out: Annotated[float, "(0, 1)"] = 0.1
    seed: Annotated[int, "[0, inf)"] = 0
    base: Literal["e", "2"] = "e"

    @property
    def fingerprint(self) -> str:
        """Settings, digest of all scores, and the held-out accuracy."""
        made = self.trained()
        return (
            f"word_sentiment:1|{made.digest}|lexicon:{self.lexicon}|seed:{self.seed}|"
            f"held-out accuracy:{made.accuracy:.3f} of {made.tested} words (majority {made.majority:.3f})"
        )

    def trained(self) -> Trained:
        """The classifier's scores and accuracy; the files are read once per process."""
        return _train(self)

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One score per row; shape of each matrix: (rows, columns)."""
        scores = self.trained().scores
        return passage_scores(asks, lambda text: passage_sentiment(text, scores))


@lru_cache(maxsize=2)
def _train(settings: WordSentiment) -> Trained:
    path = Path(settings.vectors)
    vectors, labels = _lexicon_vectors(path, settings.lexicon)
    reader = "The scorer 'word_sentiment'"
    linear_model = optional_library("sklearn.linear_model", "sentiment", reader)
    model_selection = optional_library("sklearn.model_selection", "sentiment", reader)
    size, every = max(2, round(settings.held_out * len(labels))), np.arange(len(labels))
    how = {"test_size": size, "random_state": settings.seed, "stratify": labels}
    taught, tested = model_selection.train_test_split(every, **how)
    model = linear_model.LogisticRegression(max_iter=2000).fit(vectors[taught], labels[taught])
    weights, constant = np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0])
    right = np.sign(vectors[tested] @ weights + constant) == labels[tested]
    digest = hashlib.blake2b(digest_size=8)
    scores: dict[str, float] = {}
    unit = math.log(2) if settings.base == "2" else 1.0
    for words, found in read_vectors(path):
        values = (found.astype(np.float64) @ weights + constant) / unit
        # Rounded, so that another machine's last digit does not change the cache's key.
        digest.update("\n".join(f"{w} {v:.4f}" for w, v in zip(words, values, strict=True)).encode())
        scores.update(zip(words, values.tolist(), strict=True))
    majority = max((labels > 0).mean(), (labels < 0).mean())
    made_by = digest.hexdigest()
    return Trained(scores, float(right.mean()), float(majority), len(tested), made_by)


def _lexicon_vectors(path: Path, name: str) -> tuple[Floats, Integers]:
    """Vectors and labels (±1) of a lexicon's words that a file has, in the file's order."""
    lexicon = read_lexicon(name)
    found, labels = [], []
    for words, vectors in read_vectors(path):
        there = [i for i, word in enumerate(words) if word in lexicon]
        found.append(vectors[there].astype(np.float64))
        labels += [lexicon[words[i]] for i in there]
    kinds = np.array(labels, dtype=np.int64)
    positive, negative = int((kinds > 0).sum()), int((kinds < 0).sum())
    if min(positive, negative) < FEWEST:
        has = f"{path} has vectors for {positive} positive and {negative} negative words of the lexicon '{name}'"
        remedy = "Give vectors and a lexicon of one language."
        raise DataError(f"{has}; expected at least {FEWEST} of each. {remedy}")
    return np.concatenate(found), kinds


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; an apostrophe or hyphen inside a word belongs to it.

    >>> words_of("It's a well-made film, 10/10!")
    ["it's", 'a', 'well-made', 'film']
    """
    return [word.replace("’", "'") for word in LETTERS.findall(text.casefold())]


def passage_sentiment(text: str, scores: Mapping[str, float]) -> tuple[float, int]:
    """Mean score of the words that have one, and how many they are; (0.0, 0) if none has: undefined.

    A compound that has no score of its own is read as its parts (*well-made* as *well*, *made*; *it's*
    as *it*, *s*).
    """
    known: list[float] = []
    for word in words_of(text):
        parts = [word] if word in scores else re.split("[-']", word)
        known += [scores[part] for part in parts if part in scores]
    return (sum(known) / len(known), len(known)) if known else (0.0, 0)
