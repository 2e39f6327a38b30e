"""Quality against references: ROUGE, which the fairness measures are read beside.

`rouge1`, `rouge2`, `rougeL` and `rougeLsum` read one observation, `RougeScores`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fairbrief.measures.sentence_choice import check_choice, chosen
from fairbrief.measures.settings import check_known, shared
from fairbrief.measures.sources import source_of
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
from fairbrief.statistics import ratio
from fairbrief.text import sentences
from fairbrief.text.rouge import PARTS, TYPES, rouge_scores

EMPTY_SUMMARY = Reason("empty summary")
NO_REFERENCES = Reason("no references")


@dataclass(frozen=True, repr=False)
class RougeSettings:
    """What decides the scores; measures and observation share it."""

    stem: bool = False
    several: str = "max"
    lines: bool = False
    limit: int | None = None
    choose: str = "first"
    seed: int = 0

    def __post_init__(self) -> None:
        check_known("several", self.several, ("max", "mean"))
        check_choice(self.limit, self.choose)


@dataclass(frozen=True)
class RougeScores(RougeSettings):
    """ROUGE-1, -2, -L and -Lsum of a summary against the record's references.

    Settings:   ``stem`` compares Porter stems; of several references each score is
                that with the largest F (``several=max``, as the ``rouge-score`` package has it) or the
                ``mean``; ``lines`` puts each sentence on a line of its own, which is how ROUGE-Lsum knows
                sentences; ``limit``, ``choose`` and ``seed``: how many and which sentences of a longer
                summary count.
    Evidence:   ``one`` and, per score, ``precision``, ``recall`` and ``f``.
    Undefined:  "empty summary", "no references". A summary without words scores 0.
    """

    scope: ClassVar[Literal["case", "cluster"]] = "case"
    tests_units: ClassVar[Column | None] = None
    version: ClassVar[int] = 1

    def asks(self, cases: Cases) -> Sequence[Ask]:  # noqa: ARG002 - ROUGE needs no judge
        return ()

    def exchange(self, cases: Cases) -> Exchange | None:  # noqa: ARG002 - a level has no labels
        return None

    def observe(self, cases: Cases, scores: Sequence[Scores], labels: Integers) -> Rows | Reason:  # noqa: ARG002
        (case,) = cases
        references = [text for text in case.record.references if text.strip()]
        if not references:
            return NO_REFERENCES
        if not case.summary.text.strip():
            return EMPTY_SUMMARY
        summary = self._on_lines(self._shortened(case.summary.text, source_of(case.record)))
        found = rouge_scores([(self._on_lines(text), summary) for text in references], stem=self.stem)
        best = found.mean(axis=0) if self.several == "mean" else _best(found)
        columns: list[Column] = [("one",), *((kind, part) for kind in TYPES for part in PARTS)]
        return Rows(tuple(columns), np.concatenate([[1.0], best.ravel()])[np.newaxis, :])

    def _shortened(self, summary: str, article: str) -> str:
        if self.limit is None:
            return summary
        cut = sentences.split(summary)
        kept = chosen(len(cut), self.limit, self.choose, self.seed, (article, summary))
        return " ".join(cut[i] for i in kept)

    def _on_lines(self, text: str) -> str:
        return "\n".join(sentences.split(text)) if self.lines else text


def _best(found: Floats) -> Floats:
    """Per score, the reference with the largest F, the first of equals. (references, 4, 3) → (4, 3)."""
    kinds = np.arange(found.shape[1])
    return np.asarray(found[found[:, :, PARTS.index("f")].argmax(axis=0), kinds])


class _RougeMeasure(RougeSettings):
    """What the four measures do alike."""

    name: ClassVar[str]

    @property
    def observation(self) -> RougeScores:
        return RougeScores(**shared(self, RougeSettings))

    def value(self, totals: Totals) -> Mapping[str, Value]:
        mean = {part: Value(ratio(totals[self.name, part], totals["one"])) for part in PARTS}
        return {
            self.name: mean["f"],
            f"{self.name}_precision": mean["precision"],
            f"{self.name}_recall": mean["recall"],
        }

    def explain(self, totals: Totals) -> str:
        """One summary's score."""
        f, precision, recall = (float(value.array) for value in self.value(totals).values())
        return f"{self.name} F {f:.3f} (precision {precision:.3f}, recall {recall:.3f})"

    def __repr__(self) -> str:
        return spell(self)


@dataclass(frozen=True, repr=False)
class Rouge1(_RougeMeasure):
    """Mean ROUGE-1 F over records: words that summary and reference share. In [0, 1]; see `RougeScores`."""

    name: ClassVar[str] = "rouge1"


@dataclass(frozen=True, repr=False)
class Rouge2(_RougeMeasure):
    """Mean ROUGE-2 F over records: pairs of adjacent words that both share. In [0, 1]; see `RougeScores`."""

    name: ClassVar[str] = "rouge2"


@dataclass(frozen=True, repr=False)
class RougeL(_RougeMeasure):
    """Mean ROUGE-L F over records: the longest common subsequence of words. In [0, 1]; see `RougeScores`."""

    name: ClassVar[str] = "rougeL"


@dataclass(frozen=True, repr=False)
class RougeLsum(_RougeMeasure):
    """Mean ROUGE-Lsum F over records: the union of the lines' longest common subsequences. In [0, 1].

    A text without line breaks is one line, and its score that of ROUGE-L; ``lines=true`` puts each
    sentence on its own. See `RougeScores`.
    """

    name: ClassVar[str] = "rougeLsum"
