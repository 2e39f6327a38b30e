"""Chau & Kim, sentiment and gender: measures, and the paper's figures as tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.measures.sentiment import EMPTY_ARTICLE, EMPTY_SUMMARY, Regression, regress_shift
from fairbrief.protocols.published_results import ABSENT, Reproduced, decimal, printed, with_version
from fairbrief.types import Estimate, Floats, Table

DIFFERENCES = {
    "sentiment_shift": "shift",
    "adjusted_difference": "shift, adjusted",
    "slope_difference": "slope",
}
"""What the table of differences calls a quantity; *adjusted* holds the article's sentiment fixed."""
ACCURACY = re.compile(r"held-out accuracy:([\d.]+) of (\d+) words \(majority ([\d.]+)\)")
"""The accuracy in the word scorer's fingerprint."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
BINS = 10
FEW = 10
"""Rows of one subject below which robust errors are known to be too small."""
SUBJECTS: Mapping[str, float] = MappingProxyType({"female": 1.0, "male": -1.0})
"""The coefficient of a text about women only, and about men only."""
TEXTS: Mapping[str, str] = MappingProxyType({"articles": "article", "summaries": "summary"})
"""What tables call the two texts, and how their columns begin."""
UNSCORED = (EMPTY_ARTICLE.text, EMPTY_SUMMARY.text)
"""Why a text with a subject has no sentiment."""
TERMS: Mapping[str, str] = MappingProxyType(
    {"constant": "Intercept", "article": "article_sentiment", "male − female": "is_male"}
)
"""What the paper calls the terms of its regressions."""


@dataclass(frozen=True, repr=False)
class ChauSentiment(Reproduced):
    """Change of sentiment from article to summary, by the gender of the subject (Chau & Kim).

    ``chau-sentiment(vectors=FILE)`` scores words as the paper does: logistic regression on word vectors,
    taught by a lexicon, in the paper's unit (base 2: a word of +1 is twice as likely to be positive as negative). Without
    vectors VADER takes its place, from −1 to 1, and the tables say so. Subjects: articles whose gender words all
    agree (``threshold=1``). The paper has no release, so that there is only the version of its text.
    """

    name: ClassVar[str] = "chau-sentiment"
    paper: ClassVar[str] = (
        "Chau & Kim: BERT for Summarization: Sentiment Analysis for Identifying Gender Bias"
    )
    vectors: str = ""
    lexicon: str = "opinion"
    threshold: float = 1.0

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 # groups are in the text
        """The shift by gender of the subject, and how the gender coefficients agree."""
        settings = [f"scorer={self._scorer()}"] if self.vectors else []
        settings += [f"threshold={self.threshold}"] if self.threshold != 1 else []
        scored = f"scorer={self._scorer()}, " if self.vectors else ""
        return (
            "sentiment_shift" + (f"({', '.join(settings)})" if settings else ""),
            "gender_agreement",
            f"sentiment_change({scored}version=text)",
        )

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The differences between women and men, with interval, chance level and p."""
        rows = tuple(
            (
                e.system,
                label,
                decimal(e.value),
                _interval(e),
                decimal(e.permutation_mean),
                p_value(e.p),
                str(e.n),
            )
            for e in estimates
            if e.measure.startswith("sentiment_shift") and not e.subgroup and not e.baseline
            if (label := DIFFERENCES.get(e.quantity.partition("[")[0]))
        )
        header = ("system", "quantity", "value", "interval", "by chance", "p", "n")
        title = "Difference of the shift between groups (female − male)"
        shown = (Table(title, header, rows, self._notes()),) if rows else ()
        return with_version((*_accuracy(estimates), *shown), "text")

    def per_record_tables(self, per_record: pa.Table) -> tuple[Table, ...]:
        """Figures 1 to 7 for each system; none without rows."""
        return with_version((t for t in figures(per_record, self._notes()[:1]) if t.rows), "text")

    def _scorer(self) -> str:
        lexicon = "" if self.lexicon == "opinion" else f", lexicon={_quoted(self.lexicon)}"
        return f"word_sentiment(vectors={_quoted(self.vectors)}{lexicon}, base=2)"

    def _notes(self) -> tuple[str, ...]:
        judge = (
            "word vectors and a lexicon, as in the paper; +1: twice as likely to be positive as negative (base 2)"
            if self.vectors
            else "VADER, from −1 to 1; the paper's needs vectors=FILE"
        )
        return (
            f"Sentiment: {judge}.",
            "The random baseline of shift and slope uses random sentences of the article: --sanity-baseline random_sentences.",
        )


def _accuracy(estimates: Sequence[Estimate]) -> Iterator[Table]:
    """How well the word classifier knows words that it was not taught, where one was trained."""
    found = next((m for e in estimates if (m := ACCURACY.search(e.signature))), None)
    if found:
        yield printed("chau-sentiment", "Section 2", [found.groups()])


def _interval(e: Estimate) -> str:
    return ABSENT if e.low is None or e.high is None else f"{decimal(e.low)} … {decimal(e.high)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


# -------------------------------------------------------------------------------------- the figures


