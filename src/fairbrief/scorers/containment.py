"""Lexical containment: the judge of support that needs no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, NamedTuple

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
            yield from _answered(some)


class _Asked(NamedTuple):
    """The numbers of an ask's rows, columns and words; and which rows count in idf, of those of the same words one."""

    rows: list[int]
    columns: list[int]
    words: NDArray[np.intp]
    counted: list[bool]


def _answered(asks: Sequence[Ask]) -> Iterator[Scores]:
    """The answers to asks whose words are tabulated together; those of as many rows, columns and words are computed at once."""
    known = {text: words(text) for text in {text for ask in asks for text in (*ask.rows, *ask.columns)}}
    number = dict(zip(known, count()))
    wanted = sorted(frozenset().union(*[known[text] for ask in asks for text in ask.columns]))
    held = occurrences(known.values(), {word: i for i, word in enumerate(wanted)})
    alike: dict[tuple[int, ...], list[tuple[int, _Asked]]] = {}
    for i, ask in enumerate(asks):
        rows, columns = [number[text] for text in ask.rows], [number[text] for text in ask.columns]
        asked = np.flatnonzero(held[columns].any(axis=0))
        counted = set({known[text]: j for j, text in enumerate(ask.rows)}.values())
        own = _Asked(rows, columns, asked, [j in counted for j in range(len(rows))])
        alike.setdefault((len(rows), len(columns), len(asked)), []).append((i, own))
    found: dict[int, Scores] = {}
    for (n_rows, n_columns, _), members in alike.items():
        many = zip(*(own for _, own in members), strict=True)
        of_rows, of_columns, asked, counts = (np.array(of, dtype=np.int64) for of in many)
        scores = containment(
            held[of_rows[:, :, np.newaxis], asked[:, np.newaxis]],
            held[of_columns[:, np.newaxis], asked[:, :, np.newaxis]],
            counts.astype(np.float64),
        )
        owner, sizes = np.arange(n_columns), np.zeros(n_rows)
        found |= {i: Scores(matrix, owner, sizes) for (i, _), matrix in zip(members, scores, strict=True)}
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
    return np.asarray(np.minimum(inside @ weights / np.where(totals == 0, 1, totals), 1))
