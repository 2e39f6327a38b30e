"""Lexical containment: the judge of support that needs no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.specs import spell
from fairbrief.text.segmentation import words_of
from fairbrief.types import Ask, Floats, Scores

VERSION = 2


@dataclass(frozen=True, slots=True, repr=False)
class Containment:
    """The share of the column's words that occur in the row, weighted by how rare they are: not entailment.

    c(row, column) = Σ idf(w) over the column's distinct words found in the row / Σ idf(w) over all of
    them. With N rows in the ask (rows of the same words counted once), df(w) of which hold w,

        idf(w) = log(1 + (N − df(w) + ½) / (df(w) + ½)),

    always above 0, so that a word of every row still counts a little and a word of no row (which nothing
    supports) most. Words are lower-cased runs of letters and digits, of any script (`text.segmentation`). Matrix (rows, columns) in [0, 1];
    0 for a column without any word. Since idf is estimated from the rows asked about, a pair's score depends
    on the rows beside it.

    Source:  containment of sets: Broder 1997; the weights: Robertson & Spärck Jones, as smoothed in BM25.
    """

    name: ClassVar[str] = "containment"

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        return f"{self.name}/{VERSION} lexical, idf of the rows, no model"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        known: dict[str, frozenset[str]] = {}
        for ask in asks:
            for text in (*ask.rows, *ask.columns):
                if text not in known:
                    known[text] = words(text)
            matrix = containment([known[t] for t in ask.rows], [known[t] for t in ask.columns])
            yield Scores.of_whole_texts(ask, matrix)


def words(text: str) -> frozenset[str]:
    """The distinct lower-cased words of a text.

    >>> sorted(words("The soup wasn’t hot: the SOUP!"))
    ['hot', 'soup', 'the', "wasn't"]
    """
    return frozenset(words_of(text.lower().replace("’", "'")))


def containment(rows: Sequence[frozenset[str]], columns: Sequence[frozenset[str]]) -> Floats:
    """Weighted share of each column's words in each row. Shape (rows, columns)."""
    place = {word: i for i, word in enumerate(sorted(frozenset().union(*columns)))}
    inside = np.zeros((len(rows), len(place)))
    for i, row in enumerate(rows):
        inside[i, [place[word] for word in row & place.keys()]] = 1
    wanted = np.zeros((len(place), len(columns)))
    for j, column in enumerate(columns):
        wanted[[place[word] for word in column], j] = 1
    distinct = {row: i for i, row in enumerate(rows)}
    df = inside[list(distinct.values())].sum(axis=0)
    weights = np.log1p((len(distinct) - df + 0.5) / (df + 0.5))[:, None] * wanted
    totals = weights.sum(axis=0)
    return np.asarray(np.clip(inside @ weights / np.where(totals == 0, 1, totals), 0, 1))
