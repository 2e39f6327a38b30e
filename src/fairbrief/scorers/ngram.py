"""Which n-grams of one text occur in another: the scorer that needs no model and no download."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, ClassVar

import numpy as np

from fairbrief import specs
from fairbrief.scorers.occurrences import batches, occurrences, starts
from fairbrief.text import nltk_tokens, published_nltk, tokens
from fairbrief.text.languages import ENGLISH, described, language_of
from fairbrief.types import Ask, Scores

TOKENIZERS = ("words", "nltk")
CODE_VERSION = 3


@dataclass(frozen=True)
class Ngram:
    """1 where a row's text contains an n-gram of the column, else 0.

    Units are the occurrences of the columns' n-grams, in order, repeated ones each time; so the
    matrix has shape (rows, occurrences). ``sizes`` counts the tokens of each row that the tokenizer keeps.

    ``tokenizer`` is ``words`` (lower-cased, without punctuation and the function words of the language that
    rows and columns are in, as told or detected; ``stem`` compares Snowball stems) or ``nltk``
    (NLTK tokens, stop words of all languages out, single-token tag, WordNet lemma, Porter stem).

    Each row is read by itself. The published code joins the documents of one value by " || " first (measures do
    with ``texts=values``), so that NLTK may see another sentence border at a document's end.

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

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One answer per ask; a text that several asks share is read once per call."""
        if self.tokenizer == "nltk":
            nltk_tokens.check_data()

        for some in batches(asks):
            yield from self._answered(some)

    def _answered(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """The answers to asks whose texts are tabulated together."""
        known: dict[tuple[str, str], tuple[Sequence[Any], int]] = {}
        rows: list[tuple[Sequence[Any], int]] = []
        columns: list[Sequence[Any]] = []
        for ask in asks:
            language = self._language(ask)
            for text in (*ask.rows, *ask.columns):
                if (text, language) not in known:
                    words = self._read(text, language)
                    known[text, language] = words if self.n == 1 else tokens.ngrams(words, self.n), len(words)
            rows += [known[text, language] for text in ask.rows]
            columns += [known[text, language][0] for text in ask.columns]
        place: defaultdict[Any, int] = defaultdict(count().__next__)
        units = np.array([place[gram] for grams in columns for gram in grams], dtype=np.int64)
        held = occurrences([grams for grams, _ in rows], place).take(units, axis=1)
        sizes = np.array([size for _, size in rows], dtype=np.float64)
        lengths = list(map(len, columns))
        owner = np.repeat([i for ask in asks for i in range(len(ask.columns))], lengths).astype(np.int64)
        first_unit = starts(lengths)
        row, column = starts(len(ask.rows) for ask in asks), starts(len(ask.columns) for ask in asks)
        for (first, end), (left, right) in zip(pairwise(row), pairwise(column), strict=True):
            own = slice(first_unit[left], first_unit[right])
            yield Scores(held[first:end, own].astype(np.float64), owner[own], sizes[first:end])

    def _language(self, ask: Ask) -> str:
        return ENGLISH if self.tokenizer == "nltk" else language_of(*ask.rows, *ask.columns)

    def _read(self, text: str, language: str) -> list[str]:
        if self.tokenizer == "nltk":
            return nltk_tokens.words(text)
        return tokens.words(text, language, stem=self.stem)
