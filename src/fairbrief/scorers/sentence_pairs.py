"""Texts cut into sentences, and the tokens that row and column sentences share, for many asks at once.

What `tfidf` and `rouge1` have in common. With ``sentences="given"`` rows and columns of an ask stand as
they are. With ``builtin`` or ``punkt`` each row and each column is a whole text that is cut here, so
that a measure needs no sentence model: the answer's matrix then has one row per *sentence* of the rows,
in order, and one unit per sentence of the columns, whose ``owner`` is its column; ``sizes`` holds the
tokens of each row sentence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import RequestError
from fairbrief.text import punkt, sentences
from fairbrief.text.languages import Setting, setting
from fairbrief.types import Ask, Floats, Integers, Scores

TOGETHER = 20_000
"""Characters of asks that share one array: enough to spread numpy's call costs, few enough to stay in the cache."""

SHORT = 2_000
"""Characters of texts whose tokens are kept for the next call."""

CUTS: dict[str, Callable[[str], list[str]]] = {
    "given": lambda text: [text],
    "builtin": sentences.split,
    "punkt": punkt.split,
}

Tokens = Sequence[Any]
Booleans = NDArray[np.bool_]


class Cut(NamedTuple):
    """One ask, cut into sentences: their tokens, and which column each column sentence is of."""

    rows: list[Tokens]
    columns: list[Tokens]
    owner: list[int]


@dataclass(frozen=True, slots=True)
class Entries:
    """Occurrences of tokens in the sentences of many asks, sorted by token, then sentence.

    An ask's sentences stand together, rows before columns; no two asks share a token.

    Shapes: ``token``, ``sentence``, ``count`` (entries,); ``is_column``, ``cut`` (which ask), ``place`` (its
    index among its ask's rows or columns), ``size`` (its tokens) (sentences,); ``owner`` (column sentences,);
    ``cut_of_token`` (tokens,); ``shapes`` (asks, 2): row and column sentences.
    """

    token: Integers
    sentence: Integers
    count: Floats
    is_column: Booleans
    cut: Integers
    place: Integers
    size: Floats
    owner: Integers
    cut_of_token: Integers
    shapes: Integers

    def pairs(self) -> tuple[Integers, Integers]:
        """Indices of a row's and a column's entry, for every token that a row and a column of an ask share."""
        of_column = self.is_column[self.sentence]
        column = np.flatnonzero(of_column)
        size = len(self.cut_of_token)
        first = np.searchsorted(self.token, np.arange(size))
        partners = np.bincount(self.token[~of_column], minlength=size)
        token = self.token[column]
        repeats = partners[token]
        before = np.cumsum(repeats) - repeats
        row = np.arange(int(repeats.sum())) - np.repeat(before - first[token], repeats)
        return row, np.repeat(column, repeats)

    def scores(self, row: Integers, column: Integers, contribution: Floats) -> Iterator[Scores]:
        """Per ask, the answer with the matrix (row sentences, column sentences) of the pairs' summed contributions."""
        cells = self.shapes.prod(axis=1)
        start = np.cumsum(cells) - cells
        first = np.cumsum(self.shapes, axis=0) - self.shapes
        r, c = self.sentence[row], self.sentence[column]
        ask = self.cut[r]
        cell = start[ask] + self.place[r] * self.shapes[ask, 1] + self.place[c]
        flat = np.bincount(cell, contribution, minlength=int(cells.sum())).astype(np.float64)
        sizes = self.size[~self.is_column]
        for (n, m), (i, j), a in zip(self.shapes.tolist(), first.tolist(), start.tolist(), strict=True):
            yield Scores(flat[a : a + n * m].reshape(n, m), self.owner[j : j + m], sizes[i : i + n])


def tabulate(cuts: Sequence[Cut]) -> Entries:
    """Count the tokens of every sentence."""
    ids: list[int] = []
    vocabularies: list[int] = []
    sentences = [[*cut.rows, *cut.columns] for cut in cuts]
    lengths = [len(tokens) for of_cut in sentences for tokens in of_cut]
    number = count()
    for of_cut in sentences:
        vocabulary: defaultdict[Any, int] = defaultdict(number.__next__)
        ids.extend(map(vocabulary.__getitem__, chain.from_iterable(of_cut)))
        vocabularies.append(len(vocabulary))
    shapes = np.array([(len(rows), len(columns)) for rows, columns, _ in cuts], dtype=np.int64).reshape(-1, 2)
    total = max(len(lengths), 1)
    key = np.array(ids, dtype=np.int64) * total + np.repeat(np.arange(len(lengths)), lengths)
    entries, occurrences = np.unique(key, return_counts=True)
    token, sentence = np.divmod(entries, total)
    sides = shapes.reshape(-1)
    return Entries(
        token=token,
        sentence=sentence,
        count=occurrences.astype(np.float64),
        is_column=np.repeat(np.tile([False, True], len(cuts)), sides),
        cut=np.repeat(np.arange(len(cuts)).repeat(2), sides),
        place=np.arange(len(lengths)) - np.repeat(np.cumsum(sides) - sides, sides),
        size=np.array(lengths, dtype=np.float64),
        owner=np.array(list(chain.from_iterable(cut.owner for cut in cuts)), dtype=np.int64),
        cut_of_token=np.repeat(np.arange(len(cuts)), np.array(vocabularies, dtype=np.int64)),
        shapes=shapes,
    )


def batches(asks: Iterable[Ask], how: str, tokenize: Callable[[str], Tokens]) -> Iterator[list[Cut]]:
    """The asks, cut, so many at a time as have `TOGETHER` characters. A text that several asks share is cut once."""
    if how not in CUTS:
        raise RequestError(f"sentences={how} is no way to cut sentences. Choose one of: {', '.join(CUTS)}.")
    cut = CUTS[how]
    known: dict[str, list[Tokens]] = {}
    cuts: list[Cut] = []
    characters = 0
    for ask in asks:
        for text in (*ask.rows, *ask.columns):
            characters += len(text)
            if text not in known:
                read = _short if len(text) <= SHORT else _read
                known[text] = read(text, cut, tokenize, setting())
        cuts.append(_cut(ask, known))
        if characters >= TOGETHER:
            yield cuts
            known, cuts, characters = {}, [], 0
    if cuts:
        yield cuts


def _read(
    text: str,
    cut: Callable[[str], list[str]],
    tokenize: Callable[[str], Tokens],
    language: Setting,  # noqa: ARG001 - the language decides where some sentences end
) -> list[Tokens]:
    return [tokenize(sentence) for sentence in cut(text)]


_short = lru_cache(maxsize=4096)(_read)
"""Measures that read positions in several ways ask for the same texts one after another."""


def _cut(ask: Ask, known: Mapping[str, list[Tokens]]) -> Cut:
    columns = [known[text] for text in ask.columns]
    owner = [k for k, cut in enumerate(columns) for _ in cut]
    return Cut([s for text in ask.rows for s in known[text]], [s for c in columns for s in c], owner)


def code(how: str) -> str:
    """What decides the cutting beside the setting's name."""
    return punkt.edition() if how == "punkt" else f"{how} 1"
