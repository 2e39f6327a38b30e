"""Chau & Kim, sentiment and gender: measures, and the paper's figures as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.measures.shift_regressions import Regression, regress_shift
from fairbrief.nouns import Estimate, Floats, Table
from fairbrief.protocols.cells import decimal
from fairbrief.spelling import spell

DIFFERENCES = {
    "sentiment_shift": "shift",
    "adjusted_difference": "shift, adjusted",
    "slope_difference": "slope",
}
"""What the table of differences calls a quantity; *adjusted* holds the article's sentiment fixed."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
BINS = 10
FEW = 10
"""Rows of one subject below which robust errors are known to be too small."""
COEFFICIENTS = ("−1", "−1 to 0", "0", "0 to 1", "+1")


@dataclass(frozen=True)
class ChauSentiment:
    """Change of sentiment from article to summary, by the gender of the subject (Chau & Kim).

    ``chau-sentiment(vectors=FILE)`` scores words as the paper does: logistic regression on word vectors,
    taught by a lexicon. Without vectors VADER stands in, and the tables say so. Subjects: articles whose
    gender words all agree (``threshold=1``).
    """

    name: ClassVar[str] = "chau-sentiment"
    paper: ClassVar[str] = "Chau & Kim: Sentiment Analysis for Identifying Gender Bias"
    vectors: str = ""
    lexicon: str = "opinion"
    threshold: float = 1.0

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 # groups are in the text
        """The shift by gender of the subject, and how the gender coefficients agree."""
        settings = [f"scorer={self._scorer()}"] if self.vectors else []
        settings += [f"threshold={self.threshold}"] if self.threshold != 1 else []
        return ("sentiment_shift" + (f"({', '.join(settings)})" if settings else ""), "gender_agreement")

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The differences between women and men, with interval, chance level and p."""
        rows = tuple(
            (e.system, told, decimal(e.value), _interval(e), decimal(e.null_mean), _p(e.p), str(e.n))
            for e in estimates
            if e.measure.startswith("sentiment_shift") and not e.slice and not e.baseline
            if (told := DIFFERENCES.get(e.quantity.partition("[")[0]))
        )
        header = ("system", "quantity", "value", "interval", "by chance", "p", "n")
        title = "Difference of the shift between groups (female − male)"
        return (Table(title, header, rows, self._notes()),) if rows else ()

    def evidence_tables(self, evidence: pa.Table) -> tuple[Table, ...]:
        """Figures 3, 6 and 7: distributions, coefficients and regressions, for each system; none without rows."""
        made = (*distributions(evidence, self._notes()[:1]), coefficients(evidence), regressions(evidence))
        return tuple(table for table in made if table.rows)

    def _scorer(self) -> str:
        lexicon = "" if self.lexicon == "opinion" else f", lexicon={_quoted(self.lexicon)}"
        return f"word_sentiment(vectors={_quoted(self.vectors)}{lexicon})"

    def _notes(self) -> tuple[str, ...]:
        judge = (
            "word vectors and a lexicon, as in the paper"
            if self.vectors
            else "VADER; the paper's needs vectors=FILE"
        )
        return (
            f"Sentiment: {judge}.",
            "The chance level of shift and slope is that of random sentences of the article: --control random_sentences.",
        )

    def __repr__(self) -> str:
        return spell(self)


# ------------------------------------------------------------------------------------- the figures


@dataclass(frozen=True, slots=True)
class Shifts:
    """The rows of one system. Shapes: all (rows,)."""

    system: str
    group: tuple[str, ...]
    cluster: tuple[str, ...]
    article: Floats
    summary: Floats

    @property
    def shift(self) -> Floats:
        """Sentiment of the summary minus that of the article."""
        return self.summary - self.article


def shifts(evidence: pa.Table) -> Iterator[Shifts]:
    """Sentiment of article and summary row by row, for every system, from an audit's evidence."""
    rows = _rows_of(evidence, "sentiment_shift")
    groups = [n.removeprefix("one[").removesuffix("]") for n in rows.column_names if n.startswith("one[")]
    for system, part in _by_system(rows):
        member = np.column_stack([_numbers(part, f"one[{g}]") for g in groups]) > 0
        label = member.argmax(axis=1)
        article, summary = (
            sum((_numbers(part, f"{name}[{g}]") for g in groups), np.zeros(len(label)))
            for name in ("article", "summary")
        )
        yield Shifts(
            system, tuple(groups[i] for i in label), tuple(part["cluster"].to_pylist()), article, summary
        )


def distributions(evidence: pa.Table, notes: tuple[str, ...] = ()) -> tuple[Table, Table]:
    """Figure 3: mean, spread and quantiles of the sentiment of articles and summaries, and histograms."""
    summary, histogram = [], []
    found = list(shifts(evidence))
    whole = [x for part in found for x in (part.article, part.summary)]
    edges = _edges(np.concatenate(whole)) if whole else np.zeros(2)
    for part in found:
        label = np.array(part.group, dtype=object)
        for group in sorted(set(part.group)):
            for text, values in (
                ("articles", part.article),
                ("summaries", part.summary),
                ("shift", part.shift),
            ):
                x = values[label == group]
                spread = x.std(ddof=1) if len(x) > 1 else None
                cells = (
                    decimal(x.mean()),
                    decimal(spread),
                    *(decimal(q, 2) for q in np.quantile(x, QUANTILES)),
                )
                summary.append((part.system, group, text, str(len(x)), *cells))
                if text != "shift":
                    counts = np.histogram(x, edges)[0]
                    histogram.append((part.system, group, text, *(str(c) for c in counts)))
    header = ("system", "subject", "text", "n", "mean", "sd", "least", "25 %", "median", "75 %", "most")
    digits = 1 if edges[0] == -1 and edges[-1] == 1 else 2
    starts = tuple(decimal(start, digits) for start in edges[:-1])
    counted = f"A column counts the texts from its score up to the next one's; the last, up to {decimal(edges[-1], digits)}."
    return (
        Table("Figure 3: sentiment of articles and summaries by subject", header, tuple(summary), notes),
        Table(
            "Figure 3 as counts: sentiment of articles and summaries by subject",
            ("system", "subject", "text", *starts),
            tuple(histogram),
            (counted, *notes),
        ),
    )