@dataclass(frozen=True, slots=True)
class Shifts:
    """The rows of one system whose article has a subject. Shapes: all (rows,)."""

    system: str
    group: tuple[str, ...]
    cluster: tuple[str, ...]
    article: Floats
    summary: Floats

    @property
    def shift(self) -> Floats:
        """Sentiment of the summary minus that of the article."""
        return self.summary - self.article


def shifts(per_record: pa.Table) -> Iterator[Shifts]:
    """Sentiment of article and summary row by row, for every system, from an audit's evidence."""
    rows = _rows_of(per_record, "sentiment_shift")
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


def figures(per_record: pa.Table, notes: tuple[str, ...] = ()) -> Iterator[Table]:
    """Figures 1 to 7, in the paper's order; none without rows."""
    pairs = _rows_of(per_record, "sentiment_change")
    if len(pairs):
        scores = [
            ((system, name), _numbers(part, text)[_numbers(part, f"{text} known") > 0])
            for system, part in _by_system(pairs)
            for name, text in TEXTS.items()
        ]
        changes = [
            ((t,), _numbers(part, "change")[_numbers(part, "one") > 0]) for t, part in _by_system(pairs)
        ]
        yield from distributions("Figure 1", ("system", "text"), scores, (*notes, *_unscored(pairs)))
        yield from distributions("Figure 2", ("system",), changes, (*notes, *_unscored(pairs)))
        lost = _uncounted(per_record, "sentiment_change")
        yield agreement(pairs, lost)
        yield coefficients(pairs, lost)
    subjects = list(shifts(per_record))
    by_subject = [cell for part in subjects for cell in _of_subjects(part)]
    lost = _uncounted(per_record, "sentiment_shift", UNSCORED)
    yield from distributions("Figure 5", ("system", "subject", "text"), by_subject, (*notes, *lost))
    if subjects:
        yield regressions(subjects, "Figure 6", notes=lost)
        yield regressions(subjects, "Figure 7", notes=lost)


def _unscored(pairs: pa.Table) -> tuple[str, ...]:
    """A note that says how many articles and summaries have no known sentiment, where there are any."""
    missing = [
        f"{int((known == 0).sum()):,} of {len(known):,} {name}"
        for name, text in TEXTS.items()
        if (known := _numbers(pairs, f"{text} known")).min() == 0
    ]
    return (
        (f"Not counted, since no word of theirs has a known sentiment: {', '.join(missing)}.",)
        if missing
        else ()
    )


def _uncounted(per_record: pa.Table, measure: str, reasons: Sequence[str] = ()) -> tuple[str, ...]:
    """A note that says how many summaries have no row, for any reason or for some, where there are any."""
    why = Counter(_read_by(per_record, measure)["reason"].cast(pa.string()).drop_null().to_pylist())
    missing = [f"{n:,} ({reason})" for reason, n in why.items() if reason in (reasons or why)]
    return (f"Summaries that cannot be counted: {', '.join(missing)}.",) if missing else ()


def _of_subjects(part: Shifts) -> Iterator[tuple[tuple[str, ...], Floats]]:
    label = np.array(part.group, dtype=object)
    for group in sorted(set(part.group)):
        for text, values in (("articles", part.article), ("summaries", part.summary)):
            yield (part.system, group, text), values[label == group]


def distributions(
    number: str,
    names: tuple[str, ...],
    cells: Iterable[tuple[tuple[str, ...], Floats]],
    notes: tuple[str, ...] = (),
) -> Iterator[Table]:
    """Mean, spread and quantiles of scores, and how many fall into each of ten bins; none without rows."""
    cells = [(name, values) for name, values in cells if len(values)]
    if not cells:
        return
    edges = _edges(np.concatenate([values for _, values in cells]))
    described = [(*name, *_described(values)) for name, values in cells]
    counted = [(*name, *map(str, np.histogram(values, edges)[0])) for name, values in cells]
    digits = 1 if edges[0] == -1 and edges[-1] == 1 else 2
    starts = tuple(decimal(start, digits) for start in edges[:-1])
    header = (*names, "n", "mean", "sd", "least", "25 %", "median", "75 %", "most")
    note = f"A column counts the scores from its own up to the next one's; the last, up to {decimal(edges[-1], digits)}."
    yield printed("chau-sentiment", number, described, columns=header, notes=notes)
    yield printed(
        "chau-sentiment", number, counted, place=", as counts", columns=(*names, *starts), notes=(note,)
    )


def _described(x: Floats) -> tuple[str, ...]:
    spread = x.std(ddof=1) if len(x) > 1 else None
    quantiles = (decimal(q, 2) for q in np.quantile(x, QUANTILES))
    return (str(len(x)), decimal(x.mean()), decimal(spread), *quantiles)


def agreement(pairs: pa.Table, notes: tuple[str, ...] = ()) -> Table:
    """Figure 3: how many articles, summaries and both are about women only, and about men only."""
    rows = []
    for system, part in _by_system(pairs):
        article, summary = (_coefficient(part, text) for text in ("article", "summary"))
        for subject, whole in SUBJECTS.items():
            of_article, of_summary = article == whole, summary == whole
            counts = (of_article, of_summary, of_article & of_summary)
            rows.append((system, subject, *(f"{int(c.sum()):,}" for c in counts)))
    return printed("chau-sentiment", "Figure 3", rows, notes=notes)


