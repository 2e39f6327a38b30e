"""Which words, or sentences of words, the texts of many asks share: what the scorers that match words have in common.

`occurrences` says which words occur in which texts (`containment`, `ngram`). `tabulate` cuts texts into sentences and counts
the tokens that row and column sentences share (`tfidf`, `rouge1`). With ``sentences="given"`` rows are cut as the scorer's
setting ``by`` says, and its answer has a row per row. With ``builtin`` or ``punkt`` each row and each column is a whole text that is cut here, so that a measure
needs no sentence model: the answer's matrix then has one row per *sentence* of the rows, in order, and one unit per sentence
of the columns, whose ``owner`` is its column; ``sizes`` holds the tokens of each row sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fairbrief.errors import RequestError
from fairbrief.ranges import changes, numbers_within, ordered, ranges, starts, sums
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.pairs import best_passages
from fairbrief.text import published_nltk, sentences
from fairbrief.text.segmentation import Cut, Words, compact, numbered
from fairbrief.text.sentences import By
from fairbrief.types import Ask, Floats, Integers

TOGETHER = 120_000
"""Characters of asks that share one table: enough to read most texts once, few enough for the table to stay small."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of some asks: each ask's rows, then its columns.

    Shapes: ``every`` (texts,); ``sides`` (asks, 2), how many rows and columns each ask has.
    """

    every: Sequence[str]
    sides: Integers

    @classmethod
    def of(cls, asks: Iterable[Ask]) -> Texts:
        """The texts of these asks."""
        sides = [side for ask in asks for side in (ask.rows, ask.columns)]
        many = np.fromiter(map(len, sides), dtype=np.int64, count=len(sides))
        return cls(list(chain.from_iterable(sides)), many.reshape(-1, 2))

    def rows_and_columns(self) -> tuple[Integers, Integers]:
        """The places of the rows, and of the columns, of all asks."""
        is_column = np.repeat(np.tile([False, True], len(self.sides)), self.sides.reshape(-1))
        return np.flatnonzero(~is_column), np.flatnonzero(is_column)

    def batches(self) -> Iterator[Texts]:
        """The texts of so many asks at a time as have `TOGETHER` characters."""
        texts = [0, *np.cumsum(self.sides.sum(axis=1)).tolist()]
        characters = np.fromiter(map(len, self.every), dtype=np.int64, count=len(self.every))
        before = np.concatenate([[0], np.cumsum(characters)])[texts]
        start, asks = 0, len(self.sides)
        while start < asks:
            end = min(max(int(np.searchsorted(before, before[start] + TOGETHER)), start + 1), asks)
            yield Texts(self.every[texts[start] : texts[end]], self.sides[start:end])
            start = end


def in_batches(asks: Iterable[Ask], answered: Callable[[Texts], ScoreTable]) -> ScoreTable:
    """The answers to all asks, some of which are answered together."""
    return ScoreTable.joined([answered(some) for some in Texts.of(asks).batches()])


def best_given(
    asks: Sequence[Ask], sentences: str, by: By, answered: Callable[[Texts], ScoreTable]
) -> ScoreTable:
    """The answers to all asks: the best passage of each row, unless every sentence is asked for."""
    by = by if sentences == "given" else "document"
    return best_passages(asks, by, lambda some: in_batches(some, answered))


def occurrences(
    words: Words, texts: Integers, n_texts: Integers, wanted: Integers, n_wanted: Integers
) -> NDArray[np.bool_]:
    """Whether the texts of each ask hold the words that are wanted of them: one ask's (texts, wanted) after another.

    Shapes: ``texts`` (texts of all asks,), places in ``words``, of each ask as many as ``n_texts`` (asks,) says;
    ``wanted`` (words wanted of all asks,), numbers, of each ask ``n_wanted`` (asks,).
    """
    different, place = compact(wanted, len(words.names))
    width = len(different) + 1
    held = np.zeros(len(words.many) * width, dtype=bool)
    held[np.repeat(np.arange(len(words.many)) * width, words.many) + place.take(words.numbers)] = True
    n_cells = np.repeat(n_wanted, n_texts)
    cell = ranges(np.repeat(starts(n_wanted), n_texts), n_cells)
    return np.asarray(held.take(np.repeat(texts * width, n_cells) + place.take(wanted).take(cell)))


CUTS: dict[str, Callable[[str], Sequence[str]]] = {
    "given": lambda text: (text,),
    "builtin": sentences.sentences_of,
    "punkt": published_nltk.split,
}

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Entries:
    """Occurrences of tokens in the sentences of many asks, sorted by token, then sentence.

    An ask's sentences stand together, rows before columns; no two asks share a token.

    Shapes: ``token``, ``sentence``, ``count``, ``in_column`` (entries,); ``is_column``, ``cut`` (which ask), ``place``
    (its index among its ask's rows or columns), ``size`` (its tokens) (sentences,); ``owner`` (column sentences,);
    ``cut_of_token`` (tokens,); ``shapes`` (asks, 2): row and column sentences.
    """

    token: Integers
    sentence: Integers
    count: Floats
    in_column: Booleans
    is_column: Booleans
    cut: Integers
    place: Integers
    size: Floats
    owner: Integers
    cut_of_token: Integers
    shapes: Integers

    def pairs(self) -> tuple[Integers, Integers]:
        """Indices of a row's and a column's entry, for every token that a row and a column of an ask share."""
        column = np.flatnonzero(self.in_column)
        size = len(self.cut_of_token)
        first = starts(np.bincount(self.token, minlength=size))
        partners = np.bincount(self.token[~self.in_column], minlength=size)
        token = self.token[column]
        repeats = partners[token]
        return ranges(first[token], repeats), np.repeat(column, repeats)

    def scores(self, row: Integers, column: Integers, contribution: Floats) -> ScoreTable:
        """The answers with the matrices (row sentences, column sentences) of the pairs' summed contributions."""
        n_cells = self.shapes.prod(axis=1)
        start_of_row = starts(n_cells)[self.cut] + self.place * self.shapes[self.cut, 1]
        part = np.where(self.is_column, self.place, start_of_row).take(self.sentence)
        cell = part.take(row) + part.take(column)
        cells = np.bincount(cell, contribution, minlength=int(n_cells.sum())).astype(np.float64)
        return ScoreTable(self.shapes, cells, self.owner, self.size[~self.is_column])


def tabulate(texts: Texts, how: str, cut: Cut, n: int = 1) -> Entries:
    """Count the tokens of every sentence of asks: its words, or runs of ``n`` of them."""
    of_texts = list(map(_cutter(how), texts.every))
    n_sentences = np.fromiter(map(len, of_texts), dtype=np.int64, count=len(of_texts))
    tokens = numbered(list(chain.from_iterable(of_texts)), cut).grams(n)
    sides = sums(n_sentences, texts.sides.reshape(-1))
    shapes = sides.reshape(-1, 2)
    ask = np.repeat(np.arange(len(shapes)), shapes.sum(axis=1))
    token, sentence, count, of_token = _occurrences(tokens.numbers, tokens.many, ask)
    is_column = np.repeat(np.tile([False, True], len(shapes)), sides)
    return Entries(
        token=token,
        sentence=sentence,
        count=count.astype(np.float64),
        in_column=is_column.take(sentence),
        is_column=is_column,
        cut=ask,
        place=numbers_within(sides),
        size=tokens.many.astype(np.float64),
        owner=np.repeat(numbers_within(texts.sides[:, 1]), n_sentences[texts.rows_and_columns()[1]]),
        cut_of_token=ask[of_token],
        shapes=shapes,
    )


def _occurrences(
    tokens: Integers, size: Integers, ask: Integers
) -> tuple[Integers, Integers, Integers, Integers]:
    """In which sentences each ask's tokens occur, and how often; its tokens are numbered in the order in which they are met.

    Shapes: ``tokens`` (tokens of all sentences,); ``size`` and ``ask`` (sentences,). Returned: token, sentence and
    count (entries,), sorted by token, then sentence; and (tokens,) the sentence where each is met.
    """
    sentence = np.repeat(np.arange(len(size)), size)
    different, place = compact(tokens, int(tokens.max(initial=-1)) + 1)
    token = place.take(tokens)
    # Sorted by token: since asks ascend, equal tokens of one ask stand together.
    places = ordered(token, len(different))
    is_kind = changes((np.repeat(ask, size) * len(different) + token).take(places))
    first = np.flatnonzero(is_kind)
    met = np.empty_like(places)
    met[places] = np.repeat(places[first], np.diff(first, append=len(places)))
    # Sorted by where each ask meets its token first.
    places = ordered(met, len(met))
    within, is_kind = sentence.take(places), changes(met.take(places))
    entry = np.flatnonzero(is_kind | changes(within))
    return (
        np.cumsum(is_kind).take(entry) - 1,
        within.take(entry),
        np.diff(entry, append=len(places)),
        within[is_kind],
    )


def _cutter(how: str) -> Callable[[str], Sequence[str]]:
    if how not in CUTS:
        raise RequestError(f"sentences={how} does not exist. Choose one of: {', '.join(CUTS)}.")
    return CUTS[how]


def code(how: str, by: By) -> str:
    """The version of a scorer's code, and what decides the cutting beside the setting's name."""
    if how == "given":
        return f"2 by={by}"
    return f"1 {published_nltk.edition() if how == 'punkt' else f'{how} 1'}"
