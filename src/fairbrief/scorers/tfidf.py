"""Cosine similarity of TF-IDF vectors, the weights fitted on each article alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.nouns import Ask, Floats, Integers, Scores
from fairbrief.scorers.sentence_pairs import Cut, Entries, Problem, batches, code, tabulate
from fairbrief.spelling import spell

_TOKEN = re.compile(r"(?u)\b\w\w+\b")


@dataclass(frozen=True)
class Tfidf:
    """Cosine of the TF-IDF vectors of a row sentence and a column sentence.

    Tokens are the lower-cased words of two letters or more. With n sentences fitted on, df(t) of them
    with token t, and c(t) its occurrences in a sentence, ``w(t) = c(t)·(ln((1 + n)/(1 + df(t))) + 1)``;
    the score is ``Σ w_row·w_column / (‖w_row‖·‖w_column‖)``, in [0, 1], and 0 where a sentence has no
    token that was fitted on.

    ``fitted`` says which sentences n and df are counted on: ``article`` (the ask's rows; the columns'
    other tokens do not count, so that every summary meets the same weights), or ``pair`` (the rows and
    the sentences of one column together, for each column anew, as Chhabra et al. released it).
    ``sentences`` says who cuts: ``given`` (rows and columns are sentences already), or ``builtin`` or
    ``punkt`` (rows and columns are whole texts; see `sentence_pairs` for the shapes of the answer).
    """

    name: ClassVar[str] = "tfidf"
    fitted: str = "article"
    sentences: str = "given"

    def __post_init__(self) -> None:
        if self.fitted not in ("article", "pair"):
            raise RequestError(f"tfidf(fitted={self.fitted}): choose article or pair.")

    @property
    def fingerprint(self) -> str:
        """The spelling, the version of this code, and what cuts the sentences."""
        return f"{spell(self)} 1 {code(self.sentences)}"

    def answer(self, asks: Sequence[Ask]) -> Iterable[Scores]:
        """One `Scores` per ask, in order."""
        for cuts in batches(asks, self.sentences, _tokens):
            yield from self._answer(cuts)

    def _answer(self, cuts: list[Cut]) -> Iterable[Scores]:
        is_pair = self.fitted == "pair"
        problems = [
            Problem(cut.rows, columns)
            for cut in cuts
            for columns in (cut.columns if is_pair else [[s for column in cut.columns for s in column]])
        ]
        matrices = _cosines(tabulate(problems, grow=is_pair), fit_columns=is_pair)
        for cut in cuts:
            parts = list(islice(matrices, len(cut.columns) if is_pair else 1))
            yield cut.scores(np.concatenate(parts, axis=1) if parts else np.zeros((len(cut.rows), 0)))

    def __repr__(self) -> str:
        return spell(self)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


def _cosines(entries: Entries, *, fit_columns: bool) -> Iterable[Floats]:
    """The matrix of each problem, in order."""
    fits = np.ones(len(entries.is_column), dtype=bool) if fit_columns else ~entries.is_column
    documents = np.bincount(entries.problem[fits], minlength=len(entries.shapes))
    df = np.bincount(entries.token[fits[entries.sentence]], minlength=len(entries.problem_of_token))
    idf = np.log((1 + documents[entries.problem_of_token]) / (1 + df)) + 1
    weight = entries.count * idf[entries.token]
    norm = np.sqrt(np.bincount(entries.sentence, weight * weight, minlength=len(fits)))
    weight /= norm[entries.sentence]

    def weigh(row: Integers, column: Integers) -> Floats:
        product: Floats = weight[row] * weight[column]
        return product

    return entries.fold(weigh)
