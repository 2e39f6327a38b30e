"""VADER: the sentiment of English sentences by lexicon and rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Any, ClassVar, Literal

import numpy as np

from fairbrief.classifiers import passage_scores
from fairbrief.text.sentences import split
from fairbrief.types import Ask, Scores


@dataclass(frozen=True)
class Vader:
    """Sentiment of whole texts: VADER's compound score in [−1, 1]; positive = favourable.

    A text's score is the mean over its sentences. VADER is made for a sentence or two, and its compound score of a
    whole article approaches ±1 from length alone. ``by=text`` scores the text in one piece. A sentence without a word
    of the lexicon is neutral, 0.

    Shape (rows, columns): rows are passages, and the one column is ``"sentiment"``. ``sizes`` counts the sentences:
    with 0 the score is undefined (and 0 in the matrix).

    Source:     Hutto & Gilbert, VADER, ICWSM 2014.
    """

    name: ClassVar[str] = "vader"
    by: Literal["sentences", "text"] = "sentences"

    def __post_init__(self) -> None:
        if self.by not in ("sentences", "text"):
            raise ValueError(f"by is sentences or text; not '{self.by}'")

    @property
    def fingerprint(self) -> str:
        """Version of the package, and how texts are cut."""
        return f"vader:1|vaderSentiment:{metadata.version('vaderSentiment')}|by:{self.by}"

    def answer(self, asks: Sequence[Ask]) -> Iterator[Scores]:
        """One score per row; shape of each matrix: (rows, columns)."""
        compound = _analyzer()

        def score(text: str) -> tuple[float, int]:
            pieces = split(text) if self.by == "sentences" else [text] * bool(text.strip())
            if len(pieces) == 1:
                return compound(pieces[0]), 1
            # To the last bit np.mean, which takes six times as long for so few numbers.
            return float(np.add.reduce([*map(compound, pieces)])) / max(1, len(pieces)), len(pieces)

        return passage_scores(asks, score)


SENTENCES = 65536
"""Sentences whose score is kept: counterfactuals of one seed document share most, and an article comes with every system."""


@lru_cache(maxsize=1)
def _analyzer() -> Callable[[str], float]:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer: Any = SentimentIntensityAnalyzer()
    return lru_cache(SENTENCES)(lambda text: float(analyzer.polarity_scores(text)["compound"]))