def coefficients(evidence: pa.Table) -> Table:
    """Figure 6: how many articles and summaries have which gender coefficient."""
    lines = []
    for system, part in _by_system(_rows_of(evidence, "gender_agreement")):
        both = _numbers(part, "both") > 0
        for text, x in (
            ("articles", _numbers(part, "article coefficient")),
            ("summaries", _numbers(part, "y")[both]),
        ):
            kinds = (x <= -1, (x > -1) & (x < 0), x == 0, (x > 0) & (x < 1), x >= 1)
            lines.append((system, text, *(str(int(k.sum())) for k in kinds), str(len(both) - len(x))))
    return Table(
        "Figure 6: gender coefficients of articles and of their summaries",
        ("system", "text", *COEFFICIENTS, "no gender word"),
        tuple(lines),
        ("−1: only he, him, his; +1: only she, her, hers. Articles without any are left out.",),
    )


def regressions(evidence: pa.Table, level: float = 0.95) -> Table:
    """Figure 7: shift on article sentiment per group and on the group's dummy, errors classical and robust."""
    lines = []
    is_clustered = few = False
    for part in shifts(evidence):
        few = few or min(Counter(part.group).values()) < FEW
        for fitted in regress_shift(part.article, part.shift, part.group, part.cluster, level):
            is_clustered = is_clustered or fitted.is_clustered
            lines += [(part.system, fitted.title, *cells) for cells in _terms(fitted)]
    robust = "cluster-robust" if is_clustered else "HC3"
    header = ("coefficient", "SE", "t", "p", f"{level:.0%} CI", f"SE ({robust})", f"p ({robust})", "R²", "n")
    return Table(
        "Figure 7: least squares of the shift (summary − article)",
        ("system", "rows", "term", *header),
        tuple(lines),
        (
            "Rows of one subject: on article sentiment. All: on the subject; adjusted: and on article sentiment.",
            *(
                (
                    f"A subject has fewer than {FEW} rows: its robust errors are too small, read the classical ones.",
                )
                if few
                else ()
            ),
            "A slope below zero may be regression to the mean alone: compare with --control random_sentences.",
        ),
    )


def _terms(fitted: Regression) -> Iterator[tuple[str, ...]]:
    c, r = fitted.classical, fitted.robust
    for i, term in enumerate(fitted.terms):
        ci = f"{decimal(c.low[i])} … {decimal(c.high[i])}" if np.isfinite(c.low[i]) else "–"
        yield (
            term, decimal(c.coefficients[i]), decimal(c.errors[i]), decimal(c.t[i], 2), _p(c.p[i]), ci,
            decimal(r.errors[i]), _p(r.p[i]), decimal(_r2(fitted)), str(fitted.n),
        )  # fmt: skip


def _r2(fitted: Regression) -> float | None:
    """None where there are no more rows than terms: any line through them fits."""
    return float(fitted.classical.r2) if fitted.n > len(fitted.terms) else None


# ------------------------------------------------------------------------------------- the evidence


def _rows_of(evidence: pa.Table, measure: str) -> pa.Table:
    """The rows with numbers that a measure reads, of the first observation that it is made from."""
    if "measures" not in evidence.column_names:
        return evidence.slice(0, 0)
    observed = evidence["measures"].cast(pa.string())
    rows = evidence.filter(pc.match_substring_regex(observed, rf"(?m)^{measure}\b"))
    rows = rows.filter(pc.is_null(rows["reason"]))
    if not len(rows):
        return rows
    first = rows["observation"].cast(pa.string())[0]
    return rows.filter(pc.equal(rows["observation"].cast(pa.string()), first))


def _by_system(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if not len(rows):
        return
    systems = rows["system"].cast(pa.string())
    for system in dict.fromkeys(systems.to_pylist()):
        yield system, rows.filter(pc.equal(systems, system))


def _numbers(rows: pa.Table, column: str) -> Floats:
    """A column of the evidence; what a row does not have is zero."""
    if column not in rows.column_names:
        return np.zeros(len(rows))
    return np.asarray(np.nan_to_num(rows[column].to_numpy(zero_copy_only=False).astype(np.float64)))


def _edges(values: Floats) -> Floats:
    """Ten bins: over [−1, 1] where the scores keep to it, else over what there is."""
    if np.abs(values).max() <= 1:
        return np.linspace(-1, 1, BINS + 1)
    return np.asarray(np.histogram_bin_edges(values, BINS), dtype=np.float64)


def _interval(e: Estimate) -> str:
    return "–" if e.low is None or e.high is None else f"{decimal(e.low)} … {decimal(e.high)}"


def _p(p: float | None) -> str:
    if p is None or not np.isfinite(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
