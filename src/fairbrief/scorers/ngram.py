"""Which n-grams of one text occur in another: the scorer that needs no model and no download."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np

from fairbrief import spelling
from fairbrief.errors import RequestError
from fairbrief.nouns import Ask, Scores
from fairbrief.text import nltk_tokens, tokens

READINGS = {"words": tokens.words, "nltk": nltk_tokens.words}
CODE_VERSION = 1


@dataclass(frozen=True)
class Ngram:
    """1 where a row's text contains an n-gram of the column, else 0.

    Units are the occurrences of the columns' n-grams, in order, repeated ones each time; so the
    matrix has shape (rows, occurrences). ``sizes`` counts the tokens of each row that the reading keeps.

    ``reading`` is ``words`` (lower-cased, without punctuation and English function words) or ``nltk``
    (NLTK tokens, stop words of all languages out, single-token tag, WordNet lemma, Porter stem).

    Each row is read by itself. The published code joins the documents of one value by " || " first, so
    that NLTK may see another sentence border at a document's end; the numbers agree all the same.

    Raises:     MissingExtra or RequestError where the reading ``nltk`` lacks its library or data.
    Source:     Zhang et al., Fair Abstractive Summarization of Diverse Perspectives, §3.2.
    """

    n: int = 1
    reading: str = "words"
    name: ClassVar[str] = "ngram"

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n={self.n}, but an n-gram has at least one token")
        if self.reading not in READINGS:
            raise ValueError(f"no reading '{self.reading}'. Known: {', '.join(READINGS)}")

    def __repr__(self) -> str:
        return spelling.spell(self)

    @property
    def fingerprint(self) -> str:
        """Spelling and code version, and NLTK's version where it reads."""
        made_by = f"nltk {_nltk_version()}" if self.reading == "nltk" else "built-in"
        return f"{self!r} {made_by} v{CODE_VERSION}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One answer per ask; a text that several asks share is read once per call."""
        if self.reading == "nltk":
            nltk_tokens.check_data()
        read = READINGS[self.reading]

        @cache
        def listed(text: str) -> tuple[list[str] | list[tuple[str, ...]], int]:
            found = read(text)
            return (found if self.n == 1 else tokens.ngrams(found, self.n)), len(found)

        @cache
        def contained(text: str) -> frozenset[str | tuple[str, ...]]:
            return frozenset(listed(text)[0])

        for ask in asks:
            columns = [listed(text)[0] for text in ask.columns]
            units = [gram for grams in columns for gram in grams]
            owner = np.repeat(np.arange(len(columns)), [len(grams) for grams in columns])
            found = [[gram in contained(row) for gram in units] for row in ask.rows]
            yield Scores(
                np.array(found, dtype=np.float64).reshape(len(ask.rows), len(units)),
                owner.astype(np.int64),
                np.array([listed(row)[1] for row in ask.rows], dtype=np.float64),
            )


def _nltk_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("nltk")
    except PackageNotFoundError as error:
        raise RequestError(
            "NLTK is installed without its metadata, so its version cannot be told."
        ) from error
