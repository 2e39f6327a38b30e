"""Quality without references: the mean of a judge's scores, which slices tell by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.measure_settings import check_uncut
from fairbrief.measures.subjects import article_of
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

EMPTY_SUMMARY = Reason("empty summary")
UNPARSED = Reason("unparsed reply of the judge")


@dataclass(frozen=True)
class Verdicts:
    """One summary's score by ``scorer``, given its whole source: the documents, a blank line between them.

    Evidence:   ``one``, ``score`` and its square, ``score²``.
    Undefined:  "empty summary"; "unparsed reply of the judge" where the score is nan, so that such replies
                are counted and never averaged.
    """

    scorer: str

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(
        scope="case", version=1, reads_unstated=True
    )

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        if not case.summary.text.strip():
            return ()
        return (Ask(self.scorer, (article_of(case.record),), (case.summary.text,)),)

    def permutation_scheme(self, cases: Cases) -> PermutationScheme | None:  # noqa: ARG002 - a level has no labels
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        if not scores:
            return EMPTY_SUMMARY
        found = float(scores[0].matrix[0].mean())
        if np.isnan(found):
            return UNPARSED
        return Rows((("one",), ("score",), ("score²",)), np.array([[1.0, found, found**2]]))


@dataclass(frozen=True, repr=False)
class Judged:
    """Mean score that a chat model gives to summaries: 1 to 5, its reason first.

    The source is the row, the summary the column of ``scorer``: ``judged(scorer=judge(model=MODEL))``.
    Higher is better, on the scorer's own scale. With ``--slice gender`` it is told by group.

    Reads:      documents and summaries.
    Value:      the mean; ``judged_sd``, the standard deviation over summaries.
    Undefined:  "empty summary"; "unparsed reply of the judge".
    Source:     Steen & Markert, Bias in News Summarization, App. I.
    """

    name: ClassVar[str] = "judged"
    declaration: ClassVar[Declaration] = Declaration(
        family="Quality",
        question="how good a chat model judges the summaries to be, on its own scale",
        harm="Readers of some summaries would be served worse; sliced by group, those about some people.",
        on_request="it asks a chat model about every summary",
    )
    scorer: str

    def __post_init__(self) -> None:
        check_uncut("scorer", self.scorer)

    __repr__ = spell

    @property
    def observation(self) -> Verdicts:
        return Verdicts(self.scorer)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        mean = ratio(totals["score"], totals["one"])
        variance = ratio(totals["score²"], totals["one"]) - mean * mean
        return {self.name: Value(mean), "judged_sd": Value(np.sqrt(np.maximum(variance, 0.0)))}

    def explain(self, totals: Totals) -> str:
        """One summary's score."""
        return f"judged {float(self.value(totals)[self.name].array):.2f}"
