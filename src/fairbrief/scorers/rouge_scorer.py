"""ROUGE-1 and ROUGE-2 between sentences, as a scorer of resemblance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fairbrief.score_tables import ScoreTable
from fairbrief.scorers.pairs import check_by
from fairbrief.scorers.shared_words import Entries, Texts, best_given, code, tabulate
from fairbrief.specs import spell
from fairbrief.text import rouge
from fairbrief.text.sentences import By
from fairbrief.types import Ask


@dataclass(frozen=True)
class Rouge1:
    """ROUGE-1 F between a row sentence and a column sentence: 2·Σ min(c_row, c_column) / (n_row + n_column).

    In [0, 1]; 0 where either sentence has no words. ``stem`` compares Porter stems (by NLTK, extra ``nltk``).
    ``sentences`` is as in `Tfidf`.
    """

    name: ClassVar[str] = "rouge1"
    n: ClassVar[int] = 1
    stem: bool = False
    sentences: str = "given"
    by: By = "sentence"

    def __post_init__(self) -> None:
        check_by(self.name, self.by)

    @property
    def fingerprint(self) -> str:
        """The spec, the version of this code, and what cuts texts."""
        return f"{spell(self)} {code(self.sentences, self.by)}"

    def answer(self, asks: Sequence[Ask]) -> ScoreTable:
        """One answer per ask, in order."""
        return best_given(asks, self.sentences, self.by, self._answered)

    def _answered(self, texts: Texts) -> ScoreTable:
        return _f_scores(tabulate(texts, self.sentences, partial(rouge.tokens, stem=self.stem), self.n))

    __repr__ = spell


@dataclass(frozen=True, repr=False)
class Rouge2(Rouge1):
    """ROUGE-2 F between a row sentence and a column sentence: as `Rouge1`, over pairs of adjacent words."""

    name: ClassVar[str] = "rouge2"
    n: ClassVar[int] = 2


def _f_scores(entries: Entries) -> ScoreTable:
    row, column = entries.pairs()
    overlap = np.minimum(entries.count[row], entries.count[column])
    total = entries.size[entries.sentence[row]] + entries.size[entries.sentence[column]]
    return entries.scores(row, column, 2 * overlap / total)
