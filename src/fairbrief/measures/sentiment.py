"""How the sentiment of a text changes from article to summary, by who the article is about."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.settings import shared
from fairbrief.measures.subjects import article_of, subject_of
from fairbrief.nouns import (
    Ask,
    Cases,
    Column,
    Exchange,
    Floats,
    Integers,
    Reason,
    Rows,
    Scores,
    Totals,
    Value,
)
from fairbrief.spelling import spell
from fairbrief.statistics import Fit, fit_sums, ratio
from fairbrief.text.counted import counted

EMPTY_ARTICLE = Reason("no word of known sentiment in the article")
EMPTY_SUMMARY = Reason("no word of known sentiment in the summary")
SENTIMENT = ("sentiment",)
"""The one column that sentiment scorers are asked for; rows are the passages."""


@dataclass(frozen=True, repr=False)
class SentimentSettings:
    """What decides an article's group and sentiment; measure and observation share it."""

    over: str = ""
    scorer: str = "vader"
    threshold: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise ValueError(f"threshold must lie in (0, 1], not {self.threshold}")


@dataclass(frozen=True)
class Sentiments(SentimentSettings):
    """Sentiment of article and summary, by the group of the article's subject.

    One row per summary, all columns of its group g: ``one``, ``article`` a, ``summary`` s, ``shift``
    d = s − a, ``article²``, ``shift²``, ``article·shift``, and the words of both. These are X'X, X'y
    and y'y of every regression of the shift on article and group.

    Reads:      the sentiment of the rows (article, summary) from ``scorer``; a row of size 0 has none.
    Groups:     ``over`` (see `subject_of`); exchanged between records, as "no disparity" allows.
    Undefined:  no group, or no known sentiment in article or summary.
    """

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    grouped_by: ClassVar[str] = "one"
    version: ClassVar[int] = 1

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        if isinstance(subject_of(case.record, self.over, self.threshold), Reason):
            return ()
        return (Ask(self.scorer, (article_of(case.record), case.summary.text), SENTIMENT),)

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002 # groups are exchanged between records
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:
        (case,) = cases
        group = subject_of(case.record, self.over, self.threshold)
        if isinstance(group, Reason):
            return group
        for size, reason in zip(scores[0].sizes, (EMPTY_ARTICLE, EMPTY_SUMMARY), strict=True):
            if not size:
                return reason
        a, s = (float(score) for score in scores[0].matrix[:, 0])
        d = s - a
        statistics = {
            "one": 1.0, "article": a, "summary": s, "shift": d, "article²": a * a, "shift²": d * d,
            "article·shift": a * d, "article words": float(len(article_of(case.record).split())),
            "summary words": float(len(case.summary.text.split())),
        }  # fmt: skip
        row = np.array([list(statistics.values())])
        return Rows(tuple((name, group) for name in statistics), np.repeat(row, len(labels), axis=0))


