"""A metric of Hugging Face's ``evaluate``: ``GroupScore().compute(predictions=…, documents=…, groups=…)``."""

from __future__ import annotations

from typing import Any

import evaluate
from datasets import Features, Sequence, Value

from fairbrief.integrations import numbers

TEXT = Value("string")


class GroupScore(evaluate.Metric):  # type: ignore[misc]
    """A measure of all predictions together, by `fairbrief.score`; returns a dictionary of its `numbers`.

    ``predictions`` are the summaries. ``compute`` also takes ``measure``, by default ``coverage_parity``, and the settings of
    `fairbrief.score`.
    """

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description="How differently summaries represent groups, with interval, baselines and p.",
            citation="",
            inputs_description="predictions: summaries; documents: the texts of each; groups: one per document or record.",
            features=[
                Features({"predictions": TEXT, "documents": Sequence(TEXT), "groups": groups})
                for groups in (Sequence(TEXT), TEXT)
            ],
        )

    def _compute(
        self, predictions: Any, documents: Any, groups: Any, measure: str = "coverage_parity", **settings: Any
    ) -> dict[str, float]:
        return numbers(documents, predictions, groups, measure, **settings)
