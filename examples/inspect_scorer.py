"""An Inspect task whose summaries are audited: who is covered less, in Inspect's own log.

    pip install inspect_ai fairbrief
    inspect eval examples/inspect_scorer.py --model openai/gpt-4o-mini

Each sample carries its record; the metric audits all of them together, since a disparity is one of many records.
Afterwards ``fairbrief audit logs/*.eval --documents-field metadata.documents`` makes the whole report.
"""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState, generate

import fairbrief

RECORDS = Path(__file__).with_name("reviews.jsonl")


@metric
def coverage(attribute: str) -> Metric:
    """Per group: coverage above or below the average document, as a share of it; and the p of the whole."""

    def audited(scores: list[SampleScore]) -> Value:
        rows = [{**(one.score.metadata or {}), "summary": one.score.answer} for one in scores]
        found = fairbrief.audit(rows, [f"coverage_parity@{attribute}"])
        told = {e.group: e.value for e in found.estimates if e.is_primary and e.value is not None}
        whole = next(e for e in found.estimates if e.quantity == "coverage_parity")
        return {**told, "p": 1.0 if whole.p is None else whole.p}

    return audited


@scorer(metrics=[coverage("sentiment")])
def summary() -> Scorer:
    """Keeps each summary with its record; its own value is the summary's length in words."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - Inspect's signature
        text = state.output.completion
        record = {key: state.metadata[key] for key in ("id", "documents")}
        return Score(value=len(text.split()), answer=text, metadata=record)

    return score


@task
def reviews() -> Task:
    """Summaries of the example's reviews."""
    rows = {row["id"]: row for row in map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())}
    samples = [
        Sample(
            id=ident,
            input="Summarize these reviews in one sentence:\n\n"
            + "\n".join(d["text"] for d in row["documents"]),
            metadata={"id": ident, "documents": row["documents"]},
        )
        for ident, row in rows.items()
    ]
    return Task(dataset=samples, solver=generate(), scorer=summary())
