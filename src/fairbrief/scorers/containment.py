"""Lexical containment: the judge of support that needs no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fairbrief.scorers.occurrences import batches, occurrences, starts
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
            yield from _answered(some)


def _answered(asks: Sequence[Ask]) -> Iterator[Scores]:
    """The answers to asks whose words are tabulated together; those of as many rows, columns and words are computed at once."""
    known = {text: words(text) for text in {text for ask in asks for text in (*ask.rows, *ask.columns)}}
    rows = [known[text] for ask in asks for text in ask.rows]
    columns = [known[text] for ask in asks for text in ask.columns]
    place = {word: i for i, word in enumerate(sorted(frozenset().union(*columns)))}
    in_rows, in_columns = occurrences(rows, place), occurrences(columns, place)
    row, column = starts(len(ask.rows) for ask in asks), starts(len(ask.columns) for ask in asks)
    counts = np.zeros(len(rows))  # of rows of the same words one
    counts[[i for a, b in pairwise(row) for i in {rows[i]: i for i in range(a, b)}.values()]] = 1.0
    alike: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
    for i, ask in enumerate(asks):
        asked = sorted({place[word] for text in ask.columns for word in known[text]})
        alike.setdefault((len(ask.rows), len(ask.columns), len(asked)), []).append((i, asked))
    found: dict[int, Scores] = {}
    for (n_rows, n_columns, _), members in alike.items():
        which = [i for i, _ in members]
        asked_words = np.array([asked for _, asked in members], dtype=np.int64)
        of_rows = np.array([row[i] for i in which])[:, np.newaxis] + np.arange(n_rows)
        of_columns = np.array([column[i] for i in which])[:, np.newaxis] + np.arange(n_columns)
        scores = containment(
            in_rows[of_rows[:, :, np.newaxis], asked_words[:, np.newaxis]],
            in_columns[of_columns[:, np.newaxis], asked_words[:, :, np.newaxis]],
            counts[of_rows],
        )
        owner, sizes = np.arange(n_columns), np.zeros(n_rows)
        found |= {i: Scores(matrix, owner, sizes) for i, matrix in zip(which, scores, strict=True)}
    yield from (found[i] for i in range(len(asks)))


def words(text: str) -> frozenset[str]:
    """The distinct lower-cased words of a text.

    >>> sorted(words("The soup wasn’t hot: the SOUP!"))
    ['hot', 'soup', 'the', "wasn't"]
    """
    return frozenset(words_of(text.lower().replace("’", "'")))


def containment(rows: Booleans, columns: Booleans, counts: Floats) -> Floats:
    """Weighted share of each column's words in each row, of N asks. Shape (N, rows, columns).

    Shapes: ``rows`` (N, rows, words) and ``columns`` (N, words, columns), whether each holds each word; ``counts``
    (N, rows), 1 for rows whose words count in idf, else 0.
    """
    inside = rows.astype(np.float64, order="C")
    df = (counts[:, np.newaxis] @ inside)[:, 0]
    weights = np.log1p((counts.sum(axis=1, keepdims=True) - df + 0.5) / (df + 0.5))[
        :, :, np.newaxis
    ] * np.ascontiguousarray(columns)
    totals = weights.sum(axis=1)[:, np.newaxis]
    return np.asarray(np.clip(inside @ weights / np.where(totals == 0, 1, totals), 0, 1))
