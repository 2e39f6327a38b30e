"""Chau & Kim, sentiment and gender: measures, and the paper's figures as tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairbrief.measures.sentiment import UNSCORED, Regression, SentimentChange, SentimentShift, regress_shift
from fairbrief.protocols.published_results import ABSENT, Reproduced, decimal, group_in
from fairbrief.types import Estimate, Floats, Table

GAPS = {"sentiment_shift": "shift", "adjusted_difference": "shift, adjusted", "slope_difference": "slope"}
"""What the table of differences calls a quantity; *adjusted* holds the article's sentiment fixed."""
ACCURACY = re.compile(r"held-out accuracy:([\d.]+) of (\d+) words \(majority ([\d.]+)\)")
"""The accuracy in the word scorer's fingerprint."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
BINS = 10
FEW = 10
"""Rows of one subject below which robust errors are known to be too small."""
SUBJECTS = {"female": 1.0, "male": -1.0}
"""The coefficient of a text about women only, and about men only."""
TEXTS = {"articles": "article", "summaries": "summary"}
"""What tables call the two texts, and how their columns begin."""
TERMS = {"constant": "Intercept", "article": "article_sentiment", "male − female": "is_male"}
"""What the paper calls the terms of its regressions."""


class ChauSentiment(Reproduced):
    """Change of sentiment from article to summary, by the gender of the subject (Chau & Kim).

    ``chau-sentiment(vectors=FILE)`` scores words as the paper does: logistic regression on word vectors,
    taught by a lexicon, in the paper's unit (base 2: a word of +1 is twice as likely to be positive as negative). Without
    vectors VADER takes its place, from −1 to 1, and the tables say so. Subjects: articles whose gender words all
    agree (``threshold=1``). The paper has no release, so that there is only the version of its text.
    """

    name: ClassVar[str] = "chau-sentiment"
    vectors: str = ""
    lexicon: str = "opinion"
    threshold: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_effect("lexicon", bool(self.vectors), "without vectors: add vectors=FILE")

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 # groups are in the text
        """The shift by gender of the subject, and how the gender coefficients agree."""
        scorer = "vader"
        if self.vectors:
            named = "" if self.lexicon == "opinion" else f", lexicon={self.lexicon!r}"
            scorer = f"word_sentiment(vectors={self.vectors!r}{named}, base=2)"
        shift = SentimentShift(scorer=scorer, threshold=self.threshold)
        return repr(shift), "gender_agreement", repr(SentimentChange(scorer=scorer, version="text"))

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """How well a trained classifier knows words held out; and the differences between women and men."""
        trained = next((m for e in estimates if (m := ACCURACY.search(e.signature))), None)
        rows = tuple(
            (
                e.system, label, decimal(e.value), interval(e.low, e.high), decimal(e.permutation_mean),
                p_value(e.p), str(e.n),
            )
            for e in estimates
            if e.measure.startswith("sentiment_shift") and not e.subgroup and not e.baseline
            if (label := GAPS.get(e.quantity.partition("[")[0]))
        )  # fmt: skip
        header = ("system", "quantity", "value", "interval", "by chance", "p", "n")
        title = "Difference of the shift between groups (female − male)"
        made = [self.published("Section 2").printed([trained.groups()])] if trained else []
        return self.with_version([*made, Table(title, header, rows, self._notes())], "text")

    def per_record_tables(self, per_record: pa.Table) -> tuple[Table, ...]:
        """Figures 1 to 7 for each system; none without rows."""
        return self.with_version(figures(per_record, self._notes()[:1]), "text")

    def _notes(self) -> tuple[str, ...]:
        judge = "VADER, from −1 to 1; the paper's needs vectors=FILE"
        if self.vectors:
            judge = "word vectors and a lexicon, as in the paper; +1: twice as likely to be positive as negative (base 2)"
        return (
            f"Sentiment: {judge}.",
            "The random baseline of shift and slope uses random sentences of the article: --sanity-baseline random_sentences.",
        )


# -------------------------------------------------------------------------------------- the figures


class Shifts(NamedTuple):
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
    for system, part in _rows_of(per_record, "sentiment_shift")[0].items():
        groups = [group_in(name) for name in part.column_names if name.startswith("one[")]
        member = np.column_stack([_numbers(part, f"one[{g}]") for g in groups])
        by_group = ([_numbers(part, f"{name}[{g}]") for g in groups] for name in TEXTS.values())
        article, summary = (np.sum(numbers, axis=0) for numbers in by_group)
        label = tuple(groups[i] for i in (member > 0).argmax(axis=1))
        yield Shifts(system, label, tuple(part["cluster"].to_pylist()), article, summary)


def figures(per_record: pa.Table, notes: tuple[str, ...] = ()) -> Iterator[Table]:
    """Figures 1 to 7, in the paper's order; none without rows."""
    pairs, reasons = _rows_of(per_record, "sentiment_change")
    if pairs:
        scores = [
            ((system, name), _numbers(part, text)[_numbers(part, f"{text} known") > 0])
            for (system, part), (name, text) in product(pairs.items(), TEXTS.items())
        ]
        changes = [((s,), _numbers(part, "change")[_numbers(part, "one") > 0]) for s, part in pairs.items()]
        unscored = (*notes, *_unscored(pairs))
        yield from distributions("Figure 1", ("system", "text"), scores, unscored)
        yield from distributions("Figure 2", ("system",), changes, unscored)
        yield from coefficients(pairs, _uncounted(reasons))
    subjects = list(shifts(per_record))
    by_subject = [
        ((part.system, group, name), values[np.array(part.group) == group])
        for part in subjects
        for group in sorted(set(part.group))
        for name, values in zip(TEXTS, (part.article, part.summary), strict=True)
    ]
    _, reasons = _rows_of(per_record, "sentiment_shift")
    lost = _uncounted({reason: n for reason, n in reasons.items() if reason in UNSCORED})
    yield from distributions("Figure 5", ("system", "subject", "text"), by_subject, (*notes, *lost))
    yield from regressions(subjects, lost)


