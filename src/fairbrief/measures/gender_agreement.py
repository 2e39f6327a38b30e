"""Whether summaries speak of women and men as their articles do: the gender coefficient of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.bases import Reading, WithoutLabels, WithoutScores
from fairbrief.measures.record_texts import NO_GENDER_WORD, article_of, coefficient_of
from fairbrief.statistics import TIE, ratio
from fairbrief.types import Cases, Floats, Integers, Reason, Rows, Scores, Totals, Value


@dataclass(frozen=True)
class GenderWords(WithoutScores, WithoutLabels):
    """Gender coefficients of article (x) and summary (y); one row per article with gender words.

    Per record:  ``articles``; ``article coefficient`` x; and if the summary has gender words too, ``both``, ``x``,
                ``y``, ``x²``, ``y²``, ``xy``, ``same sign`` (1 if x and y have the same sign, or both are 0) and
                ``change`` y − x.
    Undefined:  "no gender word in the article".
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        (case,) = cases
        x = coefficient_of(article_of(case.record))
        if x is None:
            return NO_GENDER_WORD
        y = coefficient_of(case.summary.text)
        row = {"articles": 1.0, "article coefficient": x}
        row |= dict.fromkeys(("both", "x", "y", "x²", "y²", "xy", "same sign", "change"), 0.0)
        if y is not None:
            same = float(np.sign(x) == np.sign(y))
            row |= {"both": 1.0, "x": x, "y": y, "x²": x * x, "y²": y * y, "xy": x * y}
            row |= {"same sign": same, "change": y - x}
        return Rows.of({(name,): number for name, number in row.items()})


@dataclass(frozen=True, repr=False)
class GenderAgreement(Reading):
    """How well summaries keep their articles' mix of female and male words: Pearson correlation.

    The coefficient of a text is (she, her, hers − he, him, his) / all of them, in [−1, 1].

    Reads:      only the texts.
    Value:      in [−1, 1], over records where both texts have such words; 1 if summaries keep the mix. Secondary:
                ``same_sign``, the share whose coefficients have the same sign; ``coefficient_change``, mean of
                summary − article (positive: more female words); ``article_coefficient``, mean over all articles;
                ``without_gender_words``, the share of summaries with none.
    Undefined:  if article or summary coefficients do not vary; "no gender word in the article".
    Source:     Chau & Kim, BERT for Summarization: Sentiment Analysis for Identifying Gender Bias.
    """

    observes: ClassVar[type] = GenderWords
    name: ClassVar[str] = "gender_agreement"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    declaration: ClassVar[Declaration] = Declaration(
        family="Sentiment",
        question="how closely the mix of gender words in summaries follows that of their texts",
        harm="Summaries would speak of women where the text speaks of men, or of nobody where it speaks of someone.",
        figures=("coefficients",),
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        both = totals["both"]
        return {
            "gender_agreement": Value(_correlation(totals), is_correlation=True),
            "same_sign": Value(ratio(totals["same sign"], both), is_share=True),
            "coefficient_change": Value(ratio(totals["change"], both)),
            "article_coefficient": Value(ratio(totals["article coefficient"], totals["articles"])),
            "without_gender_words": Value(
                ratio(totals["articles"] - both, totals["articles"]), is_share=True
            ),
        }

    def explain(self, totals: Totals) -> str:
        """Both coefficients of one record."""
        article = f"gender coefficient of the article {float(totals['article coefficient']):+z.2f}"
        if not totals["both"] > 0:
            return f"{article}; the summary has no gender word"
        return f"{article}, of the summary {float(totals['y']):+z.2f}"


def _correlation(totals: Totals) -> Floats:
    n = totals["both"]
    mx, my = ratio(totals["x"], n), ratio(totals["y"], n)
    xx, yy = ratio(totals["x²"], n) - mx * mx, ratio(totals["y²"], n) - my * my
    varies = (xx > TIE) & (yy > TIE)
    spread = np.sqrt(np.where(varies, xx * yy, 1.0))
    return np.where(varies, np.clip((ratio(totals["xy"], n) - mx * my) / spread, -1.0, 1.0), np.nan)