@dataclass(frozen=True, repr=False)
class SentimentShift(SentimentSettings):
    """Difference between groups in how far summaries shift the sentiment of what they summarize.

    The shift of one summary is sentiment(summary) − sentiment(article). With two groups the value is
    mean shift of the first − mean shift of the second in the order of the alphabet (female − male):
    positive = summaries make texts about the first group sound better, compared with the second.
    With more groups it is the largest difference between any two, and cannot be negative.

    Reads:      the record's text and summary; groups by the article's gender words (coefficient at or
                beyond ±``threshold``), or ``@ATTRIBUTE`` of the record (or shared by all its documents
                or people). Sentiment from ``scorer``: ``vader`` (in [−1, 1], so values in [−2, 2]), or
                ``word_sentiment(vectors=FILE)`` (log-odds, unbounded).
    Chance:     groups exchanged between records (between clusters; inside a cluster whose variants
                differ in their group). Assumes that without a disparity an article's shift does not
                depend on its group at all, in mean or spread.
    Beside it:  ``difference[k−l]``; per group ``shift[g]``, ``article[g]``, ``summary[g]``; the least
                squares of shift on article sentiment, ``slope[g]``, ``intercept[g]``, with classical
                ``slope_error[g]``, ``slope_p[g]``, ``intercept_error[g]``, ``intercept_p[g]``,
                ``r2[g]``; ``slope_difference[k−l]``; ``adjusted_difference[k−l]``, the coefficient of
                the group beside article sentiment, with ``adjusted_error[k−l]``, ``adjusted_p[k−l]``.
                The intervals of the audit resample records and need no equal scatter.
    Beware:     The value's zero is the zero of the arithmetic, not of every instrument. A score of whole
                texts (``vader(by=text)``) runs to its ends with length, so shorter texts shift towards the
                middle whatever they say; and an extreme article, extreme in part by chance, gets a less
                extreme summary (slope below zero: regression to the mean). Groups whose articles differ in
                sentiment or length then differ in shift without any bias. Read ``adjusted_difference``, and
                the same values of random sentences of the same article, about as long as the summary, which
                the audit takes beside every system with ``--control random_sentences``: that is the chance
                level of shift and slope.
    Undefined:  with fewer than two groups; records: "no gender word in the article", "the article's
                gender words are mixed", "the record lacks the attribute", no known sentiment.
    Source:     Chau & Kim, Sentiment Analysis for Identifying Gender Bias.
    """

    name: ClassVar[str] = "sentiment_shift"
    reads: ClassVar[str] = "record"

    @property
    def observation(self) -> Sentiments:
        return Sentiments(**shared(self, SentimentSettings))

    @property
    def instruments(self) -> Mapping[str, Mapping[str, str]]:
        """The measures that check the judges it relies on, with their settings."""
        return {"instrument_sentiment": {"scorer": self.scorer}}

    def value(self, totals: Totals) -> Mapping[str, Value]:
        groups = totals.values_of("one")
        pairs = list(itertools.combinations(groups, 2))
        mean = {g: ratio(totals["shift", g], totals["one", g]) for g in groups}
        values: dict[str, Value] = {"sentiment_shift": largest_difference(mean, totals)}
        for k, other in pairs:
            values[f"difference[{k}−{other}]"] = Value(mean[k] - mean[other], "both")
        for g in groups:
            # Against all others: of two groups it would say again what the headline says.
            values[f"shift[{g}]"] = Value(mean[g], "both" if len(groups) > 2 else None)
            values[f"article[{g}]"] = Value(ratio(totals["article", g], totals["one", g]))
            values[f"summary[{g}]"] = Value(ratio(totals["summary", g], totals["one", g]))
        fits = {g: _fit_group(totals, g) for g in groups}
        for g, fit in fits.items():
            values |= _regression(g, fit)
        for k, other in pairs:
            gap = fits[k].coefficients[..., 1] - fits[other].coefficients[..., 1]
            values[f"slope_difference[{k}−{other}]"] = Value(gap, "both")
            adjusted = _fit_adjusted(totals, k, other)
            values[f"adjusted_difference[{k}−{other}]"] = Value(adjusted.coefficients[..., 2], "both")
            values[f"adjusted_error[{k}−{other}]"] = Value(adjusted.errors[..., 2])
            values[f"adjusted_p[{k}−{other}]"] = Value(adjusted.p[..., 2])
        return values

    def explain(self, totals: Totals) -> str:
        """Sentiment of one article and of its summary, and their lengths."""
        parts = [
            f"{g}: article {float(totals['article', g]):+.3f} ({counted(float(totals['article words', g]), 'word')}), "
            f"summary {float(totals['summary', g]):+.3f} ({counted(float(totals['summary words', g]), 'word')}), "
            f"shift {float(totals['shift', g]):+.3f}"
            for g in totals.values_of("one")
            if totals["one", g] > 0
        ]
        return (
            "; ".join(parts)
            + ". Chance level: the shift of random sentences of that length (--control random_sentences)."
        )

    def __repr__(self) -> str:
        return spell(self)


def largest_difference(mean: Mapping[str, Floats], totals: Totals) -> Value:
    """First minus second of two groups' means, signed; the largest minus the smallest of more."""
    if len(mean) == 2:
        first, second = mean.values()
        return Value(first - second, "both")
    if not mean:
        return Value(np.full(totals.array.shape[:-1], np.nan), "both")
    stacked = np.stack(list(mean.values()))
    there = np.isfinite(stacked)
    largest = np.where(there, stacked, -np.inf).max(axis=0)
    smallest = np.where(there, stacked, np.inf).min(axis=0)
    several = there.sum(axis=0) > 1
    gap = np.where(several, largest, np.nan) - np.where(several, smallest, 0.0)
    return Value(gap, "upper" if len(mean) > 2 else "both")


def _regression(group: str, fit: Fit) -> dict[str, Value]:
    values = {}
    for i, term in ((1, "slope"), (0, "intercept")):
        values[f"{term}[{group}]"] = Value(fit.coefficients[..., i])
        values[f"{term}_error[{group}]"] = Value(fit.errors[..., i])
        values[f"{term}_p[{group}]"] = Value(fit.p[..., i])
    return values | {f"r2[{group}]": Value(fit.r2)}


def _fit_group(totals: Totals, group: str) -> Fit:
    """Shift on article sentiment inside one group; terms: constant, article."""
    n, a, d = (totals[name, group] for name in ("one", "article", "shift"))
    aa, ad, dd = (totals[name, group] for name in ("article²", "article·shift", "shift²"))
    xx = _matrix([[n, a], [a, aa]])
    return fit_sums(xx, np.stack([d, ad], axis=-1), dd, n)


def _fit_adjusted(totals: Totals, first: str, second: str) -> Fit:
    """Shift on article sentiment and a dummy of the first group; terms: constant, article, dummy."""
    n, a, d, aa, ad, dd = (
        totals[name, first] + totals[name, second]
        for name in ("one", "article", "shift", "article²", "article·shift", "shift²")
    )
    m, b, e = (totals[name, first] for name in ("one", "article", "shift"))
    xx = _matrix([[n, a, m], [a, aa, b], [m, b, m]])
    return fit_sums(xx, np.stack([d, ad, e], axis=-1), dd, n)


def _matrix(rows: Sequence[Sequence[Floats]]) -> Floats:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
