"""Lexical containment: the judge of support that needs no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.scorers.occurrences import batches, occurrences
from fairbrief.specs import spell
from fairbrief.text.segmentation import words_of
from fairbrief.types import Ask, Floats, Scores

VERSION = 2
Booleans = NDArray[np.bool_]


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
        for some in batches(asks):
            known = {text: words(text) for ask in some for text in dict.fromkeys((*ask.rows, *ask.columns))}
            number = {text: i for i, text in enumerate(known)}
            place = {word: i for i, word in enumerate(sorted(frozenset().union(*known.values())))}
            held = occurrences(list(known.values()), place)
            for ask in some:
                distinct = {known[text]: i for i, text in enumerate(ask.rows)}
                rows, columns = (held[[number[text] for text in texts]] for texts in (ask.rows, ask.columns))
                yield Scores.of_whole_texts(ask, containment(rows, columns, list(distinct.values())))


def words(text: str) -> frozenset[str]:
    """The distinct lower-cased words of a text.

    >>> sorted(words("The soup wasn’t hot: the SOUP!"))
    ['hot', 'soup', 'the', "wasn't"]
    """
    return frozenset(words_of(text.lower().replace("’", "'")))


def containment(rows: Booleans, columns: Booleans, distinct: Sequence[int]) -> Floats:
    """Weighted share of each column's words in each row. Shape (rows, columns).

    Shapes: ``rows`` (rows, words) and ``columns`` (columns, words), whether each holds each word; ``distinct`` rows
    are those whose words count in idf.
    """
    asked = np.flatnonzero(columns.any(axis=0))
    inside = rows.take(asked, axis=1).astype(np.float64)
    df = inside[distinct].sum(axis=0)
    weights = np.log1p((len(distinct) - df + 0.5) / (df + 0.5))[:, None] * columns.T.take(asked, axis=0)
    totals = weights.sum(axis=0)
    return np.asarray(np.clip(inside @ weights / np.where(totals == 0, 1, totals), 0, 1))
