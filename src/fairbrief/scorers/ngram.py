"""Which n-grams of one text occur in another: the scorer that needs no model and no download."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from fairbrief import specs
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

        @cache
        def listed(text: str, language: str) -> tuple[list[str] | list[tuple[str, ...]], int]:
            found = self._read(text, language)
            return (found if self.n == 1 else tokens.ngrams(found, self.n)), len(found)

        @cache
        def contained(text: str, language: str) -> frozenset[str | tuple[str, ...]]:
            return frozenset(listed(text, language)[0])

        for ask in asks:
            language = ENGLISH if self.tokenizer == "nltk" else language_of(*ask.rows, *ask.columns)
            columns = [listed(text, language)[0] for text in ask.columns]
            units = [gram for grams in columns for gram in grams]
            owner = np.repeat(np.arange(len(columns)), [len(grams) for grams in columns])
            found = [[gram in contained(row, language) for gram in units] for row in ask.rows]
            yield Scores(
                np.array(found, dtype=np.float64).reshape(len(ask.rows), len(units)),
                owner.astype(np.int64),
                np.array([listed(row, language)[1] for row in ask.rows], dtype=np.float64),
            )

    def _read(self, text: str, language: str) -> list[str]:
        if self.tokenizer == "nltk":
            return nltk_tokens.words(text)
        return tokens.words(text, language, stem=self.stem)
