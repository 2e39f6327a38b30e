"""How the sentiment of a text changes from article to summary: between groups, and of all texts.

With d = sentiment(summary) − sentiment(article), `sentiment_shift` is the mean of d over one group less that over another, and
`sentiment_change` the mean of d over all records.

Source: Chau & Kim, BERT for Summarization: Sentiment Analysis for Identifying Gender Bias.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairbrief import types as t
from fairbrief.declarations import TEXTS_OF_TWO_GROUPS, Declaration, ScorerCheck
from fairbrief.measures.bases import BaseMeasure, BaseObservation, Fraction, NotObserved, TextScorer
from fairbrief.measures.groups import PRIMARY, largest_difference, means, pair_differences
from fairbrief.measures.record_texts import NO_GENDER_WORD, known, subject_of
from fairbrief.specs import parse
from fairbrief.statistics import TIE, ratio
from fairbrief.statistics.regression import Fit, fit_robust, fit_sums
from fairbrief.text.gendered_words import gender_coefficient

EMPTY_ARTICLE = "no word of known sentiment in the article"
EMPTY_SUMMARY = "no word of known sentiment in the summary"
UNSCORED = EMPTY_ARTICLE, EMPTY_SUMMARY
"""Why a text with a subject has no sentiment."""
STATISTICS = ("one", "article", "shift", "article²", "article·shift", "shift²")
"""The sums of which a regression of the shift is made."""
SENTIMENT = ("sentiment",)
"""The one column that sentiment scorers are asked for; rows are the passages."""


class Sentiments(BaseObservation):
    """An observation of the sentiment of article and summary, by the group of the article's subject.

    ``scorer`` answers for the rows (article, summary); a row of size 0 has no known sentiment.
    """

    over: str = ""
    scorer: TextScorer = "vader"
    threshold: Fraction = 1.0

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        (case,) = cases
        self.group_of(case.record)  # without which nothing is observed
        return (t.Ask(self.scorer, (known(case.record).source, case.summary.text), SENTIMENT),)

    def extract_asks(self, cases: t.Cases, extracts: t.UnitExtracts) -> Sequence[t.Ask]:
        """Sentences where a text's score is the mean of its sentences', else whole extracts; the article first."""
        (case,), (drawn,) = cases, extracts
        read = drawn.sentences if self._by_sentence else drawn.texts
        return (t.Ask(self.scorer, (known(case.record).source, *read), SENTIMENT),)

    def observe_extracts(self, cases: t.Cases, extracts: t.UnitExtracts, scores: t.Answers) -> t.Observed:
        """The mean over the extracts of what `observe` would say of them."""
        (case,), (drawn,), (tone,), sizes = cases, extracts, scores[0].matrix.T, scores[0].sizes[1:]
        group, s = self.group_of(case.record), tone[1:]
        if self._by_sentence:
            read = drawn.kept @ sizes
            s, sizes = (drawn.kept * (s * sizes)).sum(axis=1) / np.maximum(read, 1), read
        words = float((drawn.kept @ [len(text.split()) for text in drawn.sentences]).mean())
        return self._row(case, group, float(tone[0]), s[sizes > 0], words)

    @property
    def _by_sentence(self) -> bool:
        known = parse(self.scorer)
        return known.name == "vader" and known.settings.get("by", "sentences") == "sentences"

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        (case,) = cases
        group = self.group_of(case.record)
        tone = np.where(scores[0].sizes > 0, scores[0].matrix[:, 0], np.nan)
        words = float(len(case.summary.text.split()))
        return self._row(case, group, float(tone[0]), tone[1:][~np.isnan(tone[1:])], words)

    def _row(self, case: t.Case, group: str, article: float, tones: t.Floats, words: float) -> t.Rows:
        """The mean statistics of texts with these tones, for the record's group; nan is no known tone."""
        if np.isnan(article) or not len(tones):
            raise NotObserved(EMPTY_ARTICLE if np.isnan(article) else EMPTY_SUMMARY)
        statistics = self.statistics(article, tones, float(len(known(case.record).source.split())), words)
        return t.Rows.of({(name, group): float(np.mean(of)) for name, of in statistics.items()})

    def group_of(self, record: t.Record) -> str:
        """The group of an article's subject. Raises `NotObserved` if it has none."""
        return subject_of(record, self.over, self.threshold)

    def statistics(self, a: float, s: Any, article_words: float, summary_words: float) -> dict[str, Any]:
        """What one summary of sentiment s, or several, adds, beside an article of sentiment a."""
        d = s - a
        return {
            "one": 1.0, "article": a, "summary": s, "shift": d, "article²": a * a, "shift²": d * d,
            "article·shift": a * d, "article words": article_words, "summary words": summary_words,
        }  # fmt: skip