def _unscored(pairs: Mapping[str, pa.Table]) -> tuple[str, ...]:
    """A note that says how many articles and summaries have no known sentiment, where there are any."""
    missing = []
    for name, text in TEXTS.items():
        known = np.concatenate([_numbers(part, f"{text} known") for part in pairs.values()])
        if not known.all():
            missing.append(f"{int((known == 0).sum()):,} of {len(known):,} {name}")
    said = f"Not counted, since no word of theirs has a known sentiment: {', '.join(missing)}."
    return (said,) if missing else ()


def _uncounted(reasons: Mapping[str, int]) -> tuple[str, ...]:
    """A note that says how many summaries have no row, where there are any."""
    missing = ", ".join(f"{n:,} ({reason})" for reason, n in reasons.items())
    return (f"Summaries that cannot be counted: {missing}.",) if missing else ()


Cells = Iterable[tuple[tuple[str, ...], Floats]]
"""Scores, with the names of their row."""


def distributions(number: str, names: Sequence[str], cells: Cells, notes: Sequence[str]) -> Iterator[Table]:
    """Mean, spread and quantiles of scores, and how many fall into each of ten bins; none without rows."""
    cells = [(name, values) for name, values in cells if len(values)]
    if not cells:
        return
    every = np.concatenate([values for _, values in cells])
    is_bounded = np.abs(every).max() <= 1  # over [−1, 1] where the scores keep to it, else over what there is
    edges = np.linspace(-1, 1, BINS + 1) if is_bounded else np.histogram_bin_edges(every, BINS)
    digits = 1 if edges[0] == -1 and edges[-1] == 1 else 2
    described = []
    for name, x in cells:
        spread = x.std(ddof=1) if len(x) > 1 else None
        quantiles = (decimal(q, 2) for q in np.quantile(x, QUANTILES))
        described.append((*name, str(len(x)), decimal(x.mean()), decimal(spread), *quantiles))
    counted = [(*name, *map(str, np.histogram(values, edges)[0])) for name, values in cells]
    starts = tuple(decimal(start, digits) for start in edges[:-1])
    header = (*names, "n", "mean", "sd", "least", "25 %", "median", "75 %", "most")
    note = f"A column counts the scores from its own up to the next one's; the last, up to {decimal(edges[-1], digits)}."
    yield ChauSentiment.published(number).printed(described, columns=header, notes=notes)
    yield ChauSentiment.published(number).printed(counted, ", as counts", (*names, *starts), (note,))


