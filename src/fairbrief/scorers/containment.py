"""Lexical containment: the judge of support that needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import changes, numbers_within, starts
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.pairs import best_passages, check_by
from fairbrief.scorers.shared_words import Texts, in_batches, occurrences
from fairbrief.specs import spell
from fairbrief.text.segmentation import Words, compact, different_of, numbered, words_of
from fairbrief.text.sentences import By
from fairbrief.types import Ask, Floats, Integers

VERSION = 4
_GRID = 2.0**-36
"""What weights are multiples of: sums of some thousand of them are exact."""
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, repr=False)
class Containment:
    """The idf-weighted share of the column's words that occur in one sentence of the row; it does not measure
    entailment.

    Matrix (rows, columns) in [0, 1]; 0 for a column without words. A passage is a part of the row, by default a
    sentence:

        c(passage, column) = Σ idf(w) over the column's distinct words in the passage / Σ idf(w) over all of them
        idf(w) = log(1 + (N − df(w) + ½) / (df(w) + ½))

    N counts the passages of all rows in one question (those with the same words once), and df(w) those that contain
    w. So a pair's score depends on the other rows. Words are lower-cased runs of letters and digits of any script.
    The weights are positive, and rounded to a multiple of 2⁻³⁶, so sums are exact in any order.

    Source:     containment of sets: Broder 1997; the weights: Robertson & Spärck Jones, as smoothed in BM25.
    """

    name: ClassVar[str] = "containment"
    by: By = "sentence"

    def __post_init__(self) -> None:
        check_by(self.name, self.by)

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        return f"{self.name}/{VERSION} lexical, idf of the passages, no model, by={self.by}"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask."""
        return best_passages(asks, self.by, lambda some: in_batches(some, _answered))


class _Held(NamedTuple):
    """Whether texts of asks hold words of their asks: cells of one ask's (texts, words) after another."""

    cells: Booleans
    first: Integers

    def of(self, asks: Integers, texts: int, words: int) -> Booleans:
        """Those of asks of so many texts and words. Shape (asks, texts, words)."""
        places = self.first[asks, np.newaxis] + np.arange(texts * words)
        return np.asarray(self.cells.take(places).reshape(len(asks), texts, words))


def _answered(texts: Texts) -> ScoreTable:
    """The answers to asks whose words are tabulated together; those of as many rows, columns and words are computed at once."""
    found = numbered(texts.every, _words)
    rows, columns = texts.rows_and_columns()
    n_rows, n_columns = texts.sides.T
    asked, n_words = _asked(found, columns, n_columns)
    every, n_texts = np.arange(len(found.many)), texts.sides.sum(axis=1)
    held = _Held(occurrences(found, every, n_texts, asked, n_words), starts(n_texts * n_words))
    counts, first_row = _counted(found, rows, n_rows), starts(n_rows)
    n_cells = n_rows * n_columns
    cells, first_cell = np.zeros(int(n_cells.sum())), starts(n_cells)
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, shape in enumerate(zip(n_rows.tolist(), n_columns.tolist(), n_words.tolist(), strict=True)):
        alike.setdefault(shape, []).append(i)
    for (height, width, many), members in alike.items():
        here = np.array(members)
        words_held = held.of(here, height + width, many)
        scores = containment(
            words_held[:, :height],
            words_held[:, height:].transpose(0, 2, 1),
            counts.take(first_row[here, np.newaxis] + np.arange(height)),
        )
        places = first_cell[here, np.newaxis] + np.arange(height * width)
        cells[places] = scores.reshape(places.shape)
    return ScoreTable(texts.sides, cells, numbers_within(n_columns), np.zeros(len(rows)))


def _asked(found: Words, columns: Integers, n_columns: Integers) -> tuple[Integers, Integers]:
    """The different words of each ask's columns, sorted, one ask after another; and how many each has."""
    units = found.of(columns)
    different, place = compact(units, len(found.names))
    names = [found.names[i] for i in different.tolist()]
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    rank = np.argsort(order)
    of_columns = np.repeat(np.arange(len(n_columns)), n_columns)
    key = np.repeat(of_columns, found.many[columns]) * len(names) + rank[place.take(units)]
    ask, word = np.divmod(different_of(key), max(len(names), 1))
    return different[order[word]], np.bincount(ask, minlength=len(n_columns))


def _counted(found: Words, rows: Integers, n_rows: Integers) -> Floats:
    """1 for rows that count in idf, of those of one ask that have the same words one; 0 for others. Shape (rows,)."""
    ask, first = np.repeat(np.arange(len(n_rows)), n_rows), starts(found.many)
    largest, signature = np.full(len(found.many), -1), np.zeros(len(found.many), dtype=np.int64)
    if len(has_words := np.flatnonzero(found.many)):
        largest[has_words] = np.maximum.reduceat(found.numbers, first[has_words])
        signature[has_words] = np.bitwise_or.reduceat(1 << (found.numbers & 31), first[has_words])
    # Only rows of the same largest word and the same signature can have the same words.
    key = (ask * (len(found.names) + 1) + largest[rows] + 1) << 32 | signature[rows]
    order = np.argsort(key, kind="stable")
    is_same = np.append(~changes(key[order]), [False])
    similar = np.sort(order[is_same[:-1] | is_same[1:]])
    seen: set[tuple[int, frozenset[int]]] = set()
    counts = np.ones(len(key))
    members = zip(
        *(of.tolist() for of in (similar, ask[similar], first[rows[similar]], found.many[rows[similar]])),
        strict=True,
    )
    for row, i, start, many in members:
        own = i, frozenset(found.numbers[start : start + many].tolist())
        counts[row] = own not in seen
        seen.add(own)
    return counts


def words(text: str) -> frozenset[str]:
    """The distinct lower-cased words of a text.

    >>> sorted(words("The soup wasn’t hot: the SOUP!"))
    ['hot', 'soup', 'the', "wasn't"]
    """
    return frozenset(_words(text))


def _words(text: str) -> list[str]:
    return words_of(text.lower().replace("’", "'"))


def containment(rows: Booleans, columns: Booleans, counts: Floats) -> Floats:
    """Weighted share of each column's words in each row, of N asks. Shape (N, rows, columns).

    Shapes: ``rows`` (N, rows, words) and ``columns`` (N, words, columns), whether each holds each word; ``counts``
    (N, rows), 1 for rows whose words count in idf, else 0.
    """
    inside = rows.astype(np.float64, order="C")
    df = (counts[:, np.newaxis] @ inside)[:, 0]
    idf = np.log1p((counts.sum(axis=1, keepdims=True) - df + 0.5) / (df + 0.5))
    weights = (np.rint(idf / _GRID) * _GRID)[:, :, np.newaxis] * np.ascontiguousarray(columns)
    totals = weights.sum(axis=1)[:, np.newaxis]
    return np.asarray(np.minimum(inside @ weights / np.where(totals == 0, 1, totals), 1))