class SentimentShift(BaseMeasure, Sentiments):
    """Difference between groups in how far summaries shift the sentiment of their articles.

    The shift of one summary is sentiment(summary) − sentiment(article). With two groups the value is mean shift of
    the first − mean shift of the second, in alphabetical order (female − male): positive = summaries make texts about
    the first group sound better than those about the second. With more groups it is the largest difference between
    any two, and cannot be negative.

    A zero value is fair only if the scorer treats groups equally. A score of whole texts (``vader(by=text)``)
    approaches its ends with length, so shorter texts shift towards the middle. An extreme article, extreme in part by
    chance, has a less extreme summary (slope below zero: regression to the mean). So groups whose articles differ in
    sentiment or length differ in shift without any bias: use ``adjusted_difference``, and the random-sentence
    baseline.

    Reads:      the record's text and summary; groups by the article's gender words (coefficient at or beyond
                ±``threshold``), or ``@ATTRIBUTE`` of the record (or shared by all its documents or people). Sentiment
                from ``scorer``: ``vader`` (in [−1, 1], so values in [−2, 2]), or ``word_sentiment(vectors=FILE)``
                (log-odds, unbounded, in nats; with ``base=2`` in the paper's unit, in which +1 doubles the odds).
    Per record:  one row per summary, all columns of its group g: ``one``, ``article`` a, ``summary`` s, ``shift`` d =
                s − a, ``article²``, ``shift²``, ``article·shift``, and the words of both. These are X'X, X'y and y'y
                of every regression of the shift on article and group.
    Permuted:   sign flips of the clusters' differences, so groups may differ in spread and size.
    Secondary:  ``difference[k−l]``; per group ``shift[g]``, ``article[g]``, ``summary[g]``; the least squares of
                shift on article sentiment: ``slope[g]``, ``intercept[g]``, ``r2[g]``, with classical errors and p
                (``slope_error[g]``, ``slope_p[g]``, ``intercept_error[g]``, ``intercept_p[g]``);
                ``slope_difference[k−l]``; ``adjusted_difference[k−l]``, the coefficient of the group next to article
                sentiment, with ``adjusted_error[k−l]``, ``adjusted_p[k−l]``. Classical errors and p, and r², have no
                interval. The audit's intervals of coefficients, and its tests (jackknife t), do not assume equal scatter.
    Undefined:  with fewer than two groups; records: "no gender word in the article", "the article's gender words are
                mixed", "the record lacks the attribute", no known sentiment.
    Source:     Chau & Kim, BERT for Summarization: Sentiment Analysis for Identifying Gender Bias.
    """

    name = "sentiment_shift"
    declaration = Declaration(
        family="Sentiment",
        question="how the tone changes from text to summary, between groups",
        harm="People of some groups would be shown in a better or worse light than the text showed them.",
        attribute_of="record",
        figures=("sentiments", "regressions"),
        scorer_checks=(ScorerCheck(measure="scorer_bias_sentiment", given={"scorer": "scorer"}),),
        scorer_kind="classifier",
        contrast=TEXTS_OF_TWO_GROUPS.replace(
            title="change of tone from text to summary",
            question="Whose texts become more negative when summarized?",
            below="the tone of {first} texts falls by {size} relative to that of {second} texts",
            above="the tone of {first} texts rises by {size} relative to that of {second} texts",
            even="the tone changes equally (it is scored from −1 to 1)",
        ),
    )

    @property
    def languages(self) -> tuple[str, ...]:
        """English if VADER scores, or if gender words determine the groups; otherwise empty, since the word vectors set the language."""
        return ("en",) if self.scorer.startswith("vader") or not self.over else ()

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        mean = totals.ratios("shift", "one")
        values = {self.name: largest_difference(mean, totals.array.shape[:-1], "one")}
        values |= pair_differences(mean, "one", **PRIMARY)
        for g in mean:
            for name in ("shift", "article", "summary"):
                values |= means(totals, name, "one", [g], has_baseline=name != "article")
        fits = {g: fit_shift(totals, [g]) for g in mean}
        for g, fit in fits.items():
            for i, term in ((1, "slope"), (0, "intercept")):
                values[f"{term}[{g}]"] = t.Value(fit.coefficients[..., i])
                values[f"{term}_error[{g}]"] = t.Value(fit.errors[..., i], is_descriptive=True)
                values[f"{term}_p[{g}]"] = t.Value(fit.p[..., i], is_descriptive=True)
            values[f"r2[{g}]"] = t.Value(fit.r2, is_descriptive=True)
        for k, other in itertools.combinations(mean, 2):
            gap = fits[k].coefficients[..., 1] - fits[other].coefficients[..., 1]
            adjusted = fit_shift(totals, [k, other], k)
            values[f"slope_difference[{k}−{other}]"] = fitted_difference(gap, k, other)
            values[f"adjusted_difference[{k}−{other}]"] = fitted_difference(
                adjusted.coefficients[..., 2], k, other
            )
            values[f"adjusted_error[{k}−{other}]"] = t.Value(adjusted.errors[..., 2], is_descriptive=True)
            values[f"adjusted_p[{k}−{other}]"] = t.Value(adjusted.p[..., 2], is_descriptive=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        """Sentiment of one article and of its summary, and their lengths."""
        article = "article {article:+z.3f} ({article words:,.0f} words)"
        summary = "summary {summary:+z.3f} ({summary words:,.0f} words)"
        return totals.describe("one", f": {article}, {summary}, shift {{shift:+z.3f}}") + "."


def fit_shift(totals: t.Totals, groups: Sequence[str], dummy: str = "") -> Fit:
    """Shift on article sentiment in these groups; terms: constant, article, and a dummy of one group if it is named."""
    n, a, d, aa, ad, dd = (totals.weighted(tuple(((name, g), 1.0) for g in groups)) for name in STATISTICS)
    xx, xy = [[n, a], [a, aa]], [d, ad]
    if dummy:
        m, b, e = (totals[name, dummy] for name in ("one", "article", "shift"))
        xx, xy = [[n, a, m], [a, aa, b], [m, b, m]], [d, ad, e]
    matrix = np.stack([np.stack(row, axis=-1) for row in xx], axis=-2)
    return fit_sums(matrix, np.stack(xy, axis=-1), dd, n)


def fitted_difference(gap: t.Floats, first: str, second: str) -> t.Value:
    """A difference of coefficients between records of two groups. It is not a mean over records, so the jackknife t tests it."""
    of_both = ("one", first), ("one", second)
    group = f"{first} − {second}"
    return t.Value(gap, "both", group=group, present=of_both, strata=of_both, is_tested_by_t=True)


class SentimentChange(BaseMeasure):
    """Mean change of sentiment from article to summary, over all records.

    The mean of sentiment(summary) − sentiment(article), in the scorer's unit; positive = summaries sound better than
    their articles. It compares no groups.

    A record without known sentiment in article or summary is excluded, so that systems are compared on the same
    texts. ``version=text`` keeps it, as the paper's figures count all texts: then ``article`` and ``summary`` are
    means over those that have a sentiment, and ``without_sentiment`` is the share of records that lack one.

    Reads:      the record's text and summary; sentiment from ``scorer``, as `SentimentShift`.
    Per record:  ``texts``, 1; ``article`` and ``summary``, the sentiments, and ``article known`` and ``summary known``, 1
                if there is one; ``change`` (summary − article) and ``one``, 1 if there are both; ``article gendered``
                and ``summary gendered``, 1 if the text has gender words, and ``article coefficient`` and ``summary
                coefficient``. Unknown numbers are 0.
    Value:      on the scorer's scale. Secondary: ``article`` and ``summary``, the mean sentiments.
    Undefined:  records without known sentiment in article or summary.
    Source:     Chau & Kim, BERT for Summarization: Sentiment Analysis for Identifying Gender Bias, Figures 1 to 4.
    """

    name = "sentiment_change"
    declaration = Declaration(
        version=2,
        family="Sentiment",
        question="how the tone of all texts changes from text to summary, whoever they are about",
        harm="Summaries would sound better or worse than what they summarize.",
        on_request="it compares no groups; sentiment_shift does",
        scorer_kind="classifier",
    )
    scorer: TextScorer = "vader"
    version: Literal["recommended", "text"] = "recommended"

    def asks(self, cases: t.Cases) -> Sequence[t.Ask]:
        (case,) = cases
        return (t.Ask(self.scorer, (known(case.record).source, case.summary.text), SENTIMENT),)

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        (case,) = cases
        is_known = scores[0].sizes > 0
        for is_there, reason in zip(is_known, UNSCORED, strict=True):
            if not is_there and self.version == "recommended":
                raise NotObserved(reason)
        tones = np.where(is_known, scores[0].matrix[:, 0], 0.0)
        both = float(is_known.all())
        row: dict[t.Column, float] = {("texts",): 1.0, ("one",): both}
        row["change",] = both * (tones[1] - tones[0])
        texts = {"article": known(case.record).source, "summary": case.summary.text}
        for (side, text), is_there, tone in zip(texts.items(), is_known, tones, strict=True):
            x = gender_coefficient(text)
            row |= {(side,): tone, (f"{side} known",): is_there}
            row |= {(f"{side} gendered",): x is not None, (f"{side} coefficient",): x or 0.0}
        return t.Rows.of(row)

    @property
    def languages(self) -> tuple[str, ...]:
        """English where VADER scores."""
        return ("en",) if self.scorer.startswith("vader") else ()

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        values = {
            "sentiment_change": t.Value(totals.ratio("change", "one")),
            "article": t.Value(totals.ratio("article", "article known")),
            "summary": t.Value(totals.ratio("summary", "summary known")),
        }
        if self.version == "text":
            lacking = totals["texts"] - totals["one"]
            values["without_sentiment"] = t.Value(ratio(lacking, totals["texts"]), is_share=True)
        return values

    def explain(self, totals: t.Totals) -> str:
        """Sentiment of one article and of its summary."""
        tones = {text: f"{float(totals[text]):+z.3f}" for text in ("article", "summary")}
        told = (tone if totals[f"{x} known"] else "without known sentiment" for x, tone in tones.items())
        return "article {}, summary {}".format(*told)


@dataclass(frozen=True, slots=True)
class Regression:
    """One regression of the shift: its terms (the constant first), and its errors twice.

    ``classical`` trusts equal scatter; ``robust`` is HC3, or where rows of one cluster hang together
    (``is_clustered``) cluster-robust.
    """

    title: str
    terms: tuple[str, ...]
    n: int
    classical: Fit
    robust: Fit
    is_clustered: bool


def regress_shift(
    article: t.Floats, shift: t.Floats, groups: Sequence[str], clusters: Sequence[str]
) -> list[Regression]:
    """Shift on article sentiment in each group; then on the groups' dummies, without and with article.

    The dummies are compared with the first group in the order of the alphabet; *adjusted* holds the article's
    sentiment fixed. Shapes: all (rows,).
    Coefficients are nan where their columns depend on each other or there are too few rows.
    """
    article, shift = np.asarray(article, dtype=np.float64), np.asarray(shift, dtype=np.float64)
    names, of_row = sorted(set(groups)), np.array(groups, dtype=object)
    cluster = np.unique(np.array(clusters, dtype=str), return_inverse=True)[1]
    ones = np.ones(len(article))
    designs: list[Any] = [(name, ("constant", "article"), (ones, article), of_row == name) for name in names]
    if len(names) > 1:
        *others, base = reversed(names)
        dummies = [(of_row == name).astype(np.float64) for name in others]
        told, every = [f"{name} − {base}" for name in others], ones > 0
        designs.append(("all", ("constant", *told), (ones, *dummies), every))
        designs.append(("all, adjusted", ("constant", "article", *told), (ones, article, *dummies), every))
    found = []
    for title, terms, columns, rows in designs:
        x, y, own = np.column_stack(columns)[rows], shift[rows], cluster[rows]
        is_clustered = len(np.unique(own)) < len(y)
        classical = fit_sums(x.T @ x, x.T @ y, np.asarray(y @ y), np.asarray(float(len(y))))
        robust = fit_robust(x, y, own if is_clustered else None)
        found.append(Regression(title, terms, len(y), classical, robust, is_clustered))
    return found


class GenderAgreement(BaseMeasure):
    """How well summaries keep their articles' mix of female and male words: Pearson correlation.

    The coefficient of a text is (she, her, hers − he, him, his) / all of them, in [−1, 1].

    Reads:      only the texts.
    Per record:  of each article with gender words, ``articles`` and ``article coefficient`` x; and if the summary has
                gender words too, ``both``, ``x``, ``y``, ``x²``, ``y²``, ``xy``, ``same sign`` (1 if x and y have the
                same sign, or both are 0) and ``change`` y − x.
    Value:      in [−1, 1], over records where both texts have such words; 1 if summaries keep the mix. Secondary:
                ``same_sign``, the share whose coefficients have the same sign; ``coefficient_change``, mean of
                summary − article (positive: more female words); ``article_coefficient``, mean over all articles;
                ``without_gender_words``, the share of summaries with none.
    Undefined:  if article or summary coefficients do not vary; "no gender word in the article".
    Source:     Chau & Kim, BERT for Summarization: Sentiment Analysis for Identifying Gender Bias.
    """

    name = "gender_agreement"
    languages = ("en",)
    declaration = Declaration(
        family="Sentiment",
        question="how closely the mix of gender words in summaries follows that of their texts",
        harm="Summaries would speak of women where the text speaks of men, or of nobody where it speaks of someone.",
    )

    def observe(self, cases: t.Cases, scores: t.Answers, labels: t.Integers) -> t.Observed:
        (case,) = cases
        x = gender_coefficient(known(case.record).source)
        if x is None:
            raise NotObserved(NO_GENDER_WORD)
        of_summary = gender_coefficient(case.summary.text)
        both = float(of_summary is not None)
        row = {"articles": 1.0, "article coefficient": x, "both": both}
        x, y = both * x, of_summary or 0.0
        row |= {"x": x, "y": y, "x²": x * x, "y²": y * y, "xy": x * y, "change": y - x}
        row["same sign"] = both * (np.sign(x) == np.sign(y))
        return t.Rows.of({(name,): number for name, number in row.items()})

    def value(self, totals: t.Totals) -> Mapping[str, t.Value]:
        mean = totals.ratio("article coefficient", "articles")
        without = ratio(totals["articles"] - totals["both"], totals["articles"])
        return {
            self.name: t.Value(_correlation(totals), is_correlation=True),
            "same_sign": t.Value(totals.ratio("same sign", "both"), is_share=True),
            "coefficient_change": t.Value(totals.ratio("change", "both")),
            "article_coefficient": t.Value(mean, limits=t.SHARE_DIFFERENCE),
            "without_gender_words": t.Value(without, is_share=True),
        }

    def explain(self, totals: t.Totals) -> str:
        """Both coefficients of one record."""
        article = f"gender coefficient of the article {float(totals['article coefficient']):+z.2f}"
        if not totals["both"] > 0:
            return f"{article}; the summary has no gender word"
        return f"{article}, of the summary {float(totals['y']):+z.2f}"


def _correlation(totals: t.Totals) -> t.Floats:
    n = totals["both"]
    mx, my = ratio(totals["x"], n), ratio(totals["y"], n)
    xx, yy = ratio(totals["x²"], n) - mx * mx, ratio(totals["y²"], n) - my * my
    varies = (xx > TIE) & (yy > TIE)
    spread = np.sqrt(np.where(varies, xx * yy, 1.0))
    return np.where(varies, np.clip((ratio(totals["xy"], n) - mx * my) / spread, -1.0, 1.0), np.nan)
