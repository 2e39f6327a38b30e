"""Texts cut into sentences, and the tokens that row and column sentences share, for many asks at once.

What `tfidf` and `rouge1` have in common. With ``sentences="given"`` rows and columns of an ask stand as
they are. With ``builtin`` or ``punkt`` each row and each column is a whole text that is cut here, so
that a measure needs no sentence model: the answer's matrix then has one row per *sentence* of the rows,
in order, and one unit per sentence of the columns, whose ``owner`` is its column; ``sizes`` holds the
tokens of each row sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from fairbrief.errors import RequestError
from fairbrief.nouns import Ask, Floats, Integers, Scores
from fairbrief.text import punkt, sentences

TOGETHER = 128
"""Asks that share one array: enough to drown numpy's call costs, few enough to stay in the cache."""

CUTS: dict[str, Callable[[str], list[str]]] = {
    "given": lambda text: [text],
    "builtin": sentences.split,
    "punkt": punkt.split,
}

Tokens = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One comparison: the tokens of the row sentences and of the column sentences."""

    rows: Sequence[Tokens]
    columns: Sequence[Tokens]


@dataclass(frozen=True, slots=True)
class Entries:
    """Occurrences of tokens in the sentences of many problems, sorted by token, then sentence.

    A problem's sentences stand together, rows before columns; no two problems share a token.

    Shapes: ``token``, ``sentence``, ``count`` (entries,); ``is_column``, ``problem``, ``place`` (its index
    among its problem's rows or columns), ``size`` (its tokens) (sentences,); ``problem_of_token`` (tokens,).
    """

    token: Integers
    sentence: Integers
    count: Floats
    is_column: np.ndarray[Any, np.dtype[np.bool_]]
    problem: Integers
    place: Integers
    size: Floats
    problem_of_token: Integers
    shapes: tuple[tuple[int, int], ...]

    def fold(self, weigh: Callable[[Integers, Integers], Floats]) -> Iterator[Floats]:
        """Per problem, the matrix (rows, columns) of Σ weigh(row's entry, column's entry) over shared tokens."""
        of_column = self.is_column[self.sentence]
        at = np.flatnonzero(of_column)
        size = len(self.problem_of_token)
        first = np.searchsorted(self.token, np.arange(size))
        partners = np.bincount(self.token[~of_column], minlength=size)
        repeats = partners[self.token[at]]
        column = np.repeat(at, repeats)
        before = np.cumsum(repeats) - repeats
        row = np.arange(len(column)) - np.repeat(before - first[self.token[at]], repeats)
        cells = np.array([n * m for n, m in self.shapes], dtype=np.int64)
        start, width = np.cumsum(cells) - cells, np.array([m for _, m in self.shapes], dtype=np.int64)
        r, c = self.sentence[row], self.sentence[column]
        cell = start[self.problem[r]] + self.place[r] * width[self.problem[r]] + self.place[c]
        flat = np.bincount(cell, weigh(row, column), minlength=int(cells.sum())).astype(np.float64)
        for shape, a in zip(self.shapes, start, strict=True):
            yield flat[a : a + shape[0] * shape[1]].reshape(shape)


def tabulate(problems: Sequence[Problem], *, grow: bool = True) -> Entries:
    """Count the tokens of every sentence; with ``grow=False`` only those that occur in the problem's rows."""
    ids: list[int] = []
    lengths: list[int] = []
    sizes: list[int] = []
    vocabulary_sizes: list[int] = []
    offset = 0
    for problem in problems:
        vocabulary: defaultdict[Any, int] = defaultdict()
        vocabulary.default_factory = lambda known=vocabulary, base=offset: base + len(known)
        for tokens in problem.rows:
            ids.extend(map(vocabulary.__getitem__, tokens))
            lengths.append(len(tokens))
        for tokens in problem.columns:
            kept = tokens if grow else [t for t in tokens if t in vocabulary]
            ids.extend(map(vocabulary.__getitem__, kept))
            lengths.append(len(kept))
        sizes += [*map(len, problem.rows), *map(len, problem.columns)]
        vocabulary_sizes.append(len(vocabulary))
        offset += len(vocabulary)
    shapes = tuple((len(p.rows), len(p.columns)) for p in problems)
    count = len(lengths)
    key = np.array(ids, dtype=np.int64) * max(count, 1) + np.repeat(np.arange(count), lengths)
    entries, occurrences = np.unique(key, return_counts=True)
    token, sentence = np.divmod(entries, max(count, 1))
    place = [np.arange(n) for shape in shapes for n in shape] or [np.zeros(0, dtype=np.int64)]
    sides = np.array(shapes, dtype=np.int64).reshape(-1)
    return Entries(
        token=token,
        sentence=sentence,
        count=occurrences.astype(np.float64),
        is_column=np.repeat(np.tile([False, True], len(shapes)), sides),
        problem=np.repeat(np.arange(len(shapes)).repeat(2), sides),
        place=np.concatenate(place),
        size=np.array(sizes, dtype=np.float64),
        problem_of_token=np.repeat(np.arange(len(shapes)), np.array(vocabulary_sizes, dtype=np.int64)),
        shapes=shapes,
    )


@dataclass(frozen=True, slots=True)
class Cut:
    """One ask, cut: tokens of the row sentences, and of each column's sentences."""

    rows: list[Tokens]
    columns: list[list[Tokens]]

    def scores(self, matrix: Floats) -> Scores:
        """The answer with this matrix (row sentences, column sentences)."""
        owner = np.repeat(np.arange(len(self.columns)), [len(c) for c in self.columns]).astype(np.int64)
        return Scores(matrix, owner, np.array([len(tokens) for tokens in self.rows], dtype=np.float64))


def batches(asks: Iterable[Ask], how: str, tokenize: Callable[[str], Tokens]) -> Iterator[list[Cut]]:
    """The asks, cut, `TOGETHER` at a time. A text that several asks share is cut once per batch."""
    if how not in CUTS:
        raise RequestError(f"sentences={how} is no way to cut sentences. Choose one of: {', '.join(CUTS)}.")
    cut, rest = CUTS[how], iter(asks)
    while together := list(islice(rest, TOGETHER)):
        known: dict[str, list[Tokens]] = {}
        for text in (t for ask in together for t in (*ask.rows, *ask.columns)):
            if text not in known:
                known[text] = [tokenize(sentence) for sentence in cut(text)]
        yield [
            Cut([s for text in ask.rows for s in known[text]], [known[text] for text in ask.columns])
            for ask in together
        ]


def code(how: str) -> str:
    """What decides the cutting beside the setting's name."""
    return punkt.edition() if how == "punkt" else f"{how} 1"