def coefficients(pairs: pa.Table, notes: tuple[str, ...] = ()) -> Table:
    """Figure 4: how many articles and summaries have which gender coefficient."""
    lines = []
    for system, part in _by_system(pairs):
        for text, name in TEXTS.items():
            x = _coefficient(part, name)
            kinds = (x <= -1, (x > -1) & (x < 0), x == 0, (x > 0) & (x < 1), x >= 1, np.isnan(x))
            lines.append((system, text, *(str(int(k.sum())) for k in kinds)))
    return printed("chau-sentiment", "Figure 4", lines, notes=notes)


def _coefficient(part: pa.Table, text: str) -> Floats:
    """Gender coefficients; nan where a text has no gender word. Shape (rows,)."""
    return np.where(_numbers(part, f"{text} gendered") > 0, _numbers(part, f"{text} coefficient"), np.nan)


def regressions(subjects: Iterable[Shifts], number: str, notes: tuple[str, ...] = ()) -> Table:
    """Figure 6: shift on article sentiment in each group. Figure 7: on the male dummy. Classical and robust errors."""
    lines = []
    is_clustered = few = False
    for part in subjects:
        few = few or min(Counter(part.group).values()) < FEW
        fits = regress_shift(part.article, part.shift, part.group, part.cluster, 0.95, compared_with="first")
        for fitted in fits:
            if fitted.title.startswith("all") == (number == "Figure 7"):
                is_clustered = is_clustered or fitted.is_clustered
                lines += [(part.system, fitted.title, *cells) for cells in _terms(fitted)]
    robust = "cluster-robust" if is_clustered else "HC3"
    columns = (
        "system", "rows", "term", "coef", "std err", "t", "P>|t|", "95% CI",
        f"SE ({robust})", f"p ({robust})", "R²", "n",
    )  # fmt: skip
    note = f"A subject has fewer than {FEW} rows: its robust errors are too small, read the classical ones."
    return printed(
        "chau-sentiment", number, lines, columns=columns, notes=(*((note,) if few else ()), *notes)
    )


def _terms(fitted: Regression) -> Iterator[tuple[str, ...]]:
    c, r = fitted.classical, fitted.robust
    for i, term in enumerate(fitted.terms):
        ci = f"{decimal(c.low[i])} … {decimal(c.high[i])}" if np.isfinite(c.low[i]) else ABSENT
        yield (
            TERMS.get(term, term), decimal(c.coefficients[i], 4), decimal(c.errors[i]), decimal(c.t[i], 3),
            p_value(c.p[i]), ci, decimal(r.errors[i]), p_value(r.p[i]), decimal(_r2(fitted)), str(fitted.n),
        )  # fmt: skip


def _r2(fitted: Regression) -> float | None:
    """None where there are no more rows than terms: any line through them fits."""
    return float(fitted.classical.r2) if fitted.n > len(fitted.terms) else None


def p_value(p: float | None) -> str:
    """Three decimals, as the paper prints them; a dash where undefined."""
    return "< 0.001" if p is not None and p < 0.001 else decimal(p)


def _rows_of(per_record: pa.Table, measure: str) -> pa.Table:
    """The rows with numbers that a measure reads, of the first observation that has any."""
    rows = _read_by(per_record, measure)
    return rows.filter(pc.is_null(rows["reason"]))


def _read_by(per_record: pa.Table, measure: str) -> pa.Table:
    """All rows that a measure reads, those without numbers too, of the first observation that has any numbers."""
    if "measures" not in per_record.column_names:
        return pa.table({"reason": pa.array([], pa.string())})
    observed = per_record["measures"].cast(pa.string())
    rows = per_record.filter(pc.match_substring_regex(observed, rf"(?m)^{measure}\b"))
    if not len(rows):
        return rows
    observation = rows["observation"].cast(pa.string())
    known = observation.filter(pc.is_null(rows["reason"]))
    return rows.filter(pc.equal(observation, (known if len(known) else observation)[0]))


def _by_system(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if not len(rows):
        return
    systems = rows["system"].cast(pa.string())
    for system in dict.fromkeys(systems.to_pylist()):
        yield system, rows.filter(pc.equal(systems, system))


def _numbers(rows: pa.Table, column: str) -> Floats:
    """A column of the per-record statistics; what a row does not have is zero."""
    if column not in rows.column_names:
        return np.zeros(len(rows))
    return np.asarray(np.nan_to_num(rows[column].to_numpy(zero_copy_only=False).astype(np.float64)))


def _edges(values: Floats) -> Floats:
    """Ten bins: over [−1, 1] where the scores keep to it, else over what there is."""
    if np.abs(values).max() <= 1:
        return np.linspace(-1, 1, BINS + 1)
    return np.asarray(np.histogram_bin_edges(values, BINS), dtype=np.float64)
