"""Scorers that count words: TF-IDF and ROUGE between sentences, and cosines of the counts of whole texts.

`Entries` cuts texts into sentences and counts the tokens that row and column sentences share. With ``sentences="given"`` rows
are cut as the scorer's setting ``by`` says, and its answer has a row per row. With ``builtin`` or ``punkt`` each row and each
column is a whole text that is cut here, so that a measure needs no sentence model: the answer's matrix then has one row per
*sentence* of the rows, in order, and one unit per sentence of the columns, whose ``owner`` is its column; ``sizes`` holds the
tokens of each row sentence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, field
from functools import cache
from itertools import chain
from typing import ClassVar, Literal

import numpy as np

from fairbrief.errors import optional_library
from fairbrief.ranges import batches, changes, numbers_within, ordered, ranges, starts, sums
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.pairs import best_passages
from fairbrief.specs import CheckedSettings
from fairbrief.text import published_nltk, rouge, sentences
from fairbrief.text.languages import ENGLISH
from fairbrief.text.segmentation import Rule, parted, plain_words, words_by
from fairbrief.text.sentences import By
from fairbrief.text.vocabulary import FUNCTION_WORDS
from fairbrief.types import Ask, Floats, Integers

TOGETHER = 120_000
"""Characters of asks that share one table: enough to read most texts once, few enough for the table to stay small."""


class Texts:
    """The texts of some asks: each ask's rows, then its columns.

    Shapes: ``every`` (texts,); ``sides`` (asks, 2), how many rows and columns each ask has.
    """

    def __init__(self, asks: Iterable[Ask]) -> None:
        sides = [side for ask in asks for side in (ask.rows, ask.columns)]
        self.every: Sequence[str] = list(chain.from_iterable(sides))
        self.sides = np.fromiter(map(len, sides), dtype=np.int64, count=len(sides)).reshape(-1, 2)

    def rows_and_columns(self) -> tuple[Integers, Integers]:
        """The places of the rows, and of the columns, of all asks."""
        is_column = np.repeat(np.tile([False, True], len(self.sides)), self.sides.reshape(-1))
        return np.flatnonzero(~is_column), np.flatnonzero(is_column)


def in_batches(
    asks: Sequence[Ask], answered: Callable[[Texts], ScoreTable], by: By = "document"
) -> ScoreTable:
    """The answers to all asks, many of which are answered together: for each row the best of its passages."""

    def together(some: Sequence[Ask]) -> ScoreTable:
        characters = [sum(map(len, ask.rows)) + sum(map(len, ask.columns)) for ask in some]
        parts = batches(np.array(characters, dtype=np.int64), TOGETHER)
        return ScoreTable.joined([answered(Texts(some[start:end])) for start, end in parts])

    return best_passages(asks, by, together)


Cutting = Literal["given", "builtin", "punkt"]
CUTS: dict[str, Callable[[str], Sequence[str]]] = {
    "given": lambda text: (text,),
    "builtin": sentences.sentences_of,
    "punkt": published_nltk.split,
}


class Entries:
    """Occurrences of tokens in the sentences of many asks, sorted by token, then sentence.

    Tokens are words that a rule finds, or runs of ``n`` of them. An ask's sentences stand together, rows before columns.
    No two asks share a token, and those of an ask are numbered in the order in which they are met.

    Shapes: ``token``, ``sentence``, ``count``, ``in_column`` (entries,); ``is_column``, ``cut`` (which ask), ``place``
    (its index among its ask's rows or columns), ``size`` (its tokens) (sentences,); ``owner`` (column sentences,);
    ``cut_of_token`` (tokens,); ``shapes`` (asks, 2): row and column sentences.
    """

    def __init__(self, texts: Texts, how: Cutting, rule: Rule, n: int = 1) -> None:
        of_texts = list(map(CUTS[how], texts.every))
        n_sentences = np.fromiter(map(len, of_texts), dtype=np.int64, count=len(of_texts))
        words = parted(tuple(chain.from_iterable(of_texts))).words(rule).grams(n)
        sides = sums(n_sentences, texts.sides.reshape(-1))
        self.shapes = sides.reshape(-1, 2)
        self.is_column = np.repeat(np.tile([False, True], len(self.shapes)), sides)
        self.cut = np.repeat(np.arange(len(self.shapes)), self.shapes.sum(axis=1))
        self.place = numbers_within(sides)
        self.size = words.many.astype(np.float64)
        self.owner = np.repeat(numbers_within(texts.sides[:, 1]), n_sentences[texts.rows_and_columns()[1]])
        sentence = np.repeat(np.arange(len(words.many)), words.many)
        # Sorted by word: since asks ascend, equal words of one ask stand together.
        places = ordered(words.numbers, len(words.names))
        is_kind = changes((self.cut.take(sentence) * len(words.names) + words.numbers).take(places))
        first = np.flatnonzero(is_kind)
        met = np.empty_like(places)
        met[places] = np.repeat(places[first], np.diff(first, append=len(places)))
        # Sorted by where each ask meets its token first.
        places = ordered(met, len(met))
        within, is_kind = sentence.take(places), changes(met.take(places))
        entry = np.flatnonzero(is_kind | changes(within))
        self.token = np.cumsum(is_kind).take(entry) - 1
        self.sentence = within.take(entry)
        self.count = np.diff(entry, append=len(places)).astype(np.float64)
        self.in_column = self.is_column.take(self.sentence)
        self.cut_of_token = self.cut[within[is_kind]]

    def pairs(self) -> tuple[Integers, Integers]:
        """Indices of a row's and a column's entry, for every token that a row and a column of an ask share."""
        column = np.flatnonzero(self.in_column)
        size = len(self.cut_of_token)
        first = starts(np.bincount(self.token, minlength=size))
        partners = np.bincount(self.token[~self.in_column], minlength=size)
        token = self.token[column]
        repeats = partners[token]
        return ranges(first[token], repeats), np.repeat(column, repeats)

    def cells(self) -> tuple[Integers, Integers]:
        """The row sentence and the column sentence of every cell of the asks' matrices."""
        n_rows, n_columns = self.shapes.T
        n_cells = np.repeat(n_columns, n_rows)
        first_column = np.repeat(starts(self.shapes.sum(axis=1)) + n_rows, n_rows)
        return np.repeat(np.flatnonzero(~self.is_column), n_cells), ranges(first_column, n_cells)

    def sums(self, row: Integers, column: Integers, contribution: Floats) -> Floats:
        """The summed contributions of the pairs in every cell. Shape (cells,)."""
        n_cells = self.shapes.prod(axis=1)
        start_of_row = starts(n_cells)[self.cut] + self.place * self.shapes[self.cut, 1]
        part = np.where(self.is_column, self.place, start_of_row).take(self.sentence)
        cell = part.take(row) + part.take(column)
        return np.bincount(cell, contribution, minlength=int(n_cells.sum())).astype(np.float64)


class SentenceScorer(CheckedSettings, ABC):
    """A scorer that compares the counted tokens of row sentences and column sentences."""

    name: ClassVar[str]
    n: ClassVar[int] = 1
    """How many neighbouring words are one token."""
    _: KW_ONLY
    sentences: Cutting = "given"
    by: By = "sentence"

    @property
    def fingerprint(self) -> str:
        """The spec, the version of this code, and what cuts texts."""
        if self.sentences == "given":
            return f"{self!r} 3 by={self.by}"
        return f"{self!r} 2 {published_nltk.edition() if self.sentences == 'punkt' else 'builtin 1'}"

    @property
    @abstractmethod
    def rule(self) -> Rule:
        """The words of a sentence."""

    @abstractmethod
    def compared(self, entries: Entries) -> Floats:
        """The score of every cell. Shape (cells,)."""

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask, in order."""
        return in_batches(asks, self._answered, self.by if self.sentences == "given" else "document")

    def _answered(self, texts: Texts) -> ScoreTable:
        entries = Entries(texts, self.sentences, self.rule, self.n)
        sizes = entries.size[~entries.is_column]
        return ScoreTable(entries.shapes, self.compared(entries), entries.owner, sizes)


# ---------------------------------------------------------------------------------------- TF-IDF


def _tokens(text: str, stop: frozenset[str] = frozenset()) -> list[str]:
    return [word for word in words_by(_long_words, text.lower()) if word not in stop]


def _long_words(text: str) -> list[str]:
    return [word for word in plain_words(text) if len(word) > 1]


_TOKENS = Rule(_tokens)


class Tfidf(SentenceScorer):
    """Cosine of the TF-IDF vectors of a row sentence and a column sentence.

    In [0, 1]; 0 where a sentence has no fitted token. Tokens are lower-cased words of two letters or more; in scripts
    without spaces, all words. Of n fitted sentences, df(t) contain token t, which occurs c(t) times in a sentence:
    ``w(t) = c(t)·(ln((1 + n)/(1 + df(t))) + 1)``; the score is ``Σ w_row·w_column / (‖w_row‖·‖w_column‖)``.

    ``fitted`` decides which sentences n and df count. ``article`` counts only the rows, so every summary has the same
    weights. ``pair`` counts the rows and the sentences of one column, separately for each column, as in the release
    of Chhabra et al. ``sentences=builtin`` or ``punkt`` compares every sentence of rows and columns, whatever ``by``
    is: the answer has a row per sentence of the rows, and a unit per sentence of the columns.
    """

    name: ClassVar[str] = "tfidf"
    rule: ClassVar[Rule] = _TOKENS
    fitted: Literal["article", "pair"] = "article"

    def compared(self, entries: Entries) -> Floats:
        return _cosines_by_pair(entries) if self.fitted == "pair" else cosines(entries)


def cosines(entries: Entries) -> Floats:
    """The cosine of every cell, fitted on the rows of its ask."""
    df = np.bincount(entries.token[~entries.in_column], minlength=len(entries.cut_of_token))
    # A token of no row was not fitted on: it weighs nothing, as an absent one.
    idf = np.where(df > 0, _idf(entries.shapes[entries.cut_of_token, 0], df), 0.0)
    weight = _unit_length(entries, entries.count * idf[entries.token])
    row, column = entries.pairs()
    return entries.sums(row, column, weight[row] * weight[column])


def _cosines_by_pair(entries: Entries) -> Floats:
    """The cosine of every cell, fitted separately for each column on the rows and that column's sentences.

    What the k-th columns of all asks need is computed at once: their idf, and the rows' norms under it.
    """
    owner = np.full(len(entries.size), -1, dtype=np.int64)
    owner[entries.is_column] = entries.owner
    whose = owner[entries.sentence]
    asks, tokens = len(entries.shapes), len(entries.cut_of_token)
    of_rows = np.bincount(entries.token[whose < 0], minlength=tokens)
    row, column = entries.pairs()
    contribution = np.zeros(len(row))
    for k in range(int(owner.max(initial=-1)) + 1):
        n = entries.shapes[:, 0] + np.bincount(entries.cut[owner == k], minlength=asks)
        df = of_rows + np.bincount(entries.token[whose == k], minlength=tokens)
        weight = _unit_length(entries, entries.count * _idf(n[entries.cut_of_token], df)[entries.token])
        here = whose[column] == k
        contribution[here] = weight[row[here]] * weight[column[here]]
    return entries.sums(row, column, contribution)


def _idf(sentences: Integers, df: Integers) -> Floats:
    idf: Floats = np.log((1 + sentences) / (1 + df)) + 1
    return idf


def _unit_length(entries: Entries, weight: Floats) -> Floats:
    """The weights, divided by the length of their sentence's vector."""
    length = np.sqrt(np.bincount(entries.sentence, weight * weight, minlength=len(entries.size)))
    scaled: Floats = weight / np.where(length > 0, length, 1.0)[entries.sentence]
    return scaled


# ----------------------------------------------------------------------------------------- ROUGE


class Rouge1(SentenceScorer):
    """ROUGE-1 F between a row sentence and a column sentence: 2·Σ min(c_row, c_column) / (n_row + n_column).

    In [0, 1]; 0 where either sentence has no words. ``stem`` compares Porter stems (by NLTK, extra ``nltk``).
    ``sentences`` is as in `Tfidf`.
    """

    name: ClassVar[str] = "rouge1"
    stem: bool = False

    @property
    def rule(self) -> Rule:
        return Rule(rouge.tokens, (ENGLISH, self.stem))

    def compared(self, entries: Entries) -> Floats:
        row, column = entries.pairs()
        overlap = np.minimum(entries.count[row], entries.count[column])
        total = entries.size[entries.sentence[row]] + entries.size[entries.sentence[column]]
        return entries.sums(row, column, 2 * overlap / total)


class Rouge2(Rouge1):
    """ROUGE-2 F between a row sentence and a column sentence: as `Rouge1`, over pairs of adjacent words."""

    name: ClassVar[str] = "rouge2"
    n: ClassVar[int] = 2


# ------------------------------------------------------------------------- counts of whole texts


class Counts(SentenceScorer):
    """Cosine of count vectors of lower-cased words of two letters or more, without stop words.

    Matrix (rows, columns) in [0, 1]; 0 where a text has no counted word. The vocabulary is that of each question, so nothing
    is learned from other records. ``sizes`` counts the words of the rows. ``stop_words``: ``own`` (English function words),
    ``none``, or ``sklearn`` (that library's English list, which the release of Steen & Markert uses).
    """

    name: ClassVar[str] = "counts"
    sentences: Cutting = field(default="given", init=False)  # of whole texts
    by: By = field(default="document", init=False)
    stop_words: Literal["own", "none", "sklearn"] = "own"

    @property
    def fingerprint(self) -> str:
        return f"{self!r} version=2"

    @property
    def rule(self) -> Rule:
        return Rule(_tokens, (_stop_words(self.stop_words),))

    def compared(self, entries: Entries) -> Floats:
        # Products of counts are exact, so that equal cosines are equal numbers.
        square = np.bincount(entries.sentence, entries.count**2, minlength=len(entries.size))
        row, column = entries.pairs()
        products = entries.sums(row, column, entries.count[row] * entries.count[column])
        lengths = np.sqrt(np.prod([square[side] for side in entries.cells()], axis=0))
        return np.asarray(products / np.where(lengths == 0, 1, lengths))


@cache
def _stop_words(name: str) -> frozenset[str]:
    if name == "sklearn":
        text = optional_library("sklearn.feature_extraction.text", "people", "counts(stop_words=sklearn)")
        return frozenset(text.ENGLISH_STOP_WORDS)
    return FUNCTION_WORDS if name == "own" else frozenset()
