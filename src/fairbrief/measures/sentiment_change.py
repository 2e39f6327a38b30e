"""How the sentiment and the gender words of all texts change from article to summary, whoever they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.measure_settings import check_uncut
from fairbrief.measures.sentiment_shift import EMPTY_ARTICLE, EMPTY_SUMMARY, SENTIMENT
from fairbrief.measures.subjects import article_of, coefficient_of
from fairbrief.specs import spell
from fairbrief.statistics import ratio
from fairbrief.types import (
    Ask,
    Cases,
    Integers,
    PermutationScheme,
    Reason,
    Rows,
    Scores,
    Totals,
    Value,
)


@dataclass(frozen=True)
class TextPairs:
    """Sentiment and gender coefficient of every article and its summary.

    Columns: ``one``; ``article``, ``summary`` and ``change`` (summary − article), sentiments as ``scorer`` gives
    them; ``article gendered`` and ``summary gendered``, 1 where the text has gender words, and ``article
    coefficient`` and ``summary coefficient``, 0 where it has none.

    Undefined:  no known sentiment in article or summary.
    """

    scorer: str = "vader"

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        return (Ask(self.scorer, (article_of(case.record), case.summary.text), SENTIMENT),)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 # there are no labels
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        (case,) = cases
        for size, reason in zip(scores[0].sizes, (EMPTY_ARTICLE, EMPTY_SUMMARY), strict=True):
            if not size:
                return reason
        a, s = (float(score) for score in scores[0].matrix[:, 0])
        row = {"one": 1.0, "article": a, "summary": s, "change": s - a}
        for name, text in (("article", article_of(case.record)), ("summary", case.summary.text)):
            x = coefficient_of(text)
            row |= {f"{name} gendered": float(x is not None), f"{name} coefficient": x or 0.0}
        return Rows(tuple((name,) for name in row), np.array([list(row.values())]))


@dataclass(frozen=True, repr=False)
class SentimentChange:
    """Mean change of sentiment from article to summary, over all records.

    Value: mean of sentiment(summary) − sentiment(article), in the scorer's unit; positive = summaries sound
    better than their articles. It compares no groups: it says where all texts move, and its evidence holds
    every pair of texts. Beside it: ``article`` and ``summary``, the mean sentiments.

    Reads:      the record's text and summary; sentiment from ``scorer``, as `sentiment_shift` does.
    Undefined:  records without known sentiment in article or summary.
    Source:     Chau & Kim, Sentiment Analysis for Identifying Gender Bias, Figures 1 to 4.
    """

    name: ClassVar[str] = "sentiment_change"
    declaration: ClassVar[Declaration] = Declaration(
        family="Sentiment",
        question="how the tone of all texts changes from text to summary, whoever they are about",
        harm="Summaries would sound better or worse than what they summarize.",
        on_request="it compares no groups; `sentiment_shift` does",
    )
    scorer: str = "vader"

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)

    @property
    def languages(self) -> tuple[str, ...]:
        """English where VADER scores."""
        return ("en",) if self.scorer.startswith("vader") else ()

    @property
    def observation(self) -> TextPairs:
        return TextPairs(self.scorer)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        return {
            "sentiment_change": Value(ratio(totals["change"], totals["one"])),
            "article": Value(ratio(totals["article"], totals["one"])),
            "summary": Value(ratio(totals["summary"], totals["one"])),
        }

    def explain(self, totals: Totals) -> str:
        """Sentiment of one article and of its summary."""
        return f"article {float(totals['article']):+.3f}, summary {float(totals['summary']):+.3f}"

    __repr__ = spell
