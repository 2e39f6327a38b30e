"""The sentiment of words, learnt from a lexicon over word vectors; of passages, as their mean."""

from __future__ import annotations

import csv
import gzip
import hashlib
import itertools
import math
import os
import re
import sys
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, TextIO

import numpy as np
from numpy.typing import NDArray

from fairbrief.classifiers import passage_scores
from fairbrief.errors import DataError, MissingExtra, reading_text
from fairbrief.types import Ask, Floats, Integers, Scores

OPINION = "opinion"
LABELS = {
    "positive": 1, "pos": 1, "+": 1, "1": 1, "+1": 1, "1.0": 1,
    "negative": -1, "neg": -1, "-": -1, "−": -1, "-1": -1, "−1": -1, "0": -1, "-1.0": -1,
}  # fmt: skip
FILES = {"positive-words.txt": 1, "negative-words.txt": -1}


def read_lexicon(name: str) -> dict[str, int]:
    """Words in lower case with +1 (positive) or −1 (negative); a word of both kinds is left out.

    ``name``: ``opinion`` (Hu & Liu's lexicon in NLTK's data), a folder with ``positive-words.txt`` and
    ``negative-words.txt``, or a CSV of ``word,label``. Raises DataError with file and line.
    """
    if name == OPINION:
        found = _read_folder(_opinion_folder())
    elif Path(name).is_dir():
        found = _read_folder(Path(name))
    else:
        found = _read_table(Path(name))
    labels: dict[str, set[int]] = {}
    for word, label in found:
        labels.setdefault(word.casefold(), set()).add(label)
    return {word: next(iter(kinds)) for word, kinds in labels.items() if len(kinds) == 1}