def coefficients(pairs: Mapping[str, pa.Table], notes: tuple[str, ...] = ()) -> Iterator[Table]:
    """Figure 3: how many articles, summaries and both are about women only, and about men only. Figure 4: how many articles and
    summaries have which gender coefficient.
    """
    subjects, counts = [], []
    for system, part in pairs.items():
        of_texts = {name: _coefficient(part, text) for name, text in TEXTS.items()}
        for subject, whole in SUBJECTS.items():
            article, summary = (x == whole for x in of_texts.values())
            both = (article, summary, article & summary)
            subjects.append((system, subject, *(f"{int(is_one.sum()):,}" for is_one in both)))
        for name, x in of_texts.items():
            kinds = (x <= -1, (x > -1) & (x < 0), x == 0, (x > 0) & (x < 1), x >= 1, np.isnan(x))
            counts.append((system, name, *(str(int(of_kind.sum())) for of_kind in kinds)))
    yield ChauSentiment.published("Figure 3").printed(subjects, notes=notes)
    yield ChauSentiment.published("Figure 4").printed(counts, notes=notes)


def _coefficient(part: pa.Table, text: str) -> Floats:
    """Gender coefficients; nan where a text has no gender word. Shape (rows,)."""
    return np.where(_numbers(part, f"{text} gendered") > 0, _numbers(part, f"{text} coefficient"), np.nan)


def regressions(subjects: Sequence[Shifts], notes: tuple[str, ...] = ()) -> Iterator[Table]:
    """Figure 6: shift on article sentiment in each group. Figure 7: on the male dummy. Classical and robust errors."""
    if any(min(Counter(part.group).values()) < FEW for part in subjects):
        few = f"A subject has fewer than {FEW} rows: its robust errors are too small; read the others."
        notes = (few, *notes)
    fits = [
        (p.system, fit) for p in subjects for fit in regress_shift(p.article, p.shift, p.group, p.cluster)
    ]
    for number, is_of_all in (("Figure 6", False), ("Figure 7", True)):
        own = [(system, fit) for system, fit in fits if fit.title.startswith("all") == is_of_all]
        kind = "cluster-robust" if any(fit.is_clustered for _, fit in own) else "HC3"
        rows = [(system, fit.title, *cells) for system, fit in own for cells in _terms(fit)]
        columns = (
            "system", "rows", "term", "coef", "std err", "t", "P>|t|", "95% CI", f"SE ({kind})", f"p ({kind})", "R²", "n",
        )  # fmt: skip
        yield ChauSentiment.published(number).printed(rows, columns=columns, notes=notes)


def _terms(fitted: Regression) -> Iterator[tuple[str, ...]]:
    c, r = fitted.classical, fitted.robust
    # Any line runs through no more rows than terms.
    r2 = float(c.r2) if fitted.n > len(fitted.terms) else None
    for i, term in enumerate(fitted.terms):
        yield (
            TERMS.get(term, term), decimal(c.coefficients[i], 4), decimal(c.errors[i]), decimal(c.t[i], 3),
            p_value(c.p[i]), interval(c.low[i], c.high[i]), decimal(r.errors[i]), p_value(r.p[i]), decimal(r2), str(fitted.n),
        )  # fmt: skip


def p_value(p: float | None) -> str:
    """Three decimals, as the paper prints them; a dash where undefined."""
    return "< 0.001" if p is not None and p < 0.001 else decimal(p)


def interval(low: float | None, high: float | None) -> str:
    """Two bounds; a dash where they are undefined."""
    is_known = low is not None and high is not None and np.isfinite(low)
    return f"{decimal(low)} … {decimal(high)}" if is_known else ABSENT


def _rows_of(per_record: pa.Table, measure: str) -> tuple[dict[str, pa.Table], Counter[str]]:
    """By system the rows that a measure reads and that have numbers; and why others have none."""
    read_by = per_record["measures"].cast(pa.string())
    rows = per_record.filter(pc.match_substring_regex(read_by, rf"(?m)^{measure}\b"))
    reasons = Counter(rows["reason"].cast(pa.string()).drop_null().to_pylist())
    rows = rows.filter(pc.is_null(rows["reason"]))
    systems = rows["system"].cast(pa.string())
    names = dict.fromkeys(systems.to_pylist())
    return {name: rows.filter(pc.equal(systems, name)) for name in names}, reasons


def _numbers(rows: pa.Table, column: str) -> Floats:
    """A column of the per-record statistics; what a row does not have is zero."""
    return np.asarray(np.nan_to_num(rows[column].to_numpy(zero_copy_only=False).astype(np.float64)))
