"""Cosine similarity of TF-IDF vectors, the weights fitted on each article alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.pairs import check_by
from fairbrief.scorers.shared_words import Entries, Texts, best_given, code, tabulate
from fairbrief.specs import spell
from fairbrief.text.segmentation import NEEDS_ICU, ascii_table, ascii_words, words_of
from fairbrief.text.sentences import By
from fairbrief.types import Ask, Floats, Integers

_TOKEN = re.compile(r"\w{2,}")
_PLAIN = ascii_table(lambda c: c.isalnum() or c == "_")


@dataclass(frozen=True)
class Tfidf:
    """Cosine of the TF-IDF vectors of a row sentence and a column sentence.

    In [0, 1]; 0 where a sentence has no fitted token. Tokens are lower-cased words of two letters or more; in scripts
    without spaces, all words. Of n fitted sentences, df(t) contain token t, which occurs c(t) times in a sentence:
    ``w(t) = c(t)·(ln((1 + n)/(1 + df(t))) + 1)``; the score is ``Σ w_row·w_column / (‖w_row‖·‖w_column‖)``.

    ``fitted`` decides which sentences n and df count. ``article`` counts only the rows, so every summary has the same
    weights. ``pair`` counts the rows and the sentences of one column, separately for each column, as in the release
    of Chhabra et al. ``sentences=builtin`` or ``punkt`` compares every sentence of rows and columns, whatever ``by``
    is; `shared_words` describes the shapes of the answer.
    """

    name: ClassVar[str] = "tfidf"
    fitted: str = "article"
    sentences: str = "given"
    by: By = "sentence"

    def __post_init__(self) -> None:
        check_by(self.name, self.by)
        if self.fitted not in ("article", "pair"):
            raise RequestError(f"tfidf(fitted={self.fitted}): choose article or pair.")

    @property
    def fingerprint(self) -> str:
        """The spec, the version of this code, and what cuts texts."""
        return f"{spell(self)} {code(self.sentences, self.by)}"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask, in order."""
        return best_given(asks, self.sentences, self.by, self._answered)

    def _answered(self, texts: Texts) -> ScoreTable:
        entries = tabulate(texts, self.sentences, _tokens)
        return _cosines_by_pair(entries) if self.fitted == "pair" else _cosines(entries)

    __repr__ = spell


def _tokens(text: str) -> list[str]:
    if text.isascii():
        return [word for word in ascii_words(text.lower(), _PLAIN) if len(word) > 1]
    return words_of(text.lower()) if NEEDS_ICU.search(text) else _TOKEN.findall(text.lower())


def _cosines(entries: Entries) -> ScoreTable:
    """The answer to each ask, fitted on its rows."""
    df = np.bincount(entries.token[~entries.in_column], minlength=len(entries.cut_of_token))
    # A token of no row was not fitted on: it weighs nothing, as an absent one.
    idf = np.where(df > 0, _idf(entries.shapes[entries.cut_of_token, 0], df), 0.0)
    weight = _unit_length(entries, entries.count * idf[entries.token])
    row, column = entries.pairs()
    return entries.scores(row, column, weight[row] * weight[column])


def _cosines_by_pair(entries: Entries) -> ScoreTable:
    """The answer to each ask, each of its columns fitted anew on the rows and that column's sentences.

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
    return entries.scores(row, column, contribution)


def _idf(sentences: Integers, df: Integers) -> Floats:
    idf: Floats = np.log((1 + sentences) / (1 + df)) + 1
    return idf


def _unit_length(entries: Entries, weight: Floats) -> Floats:
    """The weights, divided by the length of their sentence's vector."""
    length = np.sqrt(np.bincount(entries.sentence, weight * weight, minlength=len(entries.size)))
    scaled: Floats = weight / np.where(length > 0, length, 1.0)[entries.sentence]
    return scaled
