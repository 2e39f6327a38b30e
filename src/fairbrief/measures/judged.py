"""Quality without references: the mean of a judge's scores, which slices tell by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.subjects import article_of
from fairbrief.nouns import Ask, Cases, Column, Exchange, Integers, Reason, Rows, Scores, Totals, Value
from fairbrief.spelling import spell
from fairbrief.statistics import ratio

EMPTY_SUMMARY = Reason("empty summary")
UNPARSED = Reason("unparsed reply of the judge")


@dataclass(frozen=True)
class Verdicts:
    """One summary's score by ``scorer``, given its whole source: the documents, a blank line between them.

    Evidence:   ``one`` and ``score``.
    Undefined:  "empty summary"; "unparsed reply of the judge" where the score is nan, so that such replies
                are counted and never averaged.
    """

    scorer: str

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1

    def asks(self, cases: Cases) -> Sequence[Ask]:
        (case,) = cases
        if not case.summary.text.strip():
            return ()
        return (Ask(self.scorer, (article_of(case.record),), (case.summary.text,)),)

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002 - a level has no labels
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        if not scores:
            return EMPTY_SUMMARY
        found = float(scores[0].matrix[0].mean())
        if np.isnan(found):
            return UNPARSED
        return Rows((("one",), ("score",)), np.array([[1.0, found]]))


@dataclass(frozen=True, repr=False)
class Judged:
    """Mean score of a judge over summaries: by default a chat model's from 1 to 5, reason first.

    The source is the row, the summary the column of ``scorer``: ``judged(scorer=judge(model=MODEL))``.
    Higher is better, on the scorer's own scale. With ``--slice gender`` it is told by group.

    Reads:      documents and summaries.
    Undefined:  "empty summary"; "unparsed reply of the judge".
    Source:     Steen & Markert, Bias in News Summarization, App. I.
    """

    name: ClassVar[str] = "judged"
    on_request: ClassVar[str] = "it asks a chat model about every summary"
    scorer: str

    def __repr__(self) -> str:
        return spell(self)

    @property
    def observation(self) -> Verdicts:
        return Verdicts(self.scorer)

    def value(self, totals: Totals) -> Mapping[str, Value]:
        return {self.name: Value(ratio(totals["score"], totals["one"]))}

    def explain(self, totals: Totals) -> str:
        """One summary's score."""
        return f"judged {float(self.value(totals)[self.name].array):.2f}"
