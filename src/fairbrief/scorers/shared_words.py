"""Scorers of the words that texts share: containment, the judge of support that needs no model, and n-grams.

`occurrences` finds which words occur in which texts, for many questions at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairbrief.ranges import changes, numbers_within, ranges, starts, sums
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.pairs import best_passages, check_by
from fairbrief.specs import spell
from fairbrief.text import published_nltk, rouge
from fairbrief.text.languages import described, languages_of
from fairbrief.text.segmentation import Parted, Rule, Words, compact, different_of, numbered, words_of
from fairbrief.text.sentences import By
from fairbrief.types import Ask, Floats, Integers

Booleans = NDArray[np.bool_]
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


def occurrences(
    words: Words, texts: Integers, n_texts: Integers, wanted: Integers, n_wanted: Integers
) -> Booleans:
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


# ---------------------------------------------------------------------------------- containment


CONTAINMENT_VERSION = 4
_GRID = 2.0**-36
"""What weights are multiples of: sums of some thousand of them are exact."""


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
        return f"{self.name}/{CONTAINMENT_VERSION} lexical, idf of the passages, no model, by={self.by}"

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
    found = Parted(texts.every).words(_WORDS)
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


_WORDS = Rule(_words)


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


# --------------------------------------------------------------------------------------- n-grams


TOKENIZERS = ("words", "nltk")
NGRAM_VERSION = 3


@dataclass(frozen=True)
class Ngram:
    """1 where the row contains an n-gram of the column, otherwise 0.

    Matrix (rows, occurrences): the columns' n-grams in order, repeated ones each time. ``sizes`` counts the tokens of
    each row that the tokenizer keeps.

    ``tokenizer=words`` lower-cases, and removes punctuation and the function words of the language that is given or
    detected; ``stem`` compares Snowball stems. ``tokenizer=nltk`` uses NLTK tokens, removes stop words of all
    languages, and applies single-token tags, WordNet lemmas and Porter stems.

    Each row is read separately. The published code first joins the documents of one group by ``||`` (measures do with
    ``texts=values``), so NLTK may see another sentence end there.

    Raises:     MissingExtra or RequestError where the tokenizer ``nltk`` lacks its library or data.
    Source:     Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §3.2.
    """

    n: int = 1
    tokenizer: str = "words"
    stem: bool = False
    name: ClassVar[str] = "ngram"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n={self.n}, but an n-gram has at least one token")
        if self.tokenizer not in TOKENIZERS:
            raise ValueError(f"no tokenizer '{self.tokenizer}'. Known: {', '.join(TOKENIZERS)}")
        if self.stem and self.tokenizer != "words":
            raise ValueError("stem is for the tokenizer words; nltk's tokens are stems already")

    __repr__ = spell

    @property
    def fingerprint(self) -> str:
        """Spec and code version, and where NLTK reads its version and that of the rules."""
        made_by = published_nltk.edition() if self.tokenizer == "nltk" else f"built-in {described()}"
        return f"{self!r} {made_by} v{NGRAM_VERSION}"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask; a text that several asks share is read once."""
        if self.tokenizer == "nltk":
            published_nltk.check_data()
        return in_batches(asks, self._answered)

    def _answered(self, texts: Texts) -> ScoreTable:
        """The answers to asks whose texts are tabulated together."""
        words = self._read(texts)
        grams = words.grams(self.n)
        rows, columns = texts.rows_and_columns()
        n_rows, n_columns = texts.sides.T
        of_column = grams.many[columns]
        n_units = sums(of_column, n_columns)
        held = occurrences(grams, rows, n_rows, grams.of(columns), n_units)
        owner = np.repeat(numbers_within(n_columns), of_column)
        sizes = words.many[rows].astype(np.float64)
        return ScoreTable(np.column_stack([n_rows, n_units]), held.astype(np.float64), owner, sizes)

    def _read(self, texts: Texts) -> Words:
        """The words of the texts of asks, in the languages that the asks are in."""
        parted = Parted(texts.every)
        if self.tokenizer == "nltk":
            return parted.words(_NLTK)
        many = texts.sides.sum(axis=1)
        languages = languages_of(parted, many)
        rules = {language: Rule(_ngram_words, (language, self.stem)) for language in set(languages)}
        if len(rules) == 1:
            return parted.words(rules[languages[0]])
        each = zip(languages, many.tolist(), strict=True)
        return numbered(texts.every, [rules[language] for language, n in each for _ in range(n)])


def _ngram_words(text: str, language: str, stem: bool) -> list[str]:
    return rouge.words(text, language, stem=stem)


_NLTK = Rule(published_nltk.words, is_of_runs=False)
