"""Scorers of the words that texts share: containment, the judge of support that needs no model, and n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cache
from itertools import pairwise, repeat
from typing import Annotated, ClassVar, Literal

import numpy as np

from fairbrief.ranges import changes, numbers_within, ranges, starts, sums
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.word_counts import Cutting, Entries, SentenceScorer, Texts, in_batches
from fairbrief.specs import CheckedSettings
from fairbrief.text import published_nltk, rouge
from fairbrief.text.languages import described, language_of
from fairbrief.text.segmentation import Rule, Words, numbered, parted, words_of
from fairbrief.types import Ask, Floats

# ---------------------------------------------------------------------------------- containment


CONTAINMENT_VERSION = 5
_GRID = 2.0**-36
"""What weights are multiples of: sums of some thousand of them are exact."""


def _words(text: str) -> list[str]:
    return words_of(text.lower().replace("’", "'"))


class Containment(SentenceScorer):
    """The idf-weighted share of the column's words that occur in one sentence of the row; it does not measure
    entailment.

    Matrix (rows, columns) in [0, 1]; 0 for a column without words. A passage is a part of the row, by default a
    sentence:

        c(passage, column) = Σ idf(w) over the column's distinct words in the passage / Σ idf(w) over all of them
        idf(w) = log(1 + (N − df(w) + ½) / (df(w) + ½))

    N counts the passages of all rows in one question (those with the same words once), and df(w) those that contain
    w. So a pair's score depends on the other rows. Words are lower-cased runs of letters and digits of any script, with
    the apostrophes inside them (don't, Anna's).
    The weights are positive, and rounded to a multiple of 2⁻³⁶, so sums are exact in any order.

    Source:     containment of sets: Broder 1997; the weights: Robertson & Spärck Jones, as smoothed in BM25.
    """

    name: ClassVar[str] = "containment"
    rule: ClassVar[Rule] = Rule(_words)
    sentences: Cutting = field(default="given", init=False)

    @property
    def fingerprint(self) -> str:
        return f"{self.name}/{CONTAINMENT_VERSION} lexical, idf of the passages, no model, by={self.by}"

    def compared(self, entries: Entries) -> Floats:
        counts = _counted(entries)
        df = np.bincount(entries.token, counts[entries.sentence], minlength=len(entries.cut_of_token))
        n = np.bincount(entries.cut, counts, minlength=len(entries.shapes))[entries.cut_of_token]
        idf = np.rint(np.log1p((n - df + 0.5) / (df + 0.5)) / _GRID) * _GRID
        total = np.bincount(entries.sentence, idf[entries.token], minlength=len(entries.size))
        row, column = entries.pairs()
        shared = entries.sums(row, column, idf[entries.token[column]])
        whole = total[entries.cells()[1]]
        return np.asarray(np.minimum(shared / np.where(whole == 0, 1, whole), 1))


def _counted(entries: Entries) -> Floats:
    """1 for rows that count in idf, of those of one ask that have the same words one; 0 for others. Shape (sentences,)."""
    # Equal sets of words have equal sums of their words' random numbers, and no others do.
    drawn = np.random.default_rng(0).random(len(entries.cut_of_token))
    signature = np.bincount(entries.sentence, drawn[entries.token], minlength=len(entries.size))
    rows = np.flatnonzero(~entries.is_column)
    rows = rows[np.lexsort((signature[rows], entries.cut[rows]))]
    counts = np.zeros(len(entries.size))
    counts[rows] = changes(entries.cut[rows]) | (np.diff(signature[rows], prepend=np.nan) != 0)
    return counts


# --------------------------------------------------------------------------------------- n-grams


NGRAM_VERSION = 4


class Ngram(CheckedSettings):
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

    n: Annotated[int, "[1, inf)"] = 1
    tokenizer: Literal["words", "nltk"] = "words"
    stem: bool = False
    name: ClassVar[str] = "ngram"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stem and self.tokenizer != "words":
            raise ValueError("stem is for the tokenizer words; nltk's tokens are stems already")

    @property
    def fingerprint(self) -> str:
        """Spec and code version, and where NLTK reads its version and that of the rules."""
        made_by = published_nltk.edition() if self.tokenizer == "nltk" else f"built-in {described()}"
        return f"{self!r} {made_by} v{NGRAM_VERSION}"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask; a text that several asks share is read once."""
        return in_batches(asks, self._answered)

    def _answered(self, texts: Texts) -> ScoreTable:
        """The answers to asks whose texts are tabulated together."""
        words = self._read(texts)
        grams = words.grams(self.n)
        rows, columns = texts.rows_and_columns()
        n_rows, n_columns = texts.sides.T
        of_column, wanted = grams.many[columns], grams.of(columns)
        n_units = sums(of_column, n_columns)
        # Whether each text has each different gram of a column; the last place is for grams of no column.
        different = np.unique(wanted)
        place = np.full(len(grams.names), len(different))
        place[different] = np.arange(len(different))
        width = len(different) + 1
        has = np.zeros(len(grams.many) * width, dtype=bool)
        has[np.repeat(np.arange(len(grams.many)) * width, grams.many) + place.take(grams.numbers)] = True
        n_cells = np.repeat(n_units, n_rows)
        unit = ranges(np.repeat(starts(n_units), n_rows), n_cells)
        cells = has.take(np.repeat(rows * width, n_cells) + place.take(wanted).take(unit))
        owner = np.repeat(numbers_within(n_columns), of_column)
        sizes = words.many[rows].astype(np.float64)
        return ScoreTable(np.column_stack([n_rows, n_units]), cells.astype(np.float64), owner, sizes)

    def _read(self, texts: Texts) -> Words:
        """The words of the texts of asks, in the languages that the asks are in."""
        if self.tokenizer == "nltk":
            return numbered(list(map(cache(published_nltk.words), texts.every)))
        many = texts.sides.sum(axis=1)
        ends = np.cumsum(many).tolist()
        languages = [language_of(*texts.every[start:end]) for start, end in pairwise([0, *ends])]
        if len(set(languages)) == 1:
            return parted(tuple(texts.every)).words(Rule(rouge.words, (languages[0], self.stem)))
        of_texts = np.repeat(languages, many).tolist()
        return numbered(list(map(rouge.words, texts.every, of_texts, repeat(self.stem))))
