"""Chau & Kim, sentiment and gender: measures, and the paper's figures as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from fairbrief.protocols import ProtocolDeclaration
from fairbrief.protocols.cells import decimal
from fairbrief.protocols.chau_figures import figures, p_value
from fairbrief.protocols.published_results import PublishedResult, heading, published_results
from fairbrief.specs import spell
from fairbrief.types import Estimate, Table

DIFFERENCES = {
    "sentiment_shift": "shift",
    "adjusted_difference": "shift, adjusted",
    "slope_difference": "slope",
}
"""What the table of differences calls a quantity; *adjusted* holds the article's sentiment fixed."""
ACCURACY = re.compile(r"held-out accuracy:([\d.]+) of (\d+) words \(majority ([\d.]+)\)")
"""What the word scorer's fingerprint tells of its classifier."""


@dataclass(frozen=True)
class ChauSentiment:
    """Change of sentiment from article to summary, by the gender of the subject (Chau & Kim).

    ``chau-sentiment(vectors=FILE)`` scores words as the paper does: logistic regression on word vectors,
    taught by a lexicon. Without vectors VADER stands in, and the tables say so. Subjects: articles whose
    gender words all agree (``threshold=1``).
    """

    name: ClassVar[str] = "chau-sentiment"
    declaration: ClassVar[ProtocolDeclaration] = ProtocolDeclaration()
    paper: ClassVar[str] = "Chau & Kim: Sentiment Analysis for Identifying Gender Bias"
    vectors: str = ""
    lexicon: str = "opinion"
    threshold: float = 1.0

    def measures(self, attributes: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 # groups are in the text
        """The shift by gender of the subject, and how the gender coefficients agree."""
        settings = [f"scorer={self._scorer()}"] if self.vectors else []
        settings += [f"threshold={self.threshold}"] if self.threshold != 1 else []
        change = f"sentiment_change(scorer={self._scorer()})" if self.vectors else "sentiment_change"
        return (
            "sentiment_shift" + (f"({', '.join(settings)})" if settings else ""),
            "gender_agreement",
            change,
        )

    def results(self) -> tuple[PublishedResult, ...]:
        """What the paper shows, under its own numbers and titles."""
        return published_results(self.name)

    def tables(self, estimates: Sequence[Estimate]) -> tuple[Table, ...]:
        """The differences between women and men, with interval, chance level and p."""
        rows = tuple(
            (e.system, told, decimal(e.value), _interval(e), decimal(e.null_mean), p_value(e.p), str(e.n))
            for e in estimates
            if e.measure.startswith("sentiment_shift") and not e.slice and not e.baseline
            if (told := DIFFERENCES.get(e.quantity.partition("[")[0]))
        )
        header = ("system", "quantity", "value", "interval", "by chance", "p", "n")
        title = "Difference of the shift between groups (female − male)"
        shown = (Table(title, header, rows, self._notes()),) if rows else ()
        return (*_accuracy(estimates), *shown)

    def evidence_tables(self, evidence: pa.Table) -> tuple[Table, ...]:
        """Figures 1 to 7 for each system; none without rows."""
        return tuple(table for table in figures(evidence, self._notes()[:1]) if table.rows)

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

    __repr__ = spell


def _accuracy(estimates: Sequence[Estimate]) -> Iterator[Table]:
    """How well the word classifier knows words that it was not taught, where one was trained."""
    found = next((m for e in estimates if (m := ACCURACY.search(e.signature))), None)
    if found:
        accuracy, tested, majority = found.groups()
        title = heading(published_results("chau-sentiment"), "Section 2")
        header = ("accuracy on held-out words", "words", "always the commoner kind")
        yield Table(title, header, ((accuracy, tested, majority),))


def _interval(e: Estimate) -> str:
    return "–" if e.low is None or e.high is None else f"{decimal(e.low)} … {decimal(e.high)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
