"""A scorer of Inspect: it stores the summary of each sample, and its metric audits all samples together."""

from __future__ import annotations

from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from fairbrief.integrations import numbers


@metric  # type: ignore[untyped-decorator]
def group_score(measure: str, **settings: Any) -> Metric:
    """The measure's `numbers` for all samples together. With several epochs, Inspect passes only the first of each sample."""

    def audited(scores: list[SampleScore]) -> Value:
        samples = [one.sample_metadata or {} for one in scores]
        summaries = [one.score.answer or "" for one in scores]
        documents, groups = ([sample[name] for sample in samples] for name in ("documents", "groups"))
        return numbers(documents, summaries, groups, measure, **settings)

    return audited


def group_scorer(measure: str = "coverage_parity", **settings: Any) -> Scorer:
    """A scorer whose value per sample is the summary's number of words, and whose metric is `group_score`.

    Each sample's metadata has ``documents`` and ``groups``. ``settings`` are those of `fairbrief.score`.
    """

    @scorer(metrics=[group_score(measure, **settings)], name="fairbrief")  # type: ignore[untyped-decorator]
    def summaries() -> Scorer:
        async def kept(state: TaskState, target: Target) -> Score:  # noqa: ARG001 # Inspect's signature
            summary = state.output.completion
            return Score(value=len(summary.split()), answer=summary)

        return kept

    return summaries()
