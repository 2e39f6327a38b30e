"""Quality against references: ROUGE, which the fairness measures are read beside.

`rouge1`, `rouge2`, `rougeL` and `rougeLsum` read one observation, `RougeScores`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairbrief.declarations import Declaration, ObservationDeclaration
from fairbrief.measures.bases import OneByOne, Reading, WithoutLabels, WithoutScores, check_known
from fairbrief.measures.record_texts import check_choice, chosen, is_blank, known
from fairbrief.score_tables import ScoredUnits
from fairbrief.statistics import ratio
from fairbrief.text import sentences
from fairbrief.text.rouge import PARTS, TYPES, rouge_scores
from fairbrief.types import AlikeRows, Case, Column, Floats, Integers, Reason, Totals, Value

EMPTY_SUMMARY = Reason("empty summary")
NO_REFERENCES = Reason("no references")
COLUMNS: tuple[Column, ...] = (("one",), *((kind, part) for kind in TYPES for part in PARTS))


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
class RougeScores(WithoutScores, WithoutLabels, RougeSettings, OneByOne):
    """ROUGE-1, -2, -L and -Lsum of a summary against the record's references.

    The settings:

    - ``stem`` compares Porter stems (English ones by NLTK, extra ``nltk``).
    - ``several``: of several references each score is that with the largest F (``max``, as in the ``rouge-score``
      package), or the ``mean``.
    - ``lines`` puts each sentence on its own line, which is how ROUGE-Lsum separates sentences.
    - ``limit``, ``choose`` and ``seed``: how many and which sentences of a longer summary count.

    Per record:  ``one`` and, per score, ``precision``, ``recall`` and ``f``.
    Undefined:  "empty summary", "no references". A summary without words scores 0.
    """

    declaration: ClassVar[ObservationDeclaration] = ObservationDeclaration(scope="case", version=1)

    def observe_many(
        self,
        units: ScoredUnits,
        labels: Integers,  # noqa: ARG002 - no label moves a level
    ) -> tuple[Sequence[AlikeRows], Mapping[int, Reason]]:
        """All pairs of texts are compared in one call."""
        reasons: dict[int, Reason] = {}
        alike: dict[int, list[int]] = {}
        pairs: list[tuple[str, str]] = []
        starts = []
        for i, (case,) in enumerate(units.cases):
            starts.append(len(pairs))
            references = known(case.record).references
            if not references:
                reasons[i] = NO_REFERENCES
            elif is_blank(case.summary.text):
                reasons[i] = EMPTY_SUMMARY
            else:
                summary = self._on_lines(self._shortened(case))
                pairs += [(self._on_lines(text), summary) for text in references]
                alike.setdefault(len(references), []).append(i)
        scored = rouge_scores(pairs, stem=self.stem)
        found = []
        for count, places in alike.items():
            own = scored[np.array([starts[i] for i in places])[:, np.newaxis] + np.arange(count)]
            best = own.mean(axis=1) if self.several == "mean" else _best(own)
            values = np.hstack([np.ones((len(places), 1)), best.reshape(len(places), -1)])
            found.append(AlikeRows(places, COLUMNS, values[:, np.newaxis]))
        return found, reasons

    def _shortened(self, case: Case) -> str:
        summary = case.summary.text
        if self.limit is None:
            return summary
        cut = sentences.split(summary)
        about = (known(case.record).source, summary)
        kept = chosen(len(cut), self.limit, self.choose, self.seed, about)
        return " ".join(cut[i] for i in kept)

    def _on_lines(self, text: str) -> str:
        return "\n".join(sentences.split(text)) if self.lines else text


def _best(found: Floats) -> Floats:
    """Per score, the reference with the largest F, the first of equals. (N, references, 4, 3) → (N, 4, 3)."""
    best = found[..., PARTS.index("f")].argmax(axis=1)
    return np.asarray(np.take_along_axis(found, best[:, np.newaxis, :, np.newaxis], axis=1)[:, 0])


class _RougeMeasure(Reading, RougeSettings):
    """What the four measures do alike."""

    observes: ClassVar[type] = RougeScores
    name: ClassVar[str]
    declaration: ClassVar[Declaration] = Declaration(
        family="Quality",
        question="the overlap of summaries with references, in words, pairs of words, or longest common sequences of words",
        harm="Content that the authors of the references found worth keeping would be missing, whomever it concerns; a system that is even but empty helps nobody.",
    )

    def value(self, totals: Totals) -> Mapping[str, Value]:
        mean = {part: Value(ratio(totals[self.name, part], totals["one"]), is_share=True) for part in PARTS}
        return {
            self.name: mean["f"],
            f"{self.name}_precision": mean["precision"],
            f"{self.name}_recall": mean["recall"],
        }

    def explain(self, totals: Totals) -> str:
        """One summary's score."""
        f, precision, recall = (float(value.array) for value in self.value(totals).values())
        return f"{self.name} F {f:.3f} (precision {precision:.3f}, recall {recall:.3f})"


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
