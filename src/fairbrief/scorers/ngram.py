"""Which n-grams of one text occur in another: the scorer that needs no model and no download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fairbrief import specs
from fairbrief.ranges import numbers_within, sums
from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.shared_words import Texts, in_batches, occurrences
from fairbrief.text import published_nltk, rouge
from fairbrief.text.languages import described, languages_of
from fairbrief.text.segmentation import Words, numbered
from fairbrief.types import Ask

TOKENIZERS = ("words", "nltk")
CODE_VERSION = 3


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

    __repr__ = specs.spell

    @property
    def fingerprint(self) -> str:
        """Spec and code version, and where NLTK reads its version and that of the rules."""
        made_by = published_nltk.edition() if self.tokenizer == "nltk" else f"built-in {described()}"
        return f"{self!r} {made_by} v{CODE_VERSION}"

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
        if self.tokenizer == "nltk":
            return numbered(texts.every, published_nltk.words)
        many = texts.sides.sum(axis=1)
        languages = languages_of(texts.every, many)
        cuts = {one: partial(rouge.words, language=one, stem=self.stem) for one in set(languages)}
        each = zip(languages, many.tolist(), strict=True)
        return numbered(texts.every, [cuts[language] for language, n in each for _ in range(n)])