def nltk_folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where NLTK looks for its data: NLTK_DATA first, then home and system."""
    given = [Path(p) for p in environment.get("NLTK_DATA", "").split(os.pathsep) if p]
    shared = [Path(sys.prefix) / "nltk_data", Path(sys.prefix) / "share" / "nltk_data"]
    system = [Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")]
    return [*given, Path.home() / "nltk_data", *shared, *system]


def _opinion_folder() -> Path:
    for folder in nltk_folders():
        found = folder / "corpora" / "opinion_lexicon"
        if found.is_dir():
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
            raise DataError(f"{folder}: there is no {name}. Wanted: {' and '.join(FILES)}.")
        # The original is Latin-1, newer copies are UTF-8.
        raw = path.read_bytes()
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        for line in text.splitlines():
            word = line.strip()
            if word and not word.startswith(";"):
                yield word, label


def _read_table(path: Path) -> Iterator[tuple[str, int]]:
    if not path.is_file():
        raise DataError(f"{path}: there is no such lexicon. Give opinion, a folder, or a CSV of word,label.")
    with reading_text(path), path.open(encoding="utf-8-sig", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if not row or (number == 1 and row[-1].strip().lower() in ("label", "polarity", "sentiment")):
                continue
            label = LABELS.get(row[1].strip().lower()) if len(row) == 2 else None
            if label is None or not row[0].strip():
                raise DataError(
                    f"{path}, line {number}: '{','.join(row)[:60]}' is not a word and a label. "
                    "Wanted: word,positive or word,negative (or 1 and -1)."
                )
            yield row[0].strip(), label


Vectors = NDArray[np.float32]
CHUNK = 4096
"""Lines held at once."""

WANTED = "Wanted: a word and its numbers on each line, separated by blanks (word2vec or GloVe text format)."


@dataclass(frozen=True, slots=True)
class VectorFile:
    """A file of word vectors. ``most`` reads the first so many words only (0: all).

    A first line of two whole numbers (word2vec, Numberbatch) is a header. Words are read without
    case, the first (most frequent) spelling counts. Of words in ConceptNet's spelling ``/c/en/word``
    those of ``language`` are read, as ``word``.
    """

    path: Path
    most: int = 0
    language: str = "en"

    def chunks(self) -> Iterator[tuple[list[str], Vectors]]:
        """Words and their vectors, a few thousand at a time, words in no two chunks alike.

        Shape of the vectors: (words, dimensions). Raises DataError with file and line where a line is
        malformed, has other dimensions than the first, or holds a number that is not finite.
        """
        seen: set[str] = set()
        read = 0
        try:
            with self._open() as lines:
                numbered = self._without_header(lines)
                size = 0
                while chunk := list(itertools.islice(numbered, CHUNK)):
                    size = size or self._dimensions(*chunk[0])
                    words, vectors = self._parse(chunk, size)
                    left = len(words) if not self.most else max(0, self.most - read)
                    read += len(words)
                    new: dict[str, int] = {}
                    for i, word in enumerate(words[:left]):
                        key = self._key(word)
                        if key and key not in seen:
                            new.setdefault(key, i)
                    seen.update(new)
                    if new:
                        yield list(new), vectors[list(new.values())]
                    if self.most and read >= self.most:
                        break
        except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(
                f"{self.path}: not a text file, or cut off ({type(error).__name__}). {WANTED} "
                "A binary word2vec file has to be saved as text first."
            ) from error
        if not read:
            raise DataError(f"{self.path}: no word vector found. {WANTED}")

    def _open(self) -> TextIO:
        if not self.path.is_file():
            raise DataError(f"{self.path}: there is no such file of word vectors.")
        with self.path.open("rb") as start:
            zipped = start.read(2) == b"\x1f\x8b"
        if zipped:
            return gzip.open(self.path, "rt", encoding="utf-8", newline="\n")
        return self.path.open(encoding="utf-8", newline="\n")

    def _without_header(self, lines: TextIO) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(lines, start=1):
            bare = line.rstrip()
            if not bare or (
                number == 1 and len(bare.split()) == 2 and all(p.isdigit() for p in bare.split())
            ):
                continue
            yield number, bare

    def _dimensions(self, number: int, line: str) -> int:
        size = len(line.split()) - 1
        if size < 2:
            raise DataError(f"{self.path}, line {number}: no vector in '{line[:60]}'. {WANTED}")
        return size

    def _parse(self, chunk: Sequence[tuple[int, str]], size: int) -> tuple[list[str], Vectors]:
        words, vectors = [], np.empty((len(chunk), size), dtype=np.float32)
        with warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.simplefilter("error", DeprecationWarning)  # numpy's word for a number that is none
            for i, (number, line) in enumerate(chunk):
                # Cut from the right: some files hold words with blanks in them.
                parts = line.rsplit(maxsplit=size)
                if len(parts) != size + 1:
                    raise DataError(
                        f"{self.path}, line {number}: {len(parts) - 1} numbers after '{parts[0][:40]}', wanted "
                        f"{size} as in the first vector. The file may be cut off: fetch it again."
                    )
                words.append(parts[0])
                vectors[i] = self._numbers(line[len(parts[0]) :], size, number)
        return words, vectors

    def _numbers(self, text: str, size: int, number: int) -> Vectors:
        try:
            found = np.fromstring(text, dtype=np.float32, sep=" ")
        except (ValueError, DeprecationWarning):
            found = np.zeros(0, dtype=np.float32)
        if len(found) != size or not np.isfinite(found).all():
            bad = next((p for p in text.split() if not _is_finite(p)), text)
            raise DataError(f"{self.path}, line {number}: '{bad[:40]}' is not a finite number. {WANTED}")
        return found

    def _key(self, word: str) -> str:
        """How texts will ask for the word; empty for one of another language."""
        if word.startswith("/c/"):
            language, _, rest = word[3:].partition("/")
            word = rest.partition("/")[0] if language == self.language else ""
        return word.casefold().replace("’", "'")


def _is_finite(text: str) -> bool:
    try:
        return bool(np.isfinite(np.float32(text)))
    except ValueError:
        return False


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

    A logistic regression learns positive against negative from the vectors of the lexicon's words. The score of a
    word with vector v is log P(positive) − log P(negative) = w·v + b, in nats and unbounded; positive = favourable.
    With ``base=2`` the logarithm is to that base, as Chau & Kim have it: a word of +1 is twice as likely to be
    positive. A passage's score is the mean over its words with a vector.

    ``held_out`` is the share of each kind of lexicon word that is not used for training. `Trained` reports the
    accuracy on it, which is also in the fingerprint. ``strength`` is the inverse of the L2 penalty (C). ``balanced``
    weights both kinds equally; without it the larger kind shifts all scores by a constant, which cancels in a
    difference. ``words`` reads only that many vectors (0: all).

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
    held_out: float = 0.1
    seed: int = 0
    strength: float = 1.0
    balanced: bool = False
    words: int = 0
    language: str = "en"
    base: str = "e"

    def __post_init__(self) -> None:
        if self.base not in ("e", "2"):
            raise ValueError(f"base is e or 2, not {self.base}")
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out must be between 0 and 1, not {self.held_out}")
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
        values = (found.astype(np.float64) @ weights + constant) / (
            math.log(2) if settings.base == "2" else 1.0
        )
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
